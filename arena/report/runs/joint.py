"""Several runs of one configuration together: the joint table, gains by run, their page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pandas as pd

from arena.base.files import REPORT, replace
from arena.base.number import probability
from arena.base.wording import counted, listed
from arena.base.writing import write_csv, write_text
from arena.experiment.formats.fixed import Gauntlet
from arena.experiment.model import Experiment
from arena.ratings.contrasts import JOINT, Across, across, by_run, gain_differences, gains, joint_table
from arena.ratings.interval import Interval
from arena.report.charts.runs import is_crowded, plot_joint
from arena.report.charts.style import save_png, svg
from arena.report.load import listed_runs, load, runs_of
from arena.report.page import plot_of
from arena.report.run import Run
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import headline
from arena.report.tables.catalogue import TABLES
from arena.report.tables.table import with_decimals
from arena.report.template import page
from arena.report.writers import in_markdown

FOLDED = 16
"""Players above which the standings of each run are folded."""
CHART = "joint_elo"
SUMMARY = "summary.md"
CAPTION = "Elo in each run, and their mean (joint), {}."
_DECIMALS = dict.fromkeys(
    [column for name in ("elo", "gain", "difference") for column in Interval.columns_of(name)], 1
) | {"los": 4, "score": 4}


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
        return across({name: run.ratings for name, run in self.runs.items()}, self._configured.reference)

    @property
    def _rated(self) -> Across:
        assert self.across is not None
        return self.across

    @property
    def _configured(self) -> Experiment:
        return next(iter(self.runs.values())).data.experiment

    @cached_property
    def reference(self) -> str:
        """The player over whom gains are counted: the anchor, or the first of the configuration."""
        names = [self._configured.reference, *(player.name for player in self._configured.players)]
        return next(name for name in names if name in self._rated.players)

    @property
    def anchored(self) -> bool:
        """Whether the reference is the anchor, so that Elo is the gain over it."""
        return self.reference == self._configured.reference

    @property
    def meets_all(self) -> bool:
        """Whether the anchor meets everybody and nobody else meets."""
        format = self._configured.format
        return self.anchored and isinstance(format, Gauntlet) and format.seeds == (self.reference,)

    @property
    def zero(self) -> str:
        """The reference of Elo, as text."""
        return f"{self.reference} = 0" if self.anchored else "mean of these players = 0"

    @cached_property
    def table(self) -> pd.DataFrame:
        """That of `joint_table` with the games of each player."""
        games = self.by_run.groupby("player")["games"].sum()
        table = joint_table(self._rated)
        table["games"] = games.loc[table["player"]].to_numpy()
        return table

    @cached_property
    def by_run(self) -> pd.DataFrame:
        """A row for each player and run: Elo on the common scale, and what the player's games came to."""
        of = ["games", "wins", "draws", "losses", "score"]
        counts = [run.ratings.table.assign(run=name)[["player", "run", *of]] for name, run in self.runs.items()]
        return by_run(self._rated).merge(pd.concat(counts), how="left", on=["player", "run"])

    @cached_property
    def gains(self) -> pd.DataFrame:
        """See `arena.ratings.contrasts.gains`, over the reference."""
        return gains(self._rated, self.reference)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """See `arena.ratings.contrasts.gain_differences`, over the reference."""
        return gain_differences(self._rated, self.reference)


def load_joint(folder: Path) -> Joint:
    """Read the runs of a folder, also while they are played. Raises StoreError."""
    name, names = listed_runs(folder)
    runs = {part.name: load(part) for part in runs_of(folder)}
    return Joint(folder, name, names, {one: run for one, run in runs.items() if len(run.games)})


def conclusion(found: Joint) -> str:
    """What the runs say together: who leads, or what a gauntlet of the anchor tells."""
    if found.across is None:
        return "There is nothing to compare before two runs have games of the same players."
    return _against(found) if found.meets_all else _lead(found)


def _lead(found: Joint) -> str:
    """Who leads, and how far."""
    assert found.across is not None
    table, count = found.table, len(found.runs)
    best, second = table.iloc[0], table.iloc[1]
    gap = gains(found.across, second["player"])
    ahead = gap[(gap["player"] == best["player"]) & (gap["run"] == JOINT)].iloc[0]
    lead = Interval.of(ahead, "gain")
    return (
        f"Over {count} runs, each with the same weight, {best['player']} leads: {lead} Elo over "
        f"{second['player']} (likelihood of superiority {probability(best['los'])})."
    )


def _against(found: Joint) -> str:
    """What players are worth against the anchor: those that 95 % intervals tell from it, the clearest first."""
    others = found.table[found.table["player"] != found.reference]
    told = others[(others["elo_low"] > 0) | (others["elo_high"] < 0)]
    told = told.sort_values("elo", key=abs, ascending=False, kind="stable")
    figures = [f"{row['player']} {Interval.of(row, 'elo')}" for row in told.to_dict("records")]
    parts = [f"{listed(figures)} Elo"] if figures else []
    if rest := len(others) - len(told):
        parts.append(f"no measurable difference for {counted(rest, 'other' if figures else 'player')}")
    return f"Against {found.reference}, in the mean of {len(found.runs)} runs: {'; '.join(parts)}."


def summary(found: Joint) -> list[str]:
    """All that the page says: what is not played yet, what the runs say together, and players left out."""
    return [*lacking_games(found), conclusion(found), *notes(found)]


def lacking_games(found: Joint) -> list[str]:
    """The runs that are not played, or not to their end."""
    lacking = [name for name in found.names if name not in found.runs]
    lines = [f"No games yet: {listed(lacking)}."] if lacking else []
    for name, run in found.runs.items():
        lines += [f"{name}: {sentence}" for sentence in unfinished(run)]
    return lines


def notes(found: Joint) -> list[str]:
    """The players that the joint table leaves out, and those whose games repeat from run to run."""
    if found.across is None:
        return []
    lines = []
    if out := found.across.left_out:
        lines.append(f"Left out, as some run has no rating of them on this scale: {listed(out)}.")
    if len(same := _same_players(found)) > 1:
        lines.append(
            f"Games between {listed(same)} repeat from run to run, as these have the same limits there: what the "
            "runs say together of these players is less sure than its intervals say."
        )
    return lines


def _same_players(found: Joint) -> list[str]:
    """The players that are the same, without a time limit, in two runs or more by the same rules."""
    entries: dict[str, list[Any]] = {}
    for experiment in (run.data.experiment for run in found.runs.values()):
        for player in experiment.players:
            if player.limit.longest is None:
                entries.setdefault(player.name, []).append((experiment.variant, player))
    return [name for name, them in entries.items() if any(them.count(one) > 1 for one in them)]


def joint_text(found: Joint) -> pd.DataFrame:
    """The joint table with Elo in each run beside.

    With LOS, unless players met none but the anchor: then the next in the table is nobody's opponent.
    """
    table = found.table
    columns: dict[str, list[str]] = {"#": table["rank"].astype(str).tolist(), "Player": table["player"].tolist()}
    columns["Joint Elo"] = [str(Interval.of(row, "elo")) for row in table.to_dict("records")]
    if not found.meets_all:
        columns["LOS"] = [probability(value) for value in table["los"]]
    for name, rows in found.by_run.groupby("run", sort=False):
        columns[str(name)] = [str(Interval.of(row, "elo")) for row in rows.to_dict("records")]
    columns["Games"] = table["games"].astype(str).tolist()
    return pd.DataFrame(columns)


def gains_text(found: Joint) -> pd.DataFrame:
    """Gains over the reference in each run, and their mean."""
    crossed: dict[str, dict[str, str]] = {}
    for row in found.gains.to_dict("records"):
        crossed.setdefault(row["player"], {})[row["run"]] = str(Interval.of(row, "gain"))
    columns: dict[str, list[str]] = {"Player": list(crossed)}
    for name in (*found.runs, JOINT):
        columns[name] = [cells[name] for cells in crossed.values()]
    return pd.DataFrame(columns)


def write_joint(found: Joint, *, png: bool = False) -> Path:
    """Write the page of several runs, its tables as CSV and its chart; returns the path of the page."""
    files: dict[str, Callable[[Path], object]] = {}
    plots, kinds = [], ["svg"] + ["png"] * png
    tables: list[tuple[str, str, pd.DataFrame]] = []
    caption = CAPTION.format("with 95 % intervals")
    if found.across is not None:
        if is_crowded(len(found.table), len(found.runs)):
            caption = CAPTION.format("with its 95 % interval")
        axes = plot_joint(found.by_run, found.table, reference=found.zero)
        drawn = svg(axes)
        plots = [plot_of(CHART, caption, drawn)]
        fills = {"svg": partial(write_text, drawn), "png": partial(save_png, axes)}
        files = {f"{CHART}.{kind}": fills[kind] for kind in kinds}
        tables = list(_tables(found))
        files |= {name: partial(_write_csv, table) for name, _, table in tables}
    said: dict[str, Any] = {
        "title": found.name,
        "unfinished": lacking_games(found),
        "conclusion": conclusion(found),
        "notes": notes(found),
        "joint": joint_text(found) if tables else None,
        "zero": found.zero if tables else "",
        "gains": gains_text(found) if tables and not found.anchored else None,
        "reference": found.reference if tables else "",
    }
    summed_up = in_markdown("runs/joint.md.jinja", said, caption=caption, chart=f"{CHART}.{kinds[-1]}")
    files[SUMMARY] = partial(write_text, summed_up)
    text = page(
        "runs/joint.html",
        **said,
        charts=plots,
        kinds=kinds,
        runs=[_of_run(name, run) for name, run in found.runs.items()],
        folded=FOLDED,
        files=[*tables, (SUMMARY, "this page in Markdown", None)],
    )
    for name, fill in files.items():
        replace(found.folder / name, fill)
    return replace(found.folder / REPORT, partial(write_text, text))


def _tables(found: Joint) -> Iterator[tuple[str, str, pd.DataFrame]]:
    yield ("joint.csv", "joint Elo", found.table)
    yield ("by_run.csv", "Elo, games and points of each player in each run", found.by_run)
    yield ("gains.csv", f"gains over {found.reference} in each run and jointly", found.gains)
    yield ("gain_differences.csv", "how far these gains differ between two runs", found.differences)


def _of_run(name: str, run: Run) -> dict[str, Any]:
    return {
        "name": name,
        "link": f"{name}/{REPORT}",
        "games": counted(len(run.games), "game"),
        "sentence": next(iter(headline(run)), ""),
        "table": TABLES["standings"].text(run.standings),
    }


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    decimals = {name: _DECIMALS.get(name) for name in table.columns}
    write_csv(with_decimals(table, decimals), path)
