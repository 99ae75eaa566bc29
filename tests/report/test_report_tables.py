"""Tables of a report against counts made by hand, and their numbers and text."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.base.number import quantity, signed, times
from arena.ledger.read import GAME_COLUMNS
from arena.report.describe import describe
from arena.report.page.sections import RunPage
from arena.report.page.standings import standings_grid
from arena.report.run import TABLES, Run
from arena.report.sentences.cautions import faulty, withdrawals
from arena.report.tables.effort import effort, totals
from arena.report.tables.outcomes import terminations
from arena.report.tables.settings import families
from arena.report.tables.standings import standings
from arena.report.tables.table import with_decimals
from arena.report.write import DECIMALS, files_of
from arena.rules.result import NO_RESULT
from players.loading import Finding
from players.player import Limit, PlayerSpec
from tests.helpers.report_data import (
    changed,
    described,
    experiment,
    found_before,
    frames,
    moves_with,
    player,
    rated,
    run_of,
    specs,
)  # fmt: skip

SWEEP = [player(f"ab-d{depth}", depth) for depth in (1, 2, 3, 5)]


def test_terminations_come_most_frequent_first_with_their_share() -> None:
    ended = ["no_moves", "no_moves", "repetition", "no_moves", "max_plies"]
    table: Any = terminations(pd.DataFrame({"termination": ended}))
    assert table["termination"].tolist() == ["no_moves", "max_plies", "repetition"]
    assert table["games"].tolist() == [3, 1, 1]
    assert table["share"].tolist() == [0.6, 0.2, 0.2]


def test_standings_have_no_rating_without_games_and_no_los_for_the_last_of_a_group() -> None:
    groups = (("a", "b"), ("c", "d"), ("idle",))
    ratings = rated(dict.fromkeys(["a", "b", "c", "d", "idle"], 1.0), groups=groups)
    given = ratings.table.assign(games=[4, 4, 2, 2, 0], score=0.5, los=0.7)
    table: Any = standings(replace(ratings, table=given), totals(moves_with([]))).set_index("player")
    assert table["los"].dropna().to_dict() == {"a": 0.7, "c": 0.7}
    assert table.loc["idle", ["elo", "elo_low", "elo_high", "score", "los", "best"]].isna().all()
    assert table.loc["d", "elo"] == 1.0


GRID = [player(f"{e}{d}", d, evaluation=e) for e in ("a", "b") for d in (2, 4)]


@pytest.mark.parametrize(
    ("players", "named"),
    [
        (GRID, {"a2": "evaluation a", "a4": "evaluation a", "b2": "evaluation b", "b4": "evaluation b"}),
        (
            [*GRID[:2], player("m2", 2, "minimax"), player("m3", 3, "minimax"), player("lone", 9, tt=True)],
            {"a2": "alphabeta, evaluation a", "a4": "alphabeta, evaluation a", "m2": "minimax", "m3": "minimax"},
        ),
        (
            [player(f"{on}{d}", d, switch=on) for on in (True, False) for d in (2, 4)],
            {"True2": "switch", "True4": "switch", "False2": "no switch", "False4": "no switch"},
        ),
        (
            [player(f"{w}d{d}", d, evaluation={"linear": {"king": w}}) for w in (1, 2) for d in (2, 4)],
            {f"{w}d{d}": f"evaluation linear ({w}d2, ...)" for w in (1, 2) for d in (2, 4)},
        ),
        (
            [player(f"{c}{d}", d, "engine", command=c, log=d == 1) for c in ("x", "y") for d in (1, 2)],
            {f"{c}{d}": f"engine ({c}1, ...)" for c in ("x", "y") for d in (1, 2)},
        ),
        ([player("r", type="random"), player("s", 3)], {}),
    ],
)
def test_families_differ_in_depth_only_and_are_named_by_what_tells_them_apart(
    players: list[dict[str, Any]], named: dict[str, str]
) -> None:
    assert families(specs(players)) == named


def recorded(**changes: Any) -> pd.DataFrame:
    """Two moves of `busy` that search and two of `idle` that record nothing, with some columns set."""
    moves = moves_with([("busy", 3, 100, 0.5), ("busy", 4, 300, 1.5), ("idle", 0, 0, 1.0), ("idle", 0, 0, 9.0)])
    return moves.assign(**changes)


def effort_of(moves: pd.DataFrame, *games: tuple[str, str, str, str]) -> pd.DataFrame:
    """The table of games (white, black, result, termination)."""
    rows = pd.DataFrame(games, columns=["white", "black", "result", "termination"])
    players = [player("busy", 4), player("idle", type="random")]
    own = pd.DataFrame({"player": "busy", "extra": "tokens", "value": [3.0, 4.0]})
    return effort(rows, totals(moves), ["idle", "busy"], specs(players), {}, own)


def test_time_over_the_limit_and_losses_on_time_are_of_players_with_a_limit_of_time() -> None:
    moves = recorded(overrun=pd.array([np.nan, np.nan, 0.0, 0.2], dtype="Float64"))
    lost = [
        ("idle", "busy", "black", "time"),
        ("busy", "idle", "white", "time"),
        ("idle", "busy", "white", "no_moves"),
    ]
    table: Any = effort_of(moves, *lost).set_index("player")
    assert table.loc["idle", ["overrun_max", "time_losses"]].tolist() == [0.2, 2]
    assert table.loc["busy", ["overrun_max", "time_losses"]].isna().all()


def test_nodes_a_second_are_by_processor_time_where_that_is_known_of_all_moves() -> None:
    moves = recorded().assign(cpu_seconds=pd.array([0.25, 0.75, None, None], dtype="Float64"))
    table: Any = effort_of(moves).set_index("player")
    busy = moves[moves["player"] == "busy"]
    assert table.loc["busy", "nodes_per_second"] == busy["nodes"].sum() / 1.0
    assert table.loc["busy", ["seconds_per_move", "wall_seconds_per_move"]].tolist() == [0.5, 1.0]
    assert table["extra_tokens"].dropna().to_dict() == {"busy": 3.5}
    some = moves.assign(cpu_seconds=pd.array([0.25, None, None, None], dtype="Float64"))
    table = effort_of(some).set_index("player")
    assert table.loc["busy", "nodes_per_second"] == busy["nodes"].sum() / busy["seconds"].sum()
    assert table.loc["busy", "seconds_per_move"] == 1.0


def test_rounding_has_four_decimals_of_score_and_as_many_of_elo_as_round_like_the_value() -> None:
    table = pd.DataFrame({"elo": [-307.4612, -0.0004], "score": [0.123456, 1]})
    table["seconds_per_move"] = [1.23456789e-5, np.inf]
    text = with_decimals(table, DECIMALS).to_csv(index=False)
    assert text == "elo,score,seconds_per_move\n-307.461,0.1235,1.23457e-05\n0.0,1.0,\n"


@pytest.mark.parametrize(
    ("write", "value", "more", "text"),
    [
        (quantity, 0, "s", "0 s"),
        (quantity, 5e-4, "s", "500 µs"),
        (quantity, 1234, "", "1.23 k"),
        (quantity, 999.9e3, "", "1 M"),
        (quantity, np.nan, "s", ""),
        (quantity, pd.NA, "", ""),
        (lambda ratio, _: times(ratio), 1234.0, None, "1,234"),
        (signed, 12.4, 0, "+12"),
        (signed, -7.0, 0, "−7"),
        (signed, -0.4, 0, "0"),
        (signed, 0.04, 1, "0.0"),
        (signed, -5.0, 1, "−5.0"),
    ],
)
def test_numbers_are_written_as_people_write_them(write: Any, value: float, more: Any, text: str) -> None:
    assert write(value, more) == text


@pytest.mark.parametrize(
    ("kind", "limit", "options", "words"),
    [
        ("negamax", {"clock": 60.0, "increment": 0.5}, {}, "alpha-beta, 1 min for the game and 500 ms a move"),
        ("negamax", {"nodes": 2000}, {"tt": 0, "stop": "half"}, "alpha-beta, tt 0, stop half, 2,000 nodes"),
        ("engine", {"seconds": 1.0}, {"command": "/opt/scan hub", "folder": "."}, "program scan, 1 s"),
        ("engine", {"depth": 1}, {"command": "node starter.js", "folder": "."}, "program node starter.js, 1 ply"),
        ("engine", {"clock": 1200.0, "moves": 75}, {"port": 27531}, "program engine, 20 min for each 75 moves"),
    ],
)
def test_a_player_is_described(kind: str, limit: dict[str, Any], options: dict[str, Any], words: str) -> None:
    assert describe(PlayerSpec("a", kind, Limit(**limit), options)).startswith(words)


def test_every_column_of_every_table_is_described_and_no_other_column(tmp_path: Path) -> None:
    players = [player(f"{e}{d}", d, evaluation=e) for e in ("x", "y") for d in (1, 2, 3)]
    whole = experiment(players, sprt={"elo0": 0.0, "elo1": 9.0})
    run = run_of(tmp_path, whole, *frames(players, 2, plies=4))
    decided = ("points", "buchholz", "sonneborn_berger", "byes", "round", "opponent", "conceded", "decided")
    run = changed(
        run, order=[("x1", dict.fromkeys(decided, 1))], games=run.games.reindex(columns=list(GAME_COLUMNS))
    )
    beside = {"games": {"key", "time", "line"}, "standings": {"depth", "evaluation"}}  # not of the file; settings
    absent = {"standings": {"los", "a setting"}, "moves": {"fen", "extra_*"}, "effort": {"extra_*"}}
    for name in TABLES:
        found = {*getattr(run, name).columns} - beside.get(name, set())
        assert found == described(name) - absent.get(name, set()), name


# --- the grade sheet: what a teacher has of each submission


OWN = ("good", "fails", "bad")


def class_of(folder: Path) -> Run:
    """Submissions: `bad` is withdrawn, `fails` loses games, `gone` was left out; `own` is built in."""
    players = [player("own", 3), *(player(name, type=f"work/{name}.py:Bot") for name in OWN)]
    games, moves = frames(players, 3, plies=4)
    games["error"] = ""
    of_bad = (games["white"] == "bad") | (games["black"] == "bad")
    failures = ["result", "termination", "error"]
    lost = games.index[~of_bad & (games["black"] == "fails")][:2]
    games.loc[lost[0], failures] = ["white", "error", "fails raised KeyError: 3 at ply 4"]
    games.loc[lost[1], failures] = ["white", "time", ""]
    games.loc[of_bad, failures[1:]] = ["illegal_move", "bad returned None at ply 2"]
    games.loc[of_bad, "result"] = np.where(games["white"] == "bad", "black", "white")[of_bad]
    of_both = games.index[of_bad & (games["white"] == "fails")][0]
    games.loc[of_both, failures] = ["black", "error", "fails raised KeyError: 4 at ply 4"]
    found = (
        Finding("error", where="gone", detail="cannot be built: line 2"),
        Finding("warning", "is slow", where="good"),
    )
    run = run_of(folder, experiment(players), games, moves)
    return changed(
        run,
        games=run.games[~of_bad].reset_index(drop=True),
        moves=moves[~moves["game"].isin(games.loc[of_bad, "game"])],
        void_games=run.games[of_bad].assign(result=NO_RESULT).reset_index(drop=True),
        withdrawn={"bad": "it failed in its first 3 games"},
        info=found_before(run.info, found, {"gone": "work/gone.py"}),
        failures=run.data.failures,
    )


def test_the_sheet_has_every_submission_with_its_failures_in_words(tmp_path: Path) -> None:
    run = class_of(tmp_path)
    table: Any = run.submissions.set_index("player")
    ranks: Any = run.standings.set_index("player")
    assert set(table.index[:2]) == {"good", "fails"} and [*table.index[2:]] == ["bad", "gone"]
    assert table["place"].dropna().to_dict() == {"good": 1, "fails": 1}, "equal; own is built in and takes none"
    wins = np.where(run.games["white"] == "good", "white", np.where(run.games["black"] == "good", "black", "draw"))
    apart = changed(run, games=run.games.assign(result=wins), failures=run.data.failures).submissions
    assert apart.set_index("player")["place"].dropna().to_dict() == {"good": 1, "fails": 2}
    assert table["file"].to_dict() == {name: f"work/{name}.py" for name in table.index}
    assert table["failures"].dropna().to_dict() == {"good": 0, "fails": 2, "bad": 17}
    assert table.loc["good", "points"] == ranks.loc["good", "wins"] + ranks.loc["good", "draws"] / 2
    own = run.moves[run.moves["player"] == "good"]
    assert table.loc["good", "seconds_longest"] == own["seconds"].max()
    first = run.games[run.games["error"] != ""]["id"].iloc[0]
    assert table["reasons"].to_dict() == {
        "good": "found before the first game: is slow",
        "fails": f"lost 1 on time and 1 by errors (game {first}: raised KeyError: 3 at ply 4)",
        "bad": "withdrawn, as it failed in its first 3 games "
        f"(game {run.void_games['id'].iloc[0]}: returned None at ply 2)",
        "gone": "left out as faulty: cannot be built: line 2",
    }
    assert withdrawals(run) == [(f"was {table.loc['bad', 'reasons']}.", "bad")]
    assert faulty(run) == [("was left out as faulty: cannot be built: line 2.", "gone")]


@pytest.mark.parametrize("order", [[], ["fails", "bad", "own", "good"]])
def test_who_is_withdrawn_stands_last_with_the_reason(tmp_path: Path, order: list[str]) -> None:
    last_match = {"round": 1, "opponent": "own", "points": 2.0, "conceded": 0.0, "decided": "points"}
    run = changed(class_of(tmp_path), order=[(name, last_match) for name in order])
    last = run.standings.iloc[-1]
    assert (last["player"], last["games"]) == ("bad", 0) and last[["rank", "elo", "score"]].isna().all()
    assert run.standings["rank"].tolist()[:-1] == [1, 2, 3]
    assert run.standings["player"].tolist()[:-1] == ([name for name in order if name != "bad"] or run.players)
    shown = standings_grid(run).texts().iloc[-1]
    assert [text for text in shown if text] == ["bad", "withdrawn, as it failed in its first 3 games"]


def test_two_files_are_no_class_unless_one_was_left_out(tmp_path: Path) -> None:
    run = class_of(tmp_path)
    players = tuple(spec for spec in run.data.experiment.players if spec.name != "bad")
    few = changed(run, experiment=run.data.experiment.model_copy(update={"players": players}), withdrawn={})
    assert [*few.submissions["player"]] == ["fails", "good", "gone"]
    assert changed(few, info=found_before(run.info, (), {})).submissions.empty


@pytest.mark.parametrize(("count", "sentences"), [(3, 3), (4, 4), (9, 4)])
def test_of_more_than_three_players_left_out_the_notes_say_how_many(
    tmp_path: Path, count: int, sentences: int
) -> None:
    run = class_of(tmp_path)
    found = tuple(Finding("error", "cannot be built", f"gone {n}") for n in range(count))
    said = faulty(changed(run, info=found_before(run.info, found, {one.where: "x.py" for one in found})))
    assert len(said) == sentences and said[2].player == "gone 2"
    assert count == 3 or str(count - 3) in said[3].words


def test_the_sheet_is_a_file_and_a_table_of_the_page_where_somebody_wrote_code(tmp_path: Path) -> None:
    page = RunPage(class_of(tmp_path)).html
    assert '<h2 id="submissions">' in page and "lost 1 on time and 1 by errors" in page
    assert page.count('<p class="failed"><a href="#player=') == 2  # bad and gone, which no standings name
    files_of(class_of(tmp_path))["submissions.csv"](tmp_path / "sheet.csv")
    assert (tmp_path / "sheet.csv").read_text(encoding="utf-8").startswith("\ufeff")
    built_in = [player(name, 3) for name in "ab"]
    run = run_of(tmp_path, experiment(built_in), *frames(built_in, 2, plies=4))
    assert "submissions" not in RunPage(run).html
    assert "submissions.csv" not in files_of(run)
