"""A slow oracle: rules, minimax and evaluations on a dictionary of squares, captures by recursion over paths.

A square is (row, column) with row 0 at the top; the dark squares are those whose row + column is odd.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from itertools import takewhile
from typing import NamedTuple

from arena.rules.position import BLACK, WHITE, Position
from arena.rules.rules import DELAYED, IN_PASSING, NEVER, STOPS, Rules

Square = tuple[int, int]
DIAGONALS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
STRAIGHTS = ((-2, 0), (2, 0), (0, -2), (0, 2))


class Piece(NamedTuple):
    """A man or a king of a colour."""

    colour: int
    king: bool


class State(NamedTuple):
    """The pieces by their squares, and the side to move."""

    pieces: Mapping[Square, Piece]
    turn: int


class Move(NamedTuple):
    """What a move does; two captures that do the same by different paths are equal."""

    origin: Square
    target: Square
    captured: frozenset[Square]
    crowned: bool
    """Whether a man becomes a king."""


PASS = Move((-1, -1), (-1, -1), frozenset(), False)

WIN = 1_000_000.0

Evaluate = Callable[[Rules, State], float]


def board_squares(rules: Rules) -> list[Square]:
    """The dark squares, row by row from the top and from left to right."""
    return [
        (row, column) for row in range(rules.rows) for column in range(2 * rules.per_row) if (row + column) % 2
    ]


@cache
def bit_numbers(rules: Rules) -> dict[Square, int]:
    """The number of each square's bit: those of two rows are followed by one that is never set."""
    return {square: i + i // (2 * rules.per_row) for i, square in enumerate(board_squares(rules))}


@cache
def squares_by_bit(rules: Rules) -> dict[int, Square]:
    """The squares by the bits that stand for them."""
    return {1 << number: square for square, number in bit_numbers(rules).items()}


def squares_of(rules: Rules, bits: int) -> set[Square]:
    """The squares whose bits are set."""
    squares = squares_by_bit(rules)
    found = set()
    while bits:
        bit = bits & -bits
        bits ^= bit
        found.add(squares[bit])
    return found


def state_of(rules: Rules, position: Position) -> State:
    """The state that a position means."""
    kings = squares_of(rules, position.kings)
    pieces = {
        square: Piece(colour, square in kings)
        for colour, bits in ((WHITE, position.white), (BLACK, position.black))
        for square in squares_of(rules, bits)
    }
    return State(pieces, position.turn)


def position_of(rules: Rules, state: State) -> Position:
    """The position that a state means."""
    numbers = bit_numbers(rules)
    colours, kings = [0, 0], 0
    for square, piece in state.pieces.items():
        bit = 1 << numbers[square]
        colours[piece.colour] += bit
        kings += bit * piece.king
    return Position(colours[WHITE], colours[BLACK], kings, state.turn)


def legal_moves(rules: Rules, state: State) -> set[Move]:
    """Every legal move once."""
    if rules.first_king_wins and any(piece.king for piece in state.pieces.values()):
        return set()
    moves = legal_captures(rules, state) or legal_steps(rules, state)
    if not moves and rules.passes and own_squares(state):
        opponent = state._replace(turn=1 - state.turn)
        if legal_captures(rules, opponent) or legal_steps(rules, opponent):
            return {PASS}
    return moves


def play(rules: Rules, state: State, move: Move) -> State:
    """The state after a move."""
    if move == PASS:
        return state._replace(turn=1 - state.turn)
    pieces = {square: piece for square, piece in state.pieces.items() if square not in move.captured}
    piece = pieces.pop(move.origin)
    pieces[move.target] = Piece(piece.colour, piece.king or move.crowned)
    return State(pieces, 1 - state.turn)


def perft(rules: Rules, state: State, depth: int) -> int:
    """How many lines of exactly `depth` plies start here."""
    if depth == 0:
        return 1
    return sum(perft(rules, play(rules, state, move), depth - 1) for move in legal_moves(rules, state))


def own_squares(state: State) -> list[Square]:
    """The squares of the side to move's pieces."""
    return [square for square, piece in state.pieces.items() if piece.colour == state.turn]


def forward(colour: int) -> int:
    """The change of row when a man steps."""
    return -1 if colour == WHITE else 1


def far_row(rules: Rules, colour: int) -> int:
    """The row on which a colour's men are crowned."""
    return 0 if colour == WHITE else rules.rows - 1


def ray(rules: Rules, square: Square, direction: Square) -> Iterator[Square]:
    """The dark squares in a direction, nearest first, up to the edge of the board."""
    row, column = square[0] + direction[0], square[1] + direction[1]
    while 0 <= row < rules.rows and 0 <= column < 2 * rules.per_row:
        yield row, column
        row, column = row + direction[0], column + direction[1]


@cache
def lines(rules: Rules, straight: bool) -> dict[Square, list[tuple[Square, list[Square]]]]:
    """For each square the diagonal and the straight directions in which there is another, each with its `ray`."""
    directions = DIAGONALS + STRAIGHTS if straight else DIAGONALS
    found = {}
    for square in board_squares(rules):
        rays = [(direction, list(ray(rules, square, direction))) for direction in directions]
        found[square] = [(direction, line) for direction, line in rays if line]
    return found


def legal_steps(rules: Rules, state: State) -> set[Move]:
    """The moves that capture nothing, whether or not there is a capture."""
    around, ahead = lines(rules, False), forward(state.turn)
    moves = set()
    for origin in own_squares(state):
        king = state.pieces[origin].king
        for direction, line in around[origin]:
            if not king and direction[0] != ahead:
                continue
            for target in line if king and rules.flying else line[:1]:
                if target in state.pieces:
                    break
                crowned = not king and rules.promotion != NEVER and target[0] == far_row(rules, state.turn)
                moves.add(Move(origin, target, frozenset(), crowned))
    return moves


class Hop(NamedTuple):
    """One jump of a capture: the captured square, and where the piece lands behind it."""

    victim: Square
    landing: Square


class Capture(NamedTuple):
    """A whole capture, with its path."""

    origin: Square
    by_king: bool
    """Whether the piece was a king before the move."""
    hops: tuple[Hop, ...]
    crowned: bool


def legal_captures(rules: Rules, state: State) -> set[Move]:
    """The captures that the rules of preference leave."""
    captures = [capture for origin in own_squares(state) for capture in captures_from(rules, state, origin)]

    def rank(capture: Capture) -> tuple[int, tuple[int, int], bool, int, tuple[bool, ...]]:
        takes_king = tuple(state.pieces[hop.victim].king for hop in capture.hops)
        two_for_a_king = len(takes_king) + sum(takes_king)
        return (
            len(capture.hops) if rules.majority else 0,
            (two_for_a_king, -sum(takes_king)) if rules.prefer_value else (0, 0),
            capture.by_king if rules.prefer_king else False,
            sum(takes_king) if rules.prefer_kings else 0,
            takes_king if rules.prefer_early_kings else (),
        )

    best = max(map(rank, captures), default=None)
    return {
        Move(c.origin, c.hops[-1].landing, frozenset(hop.victim for hop in c.hops), c.crowned)
        for c in captures
        if rank(c) == best
    }


def captures_from(rules: Rules, state: State, origin: Square) -> list[Capture]:
    """Every way for the piece on `origin` to capture until it may not go on, before any preference."""
    colour, was_king = state.pieces[origin]
    far = far_row(rules, colour)

    def extended(hops: tuple[Hop, ...], king: bool) -> list[Capture]:
        """All completions of a capture begun; `king` says what the piece is by now."""
        square = hops[-1].landing if hops else origin
        stopped = hops and (rules.one_hop or (rules.promotion == STOPS and not king and square[0] == far))
        choices = [] if stopped else next_hops(rules, state, origin, square, king, {hop.victim for hop in hops})
        if hops and not choices:
            touched = square[0] == far or (
                rules.promotion == DELAYED and any(hop.landing[0] == far for hop in hops)
            )
            crowned = not was_king and (king or (rules.promotion != NEVER and touched))
            return [Capture(origin, was_king, hops, crowned)]
        found = []
        for over_one_piece in choices:
            continued: list[Capture] = []
            ended: list[Capture] = []
            for hop in over_one_piece:
                crowned = rules.promotion == IN_PASSING and hop.landing[0] == far
                for capture in extended((*hops, hop), king or crowned):
                    (ended if capture.hops[-1] is hop else continued).append(capture)
            if rules.killer and state.pieces[over_one_piece[0].victim].king:
                ended = [capture for capture in ended if capture.hops[-1] is over_one_piece[0]]
            found += continued + ended if rules.lands_anywhere else continued or ended
        return found

    return extended((), was_king)


def next_hops(
    rules: Rules, state: State, origin: Square, square: Square, king: bool, taken: set[Square]
) -> list[list[Hop]]:
    """The next hops of a piece that came from `origin`, took `taken` and stands on `square`.

    For each piece that it can take: the hops over it to all free squares behind, nearest first.
    """
    pieces = state.pieces
    gone = taken | {origin} if rules.removed_at_once else {origin}
    colour = pieces[origin].colour
    ahead, flies = forward(colour), king and rules.flying
    found = []

    def free(at: Square) -> bool:
        return at not in pieces or at in gone

    for direction, line in lines(rules, rules.straight_captures)[square]:
        if direction[0] * ahead < 0 and not king and not rules.men_capture_backward:
            continue
        met = 0
        while flies and met < len(line) - 1 and free(line[met]):
            met += 1
        victim, piece = line[met], pieces.get(line[met])
        if piece is None or piece.colour == colour or victim in taken:
            continue
        if piece.king and not king and not rules.men_capture_kings:
            continue
        reach = line[met + 1 :] if flies and not rules.lands_behind else line[met + 1 : met + 2]
        landings = list(takewhile(free, reach))
        if landings:
            found.append([Hop(victim, landing) for landing in landings])
    return found


def minimax(rules: Rules, state: State, depth: int, evaluate: Evaluate, ply: int = 0) -> tuple[float, int, int]:
    """Value from the side to move's view, positions entered and calls of `evaluate`, by plain minimax."""
    moves = legal_moves(rules, state)
    if not moves:
        return final_value(rules, state, ply), 1, 0
    if depth == 0:
        return evaluate(rules, state), 1, 1
    best, nodes, leaves = -math.inf, 1, 0
    for move in moves:
        value, more_nodes, more_leaves = minimax(rules, play(rules, state, move), depth - 1, evaluate, ply + 1)
        best, nodes, leaves = max(best, -value), nodes + more_nodes, leaves + more_leaves
    return best, nodes, leaves


def final_value(rules: Rules, state: State, ply: int) -> float:
    """The score of a position without a move: a win or loss is worth 1 less for each ply that it took."""
    crowned = {piece.colour for piece in state.pieces.values() if piece.king}
    if rules.first_king_wins and crowned:
        return WIN - ply if state.turn in crowned else -(WIN - ply)
    if rules.score_decides:
        difference = points(rules, state, state.turn) - points(rules, state, 1 - state.turn)
        return math.copysign(WIN - ply, difference) if difference else 0.0
    return WIN - ply if rules.losing_wins else -(WIN - ply)


def points(rules: Rules, state: State, colour: int) -> int:
    """2 for each piece on the far row, 1 for any other."""
    return sum(
        2 if square[0] == far_row(rules, colour) else 1
        for square, piece in state.pieces.items()
        if piece.colour == colour
    )


def own_minus_other(state: State, worth: Callable[[Square, Piece], float]) -> float:
    """The worth of the side to move's pieces minus that of the other side's."""
    return sum(
        worth(square, piece) * (1 if piece.colour == state.turn else -1) for square, piece in state.pieces.items()
    )


def material(rules: Rules, state: State) -> float:
    """Man 1, king 1.5."""
    return own_minus_other(state, lambda square, piece: 1.5 if piece.king else 1.0)


def simple(rules: Rules, state: State) -> float:
    """7 on the far row, 5 elsewhere in the opponent's half, 3 in its own."""

    def worth(square: Square, piece: Piece) -> float:
        advanced = abs(square[0] - far_row(rules, 1 - piece.colour))
        return 7 if advanced == rules.rows - 1 else 5 if advanced >= rules.rows / 2 else 3

    return own_minus_other(state, worth)


def cis300(rules: Rules, state: State) -> float:
    """Man 5, king 10; 1 more on its own back row, 3 more on any edge."""

    def worth(square: Square, piece: Piece) -> float:
        row, column = square
        on_edge = row in (0, rules.rows - 1) or column in (0, 2 * rules.per_row - 1)
        return (10 if piece.king else 5) + (row == far_row(rules, 1 - piece.colour)) + 3 * on_edge

    return own_minus_other(state, worth)
