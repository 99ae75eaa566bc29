"""Players and rules in several threads of one process at the same time."""

import random
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from arena.hosting.player_process import begin_game
from arena.rules.game import Game
from arena.rules.movegen import after_move, legal_moves
from arena.rules.variants import VARIANTS
from players.player import Allowance, Choice, Limit, PlayerSpec
from players.table import build_player

pytestmark = pytest.mark.compiled
SECONDS = 0.3


def at_once(*works: Callable[[], None]) -> None:
    """Do each again and again in a thread of its own, for SECONDS; a failure is raised."""
    end = time.monotonic() + SECONDS

    def repeat(work: Callable[[], None]) -> None:
        while time.monotonic() < end:
            work()

    with ThreadPoolExecutor(len(works)) as threads:
        list(threads.map(repeat, works))


def after(*texts: str) -> Game:
    game = Game("english")
    for text in texts:
        game.push(text)
    return game


GAMES = after(), after("11-15", "22-18", "15x22", "25x18")


def test_moves_generated_in_two_threads_are_their_positions_own():
    def checked(game: Game) -> Callable[[], None]:
        rules, position, legal = game.variant.rules, game.position, game.legal_moves
        following = after_move(rules, position, legal[0])

        def check() -> None:
            for _ in range(100):
                assert legal_moves(rules, position) == legal
                assert after_move(rules, position, legal[0]) == following

        return check

    at_once(*map(checked, GAMES))


def test_networks_in_two_threads_find_what_one_alone_does():
    spec = PlayerSpec("net", "negamax", Limit(depth=4), {"preset": "full", "evaluation": "neural"})

    def found(game: Game) -> Choice:
        return build_player(spec, VARIANTS["english"]).choose(game, spec.limit, random.Random(0))

    def checked(game: Game) -> Callable[[], None]:
        alone = found(game)

        def check() -> None:
            assert found(game) == alone

        return check

    at_once(*map(checked, GAMES))


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
