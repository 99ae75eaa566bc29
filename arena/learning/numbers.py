"""Numbers of a player's entry that SPSA tunes: bounds, steps, and their places in the player's options."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from pydantic import Field

from arena.base.number import with_minus
from arena.base.wording import choices, listed, shown, unknown
from arena.experiment.names import is_number
from arena.experiment.yaml.section import Section
from arena.learning.method import BuildTrial, LearningFindings, Options, Step
from arena.ratings.interval import Floats
from players.loading import PlayerError
from players.options import NumberKind, check_options, options_of, takes_any
from players.player import Limit, PlayerSpec
from players.table import maker_of, option_values

_STEPS = 20
"""Steps from one bound to the other, where none is given; as Stockfish's `tune.cpp` gives them to fishtest."""
LEAST_STEP = 0.5
"""The least step of a whole number, as OpenBench's `spsa_utils.py` has it."""
DIGITS = 2
"""Decimals of a number that is written out, where its step is 1 to 10."""


class Number(Section):
    """A number to tune; its step is fishtest's and OpenBench's `c_end`."""

    start: float | None = Field(default=None, description="The value to begin with [the player's].")
    least: float | None = Field(default=None, description="Its lower bound [the option's].")
    most: float | None = Field(default=None, description="Its upper bound [the option's].")
    step: float | None = Field(
        default=None, gt=0, description="How far it is changed in the last step [a 20th of the range]."
    )


class NumberError(Exception):
    """A number that cannot be tuned as it is given; `keys` lead to the fault from its mapping."""

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys


class TunedNumber(NamedTuple):
    """A number with all that its mapping leaves out."""

    name: str
    """Its key in the entry; dots lead into mappings, as in sweeps."""
    start: float
    least: float
    most: float
    """Infinite without a bound, as is `least`."""
    step: float
    whole: bool

    def value(self, number: float) -> float:
        """The number as an option has it, whole or not."""
        return int(number) if self.whole else float(number)

    def rounded(self, number: float) -> float:
        """The number with as many decimals as its step makes worth reading."""
        return float(_plain(round(number, max(DIGITS - math.floor(math.log10(self.step)), 0))))

    def text(self, number: float) -> str:
        """The rounded number as people read it."""
        return _shown(self.rounded(number))


def tuned_number(name: str, settings: Number, spec: PlayerSpec) -> TunedNumber:
    """A number of a player's, completed from its options. Raises NumberError; PlayerError for a faulty player."""
    kind, value = _of_player(name, spec)
    start = value if settings.start is None else settings.start
    if not is_number(start):
        raise NumberError(f"{name!r} is {shown(start)} in the player: give 'start'")
    if kind is None:
        values = (start, *(bound for bound in (settings.least, settings.most) if bound is not None))
        kind = NumberKind(isinstance(value, int) and all(float(number).is_integer() for number in values))
    least, most = (
        next((float(bound) for bound in bounds if bound is not None), end)
        for *bounds, end in ((settings.least, kind.least, -math.inf), (settings.most, kind.most, math.inf))
    )
    if kind.whole:
        for key in ("start", "least", "most"):
            if not float(getattr(settings, key) or 0).is_integer():
                raise NumberError(f"{key!r} must be whole, as {name!r} is, not {getattr(settings, key):g}", key)
    if not least < most:
        key = "least" if settings.least is not None else "most"
        raise NumberError(f"'least' must be below 'most': {_plain(least)} is not below {_plain(most)}", key)
    if not least <= start <= most:
        ends = ((f"at least {_plain(least)}", least), (f"at most {_plain(most)}", most))
        bounds = listed(text for text, end in ends if math.isfinite(end))
        if settings.start is None:
            raise NumberError(
                f"{name!r} is {_plain(start)} in the player: give a 'start' that is {bounds}", "start"
            )
        raise NumberError(f"'start' must be {bounds}, not {_plain(start)}", "start")
    step = settings.step or max((most - least) / _STEPS, LEAST_STEP if kind.whole else 0)
    if not math.isfinite(step):
        raise NumberError(f"{name!r} needs a 'step', or both 'least' and 'most'")
    if kind.whole and step < LEAST_STEP:
        raise NumberError(f"'step' of a whole number must be {LEAST_STEP} or more, not {step:g}", "step")
    number = TunedNumber(name, float(start), least, most, step, kind.whole)
    for key, end in (("start", start), ("least", least), ("most", most)):
        if math.isfinite(end):
            try:
                check_options(maker_of(spec.type), _with(spec, {name: number.value(end)}))
            except PlayerError as error:
                raise NumberError(str(error), key) from None
    return number


class PlayerNumbers(NamedTuple):
    """The Vector of numbers of a player's entry."""

    numbers: tuple[TunedNumber, ...]
    spec: PlayerSpec
    """The player, whose other options stay as they are."""

    @property
    def names(self) -> list[str]:
        return [number.name for number in self.numbers]

    @property
    def panels(self) -> Mapping[str, Sequence[str]]:
        return {name: [name] for name in self.names}

    @property
    def start(self) -> Floats:
        return np.array([number.start for number in self.numbers])

    @property
    def scale(self) -> Floats:
        """The step of each in the end."""
        return np.array([number.step for number in self.numbers])

    def inside(self, theta: Floats) -> Floats:
        """Theta within the bounds."""
        least, most = ([getattr(number, end) for number in self.numbers] for end in ("least", "most"))
        return np.clip(theta, least, most)

    def options(self, theta: Floats, draw: Floats | float = 0.5) -> Options:
        """The options of the player that has theta.

        A whole number is rounded up with the part of it after the point as the chance if `draw` is uniform from
        0 to 1, and to the nearest one as it is. Fishtest's workers and OpenBench round so in games, with one
        draw for both sides of a pair.
        """
        whole = [number.whole for number in self.numbers]
        rounded = self.inside(np.where(whole, np.floor(theta + draw), theta))
        values = {number.name: number.value(value) for number, value in zip(self.numbers, rounded, strict=True)}
        changed = _with(self.spec, values).options
        return {key: changed[key] for key in dict.fromkeys(name.split(".")[0] for name in values)}

    def shown(self, theta: Floats) -> Floats:
        whole = [number.whole for number in self.numbers]
        return self.inside(np.where(whole, np.floor(theta + 0.5), self.traced(theta)))

    def traced(self, theta: Floats) -> Floats:
        return np.array([number.rounded(value) for number, value in zip(self.numbers, theta, strict=True)])

    def text(self, theta: Floats) -> str:
        values = zip(self.numbers, theta, strict=True)
        return ", ".join(f"{number.name} {number.text(value)}" for number, value in values)

    def trials(self, settings: Mapping[str, Number]) -> Iterator[BuildTrial]:
        """What must be built: all numbers at their start, then each at the bounds that the file names."""
        start = dict(zip(self.names, self.start, strict=True))
        for number in self.numbers:
            for key in ("start", "least", "most"):
                if key == "start" or getattr(settings[number.name], key) is not None:
                    values = start | {number.name: getattr(number, key)}
                    options = self.options(np.array(list(values.values())))
                    yield BuildTrial(("numbers", number.name, key), options, tuple(number.name.split(".")))

    def findings(self, last: Step) -> LearningFindings:
        note = "The values of the start, those that were tuned, their bounds, and the step of each in the end."
        rows = [
            (
                number.name,
                *map(number.text, (number.start, value)),
                *map(_shown, (number.least, number.most, number.step)),
            )
            for number, value in zip(self.numbers, self.shown(np.array(last.theta)), strict=True)
        ]
        table = pd.DataFrame(rows, columns=["number", "start", "tuned", "least", "most", "step"])
        return LearningFindings("Numbers of the player", note, table)


def _of_player(name: str, spec: PlayerSpec) -> tuple[NumberKind | None, Any]:
    """What a number may be, None if nothing says so, and its value in the player. Raises NumberError."""
    maker: Any = maker_of(spec.type)
    values = option_values(spec)
    options = options_of(maker)
    names = [option.name for option in options.values() if option.number and option.name not in Limit._fields]
    top, *inner = name.split(".")
    if top in Limit._fields:
        raise NumberError(f"{name!r} is a limit of the player {choices(names)}")
    if top not in options and top not in values and not takes_any(maker):
        raise NumberError(unknown("number of the player", name, names))
    value = values.get(top)
    inside: Any = spec.options
    for key in name.split(".")[:-1]:
        inside = inside.get(key, {})
        if not isinstance(inside, Mapping):
            raise NumberError(f"{key!r} is {shown(inside)} in the player, so {name!r} has no place in it")
    for key in inner:
        value = value.get(key) if isinstance(value, Mapping) else None
    option = options.get(top)
    if inner or option is None:
        return None, value
    if option.number is None and option.kind is not Any:
        raise NumberError(f"{name!r} is not a number {choices(names)}")
    return option.number, value


def _with(spec: PlayerSpec, values: Mapping[str, Any]) -> PlayerSpec:
    options = deepcopy(dict(spec.options))
    for name, value in values.items():
        *path, key = name.split(".")
        inside = options
        for part in path:
            inside = inside.setdefault(part, {})
        inside[key] = value
    return replace(spec, options=options)


def _plain(number: float) -> str:
    """A number as it is written in YAML, "" for an infinite one."""
    return f"{number:.12g}" if math.isfinite(number) else ""


def _shown(number: float) -> str:
    """A number as people read it, "" for an infinite one."""
    return with_minus(_plain(number))
