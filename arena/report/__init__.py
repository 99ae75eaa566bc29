"""Reports of a run: tables, charts, one page and games as PDN, all from the ledger alone.

>>> run = load("reports/my-run")         # doctest: +SKIP
>>> run.standings                        # doctest: +SKIP
>>> write(run)                           # doctest: +SKIP
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from arena.ledger import read, read_probes
from arena.ratings import Ratings, rate
from arena.report import ablation, sweeps, tables
from arena.report.sprt import sprt_path

__all__ = ["Run", "load", "write"]


@dataclass(frozen=True, eq=False)
class Run:
    """One run as the ledger holds it, finished or not; the tables are computed when first asked for."""

    folder: Path
    config: dict[str, Any]
    """The configuration, with `first` (colour that moves first), `games_planned` and, when complete, `order`."""
    games: pd.DataFrame
    """One row per finished game, see `arena.ledger.read`."""
    moves: pd.DataFrame
    """One row per move of the finished games, see `arena.ledger.read`."""
    probes: pd.DataFrame = field(default_factory=pd.DataFrame)
    """One row per search to a fixed depth, see `arena.ledger.read_probes`."""

    @property
    def name(self) -> str:
        """The run's name in the configuration, or that of its folder."""
        return str(self.config.get("name") or self.folder.name)

    @cached_property
    def ratings(self) -> Ratings:
        """The joint rating of all players."""
        players = [player["name"] for player in self.config["players"]]
        games = self.games.assign(line=tables.lines(self.games, self.moves))
        return rate(games, players, first=self.config["first"], anchor=self.config.get("anchor"))

    @property
    def players(self) -> list[str]:
        """Names in rank order."""
        return self.ratings.table["player"].tolist()

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Rating, counts and cost per move of each player, in rank order: `tables.standings`."""
        return tables.standings(self.ratings.table, self.moves, self.ratings.groups)

    @cached_property
    def crosstable(self) -> pd.DataFrame:
        """Points of row against column such as "12.5/20": `tables.crosstable`."""
        return tables.crosstable(self.games, self.players)

    @cached_property
    def score_matrix(self) -> pd.DataFrame:
        """Score of row against column, 0 to 1: `tables.score_matrix`."""
        return tables.score_matrix(self.games, self.players)

    @cached_property
    def search(self) -> pd.DataFrame:
        """Search effort and effective branching factor of each player that searches: `tables.branching`."""
        return tables.branching(tables.by_depth(self.moves, self.players), self.config)

    @cached_property
    def search_time(self) -> pd.DataFrame:
        """Quantiles of seconds a move: `tables.search_time`."""
        return tables.search_time(self.moves, self.players)

    @cached_property
    def telemetry(self) -> pd.DataFrame:
        """Depths, cutoffs, table hits and time over the limit of each player: `tables.telemetry`."""
        return tables.telemetry(self.games, self.moves, self.players)

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """Wins, draws and losses by player and colour: `tables.outcomes`."""
        return tables.outcomes(self.games, self.players)

    @cached_property
    def terminations(self) -> pd.DataFrame:
        """How games ended: `tables.terminations`."""
        return tables.terminations(self.games)

    @cached_property
    def repeated_games(self) -> int:
        """Games that repeat an earlier one move for move: `tables.repeated_games`."""
        return tables.repeated_games(self.games, self.moves)

    @cached_property
    def elo_by_depth(self) -> pd.DataFrame:
        """Elo against depth, empty if no family of players has three depths: `tables.elo_by_depth`."""
        return tables.elo_by_depth(self.standings, self.config)

    @cached_property
    def elo_by_nodes(self) -> pd.DataFrame:
        """Elo against nodes per move, empty if no family has three players: `sweeps.elo_by_nodes`."""
        return sweeps.elo_by_nodes(self.standings, self.config)

    @cached_property
    def gains(self) -> pd.DataFrame:
        """Elo per doubling of depth and of nodes, by family: `sweeps.gains`."""
        return sweeps.gains(self.ratings, self.elo_by_depth, self.elo_by_nodes)

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """Players that differ in one setting, at equal terms: `sweeps.comparisons`."""
        return sweeps.comparisons(self.ratings, self.config)

    @cached_property
    def openings(self) -> pd.DataFrame:
        """Score of the first mover by opening: `sweeps.openings`."""
        return sweeps.openings(self.games, self.config["first"])

    @cached_property
    def opening_test(self) -> sweeps.Homogeneity | None:
        """Whether all openings favour the first mover alike: `sweeps.homogeneity`."""
        return sweeps.homogeneity(self.games, self.config["first"])

    @cached_property
    def convergence(self) -> pd.DataFrame:
        """Ratings after growing parts of the schedule: `sweeps.convergence`."""
        config = self.config
        return sweeps.convergence(self.games, self.players, config["first"], config.get("anchor"))

    @cached_property
    def phases(self) -> pd.DataFrame:
        """When winner and loser saw the result coming: `sweeps.phases`."""
        return sweeps.phases(self.games, self.moves)

    @property
    def sweep_tables(self) -> dict[str, pd.DataFrame]:
        """The tables of `sweeps` that have rows, and Elo by depth, by file name."""
        names = ("comparisons", "gains", "elo_by_depth", "elo_by_nodes", "convergence", "phases", "openings")
        return {f"{name}.csv": getattr(self, name) for name in names if len(getattr(self, name))}

    @cached_property
    def ablation(self) -> pd.DataFrame:
        """Cost to a fixed depth and Elo against the reference, empty without a probe: `ablation.ablation`."""
        if not len(self.probes):
            return pd.DataFrame()
        return ablation.ablation(self.probes, self.ratings, self.config)

    @cached_property
    def sprt(self) -> pd.DataFrame:
        """The sequential test pair by pair, empty without one: `sprt.sprt_path`."""
        settings = self.config.get("sprt")
        return sprt_path(self.games, settings) if settings else pd.DataFrame()

    @cached_property
    def order(self) -> pd.DataFrame:
        """The final order of a Swiss, knockout or ladder: place, player, reason; empty until it is complete."""
        order = pd.DataFrame(self.config.get("order") or [], columns=["player", "reason"])
        order.insert(0, "place", range(1, len(order) + 1))
        return order


def load(folder: str | os.PathLike[str]) -> Run:
    """Read the ledger in a run's folder, also while games are still being played."""
    return Run(Path(folder), *read(Path(folder)), read_probes(Path(folder)))


def write(run: Run, folder: str | os.PathLike[str] | None = None) -> list[Path]:
    """Write all reports of a run into `folder` (the run's own by default) and return their paths.

    CSV tables, games.pdn, charts as PNG and SVG, summary.md and report.html. The same ledger gives the same
    bytes. Each file is replaced whole, so a reader never sees half of one.
    """
    from arena.report import page, plots

    target = Path(folder) if folder is not None else run.folder
    target.mkdir(parents=True, exist_ok=True)
    charts = plots.draw(run)
    pictures = {name: plots.svg(axes) for name, axes in charts.items()}

    files: dict[str, Callable[[Path], object]] = {
        "standings.csv": _csv(tables.rounded(run.standings)),
        "crosstable.csv": _csv(run.crosstable.reset_index()),
        "search.csv": _csv(tables.rounded(run.search)),
        "telemetry.csv": _csv(tables.rounded(run.telemetry)),
        "games.csv": _csv(tables.rounded(run.games, {})),
        "moves.csv": _csv(tables.rounded(run.moves, {})),
        "games.pdn": lambda path: _write_pdn(run, path),
    }
    if len(run.probes):
        files["ablation.csv"] = _csv(tables.rounded(run.ablation))
        files["probes.csv"] = _csv(tables.rounded(run.probes, {}))
    files |= {name: _csv(tables.rounded(table)) for name, table in run.sweep_tables.items()}
    if len(run.sprt):
        files["sprt.csv"] = _csv(tables.rounded(run.sprt))
    if len(run.order):
        files["order.csv"] = _csv(run.order)
    for name, axes in charts.items():
        files[f"{name}.png"] = partial(plots.save_png, axes)
        files[f"{name}.svg"] = _text(pictures[name])
    files["summary.md"] = _text(page.markdown(run))
    files["report.html"] = _text(page.html(run, pictures))

    for name in set(plots.NAMES) - set(charts):
        for suffix in ("png", "svg"):
            (target / f"{name}.{suffix}").unlink(missing_ok=True)
    for name in set(page.SWEEP_FILES) - set(files):
        (target / name).unlink(missing_ok=True)
    return [_replace(target / name, fill) for name, fill in files.items()]


def _replace(path: Path, fill: Callable[[Path], object]) -> Path:
    """Let `fill` write a temporary file beside `path`, then put it in place in one step."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        fill(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return path


def _csv(table: pd.DataFrame) -> Callable[[Path], object]:
    return lambda path: table.to_csv(path, index=False, lineterminator="\n", encoding="utf-8")


def _text(text: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(text, encoding="utf-8", newline="\n")


def _write_pdn(run: Run, path: Path) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(_pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def _pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    from arena.rules.pdn import pdn_game

    moves = run.moves.sort_values(["game", "ply"], kind="stable")
    texts = moves["move"].astype(str).to_numpy(dtype=object)
    numbers = moves["game"].to_numpy()
    start = np.searchsorted(numbers, run.games["game"].to_numpy(), side="left")
    stop = np.searchsorted(numbers, run.games["game"].to_numpy(), side="right")
    for game, first, last in zip(run.games.itertuples(index=False), start, stop, strict=True):
        tags = {
            "Event": run.name,
            "Site": "draughts-arena",
            "Round": f"{game.round}.{game.game}",
            "White": str(game.white),
            "Black": str(game.black),
            "Result": str(game.result),
        }
        if run.config.get("gametype"):
            tags["GameType"] = str(run.config["gametype"])
        tags["Termination"] = str(game.termination)
        fen = str(game.opening_fen)
        opening = None if fen == run.config.get("start_fen") else fen
        yield pdn_game(tags, texts[first:last].tolist(), tags["Result"], run.config["first"], opening)
