"""The command that shows a position on a board: show."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from arena.commands.drawing import save, show_position
from arena.commands.options import json_option
from arena.commands.output import echo, say, show_table
from arena.commands.position import GamePosition, with_position
from arena.experiment.yaml.values import inline
from arena.rules.pdn.read import read_pdn
from arena.rules.result import result_text, score_text
from players.evaluation.build import explained_value
from players.evaluation.linear import Share

_AROUND = 8
"""Plies before and after the position whose moves are printed."""
_COUNTED = ("depth", "nodes")
_HEADER = ("ply", "player", "move", "score", *_COUNTED, "seconds")


@click.command()
@with_position
@click.option("--evaluation", help="Its value: a name, file.py:function, '{linear: {man: 100}}'.")
@click.option("--flip", is_flag=True, help="Black below.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Write a page that shows the games (.html), or the board (.svg, .txt).",
)
@json_option
def show_command(
    viewed: GamePosition, evaluation: str | None, flip: bool, out: Path | None, as_json: bool
) -> None:
    """Show a position on a board: WHAT is a FEN, a variant, a PDN file or the folder of a run.

    Of a game, with the moves around the position and the players' scores, in men where it is known what a man is
    worth to the player. With --evaluation, the value for the side to move, and the shares of a linear one. The
    page of a PDN without --game has all of its games.
    """
    board = viewed.board(flip=flip)
    value: float | None = None
    features: dict[str, Share] = {}
    if evaluation is not None:
        described = inline(evaluation, "--evaluation")
        value, features = explained_value(viewed.game.variant, viewed.position, described)
    if out is not None and out.suffix.lower() == ".html":
        _write_page(viewed, out)
    elif out is not None:
        save(board, out)
    if as_json:
        document = _document(viewed)
        if value is not None:
            document |= {"value": value, "features": {name: share._asdict() for name, share in features.items()}}
        click.echo(json.dumps(document))
        return
    show_position(viewed, board, "" if value is None else "\n".join(_value_lines(value, features)))
    if viewed.game.moves:
        echo(_moves_around(viewed))
    if viewed.game.answers is not None and viewed.game.moves:
        echo("")
        show_table(_HEADER, list(_rows(viewed)))


def _write_page(viewed: GamePosition, path: Path) -> None:
    """Write a page with the game of a position, or with all games of its file, and say so."""
    from arena.report.viewer import write_viewer  # with pandas, for which no board waits

    games, ply = [viewed.game], viewed.ply
    if viewed.file is not None:
        games, ply = read_pdn(viewed.file, viewed.game.variant).games, 0
    title = viewed.file.name if viewed.file else viewed.heading or viewed.game.variant.name
    write_viewer(games, title, path, ply)
    say(f"wrote {path}")


def _value_lines(value: float, features: dict[str, Share]) -> Iterator[str]:
    yield f"{'value':14} {value:>10.6g}  (for the side to move)"
    if features:
        yield f"\n{'feature':14} {'own':>6} {'other':>6} {'weight':>8} {'share':>8}"
    for name, share in features.items():
        yield f"{name:14} {share.own:>6} {share.other:>6} {share.weight:>8.4g} {share.value:>8.4g}"


def _moves_around(viewed: GamePosition) -> str:
    first, last = max(viewed.ply - _AROUND, 0) + 1, min(viewed.ply + _AROUND, len(viewed.game.moves))
    words = ["..."] if first > 1 else []
    behind = viewed.game.positions[0].turn != viewed.game.variant.first
    for ply in range(first, last + 1):
        number, second = divmod(ply - 1 + behind, 2)
        text = f"[{viewed.text(ply)}]" if ply == viewed.ply else viewed.text(ply)
        words.append(text if second and ply > first else f"{number + 1}.{'..' if second else ''} {text}")
    return " ".join([*words, result_text(viewed.game.result) if last == len(viewed.game.moves) else "..."])


def _rows(viewed: GamePosition) -> Iterator[tuple[str, ...]]:
    for ply in range(max(viewed.ply - 2, 0) + 1, min(viewed.ply + 2, len(viewed.game.moves)) + 1):
        search = _search(viewed, ply)
        man = viewed.game.men[viewed.game.positions[ply - 1].turn]
        score = score_text(search["score"], search["plies_to_win"] or 0, man)
        counted = (f"{search[name] or ''}" for name in _COUNTED)
        seconds = "" if search["seconds"] is None else f"{search['seconds']:.6f}"
        yield str(ply), search["player"], search["move"], score, *counted, seconds


def _search(viewed: GamePosition, ply: int) -> dict[str, Any]:
    colour = viewed.game.positions[ply - 1].turn
    known: dict[str, Any] = {"ply": ply, "player": viewed.names[colour], "move": viewed.text(ply)}
    if viewed.game.answers is not None:
        score = float(viewed.game.answers["score"][ply - 1])
        known["plies_to_win"] = int(viewed.game.answers["plies_to_win"][ply - 1]) or None
        known["score"] = None if math.isnan(score) else score
        known |= {name: int(viewed.game.answers[name][ply - 1]) for name in _COUNTED}
        seconds = float(viewed.game.answers["seconds"][ply - 1])
        known["seconds"] = None if math.isnan(seconds) else seconds
    return known


def _document(viewed: GamePosition) -> dict[str, Any]:
    document: dict[str, Any] = {"variant": viewed.game.variant.name, "fen": viewed.fen}
    if viewed.heading:
        moves = [_search(viewed, ply) for ply in range(1, len(viewed.game.moves) + 1)]
        named = dict(zip(("white", "black"), viewed.names, strict=True))
        document |= {**named, "result": viewed.game.result, "ply": viewed.ply, "moves": moves}
    return document
