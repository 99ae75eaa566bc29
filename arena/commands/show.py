"""The command that shows a position, alone or of a game: show."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from arena.commands.board import save, show_scene
from arena.commands.output import echo, show_table
from arena.commands.position import Scene, with_scene
from arena.rules.result import score_text

_AROUND = 8
"""Plies before and after the position whose moves are printed."""
_COUNTED = ("depth", "nodes")
_HEADER = ("ply", "player", "move", "score", *_COUNTED, "seconds")


@click.command()
@with_scene
@click.option("--flip", is_flag=True, help="Black below.")
@click.option("--svg", type=click.Path(path_type=Path), help="Write the board into this file, as SVG.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def show(found: Scene, flip: bool, svg: Path | None, as_json: bool) -> None:
    """Show a position on a board: WHAT is a FEN, a variant, a PDN file or the folder of a run.

    Of a game, the moves around the position are shown, too, and of a run's game the players' scores: in men, with
    a sign, where it is known what a man is worth to the player.
    """
    board = found.board(flip=flip)
    if svg is not None:
        save(board, svg)
    if as_json:
        click.echo(json.dumps(_document(found)))
        return
    show_scene(found, board)
    if found.game.moves:
        echo(_moves_around(found))
    if found.game.answers is not None and found.game.moves:
        echo("")
        show_table(_HEADER, list(_rows(found)))


def _moves_around(found: Scene) -> str:
    first, last = max(found.ply - _AROUND, 0) + 1, min(found.ply + _AROUND, len(found.game.moves))
    words = ["..."] if first > 1 else []
    behind = found.game.positions[0].turn != found.game.variant.first
    for ply in range(first, last + 1):
        number, second = divmod(ply - 1 + behind, 2)
        text = f"[{found.game.text(ply)}]" if ply == found.ply else found.game.text(ply)
        words.append(text if second and ply > first else f"{number + 1}.{'..' if second else ''} {text}")
    return " ".join([*words, found.game.result if last == len(found.game.moves) else "..."])


def _rows(found: Scene) -> Iterator[tuple[str, ...]]:
    for ply in range(max(found.ply - 2, 0) + 1, min(found.ply + 2, len(found.game.moves)) + 1):
        search = _search(found, ply)
        man = found.game.men[found.game.positions[ply - 1].turn]
        score = score_text(search["score"], search["wins_in"] or 0, man)
        counted = (f"{search[name] or ''}" for name in _COUNTED)
        yield str(ply), search["player"], search["move"], score, *counted, f"{search['seconds']:.6f}"


def _search(found: Scene, ply: int) -> dict[str, Any]:
    colour = found.game.positions[ply - 1].turn
    known: dict[str, Any] = {"ply": ply, "player": found.names[colour], "move": found.game.text(ply)}
    if found.game.answers is not None:
        score = float(found.game.answers["score"][ply - 1])
        known["wins_in"] = int(found.game.answers["wins_in"][ply - 1]) or None
        known["score"] = None if math.isnan(score) else score
        known |= {name: int(found.game.answers[name][ply - 1]) for name in _COUNTED}
        known["seconds"] = float(found.game.answers["seconds"][ply - 1])
    return known


def _document(found: Scene) -> dict[str, Any]:
    document: dict[str, Any] = {"variant": found.game.variant.name, "fen": found.fen}
    if found.heading:
        moves = [_search(found, ply) for ply in range(1, len(found.game.moves) + 1)]
        named = dict(zip(("white", "black"), found.names, strict=True))
        document |= {**named, "result": found.game.result, "ply": found.ply, "moves": moves}
    return document
