"""The moves of a game as a rule set reads them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from arena.rules.move_text import fitting_moves, not_legal, parse_move
from arena.rules.movegen import after_move, legal_moves
from arena.rules.notation import NO_RUNS, NotationError, off_board, parse_fen, parse_start, squares_by_name
from arena.rules.pdn.tokens import SQUARE, RawGame, Token
from arena.rules.played import PlayedGame, Problem
from arena.rules.position import Position
from arena.rules.variants import Variant

_MOST_LINES = 64  # ways to read a game that are followed where captures may be several
_SQUARE = re.compile(SQUARE, re.ASCII)
_CAPTURE = re.compile("[x:×]")


def read_moves(raw: RawGame, variant: Variant, file: str = "", number: int = 1) -> PlayedGame:
    """Read the moves of a game, not its result, up to the first that cannot be read, and on from where a position
    is set up. Problems name the file and the game's number. Raises NotationError for a start that is no
    position."""
    fen = raw.tags.get("FEN", "")
    start, runs = parse_start(variant, fen) if fen.strip(" ?") else (variant.start, NO_RUNS)
    game = PlayedGame(variant, start, [], tags=raw.tags, number=number, king_runs=runs)
    position, legal, tokens = start, legal_moves(variant.rules, start), raw.tokens

    def report(at: int, ply: int, message: str) -> None:
        game.problems.append(Problem(file, raw.line_at(at), number, ply, message))

    is_lost = has_end = False
    for index, token in enumerate(tokens, start=1):
        kind, text, at = token
        ply = len(game.moves)
        if kind == "comment":
            words = text[1:].removesuffix("}" if text[0] == "{" else "").split()
            game.comments[ply] = " ".join([*game.comments.get(ply, "").split(), *words])
        elif kind in ("tag", "fault"):
            report(at, 0 if kind == "tag" else ply + 1, text)
        elif kind == "end":
            has_end = True
        elif has_end:
            report(at, ply + 1, f"{text[:40]!r} behind the result is not read")
            break
        elif kind == "setup" or not is_lost:
            try:
                if kind == "setup":
                    position = game.setups[ply] = _set_up(variant, text, None if is_lost else position)
                    legal = legal_moves(variant.rules, position)
                else:
                    fitting = _fitting(variant, position, legal, token)
                    if len(fitting) > 1:
                        fitting = _that_go_on(variant, position, fitting, tokens[index:])
                    if len(fitting) > 1:
                        raise NotationError(not_legal(variant, position, f"{text!r} is ambiguous", legal))
                    position, legal = after_move(variant.rules, position, fitting[0])
                    game.moves.append(fitting[0])
                is_lost = False
            except NotationError as error:
                report(at, ply + 1, str(error))
                is_lost = True
    if 0 in game.setups:
        return replace(game, start=game.setups.pop(0), king_runs=NO_RUNS)
    return game


def _set_up(variant: Variant, text: str, position: Position | None) -> Position:
    """The position of `/FEN "..."/`; without any pieces (`B::`) it is a null move in a known `position`."""
    fen = re.sub(r'^FEN|"', "", text.strip("/ ")).strip()
    if position is not None and re.fullmatch("[WB]::", fen):
        return position._replace(turn="WB".index(fen[0]))
    return parse_fen(variant, fen)


def _that_go_on(variant: Variant, position: Position, moves: Sequence[int], rest: Sequence[Token]) -> list[int]:
    """Of several moves, the ones after which most of the following moves can be played."""
    lines = [(move, after_move(variant.rules, position, move)) for move in moves]
    for token in rest:
        if token.kind == "setup" or len({move for move, _ in lines}) == 1:
            break
        if token.kind not in ("move", "word"):
            continue
        longer = []
        for move, (reached, legal) in lines:
            with suppress(NotationError):
                longer += [
                    (move, after_move(variant.rules, reached, reply))
                    for reply in _fitting(variant, reached, legal, token)
                ]
        if not 0 < len(longer) <= _MOST_LINES:
            break
        lines = longer
    return list({move for move, _ in lines})


def _fitting(variant: Variant, position: Position, legal: Sequence[int], token: Token) -> list[int]:
    """The moves that a text may mean, at least one. Raises NotationError."""
    text = token.text.lower()
    if token.kind != "move":
        raise NotationError(f"cannot read {token.text[:40]!r}")
    if text == "pass":
        return [parse_move(variant, position, "pass", legal)]
    squares = [text[:2], text[2:]] if text.isdigit() else _SQUARE.findall(text)
    separator = "x" if len(squares) > 2 or _CAPTURE.search(text) else "-"
    numbers = [int(square) if square.isdigit() else _number(variant, square, text) for square in squares]
    plain = separator.join(map(str, numbers))
    if fitting := fitting_moves(variant, position, plain, legal):
        return fitting
    if max(numbers) > variant.squares:
        raise NotationError(off_board(variant, token.text, max(numbers)))
    spelt = plain if plain == text else f"{token.text} ({plain})"
    raise NotationError(not_legal(variant, position, f"{spelt!r} is not legal", legal))


def _number(variant: Variant, square: str, text: str) -> int:
    """The number of a square with a letter."""
    bit = squares_by_name(variant).get(square)
    if bit is None:
        raise NotationError(f"{text!r}: {square} is not a square of {variant.name}")
    return variant.numbers[bit]
