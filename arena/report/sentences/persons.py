"""Persons: how those stand who played the run's games at the board."""

from __future__ import annotations

from arena.base.number import percent, with_error
from arena.report.run import Run
from arena.report.sentences.words import counted
from arena.watch.elo import tells_elo
from players.player import HUMAN

MOST = 4
"""Persons that have a sentence."""


def persons(run: Run) -> list[str]:
    """What each person scored, and its Elo where results say something of one; the most games first."""
    own = [spec.name for spec in run.experiment.players if spec.type == HUMAN]
    table = run.ratings.table[run.ratings.table["player"].isin(own) & (run.ratings.table["games"] > 0)]
    sentences = []
    for row in table.sort_values("games", ascending=False, kind="stable").head(MOST).to_dict("records"):
        games, points = row["games"], row["wins"] + row["draws"] / 2
        text = f"{row['player']} scored {points:g} of {counted(games, 'game')} ({percent(points / games)})"
        if tells_elo(points, games):
            elo = with_error(row["elo"], (row["elo_high"] - row["elo_low"]) / 2)
            sentences.append(f"{text}: {elo} Elo, {run.zero}.")
        else:
            sentences.append(f"{text}, which says too little for an Elo.")
    return sentences
