"""What the games of a run show, printed and written: the command report, and versions of a player side by side."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.wording import counted
from arena.commands.options import PATH, Parsed
from arena.commands.output import echo, say, show_frame
from arena.commands.waiting import announcing_compilation
from arena.report.load import is_joint, load_run
from arena.report.page.standings import rated, standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import opening
from arena.report.tables.table import words
from arena.report.together import rate
from players.identity import COPIES, copy_of

FAULTY = 2
"""Exit code of a report that lacks a section."""


def _games(word: str) -> int:
    """A number of games, or all."""
    if word != "all" and not word.isdecimal():
        raise ValueError(f"{word!r} is neither all nor a number of games")
    return sys.maxsize if word == "all" else int(word)


@click.command()
@click.argument("folders", metavar="DIR...", nargs=-1, required=True, type=PATH)
@click.option("--fen", is_flag=True, help="With positions in moves.csv.")
@click.option("--games", type=Parsed(_games), metavar="all|N", help="Games on the page's board [as many as fit].")
@click.option("--moves", is_flag=True, help="With moves.csv and games.pdn of a large run, too.")
@click.option("--pdf", is_flag=True, help="With the charts as PDF, too.")
@click.option("--png", is_flag=True, help="With the charts as PNG, too.")
@click.option("--sheets", is_flag=True, help="With a file for each submission, in DIR/sheets.")
def report_command(folders: tuple[Path, ...], **wanted: Any) -> int:
    """Write the tables, charts and the page of the run in each DIR again, also while it is being played.

    With --sheets the page of each player with code of the user's own is a file to hand out, in which the others
    are opponent 1, 2, ... The key `report: [sheets, png, pdf]` of a configuration has `arena run` write them, too.
    """
    codes = []
    for folder in folders:
        if is_joint(folder):
            codes.append(write_joint_report(folder, parts=True, **wanted))
        else:
            codes.append(write_report(folder, **wanted))
    return max(codes)


def write_report(
    folder: Path, *, games: int | None = None, fen: bool = False, moves: bool = False, **also: bool
) -> int:
    """Print the standings of a run, then write its report; `also` are kinds of files. Returns the exit code.

    Sections that could not be made are said on stderr.
    """
    run = load_run(folder)
    if also.get("sheets") and run.submissions.empty:
        raise ArenaError(f"{folder} has no submissions for --sheets: no player has code of the user's own")
    if fen and run.large and not moves:
        raise ArenaError("--fen adds positions to moves.csv, which of a large run only --moves writes")
    run.faults.attempt("The answer", partial(show_verdict, run), None)
    from arena.report.write import write  # with matplotlib, for which no verdict waits

    try:
        with announcing_compilation():
            sheets = write(run, also=[name for name in also if also[name]], fen=fen, games=games, moves=moves)
    except KeyboardInterrupt:
        say(f"the report in {folder} is not written; this writes it:\narena report {folder}")
        raise
    echo(f"report: {folder / 'report.html'}")
    if sheets:
        echo(f"sheets: {counted(len(sheets), 'file')} in {sheets[0].parent}")
    for line in run.faults.found.values():
        say(line)
    return FAULTY if run.faults.found else 0


def write_joint_report(folder: Path, *, parts: bool = False, **wanted: Any) -> int:
    """Write the page of several runs and print what they say together; with `parts` their reports first.

    Returns the exit code.
    """
    from arena.report.joint import joint_grid, load_joint, summary, write_joint

    joint, codes = load_joint(folder), [0]
    for name in joint.runs if parts else ():
        echo(f"{name}:")
        codes.append(write_report(folder / name, **wanted))
    page = write_joint(joint, [name for name in ("png", "pdf") if wanted.get(name)])
    echo("\n".join(["all runs:", *summary(joint)]))
    if joint.across is not None:
        show_frame(joint_grid(joint).texts())
    echo(f"report: {page}")
    return FAULTY if joint.faults.found else max(codes)


def show_verdict(run: Run) -> None:
    """Print what a run's games show, and its standings."""
    for line in opening(run).lines:
        echo(line)
    if not (table := standings_grid(run).texts()).empty:
        show_frame(table)


def show_version(folder: Path, before: Path | None) -> None:
    """Print what the games of a version show, and what changed since the one before, as `arena rate` does."""
    echo(f"{folder}:")
    run = load_run(folder)
    show_verdict(run)
    if before in (None, folder):
        return
    other = load_run(before)
    lines, others = ({*each.games[["white", "black", "line"]].itertuples(index=False)} for each in (run, other))
    if run.experiment.variant != other.experiment.variant:
        echo(f"{before} was played by other rules")
    elif lines == others:
        echo(f"the games of {before}, move for move")
    else:
        both = rate(before, folder)
        echo("\n".join([*both.settings, *both.sentences]))


def show_versions(versions: Mapping[Path, Mapping[str, str]]) -> None:
    """Print the ratings of all versions by the last one's rules, and what brings the best one back."""
    rules = {folder: load_run(folder).experiment.variant for folder in versions}
    last = [*versions][-1]
    together = rate(*(folder for folder in versions if rules[folder] == rules[last]))
    show_frame(rated(together.standings, words(together.standings["player"])).texts())
    names, players = together.results.names, together.standings["player"]
    best = next((folder for player in players for folder in names if player.endswith(f"({names[folder]})")), last)
    copies = {path: copy_of(path, mark, best / COPIES) for path, mark in versions[best].items()}
    edited = [path for path, mark in versions[best].items() if mark != versions[last].get(path)]
    if commands := [["cp", str(copies[path]), os.path.relpath(path)] for path in edited if copies[path].is_file()]:
        echo("\n".join([f"to bring {best} back:", *map(shlex.join, commands)]))
