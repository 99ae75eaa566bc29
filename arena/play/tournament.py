"""A tournament that is ready to be played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from arena.base.wording import counted
from arena.base.work import cores
from arena.experiment.formats.base import ScheduledGame
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import FileOpenings, left_out_lines
from arena.experiment.schedule import Result, Schedule
from arena.ledger.info import RunInfo, player_hash
from arena.play.entrants import Entrants
from arena.play.match import Task
from arena.play.suite import Suite
from arena.play.workers import Workers
from arena.rules.notation import fen
from arena.rules.variants import Variant
from players.identity import placed
from players.player import PlayerSpec


class Tournament(NamedTuple):
    """Holds all that a run needs, checked and built once: the players as they were found, openings, suites."""

    entrants: Entrants
    players: tuple[PlayerSpec, ...]
    """Those who take part, to be loaded from the files with which they were tried."""
    openings: FileOpenings
    suites: Sequence[Suite] = ()

    @property
    def experiment(self) -> Experiment:
        """The configuration, without the players that are left out."""
        return self.entrants.experiment

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.experiment.rule_set

    @property
    def names(self) -> list[str]:
        """The players' names in their order."""
        return [spec.name for spec in self.players]

    @property
    def games(self) -> int:
        """The most games that the whole tournament can have, exact for formats that know them all before."""
        return self.experiment.format.most_games(self.names, len(self.openings.openings))

    @property
    def info(self) -> RunInfo:
        """What is known of the run before it begins."""
        entrants, experiment = self.entrants, self.experiment
        path = experiment.path.resolve()
        files = {**entrants.files_of, **entrants.left_out_files}
        programs = entrants.programs
        return RunInfo(
            players={
                spec.name: player_hash(
                    spec, entrants.files_of.get(spec.name, {}).values(), programs.get(spec.name, "")
                )
                for spec in experiment.players
            },
            openings=tuple(fen(self.variant, opening.position) for opening in self.openings.openings),
            games=self.games,
            exact=(experiment.sprt or experiment.until) is None and experiment.format.exact,
            files={name: placed(of_player, path.parent) for name, of_player in files.items()},
            programs=programs,
            file=str(path),
            men=entrants.men,
            found=entrants.found,
            left_out=entrants.left_out,
            left_out_hashes=entrants.left_out_hashes,
        )

    def schedule(self, results: Mapping[int, Result]) -> Schedule:
        """The schedule of the games, after the results that are known by their keys."""
        info = self.info
        return Schedule(self.experiment, info.players, info.openings, results)

    def played(self, results: Mapping[int, Result]) -> Schedule:
        """The schedule at its end, or at the first batch of which games are missing."""
        schedule = self.schedule(results)
        while schedule.advance():
            pass
        return schedule

    def task(self, game: ScheduledGame) -> Task:
        """A game as workers receive it."""
        opening = self.openings.openings[game.opening].position
        sides = self.players[game.white], self.players[game.black]
        return Task.of(self.experiment, game, opening, sides, self.entrants.men)

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
            yield from rules.unusable(list(self.entrants.men.values()), self.experiment.max_plies)
