"""Grading: the decisions of a run's games judged, by endgame tables and by a player that looks deeper.

A decision is a move in a position of more than one legal move. In positions of the endgame tables these judge, for
best play by both and without the rules that draw a game; elsewhere a player does, if one is given.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from arena.base import ArenaError
from arena.base.wording import counted
from arena.experiment.model import Experiment, entry_of
from arena.hosting.handle import failure_of
from arena.hosting.player_process import begin_game
from arena.ledger.ledger import CHECKSUM, GRADES, JUDGES, Ledger
from arena.ledger.record import TABLES_JUDGE, Grade, GradedGame, moves_of, short_id, unpacked
from arena.play.workers import Workers, carry_through
from arena.rules.endgame import USUAL_PIECES
from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndingValue, why_no_tables
from arena.rules.game import Game
from arena.rules.move_text import move_text
from arena.rules.movegen import after_move, legal_moves
from arena.rules.played import PlayedGame, replayed
from arena.rules.position import Position
from arena.rules.variants import Variant
from arena.watch.status import Observer
from players.identity import COPIES, keep, placed
from players.loading import located
from players.player import HUMAN, Allowance, AnswerError, Limit, PlayerSpec

_COMPARED = ("depth", "nodes")
"""Limits that a judge may have: under them it grades the same each time."""
_MEN_DECIMALS = 3
"""Of a judge's score in men, as it is stored."""
_SAMPLE = 20
"""Games in which it is measured how far a player looks whose limit is of another kind than the judge's."""


class GradeTask(NamedTuple):
    """All that a worker needs to grade a game: plain data."""

    key: int
    graded: int
    """The checksum of the game's row."""
    variant: Variant
    opening_fen: str
    plies: int
    moves: bytes
    """As the ledger has them."""
    endgame_pieces: int
    judge: PlayerSpec | None
    """None where the tables judge."""
    seed: int
    allowance: Allowance

    def __str__(self) -> str:
        return f"the grading of game {short_id(self.key)}"

    def by(self, judge: str, grades: Sequence[Grade], decisions: tuple[int, int]) -> GradedGame:
        """The game with its grades by a judge, and how many decisions of White and of Black that has looked at."""
        return GradedGame(self.key, judge, self.graded, self.endgame_pieces, *decisions, json.dumps(grades))


class GradingError(ArenaError):
    """Games that cannot be graded, or not by this judge; one line says why."""


class Grading(NamedTuple):
    """Who judges the decisions of a run."""

    experiment: Experiment
    endgame_pieces: int
    """Most pieces of a position that the endgame tables judge; 0 if they take no part."""
    judge: PlayerSpec | None
    """The player that judges all other positions, if one does; its files are located."""

    @property
    def judges(self) -> list[str]:
        """The names of the judges in the order in which they grade."""
        return [TABLES_JUDGE] * (self.endgame_pieces > 0) + ([self.judge.name] if self.judge else [])


def grading_of(experiment: Experiment) -> Grading | None:
    """The grading that `grade` of an experiment asks for, None without one.

    Raises ConfigError for rules without tables, a judge that cannot be one by its limit, and no judge at all.
    """
    if (asked := experiment.grade) is None:
        return None
    without_tables, judge = why_no_tables(experiment.rule_set), asked.judge
    if asked.pieces and without_tables:
        raise experiment.error(("grade", "pieces"), without_tables)
    pieces = asked.pieces if asked.pieces is not None else 0 if without_tables else USUAL_PIECES
    if judge is None and not pieces:
        why = "; ".join(filter(None, [without_tables, "without endgame tables a judge is needed"]))
    else:
        why = "" if judge is None else _unfit(judge) or _shallow(judge, experiment.players)
    if why:
        raise experiment.error(("grade", "judge"), why)
    judging = None if judge is None else located(judge, experiment.path.parent)
    return Grading(experiment, pieces, judging)


def _unfit(judge: PlayerSpec) -> str:
    """Why a player cannot grade the moves of others; "" if it may."""
    if judge.type == HUMAN:
        return "a judge cannot be a person"
    if judge.name == TABLES_JUDGE:
        return f"a judge cannot have the name {TABLES_JUDGE!r}, which stands for the endgame tables"
    if judge.limit.longest is not None:
        return f"{judge.name} has a time limit, under which grades differ each time: give it depth or nodes alone"
    if judge.limit == Limit():
        return f"{judge.name} has no limit: give it depth or nodes, more than the players that it grades"
    return ""


def _shallow(judge: PlayerSpec, players: Iterable[PlayerSpec], ledger: Ledger | None = None) -> str:
    """Why a judge looks no deeper than players, by their limits, else by games; "" if it does."""
    for player in players:
        for kind in _COMPARED:
            ours, theirs = getattr(judge.limit, kind), getattr(player.limit, kind)
            how, is_said = "", theirs is not None and player.limit == Limit(**{kind: theirs})
            if ours is not None and not is_said and ledger is not None:
                theirs, how = _mean(player.name, kind, ledger), " on average"
            if ours is not None and (is_said or how) and theirs >= ours:
                looked = f"({kind} {theirs:g}{how})"
                return f"{judge.name} looks no deeper than {player.name} {looked}, as a judge must"
    return ""


def _mean(player: str, kind: str, ledger: Ledger) -> float:
    """The mean of a recorded count of a player's decisions in a sample of its games; 0 without decisions."""
    query = "SELECT white = ?, opening_fen, plies, moves FROM games WHERE plies > 0 AND ? IN (white, black) LIMIT"
    counts = [np.zeros(0)]
    for is_white, opening, plies, moves in ledger.rows(f"{query} {_SAMPLE}", (player, player)):
        own = moves_of(unpacked([moves], [plies]), opening, is_white=bool(is_white))
        counts.append(own[kind][own["legal_moves"] > 1])
    every = np.concatenate(counts)
    return round(float(every.mean()), 1) if every.size else 0.0


def try_out(grading: Grading, folder: Path) -> Grading:
    """Open the tables, and have the judge search the start, which also compiles what both need.

    Returns the grading by the judge as its files are now, of which the run's folder has copies then.

    Raises GradingError for a judge that fails or gives no score in men, EndgameError as `make` does.
    """
    experiment = grading.experiment
    if grading.endgame_pieces:
        opened(experiment.rule_set, grading.endgame_pieces).value(experiment.rule_set.start)
    if grading.judge is None:
        return grading
    judge = _Judge(grading.judge, Game(experiment.rule_set), str(experiment.seed), experiment.allowance)
    judge.judgement()
    files, copies = dict(judge.player.files), str(folder.resolve() / COPIES)
    if edited := keep(files, copies):
        raise GradingError(f"{edited[0]} was changed while the judge was tried; run the same command again")
    return grading._replace(judge=replace(grading.judge, files=files, copies=copies))


def grade(grading: Grading, ledger: Ledger, counting: Sequence[int], workers: Workers, observer: Observer) -> bool:
    """Make the endgame tables that are missing, then grade what is not graded; whether it was not stopped.

    `counting` has the keys of the games that count. Grades are the same for any number of workers and
    interruptions. Raises GradingError for a judge that fails, looks no deeper than a player or has the name of
    another; EndgameError if tables cannot be made or loaded; EngineError as `arena.play.workers.run` does.
    """
    grading = try_out(grading, ledger.folder)
    experiment = grading.experiment
    if grading.judge is not None:
        _introduce(grading.judge, experiment.players, ledger)
    query = f"SELECT {CHECKSUM}, opening_fen, plies, moves FROM games WHERE key = ?"

    def store(graded: GradedGame) -> None:
        ledger.insert(GRADES, graded._asdict())

    for name, games in ungraded(grading, ledger, counting).items():
        judge = None if name == TABLES_JUDGE else grading.judge
        conditions = grading.endgame_pieces, judge, experiment.seed, experiment.allowance
        rows = (next(ledger.rows(query, (key,))) for key in games)
        tasks = (
            GradeTask(key, mark, experiment.rule_set, opening, plies, moves, *conditions)
            for key, (mark, opening, plies, moves) in zip(games, rows, strict=True)
        )
        what, players = f"games graded by {name}", [] if judge is None else [judge]
        if not carry_through(what, grade_game, tasks, len(games), store, workers, observer, players):
            return False
    return True


def ungraded(grading: Grading, ledger: Ledger, counting: Sequence[int]) -> dict[str, list[int]]:
    """The keys of those games that have no grades yet, by judges who lack some; `counting` has all that count."""
    found = {}
    current = f"FROM grades JOIN games ON grades.key = games.key AND graded = games.{CHECKSUM}"
    query = f"SELECT grades.key {current} WHERE judge = ? AND endgame_pieces >= ?"
    empty = {key for (key,) in ledger.rows("SELECT key FROM games WHERE plies = 0")}
    for judge in grading.judges:
        pieces = grading.endgame_pieces if judge == TABLES_JUDGE else 0
        done = empty | {key for (key,) in ledger.rows(query, (judge, pieces))}
        if games := [key for key in counting if key not in done]:
            found[judge] = games
    return found


def grade_game(task: GradeTask) -> GradedGame:
    """Grade the decisions of a game, by the task's judge or by tables. Raises GradingError and EndgameError."""
    return _by_tables(task) if task.judge is None else _by_player(task, task.judge)


def _by_tables(task: GradeTask) -> GradedGame:
    tables, rules = opened(task.variant, task.endgame_pieces), task.variant.rules
    grades: list[Grade] = []
    decisions = [0, 0]
    if (unpacked([task.moves], [task.plies])["pieces"] > task.endgame_pieces).all():
        return task.by(TABLES_JUDGE, (), (0, 0))
    played = _replayed(task)
    for ply, (position, move) in enumerate(zip(played.positions, played.moves, strict=False), start=1):
        if _pieces(position) > task.endgame_pieces or tables.value(position) is None:
            continue
        legal = legal_moves(rules, position)
        decisions[position.turn] += len(legal) > 1
        values = {other: _before(tables.value(after_move(rules, position, other)[0])) for other in legal}
        # the quickest win, then a draw, then the longest resistance
        best = max(values.values(), key=lambda value: (value.result, -value.result * value.plies))
        chosen = values[move]
        if all(value.result == best.result for value in values.values()):
            continue
        best_move = move if chosen == best else next(other for other in legal if values[other] == best)
        points = (1 + best.result) / 2, (1 + chosen.result) / 2
        text = move_text(task.variant, position, best_move, legal)
        grades.append(Grade(ply, _pieces(position), text, *points))
    return task.by(TABLES_JUDGE, grades, (decisions[0], decisions[1]))


def _by_player(task: GradeTask, spec: PlayerSpec) -> GradedGame:
    """The judge searches a position outside the tables for the best move and, where another one was played, the
    position after that.
    """
    played, variant = _replayed(task), task.variant
    game = Game(variant, played.start)
    grades: list[Grade] = []
    decisions = [0, 0]
    of_before: Judgement | None = None
    seed, where = f"{task.seed} grade {task.opening_fen}", f" in game {short_id(task.key)}"
    judge = _Judge(spec, game, seed, task.allowance, where)
    for ply, move in enumerate(played.moves, start=1):
        position, legal = game.position, game.legal_moves
        best, of_before = of_before, None
        if len(legal) == 1 or _pieces(position) <= task.endgame_pieces:
            game.push(move)
            continue
        best = after = best or judge.judgement()
        game.push(move)
        if best.move != move:
            _, points, score = of_before = judge.judgement()
            # for the side that moved into the position
            after = Judgement(0, None if points is None else 1 - points, None if score is None else -score)
        decisions[position.turn] += 1
        text = move_text(variant, position, best.move, legal)
        men = [None if value is None else round(value, _MEN_DECIMALS) for value in (best.men, after.men)]
        grades.append(Grade(ply, _pieces(position), text, best.points, after.points, *men))
    return task.by(spec.name, grades, (decisions[0], decisions[1]))


class Judgement(NamedTuple):
    """What a judge thinks of a position, from the side to move's view."""

    move: int
    """The best one; 0 where the game is over."""
    points: float | None = None
    """0 to 1 where they are certain, else None."""
    men: float | None = None
    """The score where nothing is certain, else None."""


class _Judge:
    """A player that is asked what it thinks of the positions of a game, which is moved on outside."""

    def __init__(self, spec: PlayerSpec, game: Game, seed: str, allowance: Allowance, where: str = "") -> None:
        """Raises GradingError if it cannot be built or does not say what a man is worth; `where` ends its line."""
        self._spec, self._game, self._rng, self._where = spec, game, random.Random(seed), where
        with self._blamed():
            self.player = begin_game(spec, game.variant, game.start, seed, allowance)
            if (man := self.player.man_value) is None:
                raise AnswerError("does not say what a man is worth in its scores")
            self._man = man

    def judgement(self) -> Judgement:
        """Search the game's position under the player's limit. Raises GradingError."""
        game = self._game
        if (outcome := game.outcome) is not None:
            return Judgement(0, 0.5 if outcome.winner is None else float(outcome.winner == game.turn))
        with self._blamed():
            choice = self.player.choose(game, self._spec.limit, self._rng).choice
            if choice.plies_to_win:
                return Judgement(choice.move, float(choice.plies_to_win > 0))
            if choice.score is None:
                raise AnswerError("gives no score")
        return Judgement(choice.move, None, choice.score / self._man)

    @contextmanager
    def _blamed(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise GradingError(f"the judge {self._spec.name} {failure_of(error)}{self._where}") from None


def _introduce(judge: PlayerSpec, players: Iterable[PlayerSpec], ledger: Ledger) -> None:
    """Store what a judge is. Raises GradingError if another one has its name, or it looks no deeper."""
    if line := _shallow(judge, players, ledger):
        raise GradingError(line)
    files = placed(judge.files, ledger.folder)
    described = json.loads(json.dumps({"entry": entry_of(judge), "files": files}))
    judges = dict(ledger.documents().get(JUDGES, {}))
    if judge.name not in judges:
        ledger.delete(GRADES, "judge = ?", (judge.name,))  # that another one of its name may have left
        ledger.put(JUDGES, {**judges, judge.name: described})
    elif judges[judge.name] != described:
        raise GradingError(
            f"{ledger.folder} has grades by another judge of the name {judge.name!r}: give this one its own "
            "name, as in {name: ..., type: ...}"
        )


def _replayed(task: GradeTask) -> PlayedGame:
    texts = [text.decode() for text in unpacked([task.moves], [task.plies])["move"].tolist()]
    played = replayed(task.variant, task.opening_fen, texts)
    for problem in played.problems:
        raise GradingError(f"game {short_id(task.key)} cannot be replayed: {problem.message}")
    return played


def _pieces(position: Position) -> int:
    return (position.white | position.black).bit_count()


def _before(value: EndingValue | None) -> EndingValue:
    """What a position is worth to the side that moved into it, from where it stood."""
    assert value is not None, "a move out of the tables' positions leads to one of fewer pieces, or as many"
    return EndingValue(-value.result, value.plies + 1 if value.result else 0)


def graded_counts(folder: Path, grading: Grading) -> str:
    """A line for each judge of a run: how many games and decisions it has graded."""
    from arena.ledger.read import read  # with pandas, which takes longer to import than a short run

    lines, data = [], read(folder)
    for judge in grading.judges:
        graded, grades = (table[table["judge"] == judge] for table in (data.graded, data.grades))
        decisions = int(graded["white_decisions"].sum() + graded["black_decisions"].sum())
        name, what = judge, f"{decisions:,} decisions"
        if judge == TABLES_JUDGE:
            errors = int((grades["played"] < grades["best"]).sum())
            name = f"endgame tables of up to {grading.endgame_pieces} pieces"
            what += f", {len(grades):,} of which can err, {errors:,} errors"
        lines.append(f"{name}: {counted(len(graded), 'game')}, {what}")
    return "\n".join(lines)
