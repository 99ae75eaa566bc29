"""Pools: players whose games ship, so that a newcomer can be placed among them on a scale that stays as it is.

A pool is two files in FOLDER: the configuration by which its players met, and what came of it: the signatures of
the players, and by player and opponent two digits for each opening of the set, the half points that the player had
as White and as Black.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from arena.base.wording import unknown
from arena.experiment.openings import Openings
from arena.experiment.yaml.errors import Keys
from arena.experiment.yaml.values import Source
from arena.rules.result import Result, result_of

FOLDER = Path(__file__).with_name("pools")
UNPLAYED = "."
"""In place of each digit of an opening from which two players did not play."""


class KnownGame(NamedTuple):
    """A game of two players of a pool, with the number of its opening from 0."""

    white: str
    black: str
    result: Result
    pair: int
    opening: int


class Pool(NamedTuple):
    """Players that met in openings of a set."""

    name: str
    """With its version, "english-2026": what is changed gets another."""
    settings: Mapping[str, Any]
    """What its scale rests on, by keys of a configuration."""
    players: tuple[Mapping[str, Any], ...]
    """As entries of a configuration."""
    points: Mapping[str, Mapping[str, str]]
    """By player and opponent, two digits for each opening."""

    @property
    def anchor(self) -> str:
        """The player whose Elo is 0."""
        return str(self.settings["anchor"])

    @property
    def names(self) -> list[str]:
        """The players' names."""
        return [str(entry["name"]) for entry in self.players]

    def games(self) -> Iterator[KnownGame]:
        """All its games, pair by pair."""
        pair = 0
        for player, opponents in self.points.items():
            for opponent, digits in opponents.items():
                for place in range(0, len(digits), 2):
                    if digits[place] == UNPLAYED:
                        continue
                    pair, white, black = pair + 1, int(digits[place]) / 2, 1 - int(digits[place + 1]) / 2
                    yield KnownGame(player, opponent, result_of(white), pair, place // 2)
                    yield KnownGame(opponent, player, result_of(black), pair, place // 2)

    def without(self, player: str) -> Pool:
        """The pool as if it had never had a player."""
        left = {
            one: {other: digits for other, digits in opponents.items() if other != player}
            for one, opponents in self.points.items()
            if one != player
        }
        players = tuple(entry for entry in self.players if entry["name"] != player)
        return self._replace(players=players, points=left)


def names_of_pools() -> list[str]:
    """The pools that ship, the newest of each kind last."""
    return sorted(path.stem for path in FOLDER.glob("*.json"))


def full_name(name: str) -> str:
    """The name of a pool with its version: of "english" the newest. Raises ValueError if there is none."""
    known = names_of_pools()
    found = [one for one in known if name in (one, one.rpartition("-")[0])]
    if not found:
        raise ValueError(unknown("pool", name, known))
    return found[-1]


@cache
def pool_named(name: str) -> Pool:
    """The pool of a full name."""
    file = FOLDER / f"{name}.yaml"
    settings = Source(file).read()
    players = tuple(settings["players"])
    scale = {key: settings[key] for key in ("variant", "max_plies", "anchor")}
    scale["openings"] = {"set": settings["openings"]["set"]}
    found = json.loads(file.with_suffix(".json").read_text(encoding="utf-8"))
    return Pool(name, scale, players, found["points"])


def completed(data: dict[str, Any]) -> Iterator[tuple[Keys, str]]:
    """Complete the data of a configuration that places a newcomer: the scale, and the players of the pool.

    Yields what contradicts the pool, with its keys. Other data stay as they are.
    """
    format = data.get("format")
    if not isinstance(format, dict) or format.get("type") != "place" or format.get("pool") is None:
        return
    try:
        pool = pool_named(full_name(str(format["pool"])))
    except ValueError:
        return
    for key, value in pool.settings.items():
        if _meant(key, data.setdefault(key, value)) != _meant(key, value):
            words = f"{{set: {value['set']}}}" if key == "openings" else value
            yield (key,), f"{key!r} is {words} in {pool.name}: leave it out"
    if data.get("adjudicate") is not None:
        yield ("adjudicate",), f"the games of {pool.name} were played without 'adjudicate': leave it out"
    known = {entry["name"]: entry for entry in pool.players}
    given = [entry.get("name") if isinstance(entry, dict) else None for entry in data["players"]]
    for number, (name, entry) in enumerate(zip(given, data["players"], strict=True)):
        if name in known and entry != known[name]:
            yield ("players", number, "name"), f"{name!r} is a player of {pool.name}: give this one another name"
    data["players"] += [dict(entry) for name, entry in known.items() if name not in given]


def _meant(key: str, value: Any) -> Any:
    """A value with what it leaves out, where that can be known."""
    with suppress(ValidationError):
        return Openings.model_validate(value) if key == "openings" else value
    return value
