"""Tests of players that programs ask for moves, and of entries that stand by themselves."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from arena import Game, Opponent
from arena.experiment.load import player_spec
from arena.experiment.names import made_name
from arena.experiment.yaml.values import ConfigError
from arena.rules.variants import VARIANTS
from players.player import AnswerError, Limit
from players.table import build_player
from tests.helpers.command_line import one_line

USERS = """
from arena import Choice

class Told:
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
def told(tmp_path: Path) -> str:
    file = tmp_path / "users.py"
    file.write_text(USERS)
    return f"{file}:Told"


def seen_by(opponent: Opponent) -> list[object]:
    return opponent._player.player.player.seen  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "name", "type_", "limit", "evaluation"),
    [
        ("simple@d6", "simple d6", "negamax", Limit(depth=6), "simple"),
        (" neural@n20000 ", "neural n20000", "negamax", Limit(nodes=20_000), "neural"),
        ("strong@0.1s", "strong 0.1s", "negamax", Limit(seconds=0.1), "strong"),
        ("game3@d2", "game3 d2", "game3", Limit(depth=2), None),
        ("level4", "level 4", "cis300", Limit(depth=4), None),
        ("my.py:Racer", "Racer", "my.py:Racer", Limit(), None),
        ("my.py:Fast@d3", "Fast d3", "negamax", Limit(depth=3), "my.py:Fast"),
        ("a@b/my.py:Other", "Other", "a@b/my.py:Other", Limit(), None),
        ("pack.age:Class@d2", "Class d2", "pack.age:Class", Limit(depth=2), None),
        ("net.npz@d2", "net.npz d2", "negamax", Limit(depth=2), "net.npz"),
        ("./v2@d4", "v2 d4", "engine", Limit(depth=4), None),
        ("simple@10s+0.1s", "simple 10s+0.1s", "negamax", Limit(clock=10, increment=0.1), "simple"),
    ],
)
def test_a_short_form_is_what_plays_with_one_limit(text, name, type_, limit, evaluation, tmp_path):
    (tmp_path / "a@b").mkdir()
    (tmp_path / "net.npz").touch()
    for folder in (tmp_path, tmp_path / "a@b"):
        (folder / "my.py").write_text("class bot: ...\ndef Fast(): ...\n")
    spec = player_spec(text, folder=tmp_path)
    assert (spec.name, spec.type, spec.limit, spec.options.get("evaluation")) == (name, type_, limit, evaluation)
    assert spec.options.get("preset") == (None if evaluation is None else "full")


@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        ("./v2@d4", {"command": ["./v2"], "folder": "."}, "v2 d4"),
        ("engines/scan hub@d4", {"command": ["./scan", "hub"], "folder": "engines"}, "scan hub d4"),
        ("my engines/bot@d4", {"command": ["./bot"], "folder": "my engines"}, "bot d4"),
        ("python3 bot.py@d4", {"command": ["python3", "bot.py"]}, "python3 bot.py d4"),
        ("engines/scan bot.py@d4", {"command": ["engines/scan", "bot.py"]}, "scan bot.py d4"),
    ],
)
def test_a_program_in_short_form_has_arguments_and_starts_where_its_files_are(text, options, name, tmp_path):
    for path in ("v2", "engines/scan", "my engines/bot", "bot.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    spec = player_spec(text, folder=tmp_path)
    assert spec.type == "engine" and spec.options == options and spec.name == name


@pytest.mark.parametrize(
    "text",
    [
        *("simpel@d6", "simple@x6", "simple@", "simple@d0", "simple@d6@n5", "@d6", "level", "level 13"),
        *("simple@0s", "yours/my.py:racer@d6", "mi.py:racer", "nett.npz@d6", "empty.py"),
        *("{type: negamax, depth: six}", "{type: 6}", "{type: negamax", "[greedy]"),
    ],
)
def test_a_wrong_short_form_gets_one_line_with_the_nearest_choices(text, tmp_path):
    (tmp_path / "my.py").write_text("def racer(): ...\n\nclass Bot:\n    def choose(): ...\n")
    (tmp_path / "empty.py").touch()
    (tmp_path / "net.npz").touch()
    with pytest.raises(ConfigError) as caught:
        player_spec(text, "--player", tmp_path)
    one_line(caught.value)


@pytest.mark.parametrize(
    ("entry", "name", "detailed"),
    [
        ({"type": "negamax", "preset": "full", "nodes": 2000}, "negamax full n2000", "negamax full n2000"),
        ({"preset": "full", "evaluation": "a/my.py:racer"}, "racer", "a/my.py:racer full"),
        ({"type": "mcts", "evaluation": "strong", "nodes": 5, "clock": 9.5}, "mcts strong n5 clock 9.5", None),
        ({"type": "my.py:Bot", "wild": True, "odds": 3, "depth": 2}, "Bot wild odds 3 d2", None),
        ({"type": f"{'b' * 50}", "depth": 2}, f"{24 * 'b'}...{10 * 'b'} d2", None),
    ],
)
def test_a_name_is_made_of_what_plays_its_options_and_its_limits(entry, name, detailed):
    assert made_name(entry) == name
    assert detailed is None or made_name(entry, 2) == detailed


def test_an_opponent_chooses_what_its_player_chooses_in_a_game():
    game, rng = Game("english"), random.Random(7)
    spec = player_spec("{type: negamax, preset: full, nodes: 500}")
    player = build_player(spec, VARIANTS["english"])
    with Opponent("{type: negamax, preset: full, nodes: 500}", seed=7) as opponent:
        while game.outcome is None and len(game.moves) < 30:
            choice = opponent.choose(game)
            assert choice == player.choose(game, spec.limit, rng)
            game.push(choice.move)


def test_another_game_or_one_that_went_back_is_a_new_game_to_the_player(told):
    opponent = Opponent(told)
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


def test_a_clock_runs_from_move_to_move_and_is_new_for_a_new_game(told):
    opponent = Opponent({"type": told, "clock": 60, "increment": 5})
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
        (lambda told: Opponent("greedi"), ValueError, "'greedi'; did you mean 'greedy'"),
        (lambda told: Opponent("negamax"), ValueError, "negamax needs a limit"),
        (lambda told: Opponent("greedy", "englsh"), ValueError, "unknown variant 'englsh'"),
        (lambda told: Opponent("greedy").choose(Game("thai")), ValueError, "the game is thai, and the player"),
        (lambda told: Opponent("greedy").choose(Game("english", "B:WK1:B")), ValueError, "the game is over"),
        (
            lambda told: Opponent({"type": told, "first": False}).choose(Game("english")),
            AnswerError,
            "illegal move 1",
        ),
    ],
)
def test_a_wrong_question_gets_one_line(told, ask, error, message):
    with pytest.raises(error, match=message) as caught:
        ask(told)
    assert "\n" not in str(caught.value)
