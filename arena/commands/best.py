"""The best moves of a position, searched for while the terminal shows what is found."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.text import Text

from arena.base.errors import ArenaError
from arena.base.wording import message_of
from arena.base.writing import replaces_lines
from arena.board.sides import adviser
from arena.board.words import outlook_lines
from arena.commands.output import table_lines, width_of
from arena.commands.waiting import announcing_compilation, watched
from arena.experiment.load import player_spec
from arena.hosting.analysis import Analysis, Findings
from arena.rules.game import Game
from arena.rules.position import COLOURS
from players.loading import PlayerError, located
from players.player import AnswerError, Limit

_SECONDS = 10.0
"""Seconds of a search without a limit."""
_PLIES_SHOWN = 12


def analysis_of(game: Game, player: str | None, lines: int) -> Analysis:
    """The search of a position for its best lines by a player, the strongest here if none is named."""
    try:
        with announcing_compilation():
            if player is None:
                spec = adviser(game.variant, Limit(seconds=_SECONDS))
            else:
                spec = located(player_spec(player, "--player"), Path())
            if spec.limit == Limit():
                spec = replace(spec, limit=Limit(seconds=_SECONDS))
            return Analysis(spec, game, lines)
    except PlayerError as error:
        raise ArenaError(f"--player: {error}") from None
    except ValueError as error:
        raise ArenaError(str(error)) from None


def searched(analysis: Analysis, *, draws: bool) -> Findings:
    """What a search has found at its end, or when Ctrl-C stopped it; a terminal shows it meanwhile if it `draws`.

    Raises ArenaError if the player fails, or nothing was found.
    """
    live = Live(console=Console(highlight=False), refresh_per_second=8, transient=True)
    last = None
    try:
        with announcing_compilation(), live if draws and replaces_lines(sys.stdout) else nullcontext():
            for findings in watched(analysis.findings(), analysis.stop, SystemExit(128 + signal.SIGINT)):
                last = findings or last
                if findings is not None:
                    live.update(Text("\n".join(best_lines(analysis, findings))))
    except AnswerError as error:
        raise ArenaError(f"the player {message_of(error)}") from None
    except ValueError as error:
        raise ArenaError(message_of(error)) from None
    except Exception as error:
        raise ArenaError(f"the player raised {type(error).__name__}: {message_of(error)}") from None
    if last is None or not last.lines:
        raise ArenaError("nothing was found before the search was stopped")
    return last


def best_lines(analysis: Analysis, findings: Findings) -> Iterator[str]:
    """Yield what was found: what it took, whose scores they are, the moves, and what is certain of them."""
    rate = findings.nodes / max(findings.seconds, 1e-3) / 1e6
    yield f"{findings.nodes:,} nodes, {findings.seconds:.1f} s, {rate:.2f} million nodes/s"
    colour = COLOURS[analysis.turn].capitalize()
    unit = "in men" if analysis.man_value is not None else "in the player's own unit"
    yield f"scores are {colour}'s, {unit}: above 0 {colour} is ahead"
    rows = [
        (
            str(number),
            analysis.score(line),
            str(line.depth or "end"),
            " ".join(analysis.texts(line)[:_PLIES_SHOWN]),
        )
        for number, line in enumerate(findings.lines, start=1)
    ]
    yield from table_lines(("", "score", "depth", "line"), rows, width_of(sys.stdout))
    yield from outlook_lines(analysis.outlook())


def best_document(analysis: Analysis, findings: Findings) -> dict[str, Any]:
    """The same as plain data."""
    lines = [
        {
            "moves": analysis.texts(line),
            "score": line.score,
            "plies_to_win": line.plies_to_win or None,
            "known": analysis.known(line),
            "depth": line.depth,
            "nodes": line.nodes,
        }
        for line in findings.lines
    ]
    outlook = [
        {"move": move.text, "known": move.known, "plies_to_win": move.plies_to_win or None}
        for move in analysis.outlook()
    ]
    costs = {"nodes": findings.nodes, "seconds": findings.seconds}
    return {"man_value": analysis.man_value, **costs, "lines": lines, "outlook": outlook}
