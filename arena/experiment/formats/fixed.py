"""Formats whose pairings are known before the first game: round robin, match, gauntlet; early ends."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar, Literal

from pydantic import Field

from arena.base.wording import unknown
from arena.experiment.formats.base import MIN_ROUNDS, Batches, Format, Pairing, Rounds
from arena.experiment.yaml.section import Section, repeated
from arena.experiment.yaml.values import Problem
from arena.rules.result import Colour, result_of


class RoundRobin(Format):
    """Everyone against everyone; a round is one opening by all pairings."""

    type: Literal["round-robin"] = "round-robin"
    tested: ClassVar[bool] = True

    def problems(self, names: Sequence[str]) -> Iterable[Problem]:
        return ()  # one player alone may answer a suite


class Match(Format):
    """Two players; a round is one opening."""

    type: Literal["match"]
    tested: ClassVar[bool] = True

    def problems(self, names: Sequence[str]) -> Iterator[Problem]:
        if len(names) != 2:
            yield ("type",), f"'match' needs exactly two players, not {len(names)}"


class Gauntlet(Format):
    """Each seed against every other player that is not a seed; a round is one opening by all pairings."""

    type: Literal["gauntlet"]
    seeds: tuple[str, ...] = Field(strict=False, min_length=1, description="Names of players.")

    def problems(self, names: Sequence[str]) -> Iterator[Problem]:
        yield from super().problems(names)
        for number, seed in enumerate(self.seeds):
            if seed not in names:
                yield ("seeds", number), unknown("player", seed, names)
        for number in repeated(self.seeds):
            yield ("seeds", number), f"the seed {self.seeds[number]!r} is given twice"
        if names and set(names) <= set(self.seeds):
            yield ("seeds",), "'seeds' must leave out a player: seeds do not meet each other"

    def limited_to(self, names: Sequence[str]) -> Format:
        return self.model_copy(update={"seeds": tuple(seed for seed in self.seeds if seed in names)})

    def pairings(self, names: Sequence[str]) -> list[Pairing]:
        seeds = [names.index(seed) for seed in self.seeds]
        return [(seed, other) for seed in seeds for other in range(len(names)) if other not in seeds]


class Until(Section):
    """When a round robin, match or gauntlet ends before its openings are used up: when Elo is certain enough."""

    error: float = Field(
        gt=0, description="Wanted half width in Elo of all 95 % intervals; of two players, of their difference's."
    )

    def batches(
        self,
        format: Format,
        names: Sequence[str],
        openings: int,
        first: Colour = "white",
        anchor: Mapping[str, float] = MappingProxyType({}),
    ) -> Batches:
        """Rounds of one opening by all pairings until every 95 % interval is within +-`error` Elo.

        A batch ends with a rating of all games so far, the first one after MIN_ROUNDS, or where one player's Elo
        is unknown after as many pairs of its games. It has the intervals of the report: openings differ, so that
        no game repeats another. As errors fall with the square root of the rounds, the next batch is four fifths
        of the missing rounds, at least a twentieth of the rounds so far and at most as many.
        """
        import pandas as pd

        from arena.ratings.joint import rate, zero

        pairings, games = format.pairings(names), list[tuple[str, str, str, int]]()
        unknown = [player for player, name in enumerate(names) if name not in anchor]
        met = sum(unknown[0] in pairing for pairing in pairings) if len(unknown) == 1 else 1
        begin, end = 0, min(math.ceil(MIN_ROUNDS / max(met, 1)), openings) if pairings else 0
        while begin < end:
            batch = Rounds(pairings, range(begin, end))
            played = yield batch
            for index, (as_white, as_black) in enumerate(played.points):
                first_name, second_name = (names[player] for player in batch[index][:2])
                number = len(games) // 2 + 1
                games += [
                    (first_name, second_name, result_of(as_white), number),
                    (second_name, first_name, result_of(1 - as_black), number),
                ]
            left = [name for player, name in enumerate(names) if player not in played.withdrawn]
            counted = [game for game in games if {*game[:2]} <= {*left}]
            frame = pd.DataFrame(counted, columns=["white", "black", "result", "pair"])
            given = {name: elo for name, elo in anchor.items() if name in left}
            table = rate(frame, left, first=first, anchor=zero(left, given)).table
            # To six decimals, so that every machine finds the same.
            error = round(float((table["elo_high"] - table["elo_low"]).max() / 2), 6)
            if not error > self.error:
                break
            missing = math.ceil(end * (error / self.error) ** 2) - end
            more = max(min(math.ceil(0.8 * missing), end), math.ceil(end / 20))
            begin, end = end, min(end + more, openings)
        return []


class Sprt(Section):
    """A sequential test of the first player against the second, decided on pairs of games."""

    elo0: float = Field(description="Elo of the first player under H0.")
    elo1: float = Field(description="Elo of the first player under H1, more than elo0.")
    alpha: float = Field(default=0.05, gt=0, description="Probability of accepting H1 when H0 holds.")
    beta: float = Field(default=0.05, gt=0, description="Probability of accepting H0 when H1 holds.")
    model: Literal["normalized", "logistic"] = Field(
        default="normalized",
        description="Unit of elo0 and elo1: normalized Elo, or logistic.",
    )

    def conflicts(self, folder: Path) -> Iterator[Problem]:
        from arena.ratings.match import sprt

        try:
            sprt([0, 0, 0, 0, 0], self.elo0, self.elo1, self.alpha, self.beta)
        except ValueError as error:
            key = "beta" if self.elo1 > self.elo0 else "elo1"
            yield (key,), f"{key!r} makes no test: {error}"
