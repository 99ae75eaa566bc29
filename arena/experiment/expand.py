"""Entries of `players:` written out: short forms, patterns of files, and sweeps.

    - simple@d6                                # a short form
    - type: submissions/*.py                   # a player for each file that matches
    - name: "{evaluation} d{depth}"            # or no name: "simple, depth 4"
      type: negamax
      sweep:                                   # a player for every combination of
        evaluation: [simple, cis300]           # a list of values,
        depth: {from: 1, to: 10}               # a range, with a `step` or, for doublings, `factor: 2`,
        weights: {files: "runs/*.npz"}         # and files that match a pattern

Any key of a player can be swept; dots lead into a mapping (`evaluation.linear.king`). The key `limit` takes a
list of mappings of limits, for the same player at equal depth, at equal nodes and at equal time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Annotated, Any, ClassVar, NamedTuple

from pydantic import (
    AfterValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)

from arena.base.wording import phrase, quoted
from arena.experiment.names import distinct_names, filled, short_entry, word_of, words_of
from arena.experiment.submissions import matching, pattern_key, submitted
from arena.experiment.yaml.section import Section, repeated
from arena.experiment.yaml.values import Keys, Problem, Refusal, Source
from players.player import MEANT_LIMITS

MAX_PLAYERS = 200
"""Players that the sweeps and patterns of a configuration may make together."""
SWEEP = "sweep"
"""The key of an entry that sweeps others."""


class LimitEntry(Section):
    """A limit of a player's moves."""

    synonyms: ClassVar[Mapping[str, str]] = MEANT_LIMITS
    depth: int | None = Field(default=None, ge=1, le=64, description="Plies to search.")
    nodes: int | None = Field(default=None, gt=0, lt=2**63, description="Positions to enter.")
    seconds: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Seconds for the move; who takes longer loses."
    )
    clock: float | None = Field(
        default=None, gt=0, allow_inf_nan=False, description="Seconds for the whole game; who takes longer loses."
    )
    increment: float | None = Field(
        default=None, ge=0, allow_inf_nan=False, description="Seconds that the clock gains with each move."
    )
    moves: int | None = Field(
        default=None, ge=1, description="Moves that the clock is for: after them it gains as much again."
    )


def _checked(number: float, handler: ValidatorFunctionWrapHandler) -> float:
    handler(number)
    return number


_Number = Annotated[float, WrapValidator(_checked)]
"""A number, which stays whole if it is."""


class Range(Section):
    """Numbers in steps."""

    start: _Number = Field(alias="from", description="The first.")
    to: _Number = Field(description="The last, if a step leads there.")
    step: _Number = Field(default=1, gt=0, description="From one to the next.")
    factor: _Number | None = Field(default=None, gt=1, description="How many times the one before each is.")

    def conflicts(self, folder: Path) -> Iterator[Problem]:
        if {"step", "factor"} <= self.model_fields_set:
            yield ("factor",), "a range has a 'step' or a 'factor', not both"
        elif self.to < self.start:
            yield ("to",), f"'to' must be at least 'from', {self.start}, not {self.to}"
        elif self.factor is not None and self.start <= 0:
            yield ("factor",), f"'factor' needs a 'from' above 0, not {self.start}"
        elif self._steps >= MAX_PLAYERS:
            yield (), f"a range has at most {MAX_PLAYERS} values"

    @property
    def _steps(self) -> float:
        if self.factor is None:
            return (self.to - self.start) / self.step
        return math.log(self.to / self.start) / math.log(self.factor)

    def values(self) -> list[float]:
        """The numbers, `to` included where a step leads to it; whole ones if all four are."""
        # Decimal fractions may fall short of a whole number of steps by their rounding.
        count = math.floor(self._steps + 1e-9) + 1
        step, factor = self.step, self.factor
        numbers = [self.start + n * step if factor is None else self.start * factor**n for n in range(count)]
        return [n if isinstance(n, int) else float(f"{n:.12g}") for n in numbers]


class Files(Section):
    """The files that match a pattern, in the order of their names."""

    files: str = Field(min_length=1, description="The pattern, as runs/*.npz.")

    def found(self, info: ValidationInfo) -> list[str]:
        """These files. Raises Refusal if there are none."""
        assert info.context is not None
        return matching(self.files, info.context.path.parent, "files")


def _kind(axis: Any) -> str:
    return "[list]" if not isinstance(axis, dict) else "[files]" if "files" in axis else "[range]"


_Values = Annotated[
    Annotated[list[Any], Field(min_length=1), Tag("[list]")]
    | Annotated[Range, AfterValidator(Range.values), Tag("[range]")]
    | Annotated[Files, AfterValidator(Files.found), Tag("[files]")],
    Discriminator(_kind),
]


class Sweep(Section):
    """Values of a player's keys, to be tried in every combination."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, _Values]
    limit: list[LimitEntry] | None = Field(
        default=None, min_length=1, description="Limits, as [{depth: 6}, {seconds: 0.02}]."
    )

    def conflicts(self, folder: Path) -> Iterator[Problem]:
        for key in self.__pydantic_extra__:
            if key.split(".")[0] in ("name", SWEEP):
                yield (key,), f"{key!r} cannot be swept; a template such as '{{depth}} plies' makes names"


class _Swept(Section):
    model_config = ConfigDict(extra="ignore")
    sweep: Sweep


class Setting(NamedTuple):
    """One value of an axis."""

    values: Mapping[Keys, Any]
    """What it puts where in the entry."""
    text: str
    """Its word in a template."""
    phrase: str
    """Its words in a name without a template."""


Made = tuple[Any, Mapping[Keys, Keys]]
"""A player, and for keys that are new in it, where their values stand in its entry."""


def written_out(source: Source, *, are_renamed: bool = False) -> Source:
    """The configuration with every player written out; an entry with a problem is refused.

    Files are looked for beside the configuration, then in the working directory. Players of one name are a problem
    unless they `are_renamed`: "a", "a 2".
    """
    given = source.data.get("players")
    if not isinstance(given, list):
        return source
    problems: list[Problem] = []
    players: list[Any] = []
    moves: dict[Keys, Keys] = {}
    nameless: list[int] = []
    swept = 0
    for number, entry in enumerate(given):
        made: list[Made] = [(None, {})]
        try:
            full = short_entry(entry, source.path.parent) if isinstance(entry, str) else entry
            if isinstance(full, dict) and (SWEEP in full or pattern_key(full) is not None):
                made = _several(full, source, swept)
                swept += len(made)
            else:
                made = [(full, {})]
        except Refusal as refusal:
            problems += [(("players", number, *keys), message) for keys, message in refusal.problems]
        for player, origins in made:
            here: Keys = ("players", len(players))
            moves[here] = "players", number
            moves |= {(*here, *keys): ("players", number, *origin) for keys, origin in origins.items()}
            if isinstance(player, dict) and (are_renamed or isinstance(entry, str) or "name" not in player):
                nameless.append(len(players))
            players.append(player)
    for number, name in zip(nameless, distinct_names([players[number] for number in nameless]), strict=True):
        players[number] = {**players[number], "name": name}
    wrong = {keys[:2] for keys, _ in problems}
    whole = source.with_mistakes(problems)._replace(refused=source.refused | wrong)
    whole = whole.moved({**source.data, "players": players}, moves)
    given_names = [player.get("name") if isinstance(player, dict) else None for player in players]
    names = [name if isinstance(name, str) else "" for name in given_names]
    doubled: list[Problem] = []
    for number in [number for number in repeated(names) if names[number]]:
        first = names.index(names[number])
        line = whole.mistake(("players", first, "name"), "").line
        place = f"in line {line}" if line else f"players[{first}]"
        message = f"the player {quoted(names[number])} is already {place}: names must differ"
        doubled.append((("players", number, "name"), message))
    return whole.with_mistakes(doubled)


def _several(entry: dict[str, Any], source: Source, before: int) -> list[Made]:
    """The players of an entry with a pattern or a sweep, of which there are some `before`. Raises Refusal."""
    where = pattern_key(entry) or SWEEP
    if where == SWEEP:
        axes = _swept(entry, source)
    elif SWEEP in entry:
        raise Refusal("a pattern and 'sweep' do not go together: write an entry for each setting", where)
    else:
        files = submitted(entry[where], where, source.path.parent)
        axes = {"file": [Setting({(where,): reference}, name, name) for name, reference in files]}
    if (more := before + math.prod(map(len, axes.values()))) > MAX_PLAYERS:
        raise Refusal(f"the sweeps and patterns make {more} players, more than {MAX_PLAYERS}", where)
    template = entry.get("name")
    made: dict[str, Made] = {}
    for settings in product(*map(enumerate, axes.values())):
        player = deepcopy({key: value for key, value in entry.items() if key not in (where, "name")})
        origins: dict[Keys, Keys] = {} if "name" in entry else {("name",): (where,)}
        for key, (number, setting) in zip(axes, settings, strict=True):
            for path, value in setting.values.items():
                of_sweep = (SWEEP, key, number, *(path if key == "limit" else ()))
                _put(player, origins, path, value, of_sweep if where == SWEEP else (where,))
        name = template
        if template is None:
            name = ", ".join(setting.phrase for _, setting in settings)
        elif isinstance(template, str):
            words = {key: word_of(key, value) for key, value in player.items()}
            words |= dict(zip(axes, (setting.text for _, setting in settings), strict=True))
            name = filled(template, words)
        if isinstance(name, str) and name in made:
            fields = [f"{{{key}}}" for key, axis in axes.items() if len(axis) > 1]
            missing = [field for field in fields if template is not None and field not in template]
            cause = f"put {' and '.join(missing)} into 'name'" if missing else "is a value listed twice?"
            message = f"the entry makes two players named {quoted(name)}: {cause}"
            raise Refusal(message, where if template is None else "name")
        made[str(name)] = {"name": name, **player}, origins
    return list(made.values())


def _put(player: dict[str, Any], origins: dict[Keys, Keys], path: Keys, value: Any, origin: Keys) -> None:
    """Set the value at a path of a player, and note the origin of each key that this adds.

    Raises Refusal, at the key of the sweep, if there is a value already, or no mapping on the way.
    """
    inside: Any = player
    for end, key in enumerate(path, start=1):
        if not isinstance(inside, dict):
            outer = ".".join(map(str, path[: end - 1]))
            raise Refusal(f"{outer!r} is {phrase(inside)}, so {origin[1]!r} has no place in it", *origin[:2])
        if key not in inside:
            inside[key], origins[path[:end]] = value if end == len(path) else {}, origin
        elif end == len(path):
            whole = ".".join(map(str, path))
            raise Refusal(f"{whole!r} is both set and swept, or swept twice: leave one out", *origin[:2])
        inside = inside[key]


def _swept(entry: Mapping[str, Any], source: Source) -> dict[str, list[Setting]]:
    """The settings of a sweep, by its keys. Raises Refusal."""
    checked, axes = _Swept.of(entry, source).sweep.model_extra or {}, dict[str, list[Setting]]()
    for key, axis in entry[SWEEP].items():
        if key == "limit":
            texts = [" ".join(f"{kind} {value}" for kind, value in limit.items()) for limit in axis]
            limits: list[dict[Keys, Any]] = [{(kind,): limit[kind] for kind in limit} for limit in axis]
            axes[key] = [Setting(limit, text, text) for limit, text in zip(limits, texts, strict=True)]
        else:
            path: Keys = tuple(key.split("."))
            values, word = checked[key], str(path[-1])
            words = zip(values, words_of(word, values), words_of(word, values, with_name=True), strict=True)
            axes[key] = [Setting({path: value}, *of_value) for value, *of_value in words]
    return axes
