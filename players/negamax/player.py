"""The negamax player: its switches and limits, its memory, and what it reports of the compiled search."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from arena.rules.endgame.retrograde import opened
from arena.rules.endgame.tables import EndgameError, EndgameTables
from arena.rules.game import Game
from arena.rules.position import Position
from arena.rules.result import Draws
from arena.rules.rules import Rules
from arena.rules.variants import Variant
from players.evaluation.build import Description, build_evaluation
from players.evaluation.evaluator import Evaluation
from players.evaluation.sample import man_at_start, man_value
from players.loading import PlayerError
from players.memory import MOST_KEPT, Record, address_of_array
from players.negamax.score import plies_to_win, undefined_value
from players.negamax.search import compiled_search
from players.negamax.state import HISTORY, LINE_PLIES, MAX_DEPTH, SearchResult, State, draw_rules
from players.negamax.switches import DEFAULT_PRESET, PresetName, Switches, numbers_of, switches_of
from players.negamax.table_and_order import new_table
from players.player import AnswerError, Choice, Limit

_RESERVE = 0.0005  # seconds of a move that are kept for what happens around the search
_NONE = np.zeros((0, 4), np.int64)


class Workspace(Record):
    """The record of negamax, and its transposition table."""

    def __init__(self, megabytes: int, settings: Mapping[str, Any]) -> None:
        """Room for searches with a table of `megabytes` megabytes, 0 for none."""
        self.table = new_table(megabytes)
        table = {"tt_address": address_of_array(self.table), "tt_words": self.table.size}
        super().__init__(State, SearchResult, {**table, **settings})

    def forget(self) -> None:
        """Empty the table and the history of moves."""
        state = self.states[0]
        state["oldest"] = state["generation"] + 1
        state["history"][:] = 0


class Searcher:
    """A player around a compiled search: the limits that it takes, and what it reports."""

    name: ClassVar[str]  # in messages
    evaluation: Evaluation
    kept: bool
    workspace: Record
    _variant: Variant
    _rules: Rules
    _search: Any  # the compiled search, with the parameters of `players.negamax.search.search`
    _deepens: bool  # whether it searches to depth 1, 2, 3 ..., and so needs no limit of depth
    _sees_history: bool  # whether its search reads the game's earlier positions

    def begin(self) -> None:
        """Forget what the searches of a game left for the next ones, if anything."""

    @cached_property
    def man_value(self) -> float | None:
        """What a man is worth in the evaluation's unit."""
        return man_value(self._variant, self.evaluation)

    def choose(self, game: Game, limit: Limit, rng: random.Random) -> Choice:
        """Search until the first limit is met and choose the best move; `budget` shares out a clock.

        Raises AnswerError if the evaluation has no finite value in a position that was searched.
        """
        self.check_limit(limit)
        return self.search(game, limit.depth or MAX_DEPTH, limit.nodes or 2**62, *budget(limit), rng)

    def search(self, game: Game, depth: int, nodes: int, soft: float, hard: float, rng: random.Random) -> Choice:
        """Search so many plies, positions and seconds (`budget`) at most, with no score if no move was searched in
        time.

        Raises AnswerError as `choose`.
        """
        workspace = self.workspace
        score = self._search(
            self._rules,
            workspace.states,
            game.position,
            earlier_positions(game) if self._sees_history else _NONE,
            (game.without_progress, game.without_capture),
            give_moves(self.root_moves(game), workspace.states),
            depth,
            nodes,
            soft,
            hard,
        )
        answer = workspace.answer()
        if answer.undefined:
            raise self.undefined_value()
        if not answer.found:
            return _choice(answer, game.legal_moves[0])
        line = workspace.line[: answer.line_length].tolist()
        if answer.tie_count:
            move = rng.choice(workspace.array["tied_moves"][0, : answer.tie_count].tolist())
            line = line if line[0] == move else [move]
        return _choice(answer, line[0], score, tuple(line), self.plies_to_win(score, answer.completed))

    def root_moves(self, game: Game) -> Sequence[int]:
        """The moves to choose from, in this order; none if the search is to list them itself."""
        return game.legal_moves if game.variant.king_moves else ()

    def plies_to_win(self, score: float, _depth: int) -> int:
        """Plies to the win that the score of a search of so many plies is, less than 0 to a loss; 0 if neither."""
        return plies_to_win(score)

    def undefined_value(self) -> AnswerError:
        """The failure of the last search, in which the evaluation had no finite value."""
        position = Position(*self.workspace.states[0]["undefined_at"].tolist())
        value = self.evaluation.values(self._rules, [position]).item()
        return undefined_value(self._variant, position, value)

    def progress(self) -> Choice | None:
        """The findings so far of the current search, without its score, for another thread; None if nothing yet.
        Its line may be half another one if the search writes it just then."""
        answer = self.workspace.answer()
        if not answer.found or not 0 < answer.line_length < LINE_PLIES:
            return None
        line = self.workspace.line[: answer.line_length].tolist()
        return _choice(answer, line[0], None, tuple(line))

    def stop(self) -> None:
        self.workspace.stop()

    def check_limit(self, limit: Limit) -> None:
        if limit.depth is not None and not 1 <= limit.depth <= MAX_DEPTH:
            raise ValueError(f"{self.name} searches 1 to {MAX_DEPTH} plies, not {limit.depth}")
        if limit.depth is None and not self._deepens:
            raise ValueError(f"{self.name} without iterative deepening needs the limit 'depth'")
        if limit.depth is limit.nodes is limit.seconds is limit.clock is None:
            raise ValueError(f"{self.name} needs a limit: depth, nodes, seconds or clock")


class Negamax(Searcher):
    """Negamax with each technique a switch: a `preset` (minimax, alphabeta, iddfs, pvs, mtdf, full) and changes.

    `players.negamax.switches.Switches` says what each switch does.
    """

    name = "negamax"
    workspace: Workspace

    def __init__(
        self,
        variant: Variant,
        evaluation: Description = "simple",
        preset: PresetName = DEFAULT_PRESET,
        **switches: Annotated[Any, Switches],
    ) -> None:
        self.switches = switches_of(preset, switches)
        self.kept = self.switches.tt <= MOST_KEPT
        self.evaluation = build_evaluation(evaluation, variant)
        self._variant, self._rules = variant, variant.rules
        self._tables = _tables(variant, self.switches.tables)
        self._search, address = compiled_search(self._rules)
        self._deepens, self._sees_history = self.switches.iterative, self.switches.draws
        self.workspace = Workspace(
            self.switches.tt,
            {
                **numbers_of(self.switches),
                **draw_rules(variant.draws if self.switches.draws else Draws()),
                "man": man_at_start(variant, self.evaluation),
                "evaluation": self.evaluation.address,
                "weights": address_of_array(self.evaluation.weights),
                "search": address,
                "tables_address": 0 if self._tables is None else self._tables.address,
            },
        )
        self.begin()

    def begin(self) -> None:
        self.workspace.forget()


def _choice(
    answer: SearchResult, move: int, score: float | None = None, line: tuple[int, ...] = (), plies_to_win: int = 0
) -> Choice:
    # in its order, as names would take a quarter of a microsecond more
    counts = answer.completed, answer.deepest, answer.nodes, *answer[2:8]
    return Choice._make((move, score, *counts, line, plies_to_win, None))


def _tables(variant: Variant, pieces: int) -> EndgameTables | None:
    if not pieces:
        return None
    try:
        return opened(variant, pieces)
    except EndgameError as error:
        raise PlayerError(str(error), "tables") from None


def budget(limit: Limit) -> tuple[float, float]:
    """Divide a limit: the seconds after which no iteration begins, and those after which the search stops.

    On a clock a move is to take `wanted` seconds: an equal part of what is left, at least a twentieth, and most of
    the increment. No iteration begins after half of them; the search stops after three times as many, after a
    third of the clock or, with few moves to go, its part.
    """
    soft = hard = np.inf
    if limit.seconds is not None:
        hard = max(limit.seconds - _RESERVE, limit.seconds / 2)
        soft = limit.seconds / 2
    if limit.clock is not None:
        part = limit.clock / min(limit.moves or 20, 20)
        wanted = part + 0.8 * (limit.increment or 0.0)
        hard = min(hard, 3 * wanted, max(part - _RESERVE, limit.clock / 3))
        soft = min(soft, wanted / 2)
    return soft, hard


def earlier_positions(game: Game) -> NDArray[np.int64]:
    """The game's positions before this one that a draw may depend on, `int64[n, 4]`, the oldest first."""
    count = min(game.without_progress, HISTORY - 1)
    return np.array(game.positions[-1 - count : -1], np.int64).reshape(count, 4)


def give_moves(moves: Sequence[int], states: Any) -> int:
    """Write the root's moves into the one state and return how many."""
    if moves:
        states[0]["moves"][: len(moves)] = moves
    return len(moves)
