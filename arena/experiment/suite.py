"""Suites of positions to solve: the suites that ship, and the entry of a configuration that names one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeAlias

from pydantic import BeforeValidator, Field, WithJsonSchema

from arena.base.files import found_file
from arena.base.wording import quoted, shown, unknown
from arena.experiment.yaml.errors import Keys, Mistake
from arena.experiment.yaml.section import Section
from arena.experiment.yaml.values import Source

SUITES_FOLDER = Path(__file__).with_name("suites")
"""The suites that ship, a file each."""


def shipped() -> list[str]:
    """The names of the suites that ship."""
    return sorted(path.stem for path in SUITES_FOLDER.glob("*.txt"))


_NAMED: dict[str, Any] = {"anyOf": [{"enum": shipped()}, {"type": "string"}]}


class SuiteEntry(Section):
    """A suite whose positions every player tries to solve."""

    synonyms: ClassVar[Mapping[str, str]] = {
        "file": "name",
        "suite": "name",
        "positions": "count",
        "number": "count",
    }
    name: Annotated[str, WithJsonSchema(_NAMED)] = Field(
        description="A suite that ships, or a file: PDN, or lines `FEN ; best moves ; stratum`."
    )
    count: int | None = Field(default=None, ge=1, description="Only N of its positions, spread evenly [all].")

    def path(self, folder: Path) -> Path:
        """The file: of `shipped`, else in `folder`, else in the working directory."""
        if self.name in shipped():
            return SUITES_FOLDER / f"{self.name}.txt"
        return found_file(Path(self.name), folder)


def suite_problems(source: Source, entries: Any) -> Iterator[Mistake]:
    """Yield problems of the names in the value of `suite`: no such suite or file, or two of the same name."""
    stems: set[str] = set()
    for number, entry in enumerate(entries if isinstance(entries, list) else [entries]):
        name = entry.get("name") if isinstance(entry, dict) else entry
        if not isinstance(name, str):
            continue
        keys: Keys = ("suite", number) if isinstance(entries, list) else ("suite",)
        keys += ("name",) * isinstance(entry, dict)
        stem = Path(name).stem
        if not SuiteEntry(name=name).path(source.path.parent).is_file():
            yield source.problem(keys, unknown("suite or file", name, shipped()))
        elif stem in stems:
            yield source.problem(keys, f"the suite {quoted(stem)} is given twice: names must differ")
        stems.add(stem)


def _entries(value: Any) -> Any:
    """The value of `suite` as a list of mappings."""
    entries = list(value) if isinstance(value, list | tuple) else [value]
    for entry in entries:
        if not isinstance(entry, str | dict | SuiteEntry):
            raise ValueError(f"must be a suite's name, a file, or a list of these, not {shown(entry)}")
    return tuple({"name": entry} if isinstance(entry, str) else entry for entry in entries)


if TYPE_CHECKING:
    SuitesField: TypeAlias = tuple[SuiteEntry, ...]
else:
    _ENTRY = Annotated[str, WithJsonSchema(_NAMED)] | SuiteEntry
    SuitesField = Annotated[
        tuple[SuiteEntry, ...], BeforeValidator(_entries, json_schema_input_type=_ENTRY | list[_ENTRY])
    ]
"""One suite or several, as a field."""
