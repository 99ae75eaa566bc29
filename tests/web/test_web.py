"""Games at the board over HTTP and websockets: moves, searches, windows, and which games are kept."""

import asyncio
import functools
import json
import threading
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest
import websockets

from arena.board.game import BoardGame, Thought
from arena.board.sides import Side, adviser, level
from arena.rules.game import Game
from arena.rules.notation import parse_fen
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS
from arena.web import app, documents, game, games
from arena.web.documents import headline, ply_document, subline
from arena.web.messages import SecondsGiven
from players.player import HUMAN, Choice, Limit, PlayerSpec
from tests.helpers.web_server import Served, served, window

pytestmark = pytest.mark.compiled


class Slow:
    """Thinks until it is stopped, or for a minute."""

    def __init__(self, variant: Any) -> None:
        BUILT.append(variant.name)
        self._stopped = False

    def choose(self, game: Game, limit: Any, rng: Any) -> Choice:
        SEEN.append(game.fen)
        end = time.monotonic() + 60
        self._stopped = False
        while not self._stopped and time.monotonic() < end:
            time.sleep(0.005)
        ENDED.append(game.fen)
        return Choice(game.legal_moves[0])

    def stop(self) -> None:
        self._stopped = True


class Endless(Slow):
    """Heeds nothing."""

    def choose(self, game: Game, limit: Any, rng: Any) -> Choice:
        SEEN.append(game.fen)
        END.wait(60)
        ENDED.append(game.fen)
        return Choice(game.legal_moves[0])


class Broken:
    """Fails at its second move."""

    kept = True

    def __init__(self, variant: Any) -> None:
        self._asked = 0

    def choose(self, game: Game, limit: Any, rng: Any) -> Choice:
        self._asked += 1
        if self._asked > 1:
            raise StopIteration("out of ideas")
        return Choice(game.legal_moves[0])


END = threading.Event()
BUILT: list[str] = []
SEEN: list[str] = []
ENDED: list[str] = []
OWN = (
    Side("slow", PlayerSpec("slow", f"{__name__}:Slow")),
    Side("endless", PlayerSpec("endless", f"{__name__}:Endless")),
    Side("broken", PlayerSpec("broken", f"{__name__}:Broken")),
)


@pytest.fixture(scope="module")
def at() -> Iterator[Served]:
    with served(own=OWN) as running:
        yield running


@pytest.fixture(autouse=True)
def quick_plies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two players do not wait for a person to follow."""
    monkeypatch.setattr(game, "PACE_SECONDS", 0.0)
    for seen in (BUILT, SEEN, ENDED):
        seen.clear()
    END.clear()


def in_a_loop(test: Any) -> Any:
    """A test that waits for what windows hear."""
    return functools.wraps(test)(lambda *given, **named: asyncio.run(test(*given, **named)))


def test_what_is_on_offer_can_be_begun_by_its_key_under_its_own_rules(at):
    offer = at.client.get("/api/offer").json()
    assert list(dict.fromkeys(row["base"] for row in offer["variants"])) == list(VARIANTS)
    usual = {row["name"]: row["usual"] for row in offer["variants"]}
    assert set(VARIANTS) < set(usual)
    assert usual["simplified-6x6"] == usual["simplified"]
    players = {player["key"]: player for player in offer["players"]}
    assert {player["group"] for player in players.values()} == {"levels", "published", "strong", "simple", "yours"}
    for key in ("level-1", "random", own(at, "slow")):
        assert at.begin(white=key)["request"]["white"] == key
    international = VARIANTS["international"]
    strongest = adviser(international, Limit(seconds=1.0))
    assert at.room.offer.seats("human", "neural", international, SecondsGiven())[1].spec == replace(
        strongest, name="neural", options={name: strongest.options[name] for name in ("preset", "evaluation")}
    )
    seconds = [players[key]["seconds"] for key in ("random", "level-3", "checkers-ai", "strong")]
    assert seconds == [None, 0.0, 1.0, 1.0]
    for variant in VARIANTS.values():
        assert not at.room.offer.seats("human", usual[variant.name], variant, SecondsGiven())[1].is_person


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"white": "game3"}, "game3 plays game3, not english"),
        ({"variant": "thai", "white": "neural"}, "not thai"),
        ({"white": "random", "seconds": {"white": 1}}, "random takes no limit of seconds per move"),
        ({"seconds": {"black": 1}}, "a person has no limit of seconds per move"),
        ({"seconds": {"red": 1}}, "seconds.red: "),
        ({"fen": "W:W21:B"}, "black has no piece"),
        ({"variant": f"{{base: english, repetition: {2**63}}}"}, "repetition"),
    ],
)
def test_a_game_that_cannot_be_begun_is_refused_in_one_line(at, given, words):
    answer = at.client.post(
        "/api/games", json={"variant": "english", "white": "level-1", "black": "human", **given}
    )
    assert answer.status_code == 422 and words in answer.json()["error"]
    assert "\n" not in answer.json()["error"]


def test_a_position_whose_captures_hold_up_the_server_is_refused(at, monkeypatch):
    monkeypatch.setattr(games, "MOST_SECONDS", -1.0)
    answer = at.client.post("/api/games", json={"variant": "english", "white": "human", "black": "human"})
    assert answer.status_code == 422 and "too many ways" in answer.json()["error"]


@in_a_loop
async def test_the_game_of_the_command_line_is_there_and_its_person_keeps_the_name():
    with served(first=BoardGame(VARIANTS["english"], (level(1), Side("ann"))), person="ann") as at:
        async with window(at, {"game": at.room.first}) as seen:
            text = (await seen.next(legal=True))["legal"][0]["text"]
            await seen.ask("move", text=text)
            mine, theirs = (await seen.next(moves=2, thinking=False))["moves"]
        assert mine["text"] == text and mine["note"] is None and " nodes, " in theirs["note"]["facts"]
        assert '[White "ann"]' in at.begin(white="human", black="random")["pdn"]


@pytest.mark.parametrize(("draws", "ended"), [(True, "repetition"), (False, None)])
def test_draws_by_the_rules_can_be_switched_off(at, draws, ended):
    state = at.begin(white="human", fen="W:WK32,K31:BK1,K2", draws=draws)
    for text in ["32-28", "1-5", "28-32", "5-1"] * 2:
        state = at.ask(state, "move", text=text)
    assert (state["request"]["draws"], state["outcome"] and state["outcome"]["termination"]) == (draws, ended)
    assert state["undrawn"] != draws
    assert state["variant"] == ("english" if draws else "{base: english, repetition: 0, no_progress: 0}")
    assert state["request"]["variant"] == "english"


class LongAnalysis:
    """In place of an Analysis: finds nothing until it is stopped."""

    def __init__(self, *_: Any) -> None:
        SEEN.append("analysis")
        self._stopped = threading.Event()

    def findings(self) -> Iterator[Any]:
        self._stopped.wait(60)
        return iter(())

    def stop(self) -> None:
        self._stopped.set()


@in_a_loop
async def test_only_the_newest_hint_is_searched_for(at, monkeypatch):
    monkeypatch.setattr(game, "Analysis", LongAnalysis)
    state = at.begin(white="human", black="human")
    async with window(at, state) as seen:
        await seen.next()
        for searched, text in enumerate(("11-15", "22-18", "15x22"), start=1):
            for _ in range(5):
                await seen.ask("hint")
                await seen.next(hint=True)
            await until(lambda most=searched: len(SEEN) >= most)
            await seen.ask("move", text=text)
            await seen.next(hint=False)
    assert SEEN == ["analysis"] * 3


def test_captures_have_their_paths_a_pass_has_no_squares_and_points_stand_with_each_position(at):
    state = at.begin(fen="W:W26,K22:B18,10,9", white="human", black="human")
    assert state["legal"] == [{"text": "22x13", "paths": [[22, 15, 6, 13]], "captured": [9, 10, 18]}]
    crowned = at.ask(at.begin(fen="W:W6:B12", white="human", black="human"), "move", text="6-1")
    assert crowned["moves"][0]["crowned"] and crowned["fen"] == "B:WK1:B12"
    state = at.begin(variant="simplified", fen="B:W32:B29,30,31", white="human", black="human")
    assert state["legal"][0] == {"text": "pass", "paths": [[]], "captured": []}
    (passed,) = at.ask(state, "move", text="pass")["moves"]
    assert (passed["path"], passed["captured"]) == ([], [])
    state = at.begin(variant="simplified", fen="W:W6,3:B26", white="human", black="human")
    assert state["start"]["points"] == {"white": 3, "black": 1}
    ended = at.ask(at.ask(state, "move", text="6-2"), "move", text="26-31")
    assert ended["moves"][-1]["points"] == {"white": 4, "black": 2}
    assert (ended["outcome"]["result"], ended["outcome"]["termination"]) == ("white", "points")


def test_values_are_from_whites_view_in_men_where_a_mans_worth_is_known_and_wins_in_moves():
    english, seen = VARIANTS["english"], [(50.0, 0), (-25.0, 0), (30.0, 0), (0.0, 7), (0.0, -6)]
    board = BoardGame(english, (Side("w"), Side("b")), parse_fen(english, "B:W9,K32:B3,5,20"))
    for score, plies_to_win in seen:
        move, man = board.game.legal_moves[-1], 100.0 if board.game.turn else None
        choice = Choice(move, score=score, plies_to_win=plies_to_win, depth=3, nodes=9)
        board._push(move, 0.5, Thought(choice, 0.5, man, ()))
    notes = [ply_document(board, ply)["note"] for ply in range(5)]
    assert [(note["value"], note["plies_to_win"]) for note in notes] == [
        (-0.5, 0), (None, 0), (-0.3, 0), (None, 7), (None, 6)
    ]  # fmt: skip
    assert [note["text"] for note in notes] == ["−0.50", "−25", "−0.30", "+#4", "+#3"]
    assert [note["sentence"] for note in notes[2:4]] == ["−0.30 for White", "White wins in 4 moves"]


def test_moves_are_refused_that_are_none_or_come_too_late(at):
    state = at.begin(white="human")
    assert "1-2" in at.ask(state, "move", text="1-2")["error"]
    assert at.ask({**state, "version": 7}, "move", text="11-15")["error"] == "the game has moved on"
    after = at.ask(state, "move", text="11-15")
    assert (after["error"], [move["text"] for move in after["moves"]]) == ("", ["11-15"])
    again = at.ask(state, "move", text="22-18")
    assert (again["error"], again["moves"]) == ("the game has moved on", after["moves"])


def test_a_person_resigns_for_its_own_colour_and_of_two_the_one_to_move(at, monkeypatch):
    monkeypatch.setattr(game, "PACE_SECONDS", 60.0)
    for white in ("human", "level-1"):
        over = at.ask(at.begin(white=white), "resign")
        assert (over["outcome"]["termination"], over["outcome"]["result"]) == ("resigned", "white")
    assert at.ask(over, "resign")["error"] == "the game is over"
    refused = at.ask(at.begin(white="level-1", black="random"), "resign")
    assert refused["error"] == "no person plays" and refused["outcome"] is None


@in_a_loop
async def test_a_person_whose_clock_runs_out_loses_though_nothing_happens(at):
    state = at.begin(white="human", clock={"seconds": 0.3})
    async with window(at, state) as seen:
        first = await seen.next()
        assert first["running"] and first["request"]["clock"] == {"seconds": 0.3, "increment": 0.0}
        over = await seen.next()
    assert over["outcome"]["termination"] == "time" and not over["running"]


@pytest.mark.full
@in_a_loop
async def test_players_play_at_their_pace_while_a_window_is_there_until_a_pause_or_a_take_back(at, monkeypatch):
    monkeypatch.setattr(game, "PACE_SECONDS", 0.05)
    state = at.begin(white="human", black="random")
    async with window(at, state) as seen:
        await seen.next(moves=1)
        await seen.ask("seat", white="random", black="random")
        began = time.monotonic()
        while len((await seen.next())["moves"]) < 6:
            pass
        assert time.monotonic() - began >= 4 * 0.05
        for what in ("pause", "undo"):
            await seen.ask(what)
            stood = len((await seen.next(paused=True))["moves"])
            await asyncio.sleep(0.2)
            assert len(at.state(state)["moves"]) == stood
            await seen.ask("resume")
            while len((await seen.next())["moves"]) <= stood:
                pass


def own(at: Served, name: str) -> str:
    """The key of a player of OWN."""
    return str(next(row["key"] for row in at.room.offer.document()["players"] if row["name"] == name))


async def until(is_so: Any) -> None:
    """Wait until something is so."""
    end = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


@in_a_loop
async def test_closing_the_window_stops_the_search_and_a_reload_goes_on(at):
    state = at.begin(white="human", black=own(at, "slow"))
    async with window(at, state) as seen:
        await seen.next(thinking=True)
        await until(lambda: SEEN)
    await until(lambda: ENDED)
    await until(lambda: not at.state(state)["thinking"])
    assert at.state(state)["moves"] == []
    async with window(at, state) as seen:
        await seen.next(thinking=True)
        await until(lambda: len(SEEN) == 2)
        await seen.ask("stop")
        await seen.next(moves=1)


@pytest.mark.full
@in_a_loop
async def test_players_that_heed_nothing_hold_up_no_other_one(at):
    async with AsyncExitStack() as windows:
        for _ in range(40):
            state = at.begin(white="human", black=own(at, "endless"))
            seen = await windows.enter_async_context(window(at, state))
            await seen.next(thinking=True)
        await until(lambda: len(SEEN) == 40)
        await seen.ask("seat", white="human", black="level-1")
        await seen.next(moves=1)
        assert not ENDED
    END.set()
    await until(lambda: len(ENDED) == 40)


@in_a_loop
async def test_only_the_servers_loop_uses_a_board(at, monkeypatch):
    threads = set()
    for name in ("request", "accept", "undo", "play"):
        method = getattr(BoardGame, name)

        def noted(*given: Any, method: Any = method, **named: Any) -> Any:
            threads.add(threading.get_ident())
            return method(*given, **named)

        monkeypatch.setattr(BoardGame, name, noted)
    state = at.begin(white="level-1", black="level-2")
    async with window(at, state) as seen:
        await seen.next(moves=2)
        await seen.ask("undo")
        await seen.next(paused=True)
    assert len(threads) == 1


@in_a_loop
async def test_only_what_has_changed_is_sent(at):
    state = at.begin(white="human", black="human")
    async with window(at, state) as seen:
        first = await seen.next()
        for text in ("11-15", "22-18"):
            await seen.ask("move", text=text)
            await seen.next()
        await seen.ask("analyse", lines=1)
        text = json.loads(await seen.socket.recv())
        assert set(text) <= {"lines", "analysis", "error", "subline"}
        assert set(first) > set(text)
        state = seen.heard[-1]
        await seen.ask("move", text="15x22")
        while "moves" not in (text := json.loads(await seen.socket.recv())):
            pass
        assert (text["kept"], [move["text"] for move in text["moves"]]) == (2, ["15x22"])


@in_a_loop
async def test_a_player_that_fails_loses_and_the_reason_is_shown(at):
    state = at.begin(white="random", black=own(at, "broken"))
    async with window(at, state) as seen:
        over = await seen.next(outcome=True)
    assert over["outcome"]["termination"] == "error"
    assert over["subline"] == "broken raised StopIteration: out of ideas"


def test_a_position_is_read_from_its_fen_and_faults_are_named(at):
    pieces = "." * 20 + "w" + "." * 10 + "W"
    placed = at.client.get("/api/board", params={"variant": "english", "fen": "W:W21,K32:B"}).json()["start"]
    assert placed == {"fen": "W:W21,K32:B", "pieces": pieces, "points": None, "turn": "white"}
    for fault, words in (("W:W1:B32", "crowned"), ("W:W21-32,20:B1", "white has 13 pieces")):
        answer = at.client.get("/api/board", params={"variant": "english", "fen": fault})
        assert answer.status_code == 422 and words in answer.json()["error"], fault


@in_a_loop
async def test_a_game_ends_at_the_most_plies(at, monkeypatch):
    monkeypatch.setattr(game, "MOST_PLIES", 4)
    monkeypatch.setattr(documents, "MOST_PLIES", 4)
    state = at.begin(white="random", black="random")
    async with window(at, state) as seen:
        full = await seen.next(moves=4, thinking=False)
        await asyncio.sleep(0.1)
    assert "as many as a game may have" in full["subline"] and len(at.state(state)["moves"]) == 4


async def in_loop(at: Served, work: Any) -> Any:
    """Do something in the loop of the server."""

    async def done() -> Any:
        return work()

    return await asyncio.to_thread(asyncio.run_coroutine_threadsafe(done(), at.loop).result)


@in_a_loop
async def test_for_a_game_too_many_the_one_goes_that_no_window_shows(monkeypatch):
    body = {"variant": "english", "white": "human", "black": "human"}
    with served() as at:
        shown, left = at.begin(**body), at.begin(**body)
        monkeypatch.setattr(games, "MOST_GAMES", 3)
        async with window(at, shown) as seen:
            await seen.next()
            begun = (asyncio.to_thread(at.client.post, "/api/games", json=body) for _ in range(6))
            assert {answer.status_code for answer in await asyncio.gather(*begun)} == {201}
            assert len(at.room) == 3 and shown["game"] in at.room._games and left["game"] not in at.room._games
            monkeypatch.setattr(games, "MOST_GAMES", 1)
            for name in set(at.room._games) - {shown["game"]}:
                await in_loop(at, lambda name=name: at.room._drop(at.room.game(name)))
            answer = await asyncio.to_thread(lambda: at.client.post("/api/games", json=body))
            assert answer.status_code == 429 and "close the window of one" in answer.json()["error"]


@in_a_loop
async def test_what_no_window_shows_is_dropped(at):
    shown, left = at.begin(), at.begin(white="human")
    async with window(at, shown) as seen:
        await seen.next()
        later = time.monotonic() + games.KEPT_SECONDS + 1
        await in_loop(at, lambda: at.room.sweep_once(later))
        assert shown["game"] in at.room._games and left["game"] not in at.room._games
    async with websockets.connect(at.address(left)) as gone:
        with pytest.raises(websockets.ConnectionClosed) as closed:
            await gone.recv()
    assert closed.value.rcvd is not None and closed.value.rcvd.code == app.GONE


# --- the headline and the line below it


PERSON = Side(HUMAN)
HINT = {"done": True, "by": "neural", "lines": [{"moves": [{"text": "11-15"}], "sentence": "+0.30 for White"}]}


def board_of(fen: str = "", white: Side | None = None) -> BoardGame:
    """A person with Black, by default against a level."""
    return BoardGame(
        VARIANTS["english"], (white or level(3), PERSON), parse_fen(VARIANTS["english"], fen) if fen else None
    )


@pytest.mark.parametrize(
    ("white", "resigns", "words"),
    [
        *((None, None, "Your move"), (None, BLACK, "You lose"), (None, WHITE, "You win")),
        *((PERSON, None, "Black to move"), (PERSON, BLACK, "White wins")),
    ],
)
def test_the_headline_says_whose_move_it_is_and_who_won(white, resigns, words):
    board = board_of(white=white)
    if resigns is not None:
        board.resign(resigns)
    assert headline(board) == words


def test_below_the_headline_stand_findings_hints_compilation_and_what_has_to_be_played():
    assert subline(board_of()) == ""
    assert subline(board_of(), found="depth 12").startswith("depth") and subline(board_of(), is_paused=True)
    assert "11-15, +0.30 for White" in subline(board_of(), hint=HINT)
    assert "compiled" in subline(board_of(), is_compiling=True)
    for fen, words in (("B:W15,16,22:B10,11,12,17", "You must capture: "), ("B:W5:B28", "The only move: 28-32.")):
        assert subline(board_of(fen)).startswith(words)
