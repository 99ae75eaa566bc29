"""Games written as PDN 3.0.

Wieger Wesselink, PDN 3.0, https://wiegerw.github.io/pdn; but, as in all programs, a game ends in its result, not
in `*`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import isnan, nan
from typing import NamedTuple

from arena.rules.move_text import move_text
from arena.rules.movegen import legal_moves
from arena.rules.notation import algebraic, fen
from arena.rules.pdn.rules import type_number, variant_of_type
from arena.rules.played import PlayedGame
from arena.rules.position import COLOURS
from arena.rules.result import Colour
from arena.rules.variants import Variant

_SEPARATORS = {"25": ":", "41": ":", "31": "-"}
"""Between the squares of a capture, by the number of the GameType; all others have `x`."""
_OF_TWO_POINTS = ("20", "27")  # the GameTypes, international and Canadian draughts, whose games are of two points
_OWN_TAGS = ("GameType", "Variant", "FEN", "SetUp")  # tags that follow from a game's rules and start
NAGS = {"?": 2, "??": 4, "?!": 6}  # the number of each mark of an error, as PGN 8.2.4 has them (Edwards 1994)
_DIGITS = re.compile("[0-9]+")
_MILLISECOND = 0.001
_WIDTH = 80  # characters of a line, at most: a move and its comment share one if they fit


def pdn_game(
    variant: Variant,
    opening: str,
    tags: Mapping[str, str],
    moves: Sequence[str],
    result: str,
    *,
    comments: Mapping[int, str] | None = None,
    marks: Mapping[int, str] | None = None,
    setups: Mapping[int, str] | None = None,
) -> str:
    """One game in PDN 3.0: tags, numbered moves, and the result, of the side that moves first under the rules.

    `opening` is the FEN that the game begins with, `moves` are written by `move_text`: squares, captures and
    results are spelt as the GameType wants them. `comments`, `marks` of errors (NAGS) and FENs to set up are keyed
    by the number of plies played before. The tags GameType, Variant (where GameType does not name it), FEN, SetUp
    and Result say what the game is, whatever `tags` say.
    """
    given = tags.get("GameType", "")
    spelt = Spelling.of(variant, given if not variant.gametype and variant_of_type(given) == variant else None)
    rules = {"Result": spelt.result(result)} | ({"GameType": spelt.gametype} if spelt.gametype else {})
    if variant_of_type(spelt.gametype) != variant:
        rules["Variant"] = variant.name
    others = [(name, value) for name, value in tags.items() if name not in _OWN_TAGS]
    at = next((at for at, (name, _) in enumerate(others) if name == "Result"), len(others))
    tags = dict(others[:at]) | rules | dict(others[at + 1 :])
    if not spelt.gametype or opening != fen(variant, variant.start):
        tags |= {"SetUp": "1", "FEN": spelt.squares(opening)}
    header = [f'[{name} "{_quoted(value)}"]' for name, value in tags.items()]
    behind = int(opening[0].upper() != "WB"[variant.first])
    words: list[str] = []
    for ply in range(len(moves) + 1):
        if ply:
            number, second = divmod(ply - 1 + behind, 2)
            dots = f"{number + 1}{'...' if second else '.'} " if ply == 1 or not second else ""
            words.append(dots + spelt.move(moves[ply - 1]))
        noted = [f'/FEN "{spelt.squares(setups[ply])}"/'] if setups and ply in setups else []
        noted += [f"${NAGS[marks[ply]]}"] if marks and ply in marks else []
        if comments and ply in comments:
            noted += f"{{{comments[ply].replace('{', '(').replace('}', ')')}}}".split()
        whole = " ".join([*words[-1:], *noted])
        if ply and len(whole) <= _WIDTH:
            words[-1] = whole
        else:
            words += noted
    return "\n".join([*header, "", *_wrapped([*words, rules["Result"]]), ""])


class Spelling(NamedTuple):
    """How games of a GameType are written."""

    gametype: str
    first: Colour
    names: Mapping[int, str]  # the squares by their numbers, where they have letters

    @staticmethod
    @lru_cache
    def of(variant: Variant, gametype: str | None = None) -> Spelling:
        """The spelling of a variant's games, by its own GameType unless another one is given."""
        kind = variant.gametype if gametype is None else gametype
        has_letters = ",A" in kind
        names = {number: algebraic(variant, bit) for bit, number in variant.numbers.items() if has_letters}
        return Spelling(kind, COLOURS[variant.first], names)

    def squares(self, text: str) -> str:
        """A move or a FEN, its squares by their names."""
        return _DIGITS.sub(lambda square: self.names.get(int(square[0]), square[0]), text) if self.names else text

    def move(self, text: str) -> str:
        """A move by `move_text`."""
        return self.squares(text.replace("x", _SEPARATORS.get(type_number(self.gametype), "x")))

    def result(self, result: str) -> str:
        """A result of `arena.rules.result`, in the form that PDN 3.0 lists for the GameType."""
        of_two = type_number(self.gametype) in _OF_TWO_POINTS
        win, loss, draw = ("2-0", "0-2", "1-1") if of_two else ("1-0", "0-1", "1/2-1/2")
        if result in COLOURS:
            return win if result == self.first else loss
        return draw if result == "draw" else result


def search_comment(men: float, plies_to_win: int, depth: int, seconds: float, clock: float = nan) -> str:
    """Comment on a move by what its mover found, in the form of cutechess and fastchess: `+0.34/12 0.050s`.

    That is the score in men from the mover's view (a certain win in 7 plies is `+W7`, a certain loss `-W7`), the
    depth in plies and the wall time; what is nan, or 0 plies, is left out. What the clock shows then is PDN 3.0's
    command `[%clk 0:04:59]`, in whole seconds.
    """
    score = f"{'+' if plies_to_win > 0 else '-'}W{abs(plies_to_win)}" if plies_to_win else ""
    if not plies_to_win and not isnan(men):
        score = f"{round(men, 2) + 0.0:+.2f}"
    findings = f"{score}/{depth}" if depth else score
    time = "" if isnan(seconds) else f"{seconds:.{3 if seconds >= _MILLISECOND else 6}f}s"
    whole = 0 if isnan(clock) else int(clock)
    left = "" if isnan(clock) else f"[%clk {whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}]"
    return " ".join(filter(None, [findings, time, left]))


def time_control(limits: Mapping[str, float | None]) -> str:
    """Limits of time as the tag TimeControl: a clock is `60+0.5`, one of `moves` each `75/1200`, seconds for every
    move `1/2`; empty without any."""
    seconds, clock, increment, moves = map(limits.get, ("seconds", "clock", "increment", "moves"))
    if clock is None:
        return "" if seconds is None else f"1/{seconds:g}"
    return f"{moves}/{clock:g}" if moves else f"{clock:g}" + (f"+{increment:g}" if increment else "")


def write_pdn(game: PlayedGame) -> str:
    """Write a game as PDN 3.0: `pdn_game`."""
    variant = game.variant
    texts = [
        move_text(variant, position, move, legal_moves(variant.rules, position))
        for position, move in zip(game.positions, game.moves, strict=False)
    ]
    return pdn_game(
        variant,
        fen(variant, game.start, game.king_runs),
        game.tags,
        texts,
        game.result,
        comments=game.comments,
        setups={ply: fen(variant, position) for ply, position in game.setups.items()},
    )


def _quoted(value: str) -> str:
    return re.sub(r"[\r\n]+", " ", value.replace("\\", "\\\\").replace('"', '\\"'))


def _wrapped(words: Sequence[str]) -> list[str]:
    lines = [""]
    for word in words:
        joined = f"{lines[-1]} {word}".strip()
        if lines == [""] or len(joined) <= _WIDTH:
            lines[-1] = joined
        else:
            lines.append(word)
    return lines
