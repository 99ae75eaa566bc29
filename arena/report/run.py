"""A run as tables, read from its ledger."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pandas as pd

from arena.experiment.formats.fixed import Free
from arena.experiment.model import Experiment
from arena.ledger.ledger import Facts
from arena.ledger.read import RunData, read
from arena.ratings import transitivity
from arena.ratings.joint import Ratings, rate
from arena.ratings.repeats import lines, repeated_games
from arena.report.dictionary import TABLES, described
from arena.report.positions import with_fen
from arena.report.tables import (
    ablation,
    comparisons,
    convergence,
    doublings,
    effort,
    equal_terms,
    matrix,
    openings,
    outcomes,
    phases,
    sprt,
    standings,
    telemetry,
)
from arena.report.tables.openings import Homogeneity
from arena.report.tables.survey import Survey, is_large, survey
from arena.rules.custom import build_variant
from players.player import PlayerSpec

FEW = 30
"""Games of a run up to which its report has no residuals, phases and likelihoods of superiority of all pairs."""


def _documented(run: type[Run]) -> type[Run]:
    """Add to the docstring of each table what its columns are, and to that of the class which tables there are."""
    members = vars(run)
    for table in TABLES:
        lines = [f"    {name}: {of.meaning}{f' [{of.unit}]' if of.unit else ''}" for name, of in described(table)]
        members[table].__doc__ = "\n".join(
            [members[table].__doc__ or "", "", "Columns, with [units]:", "", *lines]
        )
    run.__doc__ = f"{run.__doc__}\n    Tables: {', '.join(TABLES)}.\n    "
    return run


@_documented
@dataclass(frozen=True, eq=False)
class Run:
    """One run as the ledger holds it, finished or not: `arena.load("reports/quickstart")`.

    Its tables are DataFrames, computed when first asked for: `run.standings`. A missing value is one that does not
    exist; `_low` and `_high` are the ends of 95 % intervals.
    """

    folder: Path
    data: RunData

    def __repr__(self) -> str:
        of = f" of {self.facts.games}" if self.facts.games else ""
        played, players = f"{self.played}{of} games", len(self.data.experiment.players)
        return f"<Run {self.name}: {self.rules}, {players} players, {played}, in {self.folder}>"

    def _repr_html_(self) -> str:
        """What a notebook shows. The module is found by its name, as it reads runs itself."""
        card: str = import_module("arena.report.card").html(self)
        return card

    @cached_property
    def experiment(self) -> Experiment:
        """The configuration, without the players whose games are annulled: `data.experiment` has all."""
        found, out = self.data.experiment, self.data.withdrawn
        counted = tuple(player for player in found.players if player.name not in out)
        anchor = None if found.anchor in out else found.anchor
        return found.model_copy(update={"players": counted, "anchor": anchor}) if out else found

    @property
    def facts(self) -> Facts:
        """What the ledger holds beside the configuration: who moves first, how many games are planned."""
        return self.data.facts

    @property
    def games(self) -> pd.DataFrame:
        """One row per finished game that counts: not those of players that were withdrawn, see `annulled`."""
        return self.data.games

    @property
    def annulled(self) -> pd.DataFrame:
        """The games that do not count, as a player that failed in all of its first games was withdrawn."""
        return self.data.annulled

    @property
    def played(self) -> int:
        """How many games are stored, those that do not count among them."""
        return len(self.games) + len(self.annulled)

    @cached_property
    def moves(self) -> pd.DataFrame:
        """One row per move of the finished games, all in memory; `data.moves()` reads them in parts."""
        return pd.concat(list(self.data.moves()), ignore_index=True)

    def positions(self, games: Collection[int] | None = None) -> pd.DataFrame:
        """The rows of `moves` with the position before each, of the games with these numbers, else of all."""
        return pd.concat(list(self.positions_in_parts(games)), ignore_index=True)

    def positions_in_parts(self, games: Collection[int] | None = None) -> Iterator[pd.DataFrame]:
        """The parts of `positions`, at least one; games are replayed, some thousand moves a second."""
        for part in self.data.moves():
            chosen = part if games is None else part[part["game"].isin(list(games))]
            yield with_fen(build_variant(self.experiment.variant), self.games, chosen)

    @property
    def probes(self) -> pd.DataFrame:
        """One row per search to a fixed depth."""
        return self.data.probes

    @property
    def name(self) -> str:
        """The run's name in the configuration."""
        return self.experiment.name

    @property
    def rules(self) -> str:
        """The name of the rules; of custom ones that of their base, with `, changed`."""
        variant = self.experiment.variant
        return variant if isinstance(variant, str) else f"{variant['base']}, changed"

    @property
    def players(self) -> list[str]:
        """Names in rank order."""
        return self.ratings.table["player"].tolist()

    @property
    def zero(self) -> str:
        """What Elo is relative to, in words."""
        if self.experiment.anchor:
            return f"{self.experiment.anchor} = 0"
        return f"mean of {'all players' if len(self.ratings.groups) < 2 else 'each group'} = 0"

    @property
    def small(self) -> bool:
        """Whether the run has too few games to say more than who won: FEW at most."""
        return len(self.games) <= FEW

    @property
    def large(self) -> bool:
        """Whether the run has more moves than its tables take into memory: `tables.survey.SAMPLE`."""
        return is_large(self.games)

    @cached_property
    def survey(self) -> Survey:
        """What the tables rest on of the moves: `tables.survey`."""
        return survey(self.games, self.data.moves())

    @cached_property
    def rated_games(self) -> pd.DataFrame:
        """The games with `line`, what was played as a number, as `arena.ratings.joint.rate` takes them."""
        return self.games.assign(line=lines(self.games, self.survey.hashes))

    @cached_property
    def repeated_games(self) -> int:
        """Games that repeat an earlier one move for move: `arena.ratings.repeats.repeated_games`."""
        return repeated_games(self.games, self.survey.hashes)

    @cached_property
    def ratings(self) -> Ratings:
        """The joint rating of all players."""
        players = [player.name for player in self.experiment.players]
        anchor, model = self.experiment.anchor, self.experiment.rating.model
        return rate(self.rated_games, players, first=self.facts.first, anchor=anchor, model=model)

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Rating, counts and cost per move of each player, in rank order: `tables.standings`."""
        return standings.standings(self.ratings.table, self.survey.totals, self.ratings.groups)

    @cached_property
    def convergence(self) -> pd.DataFrame:
        """Ratings after growing parts of the schedule: `tables.convergence`."""
        anchor, model = self.experiment.anchor, self.experiment.rating.model
        return convergence.convergence(self.rated_games, self.players, self.facts.first, anchor, model)

    @cached_property
    def crosstable(self) -> pd.DataFrame:
        """Points of row against column such as "12.5/20": `tables.matrix.crosstable`."""
        return matrix.crosstable(self.games, self.players)

    @cached_property
    def score_matrix(self) -> pd.DataFrame:
        """Score of row against column, 0 to 1: `tables.matrix.score_matrix`."""
        return matrix.score_matrix(self.games, self.players)

    @cached_property
    def los(self) -> pd.DataFrame:
        """Likelihood of superiority of row over column, in rank order: `tables.matrix.los_matrix`."""
        return matrix.los_matrix(self.ratings)

    @cached_property
    def residuals(self) -> pd.DataFrame:
        """How each pairing differs from what the ratings expect: `arena.ratings.transitivity.residuals`."""
        return transitivity.residuals(self.rated_games, self.ratings, self.facts.first)

    @cached_property
    def cycles(self) -> pd.DataFrame:
        """Three players of whom each beats the next, the strongest ten: `arena.ratings.transitivity.cycles`."""
        return transitivity.cycles(self.rated_games, self.players)

    @cached_property
    def search(self) -> pd.DataFrame:
        """Search effort and effective branching factor of each player that searches: `tables.effort.branching`."""
        return effort.branching(self.survey.totals, self.players, self._compared)

    @cached_property
    def time_to_depth(self) -> pd.DataFrame:
        """The rows of `search` that show time against depth: `tables.effort.timed`."""
        return effort.timed(self.search)

    @cached_property
    def search_time(self) -> pd.DataFrame:
        """Quantiles of seconds per move: `tables.effort.search_time`."""
        return effort.search_time(self.survey.sample, self.players)

    @cached_property
    def telemetry(self) -> pd.DataFrame:
        """Depths, cutoffs, table hits and time over the limit of each player: `tables.telemetry`."""
        return telemetry.telemetry(self.games, self.survey, self.players, self.experiment.players)

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """Wins, draws and losses by player and colour: `tables.outcomes`."""
        return outcomes.outcomes(self.games, self.players)

    @cached_property
    def terminations(self) -> pd.DataFrame:
        """How games ended: `tables.outcomes.terminations`."""
        return outcomes.terminations(self.games)

    @cached_property
    def elo_by_depth(self) -> pd.DataFrame:
        """Elo against depth, empty if no family of players has three depths: `tables.doublings`."""
        return doublings.elo_by_depth(self.standings, self._compared)

    @cached_property
    def elo_by_nodes(self) -> pd.DataFrame:
        """Elo against nodes per move, empty if no family has three players: `tables.doublings`."""
        return doublings.elo_by_nodes(self.standings, self._compared)

    @cached_property
    def gains(self) -> pd.DataFrame:
        """Elo per doubling of depth and of nodes, by family: `tables.doublings.gains`."""
        return doublings.gains(self.ratings, self.elo_by_depth, self.elo_by_nodes)

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """Players that differ in one setting, at equal terms, every two values of it: `tables.comparisons`."""
        used = dict(zip(self.telemetry["player"], self.telemetry["time_used"], strict=True))
        anchor, types = self.experiment.anchor, self.experiment.compare_types
        return comparisons.comparisons(self.ratings, self._compared, anchor, used, types)

    @cached_property
    def equal_terms(self) -> pd.DataFrame:
        """Standings at each limit, empty unless there are several kinds of limits: `tables.equal_terms`."""
        anchor = self.experiment.anchor
        return equal_terms.equal_terms(self.standings, self.ratings, self._compared, anchor, self._time_used)

    @property
    def _time_used(self) -> dict[str, float]:
        """What each player took of its time limit, as `telemetry` has it."""
        return dict(zip(self.telemetry["player"], self.telemetry["time_used"], strict=True))

    @property
    def _compared(self) -> tuple[PlayerSpec, ...]:
        """The players that the run compares: none where persons met whom they liked, and nobody else met."""
        return () if isinstance(self.experiment.format, Free) else self.experiment.players

    @cached_property
    def openings(self) -> pd.DataFrame:
        """Score of the first mover by opening: `tables.openings`."""
        return openings.openings(self.games, self.facts.first)

    @cached_property
    def opening_test(self) -> Homogeneity | None:
        """Whether all openings favour the first mover alike: `tables.openings.homogeneity`."""
        return openings.homogeneity(self.games, self.facts.first)

    @cached_property
    def phases(self) -> pd.DataFrame:
        """When winner and loser saw the result coming: `tables.phases`."""
        return phases.phases(self.games, self.survey.sample)

    @cached_property
    def ablation(self) -> pd.DataFrame:
        """Cost to a fixed depth and Elo against the reference, empty without a probe: `tables.ablation`."""
        if not len(self.probes):
            return pd.DataFrame()
        return ablation.ablation(self.probes, self.ratings, self.experiment)

    @cached_property
    def sprt(self) -> pd.DataFrame:
        """The sequential test pair by pair, empty without one: `tables.sprt`."""
        settings = self.experiment.sprt
        return pd.DataFrame() if settings is None else sprt.sprt_path(self.games, settings)

    @cached_property
    def order(self) -> pd.DataFrame:
        """The final order of a Swiss, knockout or ladder, best first; empty until it is complete.

        A place in a Swiss rests on points, Buchholz and Sonneborn-Berger, in the others on the player's last tie.
        """
        found = enumerate(self.data.order or [], start=1)
        rows = [{"place": place, "player": player, **figures} for place, (player, figures) in found]
        return pd.DataFrame(rows, columns=list(TABLES["order"])).dropna(axis=1, how="all")


def load(folder: str | os.PathLike[str]) -> Run:
    """Read the ledger in a run's folder, also while games are still being played."""
    return Run(Path(folder), read(Path(folder)))
