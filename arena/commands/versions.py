"""The versions of the live loop: each against its opponents and the version before it, and all together."""

from __future__ import annotations

import math
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
from arena.experiment.model import entry_of
from arena.ratings.interval import Interval
from arena.ratings.joint import Ratings, rate
from arena.report.load import load_run
from arena.report.page import html_of
from arena.report.run import Run
from arena.report.tables.table import EMPTY, Cell, Grid, Heading, Style
from arena.rules.result import Colour, points_of

PAGE = "watch.html"
"""The page of the session, in the folder of its first version."""
_RENEWED = 2
"""Seconds after which a browser loads the page again."""
_HEADINGS = (
    Heading("Version"),
    Heading("Player", Style.NAME),
    Heading("Elo", Style.ELO),
    Heading("Over the one before", Style.ELO),
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
    players: Mapping[str, object]
    """What each player is made of, by its name."""
    games: pd.DataFrame
    """White, black, result, pair, line, opening."""
    ratings: Ratings
    """Those of its run."""


class Versions:
    """The versions of a session, in the order in which they were first played."""

    def __init__(self, folder: Path) -> None:
        self._all: dict[Path, Version] = {}
        self._last: Version | None = None
        self._rows: dict[tuple[str, int], list[Cell]] = {}
        """The rows of the table that are made, by player and number of the version."""
        self._page = folder / PAGE

    def show(self, folder: Path) -> None:
        """Show the verdict of the run in a folder, alone and against the version before; the page, too."""
        run = load_run(folder)
        is_known = folder in self._all
        version = self._all.setdefault(folder, _version(len(self._all) + 1, folder, run))
        echo(f"version {version.number}{', as it was before' if is_known else ''}, in {folder}:")
        show_verdict(run)
        before, self._last = self._last, version
        lines = list(self._against(before, version)) if before is not None and before != version else []
        for line in lines:
            echo(line)
        self._write_page(lines, is_over=False)
        if before is None:
            echo(f"page: {self._page}")

    def show_all(self) -> None:
        """Show the table of all versions, the best one first, and end the page."""
        show_frame(self._grid().texts())
        self._write_page([], is_over=True)

    def _against(self, before: Version, after: Version) -> Iterator[str]:
        """Yield a line on each player that changed."""
        if before.variant != after.variant:
            yield f"version {before.number} was played by other rules"
            return
        if _lines(before) == _lines(after):
            yield f"version {after.number} played the games of version {before.number}, move for move"
            return
        for name in _changed(before, after):
            difference = self._difference(name, before, after)
            words = "" if difference is None else f"{difference} Elo, "
            yield f"{name}: {words}version {after.number} over {before.number}; {_pairs(name, before, after)}"

    def _numbers(self, name: str) -> dict[str, int]:
        """The number of the first version that has a player as it is made, by what that is."""
        numbers: dict[str, int] = {}
        for version in self._all.values():
            if name in version.players:
                numbers.setdefault(str(version.players[name]), version.number)
        return numbers

    def _difference(self, name: str, before: Version, after: Version) -> Interval | None:
        """The Elo of a player in a version over it in another, in one fit of both.

        Games of both from one opening are not independent. None without a difference in what the player is.
        """
        numbers, tables = self._numbers(name), []
        labels = [_label(name, version, numbers) for version in (after, before)]
        if labels[0] == labels[1]:
            return None
        for version in (before, after):
            called = {other: _label(other, version, self._numbers(other)) for other in version.players}
            games = version.games
            tables.append(
                games.assign(
                    white=games["white"].map(called),
                    black=games["black"].map(called),
                    pair=f"{version.number} " + games["pair"].astype(str),
                    linked=games["opening"],
                )
            )
        ratings = rate(pd.concat(tables, ignore_index=True), first=before.first)
        return ratings.contrast({labels[0]: 1, labels[1]: -1})

    def _grid(self) -> Grid:
        """A row for each version, and each player that has several, the best one first."""
        assert self._last is not None
        versions = [version for version in self._all.values() if version.variant == self._last.variant]
        names = [name for name in self._last.players if len(self._numbers(name)) > 1] or [*self._last.players][:1]
        keys = [(name, version) for name in names for version in versions if name in version.players]
        for name, version in keys:
            if (name, version.number) not in self._rows:
                self._rows[name, version.number] = self._row(name, version)
        rows = [[*self._rows[name, version.number], _run_cell(version.folder)] for name, version in keys]
        return Grid(_HEADINGS, sorted(rows, key=lambda row: -(row[2].value or -math.inf)))

    def _row(self, name: str, version: Version) -> list[Cell]:
        others = (each for each in self._all.values() if each.variant == version.variant and name in each.players)
        earlier = [each for each in others if each.number < version.number]
        figures = next(row for row in version.ratings.table.to_dict("records") if row["player"] == name)
        score = figures["score"]
        return [
            Cell(version.number, str(version.number)),
            Cell(name, name),
            _cell(_elo(name, version)),
            _cell(self._difference(name, earlier[-1], version) if earlier else None),
            Cell(score, percent(score)),
            Cell(score, f"{figures['wins']} - {figures['draws']} - {figures['losses']}"),
        ]

    def _write_page(self, lines: Sequence[str], *, is_over: bool) -> None:
        assert self._last is not None
        state = "The session is over." if is_over else "The page renews itself while the session lasts."
        text = html_of(
            "versions.jinja",
            f"Versions in {self._page.parent.name}",
            renewed=None if is_over else _RENEWED,
            state=state,
            lines=lines,
            versions=self._grid(),
        )
        replace(self._page, partial(write_text, text))


def _elo(name: str, version: Version) -> Interval | None:
    """The Elo of a player over the mean of its opponents in a version."""
    others = [other for other in version.players if other != name]
    return version.ratings.contrast({name: 1, **{other: -1 / len(others) for other in others}})


def _run_cell(folder: Path) -> Cell:
    """The folder of a version's run; the page has a link to its report, or to the folder while there is none."""
    report = REPORT if (folder / REPORT).is_file() else ""
    address = f"../{quote(folder.name)}/{report}"
    return Cell(str(folder), str(folder), Markup('<a href="{}">{}</a>').format(address, folder))


def _cell(elo: Interval | None) -> Cell:
    return EMPTY if elo is None else Cell(elo.value, str(elo))


def _version(number: int, folder: Path, run: Run) -> Version:
    games = run.games
    files = {name: tuple(sorted(run.info.files.get(name, {}).items())) for name in run.players}
    players = {spec.name: (entry_of(spec), files[spec.name]) for spec in run.experiment.players}
    chosen = games[["white", "black", "result", "pair", "line"]].assign(opening=games["opening_fen"])
    return Version(number, folder, run.experiment.variant, run.first, players, chosen, run.ratings)


def _label(name: str, version: Version, numbers: Mapping[str, int]) -> str:
    """The name of a player in a fit of several versions: with the number of its own, where there are several."""
    return name if len(numbers) < 2 else f"{name}, version {numbers[str(version.players[name])]}"


def _changed(before: Version, after: Version) -> list[str]:
    players = after.players.items()
    return [name for name, what in players if name in before.players and before.players[name] != what]


def _lines(version: Version) -> set[tuple[str, ...]]:
    """All games, by their players and moves."""
    return {*version.games[["white", "black", "line"]].itertuples(index=False, name=None)}


def _points(name: str, version: Version) -> pd.Series:
    """The points of a player by opening and opponent."""
    games = version.games
    of_white = games["result"].map(points_of)
    sides = [("white", "black", of_white), ("black", "white", 1 - of_white)]
    tables = [
        games[["opening"]].assign(opponent=games[other], points=points)[games[side] == name]
        for side, other, points in sides
    ]
    return pd.concat(tables).groupby(["opening", "opponent"], sort=False)["points"].sum()


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
