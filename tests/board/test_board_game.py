"""A game at the board: persons and players, moves taken back, clocks, late answers, PDN."""

import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena import Game
from arena.base import ArenaError
from arena.board import game
from arena.board.game import MOST_PLIES, BoardGame, Clock, Thought
from arena.board.pdn import append_game, pdn_text, saved_game
from arena.board.sides import Side, level, side_of
from arena.board.words import ending_text, seen_text
from arena.rules.game import Outcome, Termination
from arena.rules.notation import parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS
from players.player import HUMAN, LEVELS, Choice, Limit
from tests.helpers.command_line import one_line

ENGLISH = VARIANTS["english"]
PERSON = Side(HUMAN)
OWN = """\
import time
from arena import Choice

class First:
    man_value = 10.0
    def __init__(self, variant): self.begun, self.stopped = 0, False
    def choose(self, game, limit, rng): return Choice(game.legal_moves[0], score=5.0, depth=1, nodes=2)

class Waits(First):
    def stop(self): self.stopped = True
    def choose(self, game, limit, rng):
        while not self.stopped:
            time.sleep(0.001)
        self.stopped = False
        return super().choose(game, limit, rng)

class Slow(First):
    def choose(self, game, limit, rng):
        time.sleep(0.05)
        return super().choose(game, limit, rng)

class Fails(First):
    def choose(self, game, limit, rng): raise RuntimeError("tired\\nof it")

class Cheats(First):
    def choose(self, game, limit, rng): return Choice(12345)

class Unready(First):
    def __init__(self, variant): raise RuntimeError("not today")

class Kept(First):
    kept = True
    seen = []
    def begin(self): self.seen.append("begin")
    def close(self): self.seen.append("close")
    def choose(self, game, limit, rng):
        self.seen.append(limit)
        return super().choose(game, limit, rng)
"""


@pytest.fixture
def own(tmp_path: Path) -> Any:
    """A side of one of the classes of OWN, by its name."""
    file = tmp_path / "own.py"
    file.write_text(OWN)
    return lambda name: side_of({"type": f"{file}:{name}", "name": name.lower()})


BOARDS: list[BoardGame] = []


@pytest.fixture(autouse=True)
def all_closed() -> Iterator[None]:
    yield
    while BOARDS:
        BOARDS.pop().close()


def seated(white: Side = PERSON, black: Side = PERSON, **options: Any) -> BoardGame:
    BOARDS.append(BoardGame(ENGLISH, (white, black), **options))
    return BOARDS[-1]


def push(board: BoardGame, *texts: str) -> None:
    """Moves of persons, and of players what they find where the text is `?`."""
    for text in texts:
        if text == "?":
            request = board.request()
            assert board.accept(request, request.answer())
        else:
            board.play(board.game.move(text))


def texts(board: BoardGame) -> list[str]:
    return [turn.text for turn in board.turns]


# --- moves


def test_persons_and_players_move_in_turn_by_the_rules(own):
    board = seated(own("First"), PERSON)
    with pytest.raises(ArenaError, match="it is a person's move"):
        board.request()
    with pytest.raises(ValueError, match="is not a legal move"):
        board.play(3)
    push(board, "11-15")
    with pytest.raises(ArenaError, match="it is first's move"):
        board.play(board.game.legal_moves[0])
    push(board, "?")
    assert texts(board) == ["11-15", board.turns[1].text] and board.turns[0].thought is None
    thought = board.turns[1].thought
    assert thought is not None and (thought.score, thought.line) == ("+0.50", (board.turns[1].text,))
    board.seat((PERSON, own("Kept")))
    push(board, "?")
    assert board.turns[2].thought is not None


def test_random_moves_come_from_the_seed():
    boards = [seated(side_of("random"), side_of("random"), seed=seed) for seed in (1, 1, 2)]
    for board in boards:
        push(board, *"?" * 12)
    one, same, other = map(texts, boards)
    assert one == same != other


# --- moves taken back


def test_undo_takes_back_a_persons_move_and_what_followed(own):
    first = seated(PERSON, own("First"))
    push(first, "?")
    board = seated(own("First"), PERSON)
    push(board, "11-15", "?", "9-13", "?")
    assert board.undo() == 2 and len(board.turns) == 2
    push(board, "9-14")
    assert board.undo() == 1 and board.game.turn == BLACK
    assert board.undo() == 2 and board.game.position == ENGLISH.start
    for nothing in (board, first):
        with pytest.raises(ArenaError, match="there is no move to take back"):
            nothing.undo()
    players = seated(side_of("random"), side_of("random"))
    push(players, "?", "?")
    assert players.undo() == 1 and len(players.turns) == 1


def test_a_player_plays_a_new_game_after_moves_are_taken_back(own):
    board = seated(own("Kept"), PERSON)
    push(board, "11-15", "?", "9-13", "?")
    board.undo()
    push(board, "9-14", "?")
    player = board._players[WHITE].player
    seen = player.player.seen  # type: ignore[union-attr]
    assert [word for word in seen if word in ("begin", "close")] == ["begin", "begin"]
    board.close()
    assert seen[-1] == "close"


def test_a_board_whose_second_player_cannot_be_built_keeps_no_player(own):
    board = seated(own("Kept"), own("Unready"))
    with pytest.raises(ArenaError, match="not today"):
        board.prepare()
    assert not board._players


# --- requests that come too late


def test_an_answer_to_another_position_changes_nothing(own):
    for change in (
        lambda board: board.undo(),
        lambda board: board.seat((PERSON, own("First"))),
        lambda board: board.resign(BLACK),
    ):
        board = seated(own("First"), PERSON)
        push(board, "11-15")
        request = board.request()
        thought = request.answer()
        change(board)
        moves, version, outcome = texts(board), board.version, board.outcome
        assert not board.accept(request, thought)
        assert not board.fail(request, RuntimeError("late"))
        assert (texts(board), board.version, board.outcome) == (moves, version, outcome)


@pytest.mark.parametrize("is_begun", [False, True])
def test_a_stop_reaches_the_search_asked_for_and_not_the_next_one_and_the_answer_is_played(own, is_begun):
    board = seated(own("Waits"), PERSON)
    push(board, "11-15")
    board.stop()
    request = board.request()
    with ThreadPoolExecutor() as pool:
        if is_begun:
            answer = pool.submit(request.answer)
            with pytest.raises(TimeoutError):
                answer.result(timeout=0.05)
        board.stop()
        thought = (answer if is_begun else pool.submit(request.answer)).result(timeout=10)
    assert board.accept(request, thought)


# --- failures


@pytest.mark.parametrize(
    ("name", "failure"),
    [("Fails", "fails raised RuntimeError: tired of it"), ("Cheats", "cheats returned the illegal move 12345")],
)
def test_a_player_that_fails_loses(own, name, failure):
    board = seated(own(name), PERSON)
    push(board, "11-15")
    request = board.request()
    with pytest.raises((RuntimeError, ValueError)) as caught:
        request.answer()
    assert board.fail(request, caught.value)
    assert board.outcome == Outcome(BLACK, Termination.ERROR) and board.failure == failure
    assert "1-0" in pdn_text(board) and "{error}" in pdn_text(board)
    with pytest.raises(ArenaError, match="the game is over"):
        board.request()
    board.undo()
    assert board.outcome is None and not board.failure


# --- clocks


class Now:
    """A clock that tests turn on."""

    seconds = 100.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> Now:
    now = Now()
    monkeypatch.setattr(game, "time", now)
    return now


def test_clocks_gain_their_increment_and_undo_brings_them_back_and_ends_an_end(now):
    board = seated(clock=Clock(60, 5))
    now.seconds += 0.5
    assert board.clocks() == (60, 59.5)
    push(board, "11-15", "23-19")
    now.seconds += 0.25
    assert board.clocks() == (65, 64.25)
    board.resign(BLACK)
    assert board.outcome == Outcome(WHITE, Termination.RESIGNED)
    with pytest.raises(ArenaError, match="the game is over"):
        board.resign(BLACK)
    board.undo()
    assert board.outcome is None and board.clocks() == (60, 64.5)
    assert seated().clocks() is None


def test_a_person_whose_clock_has_run_out_has_lost(now):
    board = seated(clock=Clock(0.02))
    now.seconds += 0.03
    with pytest.raises(ArenaError, match="the game is over"):
        push(board, "11-15")
    assert board.outcome == Outcome(WHITE, Termination.TIME) and board.clocks() == (0.02, 0.0)
    assert not board.turns


def test_a_player_that_takes_longer_than_its_clock_has_lost(own):
    board = seated(PERSON, own("Slow"), clock=Clock(0.02))
    board.prepare()
    request = board.request()
    assert request.limit == Limit(clock=0.02, increment=0.0)
    assert board.accept(request, request.answer())
    assert board.outcome == Outcome(WHITE, Termination.TIME) and not board.turns


def test_a_players_clock_does_not_run_before_it_is_asked(own, now):
    board = seated(PERSON, own("First"), clock=Clock(30.0))
    board.prepare()
    now.seconds += 1
    assert (board.clocks() or (0, 0))[BLACK] == 30.0
    push(board, "?")
    assert board.outcome is None
    assert (board.clocks() or (0, 0))[BLACK] == pytest.approx(30.0 - board.turns[0].seconds)


# --- ends


def test_the_end_by_the_rules_has_its_reason():
    for name, fen, text in (
        ("english", "B:W18:B15", "Black wins: all pieces captured"),
        ("simplified", "W:W6,3:B26", "White wins by 4 points to 2: the points decide"),
        ("simplified", "W:W6:B26", "Draw: the points decide"),
        ("simplified", "W:W22:B18", "White wins by 1 point to 0: the points decide"),
    ):
        game = Game(name, fen)
        while game.outcome is None:
            game.push(game.legal_moves[0])
        assert ending_text(game.outcome) == text
    for termination in Termination:
        for winner in (None, WHITE, BLACK):
            assert "_" not in ending_text(Outcome(winner, termination))


# --- sides


def test_sides_are_persons_levels_and_entries(tmp_path):
    assert side_of("human").is_person and side_of(" human ").is_person
    assert side_of("{type: negamax, preset: full}").spec.limit == Limit(seconds=1.0)  # type: ignore[union-attr]
    assert side_of("{type: negamax, depth: 3}").spec.limit == Limit(depth=3)  # type: ignore[union-attr]
    assert side_of("greedy").spec.limit == Limit() == side_of("game3").spec.limit  # type: ignore[union-attr]
    assert [level(number).spec.limit.depth for number in LEVELS] == [*LEVELS]  # type: ignore[union-attr]
    assert side_of("level 7") == level(7)
    with pytest.raises(ArenaError, match="is not a level: 1 to 12"):
        side_of("level ²")


# --- PDN


def test_a_game_goes_out_as_pdn_and_comes_in_again(own, tmp_path):
    board = seated(own("First"), PERSON)
    push(board, "11-15", "?", "9-13")
    text = pdn_text(board)
    assert '[WhiteType "program"]' in text and '[BlackType "human"]' in text
    assert re.search(r"\{\+0\.50/1 [0-9.]+s, 2 nodes\}", text)
    (pdn,) = read_pdn(text).games
    timed = BoardGame.of(pdn, board.sides, clock=Clock(60, 5))
    assert timed.clocks() == pytest.approx((60, 60), abs=1)
    with pytest.raises(ArenaError, match="2,000 can be played on"):
        BoardGame.of(replace(pdn, moves=[0] * (MOST_PLIES + 1)), board.sides)
    again = BoardGame.of(pdn, board.sides)
    assert texts(again) == texts(board) and again.game.position == board.game.position
    assert pdn.result == "*" and again.outcome is None
    push(again, "?")
    again.close()


def test_pdn_says_who_played_before_the_sides_changed_and_the_points():
    board = seated(PERSON, PERSON)
    board.seat((side_of("random"), PERSON))
    push(board, "11-15", "?")
    board.seat((side_of("{type: random, name: other}"), PERSON))
    push(board, board.game.text(board.game.legal_moves[0]), "?")
    comments = read_pdn(pdn_text(board)).games[0].comments
    assert comments[2].endswith("; played by random") and "played by" not in comments[4]
    simplified = VARIANTS["simplified"]
    pointed = BoardGame(simplified, (PERSON, PERSON), parse_fen(simplified, "W:W6,3:B26"))
    push(pointed, "6-2", "26-31")
    (pdn,) = read_pdn(pdn_text(pointed)).games
    assert (pdn.comments, pdn.result) == ({2: "points: White 4, Black 2"}, "white")


def test_a_game_of_a_file_begins_where_its_last_position_was_set_up():
    text = '[GameType "21,B,8,8,N1,0"]\n1. 11-15 23-19 /FEN "W:W32:B1,K5"/ 32-28 1/2-1/2\n'
    (pdn,) = read_pdn(text).games
    board = BoardGame.of(pdn, (PERSON, PERSON))
    assert texts(board) == ["32-28"] and board.game.fen == "B:W28:B1,K5"


def test_a_file_that_is_no_pdn_stays_as_it_is(tmp_path):
    file = tmp_path / "file"
    file.write_text(OWN)
    with pytest.raises(ArenaError, match="is no PDN file"):
        append_game(file, seated())
    assert file.read_text() == OWN


@pytest.mark.parametrize(
    ("text", "number"), [("1. 11-15 *", 2), ("", None), ("1. 11-15 23-11 *", None), ('[GameType "20"]\n*', None)]
)
def test_what_cannot_be_played_on_is_one_line(tmp_path, text, number):
    file = tmp_path / "games.pdn"
    file.write_text(text)
    with pytest.raises(ArenaError) as caught:
        saved_game(file, ENGLISH, number)
    one_line(caught.value)


# --- what players saw


SEEN: list[tuple[dict[str, Any], float | None, str]] = [
    ({"score": 125.0, "depth": 4, "nodes": 1321}, 100.0, "score +1.25 men, depth 4, 1,321 nodes, 0.457 s"),
    ({"score": 5.0, "nodes": 9, "deepest": 8, "cutoffs_max": 7, "cutoffs_min": 6}, None,
        "score 5, deepest ply 8, 9 nodes, 13 cutoffs (7 max, 6 min), 0.457 s"),
    ({"extra": {"assessed": 2}}, None, "0.457 s, formation weak"),
]  # fmt: skip


@pytest.mark.parametrize(("counts", "man", "line"), SEEN, ids=range(len(SEEN)))
def test_a_line_has_what_a_player_saw_and_counted(counts, man, line):
    assert seen_text(Thought(Choice(1, **counts), 0.4567, man, ())) == line
