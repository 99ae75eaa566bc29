"""The Hub protocol, version 2, as text: its lines, positions, games and moves, in and out.

Scan 3.1 and Hub 2.1 speak it (`protocol.txt` of Scan); here it is for boards of any size.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.rules.game import Game
from arena.rules.move_text import move_squares, path, paths, square_numbers
from arena.rules.movegen import legal_moves
from arena.rules.notation import NotationError, parse_pieces, pieces_text
from arena.rules.position import Position
from arena.rules.variants import VARIANTS, Variant

_WORDS = {"international": "normal", "breakthrough": "bt", "antidraughts": "losing"}  # Scan's names, where others
RESIGNS = "resign"  # a move's text by which a side resigns, as in other protocols: Hub itself has none
_SIDES = "WB"
_TOKEN = re.compile(r'([^\s="]+)(?:=("[^"]*"?|[^\s"]*))?')


class Line(NamedTuple):
    """A line of the protocol."""

    command: str
    arguments: dict[str, str]  # values by name; a flag's value is empty


def line(command: str, arguments: Mapping[str, object] | None = None) -> str:
    """A line as text; a value of None makes a flag, and what would end a line or a quotation is a space or '."""
    return " ".join([command, *(_argument(name, value) for name, value in (arguments or {}).items())])


def parse_line(text: str) -> Line:
    """The line that a text is; read as far as it makes sense."""
    command, _, rest = text.strip().partition(" ")
    return Line(command, {name: value.strip('"') for name, value in _TOKEN.findall(rest)})


def variant_word(variant: Variant) -> str:
    """The protocol's word for a variant: Scan's if it has one, else the name here."""
    return _WORDS.get(variant.name, variant.name)


def variant_words(variant: Variant) -> list[str]:
    """The words for a variant and for those with the same rules but for the start and for draws, its own first."""
    same = [row for row in VARIANTS.values() if row.rules == variant.rules]
    return [variant_word(row) for row in sorted(same, key=lambda row: row.name != variant.name)]


def position_text(variant: Variant, position: Position) -> str:
    """The side to move, W or B, then a letter a square in the order of their numbers: w W b B e."""
    return _SIDES[position.turn] + pieces_text(variant, position).replace(".", "e")


def parse_position(variant: Variant, text: str) -> Position:
    """The position that a text of `position_text` describes. Raises NotationError."""
    if not re.fullmatch(f"[WB][wWbBe]{{{variant.squares}}}", text):
        wanted = f"W or B, then w, W, b, B or e for each of {variant.squares} squares"
        raise NotationError(f"pos={text[:200]!r}: expected {wanted}")
    return parse_pieces(variant, text[1:].replace("e", "."), _SIDES.index(text[0]))


def game_line(game: Game) -> str:
    """The line `pos`: the position after the last capture or man's move, and the moves since; all moves where
    those of kings are limited, those since the last capture where draws count from it."""
    variant, draws = game.variant, game.variant.draws
    since = game.without_capture if draws.no_capture else game.without_progress
    first = 0 if variant.king_moves else len(game.moves) - since
    arguments: dict[str, object] = {"pos": position_text(variant, game.positions[first])}
    texts = [
        hub_move(variant, position, move, legal_moves(variant.rules, position))
        for position, move in zip(game.positions[first:], game.moves[first:], strict=False)
    ]
    if texts:
        arguments["moves"] = " ".join(texts)
    return line("pos", arguments)


def parse_game(variant: Variant, read: Line) -> Game:
    """The game of a line `pos`. Raises NotationError for a wrong position or an illegal move."""
    game = Game(variant, parse_position(variant, read.arguments.get("pos", "")))
    for text in read.arguments.get("moves", "").split():
        move = parse_hub_move(variant, game.position, text, game.legal_moves)
        if move is None:
            raise NotationError(f"{text} is not legal after {len(game.moves)} moves")
        game.push(move)
    return game


def hub_move(variant: Variant, position: Position, move: int, legal_moves: Sequence[int]) -> str:
    """A move as the protocol writes it: `32-28`, or from, to and all that is captured, `28x19x23`. Beyond it are
    `pass`, and the path, `22:15:8`, of a capture that differs from another one only in crowning its man on the
    way."""
    if move == 0:
        return "pass"
    board = variant.rules.board
    if sum(other & board == move & board for other in legal_moves) > 1:
        return ":".join(map(str, path(variant, position, move)))
    origin, target, captured = move_squares(variant, position, move)
    return ("x" if captured else "-").join(map(str, (origin, target, *captured)))


def parse_hub_move(variant: Variant, position: Position, text: str, legal_moves: Sequence[int]) -> int | None:
    """The legal move that a text of `hub_move` means, None if it means none. Ends alone do for a capture that no
    other one shares them with."""
    if text == "pass":
        return 0 if 0 in legal_moves else None
    numbers = square_numbers(text)
    if not numbers or min(numbers) < 1:
        return None
    squares = {move: move_squares(variant, position, move) for move in legal_moves}
    if ":" in text:
        captures = [move for move in legal_moves if squares[move].captured]
        fitting = [move for move in captures if numbers in paths(variant, position, move)]
    else:
        ends = [move for move in legal_moves if list(squares[move][:2]) == numbers[:2]]
        whole = [move for move in ends if list(squares[move].captured) == sorted({*numbers[2:]})]
        fitting = whole[:1] or (ends if len(numbers) == 2 else [])
    return fitting[0] if len(fitting) == 1 else None


def _argument(name: str, value: object) -> str:
    if value is None:
        return name
    if isinstance(value, bool):
        return f"{name}={'true' if value else 'false'}"
    if isinstance(value, float):
        return f"{name}={f'{value:.6f}'.rstrip('0').rstrip('.')}"
    text = " ".join(str(value).replace('"', "'").split())
    return f'{name}="{text}"' if not text or re.search(r"[\s=']", text) else f"{name}={text}"
