"""Adjudication: when a game ends before its rules end it, by the scores of its players or by endgame tables.

The rules on scores are those of fastchess (`-resign`, `-draw`), in men and plies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, WithJsonSchema

from arena.base.wording import listed
from arena.experiment.yaml.section import Section
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES


def _pieces(value: Any) -> Any:
    return USUAL_PIECES * value if isinstance(value, bool) else value


class Win(Section):
    """A game is won when the scores have a player `men` ahead for `plies` plies."""

    men: float = Field(default=3.0, gt=0, description="Men that a score has it ahead, at least.")
    plies: int = Field(default=6, ge=2, description="Plies in a row whose scores say so.")
    agreed: bool = Field(default=True, description="Of both players' moves; false: of the loser's alone.")


class Draw(Section):
    """A game is drawn when the scores of both players are level, within `men`, for `plies` plies."""

    men: float = Field(default=0.2, ge=0, description="Men that a score is from 0, at most.")
    plies: int = Field(default=20, ge=2, description="Plies in a row whose scores say so.")
    after: int = Field(default=60, ge=0, description="Plies of the game before it may be drawn so.")


class Adjudication(Section):
    """When a game ends before its rules end it."""

    tables: Annotated[
        int,
        BeforeValidator(_pieces),
        WithJsonSchema(
            {"anyOf": [{"type": "boolean"}, {"type": "integer", "minimum": 0, "maximum": MOST_PIECES}]}
        ),
    ] = Field(
        default=0,
        ge=0,
        le=MOST_PIECES,
        description=f"Most pieces of a position that tables decide; true: {USUAL_PIECES}.",
    )
    win: Win | None = Field(default=None, description="Won by scores; {} for the defaults.")
    draw: Draw | None = Field(default=None, description="Drawn by scores; {} for the defaults.")
    verify: float = Field(
        default=0.0, ge=0, le=1, description="Share of the games that are played to the end, to count mistakes."
    )

    def unusable(self, men: Sequence[float | None], max_plies: int) -> Iterator[str]:
        """Yield a line for each rule that can end no game of players to whom a man is worth this."""
        scoring = sum(worth is not None for worth in men)
        rules = {"win": self.win, "draw": self.draw}
        needed = {"win": 2 if self.win is None or self.win.agreed else 1, "draw": 2}
        lacking = [name for name, rule in rules.items() if rule is not None and scoring < needed[name]]
        if lacking:
            players = "no player reports" if not scoring else "only one player reports"
            yield f"{listed(lacking)} can end no game: {players} scores in men"
        if self.draw is not None and max(self.draw.after, self.draw.plies) >= max_plies:
            yield f"draw can end no game: all end after {max_plies} plies ('max_plies')"
        if self.win is not None and self.win.plies >= max_plies:
            yield f"win can end no game: all end after {max_plies} plies ('max_plies')"
