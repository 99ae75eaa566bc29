"""Games of a person at the board, kept as a run."""

from __future__ import annotations

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import arena
from arena.base.files import lock_folder
from arena.experiment.formats.base import Pairing
from arena.experiment.formats.table import FORMATS
from arena.experiment.schema import experiment_schema
from arena.ledger.ledger import FILE, Ledger
from arena.ledger.store import StoreError
from arena.rules.custom import build_variant
from arena.rules.game import Outcome, Termination
from arena.rules.notation import parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.variants import VARIANTS, Variant
from arena.sitting.counting import (
    FROM_THE_START,
    ONLY_WITH_A_PLAYER,
    REFUSED,
    begin_counting,
    is_refused,
    leave,
    refuse,
)
from arena.sitting.pdn import pdn_text
from arena.sitting.record import Record, game_record
from arena.sitting.sides import Side, level, side_of
from arena.sitting.sitting import Sitting, SittingError
from arena.sitting.turn import Clock
from arena.watch.live import Watcher
from players.player import HUMAN, Limit, PlayerSpec
from tests.helpers.command_line import error_line, invoke
from tests.helpers.report_data import MISSING_WORD

ENGLISH = VARIANTS["english"]
SET_UP = "B:W18:B14"
"""Black takes the last piece."""
GREEDY = side_of("greedy")
TOURNAMENT = """\
name: t
variant: english
openings: {random_plies: 2, count: 1}
players:
  - {name: one, type: random}
  - {name: level 1, type: cis300, depth: 1}
"""


def sitting(opponent: Side = GREEDY, fen: str = "", *, black: bool = True, **options: Any) -> Sitting:
    """A game of a person, Black as a rule, who moves first, from the start or a FEN."""
    sides = (opponent, Side(HUMAN))
    start = parse_fen(ENGLISH, fen) if fen else None
    return Sitting(ENGLISH, sides if black else sides[::-1], start, **options)


def played(game: Sitting, plies: int = 300) -> Sitting:
    """The game after so many plies, or its end, of a person who plays the first legal move."""
    while game.outcome is None and len(game.turns) < plies:
        if game.side.is_person:
            game.play(game.game.legal_moves[0])
        else:
            request = game.request()
            game.accept(request, request.answer())
    return game


def resigned(opponent: Side = GREEDY, plies: int = 6, *, black: bool = True, **options: Any) -> Sitting:
    """A game that the person gives up after so many plies."""
    game = played(sitting(opponent, black=black, **options), plies)
    game.resign(int(black))
    return game


def won(opponent: Side = GREEDY) -> Sitting:
    """A game that the player gives up after six plies."""
    game = played(sitting(opponent), 6)
    game.resign(0)
    return game


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "me"


def record(folder: Path, *games: Sitting, person: str = "me", variant: Variant = ENGLISH) -> list[str]:
    """What a record says of each game, opened for them and closed."""
    with Record(folder, person, variant) as of_person:
        return [of_person.add(game) for game in games]


def test_a_game_is_stored_with_its_moves_as_a_run_has_them(folder: Path) -> None:
    game = resigned(level(2), plies=7, black=False)
    record(folder, game)
    run = arena.load(folder)
    (row,) = run.games.to_dict("records")
    assert (row["white"], row["black"], row["result"], row["termination"]) == (
        "me",
        "level 2",
        "0-1",
        "resignation",
    )
    assert (row["game"], row["pair"], row["opening"], row["plies"], row["error"]) == (1, 1, 1, 7, "")
    assert row["opening_fen"][:2] == "B:"
    assert run.moves["move"].tolist() == [turn.text for turn in game.turns]
    assert run.moves["seconds"].tolist() == pytest.approx([turn.seconds for turn in game.turns], abs=1e-9)
    assert run.moves["legal_moves"].iloc[0] == 7 and run.moves["pieces"].iloc[0] == 24
    searched = {name: (rows["nodes"] > 0).all() for name, rows in run.moves.groupby("player", observed=True)}
    assert searched == {"level 2": True, "me": False}
    depths = [turn.thought.choice.depth for turn in game.turns if turn.thought]
    assert run.moves["depth"][run.moves["player"] == "level 2"].tolist() == depths
    assert run.moves["score_men"][run.moves["player"] == "level 2"].notna().all()
    assert [(spec.name, spec.type, spec.limit.depth) for spec in run.experiment.players] == [
        ("me", "human", None), ("level 2", "cis300", 2),
    ]  # fmt: skip


def test_the_points_that_decided_a_game_are_recorded() -> None:
    rules, persons = VARIANTS["simplified"], (Side(HUMAN), Side(HUMAN))
    decided, resigned_ = (Sitting(rules, persons, parse_fen(rules, "W:W6,3:B26")) for _ in range(2))
    for text in ("6-2", "26-31"):
        decided.play(decided.game.move(text))
    resigned_.resign(1)
    pairing = Pairing(1, 1, 1, 0, 1, 0)
    assert [game_record(sitting, pairing).points for sitting in (decided, resigned_)] == [(4, 2), None]


def test_each_game_is_a_cluster_of_its_own(folder: Path) -> None:
    record(folder, won(), resigned(), resigned(plies=8))
    games = arena.load(folder).games
    assert games["pair"].tolist() == games["round"].tolist() == [1, 2, 3]


def test_elo_is_told_once_results_differ(folder: Path) -> None:
    said = record(folder, resigned(), resigned(plies=8), won(), won(level(1)))
    assert said[0] == f"game 1 counts: me has 0 of 1, which says too little for an Elo; kept in {folder}"
    assert said[1] == f"game 2 counts: me has 0 of 2, which says too little for an Elo; kept in {folder}"
    assert re.fullmatch(rf"game 3 counts: me −\d+ ± \d+ Elo \(greedy = 0\); kept in {folder}", said[2])
    assert re.fullmatch(rf"game 4 counts: me [+−]?\d+ ± \d+ Elo \(greedy = 0\); kept in {folder}", said[3])
    run = arena.load(folder)
    assert run.experiment.anchor == "greedy"
    assert run.standings.set_index("player").loc["me", "games"] == 4


def test_a_run_goes_on_in_another_session(folder: Path) -> None:
    record(folder, resigned())
    record(folder, resigned(level(3)), won())
    run = arena.load(folder)
    assert run.games["game"].tolist() == [1, 2, 3]
    assert [spec.name for spec in run.experiment.players] == ["me", "greedy", "level 3"]
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [session["games"] for session in manifest["sessions"]] == [0, 1]
    assert manifest["configuration"]["players"] == run.experiment.as_dict()["players"]
    assert manifest["men"]["level 3"] == pytest.approx(5.0, rel=0.5)


def test_several_persons_share_a_run(folder: Path) -> None:
    record(folder, won())
    said = record(folder, resigned(), won(), person="Zoë")
    assert said[1].startswith("game 3 counts: Zoë ")
    assert arena.load(folder).outcomes.query("player == 'Zoë'")["games"].sum() == 2


def test_players_of_one_name_that_are_set_otherwise_are_two(folder: Path) -> None:
    shallow, deep = side_of({"depth": 1}), side_of({"depth": 2})
    assert shallow.name == deep.name == "negamax"
    record(folder, won(shallow), won(deep))
    record(folder, won(deep))
    assert arena.load(folder).games["white"].tolist() == ["negamax", "negamax 2", "negamax 2"]


def test_a_clock_is_among_the_limits_of_a_player_whose_time_is_limited(folder: Path) -> None:
    timed, clock = side_of({"seconds": 0.01, "name": "timed"}), Clock(60.0, 1.0)
    record(folder, resigned(timed, plies=2, clock=clock), resigned(level(1), plies=4, clock=clock))
    run = arena.load(folder)
    assert [spec.limit for spec in run.experiment.players[1:]] == [Limit(None, None, 0.01, 60.0, 1.0), Limit(1)]
    shown = run.moves["clock"].tolist()
    assert shown[0] == pytest.approx(61.0 - run.moves["seconds"][0], abs=1e-6)
    assert run.moves["overrun"].tolist()[3] == 0.0


# --- the rules of a game that counts


def test_a_game_counts_between_one_person_and_one_player_from_the_start_alone() -> None:
    person = Side(HUMAN)
    filed = Sitting.of(read_pdn(pdn_text(resigned())).games[0], (GREEDY, person))
    refusals = {
        ONLY_WITH_A_PLAYER: [Sitting(ENGLISH, (person, person)), Sitting(ENGLISH, (GREEDY, GREEDY))],
        FROM_THE_START: [sitting(fen=SET_UP), filed],
    }
    for words, games in refusals.items():
        for game in games:
            with pytest.raises(SittingError, match=words):
                begin_counting(game)
            assert not game.counts
    for black in (True, False):
        game = sitting(black=black)
        begin_counting(game)
        assert game.counts


@pytest.mark.parametrize("counts", [True, False])
@pytest.mark.parametrize("plies", [0, 2])
def test_a_game_that_counts_has_no_help_and_its_players_stay_once_it_is_begun(plies: int, counts: bool) -> None:
    game = played(sitting(), plies)
    game.counts = counts
    expected = {what: counts and (what != "seat" or plies > 0) for what in REFUSED}
    assert {what: is_refused(game, what) for what in REFUSED} == expected
    for what, words in REFUSED.items():
        with (
            pytest.raises(SittingError, match=f"^this game counts: {words}$") if expected[what] else nullcontext()
        ):
            refuse(game, what)


@pytest.mark.parametrize("black", [True, False])
def test_to_leave_a_game_that_counts_and_is_begun_is_to_resign_it(black: bool) -> None:
    begun, unbegun, free = (played(sitting(black=black), plies) for plies in (3, 0, 3))
    begun.counts = unbegun.counts = True
    assert [leave(game) for game in (begun, unbegun, free, begun)] == [True, False, False, False]
    assert begun.outcome == Outcome(1 - int(black), Termination.RESIGNATION)
    assert unbegun.outcome is free.outcome is None


def test_a_game_whose_clock_runs_out_as_it_is_left_is_lost_on_time() -> None:
    game = played(sitting(black=False, clock=Clock(0.05)), 1)
    game.counts = True
    time.sleep(0.06)
    assert leave(game) and game.outcome == Outcome(1, Termination.TIME)


def test_a_game_in_which_the_person_was_helped_or_that_was_set_up_does_not_count(folder: Path) -> None:
    undone = played(sitting(), 4)
    undone.undo()
    seated = played(sitting(), 4)
    seated.seat((level(1), Side(HUMAN)))
    hinted = played(sitting(), 4)
    hinted.helped = "a hint was asked for"
    (of_file,) = read_pdn(pdn_text(resigned())).games
    filed = Sitting.of(of_file, (GREEDY, Side(HUMAN)))
    for game in (undone, seated, hinted, filed):
        game.resign(1)
    placed = played(sitting(fen=SET_UP))
    assert record(folder, undone, seated, hinted, filed, placed) == [
        "the game does not count: moves were taken back",
        "the game does not count: the sides were changed",
        "the game does not count: a hint was asked for",
        "the game does not count: it began with the moves of a file",
        "the game does not count: a game counts only from its start position",
    ]
    assert not len(arena.load(folder).games)


def test_a_search_that_was_cut_short_is_help(folder: Path) -> None:
    game = played(sitting(side_of({"type": "negamax", "seconds": 30.0})), 1)
    request = game.request()
    answers: list[Any] = []
    thread = threading.Thread(target=lambda: answers.append(request.answer()))
    thread.start()
    game.stop()
    thread.join(20.0)
    assert not thread.is_alive() and game.accept(request, answers[0])
    game.resign(1)
    assert record(folder, game) == ["the game does not count: a search was cut short"]


def test_stopping_nothing_is_no_help() -> None:
    game = played(sitting(), 2)
    game.stop()
    game.resign(1)
    game.close()
    assert game.helped == ""


def test_only_finished_games_of_one_person_against_a_player_count(folder: Path) -> None:
    persons = Sitting(ENGLISH, (Side(HUMAN), Side(HUMAN)))
    persons.resign(0)
    players = played(Sitting(ENGLISH, (GREEDY, level(1)), parse_fen(ENGLISH, SET_UP)))
    other = Sitting(VARIANTS["russian"], (Side(HUMAN), GREEDY))
    other.resign(0)
    unplayed = sitting()
    unplayed.resign(unplayed.game.turn)
    twice = won()
    assert record(folder, played(sitting(), 2), persons, players, other, unplayed, twice, twice) == [
        "the game does not count: it is not over",
        "the game does not count: a game counts only between one person and one player",
        "the game does not count: a game counts only between one person and one player",
        f"the game does not count: {folder} is of english",
        "the game does not count: no move was played",
        f"game 1 counts: me has 1 of 1, which says too little for an Elo; kept in {folder}",
        f"game 1 counts: me has 1 of 1, which says too little for an Elo; kept in {folder}",
    ]


def test_a_game_that_could_not_be_stored_is_stored_with_its_player_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = won()
    with Record(folder, "me", ENGLISH) as of_person:
        with monkeypatch.context() as full:
            full.setattr(Ledger, "describe", _full_disk)
            with pytest.raises(StoreError, match="full"):
                of_person.add(game)
        assert of_person.add(game).startswith("game 1 counts: ")
    assert [spec.name for spec in arena.load(folder).experiment.players] == ["me", "greedy"]


def _full_disk(*_: Any) -> None:
    raise StoreError("the disk is full")


def test_a_player_that_fails_loses_and_the_run_says_why(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "class Own:\n    def __init__(self, variant): pass\n"
        "    def choose(self, game, limit, rng): raise OSError('tired')\n"
    )
    game = played(sitting(side_of(f"{tmp_path}/own.py:Own")), 1)
    request = game.request()
    with pytest.raises(OSError, match="tired") as raised:
        request.answer()
    game.fail(request, raised.value)
    game.close()
    record(folder, game)
    (row,) = arena.load(folder).games.to_dict("records")
    assert (row["result"], row["termination"]) == ("0-1", Termination.ERROR)
    assert row["error"].endswith("raised OSError: tired at ply 2")
    (tmp_path / "own.py").write_text("# another one\n" + (tmp_path / "own.py").read_text())
    assert re.match("the game does not count: .*own.py has changed since ", record(folder, game)[0])


def test_names_that_a_person_cannot_have_are_refused(folder: Path) -> None:
    record(folder, won())
    for name in ("greedy", "level 4", "", " me", "x" * 41, "a\nb"):
        with pytest.raises(ValueError, match=r".") as refused:
            Record(folder, name, ENGLISH)
        assert len(str(refused.value).splitlines()) == 1
    record(folder, won())


def test_a_folder_of_something_else_is_refused_in_one_line(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TOURNAMENT)
    tournament = tmp_path / "t"
    assert invoke("run", tmp_path / "t.yaml", "--out", tournament, "--workers", 1, "--no-report").exit_code == 0
    with pytest.raises(
        StoreError, match=r"holds a tournament, and no games at the board: they need another folder$"
    ):
        Record(tournament, "me", ENGLISH)
    record(folder, won())
    with pytest.raises(StoreError, match=r"holds games of english, not of russian$"):
        Record(folder, "me", VARIANTS["russian"])
    with pytest.raises(StoreError, match=r"holds games of english, not of english-6x6$"):
        Record(folder, "me", build_variant("english-6x6"))
    with pytest.raises(ValueError, match=r"^english-6x6\* is no"):
        Record(folder, "me", build_variant({"base": "english", "rows": 6, "men": 3}))
    refused = invoke("run", tmp_path / "t.yaml", "--out", folder)
    assert refused.exit_code == 2 and "holds another experiment" in error_line(refused.stderr)
    assert len(arena.load(folder).games) == 1


def test_a_second_record_of_a_folder_is_refused_and_nothing_is_lost(folder: Path) -> None:
    with Record(folder, "me", ENGLISH) as first:
        with pytest.raises(StoreError, match=r"is in use by another arena$"):
            Record(folder, "you", ENGLISH)
        first.add(won())
    record(folder, won())
    assert len(arena.load(folder).games) == 2


def test_one_thread_after_another_may_use_a_record(folder: Path) -> None:
    said: list[Any] = []
    opened: list[Record] = []
    steps = [
        lambda: opened.append(Record(folder, "me", ENGLISH)),
        lambda: said.append(opened[0].add(won())),
        lambda: said.append(opened[0].add(resigned())),
        lambda: opened[0].close(),
    ]
    for step in steps:
        thread = threading.Thread(target=step)
        thread.start()
        thread.join()
    assert [line.partition(":")[0] for line in said] == ["game 1 counts", "game 2 counts"]
    record(folder, won())


def test_any_thread_may_release_a_folders_lock(tmp_path: Path) -> None:
    locks: list[Any] = []
    thread = threading.Thread(target=lambda: locks.append(lock_folder(tmp_path)))
    thread.start()
    thread.join()
    locks[0].release()
    lock_folder(tmp_path).release()


KILLED = """
import os, signal, sys
from pathlib import Path
from arena.sitting.record import Record, game_record
from tests.test_record import ENGLISH, resigned, sitting, played, won

of_person = Record(Path(sys.argv[1]), "me", ENGLISH)
of_person.add(won())
of_person.add(resigned())
played(sitting(), 5)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
def test_a_kill_loses_the_game_under_way_alone(folder: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder)], timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    assert record(folder, won())[0].startswith("game 3 counts: me ")


def test_damaged_games_are_lost_and_the_others_kept(folder: Path) -> None:
    record(folder, won(), resigned(), won())
    with sqlite3.connect(folder / FILE) as connection:
        connection.execute("UPDATE games SET result = '1/2-1/2' WHERE game = 2")
    connection.close()
    for command in (("report", folder), ("show", folder, "--game", 2)):
        refused = error_line(invoke(*command).stderr)
        assert refused == f"{folder / FILE} is damaged (games 2); arena play --record keeps the other games"
    with Record(folder, "me", ENGLISH) as of_person:
        assert "2 games, 0 probes are intact, what is missing is lost" in of_person.repaired
        assert of_person.add(resigned()).startswith("game 4 counts")
    assert arena.load(folder).games["game"].tolist() == [1, 3, 4]


def test_a_run_that_cannot_be_read_is_refused_in_one_line(folder: Path) -> None:
    record(folder, won())
    (folder / FILE).write_bytes(b"no database")
    for suffix in ("-wal", "-shm"):
        (folder / f"{FILE}{suffix}").unlink(missing_ok=True)
    with pytest.raises(StoreError) as refused:
        Record(folder, "me", ENGLISH)
    assert len(str(refused.value).splitlines()) == 1


def test_a_configuration_can_have_neither_persons_nor_their_format(tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TOURNAMENT.replace("type: random", "type: human"))
    assert error_line(invoke("run", tmp_path / "t.yaml").stderr).endswith(
        "t.yaml:5:17: a human plays at the board (arena play), not in a tournament"
    )
    (tmp_path / "t.yaml").write_text(TOURNAMENT + "format: free\n")
    assert error_line(invoke("run", tmp_path / "t.yaml").stderr).endswith(
        "the format 'free' is of games at the board (arena play --record), not of a tournament"
    )
    assert "free" not in FORMATS
    assert "'free'" not in str(experiment_schema()["properties"]["format"])


@pytest.fixture(scope="module")
def twelve(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of twelve games of a person against levels 1 to 4."""
    folder = tmp_path_factory.mktemp("runs") / "me"
    games = []
    for number in range(12):
        opponent = level(1 + number % 4)
        if number in (2, 7, 8):
            games.append(resigned(opponent, plies=5 + number, black=number % 2 == 0))
        elif number in (3, 5):
            games.append(won(opponent))
        else:
            games.append(played(sitting(opponent, black=number < 6, seed=number)))
    lines = record(folder, *games)
    assert all(" counts: " in line for line in lines)
    return folder


@pytest.mark.usefixtures("no_pictures")
def test_the_report_is_of_the_person_and_shows_no_missing_value(twelve: Path) -> None:
    written = invoke("report", twelve)
    assert written.exit_code == 0, written.output
    assert re.search(
        r"^me scored [\d.]+ of 12 games \([\d.]+ %\): [+−]?\d+ ± \d+ Elo, level 1 = 0\.$", written.output, re.M
    )
    summary = (twelve / "summary.md").read_text()
    assert not MISSING_WORD.search(summary)
    assert "doubling" not in summary and "planned" not in summary and "complete" not in summary
    assert summary.split("\n\n")[1].startswith("- me scored ")
    assert not (twelve / "elo_by_depth.svg").exists() and not (twelve / "time_to_depth.svg").exists()
    assert (twelve / "crosstable.svg").exists()
    page = (twelve / "report.html").read_text()
    assert "resignation" in (twelve / "games.pdn").read_text() and "me scored" in page


def test_a_run_of_a_person_promises_no_end(twelve: Path) -> None:
    moment = Watcher(twelve).read()
    assert (moment.planned, moment.exact, moment.complete, moment.seconds_left) == (0, True, False, None)
    shown = invoke("status", twelve).output.splitlines()
    assert shown[0] == "me: free, english"
    assert shown[1].startswith("12 games, leader ") and shown[2].startswith("no process is playing it")
    with Record(twelve, "me", ENGLISH):
        shown = invoke("status", twelve).output.splitlines()
    assert shown[1].startswith("12 games, leader ") and " left" not in shown[1] and "games/s" not in shown[1]
    assert shown[2].startswith("being played by process")
    assert repr(arena.load(twelve)).startswith("<Run me: english, 5 players, 12 games, in ")


def test_no_end_is_told_while_a_person_plays(folder: Path) -> None:
    with Record(folder, "me", ENGLISH) as of_person:
        of_person.add(won())
        moment = Watcher(folder).read()
        assert moment.playing and moment.rate and moment.seconds_left is None


def test_a_list_of_runs_has_it_as_one_at_the_board(twelve: Path) -> None:
    shown = invoke("reports", twelve.parent).output
    assert "1 run: 1 at the board." in shown and "12 games" in shown


def test_a_persons_game_is_shown_and_not_played_again(twelve: Path) -> None:
    refused = invoke("replay", twelve, 3)
    assert refused.exit_code == 2
    assert error_line(refused.stderr) == (
        f"game 3 of {twelve} cannot be replayed: me is a person; arena show {twelve} --game 3 shows it"
    )
    shown = invoke("show", twelve, "--game", 3).output
    assert "level 3 (white) against me (black), 1-0 by resignation" in shown
    row = next(line for line in shown.splitlines() if re.match(r"7 +me", line))
    assert len(row.split()) == 4


def test_several_runs_are_rated_together_by_the_names_of_levels(twelve: Path, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(
        TOURNAMENT.replace("{name: one, type: random}", "{name: level 4, type: cis300, depth: 4}")
    )
    levels = tmp_path / "levels"
    invoke("run", tmp_path / "t.yaml", "--out", levels, "--workers", 1, "--no-report")
    found = json.loads(invoke("rate", levels, twelve, "--anchor", "level 1", "--json").stdout)
    games = {row["player"]: row["games"] for row in found["players"]}
    assert games == {"me": 12, "level 1": 5, "level 2": 3, "level 3": 3, "level 4": 5}


def test_the_levels_of_the_configuration_are_those_at_the_board() -> None:
    from arena.experiment.load import load

    configured = load(Path(__file__).parents[1] / "configs" / "levels.yaml")
    assert list(configured.players) == [level(number).spec for number in range(1, 13)]
    assert configured.anchor == "level 1"


def test_an_empty_run_can_be_reported(folder: Path) -> None:
    record(folder)
    assert invoke("status", folder).output.splitlines()[1] == "0 games"
    assert isinstance(arena.load(folder).experiment.players[0], PlayerSpec)
