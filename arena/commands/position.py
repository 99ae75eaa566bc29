"""The position that a command looks at, or a game at one of its plies."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click
import pandas as pd

from arena.base.errors import ArenaError
from arena.base.files import unreadable
from arena.base.wording import nearest
from arena.commands.options import VARIANT
from arena.commands.output import say
from arena.experiment.yaml.values import inline
from arena.ledger.game import played_game
from arena.ledger.read import read as read_run_data
from arena.rules.board import Board
from arena.rules.custom import OTHER_NAMES, VariantError, build_variant
from arena.rules.game import game_of
from arena.rules.notation import parse_start
from arena.rules.pdn.read import read_pdn
from arena.rules.pdn.write import Spelling
from arena.rules.played import PlayedGame
from arena.rules.position import Position
from arena.rules.result import result_text
from arena.rules.variants import VARIANTS, Variant

_SMALL = ("english", 32)
_LARGE = "international"
"""The rules of a FEN without a variant: the first unless it names a square beyond its last one."""


class GamePosition(NamedTuple):
    """A position and the game that it is of, which may have no moves."""

    game: PlayedGame
    ply: int = 0
    """How many plies were played before the position."""
    heading: str = ""
    """A description of the game; empty for a position alone."""
    file: Path | None = None
    """The PDN of the game, if none of its games was asked for."""

    @property
    def position(self) -> Position:
        """The position to look at."""
        return self.game.positions[self.ply]

    @property
    def fen(self) -> str:
        """The position as FEN."""
        return Spelling.of(self.game.variant).squares(game_of(self.game, self.ply).fen)

    def text(self, ply: int) -> str:
        """The move of a ply, from 1, as its PDN has it: with letters where its GameType wants them."""
        return Spelling.of(self.game.variant).move(self.game.text(ply))

    @property
    def names(self) -> tuple[str, str]:
        """The names of White and Black, as a terminal can show them."""
        white, black = map(_visible, self.game.names)
        return white, black

    @property
    def place(self) -> str:
        """A description of the place in the game; empty for a position alone."""
        plies = len(self.game.moves)
        if not self.heading:
            return ""
        if not self.ply:
            return f"before ply 1 of {plies}"
        end = ", the end" if self.ply == plies else ""
        return f"after ply {self.ply} of {plies}, {self.text(self.ply)}{end}"

    def board(self, **options: Any) -> Board:
        """The position drawn, its last move marked, its squares named as moves name them."""
        last = self.game.squares(self.ply) if self.ply and self.ply not in self.game.setups else None
        labels = "algebraic" if Spelling.of(self.game.variant).names else "numbers"
        shown: dict[str, Any] = {"last": last, "labels": labels} | options
        return Board(self.game.variant, self.position, **shown)


def with_position(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the argument and the options that name a position, and call it with that first."""

    @functools.wraps(command)
    def called(what: str, variant: Variant | None, game: str | None, ply: int | None, **rest: Any) -> None:
        command(position_of(what, variant, game, ply), **rest)

    for decorator in (
        click.option("--ply", type=click.IntRange(0), metavar="N", help="After N plies [the last]."),
        click.option(
            "--game", metavar="N", help="Which game of a file, by its number, or of a run, also by its id [1]."
        ),
        click.option("--variant", type=VARIANT, help="The rules of a FEN, or of a PDN without a GameType."),
        click.argument("what"),
    ):
        called = decorator(called)
    return called


def position_of(what: str, variant: Variant | None, game: str | None, ply: int | None) -> GamePosition:
    """The position of a FEN, a variant, a game of a PDN file or of a run's folder. Raises ArenaError if none."""
    path = Path(what)
    if path.is_dir():
        return _at(_of_run(path, game or "1"), ply)
    if path.is_file():
        if game is not None and not game.isdecimal():
            raise ArenaError(f"--game {game}: a game of a file is known by its number")
        return _at(_of_file(path, variant, int(game or 1)), ply)._replace(file=None if game else path)
    if (rules := _rules(what)) is None and ":" not in what:
        close = OTHER_NAMES.get(what.lower()) or nearest(what, list(VARIANTS))
        meant = f"; did you mean {close!r}?" if close is not None else ""
        raise ArenaError(f"{what!r} is not a FEN, a variant, a PDN file or the folder of a run{meant}")
    if game is not None or ply is not None:
        raise ArenaError("--game and --ply need a PDN file or the folder of a run")
    if rules is not None:
        return GamePosition(PlayedGame(rules, rules.start, []))
    return _of_fen(what, variant)


def _at(viewed: GamePosition, ply: int | None) -> GamePosition:
    plies = len(viewed.game.moves)
    if ply is not None and ply > plies:
        raise ArenaError(f"--ply {ply}: {viewed.heading.split(':')[0]} has {plies} plies")
    return viewed._replace(ply=plies if ply is None else ply)


def _rules(what: str) -> Variant | None:
    """The rules that WHAT names or describes, None if it is something else. Raises VariantError."""
    if what.startswith("{"):
        return build_variant(inline(what, "VARIANT"))
    try:
        return build_variant(what)
    except VariantError as error:
        if error.key != "base":
            raise
        return None


def _of_fen(text: str, variant: Variant | None) -> GamePosition:
    if variant is None:
        numbers = [int(number) for number in re.findall(r"[0-9]+", re.split(":[H+]", text)[0])]
        variant = VARIANTS[_SMALL[0] if max(numbers, default=0) <= _SMALL[1] else _LARGE]
        say(f"read as {variant.name}; --variant names other rules")
    start, runs = parse_start(variant, text)
    return GamePosition(PlayedGame(variant, start, [], king_runs=runs))


def _of_file(path: Path, variant: Variant | None, number: int) -> GamePosition:
    read = partial(read_pdn, path, variant)
    try:
        file = read(only=number)
        if not file.games and not any(problem.game for problem in file.problems):
            games, problems = read(only=-1)
            last = max([0, *(game.number for game in games), *(problem.game for problem in problems)])
            raise ArenaError(
                f"{path} has no game {number}: its last one is game {last}" if last else f"{path} has no games"
            )
    except OSError as error:
        raise ArenaError(unreadable(path, error)) from None
    if not file.games:
        raise ArenaError(str(next(problem for problem in reversed(file.problems) if problem.game)))
    for problem in file.problems:
        say(str(problem))
    game = file.games[0]
    return _with_heading(game, f"game {game.number} of {game.count} of {path.name}", result_text(game.result))


def _of_run(folder: Path, game_name: str) -> GamePosition:
    data = read_run_data(folder)
    game = played_game(data, game_name)
    if game.problems:
        raise ArenaError(f"{folder}: game {game_name}, ply {game.problems[0].ply}: {game.problems[0].message}")
    [row] = pd.concat([data.games, data.void_games]).query(f"game == {game.number}").to_dict("records")
    ended = f"{result_text(row['result'])} by {row['termination']}"
    ended += f": {_visible(row['error'])}" if row["error"] else ""
    return _with_heading(game, f"game {row['id']} of {data.experiment.name}", ended)


def _with_heading(game: PlayedGame, which: str, ended: str) -> GamePosition:
    viewed = GamePosition(game)
    white, black = viewed.names
    return viewed._replace(heading=f"{which}: {white} (white) against {black} (black), {ended}")


def _visible(name: str) -> str:
    """A name without what would move a terminal's cursor or change its colours."""
    return "".join(character if character.isprintable() else "?" for character in name)
