"""What the page of a run shows; `run.jinja` has it in its order."""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property, partial
from typing import Any

from markupsafe import Markup

from arena.base.files import REPORT
from arena.base.number import with_minus
from arena.base.wording import counted
from arena.ratings.errors import BLUNDER, INACCURACY, MISTAKE
from arena.ratings.match import normalized_elo
from arena.ratings.results import match_counts
from arena.report.charts.catalogue import answering_chart, charts
from arena.report.charts.style import Chart, kinds_of
from arena.report.markup import game_link
from arena.report.page import Contents, html_of, markdown_of, parts
from arena.report.page.player import NOTHING, player_sections
from arena.report.page.standings import crosstable_grid, standings_grid
from arena.report.replay import replay_element
from arena.report.run import Run
from arena.report.sentences.answer import Opening, opening
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import byes, cost, details, facts, first_move, placed_by, unsolved
from arena.report.tables.grades import with_points
from arena.report.tables.table import NAMED, Cell, Grid, Heading, Style, words
from arena.report.tables.views import differences, disagreeing, grid
from arena.rules.pdn.write import Spelling

_RENEWED = 30
"""Seconds after which a browser loads the page of an unfinished run again."""
_MOST_CROSSED = 16
"""Players of a crosstable on a page; pairings.csv has all."""
_MOST_PAIRS = 100
"""Pairs of values that a page shows; comparisons.csv has all."""


class RunPage(Contents):
    """What the page of a run shows, by the names in its template, `run.jinja`."""

    def __init__(self, run: Run, viewer: Markup = NOTHING, also: Collection[str] = ()) -> None:
        """`viewer` shows the games; `also` is what the report has besides, as `arena.report.write` takes it."""
        super().__init__(run.faults)
        self.run, self.viewer, self.also = run, viewer, also

    @property
    def html(self) -> str:
        """The page as one self-contained file, which a browser loads again while the run is unfinished."""
        renewed = _RENEWED if unfinished(self.run) else None
        after = self._players[0] + self.replay
        return html_of("run.jinja", self.run.title, after=after, renewed=renewed, **self._given())

    @cached_property
    def replay(self) -> Markup:
        """What plays the run again."""
        return replay_element(self.run.data, self.run.folder)

    @property
    def markdown(self) -> str:
        """The same in Markdown."""
        return markdown_of("run.jinja", self.run.title, **self._given())

    def _given(self) -> dict[str, Any]:
        self.sections.clear()
        self._placed = set[str]()  # the charts that have a place on the page
        return {
            "page": self,
            "kinds": kinds_of(self.also),
            "run": self.run,
            "linked": self._players[1],
            "facts": facts,
            "answering_chart": answering_chart,
            "unsolved": unsolved,
            "details": details,
            "REPORT": REPORT,
            "MARKS": (INACCURACY, MISTAKE, BLUNDER),
        }

    @cached_property
    def _players(self) -> tuple[Markup, list[str]]:
        """The pages of players, and their names; where they fail, the line that says so."""
        part, make = "Players' pages", partial(player_sections, self.run, linked=bool(self.viewer))
        made = self.faults.attempt(part, make, (NOTHING, []))
        return (parts("html").text(self.faults.found[part], "failed"), []) if part in self.faults.found else made

    @cached_property
    def charts(self) -> dict[str, Chart]:
        """The charts of the run by name."""
        return charts(self.run)

    def chart(self, name: str) -> Chart | None:
        """The chart of a name, if the run has it and it has no other place on the page."""
        chart = None if name in self._placed else self.charts.get(name)
        self._placed.add(name)
        return chart

    def further_charts(self) -> list[Chart]:
        """The charts without another place."""
        return [chart for name in self.charts if (chart := self.chart(name))]

    def table(self, name: str) -> Grid | None:
        """What people read of the table of a name; None of one without rows."""
        frame = getattr(self.run, name)
        return None if frame.empty else grid(name, frame)

    # the opening

    @cached_property
    def opening(self) -> Opening:
        """What is said first."""
        return opening(self.run)

    @property
    def levels(self) -> Grid | None:
        """The differences at each level, where some do not agree."""
        table = self.run.comparisons[self.run.comparisons["baseline"].astype(bool)]
        apart = disagreeing(table)[["setting", "terms"]].drop_duplicates()
        return differences(table.merge(apart)) if len(apart) else None

    # the players

    @property
    def standings(self) -> Grid:
        """All players."""
        return standings_grid(self.run, self._players[1])

    @property
    def standings_note(self) -> str:
        """How to read the standings."""
        run = self.run
        zero = f"Elo: {run.zero}." if run.standings["elo"].notna().any() else ""
        sentences = (placed_by(run), zero, first_move(run), byes(run), run.ratings.notes.get("by prior"))
        return " ".join(filter(None, sentences))

    @cached_property
    def crosstable(self) -> Grid | None:
        """The points of every two players, where there are three or more, and a page has room for them."""
        if not 3 <= len(self.run.players) <= _MOST_CROSSED or not len(self.run.games):
            return None
        return crosstable_grid(self.run, self._players[1], has_games=bool(self.viewer))

    # effort and errors

    @cached_property
    def costliest(self) -> Grid | None:
        """The costliest errors, each with a link to its game."""
        table, spelt = with_points(self.run.costliest_errors), Spelling.of(self.run.experiment.rule_set)
        if table.empty:
            return None
        where, played, costs = [], [], []
        for row in table.to_dict("records"):
            id, ply = self.run.ids[row["game"]], row["ply"]
            text = f"Game {id}, ply {ply}"
            where.append(Cell(None, text, game_link(id, ply - 1, text) if self.viewer else None))
            played.append(f"{spelt.move(row['move'])} {row['mark']}")
            costs.append(Cell(row["lost"], cost(row)))
        return Grid.of(
            (Heading("Where", Style.WORD), where),
            (NAMED, words(table["player"])),
            (Heading("Played", Style.WORD), words(played)),
            (Heading("Better", Style.WORD), words(map(spelt.move, table["best_move"]))),
            (Heading("Cost", Style.WORD), costs),
        )

    # details

    @cached_property
    def differences(self) -> Grid | None:
        """The difference of every two values of a setting, where there are more than one."""
        table = self.run.comparisons
        if len(table) < 2:
            return None
        every = table[["setting", "value", "reference"]].drop_duplicates()
        return differences(table.merge(every.head(_MOST_PAIRS)), pairs=True)

    @property
    def match(self) -> list[str]:
        """Of two players: pairs by their points, their normalized Elo, and the test's ratio."""
        run = self.run
        if len(run.players) != 2 or not len(run.games):
            return []
        name = run.experiment.players[0].name
        counts, _ = match_counts(run.games.assign(source=0, count=1), name)
        if len(counts) != 5:
            return []
        lines = [
            f"Pairs of games in which {name} scored 0, ½, 1, 1½ and 2 points: {', '.join(map(str, counts))}. "
            f"Normalized Elo: {normalized_elo(counts)}."
        ]
        llr = [with_minus(f"{value:.2f}") for value in run.sprt[["llr", "lower", "upper"]].tail(1).to_numpy().flat]
        return lines + (["LLR {} (bounds {} and {}).".format(*llr)] if llr else [])

    @property
    def machine(self) -> str:
        """The seed, the versions, and the machine of the run."""
        run = self.run
        machine = ", ".join(
            counted(value, "core") if name == "cores" else str(value)
            for name, value in run.info.machine.items()
            if value
        )
        versions = ", ".join(f"{name} {version}" for name, version in run.info.versions.items() if version)
        versions += f", commit {run.info.commit}" if run.info.commit else ""
        lines = [line for line in (f"Seed {run.experiment.seed}. {versions}", machine) if line]
        return ". ".join(lines)
