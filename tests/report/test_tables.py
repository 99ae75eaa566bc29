"""Tables of a report against counts made by hand, and their numbers and text."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arena
from arena.base.number import quantity, signed, times
from arena.ledger.read import GAME_COLUMNS
from arena.report.describe import describe
from arena.report.run import TABLES
from arena.report.tables.effort import effort, totals
from arena.report.tables.outcomes import partings, summary, terminations
from arena.report.tables.standings import standings
from arena.report.tables.table import with_decimals
from arena.report.write import DECIMALS
from players.player import Limit, PlayerSpec
from tests.helpers.command_line import invoke, refused
from tests.helpers.report_data import (
    changed,
    described,
    experiment,
    frames,
    moves_with,
    player,
    rated,
    run_of,
    specs,
)


def test_terminations_come_most_frequent_first_with_their_share():
    ended = ["no_moves", "no_moves", "repetition", "no_moves", "max_plies"]
    table = terminations(pd.DataFrame({"termination": ended})).to_numpy().tolist()
    assert table == [["no_moves", 3, 0.6], ["max_plies", 1, 0.2], ["repetition", 1, 0.2]]


def test_standings_have_no_rating_without_games_and_no_los_for_the_last_of_a_group():
    groups = (("a", "b"), ("c", "d"), ("idle",))
    ratings = rated(dict.fromkeys(["a", "b", "c", "d", "idle"], 1.0), groups=groups)
    given = ratings.table.assign(games=[4, 4, 2, 2, 0], score=0.5, los=0.7)
    table: Any = standings(replace(ratings, table=given), totals(moves_with([]))).set_index("player")
    assert table["los"].dropna().to_dict() == {"a": 0.7, "c": 0.7}
    assert table.loc["idle", ["elo", "elo_low", "elo_high", "score", "los", "best"]].isna().all()
    assert table.loc["d", "elo"] == 1.0


def recorded(**changes: Any) -> pd.DataFrame:
    """Two moves of `busy` that search and two of `idle` that record nothing, with some columns set."""
    moves = moves_with([("busy", 3, 100, 0.5), ("busy", 4, 300, 1.5), ("idle", 0, 0, 1.0), ("idle", 0, 0, 9.0)])
    return moves.assign(**{name: pd.array(values, dtype="Float64") for name, values in changes.items()})


def effort_of(moves: pd.DataFrame, *games: tuple[str, str, str, str]) -> Any:
    """The table of games (white, black, result, termination)."""
    rows = pd.DataFrame(games, columns=["white", "black", "result", "termination"])
    players = [player("busy", 4), player("idle", type="random")]
    own = pd.DataFrame({"player": "busy", "extra": "tokens", "value": [3.0, 4.0]})
    return effort(rows, totals(moves), ["idle", "busy"], specs(players), {}, own).set_index("player")


def test_time_over_the_limit_and_losses_on_time_are_of_players_with_a_limit_of_time():
    table = effort_of(
        recorded(overrun=[np.nan, np.nan, 0.0, 0.2]),
        ("idle", "busy", "black", "time"),
        ("busy", "idle", "white", "time"),
        ("idle", "busy", "white", "no_moves"),
    )
    assert table.loc["idle", ["overrun_max", "time_losses"]].tolist() == [0.2, 2]
    assert table.loc["busy", ["overrun_max", "time_losses"]].isna().all()


def test_nodes_a_second_are_by_processor_time_where_that_is_known_of_all_moves():
    table = effort_of(recorded(cpu_seconds=[0.25, 0.75, None, None]))
    columns = ["nodes_per_second", "seconds_per_move", "wall_seconds_per_move"]
    assert table.loc["busy", columns].tolist() == [400, 0.5, 1.0]
    assert table["extra_tokens"].dropna().to_dict() == {"busy": 3.5}
    some = effort_of(recorded(cpu_seconds=[0.25, None, None, None]))
    assert some.loc["busy", columns].tolist() == [200, 1.0, 1.0]


def test_rounding_has_four_decimals_of_score_and_as_many_of_elo_as_round_like_the_value():
    table = pd.DataFrame({"elo": [-307.4612, -0.0004], "score": [0.123456, 1]})
    table["seconds_per_move"] = [1.23456789e-5, np.inf]
    text = with_decimals(table, DECIMALS).to_csv(index=False)
    assert text == "elo,score,seconds_per_move\n-307.461,0.1235,1.23457e-05\n0.0,1.0,\n"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (quantity(0, "s"), "0 s"),
        (quantity(5e-4, "s"), "500 µs"),
        (quantity(1234, ""), "1.23 k"),
        (quantity(999.9e3, ""), "1 M"),
        (quantity(np.nan, "s"), ""),
        (quantity(pd.NA, ""), ""),
        (times(1234.0), "1,234"),
        (signed(12.4, 0), "+12"),
        (signed(-7.0, 0), "−7"),
        (signed(-0.4, 0), "0"),
        (signed(0.04, 1), "0.0"),
        (signed(-5.0, 1), "−5.0"),
    ],
)
def test_numbers_are_written_as_people_write_them(text, shown):
    assert text == shown


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
def test_a_player_is_described(kind, limit, options, words):
    assert describe(PlayerSpec("a", kind, Limit(**limit), options)).startswith(words)


def test_every_column_of_every_table_is_described_and_no_other_column(tmp_path):
    players = [player(f"{e}{d}", d, evaluation=e) for e in ("x", "y") for d in (1, 2, 3)]
    whole = experiment(players, sprt={"elo0": 0.0, "elo1": 9.0})
    run = run_of(tmp_path, whole, *frames(players, 2, plies=4))
    decided = ("points", "buchholz", "sonneborn_berger", "byes", "round", "opponent", "conceded", "decided")
    games = run.games.reindex(columns=list(GAME_COLUMNS))
    run = changed(run, order=[("x1", dict.fromkeys(decided, 1))], games=games)
    beside = {"games": {"key", "time", "line"}, "standings": {"depth", "evaluation"}}  # not of the file; settings
    absent = {"standings": {"los", "a setting"}, "moves": {"fen", "extra_*"}, "effort": {"extra_*"}}
    for name in TABLES:
        found = {*getattr(run, name).columns} - beside.get(name, set())
        assert found == described(name) - absent.get(name, set()), name


# where the games of two players part

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
def played(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    folder: Path = tmp_path_factory.mktemp("partings")
    (folder / "tiny.yaml").write_text(RUN)
    return arena.run(folder / "tiny.yaml", folder / "out", workers=1, quiet=True)


def test_players_that_are_one_part_only_by_a_move_of_the_opponent(played):
    table = played.partings("a", "b")
    assert sorted(table["opponent"].value_counts().items()) == [("c", 6), ("r", 6)]
    assert table["by"].isna().sum() == 6 and {*table["by"].dropna()} == {"opponent"}
    assert "6 the same game; 6 by another move of the opponent" in summary(table, "a", "b")
    assert partings(played.data, "a", played.data, "a")["ply"].isna().all()
    assert played.partings("a", "nobody").empty and summary(table[:0], "a", "nobody") == ""


def test_games_part_at_the_first_ply_with_another_move_and_have_the_points_of_each_player(played):
    table, games = played.partings("a", "c"), played.games.set_index("game")
    moves = {game: texts.tolist() for game, texts in played.moves.groupby("game")["move"]}
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


def test_games_part_where_one_of_them_ends(played, tmp_path):
    (tmp_path / "short.yaml").write_text(RUN.replace("max_plies: 40", "max_plies: 10"))
    short = arena.run(tmp_path / "short.yaml", tmp_path / "out", workers=1, quiet=True)
    table = partings(played.data, "a", short.data, "a")
    assert len(table) == 18 and {*table["ply"]} == {11} and table["other_move"].isna().all()


def test_the_viewer_opens_where_the_players_part(played):
    table = played.partings("a", "c")
    unlike = table[(table["by"] == "players") & (table["points"] != table["other_points"])]
    assert len(unlike)
    result = invoke("show", played.folder, "--part", "a", "c")
    assert result.exit_code == 0 and summary(table, "a", "c") in result.stdout
    assert f'"ply": {unlike.iloc[0]["ply"] - 1}' in (played.folder / "partings.html").read_text()
    assert "'d'" in refused("show", played.folder, "--part", "a", "d")
    assert "--ply" in refused("show", played.folder, "--part", "a", "c", "--ply", 3)
