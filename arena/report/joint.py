"""Several runs of one configuration together: the joint table, gains by run, their page."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd

from arena.base.files import REPORT, SUMMARY, replace, write_csv, write_text
from arena.base.wording import counted, joined
from arena.experiment.model import Experiment
from arena.ratings.contrasts import agreement
from arena.ratings.interval import Z95, Interval
from arena.ratings.joint import Ratings
from arena.ratings.several import JOINT, Across, across, by_run, differing, gains_by_run, mean
from arena.report.charts.plots import plot_joint
from arena.report.charts.style import Chart, kinds_of
from arena.report.load import listed_runs, load_run, runs_of
from arena.report.page import Contents, html_of, markdown_of
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import answer, how_to_read
from arena.report.sentences.cautions import cautions, failures, unfinished
from arena.report.sentences.claims import Claim, Level, compared, ranging, shortened
from arena.report.sentences.facts import facts
from arena.report.tables.rated_run import Faults
from arena.report.tables.table import NAMED, Cell, Grid, Heading, Style, intervals, with_decimals, words
from arena.report.together import fits
from arena.report.write import DECIMALS

DIFFER = 0.05
"""Chance, for all players together, below which what a player gains differs from run to run."""


@dataclass(frozen=True)
class Joint:
    """The runs of one configuration: by several rule sets, at several limits, or both."""

    folder: Path
    name: str
    names: tuple[str, ...]
    """The runs of the configuration."""
    runs: dict[str, Run]
    """Those that have games, in the same order."""

    @cached_property
    def across(self) -> Across | None:
        """The ratings on one scale; None with fewer than two runs or players to compare."""
        if len(self.runs) < 2:
            return None
        return across(fits(self.runs), self.experiment.reference)

    @cached_property
    def faults(self) -> Faults:
        """The sections of the page that could not be made."""
        return Faults()

    @property
    def rated(self) -> Across:
        """The ratings on one scale, of runs that have some."""
        assert self.across is not None
        return self.across

    @cached_property
    def ratings(self) -> Ratings:
        """The mean of all runs, as ratings."""
        return mean(self.rated)

    @property
    def experiment(self) -> Experiment:
        """The configuration of the first run."""
        return next(iter(self.runs.values())).data.experiment

    @cached_property
    def reference(self) -> str:
        """The player over whom gains are counted: the anchor, or the first of the configuration."""
        names = [self.experiment.reference, *(player.name for player in self.experiment.players)]
        return next(name for name in names if name in self.rated.players)

    @property
    def anchored(self) -> bool:
        """Whether the reference is the anchor, so that Elo is the gain over it."""
        return self.reference == self.experiment.reference

    @property
    def zero(self) -> str:
        """The reference of Elo, as text."""
        return f"{self.reference} = 0" if self.anchored else "mean of these players = 0"

    @cached_property
    def table(self) -> pd.DataFrame:
        """A row per player: rank, player, Elo, games in all runs, los over the next, missing for the last one."""
        games = pd.concat([run.ratings.table for run in self.runs.values()]).groupby("player")["games"].sum()
        return self.ratings.table.assign(games=games.loc[list(self.rated.players)].to_numpy())

    @cached_property
    def by_run(self) -> pd.DataFrame:
        """A row for each player and run: Elo on the common scale."""
        return by_run(self.rated)

    @property
    def csv(self) -> pd.DataFrame:
        """Elo, gain over the reference and games of each player in each run, and in the mean of all."""
        games = pd.concat(
            [run.ratings.table[["player", "games"]].assign(run=name) for name, run in self.runs.items()]
        )
        of_runs = self.by_run.merge(games, "left", on=["player", "run"])
        together = self.table[["player", *Interval.columns_of("elo"), "games"]].assign(run=JOINT)
        gains = gains_by_run(self.rated, self.reference)
        return pd.concat([of_runs, together]).merge(gains, "left", on=["player", "run"])


def load_joint(folder: Path) -> Joint:
    """Read the runs of a folder, also while they are played. Raises StoreError."""
    name, names = listed_runs(folder)
    runs = {part.name: load_run(part) for part in runs_of(folder)}
    return Joint(folder, name, names, {name: run for name, run in runs.items() if len(run.games)})


def conclusion(joint: Joint) -> list[Claim]:
    """What the runs say together: who leads, and every player against the reference.

    Where the runs agree it is their mean, else the least and the greatest gain.
    """
    if joint.across is None:
        words = "There is nothing to compare before two runs have games of the same players"
        return [Claim(words, is_shown=False)]
    players = joint.rated.players
    pairs = [
        tuple(sorted((name, joint.reference), key=players.index)) for name in players if name != joint.reference
    ]
    chances = differing(joint.rated, joint.reference)
    differ = {name for name, chance in chances.items() if chance < DIFFER}
    compared_pairs = dict.fromkeys([players[:2], *pairs])
    claims = [(_range if differ.intersection(pair) else _gain)(joint, *pair) for pair in compared_pairs]
    return shortened(sorted(claims, key=lambda claim: not claim.is_shown))


def _gain(joint: Joint, player: str, other: str) -> Claim:
    """The mean over all runs of what a player gains over another one, where they agree."""
    if agreement(*joint.rated.gain(player, other)) < DIFFER:
        return _range(joint, player, other)
    difference = joint.ratings.difference(player, other)
    assert difference is not None
    is_shown = joint.ratings.family.shows({player: 1.0, other: -1.0})
    return compared(player, other, difference, is_shown, note="the mean of the runs")


def _range(joint: Joint, player: str, other: str) -> Claim:
    """The least and the greatest gain of a player over another one in the runs."""
    of_player = gains_by_run(joint.rated, other)
    of_player = of_player[(of_player["player"] == player) & (of_player["run"] != JOINT)]
    gains = {row["run"]: Interval.of(row, "gain") for row in of_player.to_dict("records")}
    bound = joint.ratings.family.critical / Z95
    return ranging(
        player,
        other,
        [Level("in", run, gain, abs(gain.value) > bound * gain.error) for run, gain in gains.items()],
    )


def summary(joint: Joint) -> list[str]:
    """All that the page says: what is not played yet, what the runs say together, and players left out."""
    claims = conclusion(joint)
    lines = [*(claim.sentence for claim in claims), how_to_read(claims), *notes(joint)]
    return [*lacking_games(joint), *filter(None, lines)]


def lacking_games(joint: Joint) -> list[str]:
    """The runs that are not played, or not to their end."""
    lacking = [name for name in joint.names if name not in joint.runs]
    lines = [f"No games yet: {joined(lacking)}."] if lacking else []
    for name, run in joint.runs.items():
        lines += [f"{name}: {sentence}" for sentence in unfinished(run)]
    return lines


def notes(joint: Joint) -> list[str]:
    """The players that the joint table leaves out."""
    if joint.across is None or not joint.across.left_out:
        return []
    return [f"Left out, as some run has no rating of them on this scale: {joined(joint.across.left_out)}."]


def joint_grid(joint: Joint) -> Grid:
    """The joint table with Elo in each run beside it."""
    table = joint.table
    return Grid.of(
        (Heading("#", Style.RANK), [Cell(rank, str(rank)) for rank in table["rank"]]),
        (NAMED, words(table["player"])),
        (Heading("Joint Elo"), intervals(table, "elo")),
        *((Heading(str(run)), intervals(rows, "elo")) for run, rows in joint.by_run.groupby("run", sort=False)),
        (Heading("Games"), [Cell(games, str(games)) for games in table["games"]]),
    )


_CALLED = {
    call.__name__: call
    for call in (
        answer, cautions, conclusion, counted, facts, failures, how_to_read, joint_grid, lacking_games, notes,
        standings_grid,
    )
} | {"REPORT": REPORT}  # fmt: skip
"""What the page's template calls."""


def write_joint(joint: Joint, also: Collection[str] = ()) -> Path:
    """Write the page of several runs, its tables as CSV, and its chart; returns the path of the page.

    The chart is SVG, and, if `also` or the configuration has them, `png` and `pdf`.
    """
    also = {*also, *joint.experiment.report}
    files: dict[str, Callable[[Path], object]] = {}
    chart = None
    if joint.across is not None:
        caption = "Elo in each run, and their mean (joint), with 95 % intervals."
        draw = partial(plot_joint, joint.by_run, joint.table, reference=joint.zero)
        chart = Chart("joint_elo", caption, draw)
        files["joint.csv"] = partial(write_csv, with_decimals(joint.csv, DECIMALS))
    given: dict[str, Any] = {"joint": joint, "chart": chart, "kinds": kinds_of(also), **_CALLED}
    html = html_of("joint.jinja", joint.name, page=Contents(joint.faults), **given)
    markdown = markdown_of("joint.jinja", joint.name, page=Contents(joint.faults), **given)
    files |= {SUMMARY: partial(write_text, markdown)} | (chart.files(also) if chart else {})
    for name, fill in files.items():
        replace(joint.folder / name, fill)
    return replace(joint.folder / REPORT, partial(write_text, html))
