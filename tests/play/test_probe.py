"""Probes: their positions and searches, the ledger, and the table, sentences and chart made of them."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arena.base.errors import ArenaError
from arena.experiment.load import load
from arena.experiment.openings.sources import is_even
from arena.experiment.yaml.errors import ConfigError
from arena.ledger.ledger import Ledger
from arena.ledger.packing import SEARCH_COLUMNS
from arena.ledger.read import read
from arena.ledger.record import PROBE_COLUMNS
from arena.play.options.option import Running
from arena.play.options.probe import PROBE_PLIES, Probe, measure, probe_positions, probe_tasks, probed
from arena.play.prepare import prepare
from arena.play.ready import Tournament
from arena.play.solving import Question
from arena.play.suite import Puzzle
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.variants import VARIANTS
from players.negamax.player import Negamax
from players.player import EFFORT, Limit, PlayerSpec
from tests.helpers.report_data import repeatable
from tests.helpers.watched import Stopper

pytestmark = pytest.mark.usefixtures("no_pictures")
ENGLISH = VARIANTS["english"]

CONFIG = """\
name: small
variant: english
seed: 3
openings: {random_plies: 4, count: 2}
max_plies: 40
probe: {depth: 4, positions: 5}
players:
  - {name: alpha-beta, type: negamax, preset: alphabeta, depth: 1}
  - {name: minimax, type: negamax, preset: minimax, depth: 2}
  - {name: greedy, type: greedy}
  - {name: needy, type: "own.py:Needy", nodes: 10}
"""
PLAYERS = '''\
import os

from arena import Choice


class Needy:
    """Needs a limit of nodes."""

    def __init__(self, variant):
        pass

    def check_limit(self, limit):
        if type(self) is Needy and limit.nodes is None:
            raise ValueError("it needs the limit 'nodes'")

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0])


class Dies(Needy):
    def choose(self, game, limit, rng):
        os._exit(1)


class Raises(Needy):
    def choose(self, game, limit, rng):
        raise ValueError("no  idea\\nat all")
'''


def plan_of(folder: Path, text: str = CONFIG) -> Tournament:
    (folder / "own.py").write_text(PLAYERS)
    path = folder / "config.yaml"
    path.write_text(text)
    return prepare(load(path))


def measured(plan: Tournament, folder: Path, workers: int = 1) -> pd.DataFrame:
    with Ledger(folder, plan.experiment, plan.info) as ledger:
        assert Probe(Running(plan, ledger, workers)).before()
    return read(folder).probes


# positions


def test_positions_are_even_follow_their_seed_and_go_from_the_opening_to_endings_unless_plies_are_given() -> None:
    spread = probe_positions(ENGLISH, 16, None, seed=1)
    assert spread == probe_positions(ENGLISH, 16, None, seed=1) and len(set(spread)) == 16
    assert not set(spread) & set(probe_positions(ENGLISH, 6, None, seed=2))
    for position in spread:
        game = Game(ENGLISH, position)
        assert game.outcome is None and len(game.legal_moves) >= 2 and is_even(ENGLISH, position)
    pieces = [(position.white | position.black).bit_count() for position in spread]
    assert min(pieces[:3]) >= 24 - PROBE_PLIES[0] and max(pieces[-3:]) <= 14
    assert {position.turn for position in spread} == {0, 1}
    assert {position.turn for position in probe_positions(ENGLISH, 6, 9, seed=1)} == {1 - ENGLISH.start.turn}


def test_too_many_positions_are_refused_at_their_key(tmp_path: Path) -> None:
    with pytest.raises(ArenaError, match="only 7 of 8 balanced positions were found"):
        probe_positions(ENGLISH, 8, 1, seed=1)
    with pytest.raises(ConfigError, match=r"config.yaml:6:19: only 7 of 9 balanced positions"):
        plan_of(tmp_path, CONFIG.replace("positions: 5", "positions: 9, plies: 1"))


# one search


def test_a_search_is_that_of_a_fresh_player_to_the_depth_of_the_probe_alone(tmp_path: Path) -> None:
    config = CONFIG.replace("preset: alphabeta, depth: 1", "preset: alphabeta, depth: 1, nodes: 1")
    first = next(
        each for each in probe_tasks(plan_of(tmp_path, config), set()) if each.player.name == "alpha-beta"
    )
    record = measure(first)
    choice = Negamax(ENGLISH, preset="alphabeta").choose(
        Game(ENGLISH, first.puzzle.position), Limit(4), random.Random(0)
    )
    row = record.row
    assert row.keys() >= {*PROBE_COLUMNS}
    assert row["depth"] == 4 and row["score"] == choice.score
    assert all(row[name] == getattr(choice, name) for name in EFFORT)
    assert record.fen == fen(ENGLISH, first.puzzle.position) and record.error == "" and float(row["seconds"]) > 0


def test_a_player_that_cannot_search_to_a_depth_alone_is_recorded_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PLAYERS)
    players = [PlayerSpec("x", f"{tmp_path}/own.py:{name}", Limit(depth=5)) for name in ("Needy", "Raises")]
    needy, raises = (
        measure(Question(player, "probe", ENGLISH, 1, Puzzle(ENGLISH.start, ()), seed=1)) for player in players
    )
    assert needy.error == "was not built: it needs the limit 'nodes'"
    nothing = {name: math.nan if name == "score" else 0 for name, _ in SEARCH_COLUMNS}
    np.testing.assert_equal(needy.search, nothing)
    assert raises.error == "raised ValueError: no idea at all"


# a run


@pytest.mark.full
def test_every_player_searches_every_position_once_with_any_number_of_workers(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, f'{CONFIG}  - {{name: dies, type: "own.py:Dies", nodes: 10}}\n')
    one, two = (measured(plan, tmp_path / str(workers), workers) for workers in (1, 2))
    assert len(one) == len(plan.players) * len(plan.prepared["probe"]) == 25
    one, two = repeatable(one), repeatable(two)
    pd.testing.assert_frame_equal(one, two)
    assert one["player"].tolist() == 5 * plan.names
    assert one.groupby("position")["fen"].nunique().eq(1).all() and one["fen"].nunique() == 5
    by_player = {name: rows.reset_index() for name, rows in one.groupby("player")}
    assert (by_player["alpha-beta"]["nodes"] < by_player["minimax"]["nodes"]).all()
    assert (by_player["alpha-beta"]["score"] == by_player["minimax"]["score"]).all()
    assert (by_player["alpha-beta"]["depth"] == 4).all() and (by_player["greedy"]["depth"] == 1).all()
    assert by_player["needy"]["error"].str.contains("needs the limit 'nodes'").all()
    assert (by_player["dies"]["error"] == "ended its process (exit code 1)").all()
    assert (one["error"] == "").sum() == 3 * 5


class Reader(Stopper):
    """Stops after so many searches, each of which is stored when it is counted."""

    def __init__(self, after: int, folder: Path) -> None:
        super().__init__(after)
        self.folder, self.before = folder, len(read(folder).probes) if folder.exists() else 0

    def done(self, pieces: int) -> None:
        super().done(pieces)
        assert len(read(self.folder).probes) == self.before + self.count


def test_a_stopped_probe_goes_on_and_searches_nothing_twice(tmp_path: Path) -> None:
    plan, total = plan_of(tmp_path), 0
    for searches in (3, 6, 11, 100):  # the third stops at the last search
        observer = Reader(searches, tmp_path / "out")
        with Ledger(tmp_path / "out", plan.experiment, plan.info) as ledger:
            assert Probe(Running(plan, ledger, 1, observer)).before() == (searches == 100)
            total += observer.count
            assert len(probed(ledger)) == total <= 20
    assert total == 20


def test_each_position_is_searched_by_all_and_another_player_is_first_each_time(tmp_path: Path) -> None:
    tasks = list(probe_tasks(plan_of(tmp_path), set()))
    assert [task.number for task in tasks] == sorted(4 * [1, 2, 3, 4, 5])
    assert len({task.player.name for task in tasks[::4]}) == 4
