"""Games that count: which can, what one refuses while it is played, and that leaving resigns it."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress

from arena.sitting.sides import Side
from arena.sitting.sitting import Sitting, SittingError

ONLY_WITH_A_PLAYER = "a game counts only between one person and one player"
FROM_THE_START = "a game counts only from its start position"
REFUSED: Mapping[str, str] = {
    "undo": "no move is taken back",
    "hint": "there are no hints",
    "evaluation": "there is no evaluation",
    "stop": "players may use their time",
    "seat": "its players stay",
}
"""What is refused in a game that counts, as its person reads it; the players stay once a move is played."""


def begin_counting(sitting: Sitting) -> None:
    """Have a game count. Raises SittingError if it cannot."""
    check_sides(sitting.sides)
    if sitting.turns or sitting.game.start != sitting.variant.start:
        raise SittingError(FROM_THE_START)
    sitting.counts = True


def check_sides(sides: tuple[Side, Side]) -> None:
    """Raise SittingError if no game between those sides can count."""
    if not _can_meet(sides):
        raise SittingError(ONLY_WITH_A_PLAYER)


def is_refused(sitting: Sitting, what: str) -> bool:
    """Whether one of REFUSED is refused now."""
    return sitting.counts and (what != "seat" or bool(sitting.turns))


def refuse(sitting: Sitting, what: str) -> None:
    """Raise SittingError if one of REFUSED is refused now."""
    if is_refused(sitting, what):
        raise SittingError(f"this game counts: {REFUSED[what]}")


def is_at_stake(sitting: Sitting) -> bool:
    """Whether to leave a game is to resign it: it counts, is begun, and is not over."""
    return sitting.counts and bool(sitting.turns) and sitting.outcome is None


def leave(sitting: Sitting) -> bool:
    """Resign for the person if the game is at stake; whether it was."""
    if not is_at_stake(sitting):
        return False
    with suppress(SittingError):  # the clock ran out just now
        sitting.resign([side.is_person for side in sitting.sides].index(True))
    return True


def uncounted(sitting: Sitting) -> str:
    """Why a game that was played does not count, whether or not it was to; empty if it does."""
    if sitting.outcome is None:
        return "it is not over"
    if not _can_meet(sitting.sides):
        return ONLY_WITH_A_PLAYER
    if sitting.game.start != sitting.variant.start:
        return FROM_THE_START
    return sitting.helped or ("" if sitting.turns else "no move was played")


def _can_meet(sides: tuple[Side, Side]) -> bool:
    return sum(side.is_person for side in sides) == 1
