"""A game at the board in words: how it ended, passes, and what the published program of a rule set showed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import groupby, pairwise
from typing import NamedTuple, TypeAlias

from arena.base.wording import counted
from arena.board.game import Turn
from arena.hosting.analysis import Outlook
from arena.rules.game import Game, Outcome, Termination
from arena.rules.move_text import move_squares, path
from arena.rules.movegen import apply
from arena.rules.moves import sides
from arena.rules.notation import place
from arena.rules.position import BLACK, COLOURS, Position
from arena.rules.variants import Variant
from players.evaluation.mix import WEAK

_OUTLOOKS = {"win": "+ wins", "draw": "= draws", "loss": "- loses"}

_Figures: TypeAlias = Callable[[Turn, Position, Variant], list[str]]


class _Program(NamedTuple):
    """What the published program of a rule set showed of a game."""

    figures: _Figures
    """Its lines about a move that was played in a position."""
    numbers_edges: bool = False
    """Whether rows and columns were numbered at the edges of its board."""
    lists_moves: bool = False
    """Whether it listed the legal moves, numbered, at each turn of a person."""


def ending_text(game: Game, outcome: Outcome) -> str:
    """Describe who won and why: `White wins: Black has no legal move`, `White wins by 9 points to 7: ...`."""
    if outcome.winner is None:
        return f"Draw: {_drawn(game, outcome)}"
    winner, loser = (COLOURS[colour].capitalize() for colour in (outcome.winner, 1 - outcome.winner))
    mover = COLOURS[game.turn].capitalize()
    if outcome.points:
        most, least = max(outcome.points), min(outcome.points)
        return f"{winner} wins by {counted(most, 'point')} to {least}: {_why_counted(game, outcome.points)}"
    reasons = {
        Termination.NO_PIECES: f"{mover} has no pieces left",
        Termination.NO_MOVES: f"{mover} has no legal move",
        Termination.FIRST_KING: "the first king",
        Termination.TIME: f"{loser}'s time is up",
        Termination.RESIGNATION: f"{loser} resigned",
        Termination.ERROR: f"{loser}'s program failed",
    }
    return f"{winner} wins: {reasons.get(outcome.termination, outcome.termination.value.replace('_', ' '))}"


def pass_text(turn: int) -> str:
    """Describe why a colour passes: `White has no move and passes`."""
    return f"{COLOURS[turn].capitalize()} has no move and passes"


def outlook_lines(outlooks: Iterable[Outlook]) -> list[str]:
    """List moves by what they certainly come to, in plies: `+ wins: 1-5 in 29, 1-6 in 33`, `= draws: 10-14`."""
    return [
        f"{_OUTLOOKS[known]}: {', '.join(map(_outlook, group))}"
        for known, group in groupby(outlooks, lambda outlook: outlook.known)
        if known
    ]


def figures(turn: Turn, before: Position, variant: Variant) -> list[str]:
    """The lines that the program of a rule set printed of a move played in the position `before`.

    None where the rule set is of no published program, or it printed what its search did and nothing was searched.
    Rules made from a published set are as that set. (row, column) count from 0 at the top left, as White sees it.
    """
    program = _program(variant)
    return program.figures(turn, before, variant) if program else []


def numbers_edges(variant: Variant) -> bool:
    """Whether rows and columns are numbered at the edges of the board, as the rules' published program did."""
    program = _program(variant)
    return program is not None and program.numbers_edges


def lists_moves(variant: Variant) -> bool:
    """Whether the legal moves are listed at each turn of a person, as the rules' published program did."""
    program = _program(variant)
    return program is not None and program.lists_moves


def _program(variant: Variant) -> _Program | None:
    return _PROGRAMS.get(variant.family)


def _why_counted(game: Game, points: tuple[int, int]) -> str:
    if 0 in points:
        return f"{COLOURS[points.index(0)].capitalize()} has no pieces left"
    mover = COLOURS[game.turn].capitalize()
    return "neither side can move" if game.variant.rules.passes else f"{mover} has no legal move"


def _outlook(outlook: Outlook) -> str:
    return f"{outlook.text} in {abs(outlook.plies_to_win)}" if outlook.plies_to_win else outlook.text


def _drawn(game: Game, outcome: Outcome) -> str:
    draws = game.variant.draws
    if outcome.points:
        return f"{counted(outcome.points[0], 'point')} each, {_why_counted(game, outcome.points)}"
    reasons = {
        Termination.REPETITION: f"the position occurred {draws.repetition} times",
        Termination.NO_PROGRESS: f"{draws.no_progress} plies without a capture or a man's move",
        Termination.NO_CAPTURE: f"{draws.no_capture} plies without a capture",
        Termination.ENDING: "this ending has lasted as long as the rules allow",
        Termination.AGREEMENT: "agreed",
    }
    return reasons.get(outcome.termination, outcome.termination.value.replace("_", " "))


def _game3(turn: Turn, before: Position, _: Variant) -> list[str]:
    if turn.thought is None:
        return []
    name, colour = ("AI 1", "Black") if before.turn == BLACK else ("AI 2", "Red")
    return [
        f"{name}'s turn ({colour})",
        f"{name} nodes explored: {turn.thought.choice.nodes}",
        f"{name} search time: {turn.thought.seconds:.2f} seconds",
    ]


def _checkers_ai(turn: Turn, *_: object) -> list[str]:
    if turn.thought is None:
        return []
    return [f"depth reached: {turn.thought.choice.depth}", f"seconds: {turn.thought.seconds:.2f}"]


def _simplified(turn: Turn, *_: object) -> list[str]:
    if turn.thought is None:
        return []
    choice = turn.thought.choice
    return [
        f"total nodes: {choice.nodes}",
        f"deepest ply: {choice.deepest}",
        f"cutoffs in max nodes: {choice.cutoffs_max}",
        f"cutoffs in min nodes: {choice.cutoffs_min}",
    ]


def _cis300(turn: Turn, before: Position, variant: Variant) -> list[str]:
    """A line for each hop, as the program plays a capture of several hops one by one."""
    if not turn.move:
        return []
    mover = COLOURS[before.turn].capitalize()
    _, other = sides(before)
    way = [_row_and_column(variant, number) for number in path(variant, before, turn.move)]
    lines = []
    for (row, column), (to_row, to_column) in pairwise(way):
        hop = f"{mover}-({row}, {column}) to ({to_row}, {to_column})"
        taken = f"(capt: ({(row + to_row) // 2}, {(column + to_column) // 2}))"
        lines.append(f"Jump--{hop} {taken}" if turn.move & other else hop)
    return lines


def _casual(turn: Turn, before: Position, variant: Variant) -> list[str]:
    if not turn.move:
        return []
    squares = move_squares(variant, before, turn.move)
    origin, target, *captured = (
        _row_and_column(variant, number) for number in (squares.origin, squares.target, *squares.captured)
    )
    was_king = before.kings & variant.bits[squares.origin - 1]
    is_king = apply(variant.constants, before, turn.move).kings & variant.bits[squares.target - 1]
    return [
        f"from {origin} to {target}",
        f"captured: {', '.join(map(str, captured)) or 'none'}",
        f"king now: {'yes' if is_king else 'no'}",
        f"king before: {'yes' if was_king else 'no'}",
        *_assessment(turn),
    ]


def _assessment(turn: Turn) -> list[str]:
    """The formation as the hybrid re-assessed it before the move, if it did."""
    found = (turn.thought.choice.extra or {}).get("assessed") if turn.thought else None
    return [f"formation re-assessed: {'weak, play is defensive' if found == WEAK else 'sound'}"] if found else []


def _row_and_column(variant: Variant, number: int) -> tuple[int, int]:
    column, row = place(variant, variant.bits[number - 1])
    return row, column


_PROGRAMS: Mapping[str, _Program] = {
    "game3": _Program(_game3, numbers_edges=True),
    "checkers-ai": _Program(_checkers_ai, lists_moves=True),
    "simplified": _Program(_simplified),
    "cis300": _Program(_cis300, numbers_edges=True),
    "casual-10x10": _Program(_casual, numbers_edges=True),
}
"""By the names of the programs' rule sets."""
