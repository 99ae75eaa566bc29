"""The command that lists and draws openings: openings."""

from __future__ import annotations

from pathlib import Path

import click

from arena.base.errors import ArenaError
from arena.base.wording import unknown
from arena.commands.options import VARIANT, seed_option
from arena.commands.output import echo, say, show_table
from arena.experiment.openings import SETS, sources
from arena.rules.notation import fen
from arena.rules.variants import VARIANTS, Variant


@click.command()
@click.argument("variant", type=VARIANT, required=False)
@click.option("--set", "name", metavar="NAME", help="Those of a named set, barred ones too.")
@click.option("--file", type=click.Path(path_type=Path), help="Those in a file of FENs or a PDN.")
@click.option("--random-plies", type=click.IntRange(0), metavar="N", help="Those after random plies [4].")
@click.option("--count", type=click.IntRange(1), metavar="N", help="How many [20 random ones, else all].")
@seed_option
@click.option("--unbalanced", is_flag=True, help="Keep random openings in which material is won.")
@click.option("--strict", is_flag=True, help="Stop at a game of the file that gives no opening.")
def openings_command(
    variant: Variant | None,
    name: str | None,
    file: Path | None,
    random_plies: int | None,
    count: int | None,
    seed: int,
    unbalanced: bool,
    strict: bool,
) -> None:
    """List the sets of openings, of VARIANT or all; or list or draw openings.

    An opening is a FEN, then what is known of it: its moves, its mark, and how many men White is ahead by.
    """
    if name is None and file is None and random_plies is None and count is None and not unbalanced:
        _show_sets(variant)
        return
    if name is not None and name not in SETS:
        raise ArenaError(unknown("set of openings", name, SETS))
    if name is not None and variant is None:
        variant = VARIANTS[SETS[name].variant]
    if variant is None:
        raise ArenaError("of which variant? arena openings VARIANT")
    if file is not None:
        read = sources.file_openings(variant, file)
        if strict and read.left_out:
            raise ArenaError(read.left_out[0])
        for line in [*sources.left_out_lines(read.left_out), *read.notes]:
            say(line)
        listed = sources.drawn(read.openings, count, seed)
    elif name is not None:
        listed = sources.drawn(sources.set_openings(variant, name, barred=True), count, seed)
    else:
        plies = 4 if random_plies is None else random_plies
        listed = sources.random_openings(variant, plies, count or 20, seed, not unbalanced, say)
    for opening in listed:
        notes = "; ".join(filter(None, (opening.name, opening.mark, opening.balance)))
        click.echo(fen(variant, opening.position) + (f"  {{{notes}}}" if notes else ""))


def _show_sets(variant: Variant | None) -> None:
    sets = SETS.values() if variant is None else sources.sets_of(variant)
    if not sets:
        echo(f"there is no set of openings of {variant.name if variant else 'any variant'}")
    else:
        header = ("set", "variant", "openings", "source")
        show_table(header, [(of.name, of.variant, of.counts, of.source) for of in sets])
        say("arena openings --set NAME lists the openings of one")
    if variant is not None:
        say(f"arena openings {variant.name} --random-plies 4 draws random ones")
