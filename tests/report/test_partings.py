"""Where the games of two players part, against the moves of a run that was played."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import arena
from arena.report.tables.outcomes import partings, summary
from tests.helpers.command_line import invoke, refused

RUN = """\
name: tiny
variant: english
max_plies: 40
openings: {count: 3}
players:
  - {name: a, evaluation: simple, depth: 1}
  - {name: b, evaluation: simple, depth: 1}
  - {name: c, evaluation: simple, depth: 2}
  - {name: r, type: random}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    folder: Path = tmp_path_factory.mktemp("partings")
    (folder / "tiny.yaml").write_text(RUN)
    return arena.run(folder / "tiny.yaml", folder / "out", workers=1, quiet=True)


def test_players_that_are_one_part_only_by_a_move_of_the_opponent(run: arena.Run) -> None:
    table = run.partings("a", "b")
    assert sorted(table["opponent"].value_counts().items()) == [("c", 6), ("r", 6)]
    assert table["by"].isna().sum() == 6 and {*table["by"].dropna()} == {"opponent"}
    assert "6 the same game; 6 by another move of the opponent." in summary(table, "a", "b")
    assert partings(run.data, "a", run.data, "a")["ply"].isna().all()


def test_games_part_at_the_first_ply_with_another_move_and_have_the_points_of_each_player(run: arena.Run) -> None:
    table, games = run.partings("a", "c"), run.games.set_index("game")
    moves = {game: texts.tolist() for game, texts in run.moves.groupby("game")["move"]}
    assert len(table) == 12 and {*table["opponent"]} == {"b", "r"}
    for row in table.to_dict("records"):
        one, other, at = moves[row["game"]], moves[row["other_game"]], row["ply"] - 1
        assert one[:at] == other[:at] and (one[at], other[at]) == (row["move"], row["other_move"])
        of, with_other = games.loc[row["game"]], games.loc[row["other_game"]]
        assert (of[row["colour"]], with_other[row["colour"]]) == ("a", "c")
        assert of["opening_fen"] == with_other["opening_fen"] == row["opening_fen"]
        points = {row["colour"]: 1.0, "draw": 0.5}
        assert row["points"] == points.get(of["result"], 0.0)
        assert row["other_points"] == points.get(with_other["result"], 0.0)


def test_players_without_a_common_opponent_have_no_partings(run: arena.Run) -> None:
    table = run.partings("a", "nobody")
    assert isinstance(table, pd.DataFrame) and table.empty and summary(table, "a", "nobody") == ""


def test_the_viewer_opens_where_the_players_part_with_an_arrow_for_the_other_move(run: arena.Run) -> None:
    table = run.partings("a", "c")
    unlike = table[(table["by"] == "players") & (table["points"] != table["other_points"])]
    assert len(unlike)
    result = invoke("show", run.folder, "--part", "a", "c")
    assert result.exit_code == 0 and summary(table, "a", "c") in result.stdout
    assert f"{unlike.iloc[0]['ply'] - 1}" in (run.folder / "partings.html").read_text()
    assert "c" in refused("show", run.folder, "--part", "a", "d") and "--ply" in refused(
        "show", run.folder, "--part", "a", "c", "--ply", 3
    )
