"""The command that sits down to a game: play."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from arena.commands.common import announcing_compilation, preparing
from arena.commands.output import fail
from arena.commands.seating import (
    Seating,
    prepare,
    refuse_unless_it_counts,
    seated_of,
    seating_options,
    sitting_of,
    words_of,
)
from arena.rules.position import COLOURS


@click.command()
@click.argument("variant", required=False)
@seating_options
@click.option("--browser", is_flag=True, help="Play in the browser, on a page of this machine (arena serve).")
@click.option("--flip", is_flag=True, help="Turn the board.")
@click.option("--record", type=click.Path(path_type=Path), help="The games count, in the run in this folder.")
def play(browser: bool, flip: bool, record: Path | None, **options: Any) -> None:
    """Play a game at the board, by the rules of VARIANT: a name, or YAML as {base: english, promotion: never}.

    Each side is a person or any player, as `--white human --black '{type: negamax, preset: full, seconds: 1}'`.
    Without any you have the colour that moves first, against the published program of the rules or a low level.
    Moves and commands are read from the standard input; `help` lists them.
    """
    from arena.commands.dialogue.host import Host
    from arena.commands.dialogue.loop import converse

    seating = Seating(**options)
    if browser:
        from arena.commands.serve import open_board

        if flip:
            fail("--flip goes with the terminal; the page has a button")
        open_board(seating, is_begun=True, record=record)
        return
    with announcing_compilation(), ExitStack() as open_things:
        with preparing():
            sitting = sitting_of(seating)
            kept = None
            if record is not None:
                kept = _record(record, seating, sitting)
                open_things.callback(kept.close)
            prepare(sitting)
            # Compiles the rules where no player has done so, as between two persons.
            _ = sitting.game.legal_moves
        words, seated = words_of(seating, sitting), seated_of(seating, sitting)
        host = Host(sitting, seated, words, flip=flip, record=kept)
        if seating.from_file is not None and seating.game is None:
            host.saved = (seating.from_file, sitting.version)
        sides = (f"{COLOURS[colour].capitalize()} {side.name}" for colour, side in enumerate(sitting.sides))
        host.tell(f"{sitting.variant.name}: {', '.join(sides)}; `help` says what you can type")
        if kept is not None:
            host.tell(*filter(None, [kept.repaired]))
            host.tell("this game counts: no moves back, no hints, and to leave it is to resign")
        converse(host)


def _record(folder: Path, seating: Seating, sitting: Any) -> Any:
    """The run that games are added to; exits if there can be none."""
    from arena.ledger.store import StoreError
    from arena.sitting.record import Record

    refuse_unless_it_counts(seating, sitting)
    try:
        return Record(folder, seating.person, sitting.variant)
    except (StoreError, ValueError) as error:
        fail(f"--record: {error}")
