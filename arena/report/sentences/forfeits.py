"""Forfeits: which games were lost by players' failures, not on the board."""

from __future__ import annotations

import pandas as pd

from arena.base.wording import counted, listed
from arena.report.run import Run
from arena.rules.game import FORFEITS, Termination

PLAYERS = 5
"""Players that the sentence names; of more it gives their number."""
SENTENCES = 10
"""Sentences on mistakes, and on players that were withdrawn."""
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


def faulty(run: Run) -> list[str]:
    """The mistakes found in players before the first game, a sentence for each; and who was left out for one.

    Nothing of players that failed in games, which `forfeits` and `annulments` name.
    """
    manifest, failed = run.data.manifest, {*lost_by_failures(run.games).index, *run.data.withdrawn}
    if manifest is None:
        return []
    taking_part = [
        _ended(f"Found before the first game: {one.player}: {one.message}")
        for one in manifest.faulty
        if one.player not in failed
    ]
    first = {one.player: one.message for one in reversed(manifest.found) if one.level == "error"}
    left_out = [
        _ended(f"{player} was left out as faulty: {first.get(player, '')}") for player in manifest.left_out
    ]
    return [*left_out, *_some(taking_part, "mistake was found", "mistakes were found")]


def annulments(run: Run) -> list[str]:
    """A sentence for each player that was withdrawn and whose games are annulled, with its first failure."""
    first, games = run.data.experiment.withdraw.after, run.annulled
    found = []
    for player in run.data.withdrawn:
        own = games[(games["white"] == player) | (games["black"] == player)]
        unplayed = int((own["termination"] == Termination.WITHDRAWN).sum())
        of_these = f", {unplayed} of them unplayed," if unplayed else ""
        reason = own["error"].iloc[0].removeprefix(f"{player} ") or "lost on time"
        found.append(
            f"{player} was withdrawn, as it failed in all of its first {counted(first, 'game')} (game "
            f"{own['game'].iloc[0]}: {reason}): its {counted(len(own), 'game')}{of_these} do not count."
        )
    return _some(found, "player was withdrawn", "players were withdrawn")


def _ended(sentence: str) -> str:
    return sentence if sentence.endswith("?") else f"{sentence}."


def _some(sentences: list[str], one: str, several: str) -> list[str]:
    more = len(sentences) - SENTENCES
    if more <= 0:
        return sentences
    return [*sentences[:SENTENCES], f"{more} more {one if more == 1 else several}."]


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
