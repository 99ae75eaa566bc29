"""The switches of the negamax search: one frozen model, its presets, and which do not go together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from types import MappingProxyType
from typing import Annotated, Any, Literal, get_args, get_type_hints

from pydantic import Field

from arena.base.wording import unknown
from arena.rules.endgame import MOST_PIECES
from players.loading import PlayerError
from players.options import check_option, choices_of, words_of

FIRST, LAST, RANDOM, SEARCHED, BOUND = range(5)
"""The choices of `ties`, as kernels read them."""
NO_LMR, LATE, EARLY = range(3)
"""The choices of `lmr`."""
PLIES, POINTS, ALIKE, BLIND, EVALUATED = range(5)
"""The choices of `finals`."""


def _does(what: str, unit: str = "", least: float | None = None, most: float | None = None) -> Any:
    return Field(description=what, json_schema_extra={"unit": unit} if unit else None, ge=least, le=most)


@dataclass(frozen=True)
class Switches:
    """How to search, each switch with its choices and what it does; the values here are those of plain minimax.

    Kernels read each under its name in the record of the search's state, words by their place among the choices.
    """

    alpha_beta: Annotated[bool, _does("cut what cannot matter")] = False
    fail_soft: Annotated[bool, _does("return bounds outside the window")] = True
    iterative: Annotated[bool, _does("search to depth 1, 2, 3 ...")] = False
    root_order: Annotated[bool, _does("order root moves by their values in the last iteration")] = False
    ties: Annotated[
        Literal["first", "last", "random", "searched", "bound"],
        _does(
            "which of equally good moves, in the generator's order; the first that was searched; or, of bounds, "
            "too, the last, as `cis300` printed"
        ),
    ] = "first"
    stop_single: Annotated[bool, _does("under a time limit, stop at one legal move")] = False
    stop_half: Annotated[bool, _does("start no iteration after half of the time")] = False
    stop_cost: Annotated[
        bool, _does("start no iteration of which not even the first move will be searched in time")
    ] = False
    stop_complete: Annotated[bool, _does("stop when the whole tree was searched")] = False
    stop_decided: Annotated[bool, _does("stop when a win is certain")] = False
    partial: Annotated[bool, _does("use the moves searched so far of an iteration that the limit ended")] = False
    order_squares: Annotated[
        bool, _does("list moves by row and column of the piece, then of where it arrives, as `game3`")
    ] = False
    order_tt: Annotated[bool, _does("first the table's move")] = False
    order_captures: Annotated[bool, _does("of captures, first those of most pieces")] = False
    order_killers: Annotated[bool, _does("first moves that cut at this ply")] = False
    order_history: Annotated[bool, _does("first moves that cut anywhere")] = False
    tt: Annotated[
        int, _does("transposition table, 0: none; kept for a game", "megabytes", least=0, most=65_536)
    ] = 0
    tt_deeper: Annotated[bool, _does("use results of deeper searches")] = False
    pvs: Annotated[bool, _does("null windows for all moves but the first")] = False
    aspiration: Annotated[
        float, _does("half width of the first window around the last value, 0: open", "men", least=0)
    ] = 0.0
    mtdf: Annotated[bool, _does("MTD(f): null windows at the root")] = False
    quiescence: Annotated[
        Literal["none", "captures"], _does("what is searched beyond the horizon: nothing, or pending captures")
    ] = "none"
    lmr: Annotated[
        Literal["none", "late", "early"],
        _does("reduce moves from the fourth on, or, in null windows, from the second on"),
    ] = "none"
    iir: Annotated[
        int,
        _does("a ply less from this depth on where the table has no move, 0: never", "plies", least=0, most=64),
    ] = 0
    futility: Annotated[bool, _does("cut hopeless positions near the horizon")] = False
    futility_depth: Annotated[int, _does("depth up to which `futility` cuts", "plies", least=1, most=64)] = 5
    futility_above: Annotated[float, _does("how far above the window it cuts, for each ply", "men", least=0)] = 0.3
    futility_below: Annotated[float, _does("how far below, for each ply", "men", least=0)] = 0.8
    probcut: Annotated[
        bool, _does("cut in null windows what evaluation and a shallow search find far outside of them")
    ] = False
    probcut_above: Annotated[float, _does("how far above the window, for each ply and three", "men", least=0)] = (
        0.02
    )
    probcut_below: Annotated[float, _does("how far below, for each ply and three", "men", least=0)] = 0.06
    full_width: Annotated[
        int, _does("with this number of pieces or fewer no move is reduced or cut", "pieces", least=0, most=64)
    ] = 0
    extensions: Annotated[bool, _does("a ply more for a single reply")] = False
    singular: Annotated[
        int,
        _does(
            "a ply more, from this depth on, for a table's move that all others are worse than; 0: never",
            "plies",
            least=0,
            most=64,
        ),
    ] = 0
    singular_margin: Annotated[float, _does("by how much they are to be worse", "men", least=0)] = 0.1
    mate_distance: Annotated[bool, _does("cut what cannot be a sooner win")] = False
    draws: Annotated[bool, _does("a position that occurred before, and moves without progress, are draws")] = False
    contempt: Annotated[float, _does("what a draw is below 0", "evaluation's unit")] = 0.0
    repetition_penalty: Annotated[
        float, _does("off a leaf that is the position of four plies before, as `game3` meant", "evaluation's unit")
    ] = 0.0
    tables: Annotated[
        int,
        _does(
            "endgame tables (`arena tables`) up to this number of pieces, 0: none",
            "pieces",
            least=0,
            most=MOST_PIECES,
        ),
    ] = 0
    finals: Annotated[
        Literal["plies", "points", "alike", "blind", "evaluation"],
        _does(
            "sooner wins are better; where points decide, +-100 and the difference, as in `simplified`; all wins "
            "are alike, as in `game3`; alike, and evaluated as any position at the horizon, as `cis300` printed; "
            "evaluated everywhere, as `game3` printed"
        ),
    ] = "plies"


KINDS: Mapping[str, Any] = MappingProxyType(get_type_hints(Switches, include_extras=True))
"""The type of each switch, with its bounds and what it does."""

_ORDERED = {
    "tt": 16,
    "order_tt": True,
    "order_captures": True,
    "order_killers": True,
    "order_history": True,
    "mate_distance": True,
}
_CHANGES: dict[str, tuple[str, dict[str, Any]]] = {
    "alphabeta": ("minimax", {"alpha_beta": True}),
    "iddfs": (
        "alphabeta",
        {
            "iterative": True,
            "root_order": True,
            "stop_single": True,
            "stop_half": True,
            "stop_complete": True,
            "stop_decided": True,
        },
    ),
    "pvs": ("iddfs", _ORDERED | {"pvs": True}),
    "mtdf": ("iddfs", _ORDERED | {"mtdf": True}),
    "full": (
        "pvs",
        {
            "aspiration": 0.5,
            "partial": True,
            "quiescence": "captures",
            "lmr": "late",
            "futility": True,
            "extensions": True,
            "tt_deeper": True,
            "draws": True,
            "stop_half": False,
            "stop_cost": True,
            "iir": 4,
            "probcut": True,
            "full_width": 4,
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


PRESETS = _presets()
"""All but the last one find the value and the move of plain minimax."""
PresetName = Annotated[str, Field(json_schema_extra={"enum": list(PRESETS)})]


def switches_of(preset: str, given: Mapping[str, Any]) -> Switches:
    """The switches of a preset with those that are given in place of its own; without a table its `iir` is off.

    Raises PlayerError for an unknown preset or switch, for what a switch cannot be, and for switches that do not
    go together, at one that was given.
    """
    if preset not in PRESETS:
        raise PlayerError(unknown("preset", preset, PRESETS), "preset")
    for name, value in given.items():
        if name not in KINDS:
            raise PlayerError(unknown("switch", name, KINDS), name)
        check_option(name, value, KINDS[name])
    switches = replace(PRESETS[preset], **given)
    if not switches.tt and "iir" not in given:
        switches = replace(switches, iir=0)
    for name, fault in _conflicts(switches):
        raise PlayerError(fault, *([name] if name in given else []))
    return switches


def stored(switches: Switches) -> dict[str, float]:
    """Every switch as the number that kernels read."""
    numbers = asdict(switches)
    for name, kind in KINDS.items():
        if words := words_of(kind):
            numbers[name] = words.index(numbers[name])
    return numbers


def stored_types() -> list[tuple[str, str]]:
    """The numpy type of each switch in the record of the search's state."""
    return [(name, "f8" if get_args(kind)[0] is float else "i8") for name, kind in KINDS.items()]


def preset_rows() -> Iterator[tuple[str, str]]:
    """A row of Markdown for each preset: its name, and what it is."""
    yield "`minimax`", "everything off: fixed depth, every node"
    for preset, (base, changes) in _CHANGES.items():
        texts = (name if value is True else f"{name}: {str(value).lower()}" for name, value in changes.items())
        note = " (where none is named)" if preset == DEFAULT_PRESET else ""
        yield f"`{preset}`{note}", f"`{base}` and {', '.join(f'`{text}`' for text in texts)}"


def switch_rows() -> Iterator[tuple[str, str, str]]:
    """A row of Markdown for each switch: its name, its choices or unit, and what it does."""
    for name, kind in KINDS.items():
        yield f"`{name}`", choices_of(kind), kind.__metadata__[0].description


def _conflicts(switches: Switches) -> Iterator[tuple[str, str]]:
    if not switches.alpha_beta:
        for name in ("pvs", "mtdf", "aspiration", "lmr", "futility", "probcut", "singular", "mate_distance"):
            if getattr(switches, name) not in (0, "none"):
                yield name, f"{name} needs alpha_beta"
    for name in ("mtdf", "iir", "singular"):
        if getattr(switches, name) and not switches.tt:
            yield name, f"{name} needs a transposition table (tt, in megabytes)"
    if switches.singular and not switches.order_tt:
        yield "singular", "singular needs order_tt"
    if switches.mtdf and switches.aspiration:
        yield "aspiration", "mtdf and aspiration cannot be combined"
    if switches.finals in ("alike", "blind", "evaluation"):
        for name in ("tt", "mate_distance", "tables"):
            if getattr(switches, name):
                yield name, f"{name} cannot be combined with finals: {switches.finals}"
