"""Forfeits: which games were lost by players' failures, not on the board."""

from __future__ import annotations

import pandas as pd

from arena.report.run import Run
from arena.report.sentences.words import counted
from arena.rules.game import FORFEITS, Termination
from arena.wording import listed

PLAYERS = 5
"""Players that the sentence names; of more it gives their number."""
_WORDS = {
    Termination.TIME: "{} on time",
    Termination.ILLEGAL_MOVE: "{} by illegal moves",
    Termination.ERROR: "{} by errors",
    Termination.WITHDRAWN: "{} unplayed, as it was withdrawn",
}


def lost_by_failures(games: pd.DataFrame) -> pd.DataFrame:
    """Games that players lost by failures: a row for each that lost any, a column for each `Termination`."""
    lost = games[games["termination"].isin(FORFEITS)]
    loser = lost["black"].where(lost["result"] == "1-0", lost["white"]).astype(str)
    return lost.groupby([loser.rename("player"), lost["termination"].astype(str)]).size().unstack(fill_value=0)


def forfeits(run: Run) -> list[str]:
    """How many games were lost by failures, by whom, of how many, and why; nothing if none was."""
    counts, games = lost_by_failures(run.games), len(run.games)
    if not len(counts):
        return []
    lost = int(counts.to_numpy().sum())
    order = counts.sum(axis=1).sort_values(ascending=False, kind="stable").index
    parts = []
    played = run.ratings.table.set_index("player")["games"]
    for player in order[:PLAYERS]:
        kinds = [
            _WORDS[kind].format(counts.loc[player, kind]) for kind in FORFEITS if counts.get(kind, {}).get(player)
        ]
        parts.append(f"{player} lost {listed(kinds)}, of {played[player]}")
    more = len(order) - PLAYERS
    if more > 0:
        parts.append(f"{counted(more, 'player')} more lost some, too")
    were = "was" if lost == 1 else "were"
    return [f"{counted(lost, 'game')} of {games} {were} lost by players' failures: {'; '.join(parts)}."]
