"""Suites of positions: the suites that ship, and the entry of a configuration that names one or draws one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, Discriminator, Field, Tag, WithJsonSchema

from arena.base.files import found_file, is_file
from arena.base.wording import shown, unknown
from arena.experiment.yaml.errors import Problem
from arena.experiment.yaml.section import Section
from arena.experiment.yaml.values import Source

SUITES_FOLDER = Path(__file__).with_name("suites")
"""The suites that ship, a file each."""


def shipped() -> list[str]:
    """The names of the suites that ship."""
    return sorted(path.stem for path in SUITES_FOLDER.glob("*.txt"))


_NAMED: dict[str, Any] = {"anyOf": [{"enum": shipped()}, {"type": "string"}]}


class NamedSuite(Section):
    """A suite whose positions every player tries to solve."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "file": "name",
        "suite": "name",
        "positions": "count",
        "number": "count",
    }
    name: Annotated[str, WithJsonSchema(_NAMED)] = Field(
        description="A suite that ships, or a file: PDN, or lines `FEN ; best moves`."
    )
    count: int | None = Field(default=None, ge=1, description="Only N of its positions, spread evenly [all].")

    def conflicts(self, source: Source) -> Iterator[Problem]:
        if not is_file(self.path(source.path.parent)):
            yield ("name",), unknown("suite or file", self.name, shipped())

    @property
    def title(self) -> str:
        """What it is called in tables."""
        return Path(self.name).stem

    def path(self, folder: Path) -> Path:
        """The file: of `shipped`, else in `folder`, else in the working directory."""
        if self.name in shipped():
            return SUITES_FOLDER / f"{self.name}.txt"
        return found_file(Path(self.name), folder)


class RandomSuite(Section):
    """Positions drawn at random, without solutions, that every player searches: what does a move cost it?"""

    synonyms: ClassVar[Mapping[str, str]] = {"count": "random", "positions": "random", "plies": "depth"}
    random: int = Field(ge=1, description="Balanced positions to draw at random, from the opening to endings.")
    depth: int | None = Field(
        default=None, ge=1, le=64, description="Plies that every player searches in random ones [its own limit]."
    )

    @property
    def title(self) -> str:
        """What it is called in tables: searches to another depth are those of another suite."""
        return "random" if self.depth is None else f"random d{self.depth}"


def _kind(entry: Any) -> str:
    """The kind of an entry, by its keys."""
    is_random = isinstance(entry, RandomSuite) or (isinstance(entry, dict) and "random" in entry)
    return (RandomSuite if is_random else NamedSuite).__name__


def _entries(value: Any) -> Any:
    """The value of `suite` as a list of mappings."""
    entries = list(value) if isinstance(value, list | tuple) else [value]
    for entry in entries:
        if not isinstance(entry, str | dict | NamedSuite | RandomSuite):
            raise ValueError(
                f"must be a suite's name, a file, {{random: 40}}, or a list of these, not {shown(entry)}"
            )
    return tuple({"name": entry} if isinstance(entry, str) else entry for entry in entries)


_MAPPING = Annotated[
    Annotated[NamedSuite, Tag(NamedSuite.__name__)] | Annotated[RandomSuite, Tag(RandomSuite.__name__)],
    Discriminator(_kind),
]
_ENTRY: Any = Annotated[str, WithJsonSchema(_NAMED)] | _MAPPING
SuitesField = Annotated[
    tuple[_MAPPING, ...], BeforeValidator(_entries, json_schema_input_type=_ENTRY | list[_ENTRY])
]
"""One suite or several, as a field."""
