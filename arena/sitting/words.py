"""A game at the board in words: how it ended, and what a published program printed of a move."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TypeAlias

from arena.rules.game import Game, Outcome, Termination
from arena.rules.move_text import move_squares, path
from arena.rules.moves import sides
from arena.rules.notation import place
from arena.rules.position import COLOURS, Position
from arena.rules.variants import Variant
from arena.sitting.turn import Turn

_Figures: TypeAlias = Callable[[Turn, Position, Variant], list[str]]


def ending_text(game: Game, outcome: Outcome) -> str:
    """Describe who won and why: `White wins: Black has no legal move`."""
    if outcome.winner is None:
        return f"Draw: {_drawn(game, outcome.termination)}"
    winner, loser = (COLOURS[colour].capitalize() for colour in (outcome.winner, 1 - outcome.winner))
    mover = COLOURS[game.turn].capitalize()
    reasons = {
        Termination.NO_PIECES: f"{mover} has no pieces left",
        Termination.NO_MOVES: f"{mover} has no legal move",
        Termination.POINTS: "more points when nobody can move",
        Termination.FIRST_KING: "the first king",
        Termination.TIME: f"{loser}'s time is up",
        Termination.RESIGNATION: f"{loser} resigned",
        Termination.ERROR: f"{loser}'s program failed",
    }
    return f"{winner} wins: {reasons.get(outcome.termination, outcome.termination.value.replace('_', ' '))}"


def figures(turn: Turn, before: Position, variant: Variant) -> list[str]:
    """The lines that the program of a rule set printed of a move played in the position `before`.

    None where the rule set is of no published program, or it printed what its search did and nothing was searched.
    Rules made from a published set are as that set. (row, column) count from 0 at the top left, as White sees it.
    """
    printed = _PRINTED.get(variant.family)
    return printed(turn, before, variant) if printed else []


def _drawn(game: Game, termination: Termination) -> str:
    draws = game.variant.draws
    reasons = {
        Termination.REPETITION: f"the position occurred {draws.repetition} times",
        Termination.NO_PROGRESS: f"{draws.no_progress} plies without a capture or a man's move",
        Termination.NO_CAPTURE: f"{draws.no_capture} plies without a capture",
        Termination.ENDING: "this ending has lasted as long as the rules allow",
        Termination.POINTS: "equal points when nobody can move",
        Termination.AGREEMENT: "agreed",
    }
    return reasons.get(termination, termination.value.replace("_", " "))


def _game3(turn: Turn, before: Position, _: Variant) -> list[str]:
    if turn.thought is None:
        return []
    mover = "Black" if before.turn else "Red (White)"
    return [
        f"turn: {mover}",
        f"nodes explored: {turn.thought.choice.nodes}",
        f"search time: {turn.thought.seconds:.2f} s",
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
    mover = COLOURS[before.turn].capitalize()
    _, other = sides(before)
    if not turn.move & other:
        squares = move_squares(variant, before, turn.move)
        bits = [variant.bits[number - 1] for number in squares[:2]]
    else:
        bits = path(variant, before, turn.move)
    places = [place(variant, bit)[::-1] for bit in bits]
    lines = []
    for (row, column), (to_row, to_column) in pairwise(places):
        hop = f"{mover}-({row}, {column}) to ({to_row}, {to_column})"
        taken = f"(capt: ({(row + to_row) // 2}, {(column + to_column) // 2}))"
        lines.append(f"Jump--{hop} {taken}" if turn.move & other else hop)
    return lines


def _casual(turn: Turn, before: Position, variant: Variant) -> list[str]:
    squares = move_squares(variant, before, turn.move)
    captured = ", ".join(map(str, squares.captured)) or "none"
    by_king = bool(before.kings & variant.bits[squares.origin - 1])
    return [
        f"from {squares.origin} to {squares.target}",
        f"captured squares: {captured}",
        f"king's move: {'yes' if by_king else 'no'}",
    ]


_PRINTED: Mapping[str, _Figures] = {
    "game3": _game3,
    "checkers-ai": _checkers_ai,
    "simplified": _simplified,
    "cis300": _cis300,
    "casual-10x10": _casual,
}
"""By the names of the programs' rule sets."""
