"""The versions of the live loop: each against its opponents and the version before it, and all together."""

from __future__ import annotations

import difflib
import math
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from arena.base.files import REPORT, replace
from arena.base.number import percent
from arena.base.wording import counted, first_few
from arena.base.writing import write_text
from arena.commands.output import echo, show_frame
from arena.commands.report import show_verdict
from arena.experiment.kept import KEPT_CONFIG, as_yaml
from arena.ledger.info import player_hash
from arena.ratings.interval import Interval
from arena.ratings.joint import Ratings, rate
from arena.report.load import load_run
from arena.report.page import html_of
from arena.report.run import Run
from arena.report.tables.outcomes import sides
from arena.report.tables.table import EMPTY, Cell, Grid, Heading, Style
from arena.rules.result import Colour
from players.identity import COPIES, copy_of

PAGE = "watch.html"
"""The page of the session, in the folder of its first version."""
_RENEWED = 2
"""Seconds after which a browser loads the page again."""
_HEADINGS = (
    Heading("Version"),
    Heading("Player", Style.NAME),
    Heading("Elo", Style.ELO),
    Heading("After version"),
    Heading("Over it", Style.ELO),
    Heading("Score"),
    Heading("Won, drawn, lost", Style.RESULTS, is_wide=True),
    Heading("Run", Style.WORD, is_wide=True),
)


class Version(NamedTuple):
    """A version that was played, and what its games were."""

    number: int
    folder: Path
    variant: object
    first: Colour
    players: Mapping[str, str]
    """The hash of what each player is made of, by its name."""
    files: Mapping[str, str]
    """The hashes of all players' files, by their paths from here."""
    configuration: list[str]
    """The lines of what its run plays."""
    games: pd.DataFrame
    """White, black, result, pair, line, opening."""
    ratings: Ratings
    """Those of its run."""

    @classmethod
    def of(cls, number: int, folder: Path, run: Run) -> Version:
        """The version that a run has played."""
        info, home = run.info, Path(run.info.file).parent
        files = {os.path.relpath(home / path): mark for path, mark in info.all_files.items()}
        players = {
            spec.name: player_hash(spec, info.files.get(spec.name, {}).values(), info.programs.get(spec.name, ""))
            for spec in run.experiment.players
        }
        games = run.games[["white", "black", "result", "pair", "line"]].assign(opening=run.games["opening_fen"])
        plays = as_yaml(run.experiment, folder).splitlines()
        return cls(number, folder, run.experiment.variant, run.first, players, files, plays, games, run.ratings)

    def copy(self, path: str) -> Path:
        """The copy of one of its files; it is there unless the files are large."""
        return copy_of(path, self.files[path], self.folder / COPIES)

    def lines(self, path: str) -> list[str]:
        """The lines of one of its files; none of one that it lacks, or that is no text."""
        try:
            return self.copy(path).read_text(encoding="utf-8").splitlines() if path in self.files else []
        except (OSError, UnicodeDecodeError):
            return []


class Edit(NamedTuple):
    """What was edited between two versions, by their numbers."""

    after: int
    before: int
    lines: Sequence[str]
    """What it came to."""
    diff: str


class Versions:
    """The versions of a session, in the order in which they were first played."""

    def __init__(self, folder: Path) -> None:
        self._all: dict[Path, Version] = {}
        self._before: dict[int, Version] = {}
        """The version after which each was first played, by its number."""
        self._last: Version | None = None
        self._rows: dict[tuple[str, int], list[Cell]] = {}
        """The rows of the table that are made, by player and number of the version."""
        self._edits: list[Edit] = []
        """What each edit was, and what it came to, the last one first."""
        self._page = folder / PAGE

    def show(self, folder: Path) -> None:
        """Show the verdict of the run in a folder, alone and against the version before; the page, too."""
        run = load_run(folder)
        is_known = folder in self._all
        version = self._all.setdefault(folder, Version.of(len(self._all) + 1, folder, run))
        echo(f"version {version.number}{', as it was before' if is_known else ''}, in {folder}:")
        show_verdict(run)
        before, self._last = self._last, version
        if before is not None and before != version:
            if not is_known:
                self._before[version.number] = before
            lines = [*self._against(before, version)]
            for line in lines:
                echo(line)
            edit = Edit(version.number, before.number, lines, _edit(before, version))
            self._edits.insert(0, edit)
        self._write_page(is_over=False)
        if before is None:
            echo(f"page, with what each edit was: {self._page}")

    def show_all(self) -> None:
        """Show the table of all versions, the best one first, and end the page."""
        grid = self._grid()
        show_frame(grid.texts())
        best = next(version for version in self._all.values() if version.number == grid.rows[0][0].value)
        if best != self._last and (commands := self._commands(best)):
            echo(f"to bring version {best.number} back:\n{commands}")
        self._write_page(is_over=True)

    def _against(self, before: Version, after: Version) -> Iterator[str]:
        """Yield a line on each player that changed."""
        if before.variant != after.variant:
            yield f"version {before.number} was played by other rules"
            return
        if _lines(before) == _lines(after):
            yield f"version {after.number} played the games of version {before.number}, move for move"
            return
        for name in _changed(before, after):
            difference = _difference(name, before, after)
            words = "" if difference is None else f"{difference} Elo, "
            yield f"{name}: {words}version {after.number} over {before.number}; {_pairs(name, before, after)}"

    def _commands(self, version: Version) -> str:
        """The commands that give the files of the session the content that they had in a version."""
        marks = [each.files for each in self._all.values()]
        paths = [path for path, mark in version.files.items() if any(files.get(path) != mark for files in marks)]
        copies = {path: copy for path in paths if (copy := version.copy(path)).is_file()}
        return "\n".join(shlex.join(["cp", str(copy), path]) for path, copy in copies.items())

    def _grid(self) -> Grid:
        """A row for each version, and each player that differs between versions, the best one first."""
        assert self._last is not None
        versions = [version for version in self._all.values() if version.variant == self._last.variant]
        names = [*dict.fromkeys(name for version in versions for name in version.players)]
        edited = [name for name in names if len({version.players.get(name) for version in versions}) > 1]
        rows = []
        for version in versions:
            for name in edited or names[:1]:
                if name in version.players:
                    if (name, version.number) not in self._rows:
                        self._rows[name, version.number] = self._row(name, version)
                    rows.append([*self._rows[name, version.number], _run_cell(version.folder)])
        return Grid(_HEADINGS, sorted(rows, key=lambda row: -(row[2].value or -math.inf)))

    def _row(self, name: str, version: Version) -> list[Cell]:
        before = self._before.get(version.number)
        figures = next(row for row in version.ratings.table.to_dict("records") if row["player"] == name)
        score = figures["score"]
        return [
            Cell(version.number, str(version.number)),
            Cell(name, name),
            _cell(_elo(name, version)),
            EMPTY if before is None else Cell(before.number, str(before.number)),
            _over(name, before, version),
            Cell(score, percent(score)),
            Cell(score, f"{figures['wins']} - {figures['draws']} - {figures['losses']}"),
        ]

    def _write_page(self, *, is_over: bool) -> None:
        state = "The session is over." if is_over else "The page renews itself while the session lasts."
        text = html_of(
            "versions.jinja",
            f"Versions in {self._page.parent.name}",
            renewed=None if is_over else _RENEWED,
            state=state,
            versions=self._grid(),
            edits=self._edits,
            commands=[(version.number, self._commands(version)) for version in self._all.values()],
        )
        replace(self._page, partial(write_text, text))


def _difference(name: str, before: Version, after: Version) -> Interval | None:
    """The Elo of a player in a version over it in another, in one fit of both.

    Games of both from one opening are not independent. None if it did not change, or the rules did.
    """
    if name not in _changed(before, after) or before.variant != after.variant:
        return None
    tables = []
    for version in (before, after):
        called, games = {other: f"{other} {what}" for other, what in version.players.items()}, version.games
        tables.append(
            games.assign(
                white=games["white"].map(called),
                black=games["black"].map(called),
                pair=f"{version.number} " + games["pair"].astype(str),
                linked=games["opening"],
            )
        )
    ratings = rate(pd.concat(tables, ignore_index=True), first=before.first)
    return ratings.contrast({f"{name} {after.players[name]}": 1, f"{name} {before.players[name]}": -1})


def _edit(before: Version, after: Version) -> str:
    """The differences between the files of two versions, and between what these play."""
    lines = list[str]()
    for path in sorted(before.files.keys() | after.files.keys()):
        if before.files.get(path) != after.files.get(path):
            changes = [*difflib.unified_diff(before.lines(path), after.lines(path), path, path, lineterm="")]
            lines += changes or [f"{path} is another, and no text"]
    plays = before.configuration, after.configuration
    return "\n".join([*lines, *difflib.unified_diff(*plays, KEPT_CONFIG, KEPT_CONFIG, lineterm="")])


def _elo(name: str, version: Version) -> Interval | None:
    """The Elo of a player over the mean of its opponents in a version."""
    others = [other for other in version.players if other != name]
    return version.ratings.contrast({name: 1, **{other: -1 / len(others) for other in others}})


def _run_cell(folder: Path) -> Cell:
    """The folder of a version's run; the page has a link to its report, or to the folder while there is none."""
    report = REPORT if (folder / REPORT).is_file() else ""
    address = f"../{quote(folder.name)}/{report}"
    return Cell(str(folder), str(folder), Markup('<a href="{}">{}</a>').format(address, folder))


def _over(name: str, before: Version | None, after: Version) -> Cell:
    if before is not None and _lines(before) == _lines(after):
        return Cell(0.0, "same games")
    return _cell(None if before is None else _difference(name, before, after))


def _cell(elo: Interval | None) -> Cell:
    return EMPTY if elo is None else Cell(elo.value, str(elo))


def _changed(before: Version, after: Version) -> list[str]:
    players = after.players.items()
    return [name for name, what in players if name in before.players and before.players[name] != what]


def _lines(version: Version) -> set[tuple[str, ...]]:
    """All games, by their players and moves."""
    return {*version.games[["white", "black", "line"]].itertuples(index=False, name=None)}


def _points(name: str, version: Version) -> pd.Series:
    """The points of a player by opening and opponent."""
    games = sides(version.games, ["opening"])
    return games[games["player"] == name].groupby(["opening", "opponent"], sort=False)["points"].sum()


def _pairs(name: str, before: Version, after: Version) -> str:
    """The pairs of games from equal openings whose points changed, by the numbers of their openings."""
    points = [_points(name, version) for version in (before, after)]
    both = pd.concat(points, axis=1, join="inner", keys=["before", "after"])
    difference = (both["after"] - both["before"]).to_numpy()
    openings = {opening: number for number, opening in enumerate(after.games["opening"].unique(), start=1)}
    numbers = [openings[opening] for opening, _ in both.index]
    better = [str(number) for number, points in zip(numbers, difference, strict=True) if points > 0]
    worse = [str(number) for number, points in zip(numbers, difference, strict=True) if points < 0]
    words = f"of {counted(len(both), 'pair')} from equal openings {len(better)} better, {len(worse)} worse"
    lists = {"better": better, "worse": worse}
    shown = [f"{what} from {first_few(found, 8)}" for what, found in lists.items() if found]
    return words + "".join(f"; {text}" for text in shown)
