"""One game as the server keeps it, with its window, its clocks, its analysis, and what is asked of it."""

from __future__ import annotations

import asyncio
import time
from typing import Any

from arena.base.errors import ArenaError
from arena.base.wording import message_of
from arena.board.game import BoardGame
from arena.board.sides import Side
from arena.rules.position import COLOURS
from arena.web.documents import (
    GameDocuments,
    are_draws_off,
    ending_document,
    position_document,
    side_document,
)
from arena.web.messages import Mailbox
from arena.web.thinking import MOST_PLIES, REPORT_SECONDS, Study, Thinking, background, in_thread

TAKEN, GONE = 4009, 4404
"""Codes with which a window's websocket is closed: another window has the game, or it has ended."""


class HostedGame:
    """A game, and the window that holds it. Only the server's loop uses it."""

    def __init__(
        self,
        name: str,
        sitting: BoardGame,
        keys: tuple[str, str],
        pace: float = 0.0,
    ) -> None:
        """`keys` are those of White's and Black's players on offer; `pace` is as in `Thinking`."""
        self.name, self.sitting, self.keys = name, sitting, keys
        self.left_at: float | None = time.monotonic()
        """When its window left, or it was made; None while a window has it."""
        self._was_seen = False
        self._pace = pace
        self._window: Mailbox | None = None
        self._is_paused = False
        self._study: Study | None = None
        self._study_task: asyncio.Task[None] | None = None
        self._lines = 0
        """Of the analysis that is switched on, 0 without one."""
        self._documents = GameDocuments(sitting)
        self._number = 0
        """Counts the states."""
        self._flag: asyncio.TimerHandle | None = None
        self._thinking = Thinking(sitting, pace, may_think=self._may_think, changed=self._changed, tell=self._tell)

    def attach(self) -> Mailbox:
        """Have a window hold the game, in place of the one that does."""
        if self._window is not None:
            self._window.close(TAKEN, "another window has this game")
        self._window, self.left_at = Mailbox(), None
        if not self._was_seen:
            self._was_seen = True
            self.sitting.begin_turn()
        self._changed()
        return self._window

    def detach(self, mailbox: Mailbox) -> None:
        """The window is gone: if it still held the game, searches stop, and the players' memory is let go of."""
        if mailbox is self._window:
            self._window, self.left_at = None, time.monotonic()
            self._thinking.hold_up()
            self._end_study()
            self.sitting.release()

    def move(self, text: str) -> None:
        """Play a person's move. Raises ArenaError or ValueError for what cannot be played."""
        if len(self.sitting.turns) >= MOST_PLIES:
            raise ArenaError(self._full())
        self.sitting.play(self.sitting.game.move(text))
        self._changed()

    def undo(self) -> None:
        """Take back, see `BoardGame.undo`."""
        self.sitting.undo()
        self._changed()

    def stop(self) -> None:
        """Have the player that thinks answer now."""
        self._thinking.hurry()

    def resign(self, colour: str) -> None:
        """Give up for a colour that a person plays."""
        self._check_person(colour)
        self.sitting.resign(COLOURS.index(colour))
        self._changed()

    def draw(self, colour: str) -> str:
        """Offer a draw for a colour that a person plays; the other side's refusal in words, empty if it agrees."""
        self._check_person(colour)
        if not self.sitting.offer_draw(COLOURS.index(colour)):
            return f"{self.sitting.sides[1 - COLOURS.index(colour)].name} does not agree on a draw"
        self._changed()
        return ""

    def seat(self, sides: tuple[Side, Side], keys: tuple[str, str]) -> None:
        """Continue with those sides."""
        self.sitting.seat(sides)
        self.keys = keys
        self._changed()

    def pause(self, on: bool) -> None:
        """Have no player think until it is switched off again."""
        self._is_paused = on
        if on:
            self._thinking.hold_up()
        self._changed()

    def analyse(self, on: bool, lines: int) -> None:
        """Switch the analysis of the position on or off."""
        self._lines = lines if on else 0
        self._end_study()
        self._changed()

    async def hint(self) -> dict[str, Any]:
        """A move for the person to move. Raises ArenaError if there is none to ask for."""
        if self.sitting.outcome is not None:
            raise ArenaError("the game is over")
        if not self.sitting.side.is_person:
            raise ArenaError(f"it is {self.sitting.side.name}'s move")
        study = Study(self.sitting.game.copy(), 1, is_hint=True)
        await in_thread(study.search)
        lines = (study.document() or {"lines": []})["lines"]
        if not lines:
            raise ArenaError("no move was found in time")
        found = lines[0]
        return {"text": found["moves"][0], "path": found["path"], "score": found["score"], "line": found["moves"]}

    def close(self) -> None:
        """Close the game; this returns at once."""
        self._thinking.close()
        self._end_study()
        if self._flag is not None:
            self._flag.cancel()
        self.sitting.release()
        if self._window is not None:
            self._window.close(GONE, "this game has ended")
        self._window = None

    def state(self) -> dict[str, Any]:
        """The game as the page takes it: `number` grows with all that happens."""
        sitting = self.sitting
        clocks, ending = sitting.clocks(), ending_document(sitting)
        legal = self._documents.legal() if ending is None and sitting.side.is_person else []
        is_thinking = self._thinking.search is not None
        return {
            "type": "state",
            "game": self.name,
            "number": self._number,
            "version": sitting.version,
            "variant": sitting.variant.name,
            "draws": not are_draws_off(sitting.variant),
            "first": COLOURS[sitting.variant.first],
            **position_document(sitting.variant, sitting.game.position),
            "start": self._documents.start,
            "sides": {
                colour: side_document(key, side)
                for colour, key, side in zip(COLOURS, self.keys, sitting.sides, strict=True)
            },
            "moves": self._documents.turns(),
            "legal": legal,
            "must_capture": any(move["captured"] for move in legal),
            "thinking": is_thinking,
            "paused": self._is_paused,
            "pace": self._pace,
            "analysing": self._lines,
            "outcome": ending,
            "failure": sitting.failure or (self._full() if len(sitting.turns) >= MOST_PLIES else ""),
            "clocks": clocks and {colour: round(left, 2) for colour, left in zip(COLOURS, clocks, strict=True)},
            "running": bool(clocks) and ending is None and (is_thinking or sitting.side.is_person),
            "clock": sitting.clock and sitting.clock._asdict(),
        }

    def _changed(self) -> None:
        """After an event: send it to the window, look at the clock, let players and the analysis continue."""
        self._number += 1
        if self._window is not None:
            self._window.put("state", self.state)
        self._watch_clock()
        self._follow()
        self._thinking.wake()
        if self.sitting.outcome is not None:
            self.sitting.release()

    def _may_think(self) -> bool:
        return self._window is not None and not self._is_paused

    def _tell(self, message: dict[str, Any]) -> None:
        if self._window is not None:
            self._window.put(message["type"], lambda: message)

    def _watch_clock(self) -> None:
        """See to it that a person's time runs out though nothing happens."""
        if self._flag is not None:
            self._flag.cancel()
            self._flag = None
        clocks, sitting = self.sitting.clocks(), self.sitting
        if clocks is not None and sitting.outcome is None and sitting.side.is_person:
            left = clocks[sitting.game.turn]
            self._flag = asyncio.get_running_loop().call_later(left + REPORT_SECONDS / 10, self._changed)

    def _follow(self) -> None:
        game, study = self.sitting.game, self._study
        is_due = self._lines > 0 and self._window is not None and self.sitting.outcome is None
        if study is not None and (not is_due or not study.is_of(game)):
            self._end_study()
        if is_due and self._study is None and game.legal_moves:
            self._study = Study(game.copy(), self._lines)
            self._study_task = background(self._analyse(self._study))

    async def _analyse(self, study: Study) -> None:
        search = asyncio.ensure_future(in_thread(study.search))
        is_done = False
        while not is_done and study is self._study:
            await asyncio.wait([search], timeout=REPORT_SECONDS)
            is_done = search.done()
            if study is self._study and (news := study.news()) is not None:
                self._tell(news)
        await asyncio.wait([search])
        if (error := search.exception()) is not None and study is self._study:
            self._tell({"type": "analysis", "ply": study.ply, "lines": [], "failure": message_of(error)})

    def _end_study(self) -> None:
        if self._study is not None:
            self._study.stop()
            self._study = None

    def _check_person(self, colour: str) -> None:
        side = self.sitting.sides[COLOURS.index(colour)]
        if not side.is_person:
            raise ArenaError(f"{colour} is played by {side.name}")

    def _full(self) -> str:
        return f"the game has {MOST_PLIES} plies, as many as a game may have here"
