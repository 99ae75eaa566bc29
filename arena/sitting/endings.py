"""How a game ended, in words."""

from __future__ import annotations

from arena.rules.game import Game, Outcome, Termination
from arena.rules.position import COLOURS


def ending_text(game: Game, outcome: Outcome) -> str:
    """Who won and why, such as `White wins: Black has no legal move`."""
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
