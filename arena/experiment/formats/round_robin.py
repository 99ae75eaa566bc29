"""Round robin: everyone against everyone."""

from __future__ import annotations

from typing import ClassVar, Literal

from arena.experiment.formats.base import Format


class RoundRobin(Format):
    """Everyone against everyone; a round is one opening by all pairings."""

    type: Literal["round-robin"] = "round-robin"
    tested: ClassVar[bool] = True
    annuls: ClassVar[bool] = True
    least_players: ClassVar[int] = 0
