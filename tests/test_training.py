"""Tests of `arena train`: the network in floating point, resumption, sources of positions, and what is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import pytest

from tests.helpers.needed import needed

needed("torch")

import torch
from click.testing import CliRunner

from arena.commands.cli import main
from arena.learning.config import FitSection, load_training
from arena.learning.driver import LearningError, StageProgress
from arena.learning.fit import Fit, Views, inputs_of, phases_of, unit_of, views_of
from arena.learning.games import play_scored
from arena.learning.samples import Samples, games_of_run, samples_of_pdn
from arena.learning.store import GameStore, Played
from arena.learning.training import NETWORK, gathered, prepare, stage_of, train
from arena.rules.game import Game
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation
from players.evaluation.evaluator import evaluate_all
from players.evaluation.neural import ONE, NetworkFile, network_in, network_size
from players.evaluation.sample import positions_of

pytestmark = pytest.mark.full

ENGLISH = VARIANTS["english"]
SMALL = """
name: small
variant: english
seed: 3
openings: {random_plies: 6, balanced: false}
max_plies: 60
player: {preset: full, evaluation: simple, tt: 0, nodes: 30}
positions: {games: 40, random_moves: 0.1}
fit: {epochs: 4, batch: 64}
check: 2
"""


def written(tmp_path: Path, text: str = SMALL) -> Path:
    file = tmp_path / "small.yaml"
    file.write_text(text)
    return file


def trained(config: Path, folder: Path, stop_after: int | None = None) -> tuple[list[Any], bool]:
    """Train until so many events were seen, or to the end; the events, and whether it is done."""
    plan = prepare(load_training(config))
    events: list[Any] = []
    with GameStore(folder, "training", plan.description) as store:
        steps = train(plan, store, 1)
        while stop_after is None or len(events) < stop_after:
            try:
                events.append(next(steps))
            except StopIteration as end:
                return events, end.value is not None
        steps.close()
    return events, False


def done(config: Path, folder: Path, stop_after: int | None = None) -> bool:
    """Whether a training is done after so many events."""
    return trained(config, folder, stop_after)[1]


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
    fit = Fit(variant.constants, FitSection(epochs=3, batch=64, rate=0.01, width=width), 1)
    learned = views(variant, data)
    for _ in range(3):
        fit.descend(learned, learned)
    network = NetworkFile(fit.network.whole_numbers(), 1 / ONE**2)
    assert network.network.shape == (network_size(variant.rules, width),)
    boards = views(variant, data).boards
    inputs, phases = inputs_of(variant.constants, boards), phases_of(variant.constants, boards)
    with torch.no_grad():
        logits = fit.network(torch.from_numpy(inputs), torch.from_numpy(phases)).numpy()
    address = build_evaluation("neural", variant).address
    found = evaluate_all(variant.constants, address, network.runnable(variant.rules), data.positions)
    assert np.abs(logits).max() > 0.3
    assert np.abs(found - logits).max() < 0.03


def test_weights_are_held_within_what_whole_numbers_can_be():
    fit = Fit(ENGLISH.constants, FitSection(epochs=1, batch=64, rate=50.0), 1)
    learned = views(ENGLISH, sampled("english"))
    fit.descend(learned, learned)
    assert np.abs(fit.network.whole_numbers()).max() == 8 * ONE
    assert float(fit.network.rows.detach().abs().max()) == 2.5


def test_a_unit_makes_a_man_of_the_start_worth_a_hundred():
    fit = Fit(ENGLISH.constants, FitSection(epochs=30, batch=64, rate=0.01), 1)
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
    found = evaluate_all(ENGLISH.constants, build_evaluation("neural", ENGLISH).address, memory, less)
    assert np.mean(found[1:] - found[0]) == pytest.approx(100)


def test_a_position_and_its_mirror_image_are_one_view():
    positions = positions_of(ENGLISH)[:50]
    from arena.rules.endgame.index import turned

    both = np.array([*positions, *(turned(ENGLISH.rules, one) for one in positions)], np.int64)
    targets = np.concatenate([np.full(50, 0.75), np.full(50, 0.25)])
    found = views(ENGLISH, Samples(both, targets, np.ones(100, np.int64)))
    assert len(found.rows) == len(found.targets) == len({*positions})
    assert set(np.round(found.targets, 6)) == {0.75, 0.25}


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


def test_a_training_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path):
    """Stopped in its games, in the fit after an epoch, and before the match."""
    config = written(tmp_path)
    assert done(config, tmp_path / "whole")
    assert not done(config, tmp_path / "pieces", stop_after=15)
    assert not done(config, tmp_path / "pieces", stop_after=25 + 1 + 2)
    assert len(torch.load(tmp_path / "pieces" / CHECKPOINT, weights_only=True)["epochs"]) == 2
    again, _ = trained(config, tmp_path / "pieces", stop_after=1 + 2)
    assert [again[0].epoch, again[1].number, again[2].number] == [2, 3, 4]
    assert done(config, tmp_path / "pieces")
    whole, pieces = ((tmp_path / name / NETWORK).read_bytes() for name in ("whole", "pieces"))
    assert whole == pieces


def test_a_damaged_checkpoint_is_learned_again(tmp_path: Path):
    config, folder = written(tmp_path), tmp_path / "run"
    assert done(config, folder)
    before = (folder / NETWORK).read_bytes()
    (folder / CHECKPOINT).write_bytes((folder / CHECKPOINT).read_bytes()[:5000])
    assert done(config, folder)
    assert (folder / NETWORK).read_bytes() == before


def test_the_number_of_workers_changes_nothing(tmp_path: Path):
    config = written(tmp_path)
    for workers in (1, 2):
        plan = prepare(load_training(config))
        with GameStore(tmp_path / str(workers), "training", plan.description) as store:
            for _ in train(plan, store, workers):
                pass
    one, two = ((tmp_path / name / NETWORK).read_bytes() for name in ("1", "2"))
    assert one == two


def test_the_command_leaves_a_network_that_plays_and_a_report(tmp_path: Path):
    out = tmp_path / "out"
    result = CliRunner().invoke(main, ["train", str(written(tmp_path)), "--out", str(out), "--workers", "1"])
    assert result.exit_code == 0, result.output
    outcome, told, *_ = result.stdout.splitlines()
    assert outcome.startswith("The network ") and "against material" not in result.stdout
    assert told.startswith("No better than a coin") and "about 120 games more" in told
    assert (out / "summary.md").read_text().startswith(f"{outcome}\n{told}\n\n")
    assert {"network.npz", "losses.csv", "losses.png", "summary.md"} <= {it.name for it in out.iterdir()}
    assert "nan" not in (out / "summary.md").read_text()
    assert len((out / "losses.csv").read_text().splitlines()) == 5
    assert build_evaluation(str(out / NETWORK), ENGLISH).weights.size


def test_positions_are_held_out_by_game(tmp_path: Path):
    config = written(tmp_path)
    plan = prepare(load_training(config))
    with GameStore(tmp_path / "run", "training", plan.description) as store:
        for event in train(plan, store, 1):
            if not isinstance(event, StageProgress):
                break
        data = joined(gathered(plan, store, 1, []))
        games = store.games("games")
    of_game = np.repeat([game.game for game in games], [len(game.scored()) for game in games])
    assert data.held_out.tolist() == (of_game % 20 == 0).tolist()
    assert 0 < data.held_out.sum() < len(of_game)


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
    result = CliRunner().invoke(
        main, ["run", str(folder / "run.yaml"), "--out", str(folder / "out"), "--workers", "1"]
    )
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
    with pytest.raises(LearningError, match="was played under other rules than those of russian"):
        games_of_run(run_folder, VARIANTS["russian"])


def test_a_network_is_trained_from_a_run_and_a_pdn(tmp_path: Path, run_folder: Path):
    pdn = tmp_path / "games.pdn"
    pdn.write_text('[GameType "21"]\n[Result "1-0"]\n1. 11-15 23-19 2. 8-11 22-17 1-0\n' * 40)
    text = SMALL.replace("{games: 40, random_moves: 0.1}", f"{{games: 0, runs: [{run_folder}], pdn: [games.pdn]}}")
    plan = prepare(load_training(written(tmp_path, text)))
    with GameStore(tmp_path / "out", "training", plan.description) as store:
        data = joined(gathered(plan, store, 1, []))
        for _ in train(plan, store, 1):
            pass
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


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("nodes: 30", "seconds: 0.1"), "'seconds' would make a training depend on the machine"),
        (("games: 40", "games: 0"), "there are no positions to learn: give games, runs or pdn"),
        (("games: 40", "games: 40, pdn: [none.pdn]"), "there is no file none.pdn"),
        (("games: 40", "games: 40, runs: [none]"), "there is no run none"),
        (
            ("games: 40", "games: 40, earlier: [40, 10]"),
            "an entry of 'earlier' must be greater than or equal to 20",
        ),
        (("games: 40", "games: 0, earlier: [40], runs: [.]"), "the last round has no games: give games"),
        (("epochs: 4", "epochs: 4, width: 100"), "'width' must be 64, 128 or 256, not the whole number 100"),
        (("games: 40", "gmaes: 40"), "unknown key 'gmaes'; did you mean 'games'"),
        (("evaluation: simple", "evaluation: simpel"), "unknown evaluation 'simpel'; did you mean 'simple'"),
        (("check: 2", "check: 2\nagainst: simpel"), "unknown evaluation 'simpel'; did you mean 'simple'"),
        (("check: 2", "check: 2\nagainst: {linear: {kng: 1}}"), "unknown feature 'kng'"),
    ],
)
def test_what_is_wrong_in_a_configuration_gets_one_line(tmp_path: Path, change: tuple[str, str], message: str):
    file = written(tmp_path, SMALL.replace(*change))
    result = CliRunner().invoke(main, ["train", str(file), "--out", str(tmp_path / "out")])
    assert result.exit_code == 2
    assert message in result.stderr and "Traceback" not in result.stderr
    assert len([line for line in result.stderr.splitlines() if "small.yaml" in line]) == 1
    assert not (tmp_path / "out").exists()


ROUNDS = SMALL.replace("games: 40", "earlier: [40, 20], games: 60").replace("epochs: 4", "epochs: 2, width: 128")


def test_each_round_is_played_by_the_network_of_the_one_before_and_the_last_one_is_learned(tmp_path: Path):
    config, folder = written(tmp_path, ROUNDS), tmp_path / "run"
    events, is_done = trained(config, folder)
    assert is_done
    stages = [event.stage for event in events if isinstance(event, StageProgress)]
    assert [(stage, stages.count(stage)) for stage in dict.fromkeys(stages)] == [
        ("games", 40),
        ("games 2", 20),
        ("games 3", 60),
        ("against", 4),
    ]
    plan = prepare(load_training(config))
    wanted = {}
    with GameStore(folder, "training", plan.description) as store:
        for number in (1, 2, 3):
            wanted[number] = {game.game: game.positions for game in store.games(stage_of(number))}
    evaluations = {2: folder / "network-1.npz", 3: folder / "network-2.npz"}
    for number, file in evaluations.items():
        spec = plan.terms.player("player", evaluation=str(file))
        job = plan.terms.job(stage_of(number), 7, spec, spec, 7)._replace(random_moves=0.1)
        again = play_scored(job)
        assert isinstance(again, Played) and again.positions == wanted[number][7]
    widths = []
    for file in (*evaluations.values(), folder / NETWORK):
        with np.load(file) as arrays:
            widths.append(network_in(arrays).width(ENGLISH.rules))
    assert widths == [64, 64, 128]
    assert evaluations[2].read_bytes() != evaluations[3].read_bytes()


def test_a_training_of_rounds_that_was_stopped_ends_with_the_same_bytes(tmp_path: Path):
    """Stopped in the fit of the first round, in the games of the second, and in the fit of the last."""
    config = written(tmp_path, ROUNDS)
    assert done(config, tmp_path / "whole")
    for events in (40 + 1 + 1, 1 + 1 + 5, 15 + 1 + 2 + 60 + 1 + 1):
        assert not done(config, tmp_path / "pieces", stop_after=events)
    assert done(config, tmp_path / "pieces")
    whole, pieces = ((tmp_path / name / NETWORK).read_bytes() for name in ("whole", "pieces"))
    assert whole == pieces


def test_the_report_of_rounds_names_them(tmp_path: Path):
    out = tmp_path / "out"
    config = written(tmp_path, ROUNDS)
    result = CliRunner().invoke(main, ["train", str(config), "--out", str(out), "--workers", "1"])
    assert result.exit_code == 0, result.output
    text = (out / "summary.md").read_text()
    assert "quiet positions of 60 games of the player with itself, after rounds of 40 and 20" in text


def test_too_few_games_are_told(tmp_path: Path):
    result = CliRunner().invoke(
        main,
        ["train", str(written(tmp_path, SMALL.replace("games: 40", "games: 3"))), "--out", str(tmp_path / "out")],
    )
    assert result.exit_code == 2
    assert "play more games" in result.stderr.splitlines()[-1]
