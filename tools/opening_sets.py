"""The sets of openings by the rules: their lines generated, and replayed; their files written again.

python -m tools.opening_sets [NAME ...]
"""

from __future__ import annotations

import random
import re
import sys
from collections.abc import Iterator
from functools import cache

from arena.experiment.openings import BARRED, SETS, SETS_FOLDER
from arena.experiment.openings.sources import is_even
from arena.rules.game import Game
from arena.rules.move_text import move_text
from arena.rules.movegen import apply, legal_moves
from arena.rules.moves import sides
from arena.rules.notation import fen
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.variants import VARIANTS, Variant
from players.negamax.player import Negamax
from players.player import Limit


def lines(variant: Variant, position: Position, plies: int) -> Iterator[tuple[tuple[str, ...], Position]]:
    """Every line of `plies` from a position, by the numbers of its moves."""
    if plies == 0:
        yield (), position
        return
    legal = legal_moves(variant.rules, position)
    texts = {move: move_text(variant, position, move, legal) for move in legal}
    for move in sorted(legal, key=lambda move: [int(word) for word in re.findall(r"\d+", texts[move])]):
        for rest, end in lines(variant, apply(variant.rules, position, move), plies - 1):
            yield (texts[move], *rest), end


def generated(name: str) -> dict[Position, str]:
    """The positions that the rules give for a set, each with its first line."""
    variant = VARIANTS[SETS[name].variant]
    if name == "english-11-man":
        found = ((position, line) for line, position in _eleven(variant))
    else:
        plies = int(re.sub(r"\D", "", name) or 3)
        found = ((position, " ".join(words)) for words, position in lines(variant, variant.start, plies))
    first: dict[Position, str] = {}
    for position, line in found:
        first.setdefault(position, line)
    if name in ("english-3-move", "italian-table"):
        return {position: line for position, line in first.items() if is_even(variant, position)}
    return first


def _eleven(variant: Variant) -> Iterator[tuple[str, Position]]:
    """One man of each side's second or third row is taken off, then each moves one that is not in its back row."""
    back = sum(variant.bits[:4]) | sum(variant.bits[-4:])
    start = variant.start
    for black in range(5, 13):
        for white in range(21, 29):
            men = start.white & ~variant.bits[white - 1], start.black & ~variant.bits[black - 1]
            position = Position(*men, 0, start.turn)
            for moves, end in lines(variant, position, 2):
                if not (start.white | start.black) & back & ~(end.white | end.black):
                    yield f"{black} and {white} off: {' '.join(moves)}", end


def replayed(variant: Variant, line: str) -> Position:
    """The position after a line, or after each of the lines between which `=` stands.

    It has moves as `11-15` or `cd4`, flights of a man as `a1-e5` and `---` for none, and may begin with its number
    or with the men that are off the board.
    """
    if " = " in line:
        (position,) = {replayed(variant, one) for one in line.split(" = ")}
        return position
    position = variant.start
    if " off: " in line:
        off, line = line.split(" off: ")
        black, white = (variant.bits[int(word) - 1] for word in off.split(" and "))
        position = position._replace(white=position.white & ~white, black=position.black & ~black)
    line = line.rpartition(": ")[2]
    for number, word in enumerate(line.split()):
        if word == "---" or re.fullmatch(r"[a-h]\d-[a-h]\d", word):
            position = _flown(variant, position, word, WHITE if number == 0 else BLACK)
        else:
            position = _moved(variant, position, word)
    assert not position.white & position.black, line
    return position


def _moved(variant: Variant, position: Position, word: str) -> Position:
    legal = legal_moves(variant.rules, position)
    for move in legal:
        after = apply(variant.rules, position, move)
        if not word[0].isdigit():
            old, new = sides(position)[0], sides(after)[1]
            origin, target = ((square.bit_length() - 1) for square in (old & ~new, new & ~old))
            of, at = (variant.numbers[1 << bit] for bit in (origin, target))
            if _square(at) == word[1:] and _square(of)[0] == word[0]:
                return after
        elif move_text(variant, position, move, legal).replace("x", "-") == word.replace("x", "-"):
            return after
    raise ValueError(f"{word} is not legal in {fen(variant, position)}")


def _flown(variant: Variant, position: Position, word: str, colour: int) -> Position:
    """A man of a colour on another square; then White moves, but Black after a flight that is given alone."""
    if word == "---":
        return position._replace(turn=WHITE)
    squares = {_square(number): bit for bit, number in variant.numbers.items()}
    origin, target = (squares[square] for square in word.split("-"))
    men = position.white if colour == WHITE else position.black
    assert men & origin and not men & target, word
    men = men & ~origin | target
    return position._replace(
        **{"white" if colour == WHITE else "black": men}, turn=WHITE if colour == BLACK else BLACK
    )


def _square(number: int) -> str:
    """The algebraic name of a square of an 8x8 board whose bottom left corner is a1."""
    row, column = divmod(number - 1, 4)
    return f"{'abcdefgh'[2 * column + (row + 1) % 2]}{8 - row}"


def rows(name: str) -> list[tuple[str, str, str, str]]:
    """The lines of a set's file in parts: FEN, line of play, mark, balance."""
    text = (SETS_FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return re.findall(r"^(\S+) +\{(.*); (.*); (.*)\}$", text, re.MULTILINE)


@cache
def _judge(variant: Variant) -> Negamax:
    return Negamax(variant, "strong", "pvs", quiescence="captures")


def balance(variant: Variant, position: Position) -> float:
    """How far White is ahead, in men: by a search of ten plies with the evaluation `strong`."""
    player = _judge(variant)
    choice = player.choose(Game(variant, position), Limit(10), random.Random(0))
    score = (choice.score or 0.0) / (player.man_value or 1.0)
    return score if position.turn == WHITE else -score


def remake(name: str) -> None:
    """Write the file of a set again, from its lines of play and its marks."""
    path, variant = SETS_FOLDER / f"{name}.txt", VARIANTS[SETS[name].variant]
    out = [line for line in path.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    for _, line, mark, _ in rows(name):
        position = replayed(variant, line)
        ahead = balance(variant, position)
        ours = BARRED if abs(ahead) >= 0.5 else "usual"
        known = ours if variant.name == "international" else mark
        out.append(f"{fen(variant, position)}  {{{line}; {known}; {ahead:+.2f}}}")
    path.write_text("\n".join(out).replace("-0.00}", "+0.00}") + "\n", encoding="utf-8")


if __name__ == "__main__":
    for one in sys.argv[1:] or SETS:
        remake(one)
