"""Match: two players."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar, Literal

from arena.experiment.formats.base import Format
from arena.experiment.yaml.errors import Keys


class Match(Format):
    """Two players; a round is one opening."""

    type: Literal["match"]
    tested: ClassVar[bool] = True

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        if len(names) != 2:
            yield ("type",), f"'match' needs exactly two players, not {len(names)}"
