"""What a report claims: values that are chosen by their kind, and the only place that gives them words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum, auto
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.base.number import signed
from arena.base.wording import listed
from arena.ratings.interval import Interval
from arena.report.tables.forms import share, share_text
from arena.report.tables.suites import RANDOM

MOST = 12
"""Claims of an answer."""
TOO_WIDE = 150.0
"""Elo of half an interval from which on a difference that is not shown is one of too few games."""
UNKEPT = "†"
"""Stands behind a time that was not equal; `cautions.too_long` explains it."""
_EACH = 3
"""Comparisons of too few games that have a line each; more are counted in one."""
_NONE: Mapping[str, Any] = MappingProxyType({})


class Kind(Enum):
    """The kinds of claims; the names in the comments are those of their facts."""

    ORDER = auto()
    """The places of the format's final order, from the first; `level_with`: the pairing was decided by seed."""
    TEST_OPEN = auto()  # elo0, elo1, unit, pairs
    TEST_ENDED = auto()  # those, and decided, bound, error
    ONE_PLAYER = auto()  # games
    STRONGER = auto()
    """Of a comparison: `terms`, `late`, `pairs`, `other_limit`, `points`."""
    WEAKER = auto()
    NOT_SHOWN = auto()
    TOO_FEW = auto()
    DOUBLING = auto()  # per
    NO_LINE = auto()  # per
    LEVEL = auto()  # others: whether there are players below
    FAILED = auto()  # failed, games
    PLACED = auto()
    """A player and those of given Elo that it is certainly above and below: `lower`, `upper` are their Elo."""
    UNPLACED = auto()
    ERRS = auto()  # pieces, rates
    SOLVES = auto()  # suite, positions, shares
    DIFFERS = auto()
    """What a player gains over another differs from run to run: `least`, `most`, of the runs of these names."""
    ALIKE = auto()  # runs
    NOTHING_COMMON = auto()
    MORE_TOO_FEW = auto()  # count
    MORE = auto()  # count


class Claim(NamedTuple):
    """One line of a report's answer."""

    kind: Kind
    players: tuple[str, ...] = ()
    """The players, or values of a setting, that it is about, in the order of the words."""
    interval: Interval | None = None
    """In Elo, of the first player over the second."""
    is_shown: bool = True
    """Whether the games show it; what they do not show is grey."""
    facts: Mapping[str, Any] = _NONE
    """What else the words take, by the names in `Kind`."""

    def said(self, shown: Callable[[str], str] = str) -> str:
        """The words without the number; `shown` makes the names of players."""
        return self.template.format(*map(shown, self.players), **self.facts)

    @property
    def template(self) -> str:
        """The words with a `{}` for each player, and the names of facts in braces."""
        words = _WORDS[self.kind]
        return words if isinstance(words, str) else words(self)

    @property
    def note(self) -> str:
        """What stands in brackets behind the number; "" for nothing."""
        facts = self.facts
        if facts.get("pairs_of_players", 1) > 1:
            return f"mean of {facts['pairs_of_players']} pairs of players"
        if facts.get("level_with"):
            return f"level with {facts['level_with']}, {self.players[0]} is first by its higher seed"
        return "at another limit" if facts.get("other_limit") else ""

    @property
    def sentence(self) -> str:
        """The words with the number: "linear is stronger than simple: +125 ± 30 Elo"."""
        number = f": {self.interval} Elo" if self.interval else ""
        return f"{self.said()}{number}{f' ({self.note})' if self.note else ''}."


def compared(first: str, second: str, difference: Interval, **facts: Any) -> Claim:
    """What games say of two players, or of two values of a setting, of which the first is spoken of.

    `points`, of the first, stand in place of a number where games are too few.
    """
    players = (first, second)
    if abs(difference.value) > difference.error:
        return Claim(Kind.STRONGER if difference.value > 0 else Kind.WEAKER, players, difference, facts=facts)
    if difference.error > TOO_WIDE:
        return Claim(Kind.TOO_FEW, players, None, False, facts)
    return Claim(Kind.NOT_SHOWN, players, difference, False, facts)


def placed(player: str, elo: Interval, given: Mapping[str, float]) -> Claim:
    """Where a player stands among those whose Elo is given, as far as its interval shows."""
    below = [name for name in given if given[name] < elo.low]
    above = [name for name in given if given[name] > elo.high]
    lower, upper = sorted(below, key=given.__getitem__)[-1:], sorted(above, key=given.__getitem__)[:1]
    facts = {"lower": [given[name] for name in lower], "upper": [given[name] for name in upper]}
    kind = Kind.PLACED if lower or upper else Kind.UNPLACED
    return Claim(kind, (player, *lower, *upper), elo, kind is Kind.PLACED, facts)


def shortened(claims: Sequence[Claim]) -> list[Claim]:
    """The first MOST claims, and how many are left out; many comparisons of too few games become one claim."""
    unclear = [claim for claim in claims if claim.kind is Kind.TOO_FEW]
    if len(unclear) > _EACH:
        claims = [claim for claim in claims if claim.kind is not Kind.TOO_FEW]
        claims.append(Claim(Kind.MORE_TOO_FEW, is_shown=False, facts={"count": len(unclear)}))
    left_out = len(claims) - MOST
    if left_out <= 0:
        return list(claims)
    return [*claims[: MOST - 1], Claim(Kind.MORE, is_shown=False, facts={"count": left_out + 1})]


# --- words


def _order(claim: Claim) -> str:
    places = ("first", "second", "third")[: len(claim.players)]
    return ", ".join(f"{{}} is {place}" for place in places)


def _test_ended(claim: Claim) -> str:
    is_more, is_below = claim.facts["decided"] == "H1", claim.facts["bound"] < 0
    than, or_ = ("more", "or less") if is_more != is_below else ("less", "or more")
    chance = f"chance of error {{error:g}} % if it is {{distance}} {or_}"
    return (
        f"{{}} is {than} than {{distance}} {{unit}} {'weaker' if is_below else 'stronger'} than {{}} ({chance}): "
        "the test of {elo0:g} against {elo1:g} accepted {decided} after {pairs}"
    )


def _at(claim: Claim) -> str:
    """At which equal terms two are compared, with a space before it."""
    terms = " at equal {terms}" if claim.facts.get("terms") else ""
    return terms + f" {UNKEPT}" * bool(claim.facts.get("late"))


def _too_few(claim: Claim) -> str:
    points = " ({points})" if claim.facts.get("points") else ""
    return f"{{}}{points} and {{}}{_at(claim)}: too few games to tell"


def _doubling(claim: Claim) -> str:
    return ("with {}, " if claim.players else "") + "twice the {per} is worth"


def _names(claim: Claim) -> str:
    return listed(["{}"] * len(claim.players))


def _level(claim: Claim) -> str:
    some = _names(claim) if claim.players else "{count} players"
    return f"{some} are level" + " at the top" * bool(claim.facts["others"])


def _placed(claim: Claim) -> str:
    lower, upper = claim.facts["lower"], claim.facts["upper"]
    side = "between" if lower and upper else "above" if lower else "below"
    return f"{{}} is {side} {listed([f'{{}} ({signed(elo)})' for elo in lower + upper])}"


def _errs(claim: Claim) -> str:
    first, *others = (share(*rate) for rate in claim.facts["rates"])
    second = "".join(f", {{}} in {rate}" for rate in others)
    return (
        f"In endings of up to {{pieces}} pieces {{}} throws away half a point or more in {first} "
        f"of the decisions in which a move can{second}"
    )


def _solves(claim: Claim) -> str:
    first, *others, chance = (f"{share_text(*solved)} %" for solved in claim.facts["shares"])
    second = "".join(f", {{}} {share}" for share in others)
    return f"Of the {{positions:,}} positions of {{suite}} {{}} solves {first}{second}, {RANDOM} {chance}"


_WORDS: Mapping[Kind, str | Callable[[Claim], str]] = {
    Kind.ORDER: _order,
    Kind.TEST_OPEN: "The test of {elo0:g} against {elo1:g} {unit} is open after {pairs}",
    Kind.TEST_ENDED: _test_ended,
    Kind.ONE_PLAYER: "{} and {} played the same moves in all {games} games: they are one player",
    Kind.STRONGER: lambda claim: f"{{}} is stronger than {{}}{_at(claim)}",
    Kind.WEAKER: lambda claim: f"{{}} is weaker than {{}}{_at(claim)}",
    Kind.NOT_SHOWN: lambda claim: f"{{}} and {{}}{_at(claim)}: no difference shown",
    Kind.TOO_FEW: _too_few,
    Kind.DOUBLING: _doubling,
    Kind.NO_LINE: lambda claim: f"with {_names(claim)}, a doubling is not worth the same at every {{per}}",
    Kind.LEVEL: _level,
    Kind.FAILED: "{} failed in {failed} of its {games}, which say nothing of its play",
    Kind.PLACED: _placed,
    Kind.UNPLACED: "{}: no place among the players of given Elo shown",
    Kind.ERRS: _errs,
    Kind.SOLVES: _solves,
    Kind.DIFFERS: "what {} gains over {} differs from run to run: {least}, {most}",
    Kind.ALIKE: "no difference shown between runs in what a player gains over {}",
    Kind.NOTHING_COMMON: "There is nothing to compare before two runs have games of the same players",
    Kind.MORE_TOO_FEW: "{count} comparisons: too few games to tell",
    Kind.MORE: "{count} more, listed below",
}
