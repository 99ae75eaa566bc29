"""Several runs and files in one fit: games that they share count once, and what changed is measured."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from arena.base import ArenaError
from arena.base.wording import counted, first_few
from arena.experiment.model import Experiment, entry_of
from arena.experiment.names import leaves
from arena.ledger.read import RunData, read
from arena.ratings.contrasts import LEVEL
from arena.ratings.interval import UNKNOWN, Interval
from arena.ratings.joint import Ratings, zero
from arena.ratings.joint import rate as fitted
from arena.ratings.misfit import placed
from arena.ratings.results import COLUMNS, RUN, GameSource, Results, combined, read_file
from arena.ratings.several import Fit, holm
from arena.report.run import Run
from arena.report.sentences.cautions import untold
from arena.report.tables.outcomes import differences
from arena.report.tables.settings import key
from arena.report.tables.standings import rating_table
from arena.rules.result import Colour

NONE: Mapping[str, float] = MappingProxyType({})
_COLOURS = ("white", "black")
_MOST_CHECKED = 40
"""Players up to which it is looked at whether one rating tells the results of those that are the same."""
_MOST = 12
"""Changed settings that are listed."""
_UNLIKE_GAMES = ("name", "players", "workers", "report", "process", "anchor", "suite", "grade")
"""Keys of a configuration that change no game, and the players, which are looked at one by one."""
CHANGES = ["player", "other", "in", "before", "opponents", *Interval.columns_of("elo_difference"), "chance"]


@dataclass(frozen=True, eq=False)
class RatedResults:
    """The results of runs and files in one fit: `arena.rate("reports/old", "reports/new", "games.pdn")`."""

    results: Results
    configurations: Mapping[str, Experiment] = field(default_factory=dict)
    """Of the sources that are runs, by their names."""
    anchor: Mapping[str, float] = field(default_factory=dict)
    """Elo that is given, by player."""

    @property
    def players(self) -> list[str]:
        """The names of the players, sorted."""
        return sorted({*self.results.games["white"], *self.results.games["black"]})

    @cached_property
    def ratings(self) -> Ratings:
        """The fit of all games. Raises ArenaError for an anchor that is none of the players."""
        anchor = zero(self.players, self.anchor)
        try:
            return placed(self.results.games, self.players, self.results.first, anchor)
        except ValueError as error:
            raise ArenaError(str(error)) from None

    @cached_property
    def standings(self) -> pd.DataFrame:
        """Rating and counts of each player, best first."""
        return rating_table(self.ratings)

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Elo of each player over each other one."""
        return differences(self.ratings)

    @cached_property
    def changes(self) -> pd.DataFrame:
        """What each player of several sources gained from the first that has it to each later one: CHANGES.

        `player` is its name `in` the later source, and `other` its name in the one `before`: the same where it is
        made of the same, and then it should gain nothing. The gain is measured on the opponents
        that both met, and is missing where there are none. `chance` is that of so great a gain of any changed
        player where nobody gains, and of any other one (S. Holm, 1979). Players that are the same are looked at
        where there are two sources, and _MOST_CHECKED players at most.
        """
        games, names = self.results.every, list(self.results.names.values())
        sides = [games[[colour, "source", "is_copy"]].rename(columns={colour: "player"}) for colour in _COLOURS]
        met = pd.concat(sides).groupby(["player", "source"], sort=False).agg({"is_copy": "all"}).reset_index()
        of = {label: name for name, labels in self.results.versions.items() for label in labels.values()}
        met["name"] = [of.get(player, player) for player in met["player"]]
        is_checked = len(names) == 2 and met["name"].nunique() <= _MOST_CHECKED
        rows = []
        for _, versions in met.sort_values("source", kind="stable").groupby("name", sort=False):
            first, *others = versions[["player", "source", "is_copy"]].itertuples(index=False, name=None)
            for player, source, is_copied in others:
                if player != first[0] or (is_checked and not is_copied):
                    opponents, gain = gained(games, first[:2], (player, source), self.results.first)
                    where = names[source], names[first[1]]
                    rows.append((player, first[0], *where, opponents, *(gain or UNKNOWN), np.nan))
        table = pd.DataFrame(rows, columns=CHANGES)
        known = table.dropna(subset="elo_difference")
        for _, part in known.groupby(known["player"] == known["other"]):
            los = [Interval.of(row, "elo_difference").los for row in part.to_dict("records")]
            table.loc[part.index, "chance"] = holm([2 * min(each, 1 - each) for each in los])
        return table

    @property
    def sentences(self) -> list[str]:
        """Who gained what, and whose results one rating does not tell."""
        return [*filter(None, map(_told, self.changes.to_dict("records"))), *untold(self.ratings)]

    @property
    def settings(self) -> list[str]:
        """What later runs have set otherwise than the first one, a line each."""
        runs = [*self.configurations.items()]
        return [line for other in runs[1:] for line in _unlike(*runs[0], *other)]


def rate(
    *sources: str | os.PathLike[str], anchor: Mapping[str, float] = NONE, first: Colour | None = None
) -> RatedResults:
    """Rate the players of all sources in one fit: folders of runs, PDN of any program, CSV.

    A game that several of them have counts once. A player that is not the same in two runs, by its settings and
    files, is two: "racer (old)" and "racer (new)". `anchor` gives players their Elo; `first` moves first, where
    no source says it. Raises ArenaError for what cannot be read; `ratings` does for an unknown anchor.
    """
    return replace(read_results(*sources, first=first), anchor=anchor)


def read_results(*sources: str | os.PathLike[str], first: Colour | None = None) -> RatedResults:
    """Read the games of all sources; `first` is the colour that moves first, where no source says it.

    Raises ArenaError for what cannot be read, and for sources that differ in who moves first.
    """
    paths = list(dict.fromkeys(map(Path, sources)))
    runs = {path: read(path) for path in paths if path.is_dir()}
    results = combined(
        [source_of(path, runs[path]) if path in runs else read_file(path, first) for path in paths], first
    )
    return RatedResults(results, {results.names[path]: run.experiment for path, run in runs.items()})


def fits(runs: Mapping[str, Run]) -> dict[str, Fit]:
    """The ratings of each run, and the names of its players in them: runs by the same rules are one fit."""
    by_rules: dict[str, list[str]] = {}
    for name, run in runs.items():
        by_rules.setdefault(key(run.experiment.variant), []).append(name)
    found: dict[str, Fit] = {}
    for names in by_rules.values():
        of_rules = [runs[name] for name in names]
        if len(names) == 1:
            found[names[0]] = of_rules[0].ratings, {name: name for name in of_rules[0].players}
            continue
        results = combined([source_of(Path(name), run.data) for name, run in zip(names, of_rules, strict=True)])
        ratings = fitted(results.games, first=results.first)
        for place, (name, run) in enumerate(zip(names, of_rules, strict=True)):
            found[name] = ratings, {player: results.label(player, place) for player in run.players}
    return {name: found[name] for name in runs}


def source_of(folder: Path, run: RunData) -> GameSource:
    """The games of a run that is read."""
    games = run.games.drop(columns="opening").rename(columns={"opening_fen": "opening"}).assign(count=1, kind=RUN)
    games = games[COLUMNS].astype({"line": object, "plies": str})
    return GameSource(folder, games, run.first, "the run", players=run.info.hashes)


def gained(
    games: pd.DataFrame, before: tuple[str, int], after: tuple[str, int], first: Colour
) -> tuple[int, Interval | None]:
    """How many opponents two players both met, and the Elo of the second over the first by games against these.

    Each is a name in *games* and a source; games against an opponent from the same opening are not independent.
    """
    sides = []
    for number, (player, source) in enumerate((before, after)):
        for colour, other in (_COLOURS, _COLOURS[::-1]):
            mine = games[(games[colour] == player) & (games["source"] == source)]
            mine = mine.assign(**{colour: f"\0{number}"}, opponent=mine[other], side=number, colour=colour)
            sides.append(mine.assign(time=mine.groupby(["opponent", "opening"]).cumcount()))
    both = pd.concat(sides, ignore_index=True)
    met = both.groupby("opponent")["side"].nunique()
    both = both[both["opponent"].map(met) == 2]
    opponents = both["opponent"].nunique()
    if not opponents:
        return 0, None
    linked = both["opponent"] + "\0" + both["opening"].replace("", None) + "\0" + both["time"].astype(str)
    numbers = both.groupby(["side", "pair"]).ngroup()
    both = both.assign(linked=linked, pair=numbers.where(both["pair"] >= 0))
    return opponents, fitted(both, first=first).contrast({"\x001": 1.0, "\x000": -1.0})


def _told(row: Mapping[Any, Any]) -> str:
    """A row of `changes` in words; "" where there is nothing to tell of it."""
    player, other, gain = row["player"], row["other"], Interval.of(row, "elo_difference")
    against = f"against the {counted(row['opponents'], 'opponent')} that both met"
    is_shown = row["chance"] < LEVEL
    if player == other:
        unlike = f"{player} is the same in {row['before']} and {row['in']}, but not its results {against}"
        return f"{unlike}: {gain} Elo in {row['in']}. One rating does not tell both." if is_shown else ""
    if not row["opponents"]:
        return f"No opponent met both {player} and {other}: what changed is not measured."
    if not is_shown:
        return f"{player} and {other} {against}: no difference shown: {gain} Elo."
    return f"{player} is {'stronger' if gain.value > 0 else 'weaker'} than {other} {against}: {gain} Elo."


def _unlike(name: str, first: Experiment, other: str, config: Experiment) -> Iterator[str]:
    """Yield what a run has set otherwise than the first one, and which players only one of them has."""
    one, two = ({k: v for k, v in each.as_dict().items() if k not in _UNLIKE_GAMES} for each in (first, config))
    for what, (before, after) in _differing(one, two):
        yield f"{what}: {before} in {name}, {after} in {other}"
    specs, others = ({spec.name: spec for spec in each.players} for each in (first, config))
    for player in (name for name in specs if name in others):
        changed = _differing(entry_of(specs[player]), entry_of(others[player]))
        for what, (before, after) in changed:
            yield f"{player}: {what} {before} in {name}, {after} in {other}"
    for only, players in ((name, [*specs.keys() - others.keys()]), (other, [*others.keys() - specs.keys()])):
        if players:
            yield f"only in {only}: {first_few(sorted(players), _MOST)}"


def _differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield each value that differs, by its keys, as text on both sides."""
    flat = [{".".join(map(str, path)): value for path, value in leaves(each)} for each in (one, other)]
    for name in dict.fromkeys([*flat[0], *flat[1]]):
        values = [each.get(name) for each in flat]
        if key(values[0]) != key(values[1]):
            yield name, tuple("not set" if value is None else str(value) for value in values)  # type: ignore[misc]
