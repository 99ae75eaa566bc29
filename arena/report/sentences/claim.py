"""A claim: one comparison in words, with the interval of its difference."""

from __future__ import annotations

from typing import NamedTuple

from arena.ratings.interval import Interval

TOO_WIDE = 150.0
"""Elo of half an interval from which on a difference that is not shown is one of too few games."""


class Claim(NamedTuple):
    """One line of a report's answer."""

    words: str
    """What is said, with a `{}` for each of the names; without names, as it is."""
    names: tuple[str, ...] = ()
    difference: Interval | None = None
    """In Elo, of the first name over the second."""
    is_shown: bool = True
    """Whether the games show it; what they do not show is grey."""
    note: str = ""

    @property
    def text(self) -> str:
        """What is said, without its number."""
        return self.words.format(*self.names) if self.names else self.words

    @property
    def sentence(self) -> str:
        """What is said, with its number: "linear is stronger than simple: +125 ± 30 Elo"."""
        number = f": {self.difference} Elo" if self.difference else ""
        return f"{self.text}{number}{f' ({self.note})' if self.note else ''}."


def compared(
    first: str, second: str, difference: Interval, where: str = "", note: str = "", points: str = ""
) -> Claim:
    """What games say of two players, or of two values of a setting, of which the first is spoken of.

    `where` says at which terms; `points` are those of the first, for what too few games leave open.
    """
    at = f" {where}" * bool(where)
    names = (first, second)
    if abs(difference.value) > difference.error:
        word = "stronger" if difference.value > 0 else "weaker"
        return Claim(f"{{}} is {word} than {{}}{at}", names, difference, note=note)
    if difference.error > TOO_WIDE:
        what = f", {points}" if points else ""
        return Claim(f"{{}} and {{}}{at}{what}: too few games to tell", names, None, False, note)
    return Claim(f"{{}} and {{}}{at}: no difference shown", names, difference, False, note)
