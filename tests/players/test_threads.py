"""Players and rules in several threads of one process at the same time."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from arena.hosting.player_process import begin_game
from arena.rules.game import Game
from arena.rules.movegen import after_move, legal_moves
from arena.rules.variants import VARIANTS
from players.player import Allowance, Limit, PlayerSpec
from players.table import build_player

pytestmark = pytest.mark.compiled
SECONDS = 0.3


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
        rules, position, legal = game.variant.rules, game.position, game.legal_moves
        after = after_move(rules, position, legal[0])

        def check() -> None:
            for _ in range(100):
                assert legal_moves(rules, position) == legal
                assert after_move(rules, position, legal[0]) == after

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


def test_no_two_threads_hold_the_same_player():
    held: list[object] = []

    def take() -> None:
        english = VARIANTS["english"]
        held.append(begin_game(PlayerSpec("random", "random"), english, english.start, "0", Allowance()))

    for _ in range(2):
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
    assert held[0] is not held[1]
