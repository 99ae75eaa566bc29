"""The words for a run at a moment, the same for `run`, `status` and lists of runs."""

from __future__ import annotations

import time
from datetime import UTC, datetime

from arena.base.number import percent, with_minus
from arena.base.wording import counted
from arena.rules.game import Termination
from arena.watch.status import LostGames, Standing, Status

COLUMNS = ("Elo", "score", "games", "won", "drawn", "lost")
"""The columns of a player, beside its name."""


def figures_of(standing: Standing) -> dict[str, str]:
    """A player's figures by column, those of COLUMNS; "" where there is none."""
    return {
        "Elo": "" if standing.elo is None else str(standing.elo),
        "score": percent(standing.score),
        "games": str(standing.games),
        "won": str(standing.wins),
        "drawn": str(standing.draws),
        "lost": str(standing.losses),
    }


def title(status: Status) -> str:
    """`compare: round-robin, english`."""
    experiment = status.experiment
    return f"{experiment.name}: {experiment.format.type}, {experiment.rule_set.name}"


def progress(status: Status) -> str:
    """`120/600 games (20 %), 35 games/s, 14 s left`, without what is not known."""
    if not status.planned:
        return counted(status.games, "game")
    most = "" if status.exact else "at most "
    share = f"{100 * status.games / status.planned:.0f} %"
    text = f"{status.games:,}/{most}{counted(status.planned, 'game')} ({share})"
    if rate := status.rate:
        text += f", {rate:.3g} games/s" if rate >= 1 else f", {60 * rate:.3g} games/min"
    if (left := status.seconds_left) is not None:
        text += f", {most}{duration(left)} left"
    return text


def status_line(status: Status) -> str:
    """`progress`, then `, leader simple-d6 75.0 %` and a sequential test's `, LLR 1.23`."""
    leader = next(iter(status.standings), None)
    text = progress(status) + (f", leader {leader.player} {percent(leader.score)}" if leader else "")
    return text + (f", LLR {_ratio(status.sprt.llr)}" if status.sprt else "")


def state(status: Status) -> str:
    """Whether somebody plays the run, and when its last game ended."""
    ended = ""
    if status.ended is not None:
        ended = f", last game {duration(max(time.time() - status.ended, 0))} ago"
    session = status.session
    if status.complete:
        return f"complete{ended}"
    if status.playing is False:
        return f"no process is playing it{ended}"
    if session is None:
        return f"nothing is known of who plays it{ended}"
    by = f"{'' if status.playing else 'perhaps '}being played by process {session.process} on {session.host}"
    return f"{by} since {date(session.began)} UTC{ended}"


def lost_line(lost: LostGames) -> str:
    """`own lost 2 games (error of a player): own raised ValueError at ply 5: no`."""
    ended = Termination(lost.termination).words
    return f"{lost.player} lost {counted(lost.games, 'game')} ({ended})" + (
        f": {lost.error}" if lost.error else ""
    )


def test_line(status: Status) -> str:
    """`SPRT: LLR 1.23 of −2.94 (H0) to 2.94 (H1), 120 pairs`, and what it has decided; "" without a test."""
    if (test := status.sprt) is None:
        return ""
    bounds = f"{_ratio(test.lower)} (H0) to {_ratio(test.upper)} (H1)"
    decided = "" if test.verdict == "continue" else f", {test.verdict} accepted"
    return f"SPRT: LLR {_ratio(test.llr)} of {bounds}, {counted(status.sprt_pairs, 'pair')}{decided}"


def date(text: str) -> str:
    """`2026-11-22 03:44`, UTC, of a time in ISO 8601; "" for ""."""
    return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M") if text else ""


def duration(seconds: float) -> str:
    """`14 s`, `3 min 05 s`, `2 h 10 min`, `1 d 3 h`."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02} s"
    if whole < 86400:
        return f"{whole // 3600} h {whole % 3600 // 60:02} min"
    return f"{whole // 86400} d {whole % 86400 // 3600} h"


def _ratio(value: float) -> str:
    return with_minus(f"{value:.2f}")
