"""The lines about a game at the board: moves and what players saw, the sides, clocks."""

from __future__ import annotations

import sys

from arena.base.wording import counted, listed
from arena.board.entering import legal_line, must_capture
from arena.board.game import BoardGame, Thought
from arena.board.published import program_of
from arena.board.words import pass_text
from arena.commands.output import width_of
from arena.rules.game import Game
from arena.rules.move_text import move_squares
from arena.rules.position import COLOURS, Position
from arena.rules.result import points, points_text
from arena.rules.variants import Variant

PLIES_SHOWN = 12
"""Of a line."""
_NOTABLE_SECONDS = 0.1
"""Seconds of a move of which there is nothing else to say, below which they are left out."""
_INDENT = "    "
_RECENT_ROWS = 5
"""Of moves beside a board."""
_LIST_WIDTH = 80
"""Columns of a list of moves where there is no terminal."""


def turn_lines(sitting: BoardGame, ply: int) -> list[str]:
    """A move that was played, `ply` counted from 1, what it captured and what its player saw."""
    turn, before = sitting.turns[ply - 1], sitting.game.positions[ply - 1]
    captured = move_squares(sitting.variant, before, turn.move).captured
    behind = sitting.game.start.turn != sitting.variant.first
    number = (ply - 1 + behind) // 2 + 1
    mover = COLOURS[before.turn].capitalize()
    words = f"{number}. {f'{mover} {turn.text}' if turn.move else pass_text(before.turn)}"
    words += f", captured {listed(map(str, captured))}" if captured else ""
    lines = [words, *(_INDENT + line for line in _seen(turn.thought))]
    return lines + [
        f"{_INDENT}| {line}" for line in program_of(sitting.variant).figures(turn, before, sitting.variant)
    ]


def legal_lines(game: Game, are_numbered: bool) -> list[str]:
    """List the legal moves: all, numbered, in rows as wide as the terminal, or the first ones in a line."""
    if not are_numbered or not any(game.legal_moves):
        return [legal_line(game)]
    cells = [f"{number:>3}) {text}  " for number, text in enumerate(game.legal_texts, start=1)]
    size = max(map(len, cells))
    across = max((width_of(sys.stdout) or _LIST_WIDTH) // size, 1)
    rows = [cells[first : first + across] for first in range(0, len(cells), across)]
    heading = "you must capture" if must_capture(game) else "legal moves"
    lines = ("".join(cell.ljust(size) for cell in row).rstrip() for row in rows)
    return [f"{heading}, by number or squares:", *lines]


def beside(sitting: BoardGame) -> list[str]:
    """Describe players and last moves, on a terminal; elsewhere the points, where the score decides."""
    if sys.stdout.isatty():
        return [*_sides(sitting), *(["", *recent] if (recent := _recent_moves(sitting)) else [])]
    if sitting.variant.rules.score_decides:
        return [points_text(points(sitting.variant.rules, sitting.game.position))]
    return []


def clock_text(seconds: float) -> str:
    """`4:58`, below ten seconds `9.5`."""
    if seconds < 10:
        return f"{seconds:.1f}"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def _sides(sitting: BoardGame) -> list[str]:
    """Describe the players, their pieces and their time."""
    lines = []
    clocks = sitting.clocks()
    for colour, side in enumerate(sitting.sides):
        time = f", {clock_text(clocks[colour])}" if clocks else ""
        lines.append(f"{COLOURS[colour].capitalize()}: {side.name}{time}")
        lines.append(f"{_INDENT}{_pieces(sitting.variant, sitting.game.position, colour)}")
    return lines


def _recent_moves(sitting: BoardGame) -> list[str]:
    """The last moves, a line for each number."""
    behind = sitting.game.start.turn != sitting.variant.first
    rows: dict[int, list[str]] = {}
    for ply, turn in enumerate(sitting.turns):
        row = rows.setdefault((ply + behind) // 2 + 1, [])
        text = turn.text if turn.move else f"{turn.text} (no move)"
        row.append(f"...  {text}" if behind and not ply else text)
    return [f"{number:>3}. {'  '.join(texts)}" for number, texts in list(rows.items())[-_RECENT_ROWS:]]


def _seen(thought: Thought | None) -> list[str]:
    if thought is None:
        return []
    choice = thought.choice
    score = "" if not thought.score else thought.score if choice.plies_to_win else f"score {thought.score}"
    cutoffs = choice.cutoffs_max + choice.cutoffs_min
    parts = [
        f"{score} men" if score.startswith("score") and thought.man_value else score,
        f"depth {choice.depth}" if choice.depth else "",
        f"{choice.nodes:,} nodes" if choice.nodes else "",
        f"{cutoffs:,} cutoffs" if cutoffs else "",
    ]
    parts = list(filter(None, parts))
    parts += [f"{thought.seconds:.3f} s"] if parts or thought.seconds >= _NOTABLE_SECONDS else []
    lines = [", ".join(parts)] if parts else []
    if len(thought.line) > 1:
        more = " ..." if len(thought.line) > PLIES_SHOWN else ""
        lines.append(f"line: {' '.join(thought.line[:PLIES_SHOWN])}{more}")
    return lines


def _pieces(variant: Variant, position: Position, colour: int) -> str:
    own = position.black if colour else position.white
    kings = (own & position.kings).bit_count()
    men = own.bit_count() - kings
    words = [f"{men} {'man' if men == 1 else 'men'}"] if men or not kings else []
    words += [f"{kings} {'king' if kings == 1 else 'kings'}"] if kings else []
    if variant.rules.score_decides:
        words.append(counted(points(variant.rules, position)[colour], "point"))
    return ", ".join(words)
