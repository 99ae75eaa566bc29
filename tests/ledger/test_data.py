"""The data of a run: what is recorded of games and moves, what is made of it, and how it is given."""

import math
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pandas as pd
import pytest

import arena
from arena.experiment.load import load
from arena.hosting.player_process import close_players
from arena.ledger.record import MEASURED
from arena.play.match import play
from arena.play.prepare import prepare
from arena.report.run import Run
from arena.report.write import files_of, pdn_games
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.moves import points
from arena.rules.notation import parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.variants import VARIANTS
from players.evaluation.build import build_evaluation
from players.evaluation.sample import man_value
from players.player import PlayerSpec
from tests.helpers.asking import task_of
from tests.helpers.command_line import invoke
from tests.helpers.report_data import described
from tests.helpers.runs import StoredRun
from tests.helpers.runs import run as played

ENGLISH = VARIANTS["english"]
OWN = '''
import time

from arena import Choice, evaluator


class Says:
    """Says that it has won, and that a man is worth 7."""

    man_value = 7.0
    cpu_elsewhere = 0.25

    def __init__(self, variant): ...

    def choose(self, game, limit, rng):
        ended = time.process_time() + 0.02
        while time.process_time() < ended:
            pass
        time.sleep(0.03)
        return Choice(rng.choice(game.legal_moves), 14.0, plies_to_win=-3 if len(game.moves) > 3 else 0)


class Lies(Says):
    man_value = "much"


@evaluator
def twice(position, rules):
    value = 0.0
    for i in range(64):
        value += 2.0 * ((position.white >> i & 1) - (position.black >> i & 1))
    return value if position.turn == 0 else -value
'''
CONFIG = """\
name: data
variant: english
seed: 2
openings: {random_plies: 4, count: 2}
max_plies: 150
players:
  - {name: random, type: random}
  - {name: greedy, type: greedy, evaluation: material}
  - {name: tree, type: mcts, nodes: 200}
  - {name: own, type: negamax, depth: 4, evaluation: "own.py:twice"}
  - {name: material, type: negamax, depth: 4, evaluation: material}
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The tournament of CONFIG."""
    folder = tmp_path_factory.mktemp("data")
    (folder / "own.py").write_text(OWN)
    (folder / "config.yaml").write_text(CONFIG)
    result = invoke("run", folder / "config.yaml", "--out", folder / "out", "--workers", "1", "--no-report")
    assert result.exit_code == 0, result.output
    return arena.load(folder / "out")


@pytest.mark.full
def test_the_points_that_decided_a_game_are_in_its_row_and_its_pdn(tmp_path):
    counted = played(
        tmp_path,
        "out",
        "name: points\nvariant: {base: simplified, no_capture: 20}\nseed: 2\n"
        "openings: {random_plies: 4, count: 8, balanced: false}\n"
        "players: [{name: one, type: random}, {name: other, type: random}]\n",
    )
    variant = build_variant(counted.experiment.variant)
    moves = dict(list(counted.moves.groupby("game")["move"]))
    texts = pdn_games(counted)
    for row, text in zip(counted.games.to_dict("records"), texts, strict=True):
        game = Game(variant, row["opening_fen"])
        for move in moves[row["game"]]:
            game.push(move)
        both = row["white_points"], row["black_points"]
        words = f"points: White {both[0]}, Black {both[1]}}} "
        if row["termination"] == "points":
            assert both == points(variant.rules, game.position) and game.outcome is not None
            assert row["result"] == game.outcome.result and words in " ".join(text.split())
        else:
            assert both == (None, None) and "points: " not in text
    assert set(counted.games["termination"]) == {"points", "no_capture"}
    files_of(counted)["games.csv"](tmp_path / "games.csv")
    table = pd.read_csv(tmp_path / "games.csv", dtype=str, keep_default_na=False)
    for column in ("white_points", "black_points"):
        assert table[column].tolist() == ["" if pd.isna(it) else str(it) for it in counted.games[column]]


@pytest.mark.full
def test_pieces_and_fen_are_of_the_position_before_the_move(run):
    moves = run.positions()
    pd.testing.assert_frame_equal(moves.drop(columns="fen"), run.moves)
    positions = [parse_fen(ENGLISH, text) for text in moves["fen"]]
    pieces = np.array([(it.white | it.black).bit_count() for it in positions])
    assert moves["pieces"].tolist() == pieces.tolist()
    assert [it.turn == 1 for it in positions] == (moves["colour"] == "black").tolist()
    starts = moves[moves["ply"] == 1].set_index("game")["fen"].to_dict()
    assert starts == run.games.set_index("game")["opening_fen"].to_dict()
    chosen = moves[moves["game"].isin([2, 5])].reset_index(drop=True)
    pd.testing.assert_frame_equal(run.positions([5, 2]), chosen)


@pytest.mark.full
def test_scores_in_men_can_be_compared_and_are_missing_where_there_are_none(run):
    men = {name: player.man_value for name, player in run.info.players.items()}
    assert men == {"random": None, "greedy": 1.0, "tree": None, "own": 2.0, "material": 1.0}
    moves = run.moves
    for name, man in men.items():
        own = moves[moves["player"] == name]
        known = own["score_men"].notna()
        if man is None:
            assert not known.any(), name
            continue
        assert known.tolist() == (own["score"].notna() & own["plies_to_win"].isna()).tolist()
        assert (own["score_men"][known] == own["score"][known] / man).all() and known.sum() > 10


@pytest.mark.full
@pytest.mark.parametrize("variant", ["english", "international", "antidraughts"])
def test_a_man_is_worth_what_the_evaluation_loses_with_it(variant):
    rules = VARIANTS[variant]
    for description, worth in (({"linear": {"man": -250}}, 250.0), ({"linear": {"king": 9}}, None)):
        assert man_value(rules, build_evaluation(description, rules)) == pytest.approx(worth)


@pytest.mark.full
@pytest.mark.parametrize("local", [False, True])
def test_a_class_may_say_what_a_man_is_worth_and_its_time_is_measured_where_it_sits(tmp_path, monkeypatch, local):
    if local:
        monkeypatch.setattr("arena.hosting.player_process.without_own_code", lambda spec: spec)
    (tmp_path / "own.py").write_text(OWN)
    spec = PlayerSpec("own", f"{tmp_path}/own.py:Says")
    record = play(task_of(ENGLISH, spec, PlayerSpec("random", "random"), max_plies=8))
    assert record.error == ""
    table = record.table()[1::2]
    assert (table["cpu_seconds"] - 0.25 > 0.019).all()
    assert (table["seconds"] > 0.049).all()
    assert table["plies_to_win"].tolist() == [0, 0, -3, -3]
    assert record.cpu_seconds == pytest.approx(record.table()["cpu_seconds"].sum(), abs=1e-5)
    close_players()


@pytest.mark.full
def test_what_a_class_says_of_a_man_is_known_if_it_is_a_number(tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    players = [{"name": name, "type": f"{tmp_path}/own.py:{name}"} for name in ("Says", "Lies")]
    plan = prepare(load({"name": "t", "variant": "english", "players": players}))
    assert [player.man_value for player in plan.info.players.values()] == [7.0, None]
    close_players()


@pytest.mark.full
def test_a_game_says_when_and_where_it_was_played(run):
    games = run.games
    session = run.info.session
    assert session is not None
    assert (games["machine"] == session.host).all()
    assert set(games["worker"]) == {session.process}
    began = datetime.fromisoformat(session.began)
    assert ((began <= games["began"]) & (games["began"] <= datetime.now(UTC))).all()
    spent = run.moves.groupby("game")["cpu_seconds"].sum().to_numpy(dtype=float)
    np.testing.assert_allclose(games["cpu_seconds"].to_numpy(), spent, atol=1e-4)
    assert {"began", "worker", "machine", "cpu_seconds", "seconds"} <= set(MEASURED)


@pytest.mark.full
def test_the_pdn_has_the_date_and_what_each_mover_found(run):
    read, problems = read_pdn("\n".join(pdn_games(run)))
    assert not problems and len(read) == len(run.games) == 40
    comment = re.compile(r"(?:([+-][0-9]+\.[0-9]{2})|([+-])W([0-9]+))?(?:/([0-9]+))? ?([0-9]+\.[0-9]+)s")
    seen = set()
    row: Any
    for game, began, (_, moves) in zip(read, run.games["began"], run.moves.groupby("game"), strict=True):
        assert game.tags["Date"] == began.strftime("%Y.%m.%d")
        assert list(game.comments) == list(range(1, len(moves) + 1)) == list(range(1, len(game.moves) + 1))
        for text, row in zip(game.comments.values(), moves.itertuples(), strict=True):
            found = comment.fullmatch(text)
            assert found, text
            men, sign, wins, depth, seconds = found.groups()
            assert (men is None) == pd.isna(row.score_men) and (wins is None) == pd.isna(row.plies_to_win)
            assert men is None or float(men) == pytest.approx(row.score_men, abs=0.00501)
            assert wins is None or int(f"{sign}{wins}") == row.plies_to_win
            assert int(depth or 0) == row.depth
            assert float(seconds) == pytest.approx(row.seconds, abs=5.01e-4 if row.seconds >= 0.001 else 5.01e-7)
            seen.add((men is not None, wins is not None, depth is not None))
    assert seen == {(True, False, True), (False, True, True), (False, False, False), (False, False, True)}


def test_a_run_without_games_has_its_tables_and_shows_itself(tmp_path):
    StoredRun(tmp_path / "out", "abc", 8).ledger.close()
    empty = arena.load(tmp_path / "out")
    tables = (empty.games, empty.void_games, empty.positions(), empty.moves.assign(fen=""))
    for name, table in zip(("games", "games", "moves", "moves"), tables, strict=True):
        assert {*table.columns} - {"key", "time", "line"} == described(name) - {"extra_*"}, name
        assert not len(table), name
    assert "3 players, 0 games" in (empty._repr_html_() or "") and ", 0 of 48 games," in repr(empty)


COUNTS = """
from arena import Choice


class Counts:
    def __init__(self, variant): ...

    def choose(self, game, limit, rng):
        ply = len(game.moves) + 1
        extra = {"tokens": 100 + ply, "first": ply % 4 < 2} if ply % 6 else None
        return Choice(rng.choice(game.legal_moves), extra=extra if ply < 9 else {"tokens": 0.5})
"""


def test_numbers_of_a_players_own_are_columns_of_moves_and_a_table(tmp_path):
    (tmp_path / "counts.py").write_text(COUNTS)
    counts = {"name": "counts", "type": f"{tmp_path}/counts.py:Counts"}
    config = {"name": "own", "variant": "english", "openings": {"count": 2}}
    made = arena.run(config | {"players": [counts, "random", "greedy"]}, tmp_path / "run", workers=1, quiet=True)
    close_players()
    moves = made.moves
    assert moves.columns[-2:].tolist() == ["extra_first", "extra_tokens"]
    ours = (moves["player"] == "counts").to_numpy()
    wanted = [
        [math.nan, 0.5] if ply > 8 else [math.nan, math.nan] if ply == 6 else [float(ply % 4 < 2), 100.0 + ply]
        for ply in moves["ply"][ours]
    ]
    found = moves.loc[ours, ["extra_first", "extra_tokens"]].to_numpy(dtype=float, na_value=math.nan)
    np.testing.assert_array_equal(found, wanted)
    assert moves.loc[~ours, ["extra_first", "extra_tokens"]].isna().all(axis=None)

    tokens = [value for _, value in wanted if not math.isnan(value)]
    assert made.effort.set_index("player")["extra_tokens"].dropna().to_dict() == {"counts": np.mean(tokens)}
    with closing(sqlite3.connect(tmp_path / "run" / "ledger.sqlite")) as connection:
        without = connection.execute("SELECT white, black FROM games WHERE extras IS NULL").fetchall()
    assert sorted(set(without)) == [("greedy", "random"), ("random", "greedy")]
    chosen = made.games["game"][::2]
    alone = pd.concat(list(made.data.moves(pd.Index(chosen))), ignore_index=True)
    pd.testing.assert_frame_equal(alone, moves[moves["game"].isin(chosen)].reset_index(drop=True))
