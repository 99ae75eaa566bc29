"""Players and rules used by several threads of one process at the same time, and searches by several threads."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import arena
from arena.experiment.openings.sources import random_openings
from arena.hosting.analysis import Analysis
from arena.hosting.held import HeldPlayer
from arena.ledger.grades import GradedGame
from arena.ledger.ledger import Ledger
from arena.play.executor import Workers, usual_workers
from arena.play.grading import Grading, grade
from arena.play.match import play
from arena.play.processes import NUMBER, pin
from arena.rules.game import Game
from arena.rules.movegen import after_move, legal_moves
from arena.rules.variants import VARIANTS
from players.loading import PlayerError
from players.negamax.player import Negamax
from players.player import Allowance, Limit, PlayerSpec
from players.table import build_player
from tests.helpers.asking import task_of
from tests.helpers.command_line import invoke, one_line

pytestmark = pytest.mark.compiled
SECONDS = 0.7


def at_once(*works: Callable[[], None]) -> None:
    """Do each again and again in a thread of its own, for SECONDS; the first failure is raised."""
    failures: list[BaseException] = []
    end = time.monotonic() + SECONDS

    def repeat(work: Callable[[], None]) -> None:
        try:
            while time.monotonic() < end and not failures:
                work()
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_moves_generated_in_two_threads_are_those_of_their_positions():
    def checked(texts: tuple[str, ...]) -> Callable[[], None]:
        game = Game("english")
        for text in texts:
            game.push(text)
        rules, position, legal, first = (
            game.variant.constants,
            game.position,
            game.legal_moves,
            game.legal_moves[0],
        )
        after = after_move(rules, position, first)

        def check() -> None:
            for _ in range(100):
                assert legal_moves(rules, position) == legal
                assert after_move(rules, position, first) == after

        return check

    at_once(checked(()), checked(("11-15", "22-18", "15x22", "25x18")))


def test_networks_in_two_threads_find_what_one_alone_does():
    spec = PlayerSpec("net", "negamax", Limit(depth=4), {"preset": "full", "evaluation": "neural"})

    def found(texts: tuple[str, ...]) -> tuple[Any, ...]:
        game = Game("english")
        for text in texts:
            game.push(text)
        choice = build_player(spec, VARIANTS["english"]).choose(game, spec.limit, random.Random(0))
        return choice.move, choice.score, choice.nodes

    lines = [(), ("11-15", "22-18", "15x22", "25x18")]
    alone = [found(line) for line in lines]

    def again(place: int) -> None:
        assert found(lines[place]) == alone[place]

    at_once(lambda: again(0), lambda: again(1))
    assert [found(line) for line in lines] == alone


ENGLISH = VARIANTS["english"]
LONG = 60.0
"""Seconds that no search here takes."""
PATIENT = Allowance(time_margin=LONG)
"""For tests on a busy machine, where a move under a time limit may be late."""


def two(threads: int = 2, **options: Any) -> Negamax:
    return Negamax(ENGLISH, "simple", "full", threads=threads, **{"tt": 1, **options})


SHORT = Limit(seconds=0.003)


def entry(limit: Limit = SHORT, **options: Any) -> PlayerSpec:
    return PlayerSpec("two", "negamax", limit, {"preset": "full", "threads": 2, "tt": 1, **options})


def states_of(player: Negamax) -> list[Any]:
    assert player._helpers is not None
    return [workspace.states for workspace in (player._workspace, *player._helpers._workspaces)]


@pytest.mark.parametrize("variant", ["english", "international", "frisian"])
def test_every_move_of_a_game_by_several_threads_is_legal(variant: str):
    spec = entry(threads=3)
    record = play(task_of(VARIANTS[variant], spec, spec, max_plies=60, allowance=PATIENT))
    assert not record.error and len(record.table()) > 30
    assert record.table()["nodes"].max() > 1000


@pytest.mark.full
def test_no_move_of_a_hundred_games_by_two_threads_is_wrong():
    for number, opening in enumerate(random_openings(ENGLISH, 4, 100, seed=1, balanced=False)):
        spec = entry(Limit(seconds=0.002), evaluation="neural")
        record = play(task_of(ENGLISH, spec, spec, opening=opening.position, seed=number, allowance=PATIENT))
        assert record.error == ""


def test_all_threads_together_keep_to_a_limit_of_nodes():
    for nodes in (1, 7, 5000):
        choice = two(3).choose(Game(ENGLISH), Limit(nodes=nodes, seconds=LONG), random.Random(0))
        assert nodes // 3 <= choice.nodes <= nodes


def test_the_answer_is_of_the_thread_that_completed_most_plies_and_counts_the_work_of_all():
    player = two(3)
    player.choose(Game(ENGLISH), Limit(depth=2, seconds=LONG), random.Random(0))
    states = states_of(player)
    assert player._helpers is not None
    player._helpers._taking = [0, 1]
    for state, row in zip(states, [(7, 100, 9, 11), (8, 20, 12, 22), (8, 3, 10, 33)], strict=True):
        state["found"] = 1
        state["completed"], state["nodes"], state["deepest"], state["line"][0, 0] = row
        state["line_length"] = 1

    def found() -> tuple[int, ...]:
        choice = player.progress()
        assert choice is not None
        return choice.move, choice.depth, choice.nodes, choice.deepest

    assert found() == (22, 8, 123, 12)
    states[0]["completed"] = 8
    assert found() == (11, 8, 123, 12)
    states[0]["found"] = states[1]["found"] = 0
    assert found() == (33, 8, 123, 12)


def test_helpers_share_the_table_with_its_generation_and_every_other_one_begins_deeper():
    player = two(4)
    main, *others = states_of(player)
    main["generation"], main["oldest"] = 50, 40
    player.choose(Game(ENGLISH), Limit(depth=4, seconds=LONG), random.Random(0))
    assert {int(state["generation"][0]) for state in others} <= {50, 51}, "50 where it had no time to begin"
    assert {(int(state["table"][0]), int(state["oldest"][0])) for state in others} == {(int(main["table"][0]), 40)}
    assert [int(state["skipped"][0]) for state in (main, *others)] == [0, 1, 0, 1]


class Acted:
    """A search in place of the compiled one, that does `mine` in the caller's thread and `theirs` in a helper."""

    def __init__(self, player: Negamax, mine: Callable[[Any], None], theirs: Callable[[Any], None]) -> None:
        assert player._helpers is not None
        self.main, self.mine, self.theirs = player._workspace.states, mine, theirs
        player._helpers._search = self

    def __call__(self, rules: Any, states: Any, *_: Any) -> float:
        own = states is self.main
        (self.mine if own else self.theirs)(states[0])
        return 1.5 if own else 2.5

    @staticmethod
    def until_stopped(state: Any) -> None:
        state["node_limit"], end = 1, time.monotonic() + LONG
        while state["node_limit"] and time.monotonic() < end:
            time.sleep(0.001)
        assert not state["node_limit"]


def test_the_answer_of_a_helper_has_its_value():
    player, done = two(), threading.Event()

    def theirs(state: Any) -> None:
        state["found"], state["completed"], state["line"][0], state["line_length"] = 1, 3, 77, 1
        done.set()

    Acted(player, lambda _: assert_soon(done.is_set), theirs)
    choice = player.choose(Game(ENGLISH), Limit(seconds=LONG), random.Random(0))
    assert (choice.move, choice.score, choice.depth) == (77, 2.5, 3)


def test_a_helper_that_begins_as_it_is_stopped_is_stopped_again(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("players.negamax.parallel._PRESSES", 1 << 30)
    player, begun = two(), threading.Event()

    def theirs(state: Any) -> None:
        state["node_limit"] = 1
        begun.set()
        while state["node_limit"]:
            time.sleep(0.001)
        Acted.until_stopped(state)

    def mine(state: Any) -> None:
        assert_soon(begun.is_set)
        state["stopped"] = 1

    Acted(player, mine, theirs)
    player.choose(Game(ENGLISH), Limit(seconds=LONG), random.Random(0))
    assert player._helpers is not None
    assert player._helpers._searching[0].result(LONG) == 2.5


def test_a_helper_that_fails_is_the_players_failure_and_none_waits_for_it():
    def theirs(_: Any) -> None:
        raise ZeroDivisionError("of a helper")

    player = two()
    Acted(player, lambda _: time.sleep(0.05), theirs)
    with pytest.raises(ZeroDivisionError, match="of a helper"):
        player.choose(Game(ENGLISH), Limit(seconds=LONG), random.Random(0))


def test_a_helper_that_finds_no_core_is_not_waited_for():
    player, free = two(), threading.Event()
    assert player._helpers is not None
    player._helpers._threads.submit(free.wait)
    choice = player.choose(Game(ENGLISH), Limit(nodes=2000, seconds=LONG), random.Random(0))
    free.set()
    assert choice.nodes == 1000 and choice.depth > 1


def test_a_helper_that_does_not_end_makes_nobody_late_and_is_left_out_until_it_has():
    player, free = two(), threading.Event()
    calls: list[int] = []
    wanted = 1

    def theirs(_: Any) -> None:
        calls.append(threading.get_ident())
        free.wait(10)

    def mine(state: Any) -> None:
        assert_soon(lambda: len(calls) >= wanted)
        state["stopped"] = 1

    Acted(player, mine, theirs)
    for _ in range(3):
        player.choose(Game(ENGLISH), Limit(seconds=LONG), random.Random(0))
    assert player._helpers is not None and not player._helpers._searching[0].done()
    free.set()
    assert_soon(player._helpers._searching[0].done)
    wanted = 2
    player.choose(Game(ENGLISH), Limit(seconds=LONG), random.Random(0))
    assert len(calls) == 2


def test_a_stop_from_another_thread_ends_all_threads():
    player, found = two(3), []
    search = lambda: found.append(player.choose(Game(ENGLISH), Limit(seconds=LONG), random.Random(0)))  # noqa: E731
    thread = threading.Thread(target=search)
    thread.start()
    assert_soon(lambda: player.progress() is not None)
    while thread.is_alive():
        player.stop()
        thread.join(0.01)
    [choice] = found
    assert choice.move in Game(ENGLISH).legal_moves and choice.depth > 0


def test_no_thread_outlives_its_player():
    before = threading.active_count()
    for _ in range(5):
        players = [two(3) for _ in range(2)]
        for player in players:
            player.choose(Game(ENGLISH), Limit(seconds=0.002), random.Random(0))
        del players, player
    assert_soon(lambda: threading.active_count() <= before)


def assert_soon(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + LONG
    while not holds() and time.monotonic() < end:
        time.sleep(0.001)
    assert holds()


@pytest.mark.parametrize(
    ("limit", "options"),
    [
        (Limit(depth=4), {}),
        (Limit(nodes=1000), {}),
        (Limit(seconds=1), {"tt": 0}),
        (Limit(seconds=1), {"threads": 0}),
        (Limit(seconds=1), {"threads": 65}),
        (Limit(seconds=1), {"threads": "two"}),
    ],
)
def test_several_threads_are_refused_where_games_repeat_or_without_a_table(limit, options):
    with pytest.raises(PlayerError, match=r".") as caught:
        build_player(entry(limit, **options), ENGLISH)
    one_line(caught.value)
    assert caught.value.keys == (("threads",) if options else ())


def test_an_analysis_uses_one_thread():
    [*_, last] = Analysis(entry(Limit(depth=3)), Game(ENGLISH)).findings()
    assert last.lines[0].depth == 3


def test_a_user_of_many_cores_plays_fewer_games_at_once(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 8)
    counts = [usual_workers(players) for players in ([], [entry(threads=1)], [entry(), entry(threads=1)])]
    assert counts == [8, 8, 4]
    assert usual_workers([entry(threads=5)]) == usual_workers([entry(threads=16)]) == 1


def test_a_worker_is_kept_to_as_many_cores_as_its_games_use(monkeypatch: pytest.MonkeyPatch):
    kept: list[set[int]] = []
    monkeypatch.setattr("arena.play.processes._cores", lambda: list(range(10, 18)))
    monkeypatch.setattr(os, "sched_setaffinity", lambda _, cores: kept.append(cores), raising=False)
    for number, count in (("0", 1), ("3", 1), ("0", 2), ("3", 2), ("4", 2)):
        monkeypatch.setenv(NUMBER, number)
        pin(count)
    assert kept == [{10}, {13}, {10, 11}, {16, 17}, {10, 11}]


def test_processor_time_is_that_of_all_threads():
    transports: list[Any] = [HeldPlayer(entry(threads=threads), ENGLISH)._transport for threads in (1, 2)]
    clocks = [transport._clock for transport in transports]
    assert clocks == [time.thread_time, time.process_time]


CONFIG = """\
name: two
variant: english
format: round-robin
max_plies: 20
pin: true
openings: {random_plies: 2, count: 2}
players:
  - {name: one, type: negamax, preset: full, tt: 1, seconds: 0.002}
  - {name: two, type: negamax, preset: full, tt: 1, seconds: 0.002, threads: 2}
"""


@pytest.mark.full
def test_a_run_of_two_threads_is_diagnosed_planned_for_half_the_cores_played_and_reported(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    pinned: list[int] = []
    monkeypatch.setattr("arena.play.tournament.pin", pinned.append)
    config = tmp_path / "two.yaml"
    config.write_text(CONFIG)
    assert invoke("doctor", config).exit_code == 0
    planned = invoke("plan", config, "--pilot", "2", "--json")
    assert json.loads(planned.stdout)["workers"] == 1
    played = invoke("run", config, "--out", tmp_path / "run", "--no-report")
    assert played.exit_code == 0 and pinned == [2] * 6
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["session"]["workers"] == 1


def test_all_cores_grade_what_players_of_two_threads_have_played(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    used: list[Workers] = []

    def graded(grading: Grading, ledger: Ledger, workers: Workers, *stopping: Any) -> Iterator[GradedGame]:
        used.append(workers)
        return grade(grading, ledger, 1, *stopping)

    for place in ("arena.commands.grade.grade", "arena.play.runner.grade"):
        monkeypatch.setattr(place, graded)
    config = tmp_path / "two.yaml"
    config.write_text(f"{CONFIG}oracle: {{pieces: 2}}\n")
    assert invoke("run", config, "--out", tmp_path / "run", "--no-report").exit_code == 0
    arena.run(config, tmp_path / "again", quiet=True)
    assert invoke("run", config, "--out", tmp_path / "one", "--no-report", "--workers", 1).exit_code == 0
    assert used == [2, 2, 1]


@pytest.mark.parametrize(
    "change",
    [("seconds: 0.002, threads", "nodes: 1000, threads"), ("max_plies: 20", "probe: {depth: 3}")],
)
def test_a_configuration_that_needs_what_repeats_is_refused_at_the_players_line(tmp_path, change):
    config = tmp_path / "two.yaml"
    config.write_text(CONFIG.replace(*change))
    result = invoke("run", config, "--out", tmp_path / "run")
    assert result.exit_code == 2 and result.stderr.count("\n") == 1
    one_line(result.stderr)
