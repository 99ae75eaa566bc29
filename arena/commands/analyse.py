"""The command that searches for the best moves of a position: analyse."""

from __future__ import annotations

import json
import signal
import sys
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from rich import box
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from arena.base.errors import ArenaError
from arena.base.wording import message_of
from arena.board.words import outlook_lines
from arena.commands.drawing import save, show_position
from arena.commands.options import MOST_NODES, POSITIVE, json_option
from arena.commands.output import echo, width_of, wrapped
from arena.commands.position import GamePosition, with_position
from arena.commands.waiting import announcing_compilation, watched
from arena.experiment.load import player_spec
from arena.hosting.analysis import Analysis, Findings
from arena.rules.endgame.tables import known_pieces
from arena.rules.game import game_of
from arena.rules.move_text import path
from arena.rules.position import COLOURS
from players.loading import PlayerError, located
from players.player import AnswerError, Limit

DEFAULT_PLAYER = "{type: negamax, preset: full, evaluation: strong}"
DEFAULT_SECONDS = 10.0
"""Seconds of an analysis that has no limit."""
_PLIES_SHOWN = 12
_WIDTHS = {"": 2, "score": 11, "depth": 5, "nodes": 13, "seconds": 8}
"""Headings and widths of what is printed of a line; nodes and seconds are those of the whole analysis."""
_STYLES = {"+": "green", "=": "", "-": "red"}


@click.command()
@with_position
@click.option(
    "--player",
    default=DEFAULT_PLAYER,
    help="A player: simple@d6, file.py:Class or YAML [negamax, full, strong].",
)
@click.option("--lines", type=click.IntRange(1), default=1, metavar="N", help="How many of the best moves [1].")
@click.option("--depth", type=click.IntRange(1, 64), metavar="N", help="Plies of each search.")
@click.option("--nodes", type=click.IntRange(1, MOST_NODES), metavar="N", help="Positions of each search.")
@click.option("--seconds", type=POSITIVE, metavar="S", help="Of the analysis [10 without a limit].")
@click.option("--flip", is_flag=True, help="Black below.")
@click.option("--svg", type=click.Path(path_type=Path), help="Write the board with arrows, as SVG.")
@json_option
def analyse_command(
    viewed: GamePosition,
    player: str,
    lines: int,
    depth: int | None,
    nodes: int | None,
    seconds: float | None,
    flip: bool,
    svg: Path | None,
    as_json: bool,
) -> None:
    """Search for the best moves of a position: WHAT is a FEN, a variant, a PDN or the folder of a run.

    Depth after depth, or with twice as many nodes each time. Scores are the side to move's, in men where the
    player says what a man is worth. From endgame tables that are there, all moves are listed that win, draw or
    lose. Ctrl-C ends the search and shows what was found.
    """
    with announcing_compilation():
        try:
            spec = located(player_spec(player, "--player"), Path())
            if player == DEFAULT_PLAYER and (pieces := known_pieces(viewed.game.variant)):
                spec = replace(spec, options={**spec.options, "tables": pieces})
            limit = Limit(depth or spec.limit.depth, nodes or spec.limit.nodes, seconds or spec.limit.seconds)
            limit = Limit(seconds=DEFAULT_SECONDS) if limit == Limit() else limit
            analysis = Analysis(replace(spec, limit=limit), game_of(viewed.game, viewed.ply), lines)
        except (PlayerError, ValueError) as error:
            raise ArenaError(f"--player: {error}" if isinstance(error, PlayerError) else str(error)) from None
        if as_json:
            last = next(iter(deque(_watched(analysis), maxlen=1)), None)
        else:
            show_position(viewed, viewed.board(flip=flip))
            last = _draw(analysis) if sys.stdout.isatty() else _print(analysis)
    if last is None or not last.lines:
        raise ArenaError("nothing was found before the search was stopped")
    if as_json:
        click.echo(json.dumps(_document(viewed, analysis, last)))
    if svg is not None:
        ways = [path(viewed.game.variant, viewed.position, line.move) for line in last.lines]
        save(viewed.board(flip=flip, arrows=[way for way in ways if way]), svg)


def lines_table(analysis: Analysis, findings: Findings) -> Table:
    """The lines found, best first, for a terminal."""
    rate = findings.nodes / max(findings.seconds, 1e-3) / 1e6
    width = width_of(sys.stdout) or sys.maxsize
    title = f"{findings.nodes:,} nodes, {findings.seconds:.1f} s, {rate:.2f} million nodes/s"
    title = f"{wrapped(title, width)}\n{wrapped(_viewpoint(analysis), width)}"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, expand=True)
    for name in ("", "score", "depth"):
        table.add_column(name, justify="right", no_wrap=True, min_width=_WIDTHS[name])
    table.add_column("line", ratio=1)
    for (number, score, depth, *_), moves in _rows(analysis, findings):
        table.add_row(number, score, depth, moves)
    return table


def _watched(analysis: Analysis) -> Iterator[Findings]:
    """Yield the findings of an analysis made in a thread, so that Ctrl-C can stop it.

    The second Ctrl-C ends the process. Raises ArenaError if the player fails.
    """
    try:
        for findings in watched(analysis.findings(), analysis.stop, SystemExit(128 + signal.SIGINT)):
            if findings is not None:
                yield findings
    except AnswerError as error:
        raise ArenaError(f"the player {message_of(error)}") from None
    except ValueError as error:
        raise ArenaError(message_of(error)) from None
    except Exception as error:
        raise ArenaError(f"the player raised {type(error).__name__}: {message_of(error)}") from None


def _viewpoint(analysis: Analysis) -> str:
    """Whose scores they are, and their unit: "scores are Black's, in men: above 0 Black is ahead"."""
    colour = COLOURS[analysis.turn].capitalize()
    unit = "in men" if analysis.man_value is not None else "in the player's own unit"
    return f"scores are {colour}'s, {unit}: above 0 {colour} is ahead"


def _print(analysis: Analysis) -> Findings | None:
    echo(_viewpoint(analysis))
    _print_row(tuple(_WIDTHS), "line")
    findings = printed = None
    for findings in _watched(analysis):
        if findings.whole:
            _print_rows(analysis, findings)
            printed = findings
    if findings is not None and (printed is None or findings.lines != printed.lines):
        _print_rows(analysis, findings)
    for line in outlook_lines(analysis.outlook()):
        echo(line)
    return findings


def _print_rows(analysis: Analysis, findings: Findings) -> None:
    for cells, moves in _rows(analysis, findings):
        _print_row(cells, moves)


def _print_row(cells: Sequence[str], moves: str) -> None:
    aligned = (cell.rjust(width) for cell, width in zip(cells, _WIDTHS.values(), strict=True))
    echo("  ".join([*aligned, moves]))


def _draw(analysis: Analysis) -> Findings | None:
    findings = None
    with Live(console=Console(highlight=False), refresh_per_second=8) as live:
        for findings in _watched(analysis):
            outlook = [Text(line, _STYLES[line[0]]) for line in outlook_lines(analysis.outlook())]
            live.update(Group(lines_table(analysis, findings), *outlook))
    return findings


def _rows(analysis: Analysis, findings: Findings) -> Iterator[tuple[tuple[str, ...], str]]:
    for number, line in enumerate(findings.lines, start=1):
        score = analysis.score(line)
        depth = str(line.depth) if line.depth else "end"
        seconds = f"{findings.seconds:.3f}"
        cells = (str(number), score, depth, f"{findings.nodes:,}", seconds)
        yield cells, " ".join(analysis.texts(line)[:_PLIES_SHOWN])


def _document(viewed: GamePosition, analysis: Analysis, findings: Findings) -> dict[str, Any]:
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
    return {
        "variant": viewed.game.variant.name,
        "fen": viewed.fen,
        "man_value": analysis.man_value,
        "nodes": findings.nodes,
        "seconds": findings.seconds,
        "lines": lines,
        "outlook": [
            {"move": outlook.text, "known": outlook.known, "plies_to_win": outlook.plies_to_win or None}
            for outlook in analysis.outlook()
        ],
    }
