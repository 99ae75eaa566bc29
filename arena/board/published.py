"""What the published program of a rule set shows a person: its lines about a move, its board, its last line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from arena.board.game import Turn
from arena.rules.board import rows_of
from arena.rules.game import Outcome
from arena.rules.move_text import move_squares, path
from arena.rules.movegen import apply
from arena.rules.moves import sides
from arena.rules.notation import piece_letter, place
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.variants import Variant
from players.evaluation import features
from players.evaluation.mix import WEAK

RED = ("Red", "Black")
"""Names of White and Black in `game3` and `cis300`."""
_CELL = 4
"""Characters of a square of the board of `checkers-ai`."""

Figures: TypeAlias = Callable[[Turn, Position, Variant], list[str]]


class _Program(NamedTuple):
    """Shows the published program of a rule set as a person at its board saw it."""

    figures: Figures = lambda *_: []
    """Its lines about a turn that was played in a position."""
    numbers_edges: bool = False
    """Whether rows and columns stand at the edges of its board, row 0 on top for a person of either colour."""
    has_red: bool = False
    """Whether White's pieces are red there, and called Red."""
    lists_moves: bool = False
    """Whether each turn of a person begins with the numbered list of the legal moves."""
    asks_for_squares: bool = False
    """Whether a move is asked for at two prompts, its start and its end as row and column."""
    ending: Callable[[Outcome], list[str]] = lambda _: []
    """Its lines about the end of a game."""
    board: Callable[[Variant, Position], str] | None = None
    """Its board in characters, if it is another than the arena's."""


def program_of(variant: Variant) -> _Program:
    """The published program of a rule set, and of rules made from it; for other rules one that shows nothing."""
    return _PROGRAMS.get(variant.family, _Program())


def _game3(turn: Turn, before: Position, _: Variant) -> list[str]:
    if turn.thought is None:
        return []
    name = "AI 1" if before.turn == BLACK else "AI 2"
    return [
        f"{name}'s turn ({RED[before.turn]})",
        f"{name} nodes explored: {turn.thought.choice.nodes}",
        f"{name} search time: {turn.thought.seconds:.2f} seconds",
    ]


def _game3_ending(outcome: Outcome) -> list[str]:
    winner = "Draw" if outcome.winner is None else f"Winner: {RED[outcome.winner]}"
    return [f"Game Over! {winner}"]


def _checkers_ai(turn: Turn, *_: object) -> list[str]:
    if turn.thought is None:
        return []
    return [f"depth reached: {turn.thought.choice.depth}", f"seconds: {turn.thought.seconds:.2f}"]


def _checkers_ai_board(variant: Variant, position: Position) -> str:
    """Squares in frames, each with its number at the upper right and below it `B`, `W`, or a king in braces."""
    pieces = {"": "", "b": "B", "w": "W", "B": "{B}", "W": "{W}"}
    frame = "+" + f"{'-' * _CELL}+" * (2 * variant.rules.per_row)
    lines = [frame]
    for row in rows_of(variant):
        letters = [piece_letter(position, variant.bits[number - 1]) if number else "" for number in row]
        numbers = "".join(f"{number or '':>{_CELL}}|" for number in row)
        below = "".join(f"{pieces[letter]:^{_CELL}}|" for letter in letters)
        lines += [f"|{numbers}", f"|{below}", frame]
    return "\n".join(lines)


def _simplified(turn: Turn, *_: object) -> list[str]:
    if turn.thought is None:
        return []
    choice = turn.thought.choice
    return [
        *([f"value: {choice.score:.0f}"] if choice.score is not None else []),
        f"total nodes: {choice.nodes}",
        f"deepest ply: {choice.deepest}",
        f"cutoffs in max nodes: {choice.cutoffs_max}",
        f"cutoffs in min nodes: {choice.cutoffs_min}",
    ]


def _simplified_board(variant: Variant, position: Position) -> str:
    """Pieces as `B` and `W`, all other squares as `+`; the values of the simple heuristic below."""
    lines = []
    for row in rows_of(variant):
        letters = (piece_letter(position, variant.bits[number - 1]) if number else "" for number in row)
        lines.append(" ".join(letter.upper() or "+" for letter in letters))
    black, white = (_simple_value(variant, position, colour) for colour in (BLACK, WHITE))
    return "\n".join([*lines, f"value: B {black}, W {white}"])


def _simple_value(variant: Variant, position: Position, colour: int) -> int:
    """A side's part of the evaluation `simple`: 7 for a piece on the far row, 5 elsewhere in that half, else 3."""
    rules = variant.rules
    pieces, in_half, in_row = (
        count(position, rules, colour) for count in (features.pieces, features.far_half, features.far_row)
    )
    return 3 * pieces + 2 * in_half + 2 * in_row


def _cis300(turn: Turn, before: Position, variant: Variant) -> list[str]:
    """A line for each hop, as the program plays a capture of several hops one by one."""
    if not turn.move:
        return []
    mover, other = RED[before.turn], RED[1 - before.turn]
    is_capture = bool(turn.move & sides(before)[1])
    squares = [_row_and_column(variant, number) for number in path(variant, before, turn.move)]
    lines = []
    for hop, ((row, column), (to_row, to_column)) in enumerate(pairwise(squares), start=2):
        text = f"{mover}-({row}, {column}) to ({to_row}, {to_column})"
        if is_capture:
            text = f"Jump--{text}(capt: ({(row + to_row) // 2}, {(column + to_column) // 2}))"
        lines.append(f"(Last Move: {text})---Now {other if hop == len(squares) else mover}'s turn")
    return lines


def _casual(turn: Turn, before: Position, variant: Variant) -> list[str]:
    if not turn.move:
        return []
    squares = move_squares(variant, before, turn.move)
    origin, target, *captured = (
        _row_and_column(variant, number) for number in (squares.origin, squares.target, *squares.captured)
    )
    was_king = before.kings & variant.bits[squares.origin - 1]
    is_king = apply(variant.rules, before, turn.move).kings & variant.bits[squares.target - 1]
    assessed = (turn.thought.choice.extra or {}).get("assessed") if turn.thought else None
    formation = "weak, play is defensive" if assessed == WEAK else "sound"
    return [
        f"from {origin} to {target}",
        f"captured: {', '.join(map(str, captured)) or 'none'}",
        f"king now: {'yes' if is_king else 'no'}",
        f"king before: {'yes' if was_king else 'no'}",
        *([f"formation re-assessed: {formation}"] if assessed else []),
    ]


def _row_and_column(variant: Variant, number: int) -> tuple[int, int]:
    column, row = place(variant, variant.bits[number - 1])
    return row, column


_PROGRAMS: Mapping[str, _Program] = {
    "game3": _Program(_game3, numbers_edges=True, has_red=True, asks_for_squares=True, ending=_game3_ending),
    "checkers-ai": _Program(_checkers_ai, lists_moves=True, board=_checkers_ai_board),
    "simplified": _Program(_simplified, board=_simplified_board),
    "cis300": _Program(_cis300, numbers_edges=True, has_red=True),
    "casual-10x10": _Program(_casual, numbers_edges=True),
}
"""Programs by the names of their rule sets."""
