"""The grade sheet: what a teacher has of each submission, those that failed among them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from arena.ledger.manifest import Diagnosis, Manifest, Session
from arena.report.run import Run
from arena.report.sentences.notes import annulments, faulty
from arena.report.tables.submissions import SUBMISSIONS
from tests.helpers.report_data import changed, experiment, frames, player, run_of, write_quickly

OWN = ("good", "fails", "bad")


def class_of(folder: Path) -> Run:
    """Submissions: `bad` is withdrawn, `fails` loses games, `gone` was left out; `own` is built in."""
    players = [player("own", 3), *(player(name, type=f"work/{name}.py:Bot") for name in OWN)]
    games, moves = frames(players, 3, plies=4)
    games["error"] = ""
    of_bad = (games["white"] == "bad") | (games["black"] == "bad")
    lost = games.index[~of_bad & (games["black"] == "fails")][:2]
    games.loc[lost, ["result", "termination"]] = ["white", "error"]
    games.loc[lost, "error"] = "fails raised KeyError: 3 at ply 4"
    games.loc[lost[1], ["termination", "error"]] = ["time", ""]
    void = games[of_bad].assign(result="*", termination="withdrawn", error="bad withdrawn")
    failing = void.index[:2]
    void.loc[failing, "termination"] = "illegal_move"
    void.loc[failing, "error"] = "bad returned None at ply 2"
    void.loc[void.index[2], ["termination", "error"]] = ["error", "fails raised KeyError: 4 at ply 4"]
    kept = games[~of_bad].reset_index(drop=True)
    found = (Diagnosis("gone", "error", "cannot be built: line 2"), Diagnosis("good", "warning", "is slow"))
    manifest = Manifest("", {}, {}, {}, {}, {}, "", Session("", 0, 1, "", 0), found, {"gone": "work/gone.py"})
    run = run_of(folder, experiment(players), kept, moves[moves["game"].isin(kept["game"])])
    return changed(run, annulled=void.reset_index(drop=True), withdrawn=("bad",), manifest=manifest)


def test_the_sheet_has_every_submission_with_its_failures_in_words(tmp_path: Path) -> None:
    run = class_of(tmp_path)
    table: Any = run.submissions.set_index("player")
    ranks: Any = run.standings.set_index("player")
    assert set(table.index[:2]) == {"good", "fails"} and [*table.index[2:]] == ["bad", "gone"]
    assert table.loc["good", "place"] == ranks.loc["good", "rank"]
    assert table["file"].to_dict() == {name: f"work/{name}.py" for name in table.index}
    assert table["failures"].to_dict() == {"good": 0, "fails": 2, "bad": 2, "gone": 0}
    assert table["games"].to_dict() == {"good": 12, "fails": 12, "bad": 0, "gone": 0}
    assert table.loc["good", "points"] == ranks.loc["good", "wins"] + ranks.loc["good", "draws"] / 2
    own = run.moves[run.moves["player"] == "good"]["seconds"]
    assert table.loc["good", "seconds_longest"] == own.max()
    assert table.loc["good", "seconds_per_move"] == pytest.approx(own.mean())
    first = run.games[run.games["error"] != ""]["game"].iloc[0]
    assert table["reasons"].to_dict() == {
        "good": "",
        "fails": f"lost 1 on time and 1 by errors (game {first}: raised KeyError: 3 at ply 4)",
        "bad": "withdrawn, as it failed in all of its first 3 games "
        f"(game {run.annulled['game'].iloc[0]}: returned None at ply 2): "
        "its 18 games, 15 of them unplayed, do not count",
        "gone": "left out as faulty: cannot be built: line 2",
    }
    assert annulments(run) == [f"bad was {table.loc['bad', 'reasons']}."]
    assert faulty(run) == ["gone was left out as faulty: cannot be built: line 2."]


def test_two_files_of_ones_own_are_no_class(tmp_path: Path) -> None:
    run = class_of(tmp_path)
    players = tuple(spec for spec in run.data.experiment.players if spec.name != "bad")
    few = changed(run, experiment=run.data.experiment.model_copy(update={"players": players}), withdrawn=())
    assert run.data.manifest is not None
    assert [*few.submissions["player"]] == ["good", "fails", "gone"]
    alone = changed(few, manifest=run.data.manifest._replace(left_out={}))
    assert alone.submissions.empty


def test_of_more_than_three_players_left_out_the_notes_say_where_the_reasons_are(tmp_path: Path) -> None:
    run = class_of(tmp_path)
    assert run.data.manifest is not None
    found = tuple(Diagnosis(f"gone {n}", "error", "cannot be built") for n in range(4))
    for count, sentences in (
        (3, [f"gone {n} was left out as faulty: cannot be built." for n in range(3)]),
        (
            4,
            ["4 players were left out as faulty; submissions.csv says why."],
        ),
    ):
        files = {one.player: f"work/{one.player}.py" for one in found[:count]}
        manifest = run.data.manifest._replace(found=found[:count], left_out=files)
        assert faulty(changed(run, manifest=manifest)) == sentences


def test_the_sheet_is_a_file_and_a_table_of_the_page_where_somebody_wrote_code(tmp_path: Path) -> None:
    write_quickly(class_of(tmp_path / "class"))
    sheet = pd.read_csv(tmp_path / "class" / "submissions.csv")
    assert list(sheet) == [column.name for column in SUBMISSIONS.columns] and len(sheet) == 4
    page = (tmp_path / "class" / "report.html").read_text(encoding="utf-8")
    assert '<h2 id="submissions">' in page and "lost 1 on time and 1 by errors" in page
    built_in = [player(name, 3) for name in "ab"]
    write_quickly(run_of(tmp_path / "none", experiment(built_in), *frames(built_in, 2, plies=4)))
    assert not (tmp_path / "none" / "submissions.csv").exists()
    assert "submissions" not in (tmp_path / "none" / "report.html").read_text(encoding="utf-8")
