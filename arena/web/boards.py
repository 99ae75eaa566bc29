"""Boards of games under way, as plain data: what each ply changed, worked out once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from arena.rules.game import Game
from arena.rules.variants import Variant
from arena.watch.underway import UnderwayGame, UnderwayPly
from arena.web.documents import note_document, ply_document, position_document

BoardKey: TypeAlias = tuple[int, float]
"""The process that plays a game, and when it began."""


class LiveBoard:
    """A game under way on its board: its moves as far as they are worked out."""

    def __init__(self, variant: Variant, men: Mapping[str, float | None], game: UnderwayGame) -> None:
        """`men` says what a man is worth in a player's scores."""
        self.shown = game
        self._men = (men.get(game.white), men.get(game.black))
        self._game = Game(variant, game.opening)
        self._start = position_document(variant, game.opening)
        self.moves: list[dict[str, Any]] = []

    @property
    def key(self) -> BoardKey:
        """Distinguishes the game from all others of its run."""
        return _key(self.shown)

    def extend(self, game: UnderwayGame) -> None:
        """Take in further plies of the same game, up to the first that is no legal move."""
        self.shown = game
        for ply in game.plies[len(self.moves) :]:
            if ply.move not in self._game.legal_moves:
                return
            self.moves.append(self._move(ply))

    def document(self, first: int, last: int) -> dict[str, Any]:
        """The game as JSON types, with its moves from `first` up to `last`, counted from 0, without `last`."""
        game = self.shown
        return {
            "worker": game.worker,
            "began": game.began,
            "game": game.game,
            "white": game.white,
            "black": game.black,
            "start": self._start,
            "from": first,
            "moves": self.moves[first:last],
            "result": game.result,
            "termination": game.termination.replace("_", " "),
        }

    def _move(self, ply: UnderwayPly) -> dict[str, Any]:
        game = self._game
        text = game.text(ply.move)
        game.push(ply.move)
        before, after = game.positions[-2:]
        note = note_document(before.turn, ply.score, int(ply.wins_in), self._men[before.turn])
        return ply_document(
            game.variant, (before, after), ply.move, text, seconds=ply.seconds, clock=ply.clock, note=note
        )


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
