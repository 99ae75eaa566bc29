"""What a report claims: a line of its answer, which keeps the names in it apart from its words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

from arena.base.number import signed
from arena.base.wording import joined
from arena.ratings.interval import Interval

MOST = 12
"""Claims of an answer."""
TOO_WIDE = 150.0
"""Elo of half an interval from which on a difference that is not shown is one of too few games."""
_EACH = 3
"""Comparisons of too few games that have a line each; more are counted in one."""


class Claim(NamedTuple):
    """One line of a report's answer."""

    words: str
    """What it says, with a `{}` for each name."""
    names: tuple[str, ...] = ()
    """Of players, values of a setting, families, suites or runs, in the order of the words."""
    interval: Interval | None = None
    """In Elo, of the first player over the second."""
    is_shown: bool = True
    """Whether the games show it; what they do not show is grey."""
    note: str = ""
    """What stands in brackets behind the number."""
    lacks_games: bool = False
    """Whether it says that there are too few games to tell."""
    compares: bool = False
    """Whether it says which of two is stronger, or that no difference is shown."""

    @property
    def elo(self) -> Interval | None:
        """The interval, where there are games enough to say it."""
        return None if self.lacks_games else self.interval

    @property
    def sentence(self) -> str:
        """The words with the number: "linear is stronger than simple: +125 ± 30 Elo"."""
        number = f": {self.elo} Elo" if self.elo else ""
        return f"{self.words.format(*self.names)}{number}{f' ({self.note})' if self.note else ''}."


def compared(
    first: str,
    second: str,
    difference: Interval,
    is_shown: bool,
    *,
    at: str = "",
    points: str = "",
    note: str = "",
) -> Claim:
    """What games say of two players, or of two values of a setting, of which the first is spoken of.

    `is_shown` is whether the difference is beyond chance among all that is compared (`Family.shows`). `at` says at
    which equal terms. `points`, of the first, stand in place of a number where games are too few.
    """
    names = (first, second)
    if is_shown:
        than = "stronger" if difference.value > 0 else "weaker"
        return Claim(f"{{}} is {than} than {{}}{at}", names, difference, note=note, compares=True)
    if difference.error > TOO_WIDE:
        scored = f" ({points})" if points else ""
        words = f"{{}}{scored} and {{}}{at}: too few games to tell"
        return Claim(words, names, difference, is_shown=False, note=note, lacks_games=True)
    words = f"{{}} and {{}}{at}: no difference shown"
    return Claim(words, names, difference, is_shown=False, note=note, compares=True)


class Level(NamedTuple):
    """A difference under one of several conditions."""

    where: str
    """Stands before its words: at, with, in."""
    words: str
    """The condition: "depth 4", "no pvs", "english"."""
    difference: Interval
    is_shown: bool
    """Whether it is beyond chance among all that is compared."""


def ranging(first: str, second: str, levels: Sequence[Level], *, at: str = "", note: str = "") -> Claim:
    """What games say of two whose difference depends on the level: its ends, and where the sign turns.

    `levels` are in order. `at` says at which equal terms.
    """
    least, most = (end(levels, key=lambda level: level.difference.value) for end in (min, max))
    ends = sorted((least, most), key=levels.index)
    is_one_sided = least.difference.value * most.difference.value > 0
    span = ": from " + " to ".join(f"{level.difference} Elo {level.where} {level.words}" for level in ends)
    if is_one_sided and all(level.is_shown for level in levels):
        words = f"{{}} is {'stronger' if least.difference.value > 0 else 'weaker'} than {{}}{at} everywhere"
        return Claim(words + span, (first, second), note=note, compares=True)
    shown = [
        f"; {words} {levels[0].where} {_places(levels, sign)}"
        for words, sign in (("stronger", 1), ("weaker", -1))
        if any(level.is_shown and level.difference.value * sign > 0 for level in levels)
    ]
    words = f"{{}} over {{}}{at}{span}{''.join(shown) or '; no difference shown at any'}"
    return Claim(words, (first, second), is_shown=bool(shown), note=note, compares=True)


def _places(levels: Sequence[Level], sign: int) -> str:
    """The levels at which a difference of this sign is shown, those in a row by their ends: "depth 3 to 6"."""
    runs: list[list[Level]] = []
    for before, level in pairwise([None, *levels]):
        assert level is not None
        if level.is_shown and level.difference.value * sign > 0:
            is_next = bool(runs) and runs[-1][-1] is before
            runs = [*runs[:-1], [*runs[-1], level]] if is_next else [*runs, [level]]
    ends = [(of[0].words, of[-1].words) for of in runs]
    common = ends[0][0].rpartition(" ")[0] + " "
    return joined(
        [
            low
            if low == high
            else f"{low} to {high.removeprefix(common)}"
            if low.startswith(common)
            else f"{low}, {high}"
            for low, high in ends
        ]
    )


def among_given(player: str, elo: Interval, given: Mapping[str, float]) -> Claim:
    """Where a player stands among those whose Elo is given, as far as its interval shows."""
    below = [name for name in given if given[name] < elo.low]
    above = [name for name in given if given[name] > elo.high]
    lower, upper = sorted(below, key=given.__getitem__)[-1:], sorted(above, key=given.__getitem__)[:1]
    others = [*lower, *upper]
    if not others:
        return Claim("{}: no place among the players of given Elo shown", (player,), elo, is_shown=False)
    side = "between" if lower and upper else "above" if lower else "below"
    beside = joined([f"{{}} ({signed(given[name])})" for name in others])
    return Claim(f"{{}} is {side} {beside}", (player, *others), elo)


def shortened(claims: Sequence[Claim]) -> list[Claim]:
    """The first MOST claims, and how many are left out; many comparisons of too few games become one claim."""
    lacking = sum(claim.lacks_games for claim in claims)
    if lacking > _EACH:
        claims = [claim for claim in claims if not claim.lacks_games]
        claims.append(Claim(f"{lacking} comparisons: too few games to tell", is_shown=False))
    left_out = len(claims) - MOST
    if left_out <= 0:
        return list(claims)
    return [*claims[: MOST - 1], Claim(f"{left_out + 1} more, listed below", is_shown=False)]
