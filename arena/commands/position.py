"""What a command is to look at: a position, or a game at one of its plies."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.base.wording import nearest
from arena.commands.common import variant_named
from arena.commands.output import fail, say
from arena.ledger.game import kept_game
from arena.ledger.store import StoreError
from arena.rules.board.board import Board
from arena.rules.custom import build_variant
from arena.rules.game import Game
from arena.rules.move_text import move_squares, move_text
from arena.rules.movegen import legal_moves
from arena.rules.notation import NotationError, fen, parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant

_SMALL = ("english", 32)
_LARGE = "international"
"""What a FEN without a variant is: the first if it names no square beyond its last one."""


class Scene(NamedTuple):
    """A position and the game that it is of, which may have no moves."""

    variant: Variant
    positions: list[Position]
    """Before each move and after the last."""
    moves: list[int]
    ply: int
    """How many plies were played before the position."""
    heading: str = ""
    """What game it is, in words; empty for a position alone."""
    names: tuple[str, str] = ("", "")
    """Of White and Black."""
    result: str = "*"
    searches: Mapping[str, Any] | None = None
    """Of a run: the columns of `arena.ledger.record.MOVE_COLUMNS`, a value a ply."""
    men: tuple[float | None, float | None] = (None, None)
    """What a man is worth in White's and in Black's scores, where it is known."""
    setups: frozenset[int] = frozenset()
    """Plies before which a position was set up."""

    @property
    def position(self) -> Position:
        """The position to look at."""
        return self.positions[self.ply]

    @property
    def fen(self) -> str:
        """The position as FEN."""
        return fen(self.variant, self.position)

    @property
    def place(self) -> str:
        """Where in the game the position is, in words; empty for a position alone."""
        plies = len(self.moves)
        if not self.heading:
            return ""
        if not self.ply:
            return f"before ply 1 of {plies}"
        return f"after ply {self.ply} of {plies}, {self.text(self.ply)}" + (
            ", the end" if self.ply == plies else ""
        )

    @property
    def game(self) -> Game:
        """The game up to the position, from where one was set up if one was."""
        begins = max((ply for ply in self.setups if ply <= self.ply), default=0)
        game = Game(self.variant, self.positions[begins])
        for move in self.moves[begins : self.ply]:
            game.push(move)
        return game

    def text(self, ply: int) -> str:
        """The move of a ply, from 1, as PDN writes it."""
        before = self.positions[ply - 1]
        return move_text(self.variant, before, self.moves[ply - 1], legal_moves(self.variant.constants, before))

    def board(self, **options: Any) -> Board:
        """The position drawn, its last move marked."""
        last = None
        if self.ply and self.ply not in self.setups:
            last = move_squares(self.variant, self.positions[self.ply - 1], self.moves[self.ply - 1])
        return Board(self.variant, self.position, **({"last": last} | options))


def with_scene(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument and the options that name a scene, and call it with the scene first."""

    @functools.wraps(command)
    def called(
        what: str, variant: str | None, fen: str | None, game: int | None, ply: int | None, **rest: Any
    ) -> None:
        command(scene(what, variant, fen, game, ply), **rest)

    for decorator in (
        click.option("--ply", type=click.IntRange(0), help="After N plies [the last]."),
        click.option("--game", type=click.IntRange(1), help="Which game of a file or a run [1]."),
        click.option("--fen", help="A position of the variant WHAT."),
        click.option("--variant", help="The rules of a FEN, or of a PDN that does not say."),
        click.argument("what"),
    ):
        called = decorator(called)
    return called


def scene(what: str, variant: str | None, fen: str | None, game: int | None, ply: int | None) -> Scene:
    """What is meant: a FEN, a variant, a game of a PDN file or of a run's folder; exits if there is none such."""
    path = Path(what)
    if fen is not None and what in VARIANTS:
        what, variant = fen, what
    elif fen is not None:
        fail(f"--fen goes with the name of a variant, not with {what!r}")
    elif path.is_dir():
        return _at(_of_run(path, game or 1), ply)
    elif path.is_file():
        return _at(_of_file(path, variant_named(variant) if variant else None, game or 1), ply)
    if game is not None or ply is not None:
        fail("--game and --ply go with a PDN file or the folder of a run")
    if what in VARIANTS:
        return _alone(VARIANTS[what], VARIANTS[what].start)
    if ":" not in what:
        close = nearest(what, list(VARIANTS))
        meant = f"; did you mean {close!r}?" if close is not None else ""
        fail(f"{what!r} is no FEN, variant, PDN file or folder of a run{meant}")
    return _of_fen(what, variant)


def _at(found: Scene, ply: int | None) -> Scene:
    plies = len(found.moves)
    if ply is not None and ply > plies:
        fail(f"--ply {ply}: {found.heading.split(':')[0]} has {plies} plies")
    return found._replace(ply=plies if ply is None else ply)


def _alone(variant: Variant, position: Position) -> Scene:
    return Scene(variant, [position], [], 0)


def _of_fen(text: str, name: str | None) -> Scene:
    if name is None:
        numbers = [int(number) for number in re.findall(r"[0-9]+", text.partition(":H")[0])]
        name = _SMALL[0] if max(numbers, default=0) <= _SMALL[1] else _LARGE
        say(f"read as {name}; --variant names other rules")
    variant = variant_named(name)
    try:
        return _alone(variant, parse_fen(variant, text))
    except NotationError as error:
        fail(str(error))


def _of_file(path: Path, variant: Variant | None, number: int) -> Scene:
    file = read_pdn(path, variant)
    problems = [problem for problem in file.problems if problem.game == number]
    found = [game for game in file.games if game.number == number]
    if not found and problems:
        fail(str(problems[0]))
    if not found:
        last = max((game.number for game in file.games), default=0)
        fail(f"{path} has no game {number}: its last one is game {last}" if last else f"{path} has no games")
    for problem in problems:
        say(str(problem))
    (game,) = found
    white, black = (_visible(game.tags.get(name, "?")) for name in ("White", "Black"))
    names = (white, black)
    words = f"{names[0]} (white) against {names[1]} (black), {game.result}"
    heading = f"game {number} of {len(file.games)} of {path.name}: {words}"
    setups = frozenset(game.setups)
    return Scene(game.variant, game.positions(), game.moves, 0, heading, names, game.result, setups=setups)


def _of_run(folder: Path, number: int) -> Scene:
    try:
        kept = kept_game(folder, number)
    except StoreError as error:
        fail(str(error))
    row = kept.row
    searches = kept.searches()
    game = Game(build_variant(kept.experiment.variant), row["opening_fen"])
    try:
        for move in searches["move"]:
            game.push(move.decode())
    except ValueError as error:
        fail(f"{folder}: game {number}, ply {len(game.moves) + 1}: {error}")
    names = (_visible(row["white"]), _visible(row["black"]))
    worth = kept.manifest.men if kept.manifest is not None else {}
    men = (worth.get(row["white"]), worth.get(row["black"]))
    ended = f"{row['result']} by {row['termination']}" + (f": {_visible(row['error'])}" if row["error"] else "")
    heading = (
        f"game {number} of {kept.last} of {kept.experiment.name}: "
        f"{names[0]} (white) against {names[1]} (black), {ended}"
    )
    return Scene(game.variant, game.positions, game.moves, 0, heading, names, row["result"], searches, men)


def _visible(name: str) -> str:
    """A name without what would move a terminal's cursor or change its colours."""
    return "".join(character if character.isprintable() else "?" for character in name)
