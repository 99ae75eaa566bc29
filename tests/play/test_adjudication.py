"""Tests of adjudication: which scores end a game, that nothing else changes, and what a report says of it."""

from types import SimpleNamespace
from typing import Any

import pytest

import arena
from arena.experiment.model import Adjudication
from arena.play.match import Adjudicator, play
from arena.play.pilot import diagnose
from arena.play.prepare import prepare
from arena.rules.endgame.retrograde import make
from arena.rules.game import ADJUDICATED, Game, Outcome, Termination
from arena.rules.notation import parse_fen
from arena.rules.position import BLACK, WHITE
from arena.rules.variants import VARIANTS
from players.loading import Finding
from players.player import Choice, Limit, PlayerSpec
from tests.helpers.asking import task_of
from tests.helpers.command_line import invoke
from tests.helpers.runs import assert_same, experiment, run

WON, LOST = Outcome(WHITE, Termination.ADJUDICATED_WIN), Outcome(BLACK, Termination.ADJUDICATED_WIN)
DRAWN = Outcome(None, Termination.ADJUDICATED_DRAW)


def ended(
    rules: dict[str, Any],
    scores: list[Any],
    man_values: tuple[float | None, float | None] = (1.0, 1.0),
) -> tuple[int, Outcome] | None:
    """After how many plies a game ends whose movers, White first, give these scores, each from its own view.

    A score in a list is that of a move without choice; "+9" and "-9" are a certain win and loss in 9 plies.
    """
    adjudicator = Adjudicator(Adjudication.model_validate(rules), man_values, max_plies=200)
    game: Any = SimpleNamespace(turn=WHITE, legal_moves=[1, 2], moves=[])
    for score in scores:
        game.legal_moves = [1] if isinstance(score, list) else [1, 2]
        (value,) = score if isinstance(score, list) else (score,)
        certain = int(value) if isinstance(value, str) else 0
        adjudicator.note(game, Choice(1, 1e6 if certain else value, plies_to_win=certain))
        game.moves.append(1)
        game.turn = 1 - game.turn
        if (outcome := adjudicator.outcome(game)) is not None:
            return len(game.moves), outcome
    return None


FOUR = {"win": {"men": 3.0, "plies": 4}}
ONE_SIDED = {"win": {"men": 3.0, "plies": 4, "agreed": False}}
LEVEL = {"draw": {"men": 0.2, "plies": 4, "after": 6}}


@pytest.mark.parametrize(
    ("rules", "scores", "end"),
    [
        (FOUR, [3.0, -3.0, 3.0, -3.0, 3.0], (4, WON)),
        (FOUR, [0.0, 4.0, -5.0, 3.0, -3.0], (5, LOST)),
        (FOUR, [3.0, -3.0, 3.0, -2.9, 3.0, -3.0, 3.0], None),
        (FOUR, [3.0, 3.0, 3.0, 3.0, 3.0, 3.0], None),  # each takes itself to win
        (FOUR, ["+9", "-8", "+7", "-6"], (4, WON)),
        (FOUR, [3.0, -3.0, None, -3.0, 3.0, -3.0, 3.0], (7, WON)),
        (FOUR, [3.0, -3.0, [None], -3.0, 3.0], (5, WON)),
        (FOUR, [3.0, -3.0, [2.0], -3.0, 3.0, -3.0], None),
        (ONE_SIDED, [0.0, -3.0, 0.0, -3.0], (4, WON)),
        (ONE_SIDED, [None, -3.0, None, -3.0], (4, WON)),
        (ONE_SIDED, [3.0, 0.0, 3.0, 0.0, 3.0, 0.0], None),
        (ONE_SIDED, [-3.0, 0.0, -3.0, 0.0], (4, LOST)),
        (LEVEL, [0.2, -0.2, 0.0, 0.1, 0.2, 0.2], (6, DRAWN)),
        (LEVEL, [1.0, 1.0, 1.0, 1.0, 1.0, 0.2, 0.0, 0.0, 0.0], (9, DRAWN)),
        (LEVEL, [0.2, -0.2, 0.0, None, 0.2, 0.2], None),
        (LEVEL, [0.0, 0.0, 0.0, 0.3, 0.0, 0.0], None),
        ({**LEVEL, **FOUR}, [0.0, 0.0, 0.0, 0.0, 3.0, -3.0, 3.0, -3.0], (8, WON)),
        ({**LEVEL, **FOUR}, [0.0, 0.0, 3.0, -3.0, 3.0, -3.0], (6, WON)),
    ],
)
def test_a_game_ends_when_the_scores_say_so_for_long_enough(rules, scores, end):
    assert ended(rules, scores) == end


def test_scores_are_in_the_unit_of_each_player():
    scores = [300.0, -3.0, 300.0, -3.0]
    assert ended(FOUR, scores, man_values=(100.0, 1.0)) == (4, WON)
    assert ended(FOUR, scores, man_values=(1.0, 1.0)) == (4, WON)
    assert ended(FOUR, scores, man_values=(100.0, 100.0)) is None
    assert ended(FOUR, scores, man_values=(None, 1.0)) is None
    assert ended(ONE_SIDED, scores, man_values=(None, 1.0)) == (4, WON)
    assert ended(ONE_SIDED, scores, man_values=(1.0, None)) is None


def by_tables(variant: str, position: str, max_plies: int = 200, **lasted: int) -> Outcome | None:
    """How a game ends by tables of 3 pieces in a position, after so many plies without progress."""
    tables = make(VARIANTS[variant], 3)
    game = Game(variant, position)
    game.without_progress = lasted.get("without_progress", 0)
    return Adjudicator(Adjudication(tables=3), (None, None), tables, max_plies=max_plies).outcome(game)


def test_the_tables_end_a_game_unless_a_limit_of_moves_may_come_before_the_win():
    won = Outcome(WHITE, Termination.ADJUDICATED_TABLES)
    value = make(VARIANTS["english"], 3).value(parse_fen(VARIANTS["english"], LONG))
    assert value is not None and value.result == 1 and value.plies > 10
    assert by_tables("english", LONG) == won
    assert by_tables("english", LONG, without_progress=80 - value.plies) == won
    assert by_tables("english", LONG, without_progress=81 - value.plies) is None
    assert by_tables("english", LONG, max_plies=value.plies) == won
    assert by_tables("english", LONG, max_plies=value.plies - 1) is None
    assert by_tables("english", LONG.replace("W:", "B:", 1)) == won
    assert by_tables("english", "W:WK1:BK32", max_plies=0) == Outcome(None, Termination.ADJUDICATED_TABLES)
    assert by_tables("english", "W:WK1,K2:BK31,K32") is None


def test_a_game_ends_by_the_tables_with_the_move_that_enters_them():
    variant, player = VARIANTS["english"], PlayerSpec("deep", "negamax", Limit(depth=12))
    task = task_of(variant, player, player, opening=parse_fen(variant, LONG))
    record = play(task._replace(adjudication=Adjudication(tables=3)))
    assert (record.plies, record.termination) == (1, Termination.ADJUDICATED_TABLES)


LONG = "W:WK1,K10:BK32"

CONFIG = """\
name: small
variant: english
seed: 3
openings: {random_plies: 4, count: 8}
max_plies: 120
players:
  - {name: greedy, type: greedy}
  - {name: depth-2, type: negamax, depth: 2}
  - {name: depth-3, type: negamax, depth: 3, evaluation: strong}
"""
RULES = "adjudicate: {tables: 3, win: {men: 2, plies: 4}, draw: {men: 1, plies: 6, after: 20}}\n"


@pytest.fixture(scope="module")
def adjudicated(tmp_path_factory: pytest.TempPathFactory) -> arena.Run:
    """A run with adjudication, beside its configuration."""
    folder = tmp_path_factory.mktemp("adjudicated")
    (folder / "config.yaml").write_text(CONFIG + RULES)
    made = invoke("run", folder / "config.yaml", "--out", folder / "out", "--workers", 1)
    assert made.exit_code == 0, made.output
    return arena.load(folder / "out")


def lines(played: arena.Run) -> list[list[str]]:
    return [of_game["move"].tolist() for _, of_game in played.moves.groupby("game")]


def test_a_game_is_the_one_without_adjudication_up_to_its_end(adjudicated, tmp_path):
    plain = run(tmp_path, "plain", CONFIG)
    ends = adjudicated.games["termination"]
    assert {Termination.ADJUDICATED_WIN, Termination.ADJUDICATED_DRAW} <= set(ends)
    rows = zip(adjudicated.games.to_dict("records"), plain.games.to_dict("records"), strict=True)
    for (now, then), short, long in zip(rows, lines(adjudicated), lines(plain), strict=True):
        assert short == long[: len(short)]
        if now["termination"] in ADJUDICATED:
            assert len(short) < len(long)
        else:
            assert all(now[key] == then[key] for key in ("result", "termination", "plies"))


@pytest.mark.full
def test_a_run_that_is_stopped_and_resumed_ends_the_same_games(adjudicated, tmp_path):
    assert_same(run(tmp_path, "parts", CONFIG + RULES, stops=(5, 7)), adjudicated)


@pytest.mark.parametrize(
    ("men", "rules", "lines"),
    [
        ([None, 1.0], {"win": {}, "draw": {}}, 1),
        ([None, 1.0], {"win": {"agreed": False}}, 0),
        ([1.0, 1.0], {"win": {}, "draw": {"after": 61}}, 1),
        ([1.0, 1.0], {"win": {"plies": 60}}, 0),
    ],
)
def test_a_rule_that_can_end_no_game_has_a_line(men, rules, lines):
    assert len(list(Adjudication.model_validate(rules).unusable(men, 61))) == lines


def test_a_rule_that_can_end_no_game_is_warned_of_before_the_first_one(tmp_path):
    players = "players: [random, greedy]\n"
    text = f"name: t\nvariant: english\nopenings: {{count: 1}}\nadjudicate: {{win: {{}}}}\n{players}"
    of = experiment(tmp_path, text)
    [line] = prepare(of).warnings(1)
    found = [found for found in diagnose(of, tmp_path / "out") if isinstance(found, Finding)]
    assert [(each.level, each.where, each.message) for each in found] == [("warning", "adjudicate", line)]


def test_plies_left_are_those_of_the_first_draw_rule_that_may_come():
    game = Game("international", "W:WK1,K2,K3:BK50")
    assert game.plies_left == 11  # FMJD 6.4: two kings against one may come, and then 10 plies
    game = Game("international", "W:WK1,K2:BK50")
    assert game.plies_left == 10
    game.push(game.legal_moves[0])
    assert game.plies_left == 9
    assert Game("english").plies_left == 80
    assert Game("international", "W:WK1:B45").plies_left == 11  # as soon as the man is crowned
