"""What the games of a run show, printed and written: the command report, and versions of a player side by side."""

from __future__ import annotations

import difflib
import os
import shlex
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.base import ArenaError
from arena.base.files import replace, write_text
from arena.base.wording import counted
from arena.commands.options import PATH, Parsed
from arena.commands.output import echo, say, show_frame
from arena.commands.waiting import announcing_compilation
from arena.ratings.results import combined
from arena.report.load import is_joint, load_run
from arena.report.page import html_of
from arena.report.page.standings import rated, standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import opening
from arena.report.tables.outcomes import partings, summary
from arena.report.tables.table import Grid, words
from arena.report.together import RatedResults, source_of
from players.identity import COPIES, copy_of

FAULTY = 2
"""Exit code of a report that lacks a section."""
_RENEWED = 2
"""Seconds after which a browser loads the page of a watched session again."""


class Edit(NamedTuple):
    """What was edited between two versions."""

    after: Path
    before: Path
    changes: Sequence[str]
    """What it came to."""
    diff: str


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

    Sections that could not be made are named on stderr.
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


class Session:
    """The versions of a watched run: each is compared with the one before, and a page has what each edit was."""

    def __init__(self, page: Path) -> None:
        self._page = page
        self._files: dict[Path, Mapping[str, str]] = {}
        """By the folder of each version's run the hashes of its files, by path."""
        self._edits: list[Edit] = []
        self._last: Run | None = None

    def add(self, folder: Path, files: Mapping[str, str]) -> None:
        """Print what the games of a version show, and what changed since the one before, as `arena rate` does."""
        echo(f"{folder}:")
        run, before = load_run(folder), self._last
        show_verdict(run)
        self._files[folder], self._last = files, run
        if before is None:
            echo(f"what each edit is: {self._page}")
        elif before.folder != folder:
            changes = _changes(before, run)
            echo("\n".join(changes))
            self._edits.insert(0, Edit(folder, before.folder, changes, self._diff(before.folder, folder)))
        self._write()

    def end(self) -> None:
        """Print the ratings of all versions by the last one's rules, and what brings the best one back."""
        last, runs = self._last, [load_run(folder) for folder in self._files]
        assert last is not None
        together = _together([run for run in runs if run.experiment.variant == last.experiment.variant])
        grid = rated(together.standings, words(together.standings["player"]))
        show_frame(grid.texts())
        names, players = together.results.names, together.standings["player"]
        ended = [folder for player in players for folder in names if player.endswith(f"({names[folder]})")]
        best = next(iter(ended), last.folder)
        if best != last.folder and (commands := self._commands(best)):
            echo(f"to bring {best} back:\n{commands}")
        self._write(grid)

    def _write(self, standings: Grid | None = None) -> None:
        """Write the page, which renews itself until it has the ratings of the session's end."""
        text = html_of(
            "versions.jinja",
            f"Versions in {self._page.parent}",
            renewed=None if standings else _RENEWED,
            standings=standings,
            edits=self._edits,
            commands={folder: self._commands(folder) for folder in self._files},
        )
        replace(self._page, partial(write_text, text))

    def _diff(self, before: Path, after: Path) -> str:
        """The differences between the players' files of two versions, as far as they are texts."""
        lines = list[str]()
        for path in sorted(self._files[before].keys() | self._files[after].keys()):
            old, new = (self._lines(path, folder) for folder in (before, after))
            name = os.path.relpath(path)
            lines += difflib.unified_diff(old, new, name, name, lineterm="")
        return "\n".join(lines)

    def _lines(self, path: str, folder: Path) -> list[str]:
        """The lines that a file had in a version; none where there is no copy of it, or no text."""
        try:
            return copy_of(path, self._files[folder][path], folder / COPIES).read_text("utf-8").splitlines()
        except (KeyError, OSError, UnicodeDecodeError):
            return []

    def _commands(self, version: Path) -> str:
        """The commands that give the files of a session the content that they had in a version."""
        marks = self._files[version]
        edited = [path for path in marks if any(other.get(path) != marks[path] for other in self._files.values())]
        copies = {path: copy_of(path, marks[path], version / COPIES) for path in edited}
        commands = [["cp", str(copy), os.path.relpath(path)] for path, copy in copies.items() if copy.is_file()]
        return "\n".join(map(shlex.join, commands))


def _changes(before: Run, run: Run) -> list[str]:
    """The results of a version, compared with the one before."""
    lines, others = ({*each.games[["white", "black", "line"]].itertuples(index=False)} for each in (run, before))
    if run.experiment.variant != before.experiment.variant:
        return [f"{before.folder} was played by other rules"]
    if lines == others:
        return [f"the games of {before.folder}, move for move"]
    both = _together([before, run])
    of_players, of_before = run.info.players, before.info.players
    parted = [
        summary(partings(run.data, name, before.data, name), f"{name} ({run.folder.name})", before.folder.name)
        for name in of_players
        if name in of_before and of_players[name] != of_before[name]
    ]
    return [*both.settings, *both.sentences, *filter(None, parted)]


def _together(runs: Sequence[Run]) -> RatedResults:
    """Runs in one fit, as `arena rate` has them."""
    results = combined([source_of(run.folder, run.data) for run in runs])
    return RatedResults(results, {results.names[run.folder]: run.experiment for run in runs})
