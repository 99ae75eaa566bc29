"""A run as tables, read from its ledger.

>>> run = load("reports/my-run")         # doctest: +SKIP
>>> run.standings                        # doctest: +SKIP
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from arena.ratings.joint import Ratings, rate
from arena.ratings.transitivity import cycles, residuals
from arena.report import ablation, sweeps, tables
from arena.report.sprt import sprt_path
from arena.store.read import read


@dataclass(frozen=True, eq=False)
class Run:
    """One run as the ledger holds it, finished or not; the tables are computed when first asked for."""

    folder: Path
    config: dict[str, Any]
    """The configuration, with `first` (colour that moves first), `games_planned` and, when complete, `order`."""
    games: pd.DataFrame
    """One row per finished game, see `arena.store.ledger.read`."""
    moves: pd.DataFrame
    """One row per move of the finished games, see `arena.store.ledger.read`."""
    probes: pd.DataFrame = field(default_factory=pd.DataFrame)
    """One row per search to a fixed depth, see `arena.store.ledger.read_probes`."""

    @property
    def name(self) -> str:
        """The run's name in the configuration, or that of its folder."""
        return str(self.config.get("name") or self.folder.name)

    @cached_property
    def ratings(self) -> Ratings:
        """The joint rating of all players."""
        players = [player["name"] for player in self.config["players"]]
        return rate(self.rated_games, players, first=self.config["first"], anchor=self.config.get("anchor"))

    @cached_property
    def rated_games(self) -> pd.DataFrame:
        """The games with `line`, what was played as a number, as `arena.ratings.joint.rate` takes them."""
        return self.games.assign(line=tables.lines(self.games, self.moves))

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
    def los(self) -> pd.DataFrame:
        """Likelihood of superiority of row over column, in rank order: `tables.los_matrix`."""
        return tables.los_matrix(self.ratings)

    @cached_property
    def residuals(self) -> pd.DataFrame:
        """How each pairing differs from what the ratings expect: `arena.ratings.transitivity.residuals`."""
        return residuals(self.rated_games, self.ratings, self.config["first"])

    @cached_property
    def cycles(self) -> pd.DataFrame:
        """Three players of whom each beats the next, the strongest ten: `arena.ratings.transitivity.cycles`."""
        return cycles(self.rated_games, self.players)

    @property
    def rating_tables(self) -> dict[str, pd.DataFrame]:
        """Residuals and cycles, if any, by file name."""
        found = {"residuals.csv": self.residuals, "cycles.csv": self.cycles}
        return {name: table for name, table in found.items() if len(table)}

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
    data = read(Path(folder))
    facts = {"games_planned": data.facts.games, "games_exact": data.facts.exact}
    config = data.experiment.as_dict() | data.facts._asdict() | facts
    config = {key: value for key, value in config.items() if key not in ("games", "exact")}
    if data.order is not None:
        config["order"] = data.order
    return Run(Path(folder), config, data.games, data.moves, data.probes)
