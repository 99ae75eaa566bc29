"""The published programs as slow literal twins: rules, evaluations and searches as the text of each has them.

Nothing of the arena is used but the bits of a position, which `board_of` reads. A board is a dictionary of pieces
by (row, column), row 0 at the top; in `game3` row 0 has the columns 0, 2, 4 and 6, elsewhere 1, 3, 5 and 7.
`game3` lists moves by row, column, row step and column step. The texts of the others leave the order open: their
twins take that of `whole_moves`, in which a capture of several hops is one move.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple, TypeAlias

from arena.rules.position import BLACK, WHITE, Position

Square: TypeAlias = tuple[int, int]
Path: TypeAlias = tuple[Square, ...]

SIZE = 8
WIN = 1_000_000.0
"""A win at the root; a win in n plies is worth n less."""
TOWARDS = ((1, -1), (1, 1), (-1, 1), (-1, -1))
"""The directions in the order of `whole_moves`; Black's men go the first two, White's the others."""


class Piece(NamedTuple):
    """A man or a king of a colour."""

    colour: int
    king: bool


Board: TypeAlias = Mapping[Square, Piece]


class Move(NamedTuple):
    """The squares that a piece goes over, and those on which it captures; () and () for a pass."""

    path: Path
    taken: Path

    @property
    def ends(self) -> tuple[Square, Square, frozenset[Square]]:
        """What tells it from any other move that does something else."""
        return self.path[0], self.path[-1], frozenset(self.taken)


class Counts:
    """What a program counts while it searches."""

    def __init__(self) -> None:
        self.nodes = self.deepest = self.cutoffs_max = self.cutoffs_min = 0


class Answer(NamedTuple):
    """The value for the side to move, the move, and what was counted."""

    value: float
    move: Move
    counts: Counts


def board_of(position: Position, mirrored: bool = False, size: int = SIZE) -> Board:
    """The board of a position: of each two rows of 8, 8 bits are squares and the ninth is none; of 10 the same."""
    pieces = {}
    for row in range(size):
        for index in range(size // 2):
            column = 2 * index + 1 - row % 2
            number = size // 2 * row + index
            bit = 1 << (number + number // size)
            if (position.white | position.black) & bit:
                colour = WHITE if position.white & bit else BLACK
                place = (row, size - 1 - column if mirrored else column)
                pieces[place] = Piece(colour, bool(position.kings & bit))
    return pieces


def own_squares(board: Board, turn: int) -> list[Square]:
    """The squares of a side's pieces, row by row from the left."""
    return sorted(square for square, piece in board.items() if piece.colour == turn)


def goes(piece: Piece, row_step: int) -> bool:
    """Whether a piece goes that way: a king any, a man forward."""
    return piece.king or (row_step > 0) == (piece.colour == BLACK)


def is_free(board: Board, square: Square) -> bool:
    return square not in board and all(0 <= place < SIZE for place in square)


def hops(board: Board, square: Square, piece: Piece, taken: Path) -> Iterator[tuple[Square, Square]]:
    """The captured and the reached square of each next hop of a piece that has left its square."""
    for row, column in TOWARDS:
        over = (square[0] + row, square[1] + column)
        behind = (square[0] + 2 * row, square[1] + 2 * column)
        is_prey = over in board and over not in taken and board[over].colour != piece.colour
        if goes(piece, row) and is_prey and is_free(board, behind):
            yield over, behind


def whole_moves(board: Board, turn: int) -> list[Move]:
    """The moves of English draughts: captures, shorter ones first, or else steps by direction, row and column.

    Captures of one length stand in the order of their squares and then their hops, by `TOWARDS`; of two that
    differ only in their path the first is listed.
    """
    found: list[Move] = []
    begun = [Move((square,), ()) for square in own_squares(board, turn)]
    while begun:
        longer: dict[object, Move] = {}
        for move in begun:
            extended = continued(board, move)
            for one in extended:
                longer.setdefault(one.ends, one)
            if move.taken and not extended:
                found.append(move)
        begun = list(longer.values())
    return found or steps(board, turn)


def continued(board: Board, move: Move) -> list[Move]:
    """A capture begun with each hop that its piece has next."""
    piece = board[move.path[0]]
    rest = {square: other for square, other in board.items() if square != move.path[0]}
    ways = hops(rest, move.path[-1], piece, move.taken)
    return [Move((*move.path, behind), (*move.taken, over)) for over, behind in ways]


def steps(board: Board, turn: int) -> list[Move]:
    """The moves that capture nothing, by direction and then by square."""
    return [
        Move(((row, column), (row + down, column + right)), ())
        for down, right in TOWARDS
        for row, column in own_squares(board, turn)
        if goes(board[row, column], down) and is_free(board, (row + down, column + right))
    ]


def after(board: Board, move: Move, crowns: bool = True) -> Board:
    """The board after a move."""
    pieces = {square: piece for square, piece in board.items() if square not in move.taken}
    piece = pieces.pop(move.path[0])
    crowned = crowns and move.path[-1][0] == far_row(piece.colour)
    pieces[move.path[-1]] = Piece(piece.colour, piece.king or crowned)
    return pieces


def far_row(colour: int) -> int:
    return SIZE - 1 if colour == BLACK else 0


def own_minus_other(board: Board, turn: int, worth: Callable[[Square, Piece], float]) -> float:
    return sum(worth(square, piece) * (1 if piece.colour == turn else -1) for square, piece in board.items())


# --- game3


class PrintedGame3:
    """`game3` as its text prints it: one board that moves change and undo restores, no more repaired.

    `board[row][column]` is 0 if empty, 1 for a man and 3 for a king of Red, -1 and -3 for Black's.
    """

    RED, BLACK = 1, -1

    def __init__(self, board: Board, turn: int) -> None:
        self.board = [[0] * SIZE for _ in range(SIZE)]
        for (row, column), piece in board.items():
            colour = self.BLACK if piece.colour == BLACK else self.RED
            self.board[row][column] = 3 * colour if piece.king else colour
        self.current = self.BLACK if turn == BLACK else self.RED
        self.move_count = self.capture_count = self.nodes = 0
        self.move_history: list[tuple[Square, Square]] = []
        self.board_states = [self.copied()]

    def copied(self) -> list[list[int]]:
        return [list(row) for row in self.board]

    def get_valid_moves(self) -> list[tuple[Square, Square]]:
        captures: list[tuple[Square, Square]] = []
        steps: list[tuple[Square, Square]] = []
        for row in range(SIZE):
            for column in range(SIZE):
                if self.board[row][column] * self.current <= 0:
                    continue
                for down in (-2, -1, 1, 2):
                    for right in (-2, -1, 1, 2):
                        to = (row + down, column + right)
                        if abs(down) != abs(right) or not self.is_valid((row, column), to):
                            continue
                        (captures if abs(down) == 2 else steps).append(((row, column), to))
        return captures or steps

    def is_valid(self, start: Square, end: Square) -> bool:
        if not (0 <= end[0] < SIZE and 0 <= end[1] < SIZE) or self.board[end[0]][end[1]] != 0:
            return False
        piece, down = self.board[start[0]][start[1]], end[0] - start[0]
        if abs(piece) == 1 and (down > 0) != (piece < 0):
            return False
        between = self.board[(start[0] + end[0]) // 2][(start[1] + end[1]) // 2]
        return abs(down) == 1 or between * piece < 0

    def make_move(self, start: Square, end: Square) -> tuple[int, int]:
        """Make a move; the piece as it was, and the captured one, for `undo_move`."""
        piece, captured = self.board[start[0]][start[1]], 0
        self.board[start[0]][start[1]] = 0
        if abs(end[0] - start[0]) == 2:
            middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
            captured, self.board[middle[0]][middle[1]] = self.board[middle[0]][middle[1]], 0
        crowned = end[0] == (0 if piece > 0 else SIZE - 1)
        self.board[end[0]][end[1]] = 3 * self.current if crowned else piece
        self.move_count += 1
        self.capture_count = 0 if captured else self.capture_count + 1
        self.move_history.append((start, end))
        self.board_states.append(self.copied())
        self.current = -self.current
        return piece, captured

    def undo_move(self, piece: int, captured: int, capture_count: int) -> None:
        start, end = self.move_history.pop()
        self.board_states.pop()
        self.board[end[0]][end[1]] = 0
        self.board[start[0]][start[1]] = piece
        if captured:
            self.board[(start[0] + end[0]) // 2][(start[1] + end[1]) // 2] = captured
        self.move_count -= 1
        self.capture_count = capture_count
        self.current = -self.current

    def repeats(self) -> bool:
        last = self.move_history[-4:]
        return len(last) == 4 and last[0] == last[2] and last[1] == last[3]

    def is_game_over(self) -> bool:
        pieces = [piece for row in self.board for piece in row]
        if not any(piece > 0 for piece in pieces) or not any(piece < 0 for piece in pieces):
            return True
        if not self.get_valid_moves() or self.capture_count >= 100 or self.repeats():
            return True
        states = self.board_states[-3:]
        return len(states) == 3 and states[0] == states[1] == states[2]

    def evaluate_board(self) -> float:
        pieces = [piece for row in self.board for piece in row]
        red, black = sum(piece > 0 for piece in pieces), sum(piece < 0 for piece in pieces)
        score = sum(pieces) + 10 * (red - black if self.current == self.RED else black - red)
        return score - 1000 if self.repeats() else score

    def minimax(self, depth: int, alpha: float, beta: float) -> tuple[float, tuple[Square, Square] | None]:
        self.nodes += 1
        if depth == 0 or self.is_game_over():
            return self.evaluate_board(), None
        is_max = self.current == self.BLACK
        best, best_move = -math.inf if is_max else math.inf, None
        for move in self.get_valid_moves():
            capture_count = self.capture_count
            piece, captured = self.make_move(*move)
            value, _ = self.minimax(depth - 1, alpha, beta)
            self.undo_move(piece, captured, capture_count)
            if value > best if is_max else value < best:
                best, best_move = value, move
            if is_max:
                alpha = max(alpha, value)
            else:
                beta = min(beta, value)
            if beta <= alpha:
                break
        return best, best_move


class Game3:
    """`game3` with its errors repaired: minimax with alpha-beta on copies of the board, Black maximising.

    With `sign` leaves are valued by the printed sum, with `finals` finished games as well. If every move loses,
    none is better than the value that the program begins with: then the twin takes the first.
    """

    def __init__(self, sign: bool = False, finals: bool = False) -> None:
        self.sign, self.finals = sign, finals
        self.counts = Counts()

    def search(self, history: list[Board], turn: int, depth: int) -> Answer:
        """Search the last board of a game, which has `turn` to move."""
        self.history, self.root = list(history), turn
        value, move = self.minimax(turn, depth, -math.inf, math.inf)
        move = move or self.moves(history[-1], turn)[0]
        return Answer(value if turn == BLACK else -value, move, self.counts)

    def minimax(self, turn: int, depth: int, alpha: float, beta: float) -> tuple[float, Move | None]:
        self.counts.nodes += 1
        board = self.history[-1]
        moves = self.moves(board, turn)
        best, best_move = -math.inf if turn == BLACK else math.inf, None
        if not moves and not self.finals:
            return best, None
        is_long = len(self.history) > 100 and len(self.history[-101]) == len(board)
        if depth == 0 or not moves or (self.finals and is_long):
            return self.evaluate(board, turn), None
        for move in moves:
            self.history.append(after(board, move))
            value, _ = self.minimax(1 - turn, depth - 1, alpha, beta)
            self.history.pop()
            if turn == BLACK:
                if value > best:
                    best, best_move = value, move
                alpha = max(alpha, value)
            else:
                if value < best:
                    best, best_move = value, move
                beta = min(beta, value)
            if beta <= alpha:
                self.counts.cutoffs_max += turn == self.root
                self.counts.cutoffs_min += turn != self.root
                break
        return best, best_move

    def moves(self, board: Board, turn: int) -> list[Move]:
        found: list[Move] = []
        for row, column in own_squares(board, turn):
            for down in (-2, -1, 1, 2):
                for right in (-2, -1, 1, 2):
                    to = (row + down, column + right)
                    if abs(down) != abs(right) or not goes(board[row, column], down) or not is_free(board, to):
                        continue
                    over = (row + down // 2, column + right // 2)
                    if abs(down) == 1:
                        found.append(Move(((row, column), to), ()))
                    elif over in board and board[over].colour != turn:
                        found.append(Move(((row, column), to), (over,)))
        return [move for move in found if move.taken] or found

    def evaluate(self, board: Board, turn: int) -> float:
        """The value for Black; a repetition is worth 1000 less to the side to move."""
        repeats = len(self.history) > 4 and self.history[-5] == board
        pieces = own_minus_other(board, turn, lambda _, piece: 1)
        worth = own_minus_other(board, turn, lambda _, piece: 3 if piece.king else 1)
        if self.sign:
            value = own_minus_other(board, WHITE, lambda _, piece: 3 if piece.king else 1) + 10 * pieces
            return value - 1000 * (repeats if turn == BLACK else -repeats)
        value = worth + 10 * pieces - 1000 * repeats
        return value if turn == BLACK else -value


# --- cis300


def cis300_value(board: Board, turn: int) -> float:
    """Man 5, king 10; 1 on its own back row, 3 on any edge."""

    def worth(square: Square, piece: Piece) -> float:
        on_edge = any(place in (0, SIZE - 1) for place in square)
        return (10 if piece.king else 5) + (square[0] == far_row(1 - piece.colour)) + 3 * on_edge

    return own_minus_other(board, turn, worth)


def cis300_as_printed(board: Board, turn: int, depth: int) -> Answer:
    """NegaMax as printed, a whole move a ply; the least integer and its negative are infinite."""
    chosen: list[Move] = []

    def negamax(board: Board, turn: int, alpha: float, beta: float, depth: int, at_root: bool = False) -> float:
        if depth == 0:
            return cis300_value(board, turn)
        score = -math.inf
        for move in whole_moves(board, turn):
            value = -negamax(after(board, move), 1 - turn, -beta, -alpha, depth - 1)
            if value >= score:
                score = value
                if at_root:
                    chosen.append(move)
            alpha = max(alpha, score)
            if alpha >= beta:
                break
        return score

    value = negamax(board, turn, -math.inf, math.inf, depth, True)
    return Answer(value, chosen[-1], Counts())


def cis300(board: Board, turn: int, depth: int) -> Answer:
    """The search repaired: every move of the root has its true value, and the last of the best is played."""
    best = -math.inf
    for move in whole_moves(board, turn):
        value = -alpha_beta(cis300_value, after(board, move), 1 - turn, -math.inf, math.inf, depth - 1, 1)
        if value >= best:
            best, chosen = value, move
    return Answer(best, chosen, Counts())


def alpha_beta(
    evaluate: Callable[[Board, int], float],
    board: Board,
    turn: int,
    alpha: float,
    beta: float,
    depth: int,
    ply: int,
    counts: Counts | None = None,
) -> float:
    """Alpha-beta in which a lost position is seen, at the horizon, too, and a later loss is better.

    `counts.deepest` is more than 0 afterwards if the depth cut a line off.
    """
    counts = counts or Counts()
    counts.nodes += 1
    moves = whole_moves(board, turn)
    if not moves:
        return ply - WIN
    if depth == 0:
        counts.deepest = ply
        return evaluate(board, turn)
    best = -math.inf
    for move in moves:
        child = after(board, move)
        best = max(best, -alpha_beta(evaluate, child, 1 - turn, -beta, -alpha, depth - 1, ply + 1, counts))
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


# --- checkers-ai


def checkers_ai_value(board: Board, turn: int) -> float:
    """The two phases, Black minus White and negated for White; 3 for the side to move."""
    black = {square: piece for square, piece in board.items() if piece.colour == BLACK}
    white = {square: piece for square, piece in board.items() if piece.colour == WHITE}
    b, w = len(black), len(white)
    bk, wk = (sum(piece.king for piece in side.values()) for side in (black, white))

    def on(side: Board, *indices: int) -> int:
        return sum(SIZE // 2 * row + column // 2 in indices for row, column in side)

    if bk + wk < b + w or b + w > 5:
        mb, mw = b + 0.5 * bk, w + 0.5 * wk
        central = (9, 10, 13, 14, 17, 18, 21, 22)
        score = 5 * (mb - mw) * (37 - mb - mw)
        score += 20 * (sum(row > 2 for row, _ in black) - sum(row < 5 for row, _ in white))
        score += 20 * (on({s: p for s, p in black.items() if p.king}, *central))
        score -= 20 * (on({s: p for s, p in white.items() if p.king}, *central))
        score += 10 * (sum(row == 0 for row, _ in black) - sum(row == 7 for row, _ in white))
    else:
        a = b - w
        apart = sum(abs(r - row) + abs(c - column) for r, c in black for row, column in white)
        score = 50 * a * (6 - b - w) - a * apart + 50 * (on(black, 0, 4, 27, 31) - on(white, 0, 4, 27, 31))
    return (score if turn == BLACK else -score) + 3


def checkers_ai(board: Board, turn: int, depth: int) -> list[Answer]:
    """The answer after each depth, its nodes those of all depths so far.

    The root's moves are ordered by their values of the depth before, those that were cut by their bounds, equals
    as they were; a later move must be better. It ends early when no line was cut off by the depth.
    """
    answers, nodes = [], 0
    moves = whole_moves(board, turn)
    for reached in range(1, depth + 1):
        counts, values = Counts(), []
        counts.nodes = 1
        best = -math.inf
        for move in moves:
            child = after(board, move)
            value = -alpha_beta(checkers_ai_value, child, 1 - turn, -math.inf, -best, reached - 1, 1, counts)
            values.append(value)
            if value > best:
                best, chosen = value, move
        nodes += counts.nodes
        order = sorted(range(len(moves)), key=lambda i, values=values: -values[i])  # type: ignore[misc]
        moves = [moves[i] for i in order]
        answers.append(Answer(best, chosen, Counts()))
        answers[-1].counts.nodes = nodes
        if not counts.deepest:
            break
    return answers


# --- casual-10x10


def casual_moves(board: Board, turn: int) -> list[tuple[Move, Board]]:
    """The moves of `casual-10x10`, and the board after each: any capture, to its end, or else any step.

    A man steps forward and captures either way; a king flies. What is captured stays on the board until the end
    and is not jumped again. A man that was on its far row at the end of a hop is crowned when the move is over.
    """
    size, far = 10, 9 if turn == BLACK else 0

    def free(square: Square, without: Board) -> bool:
        return square not in without and all(0 <= place < size for place in square)

    def ray(square: Square, way: Square, most: int) -> list[Square]:
        return [(square[0] + n * way[0], square[1] + n * way[1]) for n in range(1, most + 1)]

    def captures(without: Board, piece: Piece, path: Path, taken: Path) -> Iterator[Move]:
        is_end = True
        for way in TOWARDS:
            reach = ray(path[-1], way, size if piece.king else 1)
            over = next((square for square in reach if not free(square, without)), None)
            if over is None or over in taken or over not in without or without[over].colour == turn:
                continue
            for behind in ray(over, way, size if piece.king else 1):
                if not free(behind, without):
                    break
                is_end = False
                yield from captures(without, piece, (*path, behind), (*taken, over))
        if is_end and taken:
            yield Move(path, taken)

    captured, steps = [], []
    for square in own_squares(board, turn):
        piece = board[square]
        without = {other: board[other] for other in board if other != square}
        captured += list(captures(without, piece, (square,), ()))
        for way in TOWARDS:
            for to in ray(square, way, size if piece.king else 1) if goes(piece, way[0]) else []:
                if not free(to, without):
                    break
                steps.append(Move((square, to), ()))
    found: list[tuple[Move, Board]] = []
    for move in captured or steps:
        piece, start = board[move.path[0]], move.path[0]
        rest = {square: other for square, other in board.items() if square not in (start, *move.taken)}
        is_king = piece.king or any(row == far for row, _ in move.path[1:])
        found.append((move, {**rest, move.path[-1]: Piece(turn, is_king)}))
    return found


# --- simplified


def points(board: Board, turn: int) -> int:
    """2 for a man on its far row, 1 for any other; own minus other."""
    return int(own_minus_other(board, turn, lambda square, piece: 1 + (square[0] == far_row(piece.colour))))


class Simplified:
    """`simplified`: alpha-beta for the side at the root; a pass is a ply, and cutoffs at the last move count."""

    def search(self, board: Board, turn: int, depth: int) -> Answer:
        self.own, self.counts = turn, Counts()
        value, move = self.value(board, turn, depth, 0, -math.inf, math.inf)
        assert move is not None
        return Answer(value, move, self.counts)

    def value(
        self, board: Board, turn: int, depth: int, ply: int, alpha: float, beta: float
    ) -> tuple[float, Move | None]:
        self.counts.nodes += 1
        self.counts.deepest = max(self.counts.deepest, ply)
        moves = whole_moves(board, turn)
        if not moves and own_squares(board, turn) and whole_moves(board, 1 - turn):
            moves = [Move((), ())]
        if not moves:
            difference = points(board, self.own)
            return (100 if difference > 0 else -100) + difference, None
        if depth == 0:
            return own_minus_other(board, self.own, self.worth), None
        best, best_move = (-math.inf if turn == self.own else math.inf), None
        for move in moves:
            child = after(board, move, crowns=False) if move.path else board
            value, _ = self.value(child, 1 - turn, depth - 1, ply + 1, alpha, beta)
            if value > best if turn == self.own else value < best:
                best, best_move = value, move
            if turn == self.own:
                alpha = max(alpha, best)
            else:
                beta = min(beta, best)
            if alpha >= beta:
                self.counts.cutoffs_max += turn == self.own
                self.counts.cutoffs_min += turn != self.own
                break
        return best, best_move

    @staticmethod
    def worth(square: Square, piece: Piece) -> float:
        advanced = abs(square[0] - far_row(1 - piece.colour))
        return 7 if advanced == SIZE - 1 else 5 if advanced >= SIZE // 2 else 3
