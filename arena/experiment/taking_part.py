"""Who takes part in a tournament: players who qualify for its format, and players who are withdrawn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

from pydantic import Field, field_validator

from arena.base.wording import shown, unknown
from arena.experiment.formats.base import BatchResults, Format, Place, Rounds, Schedule, ShiftedBatch, Tie
from arena.experiment.formats.fixed import Until
from arena.experiment.yaml.errors import Keys
from arena.experiment.yaml.section import Section
from arena.ratings import RatingModel
from arena.rules.result import Colour

LEAST_TO_ANNUL = 3
"""With fewer players, a withdrawal would annul all games."""


class Withdrawal(Section):
    """When a player is withdrawn, and what becomes of its games."""

    after: int = Field(
        default=3, ge=0, description="A player that fails in all of its first N games is withdrawn; 0: none."
    )
    games: Literal["annul", "forfeit"] | None = Field(
        default=None,
        description="annul: none of its games counts; forfeit: it loses those it has not played "
        "[annul in a Swiss or round robin of three players or more].",
    )


def withdrawal(value: Any) -> Any:
    """The settings that a number of failures, `annul` or `forfeit` alone mean. Raises ValueError."""
    if isinstance(value, int) and not isinstance(value, bool):
        return {"after": value}
    if value in ("annul", "forfeit"):
        return {"games": value}
    if isinstance(value, dict | Withdrawal):
        return value
    raise ValueError(f"must be a number of failures, annul, forfeit, or a mapping with both, not {shown(value)}")


class QualifyingResult(NamedTuple):
    """How a player did in the games that it played to qualify."""

    games: int
    """Those that count."""
    points: float
    qualified: bool


class Qualify(Section):
    """Games that decide who takes part in the format: of each player against each of a few others."""

    against: tuple[str, ...] = Field(
        strict=False,
        json_schema_extra={"minItems": 1},
        description="Players in short form, entries, or names of `players`; those take part without qualifying.",
    )
    score: float = Field(
        default=0.5, ge=0, le=1, description="Least share of the points of all these games that qualifies."
    )
    games: int = Field(
        default=20, ge=2, description="Games against each of these, an even number: each opening twice."
    )
    guests: tuple[str, ...] = Field(
        default=(),
        strict=False,
        description="Names of `against` that take no part in the format [those that are not in `players`].",
    )

    @field_validator("games")
    @classmethod
    def _in_pairs(cls, games: int) -> int:
        if games % 2:
            raise ValueError(f"must be an even number, as each opening is played twice, not {games}")
        return games

    def problems(self, names: Sequence[str]) -> Iterator[tuple[Keys, str]]:
        """Yield problems between the settings and the players, guests included, each with the key to blame."""
        for key, listed in (("against", self.against), ("guests", self.guests)):
            known = names if key == "against" else self.against
            for i, name in enumerate(listed):
                if name not in known:
                    yield (key, i), unknown("player", name, known)
                elif name in listed[:i]:
                    yield (key, i), f"{name!r} is given twice"
        if not self.against:
            yield ("against",), "'against' must list at least one player"
        elif names and set(names) <= set(self.against):
            yield ("against",), "'against' must leave out a player that is to qualify"

    def without(self, names: Collection[str]) -> Qualify:
        """The settings without the players of these names."""
        left = {
            key: tuple(name for name in listed if name not in names)
            for key, listed in (("against", self.against), ("guests", self.guests))
        }
        return self.model_copy(update=left)

    def ties(self, names: Sequence[str]) -> list[Tie]:
        """Each player that is to qualify with each of `against`."""
        others = [names.index(name) for name in self.against]
        return [(player, other) for player in range(len(names)) if player not in others for other in others]

    def number(self, names: Sequence[str]) -> int:
        """How many games are played to qualify."""
        return len(self.ties(names)) * self.games

    def results(
        self, names: Sequence[str], games: Iterable[tuple[str, str, float]], annulled: Iterable[str] = ()
    ) -> dict[str, QualifyingResult]:
        """How those who are to qualify did in games, each its White, its Black and White's points, 0 to 1.

        Nobody qualifies of whom no game counts, and games against such a one do not count.
        """
        out = frozenset(annulled)
        won = {name: list[float]() for name in names if name not in self.against}
        for white, black, points in games:
            if not out & {white, black}:
                player, own = (white, points) if white in won else (black, 1 - points)
                won[player].append(own)
        return {
            name: QualifyingResult(
                len(own), sum(own), name not in out and sum(own) >= self.score * len(own) - 1e-9
            )
            for name, own in won.items()
        }


class Stages(NamedTuple):
    """The games of a tournament: those that players qualify by, if they have to, and those of the format.

    `names` are those of all players, in the order of the configuration, guests last.
    """

    format: Format
    qualify: Qualify | None = None
    until: Until | None = None
    model: RatingModel = "bradley-terry"
    seed: int = 0

    def entrants(self, names: Sequence[str]) -> list[str]:
        """The players who take part in the format, if all qualify."""
        guests = () if self.qualify is None else self.qualify.guests
        return [name for name in names if name not in guests]

    def ties(self, names: Sequence[str]) -> list[Tie]:
        """Who may meet whom, to qualify or in the format."""
        entrants = self.entrants(names)
        place = [names.index(name) for name in entrants]
        own = [(place[one], place[other]) for one, other in self.format.ties(entrants)]
        return list(dict.fromkeys([*(() if self.qualify is None else self.qualify.ties(names)), *own]))

    def most_games(self, names: Sequence[str], openings: int) -> int:
        """The most games that a number of openings can lead to."""
        qualifying = 0 if self.qualify is None else self.qualify.number(names)
        return qualifying + self.format.most_games(self.entrants(names), openings)

    def openings_needed(self, names: Sequence[str]) -> int:
        """How many openings there must be at least."""
        qualifying = 0 if self.qualify is None else self.qualify.games // 2
        return max(qualifying, self.format.openings_needed(len(self.entrants(names))))

    def schedule(
        self, names: Sequence[str], openings: int, first: Colour = "white", anchor: str | None = None
    ) -> Schedule:
        """The games in batches, first those that players qualify by: see `Format.schedule`."""

        def of_format(format: Format, names: Sequence[str]) -> Schedule:
            zero = anchor if anchor in names else None
            if self.until is not None:
                return self.until.schedule(format, names, openings, first, zero, self.model)
            return format.schedule(names, openings, first, zero, self.seed)

        if self.qualify is None:
            return of_format(self.format, names)
        return self._qualified(self.qualify, names, of_format)

    def _qualified(
        self, qualify: Qualify, names: Sequence[str], of_format: Callable[[Format, Sequence[str]], Schedule]
    ) -> Schedule:
        """One batch to qualify by, then the format's of those who did, under their numbers among all.

        With fewer of them than the format needs the qualifying games are all.
        """
        batch = Rounds(qualify.ties(names), qualify.games // 2)
        sent = yield batch
        played = zip(batch, sent.points, strict=True)
        games = ((names[it.white], names[it.black], points) for it, points in played)
        results = qualify.results(names, games, [names[player] for player in sent.annulled])
        yardsticks = {player for player, name in enumerate(names) if name not in {*results, *qualify.guests}}
        qualified = {names.index(name) for name, result in results.items() if result.qualified}
        kept = sorted(qualified | yardsticks - sent.annulled)
        own = [names[player] for player in kept]
        format = self.format.limited_to(own)
        if len(own) < 2 or any(format.problems(own)):
            return []
        schedule = of_format(format, own)
        try:
            following = next(schedule)
            while True:
                sent = yield ShiftedBatch(following, kept, len(batch), qualify.games // 2)
                annulled = frozenset(kept.index(player) for player in sent.annulled if player in kept)
                following = schedule.send(BatchResults(sent.points, annulled))
        except StopIteration as end:
            return [Place(kept[place.player], place.figures) for place in end.value]
