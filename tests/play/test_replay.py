"""Games of a run read back, and played again from what is stored of them."""

from __future__ import annotations

import numpy as np
import pytest

import arena
from arena.experiment.load import load
from arena.ledger.ledger import StoreError
from arena.play.match import play
from arena.play.prepare import prepare
from arena.rules.game import ADJUDICATED
from players.player import EFFORT

CONFIG = """\
name: t
variant: english
seed: 7
openings: {random_plies: 4, count: 1}
max_plies: 60
failures: {withdraw_after: 0}
adjudicate: {win: {men: 2, plies: 4}}
players:
  - {name: any, type: random}
  - {name: greedy, type: greedy}
  - {name: deep, type: negamax, depth: 3}
  - {name: own, type: "own.py:Own"}
"""
OWN = """\
from arena import Choice

class Own:
    def __init__(self, variant): pass

    def choose(self, game, limit, rng):
        if len(game.moves) > 8:
            raise RuntimeError("tired")
        return Choice(rng.choice(game.legal_moves), nodes=7)
"""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    """A run whose players are of each kind; one of them loses all its games by raising."""
    folder = tmp_path_factory.mktemp("replay")
    (folder / "own.py").write_text(OWN)
    (folder / "t.yaml").write_text(CONFIG)
    played = arena.run(folder / "t.yaml", folder / "out", workers=1, quiet=True)
    assert isinstance(played, arena.Run)
    return played


def test_a_stored_game_plays_again_move_for_move(run: arena.Run) -> None:
    tournament = prepare(load(run.folder.with_name("t.yaml")))
    counted = ["legal_moves", "pieces", *EFFORT, "score", "plies_to_win"]
    assert set(run.games["termination"]) >= {"error"} and set(run.games["termination"]) & set(ADJUDICATED)
    schedule, games = tournament.schedule({}), run.games.set_index("key")
    assert [game.key for game in schedule.games()] == games.index.tolist()
    for game in schedule.games():
        again, row = play(tournament.task(game)), games.loc[game.key]
        moves, stored = again.table(), run.moves[run.moves["game"] == row["game"]]
        assert [move.decode() for move in moves["move"]] == stored["move"].tolist()
        for name in counted:
            missing = 0 if name == "plies_to_win" else np.nan
            np.testing.assert_array_equal(moves[name], stored[name].to_numpy(float, na_value=missing))
        for name in ("result", "termination", "plies", "error", "line"):
            assert getattr(again, name) == row[name]


def test_a_run_gives_each_of_its_games_after_any_ply(run: arena.Run) -> None:
    for number, name in zip(run.games["game"][::5], run.games["id"][::5], strict=True):
        game, texts = run.game(number), run.moves.loc[run.moves["game"] == number, "move"]
        for ply, (move, text) in [*enumerate(zip(game.moves, texts, strict=True))][::4]:
            assert run.game(name, ply).text(move) == text


def test_a_game_that_is_not_stored_is_named(run: arena.Run) -> None:
    with pytest.raises(StoreError, match="game 13"):
        run.game(13)
