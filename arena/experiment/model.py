"""The model of an experiment: every key of its file, frozen.

A new top-level section is one more field of `Experiment` with its own small model, a `Section`: its
validation, the choices that errors name, `Experiment.as_dict` and the schema follow from the field.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    PrivateAttr,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

from arena.base.wording import joined, phrase, quoted, unknown
from arena.experiment.expand import LimitEntry, Sweep
from arena.experiment.formats import FORMATS, FormatField
from arena.experiment.formats.fixed import RoundRobin, Sprt, Until
from arena.experiment.names import completed_entry
from arena.experiment.openings import Openings
from arena.experiment.submissions import own_folders
from arena.experiment.suite import SuiteEntry, SuitesField
from arena.experiment.yaml.section import FOLDER_NAME, Section, repeated
from arena.experiment.yaml.values import ConfigError, Keys, Problem, Refusal, Source
from arena.rules.custom import Changes, VariantError, build_variant
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES, Pieces
from arena.rules.rules import SIZES
from arena.rules.variants import VARIANTS, Variant
from players.player import ENGINE, HUMAN, MEANT_LIMITS, NAME_CHARACTERS, TYPES, Allowance, Limit, PlayerSpec

_Tables = Annotated[int, Field(ge=0, le=MOST_PIECES)]


_PIECES = BeforeValidator(
    lambda value: USUAL_PIECES * value if isinstance(value, bool) else value, json_schema_input_type=bool | _Tables
)


class WinRule(Section):
    """A game is won when the scores have a player `men` ahead for `plies` plies."""

    men: float = Field(default=3.0, gt=0, description="Least lead of a score, in men.")
    plies: int = Field(default=6, ge=2, description="Plies in a row whose scores say so.")
    agreed: bool = Field(default=True, description="Of both players' moves; false: of the loser's alone.")


class DrawRule(Section):
    """A game is drawn when the scores of both players are level, within `men`, for `plies` plies."""

    men: float = Field(default=0.2, ge=0, description="Greatest distance of a score from 0, in men.")
    plies: int = Field(default=20, ge=2, description="Plies in a row whose scores say so.")
    after: int = Field(default=60, ge=0, description="Plies of the game before it may be drawn so.")


class Adjudication(Section):
    """When a game ends before its rules end it, by endgame tables or as fastchess does by scores, in men."""

    tables: Annotated[int, _PIECES] = Field(
        default=0,
        ge=0,
        le=MOST_PIECES,
        description=f"Most pieces of a position that tables decide; true: {USUAL_PIECES}.",
    )
    win: WinRule | None = Field(default=None, description="Won by scores; {} for the defaults.")
    draw: DrawRule | None = Field(default=None, description="Drawn by scores; {} for the defaults.")

    def unusable(self, men: Sequence[float | None], max_plies: int) -> Iterator[str]:
        """Yield a line for each rule that can end no game of players to whom a man is worth this."""
        scoring = sum(worth is not None for worth in men)
        rules = {"win": self.win, "draw": self.draw}
        needed = {"win": 2 if self.win is None or self.win.agreed else 1, "draw": 2}
        lacking = [name for name, rule in rules.items() if rule is not None and scoring < needed[name]]
        if lacking:
            players = "no player reports" if not scoring else "only one player reports"
            yield f"{joined(lacking)} can end no game: {players} scores in men"
        if self.draw is not None and max(self.draw.after, self.draw.plies) >= max_plies:
            yield f"draw can end no game: all end after {max_plies} plies ('max_plies')"
        if self.win is not None and self.win.plies >= max_plies:
            yield f"win can end no game: all end after {max_plies} plies ('max_plies')"


class ProcessLimits(Section):
    """What the process of a player with own code may take."""

    move_timeout: float = Field(
        default=60.0, gt=0, description="Seconds for a move without a time limit, and for being built."
    )
    game_timeout: float = Field(
        default=3600.0, gt=0, description="Seconds for all moves of a game without a time limit."
    )
    memory: int = Field(default=2048, ge=64, description="Megabytes that it may take.")
    processes: int = Field(default=64, ge=1, description="Processes that it may run at once, itself included.")
    readable: tuple[str, ...] = Field(
        default=(), strict=False, description="Files and folders that it may read in a sandbox, too."
    )


class Failures(Section):
    """What happens to players that fail, or are found faulty before the first game."""

    withdraw_after: int = Field(
        default=3,
        ge=0,
        description="A player that fails in so many of its first games, in all of them, is withdrawn; 0: never.",
    )
    faulty: Literal["leave-out", "forfeit", "stop"] = Field(
        default="stop",
        description="Own code that a check finds faulty: leave it out, let it lose the games that it fails in, or "
        "end the command if it cannot be built.",
    )


def _player_name(name: str) -> str:
    if not name.isprintable() or name != name.strip():
        raise ValueError(f"must be printable characters with no space at either end, not {phrase(name)}")
    if len(name) > NAME_CHARACTERS:
        raise ValueError(f"must have at most {NAME_CHARACTERS} characters, not {phrase(name)}")
    return name


class _Named(Section):
    name: Annotated[str, AfterValidator(_player_name)] = Field(
        default="",
        min_length=1,
        description="The name in tables and charts; with a sweep a template [made of the settings].",
    )
    type: Annotated[str, WithJsonSchema({"anyOf": [{"enum": TYPES}, {"type": "string", "pattern": "[:*?]"}]})] = (
        Field(default="negamax", description="A built-in player, package.module:Class, or path/to/file.py:Class.")
    )


class PlayerEntry(LimitEntry, _Named):
    """A player: its name, its type, limits of a move; every other key goes to the player's constructor."""

    model_config = ConfigDict(
        extra="allow", json_schema_extra={"dependentRequired": {"increment": ["clock"], "moves": ["clock"]}}
    )
    sweep: Sweep | None = Field(
        default=None,
        description="Settings to try, in every combination: for each a list of values, {from: 1, to: 10}, with a "
        "step or a factor, or {files: PATTERN}.",
    )

    def conflicts(self, folder: Path) -> Iterator[Problem]:
        for key in ("increment", "moves"):
            if getattr(self, key) is not None and self.clock is None:
                yield (key,), f"{key!r} needs a 'clock', to which it adds time"


def spec_of(entry: PlayerEntry) -> PlayerSpec:
    """The player that an entry is."""
    limit = Limit(*(getattr(entry, name) for name in Limit._fields))
    return PlayerSpec(entry.name, entry.type, limit, entry.model_extra or {})


def entry_of(spec: PlayerSpec) -> dict[str, Any]:
    """The entry of `players:` that is a player."""
    limits = {name: value for name, value in spec.limit._asdict().items() if value is not None}
    return {"name": spec.name, "type": spec.type, **limits, **spec.options}


def _player_schema(_: Any, handler: Any) -> CoreSchema:
    dump = core_schema.plain_serializer_function_ser_schema(entry_of)
    return core_schema.no_info_after_validator_function(spec_of, handler(PlayerEntry), serialization=dump)


def _completed(entry: Any, info: ValidationInfo) -> Any:
    return completed_entry(entry, info.context.path.parent if info.context else Path())


PlayerField = Annotated[
    PlayerSpec,
    GetPydanticSchema(_player_schema),
    BeforeValidator(_completed, json_schema_input_type=str | PlayerEntry),
]
"""A player, as a field: a short form such as simple@d6, or an entry."""


class GradeSettings(Section):
    """Who grades the decisions of the games, once these are played."""

    synonyms: ClassVar[Mapping[str, str]] = {"player": "judge", "tables": "pieces"}
    pieces: Literal[0, Pieces] | None = Field(
        default=None,
        description="Most pieces of a position that endgame tables judge; 0: none "
        f"[{USUAL_PIECES}, or none where the rules have no tables].",
    )
    judge: PlayerField | None = Field(
        default=None, description="A player that judges all other positions: deeper than those it grades."
    )


def _variant(value: Any) -> str:
    if value is None:
        example = f"as in variant: english (choices: {', '.join(VARIANTS)})"
        raise Refusal(f"the key 'variant' is missing: the rules, {example}")
    if not isinstance(value, str | dict):
        raise ValueError(f"must be text or a mapping with a base, not {phrase(value)}")
    try:
        return build_variant(value).name
    except VariantError as error:
        raise Refusal(str(error), *([error.key] if isinstance(value, dict) else [])) from None


_SIZED = f"^({'|'.join(VARIANTS)})-({'|'.join(f'{rows}x{rows}' for rows in SIZES)})$"
VariantName = Annotated[
    str, WithJsonSchema({"anyOf": [{"enum": [*VARIANTS]}, {"type": "string", "pattern": _SIZED}]})
]
VariantField = Annotated[Any, BeforeValidator(_variant, json_schema_input_type=VariantName | Changes)]
"""A rule set, as a field: a name, with a size or without, or a base and what is different."""
_FolderName = Annotated[str, Field(pattern=FOLDER_NAME)]
_Several = Field(min_length=2)
_RuleSets: Any = Annotated[list[VariantName], _Several] | Annotated[dict[_FolderName, VariantField], _Several]


def _by_name(variants: Any) -> Any:
    if not isinstance(variants, list | dict):
        raise ValueError(f"must be a list of names or a mapping from names to rule sets, not {phrase(variants)}")
    if isinstance(variants, dict):
        return variants
    for number in repeated(variants):
        raise Refusal(f"the rule set {variants[number]!r} is listed twice", number)
    return {str(name): name for name in variants}


Variants = Annotated[
    dict[_FolderName, VariantField], _Several, BeforeValidator(_by_name, json_schema_input_type=_RuleSets)
]
"""Several rule sets, as a field: a list of names, or a mapping from names to rule sets."""
Limits = Annotated[dict[_FolderName, LimitEntry], _Several]
"""Several limits by their names, as a field."""


AnchorField = Annotated[
    dict[str, float],
    BeforeValidator(
        lambda value: {value: 0.0} if isinstance(value, str) else {} if value is None else value,
        json_schema_input_type=str | dict[str, float],
    ),
]
"""Elo that is given, by player; a name alone has 0."""

_ADDRESS = re.compile(r"(tcp|tls|ucx|wss?)://[^\s:/]+(:\d+)?/?|tcp://\[[0-9a-fA-F:]+\]:\d+")


def checked_workers(value: Any) -> Any:
    """A number of processes, the address of a Dask scheduler, or None; ValueError for anything else."""
    is_address = isinstance(value, str) and _ADDRESS.fullmatch(value)
    if not is_address and value is not None and (type(value) is not int or value < 1):
        raise ValueError(f"must be a number of processes or like tcp://host:8786, not {phrase(value)}")
    return value


_Workers = Annotated[int, Field(ge=1)] | Annotated[str, Field(pattern="://")]
WorkersField = Annotated[int | str | None, BeforeValidator(checked_workers, json_schema_input_type=_Workers)]
"""A number of processes of this machine, None for one a core, or a Dask scheduler's address, as a field."""

_GAMES = "openings: {count: 20}"
_ENDED_EARLY = {
    "sprt": [name for name, kind in FORMATS.items() if kind.tested],
    "until": [name for name, kind in FORMATS.items() if kind.is_known],
}
"""The formats that each of these keys may end early."""
FIXED = ("variant", "seed", "max_plies", "adjudicate", "time_margin")
"""Keys on which every game of a run depends, so that no run has games of two values."""
BESIDE = ("grade", "report", "suite", "workers")
"""Keys on which no game depends."""


class Experiment(Section):
    """One tournament: who plays whom, from which openings, under which rules."""

    synonyms: ClassVar[Mapping[str, str]] = (
        {"games": _GAMES, "rounds": _GAMES, "seeds": _GAMES, "rules": "variant", "engines": "players"}
        | {name: f"players: [{{{name}: ...}}]" for name in Limit._fields}
        | {name: f"players: [{{{limit}: ...}}]" for name, limit in MEANT_LIMITS.items()}
        | {name: f"process: {{{name}: ...}}" for name in ProcessLimits.model_fields}
        | {name: f"failures: {{{name}: ...}}" for name in Failures.model_fields}
    )
    lacking: ClassVar[Mapping[str, str]] = {
        "name": "the run's, as in name: first",
        "players": "two or more, as in players: [simple@d5, greedy]",
        "type": joined(FORMATS, "or"),
    }
    name: str = Field(max_length=100, pattern=FOLDER_NAME, description="The run, kept in reports/<name>/.")
    variant: VariantField = Field(
        default=None, validate_default=True, description="The rules: a name, or a base and what is different."
    )
    variants: Variants | None = Field(
        default=None,
        exclude=True,
        description="Instead of variant: several rule sets, one run each.",
    )
    limits: Limits | None = Field(
        default=None,
        exclude=True,
        description="Several limits, one run each, for players without a limit of their own.",
    )
    seed: int = Field(default=0, ge=0, description="The seed of all random numbers.")
    openings: Openings = Openings()
    format: FormatField = Field(
        default=RoundRobin(),
        description=f"Who meets whom: {joined(FORMATS, 'or')}, or a mapping with this as its type.",
    )
    sprt: Sprt | None = Field(default=None, description="Stop a match when a sequential test is decided.")
    until: Until | None = Field(default=None, description="Stop when all intervals are narrow enough.")
    max_plies: int = Field(default=300, ge=1, description="Plies after which a game is a draw.")
    adjudicate: Adjudication | None = Field(
        default=None, description="End games early, by scores or endgame tables."
    )
    time_margin: float = Field(default=0.1, ge=0, description="Seconds that a move may be late.")
    process: ProcessLimits = ProcessLimits()
    sandbox: bool = Field(
        default=False, description="Processes of own code are sandboxed: they read their own files alone."
    )
    failures: Failures = Failures()
    grade: GradeSettings | None = Field(
        default=None,
        description="Grade every decision by endgame tables, and by a deeper player, after the games.",
    )
    suite: SuitesField = Field(
        default=(), description="Have every player answer the positions of suites after the games."
    )
    anchor: AnchorField = Field(default={}, description="The player whose Elo is 0, or the Elo of players.")
    workers: WorkersField = Field(
        default=None,
        description="Processes, or a Dask scheduler's address; games do not depend on it [one a core].",
    )
    report: tuple[Literal["sheets", "png", "pdf"], ...] = Field(
        default=(),
        strict=False,
        description="What the report has besides: sheets of submissions, charts as png, as pdf.",
    )
    players: tuple[PlayerField, ...] = Field(
        strict=False, json_schema_extra={"minItems": 1}, description="The players, two or more for games."
    )
    _source: Source = PrivateAttr(default_factory=lambda: Source(Path()))

    @property
    def path(self) -> Path:
        """The file that this was loaded from, as it was given."""
        return self._source.path

    def locate(self, path: Path) -> None:
        """Look for the files that it names beside `path`, where it was not read from that file."""
        self._source = Source(path)

    def error(self, keys: Iterable[str | int], message: str) -> ConfigError:
        """An error at the key `keys`, or at the nearest enclosing key that the file has."""
        return ConfigError([self._source.mistake(tuple(keys), message)])

    def conflicts(self, folder: Path) -> Iterator[Problem]:
        names = [spec.name for spec in self.players]
        if not names:
            yield ("players",), "'players' must list at least one player"
        ports = [spec.options.get("port") if spec.type == ENGINE else None for spec in self.players]
        for number, spec in enumerate(self.players):
            if spec.type == HUMAN:
                message = f"a {HUMAN} plays at the board (arena play), not in a tournament"
                yield ("players", number, "type"), message
            for key, reference in {"type": spec.type, **spec.options}.items():
                if isinstance(reference, str) and reference.startswith("__main__:"):
                    thing = reference.partition(":")[2]
                    message = (
                        f"{reference!r} is code of the notebook or script itself, which the processes that play "
                    )
                    message += f"cannot load: keep it in a file (%%writefile own.py) and write own.py:{thing}"
                    yield ("players", number, key), message
            if ports[number] and ports[number] in ports[:number]:
                other = names[ports.index(ports[number])]
                yield ("players", number, "port"), f"{other} has port {ports[number]}, too: two programs need two"
        for name in self.anchor.keys() - set(names):
            yield ("anchor", name), unknown("player", name, names)
        for keys, message in self.format.problems(names):
            yield ("format", *keys), message
        titles = [suite.title for suite in self.suite]
        for number, suite in enumerate(self.suite):
            if suite.title in titles[:number]:
                yield ("suite", number), f"the suite {quoted(suite.title)} is given twice: names must differ"
            elif suite.random is not None and suite is not self.random_suite:
                yield ("suite", number), "a run has one suite of random positions, searched to one depth"
        for key, formats in _ENDED_EARLY.items():
            if getattr(self, key) is not None and self.openings.are_repeated:
                alike = "games from the same one may be alike, and say no more"
                yield (key,), f"{key!r} needs different openings: {alike}"
            if getattr(self, key) is not None and self.format.type not in formats:
                choices = joined(map(repr, formats), "or")
                yield (key,), f"{key!r} needs the format {choices}, not {self.format.type!r}"
        if self.sprt is not None and self.format.tested and len(names) != 2:
            yield ("sprt",), f"'sprt' needs exactly two players, not {len(names)}"
        if self.sprt is not None and self.until is not None:
            yield ("until",), "'until' and 'sprt' both decide when a match ends: give one of them"

    @property
    def is_timed(self) -> bool:
        """Whether a player has a limit of time."""
        return any(spec.limit.longest is not None for spec in self.players)

    def as_dict(self) -> dict[str, Any]:
        """All keys as JSON types, with defaults filled in."""
        return self.model_dump(mode="json")

    def without(self, names: Collection[str]) -> Experiment:
        """The experiment without the players of these names, in the format for the others.

        Raises ConfigError if they cannot play it: they are too few, or an anchor is not among them.
        """
        if not names:
            return self
        kept = [index for index, player in enumerate(self.players) if player.name not in names]
        left = self.model_copy(update={"players": tuple(self.players[index] for index in kept)})
        moves: dict[Keys, Keys] = {("players", place): ("players", index) for place, index in enumerate(kept)}
        left._source = self._source.moved({}, moves)
        reason = f"without {joined(list(names))}"
        if not self.anchor.keys().isdisjoint(names):
            raise self.error(("anchor",), f"{reason} there is no anchor")
        entrants = [player.name for player in left.players]
        if not entrants:
            raise self.error(("players",), f"{reason} no player is left")
        format = self.format.limited_to(entrants)
        for keys, message in format.problems(entrants):
            raise self.error(("format", *keys), f"{reason}: {message}")
        return left.model_copy(update={"format": format})

    @cached_property
    def rule_set(self) -> Variant:
        """The variant that is named or described."""
        return build_variant(self.variant)

    @property
    def random_suite(self) -> SuiteEntry | None:
        """The suite of positions drawn at random, if there is one."""
        return next((entry for entry in self.suite if entry.random is not None), None)

    @property
    def reference(self) -> str | None:
        """The first player whose Elo is given."""
        return next(iter(self.anchor), None)

    @cached_property
    def allowance(self) -> Allowance:
        """What players with a user's code are held to; folders that hold files of one player alone are its own."""
        folder = self.path.parent.resolve()
        readable = tuple(str((folder / path).resolve()) for path in self.process.readable)
        return Allowance(
            time_margin=self.time_margin,
            sandbox=readable if self.sandbox else None,
            folder=str(folder),
            own_folders=own_folders(self.players, folder) if self.sandbox else (),
            **self.process.model_dump(exclude={"readable"}),
        )
