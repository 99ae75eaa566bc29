"""Forfeits: which games were lost by players' failures, not on the board."""

from __future__ import annotations

from arena.base.wording import counted
from arena.report.run import Run
from arena.report.tables.submissions import by_failures, lost_by_failures, reasons, withdrawal

PLAYERS = 5
"""Players that the sentence names; of more it gives their number."""
NAMED = 3
"""Players left out that have a sentence each; of more their number and where the reasons are."""
SENTENCES = 10
"""Sentences on mistakes, and on players that were withdrawn."""


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
    left_out = [_ended(f"{player} was {reasons(run, player)[0]}") for player in manifest.left_out]
    if len(left_out) > NAMED:
        left_out = [f"{counted(len(left_out), 'player')} were left out as faulty; submissions.csv says why."]
    return [*left_out, *_some(taking_part, "mistake was found", "mistakes were found")]


def annulments(run: Run) -> list[str]:
    """A sentence for each player that was withdrawn and whose games are annulled, with its first failure."""
    found = [f"{player} was {withdrawal(run, player)}." for player in run.data.withdrawn]
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
    played = run.ratings.table.set_index("player")["games"]
    parts = [f"{player} lost {by_failures(counts.loc[player])}, of {played[player]}" for player in order[:PLAYERS]]
    more = len(order) - PLAYERS
    if more > 0:
        parts.append(f"{counted(more, 'player')} more lost some, too")
    were = "was" if lost == 1 else "were"
    return [f"{counted(lost, 'game')} of {games} {were} lost by players' failures: {'; '.join(parts)}."]
