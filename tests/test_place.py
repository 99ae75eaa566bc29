"""Tests of placing a newcomer in a pool: pools that ship, the schedule, the command, what its report says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

import arena
from arena.commands import place
from arena.experiment.formats.base import LEAST_ROUNDS, BatchResults, Pairing
from arena.experiment.formats.information import placing, pool_games, rated, rated_pool
from arena.experiment.load import load, player_specs
from arena.experiment.pools import FOLDER, Pool, names_of_pools, pool_named
from arena.experiment.yaml.errors import ConfigError
from arena.play.match import play
from arena.play.plan import prepare
from arena.ratings.joint import rate
from arena.ratings.match import ELO_PER_LOGIT
from arena.rules.result import WHITE_POINTS
from arena.watch.elo import EloScale, estimates
from tests.helpers.command_line import error_line, invoke, one_line
from tests.helpers.tournaments import assert_same, run

NAMES = ("a", "b", "c", "d", "e", "f")
STRENGTHS = dict(zip((*NAMES, "newcomer"), (-400.0, -250, -100, 0, 150, 300, 60), strict=True))
OPENINGS = 60
MEMBERS = ("level 1", "material pvs d2", "strong pvs d3", "neural pvs d3", "strong pvs d5")
"""Players of english-2026 that are placed among the others."""


def chance(one: str, other: str, number: int) -> float:
    """Points of the first in a game, the same for the same number; 40 % of equals' games are drawn."""
    score = 1 / (1 + np.exp((STRENGTHS[other] - STRENGTHS[one]) / ELO_PER_LOGIT))
    drawn = 0.8 * min(score, 1 - score)
    lot = np.random.default_rng([number, *map(ord, one + other)]).random()
    return 1.0 if lot < score - drawn / 2 else 0.5 if lot < score + drawn / 2 else 0.0


@cache
def small_pool() -> Pool:
    points = {
        one: {
            other: "".join(
                f"{2 * chance(one, other, opening):.0f}{2 - 2 * chance(other, one, opening):.0f}"
                for opening in range(OPENINGS)
            )
            for other in NAMES[number + 1 :]
        }
        for number, one in enumerate(NAMES[:-1])
    }
    settings = {"variant": "english", "openings": {"set": "english-3-move"}, "max_plies": 300, "anchor": "d"}
    return Pool("small-1", settings, tuple({"name": name} for name in NAMES), points)


def of_newcomer(names: list[str]) -> Callable[[Pairing], float]:
    return lambda pairing: chance(names[pairing.white], names[pairing.black], 1000 + pairing.game)


def placed(
    pool: Pool,
    names: list[str],
    points: Callable[[Pairing], float],
    error: float,
    seed: int = 0,
    openings: int = 60,
) -> tuple[list[list[Pairing]], list[float]]:
    """The batches of a schedule, and White's points in all their games."""
    schedule = placing(pool, names, openings, "black", seed, error)
    batches, results = [list(next(schedule))], list[float]()
    while True:
        new = [points(pairing) for pairing in batches[-1]]
        results += new
        try:
            batches.append(list(schedule.send(BatchResults(new))))
        except StopIteration:
            return batches, results


def opponents(batches: list[list[Pairing]], names: list[str]) -> Counter[str]:
    number = names.index("newcomer")
    return Counter(
        names[pairing.black if pairing.white == number else pairing.white]
        for batch in batches
        for pairing in batch
    )


@pytest.mark.parametrize("name", names_of_pools())
def test_a_pool_is_a_configuration_and_its_games_have_no_gap_between_random_and_the_strongest(name: str) -> None:
    pool, experiment = pool_named(name), load(FOLDER / f"{name}.yaml")
    assert pool.names == [player.name for player in experiment.players]
    assert all(
        player.limit.longest is None and "full" not in player.options.values() for player in experiment.players
    )
    assert sum(file.stat().st_size for file in FOLDER.glob(f"{name}.*")) < 110_000
    games = pool_games(pool)
    table = rate(games.assign(opening=None), pool.names, anchor=pool.anchor).table
    assert "random" in set(table["player"].tail(2)) and len(table) >= 12
    assert -np.diff(table["elo"]).min() < {"english-2026": 160}.get(name, 250)


def test_games_of_a_pool_that_are_played_again_end_as_they_did(tmp_path: Path) -> None:
    pool = pool_named("english-2026")
    plan = prepare(load(FOLDER / "english-2026.yaml"))
    known = {(game.white, game.black, game.opening): game.result for game in pool.games()}
    pairs = [
        ("level 1", "simple pvs d2"),
        ("material pvs d2", "strong pvs d3"),
        ("neural pvs d3", "strong pvs d5"),
    ]
    for opening, (white, black) in enumerate([*pairs, *(pair[::-1] for pair in pairs)], start=20):
        pairing = Pairing(1, 1, 1, plan.names.index(white), plan.names.index(black), opening)
        assert play(plan.task(pairing)).result == known[white, black, opening]


def test_games_of_a_pool_are_pairs_from_one_opening_with_colours_swapped() -> None:
    pool = small_pool()
    games = list(pool.games())
    assert len(games) == 15 * 2 * OPENINGS
    for one, other in zip(games[::2], games[1::2], strict=True):
        assert (one.white, one.black, one.pair, one.opening) == (
            other.black,
            other.white,
            other.pair,
            other.opening,
        )
    lone = pool._replace(points={"a": {"b": "..21"}})
    assert [(*game[:3], game.opening) for game in lone.games()] == [("a", "b", "1-0", 1), ("b", "a", "1/2-1/2", 1)]
    left = pool.without("c")
    assert left.names == ["a", "b", "d", "e", "f"] and not any("c" in game[:2] for game in left.games())


def test_a_newcomer_meets_everyone_and_then_those_who_tell_most_until_its_interval_is_narrow() -> None:
    pool, names = small_pool(), ["newcomer", *NAMES]
    batches, results = placed(pool, names, of_newcomer(names), 35)
    met = opponents(batches, names)
    assert opponents(batches[:1], names) == dict.fromkeys(NAMES, 2)
    assert len(batches[0]) + len(batches[1]) == 2 * LEAST_ROUNDS
    assert max(met.values()) <= met.total() / 3
    assert min(met["c"], met["d"], met["e"]) > met["b"] > met["a"]
    known, played = pool_games(pool), [pairing for batch in batches for pairing in batch]
    ratings = rated(names, played, results, "black", "d", openings=True, known=known)
    row = ratings.table.set_index("player").loc["newcomer"]
    assert 25 < (row["elo_high"] - row["elo_low"]) / 2 <= 35
    assert row["elo_low"] < STRENGTHS["newcomer"] < row["elo_high"] and row["games"] == met.total()


@pytest.mark.full
def test_a_newcomer_at_any_place_of_the_configuration_gets_the_same_games() -> None:
    pool, names, last = small_pool(), ["newcomer", *NAMES], [*NAMES, "newcomer"]
    found = [placed(pool, order, of_newcomer(order), 40) for order in (names, last)]
    lines = [
        [(order[it.white], order[it.black], it.opening) for batch in batches for it in batch]
        for order, (batches, _) in zip((names, last), found, strict=True)
    ]
    assert lines[0] == lines[1]


@pytest.mark.full
def test_the_seed_decides_the_openings_and_no_opponent_has_one_twice() -> None:
    pool, names = small_pool(), ["newcomer", *NAMES]
    one, again, other = (placed(pool, names, of_newcomer(names), 40, seed)[0] for seed in (1, 1, 2))
    assert one == again and [it.opening for it in one[0]] != [it.opening for it in other[0]]
    pairs = Counter((frozenset((it.white, it.black)), it.opening) for batch in one for it in batch)
    assert set(pairs.values()) == {2}


@pytest.mark.parametrize("points", [1.0, 0.0])
def test_a_newcomer_that_wins_or_loses_every_game_ends_with_the_first_rating_that_may_end_it(
    points: float,
) -> None:
    names = ["newcomer", *NAMES]
    batches, _ = placed(small_pool(), names, lambda it: points if it.white == 0 else 1 - points, 30)
    assert sum(map(len, batches)) == 2 * LEAST_ROUNDS


def test_a_newcomer_ends_when_all_that_is_left_is_the_uncertainty_of_the_pool() -> None:
    pool, names = small_pool(), ["newcomer", *NAMES]
    vague = pool._replace(
        points={one: {other: digits[:6] for other, digits in of.items()} for one, of in pool.points.items()}
    )
    batches, results = placed(vague, names, of_newcomer(names), 40)
    assert 2 * LEAST_ROUNDS <= len(results) < 2 * 6 * OPENINGS
    played = [pairing for batch in batches for pairing in batch]
    ratings = rated(names, played, results, "black", "d", openings=True, known=pool_games(vague))
    row = ratings.table.set_index("player").loc["newcomer"]
    assert (row["elo_high"] - row["elo_low"]) / 2 > 40


def test_a_newcomer_ends_when_all_openings_are_used_up() -> None:
    names = ["newcomer", *NAMES]
    batches, _ = placed(small_pool(), names, of_newcomer(names), 1, openings=5)
    assert sum(map(len, batches)) == 2 * 6 * 5
    assert next(placing(small_pool(), names, 0, "black", 0, 1), None) is None


def test_elo_so_far_rests_on_the_pool_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.watch.elo.pool_named", lambda name: small_pool())
    results = {("newcomer", "e", "1-0"): 5, ("e", "newcomer", "1-0"): 5}
    found = estimates(results, EloScale("black", "d", pool="small-1"))
    alone = rate(pool_games(small_pool()).assign(opening=None, pair=None), first="black", anchor="d").table
    assert found["e"].elo == pytest.approx(alone.set_index("player")["elo"]["e"], abs=3)
    assert found["newcomer"].elo == pytest.approx(found["e"].elo, abs=3)


# --- configuration and command

CONFIG = """\
name: placed
format: {type: place, pool: english, error: 200}
variant: english
players:
  - {name: newcomer, type: greedy, evaluation: strong}
"""


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (("pool: english", "pool: englisch"), "2:23"),
        (("error: 200", "error: 0"), "2:38"),
        (("variant: english", "variant: russian"), "3:1"),
        (("variant: english", "variant: english\nopenings: {count: 9}"), "4:1"),
        (("variant: english", "variant: english\nanchor: random"), "4:1"),
        (("variant: english", "variant: english\nadjudicate: {tables: 3}"), "4:1"),
        (("variant: english", "variant: english\nrating: {model: davidson}"), "4:10"),
        (("players:", "players:\n  - {name: other, type: random}"), "2:10"),
        (("name: newcomer", "name: level 4"), "5:6"),
        (
            ("{name: newcomer, type: greedy, evaluation: strong}", "{name: level 4, type: cis300, depth: 4}"),
            "2:10",
        ),
    ],
)
def test_what_contradicts_a_pool_is_an_error_at_its_key(
    tmp_path: Path, change: tuple[str, str], place: str
) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG.replace(*change))
    with pytest.raises(ConfigError) as caught:
        load(path)
    assert f"{path}:{place}: " in str(caught.value)
    one_line(caught.value)


def test_a_configuration_gets_the_players_and_the_scale_of_its_pool(tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(CONFIG)
    experiment, pool = load(path), pool_named("english-2026")
    assert [player.name for player in experiment.players] == ["newcomer", *pool.names]
    assert experiment.as_dict()["format"] == {"type": "place", "pool": "english-2026", "error": 200.0}
    assert (experiment.anchor, experiment.openings.set) == (pool.anchor, "english-3-move")
    assert load(experiment.as_dict()).as_dict() == experiment.as_dict()


@pytest.mark.parametrize(
    "arguments",
    [
        ("level 4",),
        ("{type: negamax, evaluation: strong, depth: 3}",),
        ("simple@d2", "--pool", "englisch"),
        ("simpel@d2",),
        ("{name: level 8, type: cis300, depth: 3, depht: 4}",),
    ],
)
def test_the_command_refuses_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    result = invoke("place", *arguments)
    assert result.exit_code == 2
    error_line(result.stderr)
    assert not list(tmp_path.iterdir())


def test_a_name_of_the_pool_becomes_another_one_for_another_player() -> None:
    pool = pool_named("english-2026")
    (spec,) = player_specs(["{name: level 4, type: cis300, depth: 3}"], {})
    assert place._renamed(spec, pool).name == "cis300 d3"


@pytest.mark.full
def test_pools_are_listed_with_the_elo_of_their_players() -> None:
    result = invoke("place", "--pool", "english")
    pool = pool_named("english-2026")
    assert result.exit_code == 0 and all(name in result.stdout for name in pool.names)
    assert "level 4 = 0" in result.stdout.splitlines()[0]


@pytest.mark.full
def test_a_newcomer_is_placed_in_a_run_that_says_where_and_can_be_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    entry = "{name: newcomer, type: negamax, evaluation: simple, depth: 1, preset: minimax}"
    result = invoke("place", entry, "--error", 60, "--seed", 3, "--workers", 2)
    assert result.exit_code == 0, result.stderr
    assert "on the english-2026 scale" in result.stdout and "leads" not in result.stdout + result.stderr
    one_line(next(line for line in result.stdout.splitlines() if "scale" in line))
    folder = Path("reports/newcomer-english-2026")
    assert yaml.safe_load((folder / "place.yaml").read_text())["players"][0]["name"] == "newcomer"
    text = (folder / "place.yaml").read_text()
    found = arena.load(folder)
    assert_same(run(tmp_path, "again", text, stops=(7, 31)), found)
    standings = pd.read_csv(folder / "standings.csv").set_index("player")
    assert standings["games"].sum() == 2 * len(found.games) and standings["elo"]["level 4"] == 0
    status = json.loads(invoke("status", folder, "--json").stdout)
    shown = {row["player"]: row["elo"] for row in status["standings"]}
    assert shown["newcomer"] == pytest.approx(standings["elo"]["newcomer"], abs=0.1)


# --- coverage

Points = Mapping[tuple[str, str, int], float]


@cache
def points_of_pool(name: str) -> Points:
    """White's points in the games of a pool; players that are deterministic play them again and again."""
    games = pool_named(name).games()
    return {(game.white, game.black, game.opening): WHITE_POINTS[game.result] for game in games}


@pytest.mark.full
def test_players_of_the_pool_that_are_left_out_and_placed_have_their_elo_again() -> None:
    """See the table in arena/ratings/README.md, of 20 tries each."""
    pool, held = pool_named("english-2026"), 0
    points, elo = points_of_pool(pool.name), rated_pool(pool, "black").table.set_index("player")["elo"]
    for player in MEMBERS:
        rest = pool.without(player)
        names = [player, *rest.names]

        def score(it: Pairing, names: Sequence[str] = names) -> float:
            return points[names[it.white], names[it.black], it.opening]

        batches, results = placed(rest, names, score, 40, 0, 156)
        played = [pairing for batch in batches for pairing in batch]
        known = pool_games(rest)
        table = rated(names, played, results, "black", rest.anchor, openings=True, known=known).table
        row = table.set_index("player").loc[player]
        held += row["elo_low"] <= elo[player] <= row["elo_high"]
    assert held >= 4
