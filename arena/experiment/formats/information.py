"""The rating that decides what a schedule plays next, and by how much a pair of games is expected to narrow it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import expit

from arena.experiment.formats.base import LEAST_ROUNDS, Batch, Numbers, Pairing, Precision, Schedule, Tie
from arena.experiment.pools import Pool
from arena.ratings import RatingModel
from arena.ratings.joint import Ratings, rate, rate_beside
from arena.ratings.match import ELO_PER_LOGIT, Z95
from arena.ratings.types import Floats
from arena.rules.result import Colour, result_of

TRUSTED = 10
"""Pairs of a player below which its interval, a matter of chance itself, does not end the run."""


def rated(
    names: Sequence[str],
    played: Sequence[Pairing],
    points: Sequence[float],
    first: Colour,
    anchor: str | None,
    model: RatingModel = "bradley-terry",
    *,
    openings: bool = False,
    known: pd.DataFrame | None = None,
) -> Ratings:
    """The joint rating of games from White's `points`, by their pairs, and by their `openings` if that is true.

    Games that repeat another move for move, which a report counts once, count as often as they were played.
    `known` are other games: see `arena.ratings.joint.rate_beside`.
    """
    games = pd.DataFrame(
        {
            "white": [names[pairing.white] for pairing in played],
            "black": [names[pairing.black] for pairing in played],
            "result": [result_of(value) for value in points],
            "pair": [pairing.pair for pairing in played],
            "opening": [pairing.opening if openings else None for pairing in played],
        }
    )
    return rate_beside(known, games, names, first=first, anchor=anchor, model=model)


def widest(ratings: Ratings, of: Sequence[str] | None = None) -> float:
    """Half the width in Elo of the widest 95 % interval of these players, or of all.

    To six decimals, so that every machine finds the same.
    """
    table = ratings.table if of is None else ratings.table[ratings.table["player"].isin(of)]
    return round(float((table["elo_high"] - table["elo_low"]).max() / 2), 6)


def score_variance(difference: Floats, draw_rate: float) -> tuple[Floats, Floats]:
    """The variance of a game's score between players of these differences in Elo, without draws and with them.

    Of the expected score's games as many are drawn as that equal players draw `draw_rate`, below 1.
    """
    score = expit(difference / ELO_PER_LOGIT)
    coin = score * (1 - score)
    return coin, coin - draw_rate * np.minimum(score, 1 - score) / 2


def narrowing(
    ties: Sequence[Tie],
    names: Sequence[str],
    openings: int,
    first: Colour,
    anchor: str | None,
    top: int,
    error: float,
    most: int,
) -> Schedule:
    """The pairs `ties`, then pairs that narrow the 95 % intervals of the `top` players to +-`error` Elo.

    A round is one rating and `most` pairs. One by one these are the pairs that are expected to lower the variance
    of the top ratings that are too wide most, between one of these players and any other. The n-th pair of two
    players has opening n. It ends when all intervals are narrow enough, each from TRUSTED pairs at least, or when
    the openings that could help are used up.

    The rating and its intervals are those of the report: with an `anchor`, of the difference to it.
    """
    numbers = Numbers()
    played: list[Pairing] = []
    results: list[float] = []
    used, number = np.zeros((len(names), len(names)), dtype=np.int64), 1
    while ties:
        batch: list[Pairing] = []
        for one, other in ties:
            batch += numbers.pairs([(one, other)], number, [int(used[one, other])])
            used[one, other] += 1
            used[other, one] += 1
        results += (yield batch).points
        played += batch
        ratings = rated(names, played, results, first, anchor)
        ties, number = next_ties(names, ratings, used, openings, top, error, most), number + 1
    return []


def next_ties(
    names: Sequence[str],
    ratings: Ratings,
    used: NDArray[np.int64],
    openings: int,
    top: int,
    error: float,
    most: int,
) -> list[Tie]:
    """Up to `most` ties for the `top` players of a rating: see `most_informative`."""
    rank = [names.index(name) for name in ratings.table["player"]]
    elo, covariance = _by_number(names, ratings)
    return most_informative(elo, covariance, ratings.draw_rate, used, openings, rank[:top], error, most)


def placing(pool: Pool, names: Sequence[str], openings: int, first: Colour, seed: int, error: float) -> Schedule:
    """Pairs of the one player that is not of the pool until its 95 % interval is within +-`error` Elo.

    The rating is of its games and the pool's together, so that the interval has the uncertainty of the pool, too.
    Every opponent weighs the same in it, whatever its games (`arena.ratings.joint.rate_beside`): players are not
    on one line, and those who are near would alone place it elsewhere. After a pair against everyone, a round is
    one rating and the pairs of `most_telling`. Each opponent has the openings in an order of its own, by the seed.
    The first rating that may end it is that of LEAST_ROUNDS pairs, as for `until`, and `more_rounds` says how many
    pairs follow each.

    It ends, too, when all games were won, or all lost; when all openings are used up; and, where the uncertainty
    of the pool leaves less than half of `error` to the newcomer's own games, when their part is within +-`error`.
    """
    (player,) = (number for number, name in enumerate(names) if name not in pool.names)
    others = [number for number in range(len(names)) if number != player]
    orders = {other: Random(f"{seed} {names[other]}").sample(range(openings), openings) for other in others}
    numbers, known, used = Numbers(), pool_games(pool), np.zeros(len(names), dtype=np.int64)
    played: list[Pairing] = []
    points: list[float] = []
    opponents, number, precision = others * min(openings, 1), 0, None
    while opponents:
        batch, number = Batch(), number + 1
        for other in opponents:
            batch += numbers.pairs([(player, other)], number, [orders[other][used[other]]])
            used[other] += 1
        batch.precision = precision
        points += (yield batch).points
        played += batch
        pairs, won = int(used.sum()), sum(points[::2]) + sum(1 - point for point in points[1::2])
        ratings = rated(names, played, points, first, pool.anchor, openings=True, known=known)
        elo, covariance = _by_number(names, ratings)
        coin, variance = score_variance(elo[player] - elo, ratings.draw_rate)
        variance[player] = coin[player] = 0
        share = coin / coin.sum()
        now, of_pool = widest(ratings, [names[player]]), Z95 * math.sqrt(share @ covariance @ share)
        own, left = (math.sqrt(max(whole**2 - of_pool**2, 0)) for whole in (now, error))
        wanted = left if left > error / 2 else error
        if pairs >= LEAST_ROUNDS and (own <= wanted or won in (0, 2 * pairs)):
            break
        needed, more = more_rounds(pairs, own, wanted)
        more = more if pairs >= LEAST_ROUNDS else LEAST_ROUNDS - pairs
        opponents = most_telling(variance, used, openings, more)
        expected = min(max(needed, pairs + len(opponents)), openings * len(others))
        precision = Precision(len(played), now, error, 2 * expected)
    return []


def pool_games(pool: Pool, first_opening: int = 0) -> pd.DataFrame:
    """The games of a pool as `arena.ratings.joint.rate` takes them, openings numbered from `first_opening`."""
    games = pd.DataFrame(pool.games())
    return games.assign(opening=games["opening"] + first_opening)


def rated_pool(pool: Pool, first: Colour) -> Ratings:
    """The joint rating of a pool's players; `first` is the colour that moves first."""
    return rate(pool_games(pool), pool.names, first=first, anchor=pool.anchor)


def more_rounds(rounds: int, error: float, wanted: float) -> tuple[int, int]:
    """How many rounds a run needs in all, and how many to play before it is rated again, by its error so far.

    Errors fall with the square root of the rounds. The next batch is four fifths of those that are missing, at
    least a twentieth of the rounds so far and at most as many.
    """
    needed = math.ceil(rounds * (error / wanted) ** 2)
    return needed, max(min(math.ceil(0.8 * (needed - rounds)), rounds), math.ceil(rounds / 20))


def most_telling(variance: Floats, used: NDArray[np.int64], openings: int, most: int) -> list[int]:
    """Up to `most` opponents of a player, a pair of games each, one by one where the next one tells most.

    As all opponents weigh the same, the rating's variance is in proportion to the sum over them of `variance`,
    that of a game's score, over the pairs `used`, at most `openings`: games go where scores vary most (J. Neyman,
    "On the two different aspects of the representative method", 1934). Both are `[players]`; the player's own
    variance is 0.
    """
    used, opponents = used.copy(), list[int]()
    while len(opponents) < most:
        gain = np.where(used < openings, variance / (used * (used + 1.0) + 1e-9), 0.0)
        if not gain.any():
            break
        # Equal but for rounding is equal, so that every machine takes the same one.
        best = int(np.argmax(np.round(gain / gain.max(), 6)))
        opponents.append(best)
        used[best] += 1
    return opponents


def _by_number(names: Sequence[str], ratings: Ratings) -> tuple[Floats, Floats]:
    """Elo and covariance in the order of the names."""
    elo = ratings.table.set_index("player")["elo"].loc[list(names)].to_numpy(float)
    return elo, ratings.covariance.loc[list(names), list(names)].to_numpy(float)


def most_informative(
    elo: Floats,
    covariance: Floats,
    draw_rate: float,
    used: NDArray[np.int64],
    openings: int,
    top: Sequence[int],
    error: float,
    most: int,
) -> list[Tie]:
    """Up to `most` ties, one pair of games each, in the order of what they are worth; none if all is done.

    All is done when the 95 % intervals of the players `top` are within +-`error` Elo, each from TRUSTED pairs at
    least, or when the openings of the pairs that could help are used up. `elo`, `float64[players]`, and
    `covariance`, `float64[players, players]`, are those of the ratings; `used[i, j]` are the pairs that players i
    and j have played, `int64[players, players]`.
    """
    used, covariance = used.copy(), covariance.copy()
    information = pair_information(elo, draw_rate)
    ties: list[Tie] = []
    while len(ties) < most:
        width = Z95 * np.sqrt(np.maximum(np.diag(covariance), 0))
        trusted = used.sum(axis=1) >= TRUSTED
        wide = [player for player in top if width[player] > error or not trusted[player]]
        if not ties and not wide:
            return []
        wide = wide or list(top)
        is_wide = np.isin(np.arange(len(elo)), wide)
        open_to = (is_wide[:, None] | is_wide) & (used < openings)
        gain = np.triu(np.where(open_to, worth(covariance, information, wide), 0.0), 1)
        if not gain.any():
            break
        # Equal but for rounding is equal, so that every machine takes the same one.
        best = int(np.argmax(np.round(gain / gain.max(), 6)))
        one, other = divmod(best, len(elo))
        ties.append((one, other))
        used[one, other] += 1
        used[other, one] += 1
        covariance = _after(covariance, information[one, other], one, other)
    return ties


def worth(covariance: Floats, information: Floats, of: Sequence[int]) -> Floats:
    """The reduction of the summed variance of the players `of`, in Elo^2, by a pair of games of each two players.

    All matrices are `float[players, players]`, in Elo: `covariance` of the ratings, `information` of a pair on the
    difference of the two players. The update is that of a normal distribution by one measured difference.
    """
    variance = np.diag(covariance)
    spread = variance[:, None] + variance - 2 * covariance
    shift = (covariance[of][:, :, None] - covariance[of][:, None, :]) ** 2
    gain: Floats = shift.sum(axis=0) * information / (1 + information * spread)
    return gain


def pair_information(elo: Floats, draw_rate: float) -> Floats:
    """Information that a pair of games of each two players has on their difference, 1 / Elo^2.

    That of the expected score, without first-move advantage, from games of which equal players draw `draw_rate`,
    below 1: see `arena.ratings.dispersion`.
    """
    coin, variance = score_variance(elo[:, None] - elo, draw_rate)
    information: Floats = 2 * coin**2 / variance / ELO_PER_LOGIT**2
    return information


def _after(covariance: Floats, information: float, one: int, other: int) -> Floats:
    shift = covariance[:, one] - covariance[:, other]
    spread = shift[one] - shift[other]
    after: Floats = covariance - np.outer(shift, shift) * information / (1 + information * spread)
    return after
