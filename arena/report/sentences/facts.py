"""The opening words of a report and the facts of its run: games played and drawn, what moving first was worth."""

from __future__ import annotations

import pandas as pd

from arena.base.number import percent
from arena.base.wording import counted, listed
from arena.ratings.errors import wilson
from arena.ratings.joint import ONE_PLAYER
from arena.report.run import Run
from arena.report.sentences.answers import answers, decision, lead, placed
from arena.rules.game import Termination

MOST = 4
"""Sentences of the opening words."""
PODIUM = 3
"""Places of the final order that the sentence names."""
_RULES = {
    Termination.ADJUDICATED_WIN: "won by scores",
    Termination.ADJUDICATED_DRAW: "drawn by scores",
    Termination.ADJUDICATED_TABLES: "by endgame tables",
}


def headline(run: Run) -> list[str]:
    """The opening words: what the run decided, its answers and who leads, in MOST plain sentences at most.

    Without games only what was decided.
    """
    return _told(run)[0]


def details(run: Run) -> list[str]:
    """The answers for which the opening words have no room."""
    return _told(run)[1]


def decisions(run: Run) -> list[str]:
    """Sentences: players found to be one, and the decisions of the sequential test and the format."""
    sentences = [note for note in run.ratings.notes if note.endswith(ONE_PLAYER)][:1] + placed(run)
    sentences += [decision(run.sprt, run.experiment)] if run.experiment.sprt else []
    if len(run.order):
        first = [f"{row.place}. {row.player}" for row in run.order.head(PODIUM).itertuples()]
        sentences.append(f"Final order ({run.experiment.format.type}): {'; '.join(first)}{_level(run.order)}.")
    return sentences


def facts(run: Run) -> list[str]:
    """How many games were played and drawn, and what moving first was worth, in plain text."""
    played, ratings = len(run.games), run.ratings
    sentences = [_progress(run)]
    if not played:
        return sentences
    sentences += narrowed(run)
    if ratings.advantage.error > 0:
        sentences.append(f"Moving first ({run.first.capitalize()}) was worth {ratings.advantage} Elo.")
    return [*sentences, *_adjudicated(run)]


def narrowed(run: Run) -> list[str]:
    """How wide the widest interval is, and whether that ended the run; nothing unless it was to."""
    if (until := run.experiment.until) is None:
        return []
    table = run.standings.set_index("player")
    half = (table["elo_high"] - table["elo_low"]) / 2
    found, of = (half.sum(), "difference") if len(half) == 2 else (half.max(), half.idxmax())
    widest, wanted = f"{found:.1f} Elo ({of})", f"±{until.error:g} Elo"
    if run.data.order is None:
        return [f"The widest 95 % interval is ±{widest} so far; the run ends at {wanted}."]
    if run.played == run.info.games and found > until.error:
        return [f"The openings were used up before intervals were within {wanted}: the widest is ±{widest}."]
    once = ", repeated games counted once" if found > until.error else ""
    return [f"The run ended when all 95 % intervals were within {wanted}: the widest is ±{widest}{once}."]


def _level(order: pd.DataFrame) -> str:
    """That the first place was decided by the seed, as the last tie stayed level."""
    first = order.iloc[0]
    if first.get("decided", "points") == "points":
        return ""
    return f"; level with {first['opponent']}, {first['player']} is first by its higher seed"


def _told(run: Run) -> tuple[list[str], list[str]]:
    """The opening words and the rest of what the run answers."""
    first = decisions(run)
    if not len(run.games):
        return first, []
    last = _leads(run)
    room = MOST - len(first) - len(last)
    found = answers(run, room)
    return [*first, *found[:room], *last], found[room:]


def _leads(run: Run) -> list[str]:
    """The leader, unless Elo is given, or the comparisons name it, as those at limits of several kinds do.

    Beside a final order, which places players by other figures, "By Elo" begins the sentence.
    """
    named = len(run.comparisons) > 0 and (len(run.players) == 2 or run.comparisons["terms"].nunique() > 1)
    if named or len(run.experiment.anchor) > 1:
        return []
    found = lead(run.standings, run.experiment.players)
    return [f"By Elo, {sentence}" for sentence in found] if len(run.order) else found


def _adjudicated(run: Run) -> list[str]:
    """How many games were adjudicated, by which rules, and how often that was wrong, as far as it was verified."""
    if run.experiment.adjudicate is None:
        return []
    table = run.adjudications
    games, verified, wrong = (int(table[name].sum()) for name in ("games", "verified", "wrong"))
    rules = [f"{row['games']} {_RULES[row['termination']]}" for row in table.to_dict("records") if row["games"]]
    by = f" ({listed(rules)})" if games else ""
    sentences = [f"{games} of {counted(len(run.games), 'game')} were adjudicated{by}."]
    if verified:
        low, high = (percent(float(end)) for end in wilson(wrong / verified, verified))
        sentences.append(
            f"Adjudication was wrong in {wrong} of {counted(verified, 'game')} played to the end to verify it "
            f"({percent(wrong / verified)}, {low} to {high})."
        )
    return sentences


def _progress(run: Run) -> str:
    played, planned, exact = len(run.games), run.info.games, run.info.exact
    of = f" of at most {planned} planned" if planned and not exact else ""
    end = ", complete" if not exact and run.data.order is not None else ""
    draws = int((run.games["result"].astype(str) == "draw").sum())
    drawn = f", {percent(draws / played)} drawn" if played else ""
    void = f" and {len(run.void_games)} void" if len(run.void_games) else ""
    players = counted(len(run.data.experiment.players), "player")
    return f"{players}, {counted(played, 'game')}{void}{of}{end}{drawn}."
