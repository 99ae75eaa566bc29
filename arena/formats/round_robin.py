"""Round robin: everyone against everyone."""

from __future__ import annotations

from typing import Literal

from arena.yaml.section import Section


class RoundRobin(Section):
    """Everyone against everyone; a round is one opening by all pairings."""

    type: Literal["round-robin"] = "round-robin"

    def most_games(self, players: int, openings: int) -> int:
        return players * (players - 1) * openings

    def openings_needed(self, players: int) -> int:
        return 0
