"""Boards of games under way, as plain data: what each ply changed, worked out once."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from arena.rules.game import Game
from arena.rules.variants import Variant
from arena.watch.underway import UnderwayGame, UnderwayPly
from arena.web.documents import pieces_text

BoardKey: TypeAlias = tuple[int, float]
"""The process that plays a game, and when it began."""


class LiveBoard:
    """A game under way on its board: its plies as far as they are worked out."""

    def __init__(self, variant: Variant, men: Mapping[str, float | None], game: UnderwayGame) -> None:
        """`men` says what a man is worth in a player's scores."""
        self.shown = game
        self._men = (men.get(game.white), men.get(game.black))
        self._game = Game(variant, game.opening)
        self._start = pieces_text(variant, game.opening)
        self.plies: list[dict[str, Any]] = []

    @property
    def key(self) -> BoardKey:
        """Tells the game from all others of its run."""
        return _key(self.shown)

    def extend(self, game: UnderwayGame) -> None:
        """Take in further plies of the same game, up to the first that is no legal move."""
        self.shown = game
        for ply in game.plies[len(self.plies) :]:
            if ply.move not in self._game.legal_moves:
                return
            self.plies.append(self._ply(ply))

    def document(self, first: int, last: int) -> dict[str, Any]:
        """The game as JSON types, with its plies from `first` up to `last`, counted from 0, without `last`."""
        game = self.shown
        return {
            "worker": game.worker,
            "began": game.began,
            "game": game.game,
            "white": game.white,
            "black": game.black,
            "pieces": self._start,
            "turn": "WB"[game.opening.turn],
            "from": first,
            "plies": self.plies[first:last],
            "result": game.result,
            "termination": game.termination.replace("_", " "),
        }

    def _ply(self, ply: UnderwayPly) -> dict[str, Any]:
        """Play a move; returns what the board and the lines beside it show of it, scores from the mover's view."""
        game = self._game
        turn, man = game.turn, self._men[game.turn]
        text, squares = game.text(ply.move), game.squares(ply.move)
        game.push(ply.move)
        return {
            "text": text,
            "move": squares._asdict(),
            "pieces": pieces_text(game.variant, game.position),
            "white": turn == 0,
            "seconds": finite(ply.seconds),
            "score": finite(ply.score / man) if man and not ply.wins_in else None,
            "own": finite(ply.score) if not man and not ply.wins_in else None,
            "wins": int(ply.wins_in) or None,
            "clock": finite(ply.clock),
        }


class LiveBoards:
    """The boards of a run."""

    def __init__(self, variant: Variant, men: Mapping[str, float | None]) -> None:
        self._variant, self._men = variant, men
        self.boards: dict[BoardKey, LiveBoard] = {}
        """By LiveBoard.key; replaced, never changed, as other threads read it."""

    def update(self, games: Iterable[UnderwayGame]) -> None:
        """Take in what workers show now; those that none shows any more are dropped, none is begun at its end."""
        found: dict[BoardKey, LiveBoard] = {}
        for game in games:
            key = _key(game)
            if game.result and key not in self.boards:
                continue
            found[key] = self.boards.get(key) or LiveBoard(self._variant, self._men, game)
            found[key].extend(game)
        self.boards = found


def _key(game: UnderwayGame) -> BoardKey:
    return game.worker, game.began


def finite(value: float) -> float | None:
    """A number as JSON can have it, None for nan and infinity; six digits."""
    return float(f"{value:.6g}") if math.isfinite(value) else None
