"""A game on the server: its windows and their requests, its players' searches, its clock and analysis."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import takewhile
from typing import Any
from weakref import WeakKeyDictionary

from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.base import ArenaError
from arena.base.wording import message_of
from arena.board.game import MOST_PLIES, BoardGame, Request, Thought, Turn
from arena.board.pdn import pdn_text
from arena.board.sides import ADVICE_SECONDS, adviser, program_of
from arena.hosting.analysis import Analysis
from arena.hosting.handle import SharedPlayer
from arena.rules.game import Game
from arena.rules.position import COLOURS
from arena.rules.result import Draws
from arena.web.documents import (
    analysis_document,
    headline,
    legal_documents,
    ply_document,
    position_document,
    subline,
)
from arena.web.messages import (
    FOR_ITS_VERSION,
    Analyse,
    Asked,
    Move,
    NewGame,
    Refusal,
    Seat,
    Wish,
    asked_in,
    json_text,
)
from arena.web.offer import Offer
from arena.web.threads import background, in_thread, is_compiling
from players.loading import own_code
from players.negamax.state import MAX_DEPTH
from players.player import Limit

PACE_SECONDS = 1.0
"""Seconds of a ply between two players, at least, so that a person can follow."""
REPORT_SECONDS = 0.1
"""Seconds between two looks at what a search has found."""
ANALYSIS_SECONDS = 120.0
"""Seconds after which an analysis of a position is ended."""


class Window:
    """A websocket that is sent what has changed of the state; one that is slow misses some states between."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket, self.awake, self.error = socket, asyncio.Event(), ""
        self._sent: dict[str, Any] = {}

    def message(self, state: dict[str, Any]) -> dict[str, Any]:
        """What has changed since the last message; of the moves those behind the first `kept` ones."""
        before, self._sent = self._sent, state
        changed = {key: value for key, value in state.items() if key not in before or before[key] != value}
        if moves := changed.get("moves"):
            changed["kept"] = _same(before.get("moves", ()), moves)
            changed["moves"] = moves[changed["kept"] :]
        error, self.error = self.error, ""
        return changed | {"error": error}


class HostedGame:
    """A game at the board, and the windows that show it. Only the server's loop uses it."""

    def __init__(self, name: str, board: BoardGame, request: NewGame, offer: Offer) -> None:
        """`request` would begin another game like this one."""
        self.name, self.board, self.request = name, board, request
        self.left_at: float | None = time.monotonic()
        """When its last window left, or it was made; None while a window shows it."""
        self._was_seen = self._is_paused = False
        self._offer = offer
        self._windows: set[Window] = set()
        self._flag: asyncio.TimerHandle | None = None
        self._plies: list[tuple[Turn, dict[str, Any]]] = []
        self._made: dict[str, Any] = {"version": -1}
        """What is made once for each version of the game."""
        self._request: Request | None = None
        """The search under way, if its answer is wanted."""
        self._found = ""
        """What that search has found so far."""
        self._lines = 0
        """Lines of the analysis that is asked for, 0 without one."""
        self._study: Study | None = None
        self._advice: Study | None = None
        """The last hint."""
        self._search: asyncio.Task[None] | None = None
        """Asks the player to move, and plays its answer; cancelled when that is not wanted any more."""
        self._answers: WeakKeyDictionary[SharedPlayer, asyncio.Future[Any]] = WeakKeyDictionary()
        """The last answer of each player, which it may still be at."""

    async def serve(self, socket: WebSocket) -> None:
        """Show the game in a window, and do what it asks, until it is gone."""
        window = Window(socket)
        self._windows.add(window)
        self.left_at = None
        if not self._was_seen:
            self._was_seen = True
            self.board.begin_turn()
        self._changed()
        sending = background(self._send(window))
        try:
            while (message := await socket.receive())["type"] != "websocket.disconnect":
                try:
                    self._do(asked_in(message.get("text") or ""))
                    self._changed()
                except (ArenaError, ValueError) as error:
                    window.error = str(error)
                    window.awake.set()
        finally:
            sending.cancel()
            self._windows.discard(window)
            if not self._windows:
                self._leave()

    def close(self) -> None:
        """End the game; this returns at once."""
        self._leave()
        if self._flag is not None:
            self._flag.cancel()

    def state(self) -> dict[str, Any]:
        """The whole game as the page takes it."""
        board, request = self.board, self.request
        clocks, is_thinking = board.clocks(), self._request is not None
        hint = self._advice.document if self._advice and self._advice.is_of(board.game) else None
        is_waiting = is_compiling() and (is_thinking or bool(hint))
        found, is_paused = self._found if is_thinking else "", self._is_paused
        return {
            "game": self.name,
            **self._of_version(),
            "headline": headline(board, is_thinking=is_thinking, is_paused=is_paused),
            "subline": subline(board, hint=hint, found=found, is_compiling=is_waiting, is_paused=is_paused),
            "names": dict(zip(COLOURS, (side.name for side in board.sides), strict=True)),
            "request": request.model_dump(exclude_none=True, exclude={"fen"}),
            "thinking": is_thinking,
            "paused": is_paused,
            "lines": self._lines,
            "analysis": self._study and self._study.document,
            "hint": hint,
            "clocks": clocks and {colour: round(left, 2) for colour, left in zip(COLOURS, clocks, strict=True)},
            "running": bool(clocks) and board.outcome is None and (is_thinking or board.side.is_person),
        }

    def _of_version(self) -> dict[str, Any]:
        """The part of the state that changes with the board's version alone."""
        board = self.board
        if self._made["version"] == board.version:
            return self._made
        variant, outcome, turns = board.variant, board.outcome, board.turns
        same = _same([turn for turn, _ in self._plies], turns)
        self._plies[same:] = [(turns[ply], ply_document(board, ply)) for ply in range(same, len(turns))]
        self._made = {
            "version": board.version,
            "variant": variant.name,
            "undrawn": variant.draws == Draws(),
            "upright": program_of(variant).numbers_edges,
            "first": COLOURS[variant.first],
            "turn": COLOURS[board.game.turn],
            "fen": board.game.fen,
            "start": position_document(variant, board.game.start),
            "moves": [document for _, document in self._plies],
            "legal": legal_documents(board.game) if outcome is None and board.side.is_person else [],
            "outcome": outcome and {"result": outcome.result, "termination": outcome.termination.value},
            "pdn": pdn_text(board),
        }
        return self._made

    def _do(self, asked: Asked) -> None:
        """Do what a window asks for. Raises Refusal, ArenaError or ValueError, in one line for the person."""
        board = self.board
        if asked.do in FOR_ITS_VERSION and asked.version != board.version:
            raise Refusal(409, "the game has moved on")
        match asked:
            case Move():
                if len(board.turns) >= MOST_PLIES:
                    raise ArenaError(f"the game has {MOST_PLIES:,} plies, as many as a game may have here")
                board.play(board.game.move(asked.text))
            case Wish(do="undo"):
                board.undo()
                self._is_paused = not self._has_person
            case Wish(do="resign"):
                board.give_up()
            case Wish(do="stop") if self._request is not None:
                board.stop()
            case Wish(do="pause") if not self._has_person:
                self._is_paused = True
                self._hold_up()
            case Wish(do="resume"):
                self._is_paused = False
            case Seat():
                board.seat(self._offer.seats(asked.white, asked.black, board.variant, asked.seconds))
                taken = {"white": asked.white, "black": asked.black, "seconds": asked.seconds}
                self.request = self.request.model_copy(update=taken)
                self._is_paused = False
            case Analyse():
                self._lines = asked.lines
                _end(self._study)
                self._study = None
            case Wish(do="hint"):
                if board.outcome is not None or not board.side.is_person:
                    raise ArenaError("a hint is for the person to move")
                if self._advice is None or self._advice.is_done or not self._advice.is_of(board.game):
                    _end(self._advice)
                    self._advice = Study(board.game.copy(), 1, Limit(seconds=ADVICE_SECONDS))
                    background(self._run(self._advice))

    @property
    def _has_person(self) -> bool:
        return any(side.is_person for side in self.board.sides)

    async def _send(self, window: Window) -> None:
        """Send a window what has changed, after each change, for ever."""
        with suppress(WebSocketDisconnect, RuntimeError):  # it is gone, or closed meanwhile
            while True:
                await window.awake.wait()
                window.awake.clear()
                await window.socket.send_text(json_text(window.message(self.state())))

    def _say(self) -> None:
        for window in self._windows:
            window.awake.set()

    def _changed(self) -> None:
        """Bring players, clock, analysis and windows up to date with the game."""
        board, clocks = self.board, self.board.clocks()
        goes_on, is_persons = bool(self._windows) and board.outcome is None, board.side.is_person
        if self._request is not None and self._request.version != board.version:
            self._hold_up()
        is_due = goes_on and not is_persons and not self._is_paused and len(board.turns) < MOST_PLIES
        if self._search is None and is_due:
            self._request, self._found = board.request(), ""
            self._search = background(self._ply(self._request))
        if self._flag is not None:
            self._flag.cancel()
        if clocks is not None and board.outcome is None and is_persons:  # time runs out though nothing happens
            left = clocks[board.game.turn] + REPORT_SECONDS / 10
            self._flag = asyncio.get_running_loop().call_later(left, self._changed)
        is_studied = goes_on and self._lines > 0
        if self._study is not None and not (is_studied and self._study.is_of(board.game)):
            _end(self._study)
            self._study = None
        if is_studied and self._study is None:
            limit = Limit(depth=MAX_DEPTH, seconds=ANALYSIS_SECONDS)
            self._study = Study(board.game.copy(), self._lines, limit)
            background(self._run(self._study))
        self._say()
        if board.outcome is not None:
            board.release()

    def _leave(self) -> None:
        """No window shows the game: searches stop, and the players and their memory are let go of."""
        self.left_at = time.monotonic()
        self._hold_up()
        _end(self._study, self._advice)
        self._study = self._advice = None
        self.board.release()

    async def _ply(self, request: Request) -> None:
        """Have a player answer a request to move, and play the answer; the player stops if this is cancelled."""
        board, began, player = self.board, time.monotonic(), request.player
        spec = board.side.spec
        try:
            if player in self._answers:  # which may never come: a thread of its own waits for no second one
                await asyncio.wait([self._answers[player]])
            answer = self._answers[player] = in_thread(partial(_answer, request))
            while not answer.done():
                await asyncio.wait([answer], timeout=REPORT_SECONDS)
                choice = None if spec is None or own_code(spec) else player.progress()
                found = f"depth {choice.depth}, {choice.nodes:,} nodes" if choice and choice.depth else ""
                if found != self._found or is_compiling():
                    self._found = found
                    self._say()
            if not self._has_person:
                await asyncio.sleep(began + PACE_SECONDS - time.monotonic())
        except asyncio.CancelledError:
            request.stopped.set()
            player.stop()
            raise
        self._search = self._request = None
        thought = answer.result()
        if isinstance(thought, Thought):
            board.accept(request, thought)
        else:
            board.fail(request, thought)
        self._changed()

    def _hold_up(self) -> None:
        """Cancel the search under way; its answer is not played."""
        if self._search is not None:
            self._search.cancel()
        self._search = self._request = None

    async def _run(self, study: Study) -> None:
        """Search in a thread, and send what is found until the study is stopped."""
        search, shown = in_thread(study.search), None
        while not study.is_stopped and not (search.done() and shown is study.document):
            await asyncio.wait([search], timeout=REPORT_SECONDS)
            if not study.is_stopped and (study.document is not shown or is_compiling()):
                shown = study.document
                self._say()


class Study:
    """The best lines of a position: `search` in a thread, everything else from the loop."""

    def __init__(self, game: Game, lines: int, limit: Limit) -> None:
        """`game` is a copy."""
        self._game, self._lines = game, lines
        self._player = adviser(game.variant, limit)
        self._analysis: Analysis | None = None
        self.is_stopped = False
        pieces = (game.position.white | game.position.black).bit_count()
        is_solved = pieces <= self._player.options.get("tables", 0)
        self.document: dict[str, Any] = {
            "ply": len(game.moves),
            "by": "endgame tables" if is_solved else self._player.options["evaluation"],
            "lines": [],
            "done": False,
        }
        """The findings so far."""

    @property
    def is_done(self) -> bool:
        """Whether the search has ended."""
        return bool(self.document["done"])

    def search(self) -> None:
        """Search until it is stopped or nothing more is to be found; if it was stopped before, not at all."""
        if self.is_stopped:
            return
        try:
            self._analysis = Analysis(self._player, self._game, self._lines)
            for findings in self._analysis.findings():
                self.document = self.document | analysis_document(self._analysis, self._game, findings)
                if self.is_stopped:
                    self._analysis.stop()
            self.document = self.document | {"done": True}
        except Exception as error:
            self.document = self.document | {"done": True, "failure": message_of(error)}

    def is_of(self, game: Game) -> bool:
        """Whether it is of that game's position, reached by the same moves."""
        return self._game.moves == game.moves and self._game.start == game.start

    def stop(self) -> None:
        """End the search soon; this returns at once."""
        self.is_stopped = True
        if self._analysis is not None:
            self._analysis.stop()


def _end(*studies: Study | None) -> None:
    """Stop studies, where there are any."""
    for study in filter(None, studies):
        study.stop()


def _same(before: Sequence[Any], after: Sequence[Any]) -> int:
    """How many things at the beginning of two sequences are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] is pair[1], zip(before, after, strict=False)))


def _answer(request: Request) -> Thought | BaseException:
    """A player's answer or its failure; called in a thread."""
    try:
        return request.answer()
    except BaseException as error:
        return error
