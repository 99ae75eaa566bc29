"""The runs of one configuration by several rule sets together: the joint table, gains by rule set, their page."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from arena.base.files import REPORT, replace
from arena.base.number import known, probability, with_error
from arena.base.wording import counted, listed
from arena.experiment.model import Experiment
from arena.ledger.ledger import FILE
from arena.ledger.store import StoreError
from arena.ratings.across import JOINT, Across, across, gain_differences, gains, heterogeneity, joint_table
from arena.ratings.match import Z95
from arena.report.charts.picture import save_pdf, save_png, svg
from arena.report.charts.runs import plot_rules
from arena.report.files import write_text
from arena.report.load import load
from arena.report.page.page import plot_of
from arena.report.run import Run
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import headline
from arena.report.tables.standings import STANDINGS
from arena.report.tables.table import with_decimals
from arena.report.template import page

LIST = "variants.json"
"""Name of the file that lists the rule sets in the folder that has a run by each."""
FOUND = 6
"""Players whose gains a page compares in a sentence each, at most."""
ERROR = 0.05
"""The share of runs without any difference in which some gain is found to differ (Bonferroni)."""
FOLDED = 16
"""Players above which the standings of each rule set are folded."""
CHART = "joint_elo"
CAPTION = "Elo in each rule set and, black, their mean, with 95 % intervals; all relative to the same players."
_DECIMALS = dict.fromkeys(
    [f"{name}{end}" for name in ("elo", "gain", "difference") for end in ("", "_low", "_high")], 1
) | {"los": 4, "score": 4}


class Listed(NamedTuple):
    """A table of the page, as file and in words."""

    file: str
    holds: str
    table: pd.DataFrame


@dataclass(frozen=True)
class Joint:
    """The runs of one configuration, a rule set each."""

    folder: Path
    name: str
    rules: tuple[str, ...]
    """The rule sets of the configuration."""
    runs: dict[str, Run]
    """By rule set those that have games, in the same order."""

    @cached_property
    def across(self) -> Across | None:
        """The ratings on one scale; None with fewer than two rule sets or players to compare."""
        if len(self.runs) < 2:
            return None
        return across({name: run.ratings for name, run in self.runs.items()}, self._configured.anchor)

    @property
    def _configured(self) -> Experiment:
        return next(iter(self.runs.values())).data.experiment

    @cached_property
    def reference(self) -> str:
        """The player over whom gains are counted: the anchor, or the first of the configuration."""
        assert self.across is not None
        names = [self._configured.anchor, *(player.name for player in self._configured.players)]
        return next(name for name in names if name in self.across.players)

    @property
    def zero(self) -> str:
        """The reference of Elo, as text."""
        anchor = self._configured.anchor
        is_anchor = self.across is not None and anchor in self.across.players
        return f"{anchor} = 0" if is_anchor else "mean of these players = 0"

    @cached_property
    def table(self) -> pd.DataFrame:
        """That of `joint_table` with the games of each player, and `heterogeneity` of its gains."""
        assert self.across is not None
        games = self.by_rules.groupby("player")["games"].sum()
        table = joint_table(self.across)
        table["games"] = games.loc[table["player"]].to_numpy()
        return table.merge(heterogeneity(self.across, self.reference), how="left", on="player")

    @cached_property
    def by_rules(self) -> pd.DataFrame:
        """A row for each player and rule set: Elo on the common scale, and what the player's games came to."""
        assert self.across is not None
        rows = []
        for number, (name, run) in enumerate(self.runs.items()):
            counts = run.ratings.table.set_index("player")[["games", "wins", "draws", "losses", "score"]]
            error = Z95 * np.sqrt(np.maximum(np.diag(self.across.covariance[number]), 0))
            elo = self.across.elo[number]
            figures = {"rules": name, "elo": elo, "elo_low": elo - error, "elo_high": elo + error}
            found = pd.DataFrame({"player": list(self.across.players), **figures})
            rows.append(found.join(counts, on="player"))
        return pd.concat(rows, ignore_index=True)

    @cached_property
    def gains(self) -> pd.DataFrame:
        """See `arena.ratings.across.gains`, over the reference."""
        assert self.across is not None
        return gains(self.across, self.reference)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """See `arena.ratings.across.gain_differences`, over the reference."""
        assert self.across is not None
        return gain_differences(self.across, self.reference)


def list_rules(folder: Path, name: str, rules: Sequence[str]) -> None:
    """Note in a folder that it has a run by each of these rule sets, in folders of their names.

    Raises StoreError if it is the folder of a run.
    """
    if (folder / FILE).exists():
        raise StoreError(f"{folder} is the folder of one run: give these another name, or --out")
    folder.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"name": name, "variants": list(rules)}) + "\n"
    replace(folder / LIST, partial(write_text, text))


def is_joint(folder: Path) -> bool:
    """Whether a folder has a run by each of several rule sets."""
    return (folder / LIST).is_file()


def load_joint(folder: Path) -> Joint:
    """Read the runs of a folder, also while they are played. Raises StoreError."""
    try:
        document = json.loads((folder / LIST).read_text(encoding="utf-8"))
        name, rules = str(document["name"]), tuple(map(str, document["variants"]))
    except (OSError, ValueError, KeyError, TypeError):
        raise StoreError(f"{folder / LIST} cannot be read") from None
    runs = {one: load(folder / one) for one in rules if (folder / one / FILE).exists()}
    return Joint(folder, name, rules, {one: run for one, run in runs.items() if len(run.games)})


def sentences(found: Joint) -> list[str]:
    """What the rule sets say together: who leads, and whose gain differs between them."""
    if found.across is None:
        return ["There is nothing to compare before two rule sets have games of the same players."]
    table, count = found.table, len(found.runs)
    best, second = table.iloc[0], table.iloc[1]
    gap = gains(found.across, second["player"])
    ahead = gap[(gap["player"] == best["player"]) & (gap["rules"] == JOINT)].iloc[0]
    lead = with_error(ahead["gain"], (ahead["gain_high"] - ahead["gain_low"]) / 2)
    first = (
        f"Over {count} rule sets, each with the same weight, {best['player']} leads: {lead} Elo over "
        f"{second['player']} (likelihood of superiority {probability(best['los'])})."
    )
    differing = _differing(found)
    if len(differing):
        return [first, *(_differs(found, row) for row in differing.head(FOUND).to_dict("records"))]
    return [first, f"No player's gain over {found.reference} differs between rule sets by more than chance."]


def summary(found: Joint) -> list[str]:
    """The sentences of the page, then its notes."""
    return [*sentences(found), *notes(found)]


def notes(found: Joint) -> list[str]:
    """What a reader must know: what is not played yet, players left out, how to read the page."""
    lacking = [name for name in found.rules if name not in found.runs]
    lines = [f"No games yet: {listed(lacking)}."] if lacking else []
    for name, run in found.runs.items():
        lines += [f"{name}: {sentence}" for sentence in unfinished(run)]
    if found.across is not None and (out := found.across.left_out):
        lines.append(f"Left out, as some rule set has no rating of them on this scale: {listed(out)}.")
    return lines


def _differing(found: Joint) -> pd.DataFrame:
    """The rows of players whose gains differ between rule sets beyond chance, the clearest first."""
    table = found.table
    return table[table["p"] < ERROR / max(table["p"].count(), 1)].sort_values("p", kind="stable")


def _differs(found: Joint, row: dict[Any, Any]) -> str:
    """`strong gains +210 ± 30 Elo over simple in english, +455 ± 60 in international: ...`."""
    player = row["player"]
    mine = found.gains[(found.gains["player"] == player) & (found.gains["rules"] != JOINT)]
    figures = [
        f"{_figure(one, 'gain')}{'' if number else f' Elo over {found.reference}'} in {one['rules']}"
        for number, one in enumerate(mine.to_dict("records"))
    ]
    clearest = found.differences[found.differences["player"] == player].to_dict("records")[0]
    difference = _figure(clearest, "difference").removeprefix("+")
    return (
        f"{player} gains {listed(figures)}: this differs by more than chance ({clearest['rules']} − "
        f"{clearest['than']}: {difference})."
    )


def _figure(row: dict[Any, Any], name: str) -> str:
    return with_error(row[name], (row[f"{name}_high"] - row[f"{name}_low"]) / 2)


def joint_text(found: Joint) -> pd.DataFrame:
    """The joint table with Elo in each rule set beside, every cell as text for people."""
    table = found.table
    columns: dict[str, list[str]] = {"#": table["rank"].astype(str).tolist(), "Player": table["player"].tolist()}
    columns["Joint Elo"] = [_figure(row, "elo") for row in table.to_dict("records")]
    columns["LOS"] = [probability(value) for value in table["los"]]
    for name, rows in found.by_rules.groupby("rules", sort=False):
        columns[str(name)] = [_figure(row, "elo") for row in rows.to_dict("records")]
    columns["Games"] = table["games"].astype(str).tolist()
    return pd.DataFrame(columns)


def gains_text(found: Joint) -> pd.DataFrame:
    """Gains over the reference in each rule set, their mean, and how often chance makes them differ as much."""
    crossed: dict[str, dict[str, str]] = {}
    for row in found.gains.to_dict("records"):
        crossed.setdefault(row["player"], {})[row["rules"]] = _figure(row, "gain")
    columns: dict[str, list[str]] = {"Player": list(crossed)}
    for name in (*found.runs, JOINT):
        columns[name] = [cells[name] for cells in crossed.values()]
    chance = found.table.set_index("player")["p"].loc[list(crossed)]
    columns["p"] = ["" if not known(p) else "< 0.001" if p < 0.001 else f"{p:.3f}" for p in chance]
    return pd.DataFrame(columns)


def write_joint(found: Joint, *, png: bool = False, pdf: bool = False) -> Path:
    """Write the page of several rule sets, its tables as CSV and its chart; returns the path of the page."""
    files: dict[str, Callable[[Path], object]] = {}
    plots, kinds = [], ["svg"] + ["png"] * png + ["pdf"] * pdf
    tables: list[Listed] = []
    if found.across is not None:
        axes = plot_rules(found.by_rules, found.table, reference=found.zero)
        drawn = svg(axes)
        plots = [plot_of(CHART, CAPTION, drawn)]
        fills = {"svg": partial(write_text, drawn), "png": partial(save_png, axes), "pdf": partial(save_pdf, axes)}
        files = {f"{CHART}.{kind}": fills[kind] for kind in kinds}
        tables = list(_tables(found))
        files |= {one.file: partial(_write_csv, one.table) for one in tables}
    text = page(
        "runs/joint.html",
        title=found.name,
        sentences=sentences(found),
        notes=notes(found),
        joint=joint_text(found) if tables else None,
        zero=found.zero if tables else "",
        gains=gains_text(found) if tables else None,
        reference=found.reference if tables else "",
        charts=plots,
        kinds=kinds,
        rules=[_of_rules(name, run) for name, run in found.runs.items()],
        folded=FOLDED,
        files=tables,
    )
    for name, fill in files.items():
        replace(found.folder / name, fill)
    return replace(found.folder / REPORT, partial(write_text, text))


def _tables(found: Joint) -> Iterator[Listed]:
    table = found.table.rename(columns={"q": "gain_q", "freedom": "gain_freedom", "p": "gain_p"})
    yield Listed("joint.csv", "joint Elo, and whether a player's gain differs between rule sets", table)
    yield Listed("by_rules.csv", "Elo, games and points of each player in each rule set", found.by_rules)
    yield Listed("gains.csv", f"gains over {found.reference} in each rule set and jointly", found.gains)
    yield Listed("gain_differences.csv", "how far these gains differ between two rule sets", found.differences)


def _of_rules(name: str, run: Run) -> dict[str, Any]:
    return {
        "name": name,
        "link": f"{name}/{REPORT}",
        "games": counted(len(run.games), "game"),
        "sentence": next(iter(headline(run)), ""),
        "table": STANDINGS.text(run.standings),
    }


def _write_csv(table: pd.DataFrame, path: Path) -> None:
    decimals = {name: _DECIMALS.get(name) for name in table.columns}
    with_decimals(table, decimals).to_csv(path, index=False, lineterminator="\n")
