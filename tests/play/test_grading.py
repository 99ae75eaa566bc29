"""Grades of decisions: how they are stored and read back, who judges what, and that no error is a false claim."""

import json
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import starmap
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import yaml

import arena
from arena.experiment.load import player_spec
from arena.experiment.model import GradeSettings
from arena.experiment.schedule import Schedule
from arena.hosting import sandbox
from arena.ledger.ledger import CHECKSUM, FILE, GAMES, GRADES, Ledger
from arena.ledger.read import GRADE_COLUMNS, read
from arena.ledger.record import MOVE_COLUMNS, Grade, GradedGame, packed
from arena.play.grading import (
    GradeTask,
    Grading,
    GradingError,
    grade,
    grade_game,
    grading_of,
    ungraded,
)
from arena.rules.endgame.retrograde import make
from arena.rules.endgame.tables import EndgameTables, EndingValue
from arena.rules.game import Game
from arena.rules.notation import fen
from arena.rules.played import PlayedGame, replayed
from arena.rules.position import Position
from arena.rules.variants import VARIANTS
from players.player import Allowance, PlayerSpec
from tests.helpers import naive
from tests.helpers.command_line import invoke, refused
from tests.helpers.proofs import ending as random_ending
from tests.helpers.watched import Stopper

ENGLISH = VARIANTS["english"]


PIECES = 3
CONFIG = """\
name: graded
variant: english
seed: 5
openings: {file: OPENINGS}
players:
  - {name: random, type: random}
  - {name: greedy, type: greedy}
  - {name: simple, type: negamax, depth: 2}
"""
OPENINGS = """\
W:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12
B:WK15,K18:BK6,8
W:WK30,22:BK3,12
B:WK14,27:BK10,K19
W:WK32,K31:B5,K6
"""
"""The start, and endings that are soon of few pieces."""
JUDGE = "{evaluation: strong, nodes: 300}"
NAME = "strong n300"


@pytest.fixture(scope="session")
def tables() -> EndgameTables:
    return make(ENGLISH, PIECES)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of 30 games, not graded."""
    folder = tmp_path_factory.mktemp("played")
    arena.run(yaml.safe_load(configured(folder)), folder / "run", workers=1, quiet=True)
    return folder / "run"


def configured(folder: Path) -> str:
    """The configuration of a run, whose openings are in a folder now."""
    (folder / "openings.txt").write_text(OPENINGS)
    return CONFIG.replace("OPENINGS", str(folder / "openings.txt"))


@pytest.fixture
def run(played: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / FILE).write_bytes((played / FILE).read_bytes())
    return tmp_path / "run"


def opened(folder: Path) -> Ledger:
    data = read(folder)
    return Ledger(folder, data.experiment, data.info)


def values(row: Any) -> tuple[Any, ...]:
    """A row of a table, missing values as None."""
    return tuple(None if pd.isna(value) else value for value in row)


def add_grades(
    ledger: Ledger, key: int, judge: str, grades: Sequence[Grade], decisions: tuple[int, int] = (0, 0)
) -> None:
    ((mark,),) = ledger.rows(f"SELECT {CHECKSUM} FROM games WHERE key = ?", (key,))
    pieces = 4 * (judge == "tables")
    ledger.insert(GRADES, GradedGame(key, judge, mark, pieces, *decisions, json.dumps(grades))._asdict())


def test_grades_are_read_back_as_they_were_stored(run):
    by_tables = Grade(2, 4, "1x10x19", 1.0, 0.5)
    by_player = (
        Grade(1, 24, "11-15", None, None, best_men=31.999, played_men=-0.001),
        Grade(3, 12, "22x15", 0.0, None, played_men=-9.0),
    )
    first_key, _, third_key, *_ = read(run).games["key"]
    with opened(run) as ledger:
        add_grades(ledger, third_key, "deep", by_player)
        add_grades(ledger, third_key, "tables", [by_tables], (3, 2))
        add_grades(ledger, first_key, "deep", by_player)
    data = read(run)
    assert data.grades.columns.tolist() == list(GRADE_COLUMNS)
    kept = ["game", "ply", "judge", *GRADE_COLUMNS[GRADE_COLUMNS.index("best_move") :]]
    first = ("deep", "11-15", None, None, 31.999, -0.001)
    last = ("deep", "22x15", 0.0, None, None, -9.0)
    assert [values(row) for row in data.grades[kept].itertuples(index=False)] == [
        (1, 1, *first),
        (1, 3, *last),
        (3, 1, *first),
        (3, 2, "tables", "1x10x19", 1.0, 0.5, None, None),
        (3, 3, *last),
    ]
    rows = [values(row) for row in data.graded[data.graded["judge"] == "tables"].itertuples(index=False)]
    assert rows == [(3, "tables", 4, 3, 2)]
    moves = next(data.moves()).merge(data.grades, on=["game", "ply"], suffixes=("", "_graded"))
    assert len(moves) == 5
    for name in ("player", "colour"):
        assert moves[name].tolist() == moves[f"{name}_graded"].tolist()


def test_grades_of_an_earlier_record_or_that_are_damaged_do_not_count(run):
    _, two, three = keys = read(run).games["key"].tolist()[:3]
    four, five = (Grading(read(run).experiment, pieces, None) for pieces in (4, 5))
    deep = Grading(read(run).experiment, 0, PlayerSpec("deep", "negamax"))
    with opened(run) as ledger:
        for key in keys:
            add_grades(ledger, key, "tables", [Grade(1, 4, "11-15", 1.0, 0.5)])
        assert ungraded(four, ledger, keys) == {}
        assert ungraded(five, ledger, keys) == {"tables": keys}
        assert ungraded(deep, ledger, keys) == {"deep": keys}
        again = dict(zip(GAMES.columns, next(ledger.rows(f"{GAMES.query} WHERE key = {two}"))[1:], strict=False))
        again["seconds"] += 1
        ledger.insert(GAMES, again)
        assert ungraded(four, ledger, keys) == {"tables": [two]}
        assert set(read(run).grades["game"]) == {1, 3}
    with closing(sqlite3.connect(run / FILE)) as connection, connection:
        connection.execute("UPDATE grades SET white_decisions = 7 WHERE key = ?", (three,))
    assert set(read(run).grades["game"]) == set(read(run).graded["game"]) == {1}
    with opened(run) as ledger:
        assert ungraded(four, ledger, keys) == {"tables": [two, three]}


# --- what a grade says


def asked_of(folder: Path, pieces: int = PIECES, judge: str | None = JUDGE) -> Grading:
    spec = None if judge is None else player_spec(judge, "--judge")
    asked = GradeSettings.model_construct(pieces=pieces, judge=spec)
    grading = grading_of(read(folder).experiment.model_copy(update={"grade": asked}))
    assert grading is not None
    return grading


def graded(folder: Path, workers: int = 1, after: int = 10**9, games: int = 30, **given: Any) -> int:
    """Grade the first games of a run, until so many are graded; returns how many are graded now."""
    with opened(folder) as ledger:
        counting = read(folder).games["key"].tolist()[:games]
        grade(asked_of(folder, **given), ledger, counting, workers, stopper := Stopper(after))
    return stopper.count


def stored(folder: Path) -> list[tuple[Any, ...]]:
    """The grades as they are stored, in their order."""
    with closing(sqlite3.connect(folder / FILE)) as connection:
        return connection.execute("SELECT * FROM grades ORDER BY key, judge").fetchall()


def plies_of(folder: Path) -> Iterator[tuple[int, int, Game, int]]:
    """Every move of the run: the number of its game, its ply, the game before it, the move."""
    data = read(folder)
    moves = pd.concat(data.moves())
    for number, opening in zip(data.games["game"].tolist(), data.games["opening_fen"].tolist(), strict=True):
        of_row = replayed(ENGLISH, opening, moves.loc[moves["game"] == number, "move"].tolist())
        for ply, game, move in plies_in(of_row):
            yield number, ply, game, move


def plies_in(played: PlayedGame) -> Iterator[tuple[int, Game, int]]:
    """Every move: its ply, the game before it, the move."""
    game = Game(ENGLISH, played.start)
    for ply, move in enumerate(played.moves, start=1):
        yield ply, game, move
        game.push(move)


def naive_results(tables: EndgameTables, game: Game) -> dict[str, int]:
    """The result of the mover after each of its moves, by its text; moves and positions are the slow oracle's."""
    rules = ENGLISH.rules
    state = naive.state_of(rules, game.position)
    results = {}
    for move in naive.legal_moves(rules, state):
        after = naive.position_of(rules, naive.play(rules, state, move))
        [text] = [game.text(legal) for legal in game.legal_moves if after == pushed(game, legal).position]
        results[text] = -value_of(tables, after).result
    return results


def value_of(tables: EndgameTables, position: Position) -> EndingValue:
    value = tables.value(position)
    assert value is not None
    return value


def pushed(game: Game, move: int) -> Game:
    following = game.copy()
    following.push(move)
    return following


def drawn_ending(rng: random.Random) -> tuple[GradeTask, PlayedGame]:
    """A game of up to 40 random moves from a random ending of two or three pieces, and the task to grade it."""
    texts: list[str] = []
    while not texts:
        start = random_ending(ENGLISH, rng, PIECES)
        following = Game(ENGLISH, start)
        while following.outcome is None and len(texts) < 40:
            texts.append(following.text(move := rng.choice(following.legal_moves)))
            following.push(move)
    nothing = {name: [0] * len(texts) for name, _ in MOVE_COLUMNS}
    moves = packed({"move": [text.encode() for text in texts], **nothing})
    opening = fen(ENGLISH, start)
    task = GradeTask(1, 0, ENGLISH, opening, *moves, PIECES, None, 1, Allowance())
    return task, replayed(ENGLISH, opening, texts)


@pytest.mark.compiled
def test_a_graded_error_is_one_by_a_count_of_the_successors_values(tables):
    """And every decision that can err has a grade, all others none."""
    rng, errors = random.Random(2), 0
    for _ in range(60):
        task, ending = drawn_ending(rng)
        record = grade_game(task)
        grades_left = {grade.ply: grade for grade in starmap(Grade, json.loads(record.grades))}
        decisions = [0, 0]
        for ply, game, move in plies_in(ending):
            value = value_of(tables, game.position)
            results = naive_results(tables, game)
            decisions[game.turn] += len(results) > 1
            best = max(results.values())
            assert best == value.result
            grade = grades_left.pop(ply, None)
            assert (grade is None) == (len(set(results.values())) == 1)
            if grade is None:
                continue
            played = results[game.text(move)]
            errors += played < best
            assert (grade.best, grade.played) == ((1 + best) / 2, (1 + played) / 2)
            assert results[grade.best_move] == best
            assert grade.pieces == len(game.pieces)
            [best_move] = [legal for legal in game.legal_moves if game.text(legal) == grade.best_move]
            after, after_played = (value_of(tables, pushed(game, other).position) for other in (best_move, move))
            assert not best or after.plies + 1 == value.plies
            assert played < best or (best_move == move) == (after.plies == after_played.plies)
        assert not grades_left and [record.white_decisions, record.black_decisions] == decisions
    assert errors > 50


@pytest.mark.full
@pytest.mark.compiled
def test_grades_are_the_same_bytes_for_any_workers_and_interruptions(run, tables):
    whole = run.parent / "whole"
    whole.mkdir()
    (whole / FILE).write_bytes((run / FILE).read_bytes())
    assert graded(whole, workers=2, games=8) == 16
    assert graded(run, after=3, games=8) == 3
    assert graded(run, after=10, games=8) == 10
    assert graded(run, games=8) == 3
    assert stored(run) == stored(whole)
    assert graded(run, games=8) == 0
    assert [name for name, _ in pd.DataFrame(stored(run)).groupby(1)] == [NAME, "tables"]


@pytest.mark.compiled
def test_more_pieces_are_graded_again_and_fewer_are_not(run, tables):
    assert graded(run, pieces=2, judge=None) == 30
    fewer = stored(run)
    assert graded(run, judge=None) == 30
    more = stored(run)
    assert len(more) == 30 and more != fewer
    assert graded(run, pieces=2, judge=None) == 0
    assert stored(run) == more


@pytest.mark.full
@pytest.mark.compiled
def test_another_judge_adds_its_grades_and_tables_judge_their_positions(run, tables):
    graded(run, pieces=0)
    alone = read(run).grades
    graded(run, judge="{name: other, evaluation: cis300, nodes: 250}")
    with pytest.raises(GradingError, match="another judge of the name"):
        graded(run, pieces=0, judge=f"{{name: '{NAME}', evaluation: strong, nodes: 301}}")
    data = read(run)
    assert set(data.grades["judge"]) == {"tables", NAME, "other"} == {*data.judges, "tables"}
    of_first = data.grades[data.grades["judge"] == NAME]
    assert of_first["pieces"].min() > PIECES == data.grades["pieces"][data.grades["judge"] == "tables"].max()
    assert len(of_first) == (alone["pieces"] > PIECES).sum() < len(alone)
    assert set(of_first["ply"][of_first["game"] == 1]) == set(
        data.grades["ply"][(data.grades["game"] == 1) & (data.grades["judge"] == "other")]
    )


@pytest.mark.compiled
def test_a_judges_grade_is_its_search_of_the_position_and_of_that_after_the_move(run):
    """Of a fresh judge in each position: scores in men from the mover's view, certain wins as points."""
    graded(run, pieces=0, judge="{preset: alphabeta, evaluation: material, depth: 4}")
    grades_left = {(row.game, row.ply): row for row in read(run).grades.itertuples(index=False)}
    judge = arena.Opponent("{preset: alphabeta, evaluation: material, depth: 4}", ENGLISH)
    certain = differing = 0
    for number, ply, game, move in plies_of(run):
        row = grades_left.pop((number, ply), None)
        assert (row is None) == (len(game.legal_moves) == 1)
        if row is None:
            continue
        best = judgement(judge, game)
        played = best if row.best_move == game.text(move) else turned(judgement(judge, pushed(game, move)))
        assert values((row.best, row.best_men)) == best
        assert values((row.played, row.played_men)) == played
        certain += best[0] is not None
        differing += played != best
    assert not grades_left and certain > 10 and differing > 100


Judgement = tuple[float | None, float | None]
"""Points and men."""


def judgement(judge: arena.Opponent, game: Game) -> Judgement:
    """From the side to move's view, as a player says alone."""
    if (outcome := game.outcome) is not None:
        return 0.5 if outcome.winner is None else float(outcome.winner == game.turn), None
    choice = judge.choose(game)
    if choice.plies_to_win:
        return float(choice.plies_to_win > 0), None
    assert choice.score is not None
    return None, round(choice.score, 3)  # as a man is worth 1 to its evaluation


def turned(judged: Judgement) -> Judgement:
    """The same from the view of the side that made the last move, a ply before."""
    points, men = judged
    return None if points is None else 1 - points, None if men is None else -men


def test_games_that_do_not_count_are_not_graded(run):
    data = read(run)
    players = {name: each for name, each in data.info.players.items() if name != "random"}
    experiment, info = data.experiment.without(["random"]), data.info._replace(players=players)
    with Ledger(run, experiment, info) as ledger:
        schedule = Schedule(experiment, info.hashes, info.openings, ledger.results())
        assert len(ledger.results()) == 30 and len(schedule.counting()) == 10


# --- what users do


WRONG: dict[str, tuple[Any, ...]] = {
    "no run": ("RUN/nowhere",),
    "no entry": ("RUN", "--judge", "[3"),
    "no limit": ("RUN", "--judge", "greedy"),
    "a time limit": ("RUN", "--judge", "{nodes: 5000, seconds: 1}"),
    "a person": ("RUN", "--judge", "human"),
    "the name of the tables": ("RUN", "--judge", "{name: tables, depth: 9}"),
    "no deeper": ("RUN", "--judge", "{depth: 2}"),
    "no deeper on average": ("RUN", "--pieces", 0, "--judge", "{nodes: 5}"),
    "no scores in men": ("RUN", "--pieces", 0, "--judge", "{type: random, depth: 9}"),
    "nothing that judges": ("RUN", "--pieces", 0),
    "too many pieces": ("RUN", "--pieces", 9),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_input_gets_one_line(run, case):
    refused("grade", *(str(argument).replace("RUN", str(run)) for argument in WRONG[case]), "--workers", 1)
    assert stored(run) == []


def test_a_judge_that_fails_ends_the_grading_with_one_line_and_what_is_graded_stays(run, tmp_path):
    (tmp_path / "own.py").write_text(
        "from arena import Choice\n\n\n"
        "class Judge:\n"
        "    man_value = 1.0\n\n"
        "    def __init__(self, variant): ...\n\n"
        "    def choose(self, game, limit, rng):\n"
        "        return Choice(game.legal_moves[len(game.moves) // 60 * 1000], 0.5, depth=9)\n"
    )
    judge = f"{{type: '{tmp_path}/own.py:Judge', depth: 9}}"
    refused("grade", run, "--pieces", 0, "--judge", judge, "--workers", 1)
    assert len(stored(run)) < 30


@pytest.mark.full
def test_rules_without_tables_are_graded_by_a_judge_alone(tmp_path):
    config = yaml.safe_load(CONFIG) | {"variant": "simplified", "openings": {"count": 1}}
    arena.run(config, tmp_path / "run", workers=1, quiet=True)
    refused("grade", tmp_path / "run", "--workers", 1)
    refused("grade", tmp_path / "run", "--pieces", 4, "--workers", 1)
    assert invoke("grade", tmp_path / "run", "--judge", JUDGE, "--workers", 1).exit_code == 0
    assert set(read(tmp_path / "run").graded["endgame_pieces"]) == {0}


@pytest.mark.full
@pytest.mark.compiled
def test_a_configuration_grades_what_it_has_played(tmp_path, tables):
    """Also a run that was played without being graded."""
    config = tmp_path / "run.yaml"
    text = configured(tmp_path)
    play = ("run", config, "--out", tmp_path / "run", "--workers", 1, "--no-report")
    config.write_text(text)
    assert invoke(*play).exit_code == 0 and stored(tmp_path / "run") == []
    config.write_text(f"{text}grade: {{pieces: {PIECES}, judge: {JUDGE}}}\n")
    result = invoke(*play)
    assert result.exit_code == 0 and NAME in result.stdout
    before = stored(tmp_path / "run")
    command = ("grade", tmp_path / "run", "--pieces", PIECES, "--judge", JUDGE, "--workers", 1)
    assert invoke(*command).exit_code == 0 and len(before) == 60 and stored(tmp_path / "run") == before
    assert read(tmp_path / "run").judges[NAME]["entry"]["evaluation"] == "strong"


def test_a_grade_that_cannot_be_given_is_refused_before_any_game(tmp_path):
    (tmp_path / "run.yaml").write_text(f"{configured(tmp_path)}grade: {{judge: {{depth: 2}}}}\n")
    refused("run", tmp_path / "run.yaml", "--out", tmp_path / "run", "--workers", 1)
    assert not (tmp_path / "run").exists()


def test_a_run_has_the_paths_of_its_configuration_from_any_folder(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "unavailable", lambda: "")
    config, out = tmp_path / "inside" / "c.yaml", tmp_path / "out"
    config.parent.mkdir()
    config.write_text(
        "name: c\nvariant: english\nsandbox: true\nprocess: {readable: [notes.txt]}\nmax_plies: 4\n"
        "openings: {count: 1}\nplayers: [{name: a, type: random}, {name: b, type: random}]\n"
    )
    monkeypatch.chdir(config.parent)
    arena.run("c.yaml", out, workers=1, quiet=True)
    monkeypatch.chdir(tmp_path)
    assert read(out).experiment.allowance.sandbox == (str(config.with_name("notes.txt")),)
