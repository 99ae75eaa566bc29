"""Players that programs in Python ask for moves."""

import random
from pathlib import Path

import pytest

from arena import Game, Opponent
from arena.experiment.load import player_spec
from arena.rules.variants import VARIANTS
from players.player import AnswerError, Limit
from players.table import build_player

USERS = """
from arena import Choice

class Own:
    seen = []

    def __init__(self, variant, first=True):
        self.first = first
        self.seen.append("built")

    def choose(self, game, limit, rng):
        self.seen.append(limit)
        return Choice(game.legal_moves[0] if self.first else 1)

    def close(self):
        self.seen.append("closed")
"""


@pytest.fixture
def own(tmp_path: Path) -> str:
    file = tmp_path / "users.py"
    file.write_text(USERS)
    return f"{file}:Own"


def seen_by(opponent: Opponent) -> list[object]:
    return opponent._player.player.player.seen  # type: ignore[union-attr]


def test_an_opponent_chooses_what_its_player_chooses_in_a_game():
    game, rng = Game("english"), random.Random(7)
    spec = player_spec("{type: negamax, preset: full, nodes: 500}")
    player = build_player(spec, VARIANTS["english"])
    with Opponent("{type: negamax, preset: full, nodes: 500}", seed=7) as opponent:
        while game.outcome is None and len(game.moves) < 30:
            choice = opponent.choose(game)
            assert choice == player.choose(game, spec.limit, rng)
            game.push(choice.move)


def test_another_game_or_one_that_went_back_is_a_new_game_to_the_player(own):
    opponent = Opponent(own)
    seen = seen_by(opponent)
    game = Game("english")
    for _ in range(3):
        game.push(opponent.choose(game).move)
        game.push(game.legal_moves[0])
    assert seen == ["built", *[Limit()] * 3]
    game.pop()
    game.pop()
    opponent.choose(game)
    assert seen[4:] == [Limit()]
    game.pop()
    game.pop()
    opponent.choose(game)
    assert seen[5:] == ["closed", "built", Limit()]
    opponent.choose(game.copy())
    assert seen[8:] == ["closed", "built", Limit()]
    opponent.close()
    assert seen[11:] == ["closed"]


def test_a_clock_runs_from_move_to_move_and_is_new_for_a_new_game(own):
    opponent = Opponent({"type": own, "clock": 60, "increment": 5})
    game = Game("english")
    opponent.choose(game)
    opponent.choose(game)
    opponent.choose(Game("english"))
    first, second, third = (limit.clock or 0.0 for limit in seen_by(opponent) if isinstance(limit, Limit))
    assert first == third == 60
    assert 64 < second < 65


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda _: Opponent("greedi"), ValueError, "'greedi'; did you mean 'greedy'"),
        (lambda _: Opponent("negamax"), ValueError, "negamax needs a limit"),
        (lambda _: Opponent("greedy", "englsh"), ValueError, "unknown variant 'englsh'"),
        (lambda _: Opponent("greedy").choose(Game("thai")), ValueError, "the game is thai, and the player"),
        (lambda _: Opponent("greedy").choose(Game("english", "B:WK1:B")), ValueError, "the game is over"),
        (
            lambda own: Opponent({"type": own, "first": False}).choose(Game("english")),
            AnswerError,
            "illegal move 1",
        ),
    ],
)
def test_a_wrong_question_gets_one_line(own, ask, error, message):
    with pytest.raises(error, match=message) as caught:
        ask(own)
    assert "\n" not in str(caught.value)
