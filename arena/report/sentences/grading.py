"""How to read the tables of graded decisions and of suites; the costliest errors."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import pandas as pd
from markupsafe import Markup

from arena.base.wording import counted, first_few, listed
from arena.ledger.record import TABLES_JUDGE
from arena.ratings.errors import BLUNDER, INACCURACY, MISTAKE
from arena.report.sentences.cautions import MOST
from arena.report.tables.views import ALL
from arena.report.template import escaped, wrapping

WORTH = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}
"""Points of a position of the tables in words."""


def judged(judges: pd.DataFrame) -> str:
    """How a judge's scores became points."""
    fitted = [
        f"k = {row['k']:.2f} ± {(row['k_high'] - row['k_low']) / 2:.2f} per man for {row['judge']}, fitted on the "
        f"results of {counted(row['games'], 'game')}, {row['decisions']:,} decisions"
        for row in judges.to_dict("records")
    ]
    return (
        "Lost: points, 0 to 1, s(best) less s(played) with s = 1 / (1 + exp(−k men)) of the judge's scores (Regan "
        f"and Haworth 2011); {'; '.join(fitted)}. Shares of moves that lost {INACCURACY:g} (?!), {MISTAKE:g} (?) "
        f"and {BLUNDER:g} points or more (??). Agrees: moves than which the judge knows none better. Positions of "
        "the endgame tables are not among them."
    )


def solved(suites: pd.DataFrame) -> str:
    """How to read the table of suites, how many positions they have, and which players failed in some of them."""
    failed = suites[(suites["stratum"] == ALL) & (suites["failures"] > 0)]
    rows = [
        f"{row['player']} in {row['failures']} of {row['positions']} positions of {row['suite']}"
        for row in failed.to_dict("records")
    ]
    sizes = suites.groupby("suite", sort=False)["positions"].max()
    size = f"Positions: {listed([f'{number:,} of {suite}' for suite, number in sizes.items()])}."
    failures = f" Failed, which solves nothing: {first_few(rows, MOST, '; ')}." if rows else ""
    return (
        "Per cent of the positions that each player solves under its own limit, ± the longer side of Wilson's "
        f"95 % interval. Below the players: a move at random, and one that looks one ply ahead. {size}{failures}"
    )


def costliest(errors: pd.DataFrame, linked: bool) -> tuple[Markup, str]:
    """The costliest errors as a list in HTML, whose games are links where the page holds them, and in Markdown."""
    html, markdown = [], []
    for number, row in enumerate(errors.to_dict("records"), 1):
        where = f"Game {row['game']}, ply {row['ply']}"
        what = f": {row['player']} played {row['move']} {row['mark']}, {_lost(row)}; better {row['best_move']}."
        link = Markup('<a href="#game={}&amp;ply={}">{}</a>').format(row["game"], row["ply"] - 1, where)
        html.append(Markup("<li>{}{}</li>").format(link if linked else where, wrapping(what)))
        markdown.append(f"{number}. {escaped(where + what)}")
    return Markup('<ol class="items">\n{}\n</ol>').format(Markup("\n").join(html)), "\n".join(markdown)


def _lost(row: Mapping[Hashable, Any]) -> str:
    if row["judge"] == TABLES_JUDGE:
        return f"{WORTH[row['best']]} turned into {WORTH[row['played']]}"
    return f"{row['lost']:.2f} points by the scores of {row['judge']}"
