"""An entry of `players:` that stands by itself, as a program or the command line gives it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.experiment.model import PlayerField
from arena.experiment.yaml.section import Document, validated
from arena.experiment.yaml.values import Source, inline
from players.player import NAME_CHARACTERS, PlayerSpec


class _Entry(Document):
    player: PlayerField


def player_spec(entry: str | Mapping[str, Any], given_as: str = "player") -> PlayerSpec:
    """The player of an entry: a mapping, YAML as `{type: negamax, depth: 6}`, or a type alone as `greedy`.

    Its type is negamax, and its name its type's, if it gives none. Raises ConfigError, naming `given_as`, for what
    is no entry.
    """
    data = inline(entry, given_as) if isinstance(entry, str) else entry
    if isinstance(data, str):
        data = {"type": data}
    if isinstance(data, Mapping):
        data = {"type": "negamax", **data}
        data = {"name": str(data["type"])[:NAME_CHARACTERS], **data}
    return validated(_Entry, {"player": data}, Source(Path(given_as)), ()).player
