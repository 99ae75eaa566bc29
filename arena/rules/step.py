"""A step in a direction, as shifts of bits.

Directions are numbered: 0 and 1 go down diagonally (to higher squares, black's way), 2 and 3 up; d and d ^ 2 are
opposite. 4 to 7 go straight to the next dark square: right, down, left, up; that is two columns or rows away.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.rules.jit.kernel import inlined

if TYPE_CHECKING:
    from arena.rules.rules import Rules


@inlined
def step(rules: Rules, bits: int, direction: int) -> int:
    """All `bits` moved to the next square in a direction; what falls on a ghost must be masked by the caller."""
    if direction == 0:
        return bits << rules.per_row
    if direction == 1:
        return bits << (rules.per_row + 1)
    if direction == 2:
        return bits >> rules.per_row
    if direction == 3:
        return bits >> (rules.per_row + 1)
    if direction == 4:
        return (bits & ~rules.rightmost) << 1
    if direction == 5:
        return bits << (2 * rules.per_row + 1)
    if direction == 6:
        return (bits & ~rules.leftmost) >> 1
    return bits >> (2 * rules.per_row + 1)
