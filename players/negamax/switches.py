"""Presets of the negamax search: what each switch is set to, and which do not go together."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from players.loading import PlayerError, unknown

MINIMAX: dict[str, Any] = {
    "alpha_beta": False,
    "fail_soft": True,
    "ties": "first",
    "iterative": False,
    "root_order": False,
    "stop_single": False,
    "stop_half": False,
    "stop_complete": False,
    "stop_decided": False,
    "partial": False,
    "order_tt": False,
    "order_captures": False,
    "order_killers": False,
    "order_history": False,
    "tt": 0,
    "tt_deeper": False,
    "tt_replace": "depth",
    "pvs": False,
    "aspiration": 0.0,
    "mtdf": False,
    "quiescence": "none",
    "lmr": False,
    "futility": False,
    "extensions": False,
    "mate_distance": False,
    "draws": False,
    "contempt": 0.0,
    "repetition_penalty": 0.0,
    "finals": "plies",
}
"""All switches, off: the preset `minimax`."""
_ALPHA_BETA = MINIMAX | {"alpha_beta": True}
_ITERATIVE = _ALPHA_BETA | {
    "iterative": True,
    "root_order": True,
    "stop_single": True,
    "stop_half": True,
    "stop_complete": True,
    "stop_decided": True,
}
_ORDERED = _ITERATIVE | {
    "tt": 16,
    "order_tt": True,
    "order_captures": True,
    "order_killers": True,
    "order_history": True,
    "mate_distance": True,
}
PRESETS: Mapping[str, dict[str, Any]] = MappingProxyType(
    {
        "minimax": MINIMAX,
        "alphabeta": _ALPHA_BETA,
        "iddfs": _ITERATIVE,
        "pvs": _ORDERED | {"pvs": True},
        "mtdf": _ORDERED | {"mtdf": True},
        "full": _ORDERED
        | {
            "pvs": True,
            "aspiration": 0.5,
            "partial": True,
            "quiescence": "captures",
            "lmr": True,
            "futility": True,
            "extensions": True,
            "tt_deeper": True,
            "draws": True,
        },
    }
)
"""What each preset switches on; all but `full` find the value and the move of plain minimax."""
CODES = {
    "ties": ("first", "last", "random"),
    "quiescence": ("none", "captures", "threats"),
}
"""The choices of switches that are words; the search is given their places."""


def switches_of(preset: str, given: dict[str, Any]) -> dict[str, Any]:
    """The switches of a preset with those that are given in place of its own.

    Raises PlayerError for an unknown preset, and for switches that do not go together, at one that was given.
    """
    if preset not in PRESETS:
        raise PlayerError(unknown("preset", preset, tuple(PRESETS)), "preset")
    switches = PRESETS[preset] | given
    _check(switches, given)
    return switches


def _check(switches: dict[str, Any], given: dict[str, Any]) -> None:
    """Raise PlayerError for switches that do not go together, at one that was given."""

    def refuse(message: str, *names: str) -> None:
        raise PlayerError(message, *(name for name in names[:1] if name in given))

    if not 0 <= switches["tt"] <= 65_536:
        refuse(f"tt must be 0 to 65536 megabytes, not {switches['tt']}", "tt")
    if switches["aspiration"] < 0:
        refuse(f"aspiration must be 0 or more men, not {switches['aspiration']}", "aspiration")
    if not switches["alpha_beta"]:
        for name in ("pvs", "mtdf", "aspiration", "lmr", "futility", "mate_distance"):
            if switches[name]:
                refuse(f"{name} needs alpha_beta", name)
    if switches["mtdf"] and not switches["tt"]:
        refuse("mtdf needs a transposition table (tt, in megabytes)", "mtdf")
    if switches["mtdf"] and switches["aspiration"]:
        refuse("mtdf and aspiration do not go together", "aspiration")
