"""The method `network`: the network in floating point, resumption, rounds, and sources of positions."""

from __future__ import annotations

import csv
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pytest

from tests.helpers.needed import needed

needed("torch")

import torch

from arena.learning.config import load_learning
from arena.learning.fit import Fit, Views, inputs_of, phases_of, unit_of, views_of
from arena.learning.games import GameStore, job_of, play_job
from arena.learning.loop import learn, prepare_learning
from arena.learning.method import LearningSession
from arena.learning.network import NETWORK_FILE as NETWORK
from arena.learning.network import Network
from arena.learning.samples import Samples, games_of_run, samples_of_pdn
from arena.learning.terms import LearningError
from arena.rules.game import Game
from arena.rules.moves import turned
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation
from players.evaluation.evaluator import evaluate_all
from players.evaluation.neural import ONE, NetworkFile, network_in, network_size
from players.evaluation.sample import positions_of
from tests.helpers.command_line import invoke
from tests.helpers.watched import Stopper

pytestmark = pytest.mark.full

ENGLISH = VARIANTS["english"]
SMALL = """
name: small
variant: english
seed: 3
openings: {random_plies: 6, balanced: false}
max_plies: 60
player: {preset: full, evaluation: simple, tt: 0, nodes: 30}
learn: {method: network, games: 40, random_moves: 0.1, epochs: 4, batch: 64, check: 2}
"""


def written(tmp_path: Path, text: str = SMALL) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(text)
    return file


class Hearing(Stopper):
    """Keeps what a run says, and of each game and epoch what it belongs to; stops it after so many of these."""

    def __init__(self, stop_after: int = sys.maxsize) -> None:
        super().__init__(stop_after)
        self.events = list[str]()

    def say(self, line: str) -> None:
        self.events.append(line)
        super().done(1)

    def working(self, what: str, *_: Any, **more: Any) -> Any:
        self.what = what
        return super().working()

    def done(self, pieces: int) -> None:
        self.say(self.what)


def heard(config: Path, folder: Path, stop_after: int = sys.maxsize) -> tuple[list[str], bool]:
    """Learn until so many games, epochs and lines were heard of, or to the end; these, and whether it is done."""
    plan, hearing = prepare_learning(load_learning(config)), Hearing(stop_after)
    with GameStore(folder, plan.description) as store:
        outcome = learn(plan, store, 1, hearing)
    return hearing.events, outcome is not None


def done(config: Path, folder: Path, stop_after: int = sys.maxsize) -> bool:
    """Whether a run is done after so many games, epochs and lines."""
    return heard(config, folder, stop_after)[1]


def samples_of(config: Path, folder: Path) -> Samples:
    """What the network of the first round learns from, once a run in a folder has played its games."""
    terms = load_learning(config)
    assert isinstance(terms.learn, Network)
    with GameStore(folder, prepare_learning(terms).description) as store:
        return joined(terms.learn.samples(LearningSession(terms, store, 1, Hearing()), 1, []))


CHECKPOINT = "network.pt"


def views(variant: Variant, data: Samples, held_out: bool = False) -> Views:
    """The views of positions in one part."""
    with TemporaryFile() as file:
        learned, judged, _ = views_of(variant, [data], file)
    return judged if held_out else learned


def rows_of(data: Samples, first: int, end: int) -> Samples:
    return Samples(data.positions[first:end], data.targets[first:end], data.games[first:end])


def joined(parts: Iterable[Samples]) -> Samples:
    return Samples(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def sampled(name: str) -> Samples:
    positions = np.array(positions_of(VARIANTS[name]), np.int64)
    rng = np.random.default_rng(1)
    return Samples(positions, rng.random(len(positions)), np.where(np.arange(len(positions)) % 4, 1, 20))


@pytest.mark.parametrize(("name", "width"), [("english", 64), ("international", 128)])
def test_the_evaluation_gives_what_the_network_gives_in_floating_point(name, width):
    """Up to the rounding of weights: from the side to move's view, whatever its colour."""
    variant, data = VARIANTS[name], sampled(name)
    fit = Fit(variant.rules, 1, epochs=3, batch=64, rate=0.01, width=width)
    learned = views(variant, data)
    for _ in range(3):
        fit.descend(learned, learned)
    network = NetworkFile(fit.network.whole_numbers(), 1 / ONE**2)
    assert network.network.shape == (network_size(variant.rules, width),)
    boards = views(variant, data).boards
    inputs, phases = inputs_of(variant.rules, boards), phases_of(variant.rules, boards)
    with torch.no_grad():
        logits = fit.network(torch.from_numpy(inputs), torch.from_numpy(phases)).numpy()
    address = build_evaluation("neural", variant).address
    values = evaluate_all(variant.rules, address, network.runnable(variant.rules), data.positions)
    assert np.abs(logits).max() > 0.3
    assert np.abs(values - logits).max() < 0.03


def test_weights_are_held_within_what_whole_numbers_can_be():
    fit = Fit(ENGLISH.rules, 1, epochs=1, batch=64, rate=50.0, width=64)
    learned = views(ENGLISH, sampled("english"))
    fit.descend(learned, learned)
    assert np.abs(fit.network.whole_numbers()).max() == 8 * ONE
    assert float(fit.network.rows.detach().abs().max()) == 2.5


def test_a_unit_makes_a_man_of_the_start_worth_a_hundred():
    fit = Fit(ENGLISH.rules, 1, epochs=30, batch=64, rate=0.01, width=64)
    data = sampled("english")
    material = [(w.bit_count() - b.bit_count()) for w, b, *_ in data.positions.tolist()]
    data = data._replace(targets=1 / (1 + np.exp(-np.array(material))))
    learned = views(ENGLISH, data)
    for _ in range(30):
        fit.descend(learned, learned)
    network = fit.network.whole_numbers()
    memory = NetworkFile(network, unit_of(ENGLISH, network)).runnable(ENGLISH.rules)
    start = ENGLISH.start
    men = [1 << bit for bit in range(64) if start.white >> bit & 1]
    less = np.array([start, *(start._replace(white=start.white & ~man) for man in men)], np.int64)
    values = evaluate_all(ENGLISH.rules, build_evaluation("neural", ENGLISH).address, memory, less)
    assert np.mean(values[1:] - values[0]) == pytest.approx(100)


def test_a_position_and_its_mirror_image_are_one_view():
    positions = positions_of(ENGLISH)[:50]
    both = np.array([*positions, *(turned(ENGLISH.rules, position) for position in positions)], np.int64)
    targets = np.concatenate([np.full(50, 0.75), np.full(50, 0.25)])
    seen = views(ENGLISH, Samples(both, targets, np.ones(100, np.int64)))
    assert len(seen.rows) == len(seen.targets) == len({*positions})
    assert set(np.round(seen.targets, 6)) == {0.75, 0.25}


def test_the_views_are_the_same_in_one_part_and_in_many():
    data = sampled("english")
    data = joined([data, rows_of(data, 0, 40)])
    parts = [rows_of(data, first, first + 33) for first in range(0, len(data.targets), 33)]
    with TemporaryFile() as whole, TemporaryFile() as pieces:
        one, many = views_of(ENGLISH, [data], whole), views_of(ENGLISH, parts, pieces)
    for first, second in zip(one[:2], many[:2], strict=True):
        assert [part.tolist() for part in first] == [part.tolist() for part in second]
        boards = first.boards[first.rows]
        assert len(np.unique(boards, axis=0)) == len(boards) == len(first.targets)
    assert 200 < len(one[0].rows) + len(one[1].rows) <= len(data.targets) - 40


def test_a_run_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path):
    """Stopped in its games, in the fit after an epoch, and before the match."""
    config = written(tmp_path)
    assert done(config, tmp_path / "whole")
    assert not done(config, tmp_path / "pieces", stop_after=15)
    assert not done(config, tmp_path / "pieces", stop_after=25 + 1 + 2 * 2)
    assert len(torch.load(tmp_path / "pieces" / CHECKPOINT, weights_only=True)["epochs"]) == 2
    again, _ = heard(config, tmp_path / "pieces", stop_after=1 + 2 * 2)
    assert again[0].endswith("after 2 epochs") and again[1].startswith("epoch 3/4: ") and again[2] == "epochs"
    assert done(config, tmp_path / "pieces")
    whole, pieces = ((tmp_path / name / NETWORK).read_bytes() for name in ("whole", "pieces"))
    assert whole == pieces


@pytest.mark.parametrize("events", [40, 40 + 1 + 4 * 2], ids=["games", "epochs"])
def test_a_wish_to_stop_in_the_last_piece_of_a_stage_is_heard(tmp_path: Path, events: int):
    """It ends with the stage on a terminal, so that the next one would not know of it."""
    config = written(tmp_path)
    told, is_done = heard(config, tmp_path / "run", stop_after=events)
    assert (len(told), is_done) == (events, False)
    assert done(config, tmp_path / "run")


def test_a_network_that_is_gone_is_made_again_and_a_damaged_checkpoint_learned_again(tmp_path: Path):
    config, folder = written(tmp_path), tmp_path / "run"
    assert done(config, folder)
    before = (folder / NETWORK).read_bytes()
    (folder / NETWORK).unlink()
    events, _ = heard(config, folder)
    assert [event.partition(":")[0] for event in events] == ["network"]
    assert (folder / NETWORK).read_bytes() == before
    (folder / NETWORK).unlink()
    (folder / CHECKPOINT).write_bytes((folder / CHECKPOINT).read_bytes()[:5000])
    events, _ = heard(config, folder)
    assert len(events) == 1 + 4 * 2
    assert (folder / NETWORK).read_bytes() == before


RUN = """
name: run
variant: english
openings: {random_plies: 4, count: 3}
max_plies: 60
players:
  - {name: two, type: negamax, depth: 2, evaluation: material}
  - {name: one, type: negamax, depth: 1, evaluation: simple}
  - {name: chance, type: random}
"""


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    (folder / "run.yaml").write_text(RUN)
    result = invoke("run", folder / "run.yaml", "--out", folder / "out", "--workers", 1)
    assert result.exit_code == 0, result.output
    return folder / "out"


def test_a_run_gives_the_positions_that_its_players_searched_with_scores_from_whites_view(run_folder: Path):
    of_two, of_one = sorted(games_of_run(run_folder, ENGLISH), key=len)[-2:]
    assert {of_two[0].stage, of_one[0].stage} == {"one", "two"}
    material = next(games for games in (of_two, of_one) if games[0].stage == "two")
    rows = np.concatenate([game.scored() for game in material])
    positions, scores = rows["position"], rows["score"]
    balance = np.array([white.bit_count() - black.bit_count() for white, black, *_ in positions.tolist()])
    decided = np.abs(balance) >= 3
    assert decided.sum() > 10
    assert (np.sign(scores[decided]) == np.sign(balance[decided])).mean() > 0.95
    assert set(positions[:, 3]) == {0, 1}


def test_a_run_under_other_rules_is_refused(run_folder: Path):
    with pytest.raises(LearningError, match="was not played under the rules of russian"):
        games_of_run(run_folder, VARIANTS["russian"])


def test_a_network_is_trained_from_a_run_and_a_pdn(tmp_path: Path, run_folder: Path):
    pdn = tmp_path / "games.pdn"
    pdn.write_text('[GameType "21"]\n[Result "1-0"]\n1. 11-15 23-19 2. 8-11 22-17 1-0\n' * 40)
    text = SMALL.replace("games: 40", f"games: 0, runs: [{run_folder}], pdn: [games.pdn]")
    config = written(tmp_path, text)
    assert done(config, tmp_path / "out")
    data = samples_of(config, tmp_path / "out")
    assert len(data.positions) > 160 and (tmp_path / "out" / NETWORK).exists()
    assert (data.targets[-160:] == 0).all() and data.held_out[-160:].sum() == 8


def test_a_pdn_gives_quiet_positions_of_games_with_a_result(tmp_path: Path):
    (tmp_path / "one.pdn").write_text(
        '[GameType "21"]\n1. 11-15 $4 {+0.34/12 0.050s} 22-18 {/6 0.1s} 2. 15x22 {-W7} 25x18 0-1\n\n'
        '[GameType "21"]\n1. 11-15 *\n\n'
        '[GameType "20"]\n1. 32-28 1-0\n'
    )
    data, _ = samples_of_pdn(tmp_path / "one.pdn", ENGLISH)
    game = Game(ENGLISH)
    first = tuple(game.position)
    game.push(next(move for move in game.legal_moves if move in game.legal_moves))
    assert tuple(data.positions[0]) == first
    assert len(data.positions) == 2 and data.targets.tolist() == [1, 1]
    data, _ = samples_of_pdn(tmp_path / "one.pdn", ENGLISH, "white")
    assert data.targets.tolist() == [0, 0]


def test_a_pdn_whose_results_are_contradicted_or_that_cannot_be_read_whole_is_told(tmp_path: Path):
    (tmp_path / "one.pdn").write_text(
        '[GameType "21"]\n[FEN "W:W18,32:B1,14"]\n1. 18x9 1-0\n\n[GameType "21"]\n1. 11-15 22-17 2. 1-2 0-1\n'
    )
    _, notes = samples_of_pdn(tmp_path / "one.pdn", ENGLISH)
    contradicted, unread = notes
    assert re.search("in 1 of 1 .*pdn_results: white", contradicted)
    assert re.search("1 game .*:6: game 2, ply 3", unread)


ROUNDS = SMALL.replace("games: 40", "earlier: [40, 20], games: 60").replace("epochs: 4", "epochs: 2, width: 128")


def test_each_round_is_played_by_the_network_of_the_one_before_and_the_last_one_is_learned(tmp_path: Path):
    config, folder = written(tmp_path, ROUNDS), tmp_path / "run"
    events, is_done = heard(config, folder)
    assert is_done
    games = [event for event in events if event.startswith("games ")]
    assert [(what, games.count(what)) for what in dict.fromkeys(games)] == [
        ("games of round 1/3", 40),
        ("games of round 2/3", 20),
        ("games of round 3/3", 60),
        ("games against material", 4),
    ]
    terms = load_learning(config)
    with GameStore(folder, prepare_learning(terms).description) as store:
        stages = {number: store.games(terms.learn.stage(number)) for number in (2, 3)}
    evaluations = {2: folder / "network-1.npz", 3: folder / "network-2.npz"}
    for number, file in evaluations.items():
        spec = terms.spec("player", {"evaluation": str(file)})
        again = play_job(job_of(terms, terms.learn.stage(number), 7, 7, spec, spec, random_moves=0.1))
        assert again == stages[number][6]
    widths = []
    for file in (*evaluations.values(), folder / NETWORK):
        with np.load(file) as arrays:
            widths.append(network_in(arrays).width(ENGLISH.rules))
    assert widths == [64, 64, 128]
    assert evaluations[2].read_bytes() != evaluations[3].read_bytes()
    assert invoke("learn", config, "--out", folder, "--workers", 1).exit_code == 0
    rows = list(csv.DictReader((folder / "path.csv").open()))
    expected = 2 * [("1", "40")] + 2 * [("2", "20")] + 2 * [("3", "60")]
    assert [(row["round"], row["games"]) for row in rows] == expected
