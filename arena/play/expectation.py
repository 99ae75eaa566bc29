"""The expectation of a tournament after its pilot: how long it takes, and what differences in Elo it resolves."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.integrate import cumulative_trapezoid, trapezoid

from arena.experiment.formats.base import LEAST_ROUNDS
from arena.experiment.formats.fixed import Sprt, Until
from arena.play.pilot import Pilot
from arena.play.plan import Plan
from arena.ratings.match import NELO_SCALE, games_needed, resolution, score_from_elo, sprt
from arena.ratings.types import Floats
from arena.rules.result import points_of

TARGETS = (10, 20, 50)
"""Half widths in Elo for which `Expectation` has the games needed."""
TRIES = 1000
"""Runs that are drawn for an interval."""
WITHIN = (5, 95)
"""Percentiles of them that are the interval's ends."""
MACHINE_SPREAD = 0.07
"""Standard deviation of the logarithm of what an idle machine takes for the same work again."""
LOAD_SPREAD, LOAD_SPREAD_MOST = 0.4, 0.3
"""The same for each unit of the logarithm of how much slower other programs make it, as they come and go; and all
that they are taken to add."""
FEW_GAMES = 0.5
"""Standard deviation of the logarithm of a mean of one game; of n, this by n."""
START_SPREAD, REPORT_SPREAD, GUESS_SPREAD = 0.2, 0.12, 0.4
"""Standard deviations of the logarithm of the start, and of a report that was measured or guessed."""
REPORT_GROWTH, REPORT_GAMES = 0.0004, 4000
"""Share of a small report's time that each game adds, and the games up to which it does (`arena bench volume`)."""
REPORT_GUESS = 10.0
"""Seconds of a report that was not measured."""
PRIOR_GAMES = 0.5
"""Games of mean time that each player is taken to have had, for those that the pilot left out."""

OVERSHOOT = 0.5826
"""By how much of its standard deviation a step carries a sum beyond a bound: Siegmund (1985), section 10.4."""


class Costs(NamedTuple):
    """Time around the games of a run, in seconds."""

    start: float
    """From the command to the first game, without the start of the workers."""
    report: float | None = 0.0
    """Of a report of the pilot's games; None if it is to be guessed, 0 if there is to be none."""


class SprtLength(NamedTuple):
    """How long a sequential test is expected to take if the players differ by so much: see `sprt_length`."""

    elo: float
    """Elo by which the first player is the stronger one, in the unit of the test."""
    pairs: float
    """Mean of such tests; one that is open after all openings counts with these."""
    pairs_low: float
    pairs_high: float
    """The pairs within which 5 % and 95 % of such tests have ended."""
    accepts_h1: float
    """Share of such tests that accept H1, 0 to 1."""
    stays_open: float
    """Share that is open after all openings."""


class Expectation(NamedTuple):
    """The expectation after a pilot; seconds are wall time, differences in Elo half widths of 95 % intervals."""

    most_games: int
    pilot_games: int
    draw_rate: float
    """(draws + 1/2) / (games + 1) of the pilot: neither 0 nor 1, however few games it has."""
    seconds_per_game: float
    """Mean of the tournament's games, for the worker that plays them."""
    seconds: float
    """Of the whole run on the workers asked for, with its start, probe, games, suites and report."""
    seconds_low: float
    seconds_high: float
    """The range of 9 of 10 runs, as far as the pilot can tell."""
    start_seconds: float
    probe_seconds: float
    suite_seconds: float
    games_seconds: float
    report_seconds: float
    other_load: float
    """Share of the cores' time that other programs took from busy workers, 0 to 1."""
    games_per_pairing: int
    pairing_elo: float
    """The smallest difference that the games of one pairing detect between players of equal strength."""
    joint_elo: float | None
    """The same for the joint rating of all games, between the two players it knows least about.

    None where the results decide who meets whom; for Swiss as if everyone met everyone equally often.
    """
    games_needed: dict[int, int]
    """Games of one pairing that detect a difference of this many Elo."""
    sprt: list[SprtLength]
    """Of the sequential test, at each of the differences asked for; empty without one."""
    until_pairs: int | None
    """Pairs of every pairing until intervals are as narrow as `until` wants, of equal players; None without it.

    They may be more than there are openings.
    """


def expectation(plan: Plan, found: Pilot, costs: Costs, differences: Sequence[float] = ()) -> Expectation:
    """The expectation for the whole tournament after a pilot, on as many processes.

    A sequential test is expected at these `differences` in Elo, in its unit; by default at elo0, elo1 and halfway.
    """
    rng = np.random.default_rng(plan.experiment.seed)
    draws = sum(points_of(record.result) == 0.5 for record in found.records)
    draw_rate = (draws + 0.5) / (len(found.records) + 1)
    each = 2 * plan.experiment.format.pairs_of_tie(len(plan.openings))

    per_game, sampled = _seconds_per_game(plan, found, rng)
    lanes = found.workers * found.busy
    longest = max(record.seconds for record in found.records)
    last = longest * (found.workers - 1) / (2 * found.workers)
    games = per_game * plan.games / lanes + last
    probe = float(np.mean(found.searches)) * plan.searches / found.workers if found.searches else 0.0
    suites = float(np.mean(found.answers)) * plan.questions / found.workers if found.answers else 0.0
    start = costs.start + found.start_seconds
    report, spread = _report_seconds(plan.games, len(found.records), costs.report)

    load = min(LOAD_SPREAD * math.log(1 / max(found.core, 1e-3)), LOAD_SPREAD_MOST)
    machine = math.hypot(MACHINE_SPREAD, load)
    tries = (sampled * plan.games / lanes + last + probe + suites) * _factor(rng, FEW_GAMES / len(found.records))
    tries = tries + start * _factor(rng, START_SPREAD) + report * _factor(rng, spread)
    low, high = np.percentile(tries * _factor(rng, machine), WITHIN)
    return Expectation(
        most_games=plan.games,
        pilot_games=len(found.records),
        draw_rate=draw_rate,
        seconds_per_game=per_game,
        seconds=start + probe + games + suites + report,
        seconds_low=float(low),
        seconds_high=float(high),
        start_seconds=start,
        probe_seconds=probe,
        suite_seconds=suites,
        games_seconds=games,
        report_seconds=report,
        other_load=1 - found.core,
        games_per_pairing=each,
        pairing_elo=resolution(each, draw_rate),
        joint_elo=_joint(plan, draw_rate),
        games_needed={elo: games_needed(elo, draw_rate) for elo in TARGETS},
        sprt=_tests(plan, differences, draw_rate),
        until_pairs=_until(plan, plan.experiment.until, draw_rate) if plan.experiment.until else None,
    )


def sprt_length(test: Sprt, elo: float, draw_rate: float, most: int) -> SprtLength:
    """The length of a sequential test of two players who differ by `elo`, of `most` pairs at most.

    The log-likelihood ratio is taken as a Brownian motion between the bounds of the test, these widened by
    OVERSHOOT. With t the mean over the deviation of a pair's score, normalized Elo over 800 / (ln 10 sqrt 2), a
    pair adds (t1 - t0) (t - (t0 + t1) / 2) in the mean with variance (t1 - t0)^2 (M. Van den Bergh, "Comments on
    normalized Elo"); so it does in logistic Elo, with scores over the deviation of two independent games, of which
    equal players draw `draw_rate`. When it meets a bound follows by reflections: Darling and Siegert (1953), "The
    first passage problem for a continuous Markov process".
    """
    bounds = sprt([0, 0, 0, 0, 0], test.elo0, test.elo1, test.alpha, test.beta, test.model)
    if test.model == "normalized":
        t0, t1, t = (math.sqrt(2) * it / NELO_SCALE for it in (test.elo0, test.elo1, elo))
    else:
        score = score_from_elo(elo)
        deviation = math.sqrt(score * (1 - score) * (1 - draw_rate) / 2)
        t0, t1, t = (score_from_elo(it) / deviation for it in (test.elo0, test.elo1, elo))
    step, drift = t1 - t0, (t1 - t0) * (t - (t0 + t1) / 2)
    upper, lower = bounds.upper + OVERSHOOT * step, -bounds.lower + OVERSHOOT * step
    width = upper + lower
    pairs = (width / step) ** 2 * np.geomspace(1e-7, 8, 6000)
    up, down = (
        _first_passage(pairs, bound, toward, step, width) for bound, toward in ((upper, drift), (lower, -drift))
    )
    ended, accepted = (cumulative_trapezoid(it, pairs, initial=0) for it in (up + down, up))
    low, high = (float(np.interp(share / 100, ended, pairs)) for share in WITHIN)
    still = 1 - float(np.interp(most, pairs, ended))
    mean = float(trapezoid((up + down) * np.minimum(pairs, most), pairs)) + max(1 - ended[-1], 0) * most
    return SprtLength(
        elo,
        min(max(mean, 1.0), most),
        min(max(low, 1.0), most),
        min(max(high, 1.0), most),
        min(float(np.interp(most, pairs, accepted)), 1.0),
        max(still, 0.0),
    )


def independent_games(meetings: np.ndarray) -> float:
    """Games of one pairing that are worth as much to its difference as all games are to the least known one.

    `meetings[i, j]` are the games between players i and j, who are of equal strength: `float[players, players]`,
    symmetric. Each game is a resistor of 1 between its players, and the variance of a difference in the joint fit
    is the resistance between the two. Raises ValueError if the games do not connect all players.
    """
    laplacian = np.diag(meetings.sum(axis=1)) - meetings
    if np.linalg.matrix_rank(laplacian) < len(meetings) - 1:
        raise ValueError("games must connect all players")
    inverse = np.linalg.pinv(laplacian)
    own = np.diag(inverse)
    return float(1 / (own[:, None] + own - 2 * inverse).max())


def _seconds_per_game(plan: Plan, found: Pilot, rng: np.random.Generator) -> tuple[float, Floats]:
    """Mean seconds of the tournament's games, all ties equally often, and `float[TRIES]` of resampled pilots.

    A game's seconds are taken as the sum of what each of its players costs, so that pairings that the pilot left
    out count by their players'.
    """
    seconds = np.array([record.seconds for record in found.records])
    players = np.array([(it.pairing.white, it.pairing.black) for it in found.records])
    ties = np.array(plan.experiment.format.ties(plan.names))
    size = len(plan.players)
    weight = np.bincount(ties.ravel(), minlength=size) / len(ties)
    seen = np.zeros((len(seconds), size))
    np.add.at(seen, (np.arange(len(seconds))[:, None], players), 1.0)

    def mean(times: Floats) -> float:
        average = float(times @ seconds / times.sum())
        design = seen * times[:, None]
        prior = np.eye(size) * PRIOR_GAMES
        costs = np.linalg.solve(seen.T @ design + prior, design.T @ seconds + PRIOR_GAMES * average / 2)
        return float(weight @ np.maximum(costs, 0))

    share = np.full(len(seconds), 1 / len(seconds))
    resampled = rng.multinomial(len(seconds), share, size=min(TRIES, max(20, 100_000 // size**2)))
    means = np.array([mean(times) for times in resampled.astype(float)])
    return mean(np.ones(len(seconds))), rng.choice(means, TRIES)


def _report_seconds(games: int, measured_games: int, measured: float | None) -> tuple[float, float]:
    """Seconds of a report of `games` games, and the standard deviation of their logarithm."""
    small, spread = (REPORT_GUESS, GUESS_SPREAD) if measured is None else (measured, REPORT_SPREAD)
    further = max(min(games, REPORT_GAMES) - measured_games, 0)
    return small * (1 + REPORT_GROWTH * further), spread


def _factor(rng: np.random.Generator, spread: float) -> Floats:
    """`float[TRIES]` about 1."""
    return rng.lognormal(0.0, spread, TRIES)


def _tests(plan: Plan, differences: Sequence[float], draw_rate: float) -> list[SprtLength]:
    if (test := plan.experiment.sprt) is None:
        return []
    asked = differences or (test.elo0, (test.elo0 + test.elo1) / 2, test.elo1)
    return [sprt_length(test, elo, draw_rate, len(plan.openings)) for elo in asked]


def _first_passage(times: Floats, bound: float, drift: float, step: float, width: float) -> Floats:
    """Density at `times` of meeting a bound first, of two that are `width` apart; `drift` points to that bound."""
    mirrored = 2 * width * np.arange(-15, 16)[:, None]
    spread = step**2 * times
    exponent = (bound - drift * times) ** 2 + mirrored * (2 * bound + mirrored)
    terms = (bound + mirrored) * np.exp(-exponent / (2 * spread))
    density: Floats = np.maximum(terms.sum(axis=0), 0) / (times * np.sqrt(2 * np.pi * spread))
    return density


def _until(plan: Plan, until: Until, draw_rate: float) -> int:
    """By the variance of the rating that a round of all ties leaves least certain, as in `independent_games`."""
    names = plan.names
    size, ties, anchor = len(names), plan.experiment.format.ties(names), plan.experiment.anchor
    meetings = np.zeros((size, size))
    for one, other in ties:
        meetings[one, other] = meetings[other, one] = 2
    inverse = np.linalg.pinv(np.diag(meetings.sum(axis=1)) - meetings)
    variance = np.diag(inverse)
    zero = 0 if size == 2 else names.index(anchor) if anchor in names else None
    if zero is not None:
        variance = variance + variance[zero] - 2 * inverse[zero]
    rounds = math.ceil(games_needed(until.error, draw_rate) * float(variance.max()))
    return max(rounds, LEAST_ROUNDS)


def _joint(plan: Plan, draw_rate: float) -> float | None:
    if not plan.experiment.format.even:
        return None
    format, names = plan.experiment.format, plan.names
    ties = format.ties(names)
    meetings = np.zeros((len(names), len(names)))
    for one, other in ties:
        meetings[one, other] = meetings[other, one] = format.most_games(names, len(plan.openings)) / len(ties)
    return resolution(independent_games(meetings), draw_rate)
