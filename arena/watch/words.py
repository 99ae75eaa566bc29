"""The words for a run at a moment, the same for `run` and `status`."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from arena.base.number import percent, with_minus
from arena.base.wording import counted
from arena.ratings.interval import Interval
from arena.rules.game import Termination
from arena.watch.live import LostGames, Moment, Standing

COLUMNS = ("Elo", "score", "games", "won", "drawn", "lost")
"""The columns of a player, beside its name."""


def ranked(standings: Sequence[Standing], elo: Mapping[str, Interval]) -> list[Standing]:
    """By Elo, the greatest first; players without one behind the others, as they stood."""
    return sorted(
        standings, key=lambda standing: -elo[standing.player].value if standing.player in elo else math.inf
    )


def figures_of(standing: Standing, estimate: Interval | None) -> dict[str, str]:
    """A player's figures by column, those of COLUMNS; "" where there is none."""
    return {
        "Elo": "" if estimate is None else str(estimate),
        "score": percent(standing.score),
        "games": str(standing.games),
        "won": str(standing.wins),
        "drawn": str(standing.draws),
        "lost": str(standing.losses),
    }


def title(moment: Moment) -> str:
    """`compare: round-robin, english`."""
    return f"{moment.name}: {moment.format}, {moment.variant}"


def progress(moment: Moment) -> str:
    """`120/600 games (20 %), 35 games/s, 14 s left`, without what is not known."""
    if not moment.planned:
        return counted(moment.games, "game")
    most = "" if moment.exact else "at most "
    share = f"{100 * moment.games / moment.planned:.0f} %"
    text = f"{moment.games:,}/{most}{counted(moment.planned, 'game')} ({share})"
    if rate := moment.rate:
        text += f", {rate:.3g} games/s" if rate >= 1 else f", {60 * rate:.3g} games/min"
    if (left := moment.seconds_left) is not None:
        text += f", {most}{duration(left)} left"
    return text


def status_line(moment: Moment) -> str:
    """`progress`, then `, leader simple-d6 75.0 %` and a sequential test's `, LLR 1.23`."""
    leader = next(iter(moment.standings), None)
    text = progress(moment) + (f", leader {leader.player} {percent(leader.score)}" if leader else "")
    return text + (f", LLR {_ratio(moment.sprt.llr)}" if moment.sprt else "")


def state(moment: Moment) -> str:
    """Whether somebody plays the run, and when its last game ended."""
    ended = ""
    if moment.ended is not None:
        ended = f", last game {duration(max(moment.now - moment.ended, 0))} ago"
    session = moment.session
    if moment.complete:
        return f"complete{ended}"
    if moment.playing is False:
        return f"no process is playing it{ended}"
    if session is None:
        return f"nothing is known of who plays it{ended}"
    by = f"{'' if moment.playing else 'perhaps '}being played by process {session.process} on {session.host}"
    began = datetime.fromisoformat(session.began).astimezone(UTC)
    return f"{by} since {began:%Y-%m-%d %H:%M} UTC{ended}"


def incident(forfeits: LostGames) -> str:
    """`own lost 2 games (error of a player), first game 3: own raised ValueError at ply 5: no`."""
    ended = Termination(forfeits.termination).words
    lost = f"{forfeits.player} lost {counted(forfeits.games, 'game')} ({ended}), first game {forfeits.first}"
    return lost + (f": {forfeits.error}" if forfeits.error else "")


def test_line(moment: Moment) -> str:
    """`SPRT: LLR 1.23 of −2.94 (H0) to 2.94 (H1), 120 pairs`, and what it has decided; "" without a test."""
    if (test := moment.sprt) is None:
        return ""
    bounds = f"{_ratio(test.lower)} (H0) to {_ratio(test.upper)} (H1)"
    decided = "" if test.verdict == "continue" else f", {test.verdict} accepted"
    return f"SPRT: LLR {_ratio(test.llr)} of {bounds}, {counted(moment.sprt_pairs, 'pair')}{decided}"


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
