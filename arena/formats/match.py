"""Match: two players."""

from __future__ import annotations

from typing import Literal

from arena.yaml.section import Section


class Match(Section):
    """Two players; a round is one opening."""

    type: Literal["match"]

    def most_games(self, players: int, openings: int) -> int:
        return 2 * openings

    def openings_needed(self, players: int) -> int:
        return 0
