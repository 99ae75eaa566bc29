"""The terms of a learning run: its rules, player and openings, as its configuration gives them."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, Field, PrivateAttr, ValidationError, WithJsonSchema
from pydantic_core import InitErrorDetails

from arena.base.errors import ArenaError
from arena.base.wording import shown
from arena.experiment.model import SinglePlayerField, VariantField
from arena.experiment.openings.sources import OpeningsError, is_even, random_openings
from arena.experiment.yaml.section import FOLDER_NAME, Document, Section, worded
from arena.rules.custom import build_variant
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.rules.zobrist import key_of
from players.identity import Files, keep_sources, placed
from players.loading import located
from players.player import PlayerSpec

MAX_TRIES = 200
"""Openings drawn one after the other without a new one before giving up."""
TIMED = ("seconds", "clock", "increment")
"""Limits of a player that make its moves depend on the machine."""


class LearningError(ArenaError):
    """A learning run that cannot continue; one line that says why."""


class RandomOpenings(Section):
    """The openings of the games to learn from."""

    random_plies: int = Field(default=8, ge=2, description="Random plies from the start position.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")

    def draw(self, variant: Variant, seed: str) -> Position:
        """An opening to learn from, the same for the same seed. Raises OpeningsError if there is none."""
        rng = random.Random(seed)
        for _ in range(MAX_TRIES):
            position = self._random(variant, rng, kept=False, balanced=self.balanced)
            if position is not None:
                return position
        raise OpeningsError(f"no opening of {self.random_plies} random plies was found: raise random_plies")

    def draw_for_matches(self, variant: Variant, count: int, seed: int) -> list[Position]:
        """`count` distinct balanced openings that `draw` never gives. Raises OpeningsError if there are fewer."""
        drawn: dict[Position, None] = {}
        rng, failed = random.Random(f"check {seed}"), 0
        while failed < MAX_TRIES:
            position = self._random(variant, rng, kept=True, balanced=True)
            failed = 0 if position is not None and position not in drawn else failed + 1
            if position is not None:
                drawn[position] = None
            if len(drawn) == count:
                return list(drawn)
        raise OpeningsError(
            f"only {len(drawn)} openings of {self.random_plies} random plies were found for the last matches, "
            f"{count} are wanted; raise random_plies or lower check"
        )

    def _random(self, variant: Variant, rng: random.Random, *, kept: bool, balanced: bool) -> Position | None:
        """A random opening, None for one of the wrong kind; an odd Zobrist key keeps one for the matches."""
        seed = rng.getrandbits(62)
        position = random_openings(variant, self.random_plies, 1, seed, balanced=False)[0].position
        if key_of(position) & 1 != kept or (balanced and not is_even(variant, position)):
            return None
        return position


def _evaluation(value: Any) -> Any:
    if not isinstance(value, str | dict):
        raise ValueError(f"must be an evaluation: a name or a mapping, not {shown(value)}")
    return value


EvaluationField: TypeAlias = Annotated[
    Any, AfterValidator(_evaluation), WithJsonSchema({"type": ["string", "object"]})
]


def evaluation_name(evaluation: Any) -> str:
    """An evaluation in sentences: the name of a built-in one, `+7/+5/+3` for `simple`."""
    return (
        {"simple": "+7/+5/+3"}.get(evaluation, evaluation) if isinstance(evaluation, str) else "the given weights"
    )


def _counted(spec: PlayerSpec) -> PlayerSpec:
    limits = {key: value for key in TIMED if (value := getattr(spec.limit, key)) is not None}
    refused = [
        InitErrorDetails(
            type=worded(f"{key!r} would make what is learned depend on the machine: give 'nodes' or 'depth'"),
            loc=(key,),
            input=value,
        )
        for key, value in limits.items()
    ]
    if refused:
        raise ValidationError.from_exception_data("player", refused)
    return spec


class Terms(Document):
    """The terms that all games of a learning run are played on."""

    name: str = Field(max_length=100, pattern=FOLDER_NAME, description="The run, kept in reports/<name>/.")
    variant: VariantField = Field(description="The rules: a name, or a base and what is different.")
    player: Annotated[SinglePlayerField, AfterValidator(_counted)] = Field(
        description="The player: its limit, of nodes or depth, its type [negamax], and options of that."
    )
    seed: int = Field(default=0, ge=0, description="The source of all chance.")
    openings: RandomOpenings = RandomOpenings()
    max_plies: int = Field(default=200, ge=1, description="Plies after which a game is a draw.")
    _files: Files = PrivateAttr(default_factory=dict)

    @cached_property
    def rule_set(self) -> Variant:
        """The variant that is described."""
        return build_variant(self.variant)

    def entry(self, name: str, options: Mapping[str, Any]) -> PlayerSpec:
        """The configured player with other options, files named as the configuration names them."""
        return replace(self.player, name=name, options={**self.player.options, **options})

    def spec(self, name: str, options: Mapping[str, Any]) -> PlayerSpec:
        """The configured player with other options, ready to be built, from the files that were recorded."""
        return replace(located(self.entry(name, options), self.path.parent), files=self._files)

    def record(self, files: Files) -> dict[str, str]:
        """Have players loaded from these files as they are now; returns these by their places.

        Raises ArenaError if one was changed since it was read.
        """
        if edited := keep_sources(files):
            raise ArenaError(f"{edited[0]} was changed while it was tried; run the same command again")
        self._files = dict(files)
        return placed(files, self.path.parent)
