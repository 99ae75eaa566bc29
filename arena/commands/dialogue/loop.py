"""The loop of a game at the board: players think, persons type moves and commands."""

from __future__ import annotations

import sys
import threading

from arena.commands.common import GRACE_SECONDS
from arena.commands.dialogue.host import Host
from arena.commands.dialogue.lines import clock_text
from arena.commands.dialogue.typed import obey
from arena.commands.waiting import line_of

_ALARM_SECONDS = 0.02
"""Seconds after the end of a clock at which it is looked at."""
_AFTERWARDS = "`new` begins another game, `save FILE` keeps this one, `quit` leaves"


def converse(host: Host) -> None:
    """Play games until the person leaves or the input ends."""
    interrupts = 0
    while not host.has_left:
        try:
            host.tell_news()
            sitting = host.sitting
            if sitting.outcome is None and not sitting.side.is_person and not host.is_paused:
                _think(host)
                continue
            _invite(host)
            text = line_of(_prompt(host), _seconds_left(host))
            interrupts = 0
            if text is not None:
                obey(host, text)
            elif not sys.stdin.isatty() or host.may_leave("Ctrl-D"):
                host.leave()
        except TimeoutError:
            host.tell("")
        except KeyboardInterrupt:
            interrupts += 1
            if interrupts > 1:
                host.tell("")
                host.leave()
            else:
                host.tell("", f"Ctrl-C once more, or `quit`, {host.leaving()}")
    closing = threading.Thread(target=host.sitting.close, daemon=True)
    closing.start()
    closing.join(GRACE_SECONDS)


def _think(host: Host) -> None:
    """Have the player to move play, or leave if it is not to be waited for."""
    if not host.has_person:
        host.show_once()
    try:
        host.think()
    except KeyboardInterrupt:
        host.leave()


def _invite(host: Host) -> None:
    """Show what there is to answer to, once a position."""
    from arena.sitting.entering import legal_line, must_capture

    sitting = host.sitting
    if host.invited_at == sitting.version:
        return
    host.invited_at = sitting.version
    if sitting.outcome is not None:
        host.tell(_AFTERWARDS)
        return
    host.show_once()
    if host.is_paused:
        host.tell("paused; press Enter to continue")
    elif must_capture(sitting.game) or len(sitting.game.legal_moves) == 1:
        host.tell(legal_line(sitting.game))


def _seconds_left(host: Host) -> float | None:
    """Seconds until the clock of the person to move has run out, and it shows; None where none runs."""
    sitting = host.sitting
    clocks = sitting.clocks()
    if clocks is None or sitting.outcome is not None or not sitting.side.is_person:
        return None
    return clocks[sitting.game.turn] + _ALARM_SECONDS


def _prompt(host: Host) -> str:
    if host.sitting.outcome is not None:
        return "over> "
    if host.is_paused:
        return "paused> "
    clocks = host.sitting.clocks()
    left = f" {clock_text(clocks[host.sitting.game.turn])}" if clocks else ""
    return f"{host.colour()}{left}> "
