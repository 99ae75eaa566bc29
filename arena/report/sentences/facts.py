"""Facts of a run: what was played and when, what the first move was worth, what an error cost."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pandas as pd

from arena.base.number import duration, known, percent, signed
from arena.base.wording import counted, first_few, joined
from arena.ledger.record import TABLES_JUDGE
from arena.report.describe import describe_limit
from arena.report.run import Run
from arena.report.tables.settings import limits, terms

_PLACED = {
    "swiss": "points, then Buchholz, then Sonneborn-Berger",
    "knockout": "the last round played, then by seed",
}
"""What decides places, by the format."""
MOST_NAMED = 5
"""Players that a sentence names."""
_WORTH = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}
"""Points of a position of the tables in words."""


def is_match(run: Run) -> bool:
    """Whether `arena match` made the run's configuration."""
    return Path(run.info.file).name == "match"


def facts(run: Run) -> str:
    """One line: rules, players and games, limits, openings, date, time and machine."""
    rules = run.experiment.rule_set.name
    players, kind = counted(len(run.data.experiment.players), "player"), run.experiment.format.type
    parts = [
        f"{rules[0].upper()}{rules[1:]} rules",
        f"{players}, {counted(len(run.games), 'game')}{_of_planned(run)}",
        "" if kind == "round-robin" else "sequential test" if run.experiment.sprt else kind,
        *(_limits_in_words(run), _openings(run)),
        *_when(run),
    ]
    return " · ".join(part for part in parts if part)


def _of_planned(run: Run) -> str:
    out = f" and {len(run.void_games)} that do not count" if len(run.void_games) else ""
    planned = run.info.games
    return out + (f" of at most {planned:,}" if planned and not run.info.exact else "")


def _limits_in_words(run: Run) -> str:
    """The limits of the players that have some: one limit in full, else their kinds."""
    limited = [spec for spec in run.experiment.players if limits(spec)]
    each = dict.fromkeys(spec.limit for spec in limited)
    if len(each) == 1:
        return (
            f"{describe_limit(limited[0].limit)} a move"
            if not limited[0].limit.clock
            else describe_limit(limited[0].limit)
        )
    kinds = dict.fromkeys(terms(limits(spec)) for spec in limited)
    return f"limited by {joined(kinds)}" if kinds else ""


def _openings(run: Run) -> str:
    """How many openings of which kind were played."""
    openings, used = run.experiment.openings, run.games["opening_fen"].nunique()
    if not used:
        return ""
    number = counted(used, "opening")
    times = run.games["opening"].nunique() / used
    each = f", {f'each {times:g} times' if times.is_integer() else f'{times:.1f} times each'}" if times > 1 else ""
    if openings.set is not None:
        kind = f" of {openings.set}"
    elif openings.file is not None:
        kind = " of a file"
    elif not openings.random_plies:
        number, kind = "the start position", ""
    else:
        kind = f" of {openings.random_plies} random plies"
    return f"{number}{kind}{each}, colours swapped"


def _when(run: Run) -> list[str]:
    """The day of the first game; if there was one session, how long it took, on how many cores."""
    began = run.games["began"].dropna()
    if began.empty:
        return []
    first = began.min()
    when = f"{first.day} {first:%B %Y}"
    session = run.info.session
    if session is None or session.games:
        return [when]
    ended = (run.games["began"] + run.games["seconds"].map(lambda seconds: timedelta(seconds=seconds))).max()
    cores, workers = run.info.machine.get("cores", 0), session.workers
    used = min(cores, workers) if isinstance(workers, int) else 0
    on = f" on {counted(used, 'core')}" if used else ""
    return [f"{when}, {duration((ended - first).total_seconds())}{on}"]


def first_move(run: Run) -> str:
    """Who moves first, what that was worth, and how many games were drawn."""
    games = len(run.games)
    if not games:
        return ""
    advantage = run.ratings.advantage
    worth = f"; that was worth {advantage} Elo" if abs(advantage.value) > advantage.error > 0 else ""
    drawn = percent((run.games["result"].astype(str) == "draw").sum() / games)
    return f"{run.data.first.capitalize()} moves first{worth}. {drawn} of the games were drawn."


def placed_by(run: Run) -> str:
    """What decides the places of a Swiss or knockout, which are no ranks by Elo."""
    return f"Places are by {_PLACED[run.experiment.format.type]}." if run.order else ""


def byes(run: Run) -> str:
    """Who has points of a Swiss without a game: a bye counts as all points of a round."""
    if "byes" not in run.standings:
        return ""
    worth = 2 * run.experiment.format.pairs_of_pairing(0)
    parts = [
        f"{row['player']}: {worth * row['byes']:g} for {counted(row['byes'], 'bye')}"
        for row in run.standings.to_dict("records")
        if row["byes"] > 0
    ]
    return f"Points without a game that counts: {'; '.join(parts)}." if parts else ""


def details(run: Run) -> list[str]:
    """Sentences on the games that few need: how wide intervals are, which were repeated."""
    notes = [text for kind, text in run.ratings.notes.items() if kind != "by prior" and len(run.games)]
    return [*narrowed(run), *notes, *_unwritten(run)]


def narrowed(run: Run) -> list[str]:
    """How wide the widest interval is, and whether that ended the run; nothing unless it was to."""
    if (until := run.experiment.until) is None:
        return []
    if len(run.experiment.anchor) > 1:
        over = run.data.order is not None and run.played < run.info.games
        ends = "The run ended when" if over else "The run ends when"
        return [f"{ends} the games alone, without what opponents differ by, tell Elo to ±{until.error:g}."]
    table = run.standings.set_index("player")
    half = (table["elo_high"] - table["elo_low"]).dropna() / 2
    width, of = (half.sum(), "difference") if len(half) == 2 else (half.max(), half.idxmax())
    widest, wanted = f"{width:.1f} Elo ({of})", f"±{until.error:g} Elo"
    if run.data.order is None:
        return [f"The widest 95 % interval is ±{widest} so far; the run ends at {wanted}."]
    if run.played == run.info.games and width > until.error:
        return [f"The openings were used up before intervals were within {wanted}: the widest is ±{widest}."]
    once = ", repeated games counted once" if width > until.error else ""
    return [f"The run ended when all 95 % intervals were within {wanted}: the widest is ±{widest}{once}."]


def _unwritten(run: Run) -> list[str]:
    if not run.large:
        return []
    return ["moves.csv and games.pdn are written when asked for, by arena report --moves."]


def cost(error: Mapping[Any, Any], name_of: Callable[[str], str] = str) -> str:
    """What a row of `Run.grades` lost: "a win turned into a draw", "1.2 men (+0.5 to −0.7) by the scores of x".

    `name_of` replaces the judge's name.
    """
    if error["judge"] == TABLES_JUDGE:
        return f"{_WORTH[error['best']]} turned into {_WORTH[error['played']]}"
    best, played = error["best_men"], error["played_men"]
    lost = f"{error['lost']:.2f} points"
    if known(best) and known(played):
        lost = f"{best - played:.1f} men ({signed(best, 1)} to {signed(played, 1)})"
    return f"{lost} by the scores of {name_of(error['judge'])}"


def unsolved(suites: pd.DataFrame) -> str:
    """Which players failed in some positions of suites; "" for none."""
    rows = [
        f"{row['player']} in {row['failures']} of {row['positions']} positions of {row['suite']}"
        for row in suites[suites["failures"] > 0].to_dict("records")
    ]
    return f" Failed, which solves nothing: {first_few(rows, MOST_NAMED, '; ')}." if rows else ""
