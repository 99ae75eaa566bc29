"""The standings, which are also the table of players and what a terminal shows, and the crosstable."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

import pandas as pd
from markupsafe import Markup

from arena.base.number import known, percent, probability
from arena.ratings.interval import Interval
from arena.report.describe import describe
from arena.report.marks import elo_html, player_link, results_bar, scale, whisker
from arena.report.page.blocks import Heading, Table, text_cell
from arena.report.run import Run
from arena.report.tables.catalogue import TABLES
from arena.report.tables.table import EMPTY, Cell, cell
from arena.report.template import wrapping

_OF_SWISS = ("points", "buchholz", "sonneborn_berger")
"""The columns of `Run.order` that place players in a Swiss."""


def standings(run: Run, linked: Collection[str] = ()) -> Table:
    """All players in the order of the format, else by Elo: what each is, Elo, chance of being best, results.

    `linked` are the players whose names lead to pages of their own.
    """
    placed = _placing(run.order)
    table = run.order if len(run.order) else run.standings
    specs = {spec.name: spec for spec in run.data.experiment.players}
    rows = table.to_dict("records")
    intervals = [Interval.of(row, "elo") for row in rows]
    ends = scale(intervals)
    best = dict(zip(run.standings["player"], run.standings.get("best", ()), strict=False))
    head = [Heading("#", "n rank"), Heading("Player", "name")]
    head += [Heading(name, "n" if name in ("Points", "Round") else "n wide") for name in placed]
    head += [
        Heading("Elo", "n elo"),
        Heading("95 % interval", "plot"),
        *([Heading("Best", "n wide")] if best else []),
        Heading("Score", "n wide" if "Points" in placed else "n"),
        Heading("Won, drawn, lost", "results wide"),
    ]
    body = []
    for i, (row, elo) in enumerate(zip(rows, intervals, strict=True)):
        name = row["player"]
        what = describe(specs[name]) if name in specs else ""
        link = player_link(name) if name in linked else wrapping(name)
        drawn = link + (Markup("<small>{}</small>").format(wrapping(what)) if what else Markup())
        games = int(row["games"])
        score = (row["wins"] + row["draws"] / 2) / games if games else None  # which `Run.order` has not
        counts = [int(row[kind]) for kind in ("wins", "draws", "losses")]
        body.append([
            text_cell(str(row.get("place", row.get("rank")))),
            Cell(name, name, drawn),
            *(text_cell(texts[i]) for texts in placed.values()),
            Cell(elo.value, str(elo), elo_html(elo)) if known(elo.value) else EMPTY,
            Cell(None, "", whisker(elo, ends)),
            *([cell(best.get(name), probability(best.get(name)))] if best else []),
            Cell(score, percent(score)),
            Cell(score, " - ".join(map(str, counts)), results_bar(*counts)) if games else EMPTY,
        ])  # fmt: skip
    return Table(head, body, "standings-table")


def _placing(order: pd.DataFrame) -> dict[str, list[str]]:
    """What places players in a format, as texts by heading: of a knockout the round that each has come to."""
    columns = {column.name: column for column in TABLES["order"].columns}

    def texts(name: str) -> list[str]:
        return [columns[name].text(value) for value in order[name]]

    if order.empty:
        return {}
    if "conceded" not in order:
        return {columns[name].heading: texts(name) for name in _OF_SWISS if name in order}
    last = zip(texts("points"), texts("conceded"), texts("opponent"), texts("decided"), strict=True)
    matches = [
        f"{points} : {conceded} against {opponent}" + ("" if decided == "points" else f", {decided}")
        for points, conceded, opponent, decided in last
    ]
    return {"Round": texts("round"), "Last match": matches}


def crosstable(run: Run, linked: Collection[str] = (), *, has_games: bool = False) -> Table:
    """Points of the row's player in per cent against the column's, blue above 50, orange below.

    With `has_games` each figure leads to the games of the two in the viewer.
    """
    cells = TABLES["crosstable"].cells(run.crosstable)
    names = [named.text for named in cells["Player"]]
    head = [Heading("Player", "name"), *(Heading(str(i + 1)) for i in range(len(names)))]
    body = [
        [
            Cell(
                name,
                name,
                (player_link(name) if name in linked else wrapping(name))
                + Markup(" <small>{}</small>").format(i + 1),
            ),
            *(_share(name, other, cells[str(number)].iloc[i], has_games) for number, other in enumerate(names, 1)),
        ]
        for i, name in enumerate(names)
    ]
    return Table(head, body, "crosstable-table")


def _share(name: str, other: str, cell: Cell, has_games: bool) -> Cell:
    share, points = cell.value, cell.text
    if not known(share):
        return EMPTY
    text = f"{100 * share:.0f}"
    strength, side = abs(2 * share - 1), "up" if share >= 0.5 else "down"
    address = f"player={quote(name, safe='')}&opponent={quote(other, safe='')}"
    inside = Markup('<a href="#{}">{}</a>').format(address, text) if has_games else text
    drawn = Markup('<span class="heat {}" style="--s:{:.2f}" title="{} {} against {}">{}</span>').format(
        side, strength, name, points, other, inside
    )
    return Cell(share, text, drawn)
