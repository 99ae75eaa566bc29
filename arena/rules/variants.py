"""Variants: one row of named constants each, tagged with the articles of its rule book.

Articles are cited from WCDF (English), FMJD annex 1 (international), APCA (pool), FID chapter I (Italian), FMJD
section 64 and the Russian code of 2004 (Russian, Brazilian), the Czech code, FPD (Portuguese). Squares are
numbered as PDN 3.0's GameType says. That a Thai king may turn back over a piece that it has captured, which is
removed at once, is in the Checkers & Draughts Wiki (Mak-hot) and at coldmoon.io; mindsports.nl has it go on in two
directions alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property

from arena.rules.position import BLACK, WHITE, Position, row_and_column, single_bits
from arena.rules.result import Draws, Ending
from arena.rules.rules import AT_END, DELAYED, IN_PASSING, NEVER, STOPS, Rules, board_rules

MOST_KING_MOVES = 9  # the largest `Variant.king_moves`, one digit of a FEN


@dataclass(frozen=True)
class Variant:
    """Joins the rules, board, start position and names of a rule set: `VARIANTS["english"]`."""

    name: str
    rules: Rules
    men: int
    """Men of each side at the start."""
    first: int
    """The colour that moves first."""
    draws: Draws = field(default_factory=Draws)
    king_moves: int = 0
    """How often in a row a side that has men may move the same king without capturing; 0 is no limit."""
    gametype: str = ""
    """Value of the GameType tag."""
    gametype_source: str = "PDN 3.0"
    """Where the GameType, and with it the numbering of squares, stands."""
    mirrored: bool = False
    """The right corner of each side is dark, not the left one."""
    from_white: bool = False
    """Square 1 is on White's side of the board, not on Black's."""
    draws_source: str = "no source found"
    """Where its draw rules stand."""
    about: str = ""
    base: str = ""
    """The name of the variant that it was made from; empty for one of VARIANTS."""

    @property
    def unchanged(self) -> str:
        """The name without other changes than the size: `english-6x6`."""
        return sized_name(VARIANTS[self.family], self.rules.rows)

    @property
    def family(self) -> str:
        """The name of the one of VARIANTS that it is or was made from."""
        return self.base or self.name

    @property
    def squares(self) -> int:
        """How many squares are played on."""
        return self.rules.rows * self.rules.per_row

    @cached_property
    def bits(self) -> tuple[int, ...]:
        """The bit of each square, in the order of its number in notation.

        White sees the squares of a row from left to right, or from right to left if square 1 is on its own side.
        """

        def order(bit: int) -> tuple[int, int]:
            row, column = row_and_column(bit.bit_length() - 1, self.rules.per_row)
            return row, -column if self.mirrored else column

        return tuple(sorted(single_bits(self.rules.board), key=order, reverse=self.from_white))

    @cached_property
    def numbers(self) -> dict[int, int]:
        """The number of each square, counted from 1, by its bit."""
        return {bit: number for number, bit in enumerate(self.bits, start=1)}

    def numbers_of(self, bits: int) -> list[int]:
        """The numbers of squares, in ascending order, from their bits."""
        return sorted(self.numbers[bit] for bit in single_bits(bits))

    @cached_property
    def start(self) -> Position:
        """The start position."""
        first, last = sum(self.bits[: self.men]), sum(self.bits[-self.men :])
        white, black = (first, last) if self.from_white else (last, first)
        return Position(white, black, 0, self.first)


def sized_name(base: Variant, rows: int) -> str:
    """The name of one of VARIANTS on a board of so many rows."""
    return base.name if rows == base.rules.rows else f"{base.name}-{rows}x{rows}"


_EIGHT = board_rules(8, 4)
_TEN = board_rules(10, 5)
_ENGLISH = Variant(
    name="english",
    rules=_EIGHT.but(  # WCDF 1.1
        flying=False,  # 1.17
        men_capture_backward=False,  # 1.18
        promotion=STOPS,  # 1.19
        majority=False,  # 1.20
    ),
    men=12,  # 1.11
    first=BLACK,
    draws=Draws(repetition=3, no_progress=80),  # 1.32.1, 1.32.2
    gametype="21,B,8,8,N1,0",
    draws_source="WCDF 1.32",
    about="American checkers",
)
_INTERNATIONAL = Variant(
    name="international",
    rules=_TEN.but(  # FMJD 2.1
        flying=True,  # 3.9
        men_capture_backward=True,  # 4.1
        removed_at_once=False,  # 4.11
        majority=True,  # 4.13
        promotion=AT_END,  # 4.15
    ),
    men=20,  # 2.8
    first=WHITE,
    draws=Draws(
        repetition=3,  # 6.1
        no_progress=50,  # 6.2
        endings=(Ending(32, 4, 4), Ending(10, 2, 3)),  # 6.3, 6.4
    ),
    gametype="20,W,10,10,N2,0",
    draws_source="FMJD 6",
    about="the 100 square game of the FMJD",
)
_ENDINGS_64 = (
    Ending(30, 4, 24, kings=3),  # FMJD-64 7.2.4
    Ending(60, 4, 5, lone_king=False, restarts=True),  # 7.2.6
    Ending(120, 6, 7, lone_king=False, restarts=True),  # 7.2.6
    Ending(10, 4, 4, long_diagonal=True),  # 7.2.7
    Ending(10, 2, 3),  # 7.2.8
)
_RUSSIAN = Variant(
    name="russian",
    rules=_EIGHT.but(
        flying=True,  # Russian code 1.4.5
        men_capture_backward=True,  # 1.5.3
        promotion=IN_PASSING,  # 1.5.15
    ),
    men=12,
    first=WHITE,
    draws=Draws(repetition=3, no_progress=30, endings=_ENDINGS_64),  # FMJD-64 7.2.3, 7.2.5
    gametype="25,W,8,8,A0,0",
    draws_source="FMJD-64 7.2",
    about="shashki",
)
_SPANISH = Variant(
    name="spanish",
    rules=_EIGHT.but(flying=True, majority=True, prefer_kings=True, promotion=STOPS),
    men=12,
    first=WHITE,
    draws=Draws(repetition=3, no_progress=80),
    gametype="24,W,8,8,N1,1",
    mirrored=True,
    from_white=True,
    about="flying kings, men capture forward",
)
_FRISIAN = Variant(
    name="frisian",
    rules=_INTERNATIONAL.rules.but(
        straight_captures=True,
        majority=False,
        prefer_value=True,
        prefer_king=True,
    ),
    men=20,
    first=WHITE,
    draws=Draws(repetition=3, endings=(Ending(14, 3, 3, kings=2), Ending(4, 2, 2))),
    king_moves=3,
    gametype="40,W,10,10,N2,0",
    draws_source="Dambûn Frysk Spul; one king against one: lidraughts.org",
    about="captures straight ahead and sideways, too",
)
VARIANTS: dict[str, Variant] = {
    variant.name: variant
    for variant in (
        _ENGLISH,
        Variant(
            name="italian",
            rules=_EIGHT.but(  # FID 2.1
                flying=False,  # 4.7
                men_capture_backward=False,  # 5.3(a)
                men_capture_kings=False,  # 5.3(b)
                majority=True,  # 6.6
                prefer_king=True,  # 6.7
                prefer_kings=True,  # 6.8
                prefer_early_kings=True,  # 6.9
                promotion=STOPS,
            ),
            men=12,
            first=WHITE,
            draws=Draws(repetition=4, no_progress=80),  # 9.3(b1), 10.4
            gametype="22,W,8,8,N2,1",
            draws_source="FID 9.3, 10.4",
            mirrored=True,  # 2.3
            about="dama italiana; men cannot capture kings",
        ),
        _SPANISH,
        replace(
            _SPANISH,
            name="portuguese",
            draws=Draws(repetition=3, no_progress=40),  # FPD 23
            gametype="28,W,8,8,N1,1",
            draws_source="Federação Portuguesa de Damas 23",
            about="as Spanish, but for draws",
        ),
        Variant(
            name="czech",
            rules=_EIGHT.but(  # Czech code 2.1
                flying=True,  # 3.9
                men_capture_backward=False,  # 4.1
                prefer_king=True,  # 4.14
                promotion=STOPS,
            ),
            men=12,
            first=WHITE,
            draws=Draws(repetition=3, no_progress=30),
            gametype="29,W,8,8,A0,0",
            about="a king's capture goes before a man's",
        ),
        Variant(
            name="pool",
            rules=_EIGHT.but(  # APCA 1
                men_capture_backward=True,  # 14
                flying=True,  # 15
                promotion=AT_END,  # 16, 22, 23
                removed_at_once=False,  # 19
                majority=False,  # 20
            ),
            men=12,  # 5
            first=BLACK,
            draws=Draws(repetition=3, no_progress=30, endings=(Ending(26, 4, 4, kings=3),)),  # 26, 27
            gametype="23,B,8,8,N1,0",
            draws_source="APCA 26, 27",
            about="American pool checkers",
        ),
        _RUSSIAN,
        Variant(
            name="brazilian",
            rules=_EIGHT.but(flying=True, men_capture_backward=True, majority=True, promotion=AT_END),
            men=12,
            first=WHITE,
            draws=_RUSSIAN.draws,
            gametype="26,W,8,8,A0,0",
            draws_source=_RUSSIAN.draws_source,
            about="international rules on the small board",
        ),
        Variant(
            name="thai",
            rules=_EIGHT.but(flying=True, lands_behind=True, removed_at_once=True, promotion=STOPS),
            men=8,
            first=BLACK,
            draws=Draws(repetition=3, no_progress=80),
            gametype="31,B,8,8,N2,0",
            from_white=True,
            about="makhos; a king stops right behind what it takes",
        ),
        _INTERNATIONAL,
        _FRISIAN,
        replace(
            _FRISIAN,
            name="frysk",
            men=5,
            gametype="97,W,10,10,N2,0",
            gametype_source="lidraughts.org",
            about="Frisian with five men each",
        ),
        replace(
            _INTERNATIONAL,
            name="killer",
            rules=_INTERNATIONAL.rules.but(killer=True),
            draws=_INTERNATIONAL.draws._replace(endings=()),  # two kings win against one: mindsports.nl
            gametype="",
            draws_source="FMJD 6.1, 6.2",
            about="a king must stop right behind a king that it takes last",
        ),
        replace(
            _INTERNATIONAL,
            name="antidraughts",
            rules=_INTERNATIONAL.rules.but(losing_wins=True),
            draws=Draws(repetition=3),
            gametype="98,W,10,10,N2,0",
            gametype_source="lidraughts.org",
            draws_source="lidraughts.org",
            about="losing wins",
        ),
        replace(
            _INTERNATIONAL,
            name="breakthrough",
            rules=_INTERNATIONAL.rules.but(first_king_wins=True),
            draws=Draws(),
            gametype="96,W,10,10,N2,0",
            gametype_source="lidraughts.org",
            draws_source="lidraughts.org",
            about="the first king wins",
        ),
        replace(
            _ENGLISH,
            name="game3",
            rules=_EIGHT.but(one_hop=True),
            draws=Draws(repetition=3, no_capture=100),
            gametype="",
            mirrored=True,
            draws_source="its program",
            about="house rules: one hop a turn",
        ),
        replace(
            _ENGLISH, name="checkers-ai", gametype="", draws_source="its program", about="house rules: as English"
        ),
        Variant(
            name="casual-10x10",
            rules=_TEN.but(flying=True, men_capture_backward=True, promotion=DELAYED, lands_anywhere=True),
            men=15,
            first=WHITE,
            draws_source="its program",
            about="house rules: three rows of men, any capture, no draws",
        ),
        replace(
            _ENGLISH,
            name="simplified",
            rules=_EIGHT.but(promotion=NEVER, passes=True, score_decides=True),
            draws=Draws(),
            gametype="",
            draws_source="its program",
            about="house rules: no crowning, a side without a move passes, points decide",
        ),
        replace(
            _ENGLISH,
            name="cis300",
            draws=Draws(),
            gametype="",
            draws_source="its program",
            about="house rules: English without draws",
        ),
    )
}
