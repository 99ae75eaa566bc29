"""A position in the terminal: its board, in colours where the terminal has them, and its best moves."""

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

from arena.base import ArenaError
from arena.base.files import replaces_lines
from arena.base.wording import message_of
from arena.board.sides import adviser
from arena.board.words import outlook_lines
from arena.commands.output import put, table_lines, width_of
from arena.commands.waiting import announcing_compilation, watched
from arena.experiment.load import player_spec
from arena.hosting.analysis import Analysis, Findings
from arena.rules.board import DARK, LABEL, LIGHT, WIDTHS, Board, board_text, rows_of, square_label, to_move
from arena.rules.game import Game
from arena.rules.notation import piece_letter
from arena.rules.position import COLOURS
from players.loading import PlayerError, located
from players.player import AnswerError, Limit

_DISCS = {"w": "●", "W": "♛", "b": "●", "B": "♛", "": " "}
_INK = {"w": "#ffffff", "b": "#000000", "": "#000000"}
_MARKED = "#d98a7f"
"""The colour of a marked square, which has no room for a ring."""
_LAST = "#9c8f1f"
"""The colour of the squares of the last move, dark enough for a white piece."""
_EDGE = 3
"""Characters of the numbers of rows."""
_SECONDS = 10.0
"""Seconds of a search without a limit."""
_PLIES_SHOWN = 12


def show_board(board: Board, edges: bool = False) -> None:
    """Print a board, coloured on a terminal that has colours, whose squares are narrower on a narrow one.

    With `edges` its rows and columns are numbered, from 0 at the top left as White sees the board.
    """
    console = Console(highlight=False)
    across = len(rows_of(board.variant)[0])
    fitting = (width for width in WIDTHS if across * width + _EDGE * edges <= console.width)
    width = next(fitting, WIDTHS[-1]) if console.is_terminal else WIDTHS[0]
    rows, columns = list(range(board.variant.rules.rows)), list(range(across))
    if board.flip:
        rows, columns = rows[::-1], columns[::-1]
    if edges:
        put(" " * _EDGE + "".join(str(column).center(width) for column in columns).rstrip())
    if console.is_terminal and console.color_system and not console.no_color and _can_write("●♛"):
        console.print(_coloured(board, rows if edges else [], width))
        return
    text = board_text(
        board.variant,
        board.position,
        width=width,
        last=board.last,
        marks=board.marks,
        flip=board.flip,
        labels=board.labels,
    )
    lines = text.splitlines()
    put("\n".join([*map("{:>2} {}".format, rows, lines), lines[-1]]) if edges else text)


def _coloured(board: Board, edges: list[int], width: int) -> Text:
    """A board in colours, two lines a row, and who is to move below; `edges` are numbers of rows, if any."""
    last = () if board.last is None else board.last[:2]
    text = Text(no_wrap=True)
    for place, row in enumerate(rows_of(board.variant, board.flip)):
        for upper in (True, False):
            if edges:
                text.append(" " * _EDGE if upper else f"{edges[place]:>2} ")
            for number in row:
                if not number:
                    text.append(" " * width, f"on {LIGHT}")
                    continue
                piece = piece_letter(board.position, board.variant.bits[number - 1])
                ground = _MARKED if number in board.marks else _LAST if number in last else DARK
                label = square_label(board.variant, number, board.labels)
                shown = f"{label:<{width}}" if upper else _DISCS[piece].center(width)
                text.append(shown, f"{LABEL if upper else f'bold {_INK[piece.lower()]}'} on {ground}")
            text.append("\n")
    return text.append(to_move(board.position), "bold")


def _can_write(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def analysis_of(game: Game, player: str | None, lines: int) -> Analysis:
    """An analysis of a position for its best `lines`, by a player or else the strongest for these rules."""
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


def run_analysis(analysis: Analysis, *, draws: bool) -> Findings:
    """Run an analysis to its end or to Ctrl-C and return what it found.

    With `draws` a terminal shows it meanwhile. Raises ArenaError if the player fails, or nothing was found.
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
    """Yield lines: what the search cost, the side and unit of its scores, the best moves, and certain results."""
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
    """The findings as plain data."""
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
