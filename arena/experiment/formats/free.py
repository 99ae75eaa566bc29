"""Free: games as they come."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from arena.experiment.formats.base import Format, Tie
from arena.experiment.yaml.errors import Keys


class Free(Format):
    """Games as they come, each by itself: those of persons at the board. None are planned.

    A run has it that persons play; for a configuration it is a problem in itself.
    """

    type: Literal["free"] = "free"

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        yield ("type",), "the format 'free' is of games at the board (arena play --record), not of a tournament"

    def ties(self, names: Sequence[str]) -> list[Tie]:
        return []
