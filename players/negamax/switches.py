"""The switches of the negamax search: one frozen model, its presets, and which do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from pydantic import Field

from arena.base.wording import unknown
from arena.rules.endgame import MOST_PIECES
from players.loading import PlayerError
from players.options import does

# choices of `ties`, `stop`, `order` and `windows` as kernels read them; to mypy words and numbers are one
TIES_FIRST: Any = 0
TIES_RANDOM: Any = 1
HALF: Any = 1
COST: Any = 2
GENERATOR: Any = 0
ORDER_ALL: Any = 2
PVS: Any = 1
MTDF: Any = 2


@dataclass(frozen=True)
class Switches:
    """How to search, each switch with its choices and what it does; the defaults are plain minimax. Kernels read
    each under its name in the search's state, words by their place among the choices."""

    alpha_beta: Annotated[bool, does("cut what cannot matter")] = False
    fail_soft: Annotated[bool, does("return bounds outside the window")] = True
    iterative: Annotated[
        bool, does("search to depth 1, 2, 3 ..., until a win is certain or the whole tree was searched")
    ] = False
    root_order: Annotated[bool, does("order root moves by their values in the last iteration")] = False
    ties: Annotated[
        Literal["first", "random"], does("which of equally good moves: the generator's first, or any")
    ] = "first"
    stop: Annotated[
        Literal["never", "half", "cost"],
        does("begin no iteration after half of the time, or one whose first move would not finish in time"),
    ] = "never"
    partial: Annotated[bool, does("use what was searched of an iteration that the limit ended")] = False
    order_tt: Annotated[bool, does("try the table's move first")] = False
    order: Annotated[
        Literal["generator", "captures", "all"],
        does("try first: nothing, captures of most pieces, or also moves that cut at this ply or anywhere"),
    ] = "generator"
    tt: Annotated[
        int, does("transposition table, 0: none; kept for a game", "megabytes", least=0, most=65_536)
    ] = 0
    tt_deeper: Annotated[bool, does("use results of deeper searches")] = False
    windows: Annotated[
        Literal["open", "pvs", "mtdf"],
        does("which are null windows: none, those of all moves but the first, or all at the root: MTD(f)"),
    ] = "open"
    aspiration: Annotated[
        float, does("half width of the first window around the last value, 0: open", "men", least=0)
    ] = 0.0
    quiescence: Annotated[
        Literal["none", "captures"], does("what is searched beyond the horizon: nothing, or pending captures")
    ] = "none"
    lmr: Annotated[bool, does("reduce moves from the fourth on")] = False
    iir: Annotated[
        int,
        does("search a ply less, from this depth on, where the table has no move; 0: never", "plies", 0, 64),
    ] = 0
    futility: Annotated[bool, does("cut hopeless positions near the horizon")] = False
    probcut: Annotated[
        bool, does("cut in null windows what evaluation and a shallow search find far outside of them")
    ] = False
    extensions: Annotated[bool, does("extend a single reply by a ply")] = False
    mate_distance: Annotated[bool, does("cut what cannot be a sooner win")] = False
    draws: Annotated[bool, does("value repeated positions and too many moves without progress as draws")] = False
    contempt: Annotated[float, does("penalty for a draw", "evaluation's unit")] = 0.0
    tables: Annotated[
        int,
        does("endgame tables up to this number of pieces, 0: none", "pieces", least=0, most=MOST_PIECES),
    ] = 0


SWITCHES = tuple(field.name for field in fields(Switches))
_WORDS = {
    name: get_args(get_args(kind)[0])
    for name, kind in get_type_hints(Switches, include_extras=True).items()
    if get_origin(get_args(kind)[0]) is Literal
}
"""The choices of each switch that has words, in the order of their numbers."""

_ORDERED = {"tt": 16, "order_tt": True, "order": "all", "mate_distance": True}
_CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "alphabeta": ("minimax", {"alpha_beta": True}),
    "iddfs": ("alphabeta", {"iterative": True, "root_order": True, "stop": "half"}),
    "pvs": ("iddfs", _ORDERED | {"windows": "pvs"}),
    "mtdf": ("iddfs", _ORDERED | {"windows": "mtdf"}),
    "full": (
        "pvs",
        {
            "aspiration": 0.5,
            "partial": True,
            "quiescence": "captures",
            "lmr": True,
            "futility": True,
            "extensions": True,
            "tt_deeper": True,
            "draws": True,
            "stop": "cost",
            "iir": 4,
            "probcut": True,
        },
    ),
}
"""Each preset by an earlier one and what it changes."""
DEFAULT_PRESET = "pvs"


def _presets() -> Mapping[str, Switches]:
    presets = {"minimax": Switches()}
    for name, (base, changes) in _CHANGES.items():
        presets[name] = replace(presets[base], **changes)
    return MappingProxyType(presets)


PRESETS = _presets()  # all but the last one find the value and the move of plain minimax
PresetName = Annotated[str, Field(json_schema_extra={"enum": list(PRESETS)})]


def switches_of(preset: str, changes: Mapping[str, Any]) -> Switches:
    """The switches of a preset with `changes` in place of its own; without a table its `iir` is off.

    Raises PlayerError for an unknown preset, and for switches that do not go together, at one that was changed.
    """
    if preset not in PRESETS:
        raise PlayerError(unknown("preset", preset, PRESETS), "preset")
    switches = replace(PRESETS[preset], **changes)
    if not switches.tt and "iir" not in changes:
        switches = replace(switches, iir=0)
    for name, fault in _conflicts(switches):
        raise PlayerError(fault, *([name] if name in changes else []))
    return switches


def numbers_of(switches: Switches) -> dict[str, float]:
    """Every switch as the number that kernels read."""
    return asdict(switches) | {name: words.index(getattr(switches, name)) for name, words in _WORDS.items()}


def preset_texts() -> dict[str, str]:
    """What each preset is, in Markdown."""
    texts = {"minimax": "everything off: fixed depth, every node"}
    for preset, (base, changes) in _CHANGES.items():
        values = (name if value is True else f"{name}: {str(value).lower()}" for name, value in changes.items())
        texts[preset] = f"`{base}` and {', '.join(f'`{value}`' for value in values)}"
    return texts


def _conflicts(switches: Switches) -> Iterator[tuple[str, str]]:
    if not switches.alpha_beta:
        for name in ("aspiration", "lmr", "futility", "probcut", "mate_distance"):
            if getattr(switches, name):
                yield name, f"{name} needs alpha_beta"
        if switches.windows != "open":
            yield "windows", f"{switches.windows} needs alpha_beta"
    if switches.iir and not switches.tt:
        yield "iir", "iir needs a transposition table (tt, in megabytes)"
    if switches.windows == "mtdf" and not switches.tt:
        yield "windows", "mtdf needs a transposition table (tt, in megabytes)"
    if switches.windows == "mtdf" and switches.aspiration:
        yield "aspiration", "mtdf and aspiration cannot be combined"
