"""Suites of a run: their positions, from files or drawn at random, and what players answer after the games."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from math import nan
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from arena.base import ArenaError
from arena.base.files import unicode_text, unreadable
from arena.base.wording import MAX_CHARACTERS, counted, cut, quoted
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import is_even, random_line
from arena.hosting.handle import failure_of
from arena.hosting.player_process import begin_game
from arena.ledger.ledger import ANSWERS, Ledger
from arena.ledger.record import SuiteAnswer
from arena.play.match import REASON_CHARACTERS, lateness
from arena.play.workers import Workers, carry_through
from arena.rules.custom import VariantError, build_variant
from arena.rules.game import Game
from arena.rules.move_text import parse_move
from arena.rules.notation import NotationError, fen, parse_fen
from arena.rules.pdn.read import read_pdn
from arena.rules.variants import VARIANTS, Variant
from arena.watch.status import Observer
from players.player import Allowance, Limit, PlayerSpec

FORM = "FEN ; best moves"
"""A line of a file."""
ONE_PLY = PlayerSpec("one ply (greedy)", "greedy")
"""The baseline of suites that looks one ply ahead."""
PLIES = (6, 40)
"""Random plies to the first and to the last position that is drawn: from the opening to positions of 9 or 10
pieces on the small boards."""
_TRIES = 1000
"""Random lines tried for each position before giving up."""
_MAX_MESSAGE = 300
"""Characters of an error in a file, which may quote it."""
_USUAL = Allowance()
_RULES = re.compile(r"variant:\s*(\S+)")


class Puzzle(NamedTuple):
    """Sets a position as a task: its FEN, and the moves that solve it, if it has a solution."""

    fen: str
    best: str = ""
    """The texts of moves, as `18-15 24-19`."""


class Suite(NamedTuple):
    """Positions to solve, or only to search, all by the same rules."""

    name: str
    variant: Variant
    puzzles: tuple[Puzzle, ...]
    depth: int | None = None
    """Plies that every player searches, in place of its own limit."""

    def spread(self, number: int | None) -> Suite:
        """The suite with `number` of its positions, spread evenly; with all for None or where it has no more."""
        size = len(self.puzzles)
        count = min(number or size, size)
        return self._replace(puzzles=tuple(self.puzzles[i * size // count] for i in range(count)))


def suites_of(experiment: Experiment) -> tuple[Suite, ...]:
    """The suites of a configuration. Raises ConfigError."""
    suites, variant = list[Suite](), experiment.rule_set
    for number, entry in enumerate(experiment.suite):
        key = "random" if entry.name is None else "name"
        try:
            if entry.random is not None:
                drawn = random_puzzles(variant, entry.random, experiment.seed)
                suites.append(Suite(entry.title, variant, drawn, entry.depth))
                continue
            suite = read_suite(entry.path(experiment.path.parent), variant)
            if suite.variant.rules != variant.rules:
                others = f"the suite {quoted(suite.name)} is of {suite.variant.name}"
                raise ArenaError(f"{others}, the run of {variant.name}")
            suites.append(suite.spread(entry.count))
        except ArenaError as error:
            raise experiment.error(("suite", number, key), str(error)) from None
    return tuple(suites)


def read_suite(path: Path, variant: Variant = VARIANTS["english"]) -> Suite:
    """The suite of a file: a PDN, whose games begin with the solution, or lines of FORM.

    Its rules are those that it names, in a line `variant: NAME` or a tag GameType, else `variant`.
    Empty lines and lines that begin with `#` are skipped. Raises ArenaError with file, line and value.
    """
    try:
        is_pdn = path.suffix.lower() == ".pdn"
        rules, puzzles = _of_pdn(path, variant) if is_pdn else _of_lines(path, variant)
    except (OSError, ValueError) as error:
        raise ArenaError(unreadable(path, error)) from None
    if not puzzles:
        raise ArenaError(f"{path.name} has no positions: expected lines of {FORM}")
    return Suite(path.stem, rules, tuple(puzzles))


def _of_lines(path: Path, variant: Variant) -> tuple[Variant, list[Puzzle]]:
    puzzles = list[Puzzle]()
    for number, line in enumerate(unicode_text(path).splitlines(), start=1):
        try:
            if named := _RULES.fullmatch(line.strip()):
                variant = build_variant(named[1])
            elif line.strip() and not line.lstrip().startswith("#"):
                position, _, moves = (part.strip() for part in line.partition(";"))
                if not moves:
                    raise NotationError(f"{cut(line, MAX_CHARACTERS)!r} is not {FORM}")
                game, words = Game(variant, parse_fen(variant, position)), filter(None, re.split(r"[\s,]+", moves))
                best = (game.text(parse_move(variant, game.position, word)) for word in words)
                puzzles.append(Puzzle(fen(variant, game.position), " ".join(dict.fromkeys(best))))
        except (NotationError, VariantError) as error:
            raise ArenaError(f"{path.name}:{number}: {cut(str(error), _MAX_MESSAGE)}") from None
    return variant, puzzles


def _of_pdn(path: Path, variant: Variant) -> tuple[Variant, list[Puzzle]]:
    read = read_pdn(path, variant)
    if problem := next((problem for problem in read.problems if problem.game), None):
        raise ArenaError(cut(str(problem), _MAX_MESSAGE))
    puzzles = []
    for game in read.games:
        if game.variant != read.games[0].variant or not game.moves:
            fault = "has no moves" if not game.moves else f"is of {game.variant.name}, unlike the first game"
            raise ArenaError(f"{path}: game {game.number} {fault}")
        solution = Game(game.variant, game.start).text(game.moves[0])
        puzzles.append(Puzzle(fen(game.variant, game.start), solution))
    return read.games[0].variant if read.games else variant, puzzles


def random_puzzles(variant: Variant, count: int, seed: int) -> tuple[Puzzle, ...]:
    """Distinct positions after random plies, spread evenly over PLIES, without solutions.

    In each there is a choice of moves, and no side wins material by force within
    `arena.experiment.openings.sources.EVEN_DEPTH` plies. The same seed gives the same positions. Raises
    ArenaError if fewer are found.
    """
    rng, (first, last) = random.Random(f"suite {seed}"), PLIES
    puzzles: dict[Puzzle, None] = {}
    for number in range(count):
        length = first + round(number * (last - first) / max(count - 1, 1))
        for _ in range(_TRIES):
            game = random_line(variant, length, rng)
            puzzle = Puzzle(fen(variant, game.position))
            is_new = puzzle not in puzzles and game.outcome is None and len(game.legal_moves) > 1
            if is_new and is_even(variant, game.position):
                puzzles[puzzle] = None
                break
        else:
            found = f"only {number} of {count} balanced positions were found"
            raise ArenaError(f"{found}, none more after {length} random plies")
    return tuple(puzzles)


class Question(NamedTuple):
    """A position of a suite for one player under its limit."""

    player: PlayerSpec
    hash: str
    """Of the player's settings and files: `arena.ledger.info.player_hash`."""
    suite: str
    number: int
    """Of the position in its suite, from 1."""
    puzzle: Puzzle
    variant: Variant
    seed: int
    allowance: Allowance

    def __str__(self) -> str:
        return f"{self.player.name} at position {self.number} of {self.suite}"


def questions(
    suite: Suite,
    players: Sequence[PlayerSpec],
    hashes: Mapping[str, str] = MappingProxyType({}),
    seed: int = 0,
    allowance: Allowance = _USUAL,
) -> Iterator[Question]:
    """Each position of a suite for each player, whose hashes stand by their names."""
    if suite.depth is not None:
        players = [replace(spec, limit=Limit(depth=suite.depth)) for spec in players]
    for number, puzzle in enumerate(suite.puzzles, start=1):
        for spec in players:
            mark = hashes.get(spec.name, "")
            yield Question(spec, mark, suite.name, number, puzzle, suite.variant, seed, allowance)


def solve(question: Question) -> SuiteAnswer:
    """Have a player, begun for it alone, answer a question; its failure, or being late, is the answer's error."""
    spec, puzzle = question.player, question.puzzle
    game, best = Game(question.variant, puzzle.fen), puzzle.best.split()
    seed = f"{question.seed} {question.suite} {question.number}"
    move, depth, nodes, seconds, cpu_seconds, error = "", 0, 0, 0.0, nan, ""
    try:
        player = begin_game(spec, game.variant, game.start, seed, question.allowance)
        choice, seconds, cpu_seconds, _ = player.choose(game, spec.limit, random.Random(seed))
    except Exception as failure:
        error = cut(str(failure_of(failure)), REASON_CHARACTERS)
    else:
        move, depth, nodes = game.text(choice.move), choice.depth, choice.nodes
        error = lateness(seconds, spec.limit.overrun(seconds), question.allowance)
    return SuiteAnswer(
        suite=question.suite,
        position=question.number,
        fen=puzzle.fen,
        player=spec.name,
        legal_moves=len(game.legal_moves),
        best_moves=len(best),
        best=puzzle.best,
        move=move,
        solved=move in best and not error,
        depth=depth,
        nodes=nodes,
        seconds=seconds,
        cpu_seconds=cpu_seconds,
        error=error,
        hash=question.hash,
    )


def unanswered(asked: Collection[Question], ledger: Ledger) -> list[Question]:
    """The questions that the ledger lacks answers to.

    Answers to what these suites ask no more, and of players as they were before they changed, are removed.
    """
    missing = {(each.player.name, each.suite, each.number, each.hash, *each.puzzle): each for each in asked}
    suites = {question.suite for question in asked}
    query = "SELECT player, suite, position, hash, fen, best FROM answers"
    for player, suite, position, *content in list(ledger.rows(query)):
        if missing.pop((player, suite, position, *content), None) is None and suite in suites:
            ledger.delete(ANSWERS, "player = ? AND suite = ? AND position = ?", (player, suite, position))
    return list(missing.values())


def answer(asked: Collection[Question], ledger: Ledger, workers: Workers, observer: Observer) -> bool:
    """Have players answer the questions that are unanswered; whether nobody stopped it.

    Raises EngineError as `arena.play.workers.run` does.
    """
    missing, failures = unanswered(asked, ledger), list[SuiteAnswer]()
    if not missing:
        return True

    def store(answer: SuiteAnswer) -> None:
        ledger.insert(ANSWERS, answer._asdict())
        if answer.error:
            failures.append(answer)

    what, players = "answers to suites", [question.player for question in missing]
    is_whole = carry_through(what, solve, missing, len(missing), store, workers, observer, players)
    if failures:
        first, number = failures[0], counted(len(failures), "answer")
        observer.say(f"{number} failed; {first.player} at position {first.position} {first.error}")
    return is_whole
