"""English draughts by the Hub protocol: a player that looks one move ahead. Make `choose` look further.

A position has 46 cells. Cell 0 is the side to move, W or B; squares 1 to 32 are cells 6 to 40, with a blank cell
after every eight, so that the neighbours of a square are always 4 and 5 cells before and after it.
A square has a man, w or b, a king, W or B, or e, nothing. A move is a text: 9-13, or 9x18x14, the captured last.
"""

import re
import sys

OTHER = {"W": "B", "B": "W"}


def cell_of(square):
    """The cell of a square."""
    return square + 5 + (square - 1) // 8


def square_of(cell):
    """The square of a cell."""
    return cell - 5 - (cell - 6) // 9


def add_moves(position, start, at, captured, moves):
    """Add the moves of a piece that has come from one cell to another; a capture goes on as long as it can."""
    before, piece = len(moves), position[at]
    for step in (-5, -4, 4, 5):
        near, far = at + step, at + 2 * step
        if piece == ("b" if step < 0 else "w"):
            continue  # a man moves forward only
        if position[near].upper() == OTHER[position[0]] and position[far] == "e":
            reached = position.copy()
            reached[at], reached[near], reached[far] = "e", "e", piece
            add_moves(reached, start, far, f"{captured}x{square_of(near)}", moves)
        elif position[near] == "e" and not captured:
            moves.append(f"{square_of(start)}-{square_of(near)}")
    if captured and len(moves) == before:
        moves.append(f"{square_of(start)}x{square_of(at)}{captured}")


def legal_moves(position):
    """All legal moves: captures alone, if there are any."""
    moves: list[str] = []
    for cell in map(cell_of, range(1, 33)):
        if position[cell].upper() == position[0]:
            add_moves(position, cell, cell, "", moves)
    return [move for move in moves if "x" in move] or moves


def play(position, move):
    """The position after a move."""
    start, end, *captured = (cell_of(int(square)) for square in re.split("[-x]", move))
    after, piece = position.copy(), position[start]
    for cell in (start, *captured):
        after[cell] = "e"
    is_crowned = end <= cell_of(4) if piece == "w" else end >= cell_of(29)
    after[end] = piece.upper() if is_crowned else piece
    after[0] = OTHER[position[0]]
    return after


def evaluate(position):
    """What a position is worth to its side to move."""
    value = 0
    for piece in position[1:]:
        worth = 150 if piece in "WB" else 100
        if piece.upper() == position[0]:
            value += worth
        elif piece.upper() == OTHER[position[0]]:
            value -= worth
    return value


def choose(position):
    """The first of the moves after which the position is worth least to the other side."""
    return min(legal_moves(position), key=lambda move: evaluate(play(position, move)))


def parse(text):
    """A position from the text of Hub: the side to move, then a letter for each square."""
    position = [" "] * 46
    for square in range(1, 33):
        position[cell_of(square)] = text[square]
    position[0] = text[0]
    return position


position = []
for line in sys.stdin:
    words = re.findall(r'[^\s="]+', line)  # such as pos, pos, BbbbeeWe..., moves, 1-5, 32-27
    match words[0] if words else "":
        case "hub":
            print('id name=starter version=1.0 author="" country=""')
            print("param name=variant value=english type=enum values=english\nwait", flush=True)
        case "init":
            print("ready", flush=True)
        case "pos":
            position = parse(words[2])
            for move in words[4:]:
                position = play(position, move)
        case "go":
            print(f"done move={choose(position)}", flush=True)
        case "ping":
            print("pong", flush=True)
        case "quit":
            break
    # `new-game` and `level` need no answer; the words after `level` are the limit, such as depth, 6
