"""Boards on a terminal, in colours where it has them, else in characters; and the command that shows one: show."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from arena.base.errors import ArenaError
from arena.commands.output import echo, say, show_table, wrapped
from arena.commands.position import Scene, with_scene
from arena.experiment.yaml.values import inline
from arena.rules.board.board import FIGURES, LETTERS, WIDTHS, Board, board_text, rows_of, to_move
from arena.rules.board.svg import DARK, LABEL, LIGHT
from arena.rules.notation import piece_letter
from arena.rules.result import result_text, score_text
from players.evaluation.build import explained_value
from players.evaluation.linear import Share

_DISCS = {"w": "●", "W": "♛", "b": "●", "B": "♛", "": " "}
_INK = {"w": "#ffffff", "b": "#000000", "": "#000000"}
_MARKED = "#d98a7f"
"""The colour of a marked square, which has no room for a ring."""
_LAST = "#9c8f1f"
"""The colour of the squares of the last move, dark enough for a white piece."""
_GAP = 3
"""Characters between a board and what stands beside it."""
_EDGE = 3
"""Characters of the numbers of rows."""


def show_board(board: Board, beside: str = "", edges: bool = False) -> None:
    """Print a board: coloured on a terminal that has colours, in letters in a pipe, else with Unicode's pieces.

    The text `beside` it stands at its right on a terminal that is wide enough, else below; on a narrow one the
    squares are narrower, too. With `edges` its rows and columns are numbered there.
    """
    console = Console(highlight=False)
    if not console.is_terminal:
        click.echo("\n\n".join(filter(None, (plain(board, edges), beside))))
        return
    across = len(rows_of(board.variant)[0])
    fitting = (width for width in WIDTHS if across * width + _EDGE * edges <= console.width)
    width = next(fitting, WIDTHS[-1])
    has_colours = console.color_system and not console.no_color and _can_write("●♛")
    parts: list[Text | Table] = [
        coloured(board, edges, width) if has_colours else Text(plain(board, edges, width), no_wrap=True)
    ]
    parts += [Text(beside, no_wrap=True)] if beside else []
    if sum(console.measure(part).maximum + _GAP for part in parts) <= console.width:
        row = Table.grid(padding=(0, _GAP, 0, 0))
        row.add_row(*parts)
        parts = [row]
    elif beside:
        parts[-1] = Text(wrapped(beside, console.width))
    for part in parts:
        console.print(part)


def show_scene(found: Scene, board: Board, beside: str = "") -> None:
    """Print what a position is of, its board, with a text beside it, and its FEN."""
    for text in filter(None, (found.heading, found.place)):
        echo(text)
    show_board(board, beside)
    click.echo(found.fen)


def save(board: Board, path: Path) -> None:
    """Write a board into a file, and say so; exits for a name that is not that of an SVG or a text."""
    try:
        board.save(path)
    except ValueError as error:
        raise ArenaError(f"--svg {error}") from None
    say(f"wrote {path}")


def plain(board: Board, edges: bool = False, width: int | None = None) -> str:
    """A board in characters: on a terminal with Unicode's pieces if it can show them, else in letters.

    `width` is that of a square, the usual one unless it is given.
    """
    width = width or WIDTHS[0]

    pieces = FIGURES if sys.stdout.isatty() and _can_write("".join(FIGURES.values())) else LETTERS
    text = board_text(
        board.variant,
        board.position,
        last=board.last,
        marks=board.marks,
        flip=board.flip,
        pieces=pieces,
        width=width,
    )
    if not edges:
        return text
    rows, columns = _edges(board)
    lines = [*map("{:>2} {}".format, rows, text.splitlines()), text.splitlines()[-1]]
    return "\n".join([_column_line(columns, width), *lines])


def coloured(board: Board, edges: bool = False, width: int | None = None) -> Text:
    """A board in colours, two lines a row, and who is to move below; `edges` numbers them.

    `width` is that of a square, the usual one unless it is given.
    """
    width = width or WIDTHS[0]
    last = () if board.last is None else board.last[:2]
    rows, columns = _edges(board)
    text = Text(f"{_column_line(columns, width)}\n" if edges else "", no_wrap=True)
    for place, row in zip(rows, rows_of(board.variant, board.flip), strict=True):
        for upper in (True, False):
            if edges:
                text.append(" " * _EDGE if upper else f"{place:>2} ")
            for number in row:
                if not number:
                    text.append(" " * width, f"on {LIGHT}")
                    continue
                piece = piece_letter(board.position, board.variant.bits[number - 1])
                ground = _MARKED if number in board.marks else _LAST if number in last else DARK
                shown = f"{number:<{width}}" if upper else _DISCS[piece].center(width)
                ink = LABEL if upper else f"bold {_INK[piece.lower()]}"
                text.append(shown, f"{ink} on {ground}")
            text.append("\n")
    text.append(to_move(board.position), "bold")
    return text


def _edges(board: Board) -> tuple[list[int], list[int]]:
    """The numbers of rows and columns as they are drawn, from 0 at the top left as White sees the board."""
    rules = board.variant.rules
    rows, columns = list(range(rules.rows)), list(range(2 * rules.per_row))
    return (rows[::-1], columns[::-1]) if board.flip else (rows, columns)


def _column_line(columns: list[int], width: int) -> str:
    return " " * _EDGE + "".join(str(column).center(width) for column in columns).rstrip()


def _can_write(characters: str) -> bool:
    try:
        characters.encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


_AROUND = 8
"""Plies before and after the position whose moves are printed."""
_COUNTED = ("depth", "nodes")
_HEADER = ("ply", "player", "move", "score", *_COUNTED, "seconds")


@click.command()
@with_scene
@click.option("--evaluation", help="Its value by a name, file.py:function, or YAML, as '{linear: {man: 100}}'.")
@click.option("--flip", is_flag=True, help="Black below.")
@click.option("--svg", type=click.Path(path_type=Path), help="Write the board into this file, as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(found: Scene, evaluation: str | None, flip: bool, svg: Path | None, as_json: bool) -> None:
    """Show a position on a board: WHAT is a FEN, a variant, a PDN file or the folder of a run.

    Of a game, the moves around the position are shown, too, and the players' scores, if the run or the comments of
    the PDN have them: in men, with a sign, where it is known what a man is worth to the player.
    With an evaluation, the position's value for the side to move, and of a linear one every feature's counts,
    weight and share.
    """
    board = found.board(flip=flip)
    value, features = (None, {}) if evaluation is None else _value(found, evaluation)
    if svg is not None:
        save(board, svg)
    if as_json:
        document = _document(found)
        if value is not None:
            document |= {"value": value, "features": {name: share._asdict() for name, share in features.items()}}
        click.echo(json.dumps(document))
        return
    show_scene(found, board, "" if value is None else "\n".join(_value_lines(value, features)))
    if found.game.moves:
        echo(_moves_around(found))
    if found.game.answers is not None and found.game.moves:
        echo("")
        show_table(_HEADER, list(_rows(found)))


def _value(found: Scene, evaluation: str) -> tuple[float, dict[str, Share]]:
    """The value of a position by an evaluation, and each feature's share of a linear one; exits if it has none."""
    described = inline(evaluation, "--evaluation")
    return explained_value(found.game.variant, found.position, described)


def _value_lines(value: float, features: dict[str, Share]) -> Iterator[str]:
    yield f"{'value':14} {value:>10.6g}  (for the side to move)"
    if features:
        yield f"\n{'feature':14} {'own':>6} {'other':>6} {'weight':>8} {'share':>8}"
    for name, share in features.items():
        yield f"{name:14} {share.own:>6} {share.other:>6} {share.weight:>8.4g} {share.value:>8.4g}"


def _moves_around(found: Scene) -> str:
    first, last = max(found.ply - _AROUND, 0) + 1, min(found.ply + _AROUND, len(found.game.moves))
    words = ["..."] if first > 1 else []
    behind = found.game.positions[0].turn != found.game.variant.first
    for ply in range(first, last + 1):
        number, second = divmod(ply - 1 + behind, 2)
        text = f"[{found.game.text(ply)}]" if ply == found.ply else found.game.text(ply)
        words.append(text if second and ply > first else f"{number + 1}.{'..' if second else ''} {text}")
    return " ".join([*words, result_text(found.game.result) if last == len(found.game.moves) else "..."])


def _rows(found: Scene) -> Iterator[tuple[str, ...]]:
    for ply in range(max(found.ply - 2, 0) + 1, min(found.ply + 2, len(found.game.moves)) + 1):
        search = _search(found, ply)
        man = found.game.men[found.game.positions[ply - 1].turn]
        score = score_text(search["score"], search["plies_to_win"] or 0, man)
        counted = (f"{search[name] or ''}" for name in _COUNTED)
        seconds = "" if search["seconds"] is None else f"{search['seconds']:.6f}"
        yield str(ply), search["player"], search["move"], score, *counted, seconds


def _search(found: Scene, ply: int) -> dict[str, Any]:
    colour = found.game.positions[ply - 1].turn
    known: dict[str, Any] = {"ply": ply, "player": found.names[colour], "move": found.game.text(ply)}
    if found.game.answers is not None:
        score = float(found.game.answers["score"][ply - 1])
        known["plies_to_win"] = int(found.game.answers["plies_to_win"][ply - 1]) or None
        known["score"] = None if math.isnan(score) else score
        known |= {name: int(found.game.answers[name][ply - 1]) for name in _COUNTED}
        seconds = float(found.game.answers["seconds"][ply - 1])
        known["seconds"] = None if math.isnan(seconds) else seconds
    return known


def _document(found: Scene) -> dict[str, Any]:
    document: dict[str, Any] = {"variant": found.game.variant.name, "fen": found.fen}
    if found.heading:
        moves = [_search(found, ply) for ply in range(1, len(found.game.moves) + 1)]
        named = dict(zip(("white", "black"), found.names, strict=True))
        document |= {**named, "result": found.game.result, "ply": found.ply, "moves": moves}
    return document
