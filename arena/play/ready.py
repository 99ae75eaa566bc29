"""A tournament that is ready to be played."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.base.wording import counted
from arena.base.work import cores
from arena.experiment.formats.base import Batches, ScheduledGame
from arena.experiment.model import Experiment
from arena.experiment.openings.sources import left_out_lines
from arena.ledger.info import RunInfo
from arena.play.entrants import Entrants
from arena.play.match import Task
from arena.play.workers import Workers
from arena.rules.notation import fen
from arena.rules.position import COLOURS, Position
from arena.rules.result import Colour
from arena.rules.variants import Variant
from players.identity import placed
from players.player import PlayerSpec


class Tournament(NamedTuple):
    """A tournament that is ready to be played: everything that it needs, checked and built once."""

    entrants: Entrants
    players: tuple[PlayerSpec, ...]
    """Those who take part, to be loaded from the files with which they were tried."""
    openings: tuple[Position, ...]
    prepared: Mapping[str, Any] = MappingProxyType({})
    """What a configuration asks for besides, made ready, by its keys (`arena.play.options.option.Option`)."""

    @property
    def experiment(self) -> Experiment:
        """The configuration, without the players that are left out."""
        return self.entrants.experiment

    @property
    def variant(self) -> Variant:
        """The rules."""
        return self.experiment.rule_set

    @property
    def notes(self) -> Sequence[str]:
        """What is to be said of openings that are played several times, or are given twice and played once."""
        openings = self.prepared.get("openings")
        return () if openings is None else openings.notes

    def batches(self) -> Batches:
        """The tournament's format under way, from its first batch on."""
        experiment, openings = self.experiment, len(self.openings)
        if (until := experiment.until) is not None:
            return until.batches(experiment.format, self.names, openings, self.first, experiment.anchor)
        return experiment.format.batches(self.names, openings)

    def task(self, scheduled: ScheduledGame) -> Task:
        """A game as workers receive it."""
        opening = self.openings[scheduled.opening]
        sides = self.players[scheduled.white], self.players[scheduled.black]
        return Task.of(self.experiment, scheduled, opening, sides, self.entrants.men)

    def warnings(self, workers: Workers) -> Iterator[str]:
        """Yield a line on games that give no opening, on repeated openings, for each rule of adjudication that can
        end no game, and on more processes than cores under time limits.
        """
        if (openings := self.prepared.get("openings")) is not None:
            yield from left_out_lines(openings.left_out)
        yield from self.notes
        if self.experiment.is_timed and isinstance(workers, int) and workers > cores():
            yield (
                f"{workers} workers share {counted(cores(), 'core')}: players under time limits have less than "
                "their time, and may lose by it; --workers sets their number"
            )
        if (rules := self.experiment.adjudicate) is not None:
            yield from rules.unusable(list(self.entrants.men.values()), self.experiment.max_plies)

    def opening_fens(self) -> list[str]:
        """The openings as FENs."""
        return [fen(self.variant, opening) for opening in self.openings]

    @property
    def names(self) -> list[str]:
        """The players' names in their order."""
        return [spec.name for spec in self.players]

    @property
    def first(self) -> Colour:
        """The colour that moves first."""
        return COLOURS[self.variant.first]

    @property
    def games(self) -> int:
        """The most games that the whole tournament can have, exact for formats that know them all before."""
        return self.experiment.format.most_games(self.names, len(self.openings))

    @property
    def exact(self) -> bool:
        """Whether exactly this many games are played, whatever their results."""
        experiment = self.experiment
        return (experiment.sprt or experiment.until) is None and experiment.format.exact

    @property
    def info(self) -> RunInfo:
        """What is known of the run before it begins."""
        entrants, path = self.entrants, self.experiment.path.resolve()
        return RunInfo(
            self.games,
            self.exact,
            files=placed(entrants.files, path.parent),
            file=str(path),
            men=entrants.men,
            found=entrants.found,
            left_out=entrants.left_out,
            left_out_files={name: placed(files, path.parent) for name, files in entrants.left_out_files.items()},
            files_of={name: list(placed(files, path.parent)) for name, files in entrants.files_of.items()},
        )
