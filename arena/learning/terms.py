"""The terms of every tuning and training: its openings, its player, its evaluations."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field, WithJsonSchema

from arena.base.wording import shown
from arena.experiment.checks import variant_problems
from arena.experiment.model import LoneField, VariantField
from arena.experiment.names import EntryError, lone_entry
from arena.experiment.openings.sources import OpeningsError, is_even, random_openings
from arena.experiment.schema import lone_player_schema, variant_schema
from arena.experiment.yaml.errors import Problem
from arena.experiment.yaml.schema import DIALECT, Schema, model_schema
from arena.experiment.yaml.section import FOLDER, Document, Section
from arena.experiment.yaml.values import Source
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.rules.zobrist import key_of


class RandomOpenings(Section):
    """The openings; each is played once (Texel) or twice, colours swapped."""

    random_plies: int = Field(default=8, ge=2, description="Random plies from the start position.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")


def is_evaluation(value: Any) -> Any:
    """The value, if it may name an evaluation. Raises ValueError."""
    if not isinstance(value, str | dict):
        raise ValueError(f"must be an evaluation: a name or a mapping, not {shown(value)}")
    return value


EvaluationField: TypeAlias = Annotated[
    Any, AfterValidator(is_evaluation), WithJsonSchema({"type": ["string", "object"]})
]


def evaluation_name(evaluation: Any) -> str:
    """An evaluation in sentences: the name of a built-in one, `+7/+5/+3` for `simple`."""
    return (
        {"simple": "+7/+5/+3"}.get(evaluation, evaluation) if isinstance(evaluation, str) else "the given weights"
    )


MAX_TRIES = 200
"""Openings drawn one after the other without a new one before giving up."""


def check_openings(variant: Variant, settings: RandomOpenings, count: int, seed: int) -> list[Position]:
    """`count` distinct openings that no stage of tuning draws. Raises OpeningsError if there are fewer."""
    found: dict[Position, None] = {}
    rng, failed = random.Random(f"check {seed}"), 0
    while failed < MAX_TRIES:
        position = _random_opening(variant, settings, rng, check=True)
        failed = 0 if position is not None and position not in found else failed + 1
        if position is not None:
            found[position] = None
        if len(found) == count:
            return list(found)
    raise OpeningsError(
        f"only {len(found)} openings of {settings.random_plies} random plies were found for the last matches, "
        f"{count} are wanted; raise random_plies or lower check"
    )


def draw_opening(variant: Variant, settings: RandomOpenings, seed: str) -> Position:
    """An opening for tuning, the same for the same seed. Raises OpeningsError if none is found."""
    rng = random.Random(seed)
    for _ in range(MAX_TRIES):
        position = _random_opening(variant, settings, rng, check=False)
        if position is not None:
            return position
    raise OpeningsError(f"no opening of {settings.random_plies} random plies was found: raise random_plies")


def _random_opening(
    variant: Variant, settings: RandomOpenings, rng: random.Random, check: bool
) -> Position | None:
    """A random opening, None if it is of the wrong kind: those with an odd Zobrist key are kept for checks."""
    drawn = random_openings(variant, settings.random_plies, 1, rng.getrandbits(62), balanced=False)[0].position
    if key_of(drawn) & 1 != check or (settings.balanced and not is_even(variant, drawn)):
        return None
    return drawn


class GameTerms(Document):
    """On what terms the games of a tuning or a training are played."""

    name: str = Field(max_length=100, pattern=FOLDER, description="The run, kept in reports/<name>/.")
    variant: VariantField = Field(description="The rules: a name, or a base and what is different.")
    player: LoneField = Field(
        description="The player: its limit, of nodes or depth, its type [negamax], and options of that."
    )
    seed: int = Field(default=0, ge=0, description="The source of all chance.")
    openings: RandomOpenings = RandomOpenings()
    max_plies: int = Field(default=200, ge=1, description="Plies after which a game is a draw.")


def terms_schema(model: type[GameTerms], refused: Collection[str]) -> Schema:
    """The JSON schema of such a document, whose player has no key that is `refused`."""
    schema = model_schema(model)
    properties = schema["properties"]
    properties["variant"] = variant_schema() | {"description": properties["variant"]["description"]}
    properties["player"] = lone_player_schema(properties["player"], refused)
    return {"$schema": DIALECT, **schema}


def terms_problems(source: Source, data: Any, refused: Mapping[str, str]) -> Iterator[Problem]:
    """What is wrong with its variant, and the keys of its player that are `refused`, each with the reason."""
    if not isinstance(data, dict):
        return
    yield from variant_problems(source, data.get("variant"))
    player = data.get("player")
    with suppress(EntryError):
        player = lone_entry(player)
    for key in player if isinstance(player, dict) else ():
        if key in refused:
            yield source.problem(("player", key), refused[key])


def refused_limits(noun: str) -> dict[str, str]:
    """The limits that would make a tuning or a training, the `noun`, depend on the machine, with the reasons."""
    return {
        key: f"'{key}' would make a {noun} depend on the machine: give 'nodes' or 'depth'"
        for key in ("seconds", "clock", "increment")
    }
