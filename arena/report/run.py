"""A run as tables, read from its ledger, and the list of those that have a file."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import pandas as pd

from arena.base.wording import counted
from arena.ledger.game import played_game
from arena.ratings.joint import Family
from arena.report.tables import comparisons, effort, grades, outcomes, standings, submissions
from arena.report.tables.comparisons import Doubling, Meeting
from arena.report.tables.rated_run import RatedRun
from arena.report.tables.settings import families
from arena.rules.game import Game, game_of
from arena.rules.notation import NotationError, fen
from arena.rules.played import replayed

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, eq=False)
class Run(RatedRun):
    """One run as the ledger holds it, finished or not: `arena.load("reports/quickstart")`.

    Its tables are DataFrames, computed when first asked for: `run.standings`. A missing value is one that does not
    exist; `_low` and `_high` are the ends of 95 % intervals. `reports/columns.md` has the columns of those
    that are files, too.
    """

    draw: Callable[[Run], dict[str, Figure]] | None = None
    """Draws the charts of `figures`."""
    card: Callable[[Run], str] | None = None
    """Makes the HTML that a notebook shows in place of the `repr`."""

    def __repr__(self) -> str:
        of = f"{self.played} of " if self.info.games else ""
        played = of + counted(self.info.games or self.played, "game")
        players = counted(len(self.data.experiment.players), "player")
        return f"<Run {self.name}: {self.experiment.rule_set.name}, {players}, {played}, in {self.folder}>"

    def _repr_html_(self) -> str | None:
        return self.card(self) if self.card else None

    @property
    def figures(self) -> dict[str, Figure]:
        """The charts of the report by name, drawn anew: `run.figures["elo"].savefig("elo.pdf")`."""
        return self.draw(self) if self.draw else {}

    @property
    def played(self) -> int:
        """How many games are stored, those that do not count among them."""
        return len(self.games) + len(self.void_games)

    # what is stored; `games` is inherited

    @property
    def void_games(self) -> pd.DataFrame:
        """The games of withdrawn players, which do not count: the columns of `games`, the result being *."""
        return self.data.void_games

    @cached_property
    def moves(self) -> pd.DataFrame:
        """One row per move; `arena report --fen` adds the position before it.

        All are in memory; `run.data.moves()` reads them in parts.
        """
        return pd.concat(list(self.data.moves()), ignore_index=True)

    def game(self, game: int | str, ply: int | None = None) -> Game:
        """A game by its number or its id, after `ply` moves or at its end. Raises StoreError if there is none."""
        return game_of(played_game(self.data, game), ply)

    def positions(self, games: Collection[int] | None = None) -> pd.DataFrame:
        """`moves` with the position before each as FEN, for the games with these numbers, else for all."""
        return pd.concat(list(self.positions_in_parts(games)), ignore_index=True)

    def positions_in_parts(self, games: Collection[int] | None = None) -> Iterator[pd.DataFrame]:
        """The parts of `positions`, at least one; games are replayed, some thousand moves a second.

        Raises NotationError for a move that is not legal.
        """
        variant = self.experiment.rule_set
        opening = dict(zip(self.games["game"], self.games["opening_fen"], strict=True))
        for part in self.data.moves():
            chosen = part if games is None else part[part["game"].isin(list(games))]
            fens: list[str] = []
            for game, texts in chosen.groupby("game", sort=False)["move"]:
                played = replayed(variant, str(opening[game]), texts.tolist())
                if played.problems:
                    raise NotationError(played.problems[0].message)
                fens += [fen(variant, position) for position in played.positions[:-1]]
            yield chosen.assign(fen=pd.array(fens, dtype="str"))

    # results

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Rating, counts, cost per move and settings of each player, in order of place, the withdrawn last."""
        table = standings.standings(self.ratings, self.survey.totals, self.order, self.data.withdrawn)
        return standings.with_settings(table, self.data.experiment.players)

    @cached_property
    def submissions(self) -> pd.DataFrame:
        """A grade sheet: the players with code of one's own, with place, points, failures and time."""
        return submissions.submissions(self, self.standings)

    @cached_property
    def pairings(self) -> pd.DataFrame:
        """Results of every two players that met, and their difference in Elo."""
        return outcomes.pairings(self.games, self.ratings, self.placed)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Elo of each player over each other one; `ratings.covariance` and `ratings.contrast` have all others."""
        return outcomes.differences(self.ratings)

    def partings(self, player: str, other: str) -> pd.DataFrame:
        """Where the games of two players against the same opponents part, and to what."""
        return outcomes.partings(self.data, player, self.data, other)

    @cached_property
    def terminations(self) -> pd.DataFrame:
        """How games ended: termination, games and their share of all."""
        return outcomes.terminations(self.games)

    @cached_property
    def sprt(self) -> pd.DataFrame:
        """The sequential test pair by pair."""
        return outcomes.sprt_path(self.games, self.experiment.sprt)

    # players at equal terms

    @cached_property
    def comparisons(self) -> pd.DataFrame:
        """Elo of one setting against another at equal terms; of two players, of the one against the other."""
        return comparisons.comparisons(self.ratings, self._meetings, self.family, self.time_used)

    @cached_property
    def sweep(self) -> pd.DataFrame:
        """Elo against depth and against nodes per move, and what a doubling is worth to each family."""
        return comparisons.sweep(self.ratings, self._points, self._doublings, self.family)

    @cached_property
    def family(self) -> Family:
        """All contrasts that the report may state: of players, of settings, and what a doubling is worth."""
        settings = [meeting.weights for meeting in self._meetings]
        return Family(self.ratings, [*settings, *(doubling.weights for doubling in self._doublings)])

    @cached_property
    def _meetings(self) -> list[Meeting]:
        return comparisons.meetings(self.compared, self.experiment.reference)

    @cached_property
    def _points(self) -> pd.DataFrame:
        return comparisons.points(self.standings, self.compared)

    @cached_property
    def _doublings(self) -> list[Doubling]:
        return comparisons.doublings(self.ratings, self._points)

    @cached_property
    def ablation(self) -> pd.DataFrame:
        """Cost of a search in random positions and Elo, against the reference."""
        return effort.ablation(self.data.answers, self.ratings, self.experiment)

    # effort

    @cached_property
    def effort(self) -> pd.DataFrame:
        """Nodes, depth and time of the moves of each player, what its search and itself counted, and its clock."""
        specs, extras = self.experiment.players, self.data.extras
        return effort.effort(self.games, self.survey.totals, self.players, specs, families(self.compared), extras)

    @property
    def time_used(self) -> dict[str, float]:
        """Each player's use of its time limit, as in `effort`; of none where no player has one."""
        if not self.experiment.is_timed:
            return {}
        return dict(zip(self.effort["player"], self.effort["time_used"], strict=True))

    # graded decisions and suites

    @cached_property
    def grades(self) -> pd.DataFrame:
        """One row per graded decision, its judge and the points that it lost."""
        return grades.grades(self)

    @cached_property
    def endgame_errors(self) -> pd.DataFrame:
        """What each player threw away in positions of the endgame tables."""
        return grades.endgame_errors(self, self.grades)

    @cached_property
    def judged_losses(self) -> pd.DataFrame:
        """The points that each player lost by a judge's scores."""
        return grades.judged_losses(self, self.grades)

    @cached_property
    def costliest_errors(self) -> pd.DataFrame:
        """The costliest errors, one of a game: columns of `grades` and the move played."""
        return grades.costliest_errors(self, self.grades)

    @cached_property
    def suites(self) -> pd.DataFrame:
        """The share of each suite's positions that each player solves."""
        return grades.suites(self)


TABLES = (
    "games", "moves", "standings", "submissions", "pairings", "terminations", "effort", "comparisons", "sweep",
    "ablation", "sprt", "grades", "endgame_errors", "judged_losses", "suites",
)  # fmt: skip
"""The tables that have a file, each an attribute of `Run`; `reports/columns.md` has their columns."""
