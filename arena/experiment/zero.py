"""Where Elo is 0: one rule for a run's report, its status and its early end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from players.loading import own_code, source_of, user_files
from players.player import PlayerSpec

A_CLASS = 3
"""Files of users from which on their players are a class."""


def given_elo(specs: Sequence[PlayerSpec], anchor: Mapping[str, float]) -> dict[str, float]:
    """The Elo that is given, by player: of two without an *anchor* that of one, so that the other's is over it."""
    return {reference(specs, None).name: 0.0} if len(specs) == 2 and not anchor else dict(anchor)


def is_of_class(specs: Sequence[PlayerSpec]) -> bool:
    """Whether so many players have files of users that they are the submissions of a class."""
    return len({*map(source_of, specs)} - {""}) >= A_CLASS


def reference(specs: Sequence[PlayerSpec], anchor: str | None) -> PlayerSpec:
    """The player that others are compared with: the anchor, else the first; of two the second, or a built-in.

    A class is compared with the first player that is none of it, if one takes part.
    """
    anchored = [spec for spec in specs if spec.name == anchor]
    if anchored or len(specs) != 2:
        others = [spec for spec in specs if not source_of(spec)] if is_of_class(specs) else []
        return [*anchored, *others, *specs][0]
    first, second = (bool(own_code(spec) or user_files(spec)) for spec in specs)
    return specs[0] if second and not first else specs[1]
