"""Probes: their positions and searches, the ledger, and the table, sentences and chart made of them."""

from __future__ import annotations

import math
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from arena.report.ablation import ablation, elo_difference, findings, times, verdict
from scipy import stats

import arena
from arena.experiment.load import load
from arena.openings.balance import is_even
from arena.play.executor import WorkerDied
from arena.play.plan import Plan, prepare
from arena.play.probe import PLIES, ProbeError, measure, positions
from arena.play.tournament import measure as measure_all
from arena.play.tournament import probe_tasks
from arena.player import EFFORT, Limit, PlayerSpec
from arena.ratings.joint import rate
from arena.record import PROBE_COLUMNS, SEARCH_COLUMNS, ProbeTask
from arena.report import page, plots
from arena.report.run import Run
from arena.report.write import write
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.variants import VARIANTS
from arena.store.ledger import Ledger
from arena.store.read import read
from arena.yaml.errors import ConfigError
from players.negamax.player import Negamax
from tests.report_data import frames, player

ROOT = Path(__file__).parents[1]
ENGLISH = VARIANTS["english"]
MISSING_WORD = re.compile(r"(?<![A-Za-z])(nan|inf|none|null|<na>)(?![A-Za-z])", re.IGNORECASE)

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
import random

from arena import Choice


class Needy:
    """Needs a limit of nodes."""

    def __init__(self, variant):
        pass

    def check_limit(self, limit):
        if limit.nodes is None:
            raise ValueError("it needs the limit 'nodes'")

    def choose(self, game, limit, rng):
        return Choice(game.legal_moves[0])


class Dies(Needy):
    def check_limit(self, limit):
        pass

    def choose(self, game, limit, rng):
        os._exit(1)


class Raises(Needy):
    def check_limit(self, limit):
        pass

    def choose(self, game, limit, rng):
        raise ValueError("no  idea\\nat all")
'''


def plan_of(folder: Path, text: str = CONFIG) -> Plan:
    (folder / "own.py").write_text(PLAYERS)
    path = folder / "config.yaml"
    path.write_text(text)
    return prepare(load(path))


def measured(plan: Plan, folder: Path, workers: int = 1) -> pd.DataFrame:
    ledger = Ledger(folder, plan.experiment, plan.facts)
    try:
        for _ in measure_all(plan, ledger, workers):
            pass
    finally:
        ledger.close()
    return read(folder).probes


def task(name: str, type: str, depth: int = 5, limit: Limit = Limit(), **options: Any) -> ProbeTask:  # noqa: B008
    spec = PlayerSpec(name, type, limit, options)
    return ProbeTask(spec, 1, ENGLISH, positions(ENGLISH, 1, 10, seed=1)[0], depth, seed=1)


def probes(**nodes: list[int]) -> pd.DataFrame:
    """The searches of players that entered these nodes, a microsecond each, on positions 1, 2, ...

    To depth 6; below 10 nodes to depth 1, and 0 is a failure.
    """
    rows = [
        (
            name,
            position,
            "",
            6 if count >= 10 else min(count, 1),
            count,
            count * 1.0e-6,
            "" if count else "ValueError: no idea",
        )
        for name, counts in nodes.items()
        for position, count in enumerate(counts, start=1)
    ]
    return pd.DataFrame(rows, columns=["player", "position", "fen", "depth", "nodes", "seconds", "error"])


def synthetic(folder: Path, players: list[dict[str, Any]], table: pd.DataFrame, pairs: int = 3) -> Run:
    config, games, moves = frames(players, pairs, plies=6)
    return Run(folder, config | {"probe": {"depth": 6, "positions": 3}}, games, moves, table)


FOUR = [
    player("full", 3),
    player("no_tt", 3, tt=0),
    player("weak", 1, evaluation="simple"),
    player("lost", type="random"),
]
COUNTS = {"full": [100, 200, 400], "no_tt": [300, 500, 1400], "weak": [50, 0, 300], "lost": [5, 7, 9]}


# positions


@pytest.mark.parametrize("name", ["english", "international", "thai"])
def test_positions_are_distinct_even_and_leave_a_choice(name: str) -> None:
    variant = VARIANTS[name]
    found = positions(variant, 8, None, seed=1)
    assert len(set(found)) == 8
    for position in found:
        game = Game(variant, position)
        assert game.outcome is None and len(game.legal_moves) >= 2 and is_even(variant, position)


def test_positions_are_the_same_for_the_same_seed_only() -> None:
    assert positions(ENGLISH, 6, None, seed=1) == positions(ENGLISH, 6, None, seed=1)
    assert not set(positions(ENGLISH, 6, None, seed=1)) & set(positions(ENGLISH, 6, None, seed=2))


def test_positions_go_from_the_opening_to_endings_unless_their_plies_are_given() -> None:
    pieces = [(p.white | p.black).bit_count() for p in positions(ENGLISH, 16, None, seed=1)]
    assert min(pieces[:3]) >= 24 - PLIES[0] and max(pieces[-3:]) <= 14
    turns = {position.turn for position in positions(ENGLISH, 16, None, seed=1)}
    assert turns == {0, 1}
    assert {position.turn for position in positions(ENGLISH, 6, 9, seed=1)} == {1 - ENGLISH.start.turn}


def test_too_many_positions_are_refused_at_their_key(tmp_path: Path) -> None:
    with pytest.raises(ProbeError, match="only 7 of 8 balanced positions were found"):
        positions(ENGLISH, 8, 1, seed=1)
    with pytest.raises(ConfigError, match=r"config.yaml:6:19: only 7 of 9 balanced positions"):
        plan_of(tmp_path, CONFIG.replace("positions: 5", "positions: 9, plies: 1"))


# one search


def test_a_search_is_that_of_a_fresh_player_to_the_depth_of_the_probe_alone() -> None:
    given = task("x", "negamax", depth=5, limit=Limit(depth=2, nodes=1), evaluation="cis300")
    record = measure(given)
    choice = Negamax(ENGLISH, "cis300").choose(Game(ENGLISH, given.position), Limit(5), random.Random(0))
    found = dict(zip(PROBE_COLUMNS, record.row, strict=True))
    assert found["depth"] == 5 and found["score"] == choice.score
    assert {name: found[name] for name in EFFORT} == choice.effort
    assert record.fen == fen(ENGLISH, given.position) and record.error == "" and found["seconds"] > 0


def test_a_player_that_cannot_search_to_a_depth_alone_is_told_with_its_reason(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(PLAYERS)
    needy = measure(task("x", f"{tmp_path}/own.py:Needy", limit=Limit(nodes=10)))
    assert needy.error == "PlayerError: it needs the limit 'nodes'"
    np.testing.assert_equal(needy.search, [math.nan if name == "score" else 0 for name, _ in SEARCH_COLUMNS])
    assert measure(task("x", f"{tmp_path}/own.py:Raises")).error == "ValueError: no idea at all"


# a run


def test_every_player_searches_every_position_once_with_any_number_of_workers(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    one, two = (measured(plan, tmp_path / str(workers), workers) for workers in (1, 2))
    assert len(one) == plan.searches == 20
    order = ["player", "position"]
    one, two = (t.sort_values(order, ignore_index=True).drop(columns="seconds") for t in (one, two))
    pd.testing.assert_frame_equal(one, two)
    assert one.groupby("position")["fen"].nunique().eq(1).all() and one["fen"].nunique() == 5
    by_player = {name: rows.reset_index() for name, rows in one.groupby("player")}
    assert (by_player["alpha-beta"]["nodes"] < by_player["minimax"]["nodes"]).all()
    assert (by_player["alpha-beta"]["score"] == by_player["minimax"]["score"]).all()
    assert (by_player["alpha-beta"]["depth"] == 4).all() and (by_player["greedy"]["depth"] == 1).all()
    assert by_player["needy"]["error"].str.contains("needs the limit 'nodes'").all()


def test_a_stopped_probe_goes_on_and_searches_nothing_twice(tmp_path: Path) -> None:
    plan = plan_of(tmp_path)
    seen: list[tuple[str, int]] = []
    for limit in (3, 9, 100):
        ledger = Ledger(tmp_path / "out", plan.experiment, plan.facts)
        for record in measure_all(plan, ledger, 1, lambda limit=limit: len(seen) >= limit):  # type: ignore[misc]
            seen.append((record.player, record.position))
            stored = read(tmp_path / "out").probes
            assert len(stored) == len(seen), "a search is stored before it is handed on"
        assert ledger.probed() == set(seen)
        ledger.close()
        assert len(seen) == min(limit, 20)
    assert len(set(seen)) == 20


def test_each_position_is_searched_by_all_and_another_player_is_first_each_time(tmp_path: Path) -> None:
    tasks = list(probe_tasks(plan_of(tmp_path), set()))
    assert [task.number for task in tasks] == sorted(4 * [1, 2, 3, 4, 5])
    assert len({task.player.name for task in tasks[::4]}) == 4


def test_a_search_that_ends_its_process_is_named(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, CONFIG.replace("Needy", "Dies"))
    with pytest.raises(WorkerDied, match=r"the search of position [1-5] by needy"):
        measured(plan, tmp_path / "out", workers=2)


def test_a_run_without_a_probe_has_nothing_of_it(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, CONFIG.replace("probe: {depth: 4, positions: 5}\n", ""))
    assert plan.searches == 0 and not list(probe_tasks(plan, set()))
    assert not len(measured(plan, tmp_path / "out"))
    run = arena.load(tmp_path / "out")
    write(run)
    written = {path.name for path in (tmp_path / "out").iterdir()}
    assert not written & {"ablation.csv", "probes.csv", "ablation.png"}
    assert "depth 4" not in (tmp_path / "out" / "report.html").read_text()


def test_a_ledger_of_a_version_without_probes_is_read(tmp_path: Path) -> None:
    import sqlite3

    plan = plan_of(tmp_path)
    measured(plan, tmp_path / "out")
    with sqlite3.connect(tmp_path / "out" / "ledger.sqlite") as connection:
        connection.execute("DROP TABLE probes")
    assert arena.load(tmp_path / "out").probes.empty


# the table


def test_ratios_are_geometric_means_over_positions_with_students_interval(tmp_path: Path) -> None:
    table: Any = synthetic(tmp_path, FOUR, probes(**COUNTS)).ablation.set_index("player")
    logs = np.log([3, 2.5, 3.5])
    low, high = stats.ttest_1samp(logs, 0).confidence_interval(0.95)
    for cost in ("node_ratio", "time_ratio"):
        shown = table.loc["no_tt", [cost, f"{cost}_low", f"{cost}_high"]].to_numpy(dtype=float)
        np.testing.assert_allclose(shown, np.exp([logs.mean(), low, high]))
    assert table.loc["full", "nodes"] == pytest.approx(200)
    assert table.loc["full", "seconds"] == pytest.approx(200e-6)
    assert table.loc["full", "branching_factor"] == pytest.approx(200 ** (1 / 6))


def test_ratios_are_over_the_positions_that_both_searched_to_the_depth(tmp_path: Path) -> None:
    table: Any = synthetic(tmp_path, FOUR, probes(**COUNTS)).ablation.set_index("player")
    assert table["positions"].tolist() == [3, 3, 2, 0]
    assert table.loc["weak", "node_ratio"] == pytest.approx(math.sqrt(50 / 100 * 300 / 400))
    assert table.loc["weak", "nodes"] == pytest.approx(math.sqrt(50 * 300))
    measured = ["nodes", "seconds", "branching_factor", "node_ratio", "node_ratio_low", "time_ratio"]
    assert table.loc["lost", measured].isna().all()
    assert np.isfinite(table.loc["lost", "elo_difference"])
    one: Any = synthetic(tmp_path, FOUR, probes(full=[100, 100], no_tt=[300, 0])).ablation.set_index("player")
    assert one.loc["no_tt", "node_ratio"] == pytest.approx(3) and np.isnan(one.loc["no_tt", "node_ratio_low"])


def test_elo_differences_are_those_of_a_rating_anchored_at_the_reference() -> None:
    _, games, _ = frames(FOUR, 4, plies=6)
    names = [str(entry["name"]) for entry in FOUR]
    free, anchored = (rate(games, names, first="black", anchor=anchor) for anchor in (None, "full"))
    expected: Any = anchored.table.set_index("player")
    for name in names[1:]:
        shown = elo_difference(free, name, "full")
        np.testing.assert_allclose(
            shown, expected.loc[name, ["elo", "elo_low", "elo_high"]].astype(float), atol=1e-3
        )
    assert elo_difference(free, "full", "full")[0] == 0


def test_the_reference_is_the_anchor_or_the_first_player_and_comes_first(tmp_path: Path) -> None:
    run = synthetic(tmp_path, FOUR, probes(**COUNTS))
    assert run.ablation["player"].tolist() == ["full", "no_tt", "weak", "lost"]
    table = ablation(run.probes, run.ratings, run.config | {"anchor": "no_tt"})
    assert table["player"].tolist() == ["no_tt", "full", "weak", "lost"]
    assert table["node_ratio"][1] == pytest.approx(1 / run.ablation["node_ratio"][1])
    assert table["elo_difference"][1] == pytest.approx(-run.ablation["elo_difference"][1])


def test_elo_differences_of_players_without_games_between_them_are_missing(tmp_path: Path) -> None:
    table = synthetic(tmp_path, FOUR, probes(**COUNTS), pairs=0).ablation
    assert table["elo_difference"].isna().all() and table["node_ratio"].notna().sum() == 3


# the sentences


def row(**changes: tuple[float, float, float]) -> pd.DataFrame:
    """A table of one player `x`: estimates with their intervals."""
    known = {"node_ratio": (3.1, 2.8, 3.4), "time_ratio": (2, 1.5, 2.5), "elo_difference": (-120, -145, -95)}
    cells: dict[str, Any] = {"player": "x", "depth": 9}
    for name, estimate in (known | changes).items():
        cells |= {f"{name}{end}": value for end, value in zip(("", "_low", "_high"), estimate, strict=True)}
    return pd.DataFrame([cells])


UNKNOWN = (math.nan, math.nan, math.nan)
FULL = {"name": "full", "type": "negamax", "preset": "full", "seconds": 0.05}


@pytest.mark.parametrize(
    ("changes", "options", "sentence"),
    [
        (
            {},
            {"tt": 0},
            "Without tt the search enters 3.10 (2.80 to 3.40) times the nodes to depth 9, takes 2.00 (1.50 to "
            "2.50) times as long and is 120 ± 25 Elo weaker at equal time.",
        ),
        (
            {"node_ratio": (1, 1, 1), "time_ratio": UNKNOWN, "elo_difference": (3, -22, 28)},
            {"mtdf": True},
            "With mtdf the search enters exactly as many nodes to depth 9 and is not measurably stronger or "
            "weaker (+3 ± 25 Elo) at equal time.",
        ),
        (
            {"node_ratio": UNKNOWN, "time_ratio": UNKNOWN},
            {"quiescence": "none"},
            "Without quiescence the search is 120 ± 25 Elo weaker at equal time.",
        ),
        (
            {"node_ratio": UNKNOWN, "time_ratio": UNKNOWN},
            {"preset": "pvs"},
            "x is 120 ± 25 Elo weaker at equal time.",
        ),
        (
            {"node_ratio": UNKNOWN, "time_ratio": UNKNOWN, "elo_difference": (60, 40, 80)},
            {"tt": 0, "pvs": False, "seconds": 0.1},
            "x is 60 ± 20 Elo stronger in the games.",
        ),
        (
            {"node_ratio": (0.5, math.nan, math.nan), "elo_difference": UNKNOWN},
            {"tt": 0, "pvs": False},
            "x enters 0.50 times the nodes to depth 9 and takes 2.00 (1.50 to 2.50) times as long.",
        ),
    ],
)
def test_findings_say_what_is_known_in_words(
    changes: dict[str, Any], options: dict[str, Any], sentence: str
) -> None:
    config = {"players": [FULL, FULL | {"name": "x"} | options]}
    assert findings(row(**changes), config) == [sentence]


def test_a_player_of_which_nothing_is_known_has_no_sentence() -> None:
    config = {"players": [FULL, FULL | {"name": "x"}]}
    assert findings(row(node_ratio=UNKNOWN, time_ratio=UNKNOWN, elo_difference=UNKNOWN), config) == []


@pytest.mark.parametrize(
    ("ratio", "text"),
    [(3.104, "3.10"), (0.996, "1.00"), (10.15, "10.2"), (1234.4, "1,234"), (0.0123, "0.012"), (math.nan, "")],
)
def test_ratios_have_about_three_digits(ratio: float, text: str) -> None:
    assert times(ratio) == text


# the report


@pytest.mark.parametrize("pairs", [0, 3])
@pytest.mark.parametrize(
    "counts",
    [
        COUNTS,
        {"full": [0, 0], "no_tt": [0, 0]},
        {"full": [100], "no_tt": [100]},
        {"full": [90, 90], "no_tt": [90, 90]},
    ],
    ids=["usual", "nobody reached the depth", "one position", "equal"],
)
def test_no_file_shows_a_missing_number(tmp_path: Path, pairs: int, counts: dict[str, list[int]]) -> None:
    run = synthetic(tmp_path, FOUR, probes(**counts), pairs)
    write(run)
    for name in ("ablation.csv", "probes.csv", "summary.md"):
        assert not MISSING_WORD.search((tmp_path / name).read_text(encoding="utf-8")), name
    text = re.sub(r"<(style|svg|pre).*?</\1>", "", (tmp_path / "report.html").read_text(), flags=re.DOTALL)
    assert not MISSING_WORD.search(re.sub(r"<[^>]*>", " ", text))
    linked = set(re.findall(r'href="([^"#]+)"', text))
    assert (
        {"ablation.csv", "probes.csv", "ablation.png"}
        <= linked
        == {p.name for p in tmp_path.iterdir()} - {"report.html"}
    )


def test_the_verdict_names_those_whose_elo_differs_the_largest_loss_first() -> None:
    estimates = {
        "full": (0.0, math.nan, math.nan),
        "a": (-20, -50, 10),
        "b": (-40, -69, -11),
        "c": (-92, -121, -63),
    }
    table = pd.concat([row(elo_difference=value).assign(player=name) for name, value in estimates.items()])
    config = {"players": [FULL, *({**FULL, "name": name} for name in "abc")]}
    assert verdict(table, config) == (
        "Elo against full: c −92 ± 29, b −40 ± 29; no measurable difference for 1 more."
    )
    assert verdict(table.head(2), config) == "Nobody differs measurably from full in Elo."
    assert verdict(table.head(1), config) == ""


def test_the_page_and_the_summary_say_the_findings_and_who_was_not_measured(tmp_path: Path) -> None:
    run = synthetic(tmp_path, FOUR, probes(**COUNTS))
    write(run)
    html, summary = ((tmp_path / name).read_text() for name in ("report.html", "summary.md"))
    said = findings(run.ablation, run.config)
    assert len(said) == 3 and any(text.startswith("Without tt the search enters 2.97 (") for text in said)
    for text in [*said, "Compared with full, on 3 positions"]:
        assert text in html and page._escaped(text) in summary
    assert html.index(said[0]) < html.index("<h2>Standings</h2>")
    notes = page.notes(run)
    assert "weak searched 2 of 3 positions to depth 6 (ValueError: no idea)." in notes
    assert "lost searched 0 of 3 positions to depth 6." in notes
    assert not [note for note in notes if note.startswith(("full", "no_tt"))]
    cells: Any = page.ablation_text(run.ablation).set_index("Player")
    assert cells.loc["full", "Nodes ratio (95 %)"] == "1.00"
    assert re.fullmatch(r"2\.97 \(1\.96 to 4\.52\)", cells.loc["no_tt", "Nodes ratio (95 %)"])
    assert cells.loc["lost"].tolist()[:-1] == 6 * [""]


@pytest.mark.parametrize("count", [2, 15, 30])
def test_the_chart_has_a_row_for_each_player_and_cuts_no_text_off(tmp_path: Path, count: int) -> None:
    players = [player(f"player-{i:02d} of the forty-character kind abc"[:40], 3, e=i) for i in range(count)]
    counts = {p["name"]: [100 * (i + 1), 150 * (i + 1), 90 * 3 ** (i % 5)] for i, p in enumerate(players)}
    ax = plots.draw(synthetic(tmp_path, players, probes(**counts), pairs=1))["ablation"]
    figure: Any = ax.figure
    figure.draw_without_rendering()
    shown = figure.get_tightbbox()
    assert shown.x0 >= -0.02 and shown.y0 >= -0.02
    assert shown.x1 <= figure.get_figwidth() + 0.02 and shown.y1 <= figure.get_figheight() + 0.02
    assert len(figure.axes) == 3 and len(ax.get_yticklabels()) == count
    for panel in figure.axes:
        assert panel.get_window_extent().width > 0.12 * figure.bbox.width
        assert len(panel.texts) == count


def test_the_chart_places_ratios_on_log_axes_and_leaves_out_what_is_missing(tmp_path: Path) -> None:
    run = synthetic(tmp_path, FOUR, probes(**COUNTS))
    figure: Any = plots.plot_ablation(run.ablation).figure
    assert [ax.get_xscale() for ax in figure.axes] == ["log", "log", "linear"]
    for ax, column in zip(figure.axes, ("node_ratio", "time_ratio", "elo_difference"), strict=True):
        dots = ax.lines[-1]
        known = run.ablation[column].dropna()
        np.testing.assert_allclose(dots.get_xdata(), known)
        assert dots.get_ydata().tolist() == known.index.tolist()
        texts = [text.get_text() for text in ax.texts] + [tick.get_text() for tick in ax.get_xticklabels()]
        assert not [text for text in texts if MISSING_WORD.search(text)]


# the configuration that comes with the arena


def test_the_ablation_configuration_compares_different_searches_at_equal_time() -> None:
    experiment = load(ROOT / "configs" / "ablation.yaml")
    assert experiment.probe is not None and experiment.anchor == "full"
    full, *others = experiment.players
    assert full.name == "full" and len(others) >= 12
    assert full.limit == Limit(seconds=full.limit.seconds)
    assert {(spec.type, spec.limit, spec.options.get("evaluation")) for spec in others} == {
        (full.type, full.limit, full.options.get("evaluation"))
    }
    switches = [sorted(spec.options.items()) for spec in experiment.players]
    assert all(switches.count(options) == 1 for options in switches)
