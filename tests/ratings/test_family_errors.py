"""Simulations of how often a report says of equal players that one is stronger: in 5 of 100 runs at most."""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from arena.ratings import contrasts
from arena.ratings.interval import Z95
from arena.ratings.joint import Family, Ratings, rate
from arena.report.tables.comparisons import doublings, meetings
from players.player import PlayerSpec
from tests.helpers.report_data import player, specs

RUNS = {2: 2000, 4: 2000, 12: 2000, 40: 200}
"""By the number of players; of 2000 the chance is 0.5 %, of 200 it is 1.5 %."""
DRAWS, BIAS = 0.4, 0.7


def played(pairings: list[tuple[str, str]], openings: int, rng: np.random.Generator) -> pd.DataFrame:
    """Games of equal players: each pairing has every opening with both colours, some of which favour a side."""
    favours = np.tile(rng.normal(0.1, BIAS, openings), len(pairings))
    chance = rng.random((2, len(favours)))
    score = expit(favours)
    drawn = 2 * DRAWS * np.minimum(score, 1 - score)
    outcome = (chance > score - drawn / 2).astype(int) + (chance > score + drawn / 2)
    first, second = (np.repeat(np.array(side, object), openings) for side in zip(*pairings, strict=True))
    names = np.array(["white", "draw", "black"], object)
    return pd.DataFrame({
        "white": np.concatenate([first, second]), "black": np.concatenate([second, first]),
        "result": names[outcome.ravel()], "pair": np.tile(np.tile(np.arange(openings), len(pairings)), 2),
    })  # fmt: skip


def sweep(ratings: Ratings, each: Sequence[PlayerSpec]) -> list[Mapping[str, float]]:
    """The contrasts of settings that a sweep may state: of the two values, and what twice the depth is worth."""
    depth = {spec.name: float(spec.limit.depth or 0) for spec in each}
    table = ratings.table.assign(per="depth", x=ratings.table["player"].map(depth))
    lines = doublings(ratings, table.assign(family=table["player"].str[0])) if len(each) > 4 else []
    return [*(meeting.weights for meeting in meetings(each)), *(line.weights for line in lines)]


def states(ratings: Ratings, further: Sequence[Mapping[str, float]]) -> tuple[bool, bool]:
    """Whether a difference is beyond its own interval, and whether one is beyond chance among all."""
    names = list(ratings.names)
    contrasted = [*({a: 1.0, b: -1.0} for a, b in combinations(names, 2)), *further]
    weights = pd.DataFrame(contrasted, columns=names).fillna(0.0).to_numpy()
    elo = ratings.table.set_index("player")["elo"][names].to_numpy()
    spread = ratings.covariance.loc[names, names].to_numpy()
    beyond = np.abs(weights @ elo) / np.sqrt(((weights @ spread) * weights).sum(axis=1))
    family = Family(ratings, further)
    likely = np.flatnonzero(beyond > family.critical)
    return bool((beyond > Z95).any()), any(family.shows(contrasted[place]) for place in likely)


@pytest.mark.slow
@pytest.mark.parametrize("players", RUNS)
@pytest.mark.parametrize("design", ["round robin", "gauntlet"])
def test_of_equal_players_none_is_said_to_be_stronger_in_95_of_100_runs(design, players, monkeypatch):
    """20 openings, 10 of 40 players. A sweep is a round robin with more contrasts, an ablation is a gauntlet."""
    monkeypatch.setattr(contrasts, "MOST_DRAWS", 5000)
    each = specs([player(f"{e} d{d}", d, evaluation=e) for e in "xy" for d in range(1, players // 2 + 1)])
    names = [spec.name for spec in each]
    pairings = [pair for pair in combinations(names, 2) if design == "round robin" or names[0] in pair]
    rng, found = np.random.default_rng(players), []
    for _ in range(RUNS[players]):
        ratings = rate(played(pairings, 10 if players == 40 else 20, rng), names)
        of_sweep = states(ratings, sweep(ratings, each)) if design == "round robin" else ()
        found.append([*states(ratings, []), *of_sweep])
    rates = np.mean(found, axis=0)
    print(f"{design}, {players} players: by each interval, and together (again as a sweep): {rates}")
    assert (rates[1::2] <= 0.06).all()
