"""A game at the board in words: how it ended, passes, what moves certainly lead to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from arena.base.wording import counted
from arena.hosting.analysis import Outlook
from arena.rules.game import Game, Outcome, Termination
from arena.rules.position import COLOURS

_OUTLOOKS = {"win": "+ wins", "draw": "= draws", "loss": "- loses"}


def winner_text(outcome: Outcome) -> str:
    """Describe who won: `Draw`, `White wins`, `White wins by 9 points to 7`."""
    if outcome.winner is None:
        return "Draw"
    by = f" by {counted(max(outcome.points), 'point')} to {min(outcome.points)}" if outcome.points else ""
    return f"{COLOURS[outcome.winner].capitalize()} wins{by}"


def ending_text(game: Game, outcome: Outcome) -> str:
    """Describe who won and why: `White wins: Black has no legal move`, `White wins by 9 points to 7: ...`."""
    return f"{winner_text(outcome)}: {_reason(game, outcome)}"


def _reason(game: Game, outcome: Outcome) -> str:
    if outcome.winner is None:
        return _drawn(game, outcome)
    if outcome.points:
        return _why_counted(game, outcome.points)
    loser, mover = COLOURS[1 - outcome.winner].capitalize(), COLOURS[game.turn].capitalize()
    reasons = {
        Termination.NO_PIECES: f"{mover} has no pieces left",
        Termination.NO_MOVES: f"{mover} has no legal move",
        Termination.FIRST_KING: "the first king",
        Termination.TIME: f"{loser}'s time is up",
        Termination.RESIGNATION: f"{loser} resigned",
        Termination.ERROR: f"{loser}'s program failed",
    }
    return reasons.get(outcome.termination, outcome.termination.words)


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
    return reasons.get(outcome.termination, outcome.termination.words)
