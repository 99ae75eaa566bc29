"""Suites of positions: the suites that ship, and the entry of a configuration that names one or draws one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Field, WithJsonSchema

from arena.base.files import found_file, is_file
from arena.base.wording import unknown
from arena.experiment.yaml.section import Section
from arena.experiment.yaml.values import Problem

SUITES_FOLDER = Path(__file__).with_name("suites")
"""The suites that ship, a file each."""


def shipped() -> list[str]:
    """The names of the suites that ship."""
    return sorted(path.stem for path in SUITES_FOLDER.glob("*.txt"))


SuiteName = Annotated[str, WithJsonSchema({"anyOf": [{"enum": shipped()}, {"type": "string"}]})]


class SuiteEntry(Section):
    """Positions for every player: a suite to solve, or random ones to search, which say what a move costs it."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "file": "name",
        "suite": "name",
        "positions": "count",
        "number": "count",
        "plies": "depth",
    }
    name: SuiteName | None = Field(
        default=None, description="A suite that ships, or a file: PDN, or lines `FEN ; best moves`."
    )
    count: int | None = Field(default=None, ge=1, description="Only N of its positions, spread evenly [all].")
    random: int | None = Field(
        default=None,
        ge=1,
        description="In place of a name: balanced positions to draw at random, from the opening to endings.",
    )
    depth: int | None = Field(
        default=None, ge=1, le=64, description="Plies that every player searches in random ones [its own limit]."
    )

    def conflicts(self, folder: Path) -> Iterator[Problem]:
        if (self.name is None) == (self.random is None):
            yield (), "a suite has a 'name', or is 'random': give one of them"
        elif self.name is None and self.count is not None:
            yield ("count",), "'count' is of a suite with a name: 'random' is how many there are"
        elif self.random is None and self.depth is not None:
            yield ("depth",), "'depth' is of random positions: others are solved under each player's own limit"
        elif self.name is not None and not is_file(self.path(folder)):
            yield ("name",), unknown("suite or file", self.name, shipped())

    @property
    def title(self) -> str:
        """Its name in tables: random positions that are searched to another depth are another suite."""
        depth = "" if self.depth is None else f" d{self.depth}"
        return f"random{depth}" if self.name is None else Path(self.name).stem

    def path(self, folder: Path) -> Path:
        """The file of a suite with a name: of `shipped`, else in `folder`, else in the working directory."""
        if self.name in shipped():
            return SUITES_FOLDER / f"{self.name}.txt"
        return found_file(Path(self.name or ""), folder)


def _entries(value: Any) -> Any:
    entries = value if isinstance(value, list | tuple) else [value]
    return tuple({"name": entry} if isinstance(entry, str) else entry for entry in entries)


_ENTRY: Any = SuiteName | SuiteEntry
SuitesField = Annotated[
    tuple[SuiteEntry, ...], BeforeValidator(_entries, json_schema_input_type=_ENTRY | list[_ENTRY])
]
"""One suite or several, as a field."""
