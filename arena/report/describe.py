"""A player in words: how it searches, how far, and what values its positions."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from arena.base.number import quantity
from arena.base.wording import cut, first_few
from arena.experiment.names import is_number, word_of
from players.loading import own_code, words_of_command
from players.player import ENGINE, Limit, PlayerSpec

_KINDS = {
    "random": "a random legal move",
    "greedy": "best move one ply ahead",
    "negamax": "alpha-beta",
    "mcts": "Monte-Carlo tree search",
    "hybrid": "tree search with minimax",
}
_PRESETS = {"minimax": "minimax", "alphabeta": "plain alpha-beta", "pvs": "alpha-beta"}
"""Searches by the preset of `negamax`; another one stands in brackets: "alpha-beta (full)"."""
_EVALUATIONS = {"simple": "simple (+7/+5/+3)", "neural": "neural network"}
_MOST = 4
"""Weights that are named."""


def describe(spec: PlayerSpec) -> str:
    """What a player is: "alpha-beta, 6 plies · linear (man 100, king 160)"."""
    options = dict(spec.options)
    evaluation = options.pop("evaluation", "simple" if spec.type in ("greedy", "negamax") else None)
    search = [_kind(spec, options), *(_option(name, value) for name, value in options.items())]
    if limit := describe_limit(spec.limit):
        search.append(f"level {spec.limit.depth}" if spec.type == "cis300" and spec.limit.depth else limit)
    return ", ".join(search) + ("" if evaluation is None else f" · {describe_evaluation(evaluation)}")


def describe_limit(limit: Limit) -> str:
    """How far a player may search: "6 plies", "1,000 nodes", "50 ms", "1 min for the game"."""
    parts = []
    if limit.depth is not None:
        parts.append("1 ply" if limit.depth == 1 else f"{limit.depth} plies")
    if limit.nodes is not None:
        parts.append(f"{limit.nodes:,} {'node' if limit.nodes == 1 else 'nodes'}")
    if limit.seconds is not None:
        parts.append(_seconds(limit.seconds))
    if limit.clock is not None:
        increment = f" and {_seconds(limit.increment)} a move" if limit.increment else ""
        game = "the game" if limit.moves is None else f"each {limit.moves} moves"
        parts.append(f"{_seconds(limit.clock)} for {game}{increment}")
    return ", ".join(parts)


def describe_evaluation(evaluation: Any) -> str:
    """What values positions: "cis300", "mine.py:value", "linear (man 100, king 160)"."""
    if isinstance(evaluation, Mapping):
        return ", ".join(f"{name}{_weights(value)}" for name, value in evaluation.items())
    name = _file_name(str(evaluation))
    return f"network {name}" if name.endswith(".npz") else _EVALUATIONS.get(name, name)


def _kind(spec: PlayerSpec, options: dict[str, Any]) -> str:
    """The search of a player; removes the options that it names."""
    if spec.type == ENGINE:
        script = [word for word in words_of_command(options.get("command"))[1:2] if PurePath(word).suffix]
        options.clear()
        return " ".join(["program", *map(_file_name, [*own_code(spec), *script])])
    preset = options.pop("preset", None)
    if preset is None:
        return _KINDS.get(spec.type, _file_name(spec.type))
    return _PRESETS.get(preset) or f"{_KINDS.get(spec.type, spec.type)} ({preset})"


def _option(name: str, value: Any) -> str:
    text = word_of(name, _file_name(value) if isinstance(value, str) else value)
    return cut(f"{name} {text}" if is_number(value) or isinstance(value, str | list) else text).replace("_", " ")


def _weights(weights: Any) -> str:
    """The first of some weights in brackets: " (man 100, king 120/160 and 3 more)"."""
    if not isinstance(weights, Mapping):
        return ""
    parts = [f"{name.replace('_', ' ')} {_numbers(value)}" for name, value in weights.items()]
    return f" ({first_few(parts, _MOST)})"


def _numbers(weight: Any) -> str:
    """A weight, or those of the opening and the ending: "100", "120/160"."""
    return "/".join(f"{number:g}" for number in (weight if isinstance(weight, list | tuple) else [weight]))


def _seconds(seconds: float) -> str:
    return quantity(seconds, "s") if seconds % 60 else f"{seconds / 60:g} min"


def _file_name(reference: str) -> str:
    """A reference without the folders of an absolute path: "/home/me/mine.py:value" -> "mine.py:value"."""
    return PurePath(reference).name if PurePath(reference).is_absolute() else reference
