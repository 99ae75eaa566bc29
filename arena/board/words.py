"""A game at the board in words: what a player saw, how it ended, passes, what moves certainly lead to."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from arena.base.wording import counted
from arena.board.game import Thought
from arena.hosting.analysis import Outlook
from arena.rules.game import Outcome
from arena.rules.position import COLOURS
from players.evaluation.mix import WEAK

_OUTLOOKS = {"win": "+ wins", "draw": "= draws", "loss": "- loses"}


def seen_text(thought: Thought) -> str:
    """What a player saw, from its own view, and counted: `score +0.25 men, depth 6, deepest ply 9, ...`."""
    is_number = thought.score and not thought.choice.plies_to_win
    score = f"score {thought.score}{' men' if thought.man_value else ''}" if is_number else thought.score
    return ", ".join(filter(None, [score, counts_text(thought)]))


def counts_text(thought: Thought) -> str:
    """What a player counted: `depth 6, deepest ply 9, 1,234 nodes, 13 cutoffs (7 max, 6 min), 0.012 s`.

    Behind it the formation, if it was assessed again before this move.
    """
    choice = thought.choice
    most, least = choice.cutoffs_max, choice.cutoffs_min
    assessed = (choice.extra or {}).get("assessed")
    parts = (
        f"depth {choice.depth}" if choice.depth else "",
        f"deepest ply {choice.deepest}" if choice.deepest else "",
        f"{choice.nodes:,} nodes" if choice.nodes else "",
        f"{most + least:,} cutoffs ({most:,} max, {least:,} min)" if most or least else "",
        f"{thought.seconds:.3f} s",
        f"formation {'weak' if assessed == WEAK else 'sound'}" if assessed else "",
    )
    return ", ".join(filter(None, parts))


def ending_text(outcome: Outcome) -> str:
    """Who won and why: `White wins: no legal moves`, `White wins by 9 points to 7: the points decide`."""
    by = f" by {counted(max(outcome.points), 'point')} to {min(outcome.points)}" if outcome.points else ""
    who = "Draw" if outcome.winner is None else f"{COLOURS[outcome.winner].capitalize()} wins{by}"
    return f"{who}: {'the points decide' if outcome.points else outcome.termination.words}"


def pass_text(turn: int) -> str:
    """Why a colour passes: `White has no move and passes`."""
    return f"{COLOURS[turn].capitalize()} has no move and passes"


def outlook_lines(outlooks: Iterable[Outlook]) -> list[str]:
    """List moves by what they certainly come to, in plies: `+ wins: 1-5 in 29, 1-6 in 33`, `= draws: 10-14`."""
    return [
        f"{_OUTLOOKS[known]}: {', '.join(map(_outlook, group))}"
        for known, group in groupby(outlooks, lambda outlook: outlook.known)
        if known
    ]


def _outlook(outlook: Outlook) -> str:
    return f"{outlook.text} in {abs(outlook.plies_to_win)}" if outlook.plies_to_win else outlook.text
