"""The answer of a run: what its games show and do not show, one line a comparison, the most important first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import pandas as pd

from arena.base.number import quantity, signed, with_minus
from arena.base.wording import counted, joined
from arena.experiment.formats.fixed import Gauntlet, Sprt
from arena.experiment.model import Experiment
from arena.ratings.interval import Interval
from arena.ratings.match import SprtState, detectable, pairs_to_decide
from arena.report.run import Run
from arena.report.sentences.cautions import Notice, cautions, failing, failures, unfinished
from arena.report.sentences.claims import MOST, TOO_WIDE, Claim, Level, among_given, compared, ranging, shortened
from arena.report.sentences.facts import is_match
from arena.report.tables.comparisons import WHOLE_PLAYER, lines
from arena.report.tables.effort import reference_of
from arena.report.tables.grades import CHANCE, RANDOM_CHOICE, paired
from arena.report.tables.outcomes import verdict
from arena.report.tables.settings import LIMITS, families
from arena.report.tables.table import share
from arena.report.tables.views import LEAST, TOO_LONG

PODIUM = ("first", "second", "third")
"""Places of the final order that it names."""
LEVEL = 0.5
"""Elo below the first, less than which a player is level with it."""
_DECISIONS = 50
"""Decisions of a player from which on an error rate is named."""
LEAST_ELO, MOST_TIMES = 5, 20
"""Elo of a difference, at least, and times the games, at most, of which it is said what they would take."""
_OF_MEETING = ["setting", "value", "reference", "terms"]
"""The columns of comparisons that a mean shares with its levels."""
UNKEPT = "†"
"""Stands behind a time that was not equal; `cautions.too_long` explains it."""


class MoreGames(NamedTuple):
    """How many games would show a difference that is not shown, with a chance of 80 %."""

    text: str
    setting: str
    """What to write into the configuration, or to give to `arena match`, for that; "" for nothing."""


class Opening(NamedTuple):
    """What a run's page says first, in this order."""

    unfinished: list[str]
    failures: list[Notice]
    claims: list[Claim]
    scale: str
    """How to read the claims; "" where none has Elo."""
    more: MoreGames | None
    cautions: list[str]

    @property
    def lines(self) -> list[str]:
        """The opening line by line, as a terminal prints it."""
        first = [*self.unfinished, *map(str, self.failures), *(claim.sentence for claim in self.claims)]
        more = (self.more.text, self.more.setting) if self.more else ()
        return [*first, *filter(None, (self.scale, *more)), *self.cautions]


def opening(run: Run) -> Opening:
    """The opening of a run's page."""
    claims = answer(run)
    scale, more = how_to_read(claims), more_games(run, claims)
    return Opening(unfinished(run), failures(run), claims, scale, more, cautions(run))


def how_to_read(claims: Sequence[Claim]) -> str:
    """What the Elo of claims is, and when one of two is said to be stronger."""
    if not any(claim.elo or claim.compares for claim in claims):
        return ""
    words = "100 Elo are 64 % of the points. ± is a 95 % interval"
    if any(claim.compares for claim in claims):
        words += "; the chance that any “stronger” in a run is wrong is 5 %"
    return f"{words}."


def answer(run: Run) -> list[Claim]:
    """What the run shows and does not show, MOST claims at most, the last of which says how many are left out."""
    claims = [*_decisions(run)]
    if len(run.games):
        claims += [*_comparisons(run), *endgame_claims(run.endgame_errors)]
    return shortened([*claims, *suite_claims(run)])


def _decisions(run: Run) -> Iterator[Claim]:
    """The order of the format, the decision of the test, and players found to be one."""
    if run.order:
        # who lost in the same round of a knockout stands in the order of the seeds
        places = PODIUM[:2] if run.experiment.format.type == "knockout" else PODIUM
        names, figures = tuple(name for name, _ in run.order[: len(places)]), run.order[0][1]
        is_level = figures.get("decided", "points") != "points"
        note = f"level with {figures['opponent']}, {names[0]} is first by its higher seed" if is_level else ""
        yield Claim(", ".join(f"{{}} is {place}" for place in places[: len(names)]), names, note=note)
    if run.experiment.sprt and not run.data.withdrawn:
        yield decision(run.sprt, run.experiment, run.info.games)
    for twins, games in run.ratings.twins.items():
        words = f"{{}} and {{}} played the same moves in all {games} games: they are one player"
        yield Claim(words, twins, is_shown=False)


def _comparisons(run: Run) -> Iterator[Claim]:
    """What the run compares: an order, a scale, each factor of a sweep, an ablation, or the leading players."""
    format = run.experiment.format
    if run.experiment.sprt:
        yield from _estimate(run)
        return
    if run.order:
        yield from lead(run)
        return
    if len(run.experiment.anchor) > 1:
        yield from _placements(run)
        return
    of_doubling = doublings(run)
    # values of a setting that meet at several limits, or with several values of another one, are a sweep
    is_sweep = bool((run.comparisons["pairs"] > 1).any()) or run.comparisons["terms"].nunique() > 1
    if len(run.ablation) and not of_doubling and not is_sweep:
        yield from _ablation(run)
        return
    if isinstance(format, Gauntlet) and len(format.seeds) == 1:
        yield from _of_seed(run, format.seeds[0])
        return
    settings = [*_settings(run)] if len(run.submissions) <= MOST else []  # not of a whole class
    first = settings or [*lead(run)]
    yield from first
    yield from of_doubling
    answered = {frozenset(claim.names) for claim in first}
    yield from (claim for claim in _two_depths(run) if frozenset(claim.names) not in answered)


def _estimate(run: Run) -> Iterator[Claim]:
    """The difference of the two players of a sequential test, which alone says who is stronger."""
    first, second = (spec.name for spec in run.experiment.players[:2])
    failed, difference = failing(run), run.ratings.difference(first, second)
    yield from (_failed(run, name) for name in failed)
    if difference and not failed:
        yield Claim("{} over {} by these games", (first, second), difference)


def _of_seed(run: Run, seed: str) -> Iterator[Claim]:
    """The seed of a gauntlet against each of its opponents, the strongest first."""
    yield from (_failed(run, name) for name in failing(run))
    for name in run.standings["player"]:
        difference = run.ratings.difference(seed, name)
        if name != seed and name not in failing(run) and difference:
            is_shown = run.family.shows({seed: 1.0, name: -1.0})
            yield compared(seed, name, difference, is_shown)


def doublings(run: Run) -> list[Claim]:
    """What twice the depth is worth, of each family whose Elo lies on a line; of nodes where there is no depth.

    Of others that a doubling is not worth the same everywhere, with the Elo at each depth.
    """
    for per, rows in lines(run.sweep).groupby("per", sort=False):
        is_alone = len(rows) == 1
        claims = list[Claim]()
        for row in rows.sort_values(["fits", "gain"], ascending=False, kind="stable").to_dict("records"):
            names, of = ((), "") if is_alone else ((row["family"],), " with {}")
            gain = Interval.of(row, "gain")
            if not row["fits"]:
                words = f"Doubling the {per}{of} is not worth the same everywhere"
                claims.append(Claim(f"{words}; {_elo_by(run, per, row['family'])}", names))
            elif gain.error <= TOO_WIDE:
                unlike = "" if row["shown"] else ", not shown"
                claims.append(Claim(f"Gain by doubling the {per}{of}{unlike}", names, gain, bool(row["shown"])))
        return claims
    return []


def _two_depths(run: Run) -> Iterator[Claim]:
    """What one depth is worth over another one, of each family of two, through which any line goes."""
    depth = {spec.name: spec.limit.depth or 0 for spec in run.compared}
    members: dict[str, list[str]] = {}
    for name, family in families(run.compared).items():
        members.setdefault(family, []).append(name)
    for less, more in (sorted(names, key=depth.__getitem__) for names in members.values() if len(names) == 2):
        difference = run.ratings.difference(more, less)
        if difference and difference.error <= TOO_WIDE:
            yield compared(more, less, difference, run.family.shows({more: 1.0, less: -1.0}))


def _elo_by(run: Run, per: object, family: str) -> str:
    """The Elo of a family at each depth, or number of nodes: "−310 at 1, −120 at 2, +50 at 4"."""
    members = run.sweep[(run.sweep["per"] == per) & (run.sweep["family"] == family)]
    points = zip(members["elo"], members["x"], strict=True)
    return "Elo " + ", ".join(f"{signed(elo)} at {quantity(x)}" for elo, x in points)


def _ablation(run: Run) -> Iterator[Claim]:
    """Each player against the reference of the ablation, the largest loss first."""
    reference = reference_of(run.experiment)
    limit = {spec.name: spec.limit for spec in run.experiment.players}
    rows = run.ablation[run.ablation["elo_difference_low"] < run.ablation["elo_difference_high"]]  # not one player
    for row in rows.sort_values("elo_difference", kind="stable").to_dict("records"):
        note = "at another limit" if limit[row["player"]] != limit[reference] else ""
        is_shown = run.family.shows({row["player"]: 1.0, reference: -1.0})
        yield compared(row["player"], reference, Interval.of(row, "elo_difference"), is_shown, note=note)


def _settings(run: Run) -> Iterator[Claim]:
    """The best two values of a setting, and each one against that of the baseline, the strongest first.

    All that at each kind of equal terms.
    """
    every = run.comparisons[run.comparisons["level"] == ""]
    every = every[every["elo_difference_low"] < every["elo_difference_high"]]  # not of two that are one player
    rows = every[every["baseline"].astype(bool)]
    several = rows["terms"].nunique() > 1
    failed = failing(run)
    if len(run.players) == 2 and failed:
        yield from (_failed(run, name) for name in failed)
        return
    for _, of_setting in rows.groupby(["setting", "terms", "reference"], sort=False):
        yield from _best_two(run, every, of_setting, several)
    mean = rows.groupby(["setting", "value", "reference"])["elo_difference"].transform("mean")
    for row in rows.assign(mean=-mean).sort_values("mean", kind="stable").to_dict("records"):
        yield _of_values(run, row, (row["value"], row["reference"]), several)


def _best_two(run: Run, every: pd.DataFrame, of_setting: pd.DataFrame, several: bool) -> Iterator[Claim]:
    """The best value of a setting against the second best, where neither is the reference of these rows."""
    best = of_setting.nlargest(2, "elo_difference")
    if len(best) < 2 or best["elo_difference"].iloc[-1] < 0:
        return
    names = tuple(best["value"])
    alike = (every["setting"] == best["setting"].iloc[0]) & (every["terms"] == best["terms"].iloc[0])
    both = every[alike & every["value"].isin(names) & every["reference"].isin(names)]
    for row in both.to_dict("records"):
        yield _of_values(run, row, names, several)


def _of_values(run: Run, row: Mapping[Any, Any], names: Sequence[str], several: bool) -> Claim:
    """A row of `Run.comparisons`, as a claim on the first of its values; with its terms if there are `several`.

    A mean of differences that do not agree is no answer: then it is where they are least and greatest.
    """
    first, second = names
    terms = f" at equal {row['terms']}" if row["terms"] and (row["pairs"] > 1 or several) else ""
    at = terms + (f" {UNKEPT}" if row["time_used"] > TOO_LONG else "")
    if row["agreement"] < LEAST:
        return ranging(first, second, _levels(run, row, is_reversed=first != row["value"]), at=at)
    difference = Interval.of(row, "elo_difference")
    return compared(
        first,
        second,
        difference if first == row["value"] else difference.reversed,
        bool(row["shown"]),
        at=at,
        points=_points(run, first) if row["setting"] == WHOLE_PLAYER else "",
        note=f"mean of {row['pairs']} pairs of players" if row["pairs"] > 1 else "",
    )


def _levels(run: Run, row: Mapping[Any, Any], *, is_reversed: bool) -> list[Level]:
    """The levels of a row of `Run.comparisons`."""
    table = run.comparisons
    same = (table[_OF_MEETING] == [row[name] for name in _OF_MEETING]).all(axis=1)
    return [
        Level(
            "at" if level["level"].startswith(LIMITS) else "with",
            level["level"],
            Interval.of(level, "elo_difference").reversed if is_reversed else Interval.of(level, "elo_difference"),
            bool(level["shown"]),
        )
        for level in table[same & (table["level"] != "")].to_dict("records")
    ]


def lead(run: Run) -> Iterator[Claim]:
    """The first player against the second; players of one rating at the top are level."""
    failed = failing(run)
    yield from (_failed(run, name) for name in failed)
    twins = [other for _, other in run.ratings.twins]
    table = run.standings[run.standings["elo"].notna() & ~run.standings["player"].isin([*failed, *twins])]
    if len(table) < 2:
        return
    names, elo = table["player"].tolist(), table["elo"]
    level = names[: int((elo.iloc[0] - elo < LEVEL).sum())]
    if len(level) > 1 and not run.order:
        named = tuple(level) if len(level) <= len(PODIUM) else ()
        who = joined(["{}"] * len(named)) or f"{len(level)} players"
        at_the_top = " at the top" if len(level) < len(names) else ""
        yield Claim(f"{who} are level{at_the_top}", named, is_shown=False)
        return
    difference = run.ratings.difference(names[0], names[1])
    if difference is not None:
        is_shown = run.family.shows({names[0]: 1.0, names[1]: -1.0})
        yield compared(names[0], names[1], difference, is_shown, points=_points(run, names[0]))


def _failed(run: Run, name: str) -> Claim:
    games = counted(int(run.standings.set_index("player")["games"][name]), "game")
    return Claim(f"{{}} failed in {failing(run)[name]} of its {games}, which say nothing of its play", (name,))


def _points(run: Run, name: str) -> str:
    row = next(row for row in run.standings.to_dict("records") if row["player"] == name)
    return f"{row['wins'] + row['draws'] / 2:g} of {counted(row['games'], 'point')}"


def _placements(run: Run) -> Iterator[Claim]:
    """Where players stand among those whose Elo is given: "racer is between a (0) and b (+78): +43 ± 20 Elo"."""
    anchors = run.experiment.anchor
    for row in run.standings[run.standings["elo"].notna()].to_dict("records"):
        if row["player"] not in anchors:
            yield among_given(row["player"], Interval.of(row, "elo"), anchors)


def endgame_claims(errors: pd.DataFrame) -> Iterator[Claim]:
    """How often the strongest and the weakest player err in endings, of those with DECISIONS or more.

    `errors` are in the order of Elo: of many rates the least and the greatest would be chance's.
    """
    rows = errors[errors["decisions"] >= _DECISIONS].to_dict("records")
    if rows:
        ends = [rows[0], rows[-1]][: len(rows)]
        rates = [Interval.of(row, "error_rate") for row in ends]
        first, *others = (share(*rate) for rate in rates)
        words = (
            f"In endings of up to {rows[0]['endgame_pieces']} pieces {{}} throws away half a point or more in "
            f"{first} of the decisions where that is possible" + "".join(f", {{}} in {rate}" for rate in others)
        )
        yield Claim(words, tuple(row["player"] for row in ends), is_shown=_are_apart(rates))


def suite_claims(run: Run) -> Iterator[Claim]:
    """What the first two players, in rank order, and random choice solve of each suite, by a paired test."""
    for suite, rows in run.suites.groupby("suite", sort=False):
        shares = {row["player"]: Interval.of(row, "share") for row in rows.to_dict("records")}
        asked = [name for name in run.players if name in shares][:2]
        if asked:
            first, *others, by_chance = (share(*shares[name], decimals=0) for name in (*asked, RANDOM_CHOICE))
            words = f"Of the {rows['positions'].max():,} positions of {{}}, {{}} solves {first}"
            words += "".join(f", {{}} {rate}" for rate in others) + f", {RANDOM_CHOICE} {by_chance}"
            is_shown, note = True, ""
            if len(asked) == 2:
                alone, other_alone, chance = paired(run.data.answers, str(suite), asked[0], asked[1])
                note = f"{alone} solved by the first alone, {other_alone} by the second: p = {chance:.2g}"
                is_shown = chance < CHANCE
            yield Claim(words, (str(suite), *asked), is_shown=is_shown, note=note)


def _are_apart(shares: Sequence[Interval]) -> bool:
    """Whether no interval reaches the next one, so that they show an order; of one alone, too."""
    ordered = sorted(shares)
    return all(low.high < high.low for low, high in pairwise(ordered))


def decision(path: pd.DataFrame, experiment: Experiment, games: int = 0) -> Claim:
    """The decision of an experiment's sequential test of so many games at most, by the path of `sprt_path`.

    Accepting H1 rejects that the first player is elo0 stronger or less, at an error of alpha; accepting H0 rejects
    that it is elo1 stronger or more, at an error of beta.
    """
    test, decided = experiment.sprt, verdict(path)
    assert test is not None
    unit = "normalized Elo" if test.model == "normalized" else "Elo"
    pairs = counted(len(path), "pair")
    tested = with_minus(f"{test.elo0:g} against {test.elo1:g}")
    if decided == "continue":
        is_over = bool(games) and 2 * len(path) >= games
        words = f"The test of {tested} {unit} is {'not decided by all' if is_over else 'open after'} {pairs}"
        return Claim(words + _pairs_left(path, test), is_shown=False)
    bound, error = (test.elo0, test.alpha) if decided == "H1" else (test.elo1, test.beta)
    side = "above" if decided == "H1" else "below"
    words = (
        f"{{}} over {{}} is {side} {with_minus(f'{bound:+g}' if bound else '0')} {unit}: the test of {tested} "
        f"accepted {decided} after {pairs} (chance of error {100 * error:g} %)"
    )
    return Claim(words, tuple(spec.name for spec in experiment.players[:2]))


def _pairs_left(path: pd.DataFrame, test: Sprt) -> str:
    """How many more pairs an open test may take, where its unit tells."""
    if test.model != "normalized" or path.empty:
        return ""
    llr, lower, upper = (float(path[name].iloc[-1]) for name in ("llr", "lower", "upper"))
    left = pairs_to_decide(SprtState(llr, lower, upper, "continue"), test.elo0, test.elo1)
    return f"; expect some {float(f'{left:.1g}'):,.0f} more"


def more_games(run: Run, claims: Sequence[Claim]) -> MoreGames | None:
    """How many games would show the clearest difference that is not shown with a chance of 80 %.

    None where all is shown, where the games still to be played are enough, and where a test or the width of the
    intervals decides how many games there are.
    """
    experiment = run.experiment
    open_ones = [claim.interval for claim in claims if claim.interval and not claim.is_shown]
    differences = [interval for interval in open_ones if interval.error > 0]
    if not differences or experiment.sprt or experiment.until or not experiment.format.is_known:
        return None
    difference = max(differences, key=lambda interval: abs(interval.value) / interval.error)
    elo = max(round(abs(difference.value)), LEAST_ELO)
    of_those_played = (detectable(difference.error, run.family.critical) / elo) ** 2
    times = math.ceil(of_those_played * run.played / (run.info.games or run.played))
    if not 1 < times <= MOST_TIMES:
        return None
    setting = ""
    if experiment.openings.is_random:
        count = times * experiment.openings.to_draw
        setting = f"--openings {count}" if is_match(run) else f"openings: {{count: {count}}}"
    words = f"To show {elo} Elo with a probability of 80 % takes {times} times the games"
    return MoreGames(words + (":" if setting else "."), setting)
