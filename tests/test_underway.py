"""Games under way as workers show them, and their boards."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from arena.experiment.load import load
from arena.ledger.ledger import Ledger
from arena.ledger.record import unpacked
from arena.play.match import play
from arena.play.plan import prepare
from arena.play.tournament import play as play_tournament
from arena.rules.game import Game
from arena.rules.variants import VARIANTS
from arena.watch import underway
from arena.watch.underway import FOLDER, UnderwayFile, UnderwayPly, file_of, games_under_way, place
from arena.web.boards import LiveBoards
from tests.helpers.watched import DOCUMENT, NAMES, NAN, START, worker_of


def test_a_game_under_way_is_read_as_far_as_it_was_written(tmp_path: Path) -> None:
    with worker_of(tmp_path) as shown:
        shown.begin(7, *NAMES, START)
        assert [(it.game, it.plies) for it in games_under_way(tmp_path)] == [(7, [])]
        shown.add(Game("english").legal_moves[0], 0.5, 12.0, 3.25, 0)
        shown.add(1 << 62, 0.25, NAN, NAN, -4)
        (game,) = games_under_way(tmp_path)
        assert game.plies[0] == UnderwayPly(Game("english").legal_moves[0], 0.5, 12.0, 3.25, 0)
        assert (game.plies[1].move, game.plies[1].wins_in) == (1 << 62, -4)
        assert (game.white, game.black, game.opening, game.worker) == (*NAMES, START, os.getpid())
        assert game.result == ""


def test_the_end_of_a_game_is_seen_while_the_next_one_is_played(tmp_path: Path) -> None:
    with worker_of(tmp_path) as shown:
        for number in (1, 2, 3):
            shown.begin(number, *NAMES, START)
            shown.add(number, 0.1, NAN, NAN, 0)
            shown.end("1-0", "no_moves")
        shown.begin(4, *NAMES, START)
        found = [(it.game, len(it.plies), it.result, it.termination) for it in games_under_way(tmp_path)]
        assert found == [(3, 1, "1-0", "no_moves"), (4, 0, "", "")]


def test_a_ply_that_is_half_written_is_not_seen(tmp_path: Path) -> None:
    with worker_of(tmp_path) as shown:
        shown.begin(1, *NAMES, START)
        for move in (5, 6):
            shown.add(move, 0.1, NAN, NAN, 0)
        path = next((tmp_path / FOLDER).iterdir())
        whole = path.read_bytes()
        second = whole.index((6).to_bytes(8, "little") + bytes(0), underway._SLOT)
        mark = second + underway._PLY.size - 8
        path.write_bytes(whole[:mark] + bytes(8) + whole[mark + 8 :])
        assert [len(it.plies) for it in games_under_way(tmp_path)] == [1]


def test_a_file_that_is_cut_under_a_worker_harms_neither_worker_nor_reader(tmp_path: Path) -> None:
    with worker_of(tmp_path) as shown:
        shown.begin(1, *NAMES, START)
        os.truncate(next((tmp_path / FOLDER).iterdir()), 0)
        shown.add(5, 0.1, NAN, NAN, 0)
        shown.end("1-0", "no_moves")
        assert games_under_way(tmp_path) == []
        for number in (2, 3):
            shown.begin(number, *NAMES, START)
            shown.add(6, 0.1, NAN, NAN, 0)


def test_two_readings_that_differ_show_what_both_have(tmp_path: Path) -> None:
    path = tmp_path / "one"
    shown = UnderwayFile(path)
    shown.begin(1, *NAMES, START)
    shown.add(5, 0.1, NAN, NAN, 0)
    before = path.read_bytes()
    slot = underway._slot(1)
    shown.add(6, 0.1, NAN, NAN, 0)
    found = underway._game(1, path.read_bytes(), before, slot)
    assert found is not None
    assert [ply.move for ply in found.plies] == [5]
    for number in (2, 3):
        shown.begin(number, "other", "names", START)
    assert underway._game(1, before, path.read_bytes(), slot) is None


def test_what_is_no_file_of_a_living_worker_shows_nothing(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True
    )
    with worker_of(tmp_path) as shown:
        shown.begin(1, *NAMES, START)
        path = next((tmp_path / FOLDER).iterdir())
        whole = path.read_bytes()
        for name, content in {
            "empty": b"",
            "noise": b"noise" * 30_000,
            "cut": whole[:-1],
            "dead": whole[:8] + int(ended.stdout).to_bytes(8, "little") + whole[16:],
            "far": whole[:8] + b"\xff" * 8 + whole[16:],
            "text": whole.replace(b'[1, "<b>', b'[1; "<b>'),
            "long": whole.replace(bytes(16), b"\xff" * 16),
        }.items():
            (tmp_path / FOLDER / name).write_bytes(content)
        (tmp_path / FOLDER / "folder").mkdir()
        assert [it.game for it in games_under_way(tmp_path)] == [1]


def test_more_plies_than_there_is_room_for_and_long_names_harm_nothing(tmp_path: Path) -> None:
    with worker_of(tmp_path) as shown:
        shown.begin(1, *NAMES, START)
        for move in range(underway.MAX_PLIES + 10):
            shown.add(move, 0.1, NAN, NAN, 0)
        shown.end("0-1", "time")
        shown.begin(2, "x" * 5000, "y", START)
        shown.add(1, 0.1, NAN, NAN, 0)
        assert [(it.game, len(it.plies)) for it in games_under_way(tmp_path)] == [(1, underway.MAX_PLIES)]


def test_a_session_removes_what_earlier_ones_left_and_its_own_in_the_end(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "stale").write_bytes(b"stale")
    with place(tmp_path) as at:
        assert at is not None
        assert list((tmp_path / FOLDER).iterdir()) == []
        file_of(at)
    assert not (tmp_path / FOLDER).exists()


def test_a_game_is_played_where_nothing_can_be_shown(tmp_path: Path) -> None:
    plan = _plan(tmp_path)
    task = plan.task(next(plan.schedule())[0])
    with place(tmp_path / "missing") as at:
        assert at is None
    gone = underway.UnderwayPlace(str(tmp_path / "nowhere"), 1)
    shown, unseen = (unpacked([found.moves], [found.plies])["move"] for found in (play(task, gone), play(task)))
    assert shown.tolist() == unseen.tolist()
    assert file_of(gone) is None


@pytest.mark.parametrize("workers", [1, 2])
def test_a_tournament_shows_its_games_and_its_ledger_is_the_same(tmp_path: Path, workers: int) -> None:
    plan = _plan(tmp_path)
    shown: list[Any] = []
    found = []
    for name in ("watched", "unwatched"):
        with Ledger(tmp_path / name, plan.experiment, plan.facts) as ledger:
            for _ in play_tournament(plan, ledger, workers):
                shown += games_under_way(tmp_path / name) if name == "watched" else []
            found.append([row[:2] for row in ledger.rows("SELECT game, result, plies FROM games ORDER BY game")])
        assert not (tmp_path / name / FOLDER).exists()
    assert found[0] == found[1]
    assert {it.game for it in shown} <= set(range(1, 5))
    finished = next(it for it in shown if it.result)
    game = Game("english", finished.opening)
    for ply in finished.plies:
        game.push(ply.move)
    assert len(game.moves) > 5


def test_boards_are_worked_out_ply_by_ply_and_stop_at_what_is_not_legal() -> None:
    game = Game("english")
    first = game.legal_moves[0]
    boards = LiveBoards(VARIANTS["english"], {"plain": 100.0})
    shown = underway.UnderwayGame(9, 1, 3, "unknown", "plain", START, 0.0, [], "", "")
    boards.update([shown])
    assert boards.boards[9, 0.0].document(0, 9)["moves"] == []
    plies = [UnderwayPly(first, 0.5, -150.0, NAN, 0), UnderwayPly(3, 0.1, math.inf, NAN, 0)]
    boards.update([shown._replace(plies=plies)])
    (ply,) = boards.boards[9, 0.0].document(0, 9)["moves"]
    text = game.text(first)
    game.push(first)
    assert (ply["text"], ply["note"]["value"], ply["clock"], ply["white"]) == (text, 1.5, None, False)
    assert ply["pieces"] == "".join(game.pieces.get(number, ".") for number in range(1, 33))
    boards.update([])
    assert boards.boards == {}


def test_a_game_is_not_begun_at_its_end_and_one_that_was_followed_is_shown_to_it() -> None:
    boards = LiveBoards(VARIANTS["english"], {})
    shown = underway.UnderwayGame(9, 1, 3, *NAMES, START, 0.0, [], "", "")
    boards.update([shown])
    boards.update([shown._replace(result="1-0"), shown._replace(began=2.0)])
    assert [board.shown.result for board in boards.boards.values()] == ["1-0", ""]
    boards.update([shown._replace(began=3.0, result="0-1"), shown._replace(began=4.0)])
    assert [board.key for board in boards.boards.values()] == [(9, 4.0)]


def test_a_later_session_of_the_same_process_has_boards_of_its_own() -> None:
    boards = LiveBoards(VARIANTS["english"], {})
    shown = underway.UnderwayGame(9, 1, 3, *NAMES, START, 0.0, [], "", "")
    ply = UnderwayPly(Game("english").legal_moves[0], 0.1, NAN, NAN, 0)
    boards.update([shown._replace(plies=[ply])])
    boards.update([shown._replace(began=5.0)])
    assert [board.moves for board in boards.boards.values()] == [[]]


def test_boards_that_are_read_while_they_are_brought_up_to_date_are_those_before() -> None:
    boards = LiveBoards(VARIANTS["english"], {})
    shown = underway.UnderwayGame(9, 1, 3, *NAMES, START, 0.0, [], "", "")
    boards.update([shown])
    seen = []

    def games() -> Iterator[underway.UnderwayGame]:
        for began in (0.0, 1.0):
            yield shown._replace(began=began)
            seen.append(list(boards.boards))

    boards.update(games())
    assert seen == [[(9, 0.0)], [(9, 0.0)]]
    assert list(boards.boards) == [(9, 0.0), (9, 1.0)]


def _plan(folder: Path) -> Any:
    path = folder / "run.yaml"
    path.write_text(json.dumps(DOCUMENT), encoding="utf-8")
    return prepare(load(path))
