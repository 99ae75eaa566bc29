"""Openings: the named sets, a file each, and the keys of a configuration that choose openings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, NamedTuple

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema

from arena.base.wording import unknown
from arena.experiment.yaml.section import Section, one_of
from arena.experiment.yaml.values import Problem, Refusal

SETS_FOLDER = Path(__file__).with_name("sets")
"""The files: a FEN a line, in braces its line of play, its mark and its balance."""
BARRED = "barred"
"""The mark of openings that are not played."""


class OpeningSet(NamedTuple):
    """A set of openings."""

    name: str
    variant: str
    played: int
    """Its openings, all of different positions."""
    barred: int
    """Its openings in which one side loses a man or the game: played only on request."""
    source: str

    @property
    def counts(self) -> str:
        """How many are played, and of how many: "156 of 174"."""
        return f"{self.played} of {self.played + self.barred}" if self.barred else str(self.played)


SETS = {
    each.name: each
    for each in (
        OpeningSet("english-2-move", "english", 43, 6, "all lines of 2 plies; barred by the ACF"),
        OpeningSet("english-3-move", "english", 156, 18, "ballots of the ACF, 2002; 12 of them for play by mail"),
        OpeningSet("english-11-man", "english", 2253, 247, "a man off each side, by the NCCA; barred by KingsRow"),
        OpeningSet("international-2-ply", "international", 79, 2, "all lines of 2 plies; barred: a man is lost"),
        OpeningSet(
            "international-3-ply", "international", 333, 114, "all lines of 3 plies; barred: a man is lost"
        ),
        OpeningSet("russian-table", "russian", 742, 0, "drawing table of the IDF, 2017: 745 rows"),
        OpeningSet("brazilian-table", "brazilian", 734, 0, "drawing table of the IDF, 2017: 736 rows"),
        OpeningSet("italian-table", "italian", 174, 0, "general table of the FID, with its grades"),
    )
}
"""Every set, by its name. ACF and NCCA are checker federations of America and North Carolina, IDF and FID the
international and the Italian draughts federation."""


RANDOM_KEYS = ("random_plies", "balanced")
"""The keys of a configuration that choose openings at random, and no set or file."""
MAX_OPENINGS = 100_000
"""Openings that can be asked for."""


def _set_name(name: str) -> str:
    if name not in SETS:
        raise Refusal(unknown("set of openings", name, SETS))
    return name


SetName = Annotated[
    str,
    AfterValidator(_set_name),
    WithJsonSchema(one_of({each.name: f"{each.played} openings: {each.source}." for each in SETS.values()})),
]
"""The name of one of SETS, as a field."""


RANDOM_OPENINGS = 50
"""Random openings of a configuration without a `count`."""


def _by_rules(schema: dict[str, Any]) -> None:
    """Say in the schema that each value may be a mapping from rule sets of `variants` to values, too."""
    for key, value in schema["properties"].items():
        texts = {name: value.pop(name) for name in ("default", "description") if name in value}
        schema["properties"][key] = texts | {"anyOf": [value, {"type": "object", "additionalProperties": value}]}


class Openings(Section):
    """The openings; each is played twice by every pairing, colours swapped."""

    model_config = ConfigDict(json_schema_extra=_by_rules)
    synonyms: ClassVar[Mapping[str, str]] = {
        "games": "count",
        "rounds": "count",
        "number": "count",
        "name": "set",
        "table": "set",
        "ballots": "set",
    }
    random_plies: int = Field(default=4, ge=0, description="Random plies from the start position; 0: that alone.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")
    set: SetName | None = Field(default=None, description="Use a named set of openings.")
    file: str | None = Field(default=None, description="A file of openings: FENs, one a line, or a PDN.")
    plies: int | None = Field(
        default=None, ge=0, description="Plies of each game of a PDN, to the opening [all of it]."
    )
    order: Literal["random", "file"] | None = Field(
        default=None, description="How `count` chooses from a set or file: by lot, or the first ones [random]."
    )
    count: int | None = Field(
        default=None,
        ge=0,
        le=MAX_OPENINGS,
        description=f"How many; 0: no games, only suites [{RANDOM_OPENINGS} random ones; all of a set or file].",
    )
    repeat: int = Field(
        default=1,
        ge=1,
        le=MAX_OPENINGS,
        description="How often each is played; games that come out alike count once.",
    )

    @property
    def is_random(self) -> bool:
        """Whether they are of no set or file."""
        return self.set is None and self.file is None

    @property
    def to_draw(self) -> int:
        """How many random ones there are."""
        return RANDOM_OPENINGS if self.count is None else self.count

    @property
    def are_repeated(self) -> bool:
        """Whether an opening is played several times."""
        return self.count != 0 and (self.repeat > 1 or (self._is_start and self.count != 1))

    @property
    def _is_start(self) -> bool:
        return self.is_random and not self.random_plies

    def time_of(self, number: int) -> int:
        """The how-many-th time, from 0, that an opening is played where it stands at place `number`."""
        return number if self._is_start else number % self.repeat

    def conflicts(self, folder: Path) -> Iterator[Problem]:
        if self.set is not None and self.file is not None:
            yield (), "'set' and 'file' cannot be combined: openings have one source"
            return
        if self.plies is not None and not (self.file or "").lower().endswith(".pdn"):
            yield ("plies",), "'plies' is of the games of a file in PDN; 'random_plies' is of random openings"
        if self.order is not None and self.is_random:
            yield ("order",), "'order' is of the openings of a set or file"
        for key in () if self.is_random else self.model_fields_set.intersection(RANDOM_KEYS):
            yield (key,), f"{key!r} is of random openings; a set or file has others"
