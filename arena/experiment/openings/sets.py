"""Named sets of openings, a file each: what they are called, whose they are, and how many."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).with_name("sets")
"""The files: a FEN a line, in braces its line of play, its mark and its balance."""
BARRED = "barred"
"""The mark of openings that are not played."""


class OpeningSet(NamedTuple):
    """A set of openings."""

    name: str
    variant: str
    played: int
    """Its openings, all of different positions."""
    barred: int
    """Those that are not played, as one side loses a man or the game: used where they are asked for."""
    source: str

    @property
    def counts(self) -> str:
        """How many are played, and of how many: "156 of 174"."""
        return f"{self.played} of {self.played + self.barred}" if self.barred else str(self.played)

    @property
    def path(self) -> Path:
        """The file of its openings."""
        return FOLDER / f"{self.name}.txt"


SETS = {
    one.name: one
    for one in (
        OpeningSet("english-2-move", "english", 43, 6, "all lines of 2 plies; barred by the ACF"),
        OpeningSet("english-3-move", "english", 156, 18, "ballots of the ACF, 2002; 12 of them for play by mail"),
        OpeningSet("english-11-man", "english", 2253, 247, "a man off each side, by the NCCA; barred by KingsRow"),
        OpeningSet("international-2-ply", "international", 79, 2, "all lines of 2 plies; barred: a man is lost"),
        OpeningSet(
            "international-3-ply", "international", 333, 114, "all lines of 3 plies; barred: a man is lost"
        ),
        OpeningSet("russian-table", "russian", 742, 0, "drawing table of the IDF, 2017: 745 rows"),
        OpeningSet("brazilian-table", "brazilian", 734, 0, "drawing table of the IDF, 2017: 736 rows"),
        OpeningSet("italian-table", "italian", 174, 0, "general table of the FID, with its grades"),
    )
}
"""Every set, by its name. ACF and NCCA are checker federations of America and North Carolina, IDF and FID the
international and the Italian draughts federation."""
