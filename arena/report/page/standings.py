"""The standings, which are also the table of players and what a terminal shows, and the crosstable."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from arena.base.number import known, percent, probability
from arena.ratings.interval import Interval
from arena.report.describe import describe
from arena.report.markup import elo_html, player_html, results_bar, scale, whisker, wrapping
from arena.report.run import Run
from arena.report.tables.table import EMPTY, NAMED, Cell, Column, Grid, Heading, Style, cell, plain

_CERTAIN = 0.95
"""Probability of being the best from which on the leader is so for certain."""


def standings_grid(run: Run, linked: Collection[str] = (), file: str = "") -> Grid:
    """All players in the order of the format, else by Elo: what each is, Elo, chance of being best, results.

    `linked` are the players whose names lead to pages of their own, in another `file` or this one. Of one that is
    withdrawn stands why: on a page below its name, elsewhere in place of its results.
    """
    out = {name: f"withdrawn, as {why}" for name, why in run.data.withdrawn.items()}
    what = {spec.name: out.get(spec.name) or describe(spec) for spec in run.data.experiment.players}
    named = [_named(name, what.get(name, ""), linked, file) for name in run.standings["player"]]
    return rated(run.standings, named, _placing(run.standings), out)


def rated(
    table: pd.DataFrame,
    named: Sequence[Cell],
    placing: Sequence[tuple[Heading, list[Cell]]] = (),
    out: Mapping[str, str] = MappingProxyType({}),
) -> Grid:
    """The standings of a table with Elo and results; `placing` decided who is before whom.

    `out` says why players are withdrawn. With three players or more, each has the probability of being the best,
    unless the leader is so for certain.
    """
    rows = table.to_dict("records")
    elo = [Interval.of(row, "elo") for row in rows]
    ends = scale(elo)
    results = [tuple(int(row[kind]) for kind in ("wins", "draws", "losses")) for row in rows]
    scores = [_score(*counts) for counts in results]
    why = [out.get(name, "") for name in table["player"]]
    heading, chance = ("Best", "best") if "best" in table else ("LOS", "los")
    is_shown = chance in table and not (chance == "best" and table["best"].max() >= _CERTAIN)
    chances = [cell(row[chance], probability(row[chance])) for row in rows] if is_shown else []
    return Grid.of(
        (Heading("#", Style.RANK), [cell(rank, plain(rank)) for rank in table["rank"]]),
        (NAMED, named),
        *placing,
        (Heading("Elo", Style.ELO), list(map(_elo, elo, table["by_prior"]))),
        (Heading("95 % interval", Style.PLOT), [Cell(None, "", whisker(each, ends)) for each in elo]),
        *([(Heading(heading, is_wide=True), chances)] if chances else []),
        (Heading("Score", is_wide=bool(placing)), [Cell(score, percent(score)) for score in scores]),
        (Heading("Won, drawn, lost", Style.RESULTS, is_wide=True), list(map(_results, results, why))),
    )


def _elo(elo: Interval, by_prior: bool) -> Cell:
    mark = " *" if by_prior else ""
    return Cell(elo.value, f"{elo}{mark}", elo_html(elo) + mark) if known(elo.value) else EMPTY


def _named(name: str, what: str, linked: Collection[str], file: str) -> Cell:
    below = Markup("<small>{}</small>").format(wrapping(what)) if what else Markup()
    return Cell(name, name, player_html(name, linked, file) + below)


def _score(won: int, drawn: int, lost: int) -> float | None:
    games = won + drawn + lost
    return (won + drawn / 2) / games if games else None


def _results(counts: tuple[int, ...], why: str) -> Cell:
    if (score := _score(*counts)) is None:
        return Cell(None, why, Markup())
    return Cell(score, " - ".join(map(str, counts)), results_bar(*counts))


def _placing(table: pd.DataFrame) -> list[tuple[Heading, list[Cell]]]:
    """What places players in a format: of a knockout the round that each has come to."""
    if "round" in table:
        matches = [_match(row) for row in table.to_dict("records")]
        rounds = Column("round", Heading("Round"), plain)
        return [(rounds.heading, rounds.cells(table)), (Heading("Last match", Style.WORD, is_wide=True), matches)]
    names = {"points": "Points", "buchholz": "Buchholz", "sonneborn_berger": "Sonneborn-Berger"}
    shown = [Column(name, Heading(text, is_wide=name != "points"), plain) for name, text in names.items()]
    return [(column.heading, column.cells(table)) for column in shown if column.name in table]


def _match(row: Mapping[Any, Any]) -> Cell:
    if not known(row["round"]):
        return EMPTY
    by_seed = ", level, by seed" if row["decided"] == "seed" else ""
    against = f" against {row['opponent']}" if row["opponent"] else ""
    return Cell(row["points"], f"{plain(row['points'])} : {plain(row['conceded'])}{against}{by_seed}")


def crosstable_grid(run: Run, linked: Collection[str] = (), *, has_games: bool = False) -> Grid:
    """Points of the row's player against the column's; a page has per cent, blue above 50, orange below.

    With `has_games` each figure leads to the games of the two in the viewer.
    """
    points: dict[tuple[str, str], tuple[float, int]] = {}
    for row in run.pairings.to_dict("records"):
        name, other, games = row["player"], row["opponent"], row["games"]
        points[name, other] = row["points"], games
        points[other, name] = games - row["points"], games
    numbered = [
        Cell(name, f"{number} {name}", player_html(name, linked) + Markup(" <small>{}</small>").format(number))
        for number, name in enumerate(run.placed, 1)
    ]
    columns = [(NAMED, numbered)]
    for number, other in enumerate(run.placed, 1):
        cells = [_share(name, other, *points.get((name, other), (0, 0)), has_games) for name in run.placed]
        columns.append((Heading(str(number)), cells))
    return Grid.of(*columns)


def _share(name: str, other: str, points: float, games: int, has_games: bool) -> Cell:
    if not games:
        return EMPTY
    share, score, text = points / games, f"{points:g}/{games}", f"{100 * points / games:.0f}"
    strength, side = abs(2 * share - 1), "up" if share >= 0.5 else "down"
    address = f"player={quote(name, safe='')}&opponent={quote(other, safe='')}"
    inside = Markup('<a href="#{}">{}</a>').format(address, text) if has_games else text
    drawn = Markup('<span class="heat {}" style="--s:{:.2f}" title="{} {} against {}">{}</span>').format(
        side, strength, name, score, other, inside
    )
    return Cell(share, score, drawn)
