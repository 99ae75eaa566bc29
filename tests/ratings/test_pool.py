"""A newcomer among players of given Elo: how sure its Elo is where opponents differ in more than Elo."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from scipy.special import stdtrit

from arena.ratings.interval import ELO_PER_LOGIT, score_from_elo
from arena.ratings.joint import rate
from arena.ratings.misfit import placed
from arena.rules.result import WHITE_POINTS

POOL = {f"o{place}": float(elo) for place, elo in enumerate(np.linspace(-500, 500, 14))}
NAMES = ["new", *POOL]


def gauntlet(
    rng: np.random.Generator,
    elo: float,
    deviation: float,
    opponents: int = 14,
    pairs: int = 20,
    given: dict[str, float] = POOL,
) -> pd.DataFrame:
    """Pairs against each opponent, from which the newcomer scores as if it were off by a normal number of Elo."""
    rows = []
    for name, of in list(given.items())[:opponents]:
        share = score_from_elo(elo - of + rng.normal(0, deviation))
        draws = min(0.4, 2 * share, 2 - 2 * share)
        chances = [share - draws / 2, draws, 1 - share - draws / 2]
        for pair in range(pairs):
            first, second = rng.choice(3, 2, p=np.clip(chances, 0, 1))
            rows.append(("new", name, ("white", "draw", "black")[first], f"{name} {pair}"))
            rows.append((name, "new", ("black", "draw", "white")[second], f"{name} {pair}"))
    return pd.DataFrame(rows, columns=["white", "black", "result", "pair"])


def interval(table: pd.DataFrame) -> tuple[float, float]:
    (row,) = table[table["player"] == "new"].to_dict("records")
    return row["elo_low"], row["elo_high"]


@pytest.mark.slow
@pytest.mark.parametrize(("deviation", "alone_at_most"), [(50.0, 0.9), (0.0, 0.99)])
def test_the_interval_holds_the_truth_where_opponents_differ_in_more_than_elo(
    deviation: float, alone_at_most: float
) -> None:
    rng, held, held_alone, times = np.random.default_rng(1), 0, 0, 300
    for _ in range(times):
        elo = rng.uniform(-200, 200)
        games = gauntlet(rng, elo, deviation)
        low, high = interval(placed(games, NAMES, "white", POOL).table)
        held += low <= elo <= high
        low, high = interval(rate(games, NAMES, anchor=POOL).table)
        held_alone += low <= elo <= high
    assert held / times > 0.9 and held_alone / times < alone_at_most


def test_an_interval_grows_with_what_opponents_differ_by_and_is_no_narrower_than_that_of_the_games() -> None:
    """By hand, of opponents of one Elo: the spread of what each one's games say, over the root of 14."""
    equal = dict.fromkeys(POOL, 0.0)
    for deviation in (0.0, 120.0):
        games = gauntlet(np.random.default_rng(2), 0.0, deviation, given=equal, pairs=200)
        (low, high), alone = (
            interval(placed(games, NAMES, "white", equal).table),
            interval(rate(games, NAMES, anchor=equal).table),
        )
        points = (
            games["result"].map(WHITE_POINTS).where(games["white"] == "new", 1 - games["result"].map(WHITE_POINTS))
        )
        share = points.groupby(games["white"].where(games["white"] != "new", games["black"])).mean()
        by_hand = stdtrit(13, 0.975) * np.log(share / (1 - share)).std() * ELO_PER_LOGIT / math.sqrt(14)
        if deviation:
            assert (high - low) / 2 == pytest.approx(by_hand, rel=0.1) and high - low > 2 * (alone[1] - alone[0])
        else:
            assert (low, high) == pytest.approx(alone) or (high - low) / 2 == pytest.approx(by_hand, rel=0.1)


def test_few_opponents_and_games_among_others_say_nothing_of_the_spread() -> None:
    few, many = (gauntlet(np.random.default_rng(3), 0.0, 150.0, opponents) for opponents in (4, 14))
    among = pd.concat([many, pd.DataFrame([("new", "other", "draw", "x")], columns=many.columns)])
    for games, names in ((few, NAMES), (among, [*NAMES, "other"])):
        alone = rate(games, names, anchor=POOL)
        pd.testing.assert_frame_equal(placed(games, names, "white", POOL).table, alone.table)
