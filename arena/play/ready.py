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
from arena.play.match import Task
from arena.play.workers import Workers
from arena.rules.notation import fen
from arena.rules.position import COLOURS, Position
from arena.rules.result import Colour
from arena.rules.variants import Variant
from players.finding import Finding
from players.identity import Files, placed
from players.player import PlayerSpec


class Tournament(NamedTuple):
    """A tournament that is ready to be played: everything that it needs, checked and built once."""

    experiment: Experiment
    """Without the players that are left out."""
    variant: Variant
    players: tuple[PlayerSpec, ...]
    openings: tuple[Position, ...]
    prepared: Mapping[str, Any] = MappingProxyType({})
    """What options have made ready, by their keys (`arena.play.options.option.Option`)."""
    man_values: Mapping[str, float | None] = MappingProxyType({})
    """What a man is worth in each player's scores, by its name; None where it is not known."""
    costly: frozenset[str] = frozenset()
    """The names of the players whose answers cost money."""
    unread: Sequence[str] = ()
    """A line on each game of a file of openings that gives none."""
    left_out: Mapping[str, str] = MappingProxyType({})
    """The faulty players that do not take part, with their files."""
    diagnoses: tuple[Finding, ...] = ()
    """The findings on the players before the first game."""
    files: Files = MappingProxyType({})
    """The files of a user's own that the players are made of."""
    left_out_files: Mapping[str, Files] = MappingProxyType({})
    """Those of the players that do not take part, as they were when that was found, by player."""

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
        return Task.of(self.experiment, scheduled, self.variant, opening, sides, self.man_values)

    def warnings(self, workers: Workers) -> Iterator[str]:
        """Yield a line on games that give no opening, for each rule of adjudication that can end no game, and on
        more processes than cores under time limits.
        """
        yield from left_out_lines(self.unread)
        is_timed = any(spec.limit.longest is not None for spec in self.players)
        if is_timed and isinstance(workers, int) and workers > cores():
            yield (
                f"{workers} workers share {counted(cores(), 'core')}: players under time limits have less than "
                "their time, and may lose by it; --workers sets their number"
            )
        if (rules := self.experiment.adjudicate) is not None:
            yield from rules.unusable(list(self.man_values.values()), self.experiment.max_plies)

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
        path = self.experiment.path.resolve()
        files = placed(self.files, path.parent)
        left_out = {name: placed(others, path.parent) for name, others in self.left_out_files.items()}
        known = self.man_values, self.diagnoses, self.left_out
        return RunInfo(self.games, self.exact, files, str(path), *known, left_out_files=left_out)
