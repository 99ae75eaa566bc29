"""Players: one visible table, and how an entry of a configuration becomes a player."""

from __future__ import annotations

import inspect
import re
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

from pydantic import TypeAdapter, ValidationError

from arena.player import Player, PlayerSpec
from arena.rules.variants import Variant
from players.baselines import Greedy, Random
from players.evaluation.build import EVALUATORS
from players.evaluation.evaluator import evaluator
from players.loading import PlayerError, blame, load_object, unknown
from players.negamax.player import Negamax
from players.published import PUBLISHED

__all__ = ["EVALUATORS", "PLAYERS", "PlayerError", "build_player", "evaluator", "fingerprints", "located"]

PLAYERS: dict[str, type[Any]] = {"random": Random, "greedy": Greedy, "negamax": Negamax, **PUBLISHED}
"""The players that a configuration names by one word; any other is `module:Class` or `file.py:Class`."""

_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_FILE_REFERENCE = re.compile(r"(.+(?:\.py(?=:\w)|\.npz$))(:\w+)?")


def build_player(spec: PlayerSpec, variant: Variant) -> Player:
    """The player of a specification, ready for one game.

    Raises PlayerError, with the keys of the entry that are to blame, for an unknown type or option, an option of
    the wrong type, a limit that the player's `check_limit`, if it has one, refuses, and whatever its constructor
    raises.
    """
    if ":" in spec.type:
        maker = load_object(spec.type, "type")
    elif spec.type in PLAYERS:
        maker = PLAYERS[spec.type]
    else:
        raise PlayerError(unknown("player", spec.type, PLAYERS) + " or file.py:Class", "type")
    if not isinstance(maker, type) or not callable(getattr(maker, "choose", None)):
        raise PlayerError(f"{spec.type} is not a class with a method `choose`", "type")
    _check_options(maker, spec)
    try:
        player = cast(Player, maker(variant, **spec.options))
    except PlayerError:
        raise
    except Exception as error:
        source = spec.type.rpartition(":")[0] or (inspect.getsourcefile(maker) or "")
        raise PlayerError(f"{spec.type} cannot be built: {blame(error, source)}", "type") from None
    if hasattr(player, "check_limit"):
        try:
            player.check_limit(spec.limit)
        except ValueError as error:
            raise PlayerError(str(error)) from None
    return player


def located(spec: PlayerSpec, folder: Path) -> PlayerSpec:
    """The specification with relative files made absolute: those in `folder`, else in the working directory."""

    def absolute(text: Any) -> Any:
        match = _FILE_REFERENCE.fullmatch(text) if isinstance(text, str) else None
        if not match:
            return text
        places = [folder / match[1], Path(match[1])]
        found = next((place for place in places if place.is_file()), places[0])
        return f"{found.resolve()}{match[2] or ''}"

    options = {name: absolute(value) for name, value in spec.options.items()}
    return replace(spec, type=absolute(spec.type), options=options)


def fingerprints(spec: PlayerSpec) -> dict[str, str]:
    """A short hash of each file of the user's own that a located specification names, by the file's name."""
    found = {}
    for text in (spec.type, *spec.options.values()):
        match = _FILE_REFERENCE.fullmatch(text) if isinstance(text, str) else None
        if match:
            path = Path(match[1])
            found[path.name] = sha256(path.read_bytes()).hexdigest()[:12] if path.is_file() else "missing"
    return found


def _check_options(maker: type[Any], spec: PlayerSpec) -> None:
    parameters = dict(list(inspect.signature(maker, eval_str=True).parameters.items())[1:])
    if not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        for name in spec.options:
            if name not in parameters:
                limits = tuple(name for name in spec.limit._fields)
                raise PlayerError(unknown("option", name, ("name", "type", *limits, *parameters)), name)
    for name, parameter in parameters.items():
        if name in spec.options:
            _check_type(name, spec.options[name], parameter.annotation)
        elif parameter.default is parameter.empty and parameter.kind not in _VARIADIC:
            raise PlayerError(f"{spec.type} needs the option {name!r}")


def _check_type(name: str, value: Any, annotation: Any) -> None:
    if annotation is inspect.Parameter.empty:
        return
    try:
        TypeAdapter(annotation).validate_python(value, strict=True)
    except ValidationError as error:
        wanted = getattr(annotation, "__name__", None) or str(annotation)
        reason = error.errors()[0]["msg"]
        raise PlayerError(f"{name}: {value!r} is not of type {wanted} ({reason})", name) from None
