"""A tournament that is ready to be played."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.base.wording import counted
from arena.base.work import cores
from arena.experiment.formats.base import ScheduledGame
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import FileOpenings, left_out_lines
from arena.experiment.schedule import Result, Schedule
from arena.ledger.info import RunInfo
from arena.play.grading import Grading
from arena.play.match import Task
from arena.play.suites import ONE_PLY, Question, Suite, questions
from arena.play.trials import Entrant
from arena.play.workers import Workers
from arena.rules.variants import Variant
from players.player import PlayerSpec


class Tournament(NamedTuple):
    """Holds all that a run needs, checked and built once: players as they were found, openings, suites, judges."""

    experiment: Experiment
    """The configuration, without the players that are left out."""
    entrants: Mapping[str, Entrant]
    """All its players as they were found, by name, those left out among them."""
    players: tuple[PlayerSpec, ...]
    """Those who take part, to be loaded from the files with which they were tried."""
    openings: FileOpenings
    suites: Sequence[Suite]
    grading: Grading | None
    info: RunInfo
    """What is known of the run before it begins."""

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.experiment.rule_set

    @property
    def costly(self) -> list[str]:
        """The names of the players whose answers cost money."""
        return sorted(spec.name for spec in self.players if self.entrants[spec.name].costs)

    def schedule(self, results: Mapping[int, Result]) -> Schedule:
        """The schedule of the games, after the results that are known by their keys."""
        return Schedule(self.experiment, self.info.players, self.info.openings, results)

    def task(self, game: ScheduledGame) -> Task:
        """A game as workers receive it.

        Its random streams rest on who plays from which opening for which time, so that they are the same with more
        openings or players.
        """
        experiment, white, black = self.experiment, self.players[game.white], self.players[game.black]
        opening, time = self.info.openings[game.opening], experiment.openings.time_of(game.opening)
        conditions = experiment.seed, experiment.max_plies, experiment.allowance, experiment.adjudicate
        men = self.info.men[white.name], self.info.men[black.name]
        return Task(game.key, experiment.rule_set, opening, time, white, black, *conditions, men)

    def questions(self, out: Collection[str]) -> list[Question]:
        """What suites ask of all players but those who are `out` and, where there are solutions, of ONE_PLY."""
        players, hashes = [spec for spec in self.players if spec.name not in out], self.info.players
        found: list[Question] = []
        for suite in self.suites:
            baseline = [ONE_PLY] if suite.puzzles[0].best and ONE_PLY.name not in hashes else []
            conditions = hashes, self.experiment.seed, self.experiment.allowance
            found += questions(suite, [*players, *baseline], *conditions)
        return found

    def warnings(self, workers: Workers) -> Iterator[str]:
        """Yield a line on games that give no opening, on repeated openings, for each rule of adjudication that can
        end no game, and on more processes than cores under time limits.
        """
        yield from left_out_lines(self.openings.left_out)
        yield from self.openings.notes
        if self.experiment.is_timed and isinstance(workers, int) and workers > cores():
            yield (
                f"{workers} workers share {counted(cores(), 'core')}: players under time limits have less than "
                "their time, and may lose by it; --workers sets their number"
            )
        if (rules := self.experiment.adjudicate) is not None:
            men = [self.info.men[spec.name] for spec in self.players]
            yield from rules.unusable(men, self.experiment.max_plies)
