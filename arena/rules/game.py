"""Game: a position with its history, and the ways in which a game ends."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, NamedTuple

from arena.base.wording import quoted
from arena.rules.board import Board
from arena.rules.custom import build_variant
from arena.rules.move_text import MoveSquares, move_squares, move_text, not_legal, parse_move
from arena.rules.movegen import after_move, legal_moves
from arena.rules.moves import points, sides
from arena.rules.notation import NO_RUNS, KingRuns, NotationError, fen, parse_start, piece_letter
from arena.rules.pdn.write import write_pdn
from arena.rules.played import PlayedGame
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.result import NO_RESULT, Ending, in_balance, plies_left, points_text
from arena.rules.variants import Variant


class Termination(StrEnum):
    """Names why a game ended, as it is recorded, and in words for people."""

    words: str

    def __new__(cls, name: str, words: str = "") -> Termination:
        termination = str.__new__(cls, name)
        termination._value_, termination.words = name, words
        return termination

    NO_PIECES = "no_pieces", "all pieces captured"
    """The side to move has no pieces: it loses, or wins where losing wins. NO_MOVES is decided the same way."""
    NO_MOVES = "no_moves", "no legal moves"
    POINTS = "points", "nobody can move"
    """The points decide."""
    REPETITION = "repetition", "position repeated"
    """By the draw rules, as the next three: `arena.rules.result.Draws`."""
    NO_PROGRESS = "no_progress", "no progress"
    NO_CAPTURE = "no_capture", "no capture"
    ENDING = "ending", "endgame draw rule"
    FIRST_KING = "first_king", "first king"
    """A side has a king and wins by it."""
    MAX_PLIES = "max_plies", "ply limit reached"
    """The arena's own limit: the game is adjudicated a draw."""
    ADJUDICATED_WIN = "adjudicated_win", "adjudicated as won"
    """The scores had one player far enough ahead for long enough."""
    ADJUDICATED_DRAW = "adjudicated_draw", "adjudicated as drawn"
    """The scores of both players were level for long enough."""
    ADJUDICATED_TABLES = "adjudicated_tables", "adjudicated by endgame tables"
    TIME = "time", "out of time"
    """A player took more time than its limit allows and loses."""
    ILLEGAL_MOVE = "illegal_move", "illegal move"
    """A player returned a move that is not legal and loses."""
    ERROR = "error", "error of a player"
    """A player raised an exception, or its process ended, and loses."""
    RESIGNED = "resigned", "resignation"
    AGREEMENT = "agreement", "agreed draw"


FORFEITS = (Termination.TIME, Termination.ILLEGAL_MOVE, Termination.ERROR)  # ends of a game by a player's failure
ADJUDICATED = (Termination.ADJUDICATED_WIN, Termination.ADJUDICATED_DRAW, Termination.ADJUDICATED_TABLES)
"""Ends of a game before its rules end it."""


class Outcome(NamedTuple):
    """Says how a game ended: `winner` is WHITE, BLACK, or None for a draw."""

    winner: int | None
    termination: Termination
    points: tuple[int, int] | None = None
    """White's and Black's points, where they decided the game."""

    @property
    def result(self) -> str:
        """Who won: `white`, `black`, or `draw`."""
        return {WHITE: "white", BLACK: "black", None: "draw"}[self.winner]


class Game:
    """Plays a game: `position`, its `legal_moves`, the `moves` so far, the `positions` from the start to now, and
    `outcome` once it is over. A move is an integer, which only its position gives a meaning: `text` and `squares`
    say which move it is, `move` finds the move of a text."""

    def __init__(self, variant: Variant | str | Mapping[str, Any], position: Position | str | None = None) -> None:
        """Begin at the start of a variant (a name, or a base and what is different), or at another position or
        FEN.

        Raises ValueError, in one line, for an unknown variant or a wrong FEN.
        """
        self.variant = variant = build_variant(variant)
        self.start_runs = NO_RUNS  # the king moves in a row that the FEN of the start had
        if isinstance(position, str):
            position, self.start_runs = parse_start(variant, position)
        elif not isinstance(position, Position | None):
            raise ValueError(f"{quoted(position)} is neither a Position nor a FEN")
        self.start = variant.start if position is None else position
        self.moves: list[int] = []
        self.positions: list[Position] = []
        self._seen: Counter[Position] = Counter()
        self._undo: list[tuple[list[int], int, int, tuple[int, ...], KingRuns]] = []  # what `pop` restores
        self.without_progress = 0
        """Plies since the last capture or move of a man."""
        self.without_capture = 0
        """Plies since the last capture."""
        self.occurrences = 0
        """How often the position has occurred, this time included."""
        self._balanced = (0,) * len(variant.draws.endings)  # the plies that the balance of each ending has lasted
        self._most_in_endings = max((ending.most for ending in variant.draws.endings), default=0)
        self._king_runs = self.start_runs
        self._enter(self.start, legal_moves(variant.rules, self.start))

    def push(self, move: int | str) -> None:
        """Play a move, or the move that a text means. Raises ValueError if it is not legal."""
        if isinstance(move, str):
            move = self.move(move)
        elif move not in self.legal_moves:
            raise self._not_legal(move)
        before = self.position
        own, other = sides(before)
        after, legal = after_move(self.variant.rules, before, move)
        self._undo.append(
            (self.legal_moves, self.without_progress, self.without_capture, self._balanced, self._king_runs)
        )
        captured, by_man = move & other, move & own & ~before.kings
        self.without_capture = 0 if captured else self.without_capture + 1
        self.without_progress = 0 if captured or by_man else self.without_progress + 1
        if self.variant.king_moves:
            self._king_runs = self._runs_after(move, own, captured, by_man)
        if self._balanced and (after.white | after.black).bit_count() <= self._most_in_endings:
            self._balanced = tuple(
                count + 1 if self._lasts(ending, before, after, captured) else 0
                for ending, count in zip(self.variant.draws.endings, self._balanced, strict=True)
            )
        self.moves.append(move)
        self._enter(after, legal)

    def pop(self) -> int:
        """Take the last move back and return it. Raises IndexError if there is none."""
        if not self.moves:
            raise IndexError("there is no move to take back")
        self._seen[self.positions.pop()] -= 1
        self.position = self.positions[-1]
        self.occurrences = self._seen[self.position]
        (self.legal_moves, self.without_progress, self.without_capture, self._balanced, self._king_runs) = (
            self._undo.pop()
        )
        return self.moves.pop()

    def copy(self) -> Game:
        """Copy the game, to play on without changing this one."""
        copied = Game.__new__(Game)
        copied.__dict__.update(self.__dict__)
        copied.moves, copied.positions = list(self.moves), list(self.positions)
        copied._seen, copied._undo = Counter(self._seen), list(self._undo)
        return copied

    def move(self, text: str) -> int:
        """Find the legal move of a text: `11-15`, `c3-d4`, `22x15`, `pass`, or a capture by its path (`1x10x19`),
        some squares of it, or its ends and what it captures. Raises ValueError, in one line with the legal moves,
        if none or several fit."""
        return parse_move(self.variant, self.position, text, self.legal_moves)

    def text(self, move: int) -> str:
        """Write a legal move as PDN does: `11-15`, `22x15`, `pass`; by its path (`1x10x19`) where another capture
        has the same ends. Raises ValueError for any other move."""
        return move_text(self.variant, self.position, move, self.legal_moves)

    def squares(self, move: int) -> MoveSquares:
        """The squares of a legal move by number: `origin`, `target`, `captured`. Raises ValueError for any
        other."""
        if move not in self.legal_moves:
            raise self._not_legal(move)
        return move_squares(self.variant, self.position, move)

    @property
    def legal_texts(self) -> list[str]:
        """The legal moves as PDN writes them, in the order of `legal_moves`."""
        return [self.text(move) for move in self.legal_moves]

    @property
    def turn(self) -> int:
        """The side to move, WHITE or BLACK."""
        return self.position.turn

    @property
    def pieces(self) -> dict[int, str]:
        """The occupied squares by their numbers: `w W b B`, men and kings."""
        occupied = self.variant.numbers_of(self.position.white | self.position.black)
        return {number: piece_letter(self.position, self.variant.bits[number - 1]) for number in occupied}

    @property
    def fen(self) -> str:
        """The position as FEN, such as `B:W18,24,K10:B12,K3`."""
        return fen(self.variant, self.position, self._king_runs)

    @property
    def start_fen(self) -> str:
        """The start as FEN."""
        return fen(self.variant, self.start, self.start_runs)

    @property
    def pdn(self) -> str:
        """The game as PDN 3.0, with the result `*` while it goes on."""
        outcome = self.outcome
        result = outcome.result if outcome else NO_RESULT
        comments = {len(self.moves): points_text(outcome.points)} if outcome and outcome.points else {}
        return write_pdn(
            PlayedGame(self.variant, self.start, self.moves, result, comments=comments, king_runs=self.start_runs)
        )

    def board(self, **options: Any) -> Board:
        """Draw the position with its last move, with the options of `Board`, such as `arrows`."""
        last = None
        if self.moves:
            last = move_squares(self.variant, self.positions[-2], self.moves[-1])
        return Board(self.variant, self.position, **({"last": last} | options))

    def __str__(self) -> str:
        return str(self.board())

    def _repr_svg_(self) -> str:
        return self.board().svg()

    def __repr__(self) -> str:
        return f"<Game {self.variant.name}, after {len(self.moves)} plies, {self.fen}>"

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        if not self.legal_moves:
            return self._decided()
        draws = self.variant.draws
        if draws.repetition and self.occurrences >= draws.repetition:
            return Outcome(None, Termination.REPETITION)
        if draws.no_progress and self.without_progress >= draws.no_progress:
            return Outcome(None, Termination.NO_PROGRESS)
        if draws.no_capture and self.without_capture >= draws.no_capture:
            return Outcome(None, Termination.NO_CAPTURE)
        if self._balanced and any(
            plies >= ending.plies for ending, plies in zip(draws.endings, self._balanced, strict=True)
        ):
            return Outcome(None, Termination.ENDING)
        return None

    @property
    def plies_left(self) -> float:
        """Plies for which no draw rule but repetition can end the game: `arena.rules.result.plies_left`."""
        counts = (self.without_progress, self.without_capture, *self._balanced)
        return plies_left(self.variant.draws, self.variant.rules, self.position, counts)

    def _not_legal(self, move: object) -> NotationError:
        text = " but a text, whose move is game.move(text)," if isinstance(move, str) else ""
        fault = f"{quoted(move)} is not a legal move{text}"
        return NotationError(not_legal(self.variant, self.position, fault, self.legal_moves))

    def _decided(self) -> Outcome:
        rules, position = self.variant.rules, self.position
        if rules.first_king_wins and position.kings:
            return Outcome(WHITE if position.kings & position.white else BLACK, Termination.FIRST_KING)
        if rules.score_decides:
            white, black = points(rules, position)
            leader = None if white == black else WHITE if white > black else BLACK
            return Outcome(leader, Termination.POINTS, (white, black))
        own, _ = sides(position)
        winner = position.turn if rules.losing_wins else 1 - position.turn
        return Outcome(winner, Termination.NO_MOVES if own else Termination.NO_PIECES)

    def _enter(self, position: Position, legal: list[int]) -> None:
        self.position = position
        self.legal_moves = legal
        if self.variant.king_moves:
            self.legal_moves = [move for move in legal if not self._is_tired(move)]
        self.positions.append(position)
        self.occurrences = self._seen[position] = self._seen.get(position, 0) + 1

    def _lasts(self, ending: Ending, before: Position, after: Position, captured: int) -> bool:
        rules = self.variant.rules
        if captured and ending.restarts:
            return False
        return in_balance(ending, rules, after) and in_balance(ending, rules, before)

    def _runs_after(self, move: int, own: int, captured: int, by_man: int) -> KingRuns:
        """The runs of both sides' kings after a move: a king that was captured has none."""
        (last, count), (square, others) = self._king_runs[self.turn], self._king_runs[1 - self.turn]
        count = min(count + 1, self.variant.king_moves) if move & own == last else 1
        run = (0, 0) if captured or by_man else (move & ~own, count)
        other = (0, 0) if captured & square else (square, others)
        return (run, other) if self.turn == WHITE else (other, run)

    def _is_tired(self, move: int) -> bool:
        """Whether a move is one more than the same king may make in a row (`Variant.king_moves`)."""
        own, other = sides(self.position)
        king, count = self._king_runs[self.position.turn]
        has_men = own & ~self.position.kings
        return bool(has_men and count >= self.variant.king_moves and move & king and not move & other)


def game_of(played: PlayedGame, ply: int | None = None) -> Game:
    """A game read back, up to a ply or its end, from where a position was set up last if one was."""
    ply = len(played.moves) if ply is None else ply
    begins = max((at for at in played.setups if at <= ply), default=0)
    start: Position | str = played.positions[begins]
    if played.king_runs != NO_RUNS and not begins:
        start = fen(played.variant, played.start, played.king_runs)
    game = Game(played.variant, start)
    for move in played.moves[begins:ply]:
        game.push(move)
    return game
