"""Study: an analysis of one position in a thread, which says at any time what it has found."""

from __future__ import annotations

from typing import Any

from arena.hosting.analysis import Analysis, Findings
from arena.rules.game import Game
from arena.sitting.sides import ADVICE_SECONDS, adviser
from arena.web.documents import analysis_document
from arena.web.thinking import building
from players.negamax.state import MAX_DEPTH
from players.player import Limit

MOST_SECONDS = 600.0
"""Seconds after which an analysis is ended."""


class Study:
    """The best lines of a game's position: `search` in a thread, everything else from the loop."""

    def __init__(self, game: Game, lines: int, *, is_hint: bool = False) -> None:
        """`game` is a copy; a hint ends after ADVICE_SECONDS."""
        self.ply, self.lines = len(game.moves), lines
        self._game, self._is_hint = game, is_hint
        self._analysis: Analysis | None = None
        self._latest: Findings | None = None
        self._sent: Findings | None = None
        self._is_stopped = False

    def search(self) -> None:
        """Search until it is stopped or nothing more is to be found."""
        limit = Limit(seconds=ADVICE_SECONDS) if self._is_hint else Limit(depth=MAX_DEPTH, seconds=MOST_SECONDS)
        with building:
            self._analysis = Analysis(adviser(self._game.variant, limit), self._game, self.lines)
        for findings in self._analysis.findings():
            self._latest = findings
            if self._is_stopped:
                self._analysis.stop()

    def is_of(self, game: Game) -> bool:
        """Whether it is of that game's position, reached by the same moves."""
        return self._game.moves == game.moves and self._game.start == game.start

    def stop(self) -> None:
        """End the search soon; this returns at once."""
        self._is_stopped = True
        if self._analysis is not None:
            self._analysis.stop()

    def news(self) -> dict[str, Any] | None:
        """The latest findings, None if nothing new since the last call."""
        if self._latest is self._sent:
            return None
        self._sent = self._latest
        return self.document()

    def document(self) -> dict[str, Any] | None:
        """The findings so far, None if nothing."""
        if self._analysis is None or self._latest is None:
            return None
        return analysis_document(self._analysis, self._game, self._latest, self.ply)
