"""The command about results of any origin: rate."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from arena.base import ArenaError
from arena.base.number import with_minus
from arena.base.wording import counted, first_few
from arena.commands.options import FINITE, first_option, json_option
from arena.commands.output import echo, show_frame
from arena.ratings.match import sprt as sequential_test
from arena.ratings.results import match_counts
from arena.report.page.standings import rated
from arena.report.tables.table import words
from arena.report.together import RatedResults, read_results
from arena.rules.result import Colour

_VERDICTS = {"H0": "H0 is accepted", "H1": "H1 is accepted", "continue": "not decided"}
_DECIMALS = 4
"""Decimals of numbers in JSON."""


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--anchor",
    "anchors",
    multiple=True,
    metavar="PLAYER[=ELO]",
    help="A player whose Elo is given [0]; without one the mean is 0, of two players the second.",
)
@click.option(
    "--sprt",
    nargs=2,
    type=FINITE,
    metavar="ELO0 ELO1",
    help="Test the games of two players.",
)
@first_option
@json_option
def rate_command(
    files: tuple[Path, ...],
    anchors: tuple[str, ...],
    sprt: tuple[float, float] | None,
    first: Colour | None,
    as_json: bool,
) -> None:
    """Rate the players of all FILES in one fit: folders of runs, PDN of any program, CSV.

    A CSV has the columns white, black, result, or white, black, wins, draws, losses from White's side, and
    may have pair, the same for games that belong together.

    A game that several of them have counts once. Of two runs it says how many games are the same, what is set
    otherwise, and what a player that changed gained, by the opponents that both met.
    """
    found = read_results(*files, first=first)
    found = replace(found, anchor=dict(_given(word, found.players) for word in anchors))
    test = _tested(found, *sprt) if sprt else None
    show = _print_json if as_json else _print
    show(found, test)


def _given(word: str, players: Sequence[str]) -> tuple[str, float]:
    """A player and its Elo, of the word of an anchor: "base" stands at 0, "base=2500" at 2500."""
    name, _, elo = word.rpartition("=")
    with suppress(ValueError):
        if word not in players and math.isfinite(float(elo)):
            return name, float(elo)
    return word, 0.0


def _tested(found: RatedResults, elo0: float, elo1: float) -> dict[str, Any]:
    """The sequential test of the player that is no anchor, or has White in the first game, against the other."""
    players, games = found.players, found.results.games
    if len(players) != 2:
        raise ArenaError(f"--sprt tests two players, and here are {len(players)}: {first_few(players, 5)}")
    player = next((name for name in players if found.anchor and name not in found.anchor), games["white"].iloc[0])
    counts, left_out = match_counts(games, player)
    try:
        state = sequential_test(counts, elo0, elo1)
    except ValueError as error:
        raise ArenaError(f"--sprt: {error}") from None
    other = next(name for name in players if name != player)
    named = {"player": player, "other": other, "elo0": elo0, "elo1": elo1, "counts": counts, "left_out": left_out}
    return named | state._asdict()


def _print(found: RatedResults, test: dict[str, Any] | None) -> None:
    results, ratings = found.results, found.ratings
    for group in ratings.groups:
        table = found.standings[found.standings["player"].isin(group)]
        table = table.assign(rank=range(1, len(table) + 1))
        show_frame(rated(table, words(table["player"])).texts())
    echo("d Elo more mean an expected score of 1 / (1 + 10^(−d/400)); a draw is half a point.")
    mover = results.first.capitalize()
    if results.first_by:
        echo(f"{mover} moves first ({results.first_by}).")
    else:
        echo(f"{mover} is assumed to move first; --first changes that.")
    if ratings.advantage.error > 0:
        echo(f"Moving first ({mover}) was worth {ratings.advantage} Elo.")
    if test:
        llr, lower, upper = (with_minus(f"{test[name]:.2f}") for name in ("llr", "lower", "upper"))
        number, kind = sum(test["counts"]), "pair" if len(test["counts"]) == 5 else "game"
        out = f", {counted(test['left_out'], 'game')} without a partner left out" if test["left_out"] else ""
        echo(
            f"{test['elo0']:g} against {test['elo1']:g} normalized Elo of {test['player']} over {test['other']}: "
            f"LLR {llr} ({lower} to {upper}) after {counted(number, kind)}{out}: {_VERDICTS[test['verdict']]}."
        )
    both, same = results.same
    if both:
        echo(f"{same:,} of {counted(both, 'game')} that both have are the same, move for move.")
    for line in (*found.settings, *found.sentences, *_notes(found)):
        echo(line)


def _print_json(found: RatedResults, test: dict[str, Any] | None) -> None:
    results, ratings, table = found.results, found.ratings, found.standings
    both, same = results.same
    document = {
        "first": results.first,
        "first_by": results.first_by or None,
        "players": _records(table.assign(error=(table["elo_high"] - table["elo_low"]) / 2)),
        "advantage": round(ratings.advantage.value, _DECIMALS),
        "advantage_error": round(ratings.advantage.error, _DECIMALS),
        "games_of_both": both,
        "games_the_same": same,
        "changes": _records(found.changes),
        "settings": found.settings,
        "sprt": test,
        "notes": [*found.sentences, *_notes(found)],
        "left_out": [{"file": str(path), "line": line, "reason": reason} for path, line, reason in results.faults],
    }
    click.echo(json.dumps(document))


def _notes(found: RatedResults) -> list[str]:
    return [*found.ratings.notes.values(), *found.results.notes]


def _records(table: pd.DataFrame) -> list[dict[Any, Any]]:
    """The rows of a table for JSON: what is not known is null."""
    return table.round(_DECIMALS).astype(object).where(table.notna(), None).to_dict("records")
