"""Players at equal terms: those that differ in one setting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.experiment.names import words_of
from arena.experiment.zero import reference as reference_of
from arena.ratings.contrasts import agreement
from arena.ratings.interval import Interval
from arena.ratings.joint import Family, Ratings
from arena.ratings.several import holm
from arena.report.tables.settings import LIMITS, key, level_words, limits, settings, terms_at, without
from players.options import options_of
from players.player import PlayerSpec
from players.table import PLAYERS

WHOLE_PLAYER = "player"
"""In place of a setting where two players differ in several."""

COLUMNS = [
    "setting", "value", "reference", "baseline", "terms", "at", "level", "pairs", "time_used",
    *Interval.columns_of("elo_difference"), "agreement", "shown",
]  # fmt: skip


class Meeting(NamedTuple):
    """Two values of a setting, in words, at limits of one kind."""

    setting: str
    value: str
    reference: str
    baseline: bool
    """Whether all other values are compared with the reference."""
    players: list[tuple[PlayerSpec, PlayerSpec]]
    """The players with the value, each with the one that differs from it in this setting only."""

    @property
    def weights(self) -> dict[str, float]:
        """Of players, in the mean difference."""
        share = 1 / len(self.players)
        return {a.name: share for a, _ in self.players} | {b.name: -share for _, b in self.players}


def meetings(specs: Sequence[PlayerSpec], anchor: str | None = None) -> list[Meeting]:
    """Every two values of each setting other than a limit, of players that differ in it alone, at equal terms.

    All other values are compared with that of the reference: the player `anchor`, else the first. Of two players
    there is one meeting in any case, as a match is played to compare them: the first against the second, or the
    one with code of a user's own against a built-in one, whatever they differ in.

    The type is no setting: players of several types are opponents. A value that never meets that of the baseline
    has the first one that it meets instead.
    """
    if not specs:
        return []
    reference = reference_of(specs, anchor)
    found = [
        meeting
        for setting in _differing(specs)
        for meeting in _meetings(setting, specs, key(settings(reference).get(setting)))
    ]
    if len(specs) == 2 and not found:
        first = next(spec for spec in specs if spec is not reference)
        found = [Meeting(WHOLE_PLAYER, first.name, reference.name, True, [(first, reference)])]
    return found


def comparisons(
    ratings: Ratings,
    meetings: Sequence[Meeting],
    family: Family,
    time_used: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """The difference in Elo of each of `meetings`, as the mean over its pairs of players, then of each pair.

    `time_used` is what each player took of its time limit, as in the table `effort`; `family` are all contrasts
    that the run may state. `agreement` is for all means together (S. Holm, 1979).
    """
    rows = [row for meeting in meetings for row in _rows(ratings, meeting, family, time_used or {})]
    table = pd.DataFrame(rows, columns=COLUMNS)
    means = table["agreement"].notna()
    table.loc[means, "agreement"] = holm(table.loc[means, "agreement"].tolist())
    return table


def _rows(
    ratings: Ratings, meeting: Meeting, family: Family, time_used: Mapping[str, float]
) -> Iterator[tuple[object, ...]]:
    """The rows of a meeting whose players are rated on one scale."""
    pairs = meeting.players
    levels = ["", *(level_words(pair, pairs) for pair in pairs)] if len(pairs) > 1 else [""]
    for level, of in zip(levels, [pairs, *([pair] for pair in pairs)], strict=False):
        weights = meeting._replace(players=of).weights
        used = [time_used.get(spec.name, math.nan) for pair in of for spec in pair]
        most_used = max((time for time in used if not math.isnan(time)), default=math.nan)
        if (difference := ratings.contrast(weights)) is not None:
            what, measured = meeting[:4], (len(of), most_used, *difference)
            yield (*what, *_terms(of), level, *measured, _agreement(ratings, of), family.shows(weights))


def _agreement(ratings: Ratings, pairs: Sequence[tuple[PlayerSpec, PlayerSpec]]) -> float:
    """The probability of differences so far apart of pairs that have the same; missing for one pair."""
    if len(pairs) < 2:
        return math.nan
    names = [spec.name for pair in pairs for spec in pair]
    differences = np.kron(np.eye(len(pairs)), [1.0, -1.0])
    elo = ratings.table.set_index("player")["elo"].loc[names].to_numpy(float)
    spread = ratings.covariance.loc[names, names].to_numpy(float)
    return agreement(differences @ elo, differences @ spread @ differences.T)


def _terms(pairs: Sequence[tuple[PlayerSpec, PlayerSpec]]) -> tuple[str, str]:
    """The limits that the players of each pair have in common: see `settings.terms_at`."""
    equal = all(limits(player) == limits(other) for player, other in pairs)
    return terms_at([player for player, _ in pairs]) if equal else ("", "")


def _differing(specs: Sequence[PlayerSpec]) -> list[str]:
    all_settings = [settings(spec) for spec in specs]
    excluded = (*LIMITS, "type")
    names = dict.fromkeys(name for of_one in all_settings for name in of_one if name not in excluded)
    return [name for name in names if len({key(of_one.get(name)) for of_one in all_settings}) > 1]


def _words(setting: str, specs: Sequence[PlayerSpec]) -> dict[str, str]:
    """The values of a setting in words, by their `settings.key`: of a file its name, where that is unique.

    A value of one player alone whose name does not say it has that name: "mine (advance)"; one that ends with the
    value, "kings 1.3" for "king 1.3", says it. Values of the same words have the name of their first player.
    """
    having: dict[str, list[PlayerSpec]] = {}
    for spec in specs:
        having.setdefault(key(settings(spec).get(setting)), []).append(spec)
    plain = [settings(players[0]).get(setting, _default(setting, players[0])) for players in having.values()]
    said = words_of(setting, plain)
    whole = words_of(setting, plain, with_name=True)
    words = [f"default {setting}" if value is None else word for value, word in zip(plain, whole, strict=True)]
    texts = {}
    for (value, (first, *others)), word, bare in zip(having.items(), words, said, strict=True):
        is_said = bare in first.name or bare.split()[-1:] == first.name.split()[-1:]
        if not others and not is_said:
            texts[value] = f"{first.name} ({word})"
        else:
            texts[value] = f"{word} ({first.name})" if words.count(word) > 1 else word
    return texts


def _default(setting: str, spec: PlayerSpec) -> object:
    """The value that a built-in player has where nothing is set; None if it is not known."""
    option = options_of(PLAYERS[spec.type]).get(setting) if spec.type in PLAYERS else None
    return None if option is None or option.is_required else option.default


def _meetings(setting: str, specs: Sequence[PlayerSpec], preferred: str) -> list[Meeting]:
    """Every two values at limits of one kind; those of the baseline first, then in the order of the values.

    Of two values the reference is `preferred`, or the one that comes first in the configuration.
    """
    groups: dict[str, dict[str, PlayerSpec]] = {}
    for spec in specs:
        groups.setdefault(without(spec, setting), {})[key(settings(spec).get(setting))] = spec
    values = dict.fromkeys([preferred, *(key(settings(spec).get(setting)) for spec in specs)])
    place = {value: i for i, value in enumerate(values)}
    meeting_players: dict[tuple[str, str, tuple[str, ...]], list[tuple[PlayerSpec, PlayerSpec]]] = {}
    for group in groups.values():
        for reference, value in combinations(sorted(group, key=place.__getitem__), 2):
            pair = (group[value], group[reference])
            meeting_players.setdefault((value, reference, tuple(limits(pair[0]))), []).append(pair)
    baseline: dict[str, str] = {}
    for value, reference, _ in meeting_players:
        baseline[value] = min(reference, baseline.get(value, reference), key=place.__getitem__)
    words = _words(setting, specs)
    ordered = sorted(meeting_players, key=lambda m: (baseline[m[0]] != m[1], place[m[1]], place[m[0]]))
    return [
        Meeting(setting, words[value], words[reference], baseline[value] == reference, meeting_players[met])
        for met in ordered
        for value, reference, _ in [met]
    ]
