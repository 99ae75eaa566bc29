"""The PettingZoo environment, and the encoding of games and moves for networks."""

import random
import warnings
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test

from arena import Encoding, Game
from arena.board import environment as environment_module
from arena.board.environment import DraughtsEnv, env
from arena.rules.position import BLACK, COLOURS, WHITE
from tests.helpers.command_line import one_line


def drawn(game: Game, seed: int = 0) -> Game:
    """The game, played on at random to its end, to be taken back move by move."""
    rng = random.Random(seed)
    while game.outcome is None and len(game.moves) < 120:
        game.push(rng.choice(game.legal_moves))
    return game


def play(environment: DraughtsEnv, seed: int) -> dict[str, float]:
    """The sum of each agent's rewards in a game of random legal actions."""
    rng, totals = random.Random(seed), dict.fromkeys(environment.possible_agents, 0.0)
    environment.reset(seed=seed)
    for agent in environment.agent_iter():
        observation, reward, terminated, truncated, _ = environment.last()
        totals[agent] += reward
        ended = terminated or truncated
        legal = np.flatnonzero(observation["action_mask"]).tolist()
        assert not legal if terminated else truncated or legal
        environment.step(None if ended else rng.choice(legal))
    return totals


# --- encoding


def test_every_legal_move_has_one_action_and_is_found_by_it(variant):
    encoding = Encoding(variant)
    game = drawn(Game(variant))
    while game.moves:
        game.pop()
        moves = encoding.moves(game)
        assert sorted(moves.values()) == sorted(game.legal_moves)
        assert set(moves) <= set(range(encoding.actions))


def test_captures_between_the_same_squares_have_actions_of_their_own_whatever_their_order():
    game, encoding = Game("pool", "W:W18,20,21,30:B6,7,8,12,13,14,15,23"), Encoding("pool")
    by_action = {action: game.text(move) for action, move in encoding.moves(game).items()}
    ends, more = 32 * 17, 32 * 32
    assert by_action == {
        ends + 3: "18x9x2x11x4", more: "18x11x4", ends + 26: "18x11x2x9x18x27", more + 1: "18x27"
    }  # fmt: skip
    game.legal_moves = game.legal_moves[::-1]
    assert {action: game.text(move) for action, move in encoding.moves(game).items()} == by_action


def test_planes_show_the_board_as_it_is_printed(variant):
    encoding = Encoding(variant)
    game = drawn(Game(variant), 3)
    while game.moves:
        game.pop()
        columns = encoding.shape[2]
        rows = [line.ljust(5 * columns)[3::5] for line in str(game).splitlines()[:-1]]
        planes = encoding.planes(game, WHITE)
        assert planes.dtype == np.int8 and planes.shape == encoding.shape
        for letter, plane in zip("wWbB", planes, strict=False):
            assert [[cell == letter for cell in row] for row in rows] == plane.tolist()


def test_a_pass_is_the_last_action():
    encoding = Encoding("simplified")
    assert encoding.moves(Game("simplified", "W:W1:B20")) == {encoding.actions - 1: 0}


def test_both_sides_see_the_same_when_the_board_is_turned_and_colours_are_swapped():
    encoding = Encoding("international")
    white = Game("international", "W:W31,K45,50:B6,K11")
    black = Game("international", "B:B20,K6,1:W45,K40")
    assert (encoding.planes(white) == encoding.planes(black)).all()
    assert set(encoding.moves(white)) == set(encoding.moves(black))
    assert (encoding.planes(white, BLACK) == encoding.planes(black, WHITE)).all()


def test_the_last_planes_count_plies_without_progress_and_earlier_occurrences():
    game, encoding = Game("english", "W:WK32:BK1"), Encoding("english")
    for text in ["32-28", "1-5", "28-32", "5-1"]:
        game.push(text)
    planes = encoding.planes(game)
    assert (planes[4] == 4).all()
    assert (planes[5] == 1).all()


# --- environment


@pytest.mark.parametrize(
    "options",
    [
        {"variant": "english", "opponent": "random", "colour": "black", "random_plies": 3, "max_plies": 200},
        {"variant": "simplified", "max_plies": 60},
    ],
    ids=str,
)
def test_the_environment_passes_the_api_test_of_pettingzoo(options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        api_test(env(**options), num_cycles=200)


def test_a_game_of_random_actions_is_a_game_by_the_rules_with_its_rewards(variant):
    environment = DraughtsEnv(variant, max_plies=100)
    for seed in range(2):
        totals = play(environment, seed)
        game, outcome = environment.game, environment.game.outcome
        again = Game(variant)
        for move in game.moves:
            assert again.outcome is None
            again.push(move)
        if outcome is None:
            assert len(game.moves) == 100
        first = environment.variant.first
        assert environment.colours == {"player_0": first, "player_1": 1 - first}
        won = 0 if outcome is None or outcome.winner is None else 1 if outcome.winner == first else -1
        assert totals == {"player_0": won, "player_1": -won}


def test_the_opponent_plays_the_other_colour_and_the_agent_gets_the_reward():
    for colour in COLOURS:
        environment = DraughtsEnv("english", opponent="{type: negamax, depth: 4}", colour=colour)
        assert environment.possible_agents == ["player_0"]
        totals = [play(environment, seed)["player_0"] for seed in range(3)]
        assert environment.colours == {"player_0": COLOURS.index(colour)}
        assert sum(totals) <= -2 and max(totals) <= 0
        environment.close()


def test_a_random_colour_and_random_plies_are_drawn_from_the_seed_for_every_game():
    environment = DraughtsEnv("english", opponent="random", colour="random", random_plies=4)
    drawn, openings = [], []
    for seed in (*range(12), *range(12)):
        environment.reset(seed=seed)
        drawn.append(environment.colours["player_0"])
        openings.append(list(environment.game.moves))
        assert environment.game.turn == drawn[-1] and len(openings[-1]) == 4 + (drawn[-1] == WHITE)
    assert drawn[:12] == drawn[12:] and set(drawn) == {WHITE, BLACK}
    assert openings[:12] == openings[12:] and openings[0] != openings[1]


def test_the_info_has_the_fen_the_board_is_text_and_an_illegal_action_is_an_error():
    environment = env("english", opponent="greedy", render_mode="ansi")
    environment.reset(seed=1)
    game = Game("english")
    assert environment.infos == {"player_0": {"fen": game.fen}} and environment.unwrapped.render() == str(game)
    with pytest.raises(ValueError, match="the action 0 is not legal in B:"):
        environment.unwrapped.step(0)


def test_more_random_plies_than_a_game_has_are_an_error(monkeypatch):
    monkeypatch.setattr(environment_module, "TRIES", 3)
    with pytest.raises(ValueError, match="2000 random plies: lower random_plies"):
        DraughtsEnv(opponent="random", random_plies=2000).reset(seed=1)


WRONG: dict[str, Any] = {
    "variant": "englsh",
    "colour": "red",
    "render_mode": "human",
    "opponent": "greedi",
    "random_plies": -1,
}


@pytest.mark.parametrize("option", WRONG)
def test_a_wrong_option_gets_one_line(option):
    with pytest.raises(ValueError, match=str(WRONG[option])) as caught:
        DraughtsEnv(**{option: WRONG[option]})
    one_line(caught.value)
