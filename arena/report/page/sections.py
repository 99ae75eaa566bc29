"""The page of a run as one list of sections, from which its HTML, its navigation and its Markdown follow."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property, partial

from markupsafe import Markup

from arena.base.files import REPORT
from arena.base.number import percent, with_minus
from arena.base.wording import counted, listed
from arena.ratings.errors import BLUNDER, INACCURACY, MISTAKE
from arena.ratings.match import match_summary
from arena.ratings.prior import moved_by_prior
from arena.report.charts.catalogue import CHARTS
from arena.report.charts.style import kinds_of, on_page
from arena.report.marks import game_link
from arena.report.page import markdown_of, page_of
from arena.report.page.blocks import (
    Block,
    Chart,
    Claims,
    Fold,
    Items,
    Raw,
    Section,
    Sortable,
    Text,
    together,
    together_in_markdown,
)
from arena.report.page.player import player_sections
from arena.report.page.standings import crosstable_grid, standings_grid
from arena.report.run import Run
from arena.report.sentences.answer import answering_chart, opening
from arena.report.sentences.cautions import unfinished
from arena.report.sentences.facts import byes, details, facts, first_move, one_scale, placed_by
from arena.report.sentences.grading import cost, solved
from arena.report.tables.ablation import ABLATION
from arena.report.tables.effort import EFFORT_TABLE, EXTRAS
from arena.report.tables.grades import ENDGAME_ERRORS, JUDGED_LOSSES
from arena.report.tables.outcomes import sides, white_points
from arena.report.tables.submissions import SUBMISSIONS
from arena.report.tables.suites import SUITES
from arena.report.tables.table import EMPTY, Cell, Grid, Heading, Style, Table, words
from arena.report.tables.views import NAMED, differences
from arena.rules.game import Termination
from arena.rules.result import pentanomial

_RENEWED = 30
"""Seconds after which a browser loads the page of an unfinished run again."""
_FOLDED = 16
"""Players above which the crosstable is folded."""
_COSTLIEST = ("Where", "Player", "Played", "Better", "Cost")
MOST_PAIRS = 100
"""Pairs of values, and of players, that a page shows; comparisons.csv and crosstable.csv have all."""
NOTHING = Markup()
OF_EXTRAS = (
    "Counted by the players themselves, over the moves that have the number and the games with such a move."
)
EFFORT_NOTES = {
    "nodes_per_second": "Means over all moves; depth and nodes/s over the moves that searched.",
    "seconds_per_move": "Times are of the processor where that is known.",
    "nodes_at_depth": "Nodes at depth: of the moves searched to the limit.",
    "tt_hits": "Table hits: lookups that found the position.",
}
"""What the table of the search effort says below, by the column that it is about."""
OF_VALUES = (
    "The difference of their Elo at equal limits, all else equal, with its 95 % interval; LOS is the likelihood "
    "that the first one is stronger."
)
OF_PLAYERS = (
    "Results are from the view of the first one. The difference in Elo rests on all games of the run, not on "
    "theirs alone."
)
ENDINGS = (
    "Decisions: those in which some move loses value. Errors threw away half a point (?) or a whole one (??). "
    "W→D: wins turned into draws."
)
JUDGED = (
    "Lost: points, 0 to 1, that the judge's score makes expect after the best move, less those after the played "
    f"one. Moves that lost {INACCURACY:g} (?!), {MISTAKE:g} (?) and {BLUNDER:g} points or more (??). Positions of "
    "the endgame tables are not among them."
)


@dataclass
class RunPage:
    """The page of a run: its sections once, as HTML and as Markdown."""

    run: Run
    drawn: Callable[[str], str] | None = None
    """Draws the chart of a name as an SVG text; without it the page has links to files alone."""
    viewer: Markup = NOTHING
    """The part that shows the games."""
    also: Collection[str] = ()
    """What the report has besides, as `arena.report.write` takes it."""
    _placed: set[str] = field(init=False, default_factory=set)
    """The charts that have a place on the page."""

    @property
    def html(self) -> str:
        """The page as one self-contained file, which a browser loads again while the run is unfinished."""
        renewed = _RENEWED if unfinished(self.run) else None
        return page_of(self.sections, self._players[0], renewed)

    @property
    def markdown(self) -> str:
        """The same sections in Markdown."""
        return markdown_of(self.sections)

    @property
    def linked(self) -> Collection[str]:
        """The players that have a page of their own."""
        return self._players[1]

    @cached_property
    def _players(self) -> tuple[Markup, list[str]]:
        """The pages of players, and their names."""
        make = partial(player_sections, self.run, linked=bool(self.viewer))
        part = "Players' pages"
        return self.run.faults.attempt(part, make, None) or (self._fault(part).html(), [])

    def _fault(self, part: str) -> Text:
        """The line of a section that could not be made."""
        return Text(self.run.faults.found[part], "failed")

    def _chart(self, name: str) -> list[Block]:
        """The chart of a name, if the run has it and it has no other place on the page."""
        chart = CHARTS.get(name)
        if chart is None or name in self._placed or not chart.is_of(self.run):
            return []
        self._placed.add(name)
        picture = on_page(self.drawn(name), name, chart.caption) if self.drawn else NOTHING
        return [Chart(name, chart.caption, picture, kinds_of(self.also))]

    @cached_property
    def sections(self) -> list[Section]:
        """All sections, the opening one first."""
        makers: dict[tuple[str, str], Callable[[], list[Block]]] = {
            ("standings", "Standings"): self._standings,
            ("crosstable", "Against each other"): self._crosstable,
            ("submissions", "Submissions"): lambda: _table(self.run, SUBMISSIONS, linked=self.linked),
            ("ablation", "Cost and worth of each change"): self._ablation,
            ("errors", "Errors"): self._errors,
            ("suites", "Suites solved"): self._suites,
            ("effort", "Search effort"): self._effort,
            ("extras", "Custom metrics"): lambda: _table(self.run, EXTRAS, OF_EXTRAS),
            ("games", "Games"): self._games,
            ("details", "Details"): self._details,
        }
        sections = [Section("top", self.run.title, self._written("The answer", self._top))]
        sections += [Section(*named, self._written(named[1], make)) for named, make in makers.items()]
        return [section for section in sections if section.blocks]

    def _written(self, part: str, make: Callable[[], list[Block]]) -> list[Block]:
        """The blocks of a section as they are written, or a line that says that they could not be."""

        def write() -> list[Block]:
            blocks = make()
            return [Raw(together(blocks), together_in_markdown(blocks))] if blocks else []

        written = self.run.faults.attempt(part, write, None)
        return [self._fault(part)] if written is None else written

    def _top(self) -> list[Block]:
        blocks: list[Block] = [Text(facts(self.run), "facts")]
        if self.run.is_one_of_several:
            link = Markup('<p class="note"><a href="../{}">All runs of {}</a></p>').format(REPORT, self.run.name)
            blocks.append(Raw(link))
        first = opening(self.run)
        blocks += [Text(sentence, "first") for sentence in first.unfinished]
        blocks += [Text(words, "failed", player=player, linked=self.linked) for words, player in first.failures]
        blocks += [Claims(first.claims)] if first.claims else []
        if any(claim.interval for claim in first.claims):
            scale, more = "Elo with 95 % intervals; 100 Elo are 64 % of the points.", first.more
            text = " ".join(filter(None, (scale, one_scale(self.run), more.text if more else "")))
            blocks.append(Text(text, "note", code=more.setting if more else ""))
        blocks += self._chart(answering_chart(self.run))
        blocks += [Items(first.cautions, "Worth a look")] if first.cautions else []
        return blocks

    def _standings(self) -> list[Block]:
        zero = f"Elo: {self.run.zero}." if self.run.standings["elo"].notna().any() else ""
        said = (placed_by(self.run), zero, first_move(self.run), byes(self.run), *moved_by_prior(self.run.ratings))
        note = " ".join(filter(None, said))
        return [Sortable(standings_grid(self.run, self.linked), "standings-table"), Text(note, "note")]

    def _crosstable(self) -> list[Block]:
        count = len(self.run.players)
        if count < 3 or not len(self.run.games):
            return []
        table = Sortable(crosstable_grid(self.run, self.linked, has_games=bool(self.viewer)), "crosstable-table")
        note = Raw(Markup('<p class="note">Points of the row&#39;s player in per cent.</p>'))
        is_folded = count > _FOLDED or self.run.experiment.format.type == "gauntlet"  # in which few have met
        return [Fold(f"{count} players", [table]), note] if is_folded else [table, note]

    def _ablation(self) -> list[Block]:
        suite = self.run.experiment.random_suite
        if suite is None:
            return []
        limit = "under its own limit" if suite.depth is None else f"to depth {suite.depth}"
        note = (
            f"Nodes and time of a search {limit}: geometric means over random positions; ratios position by "
            "position. Branching factor: nodes to the power 1/depth."
        )
        return [*_table(self.run, ABLATION, note), *self._chart("ablation")]

    def _errors(self) -> list[Block]:
        run = self.run
        blocks: list[Block] = []
        if len(run.endgame_errors):
            pieces = run.endgame_errors["endgame_pieces"].max()
            blocks.append(Text(f"In endings of up to {pieces} pieces, by endgame tables:"))
            blocks += _table(run, ENDGAME_ERRORS, ENDINGS)
        if len(run.judged_losses):
            blocks.append(Text(f"By the scores of {listed(run.judged_losses['judge'].unique())}:"))
            blocks += _table(run, JUDGED_LOSSES, JUDGED)
        if len(run.costliest_errors):
            blocks += [Text("The costliest errors:"), self._costliest()]
        return [*blocks, *self._chart("errors")]

    def _costliest(self) -> Block:
        rows = []
        for row in self.run.costliest_errors.to_dict("records"):
            game = self.run.ids[row["game"]]
            where = f"Game {game}, ply {row['ply']}"
            link = game_link(game, row["ply"] - 1, where) if self.viewer else None
            said = words((row["player"], f"{row['move']} {row['mark']}", row["best_move"]))
            rows.append([Cell(None, where, link), *said, Cell(row["lost"], cost(row))])
        head = [NAMED if name == "Player" else Heading(name, Style.WORD) for name in _COSTLIEST]
        return Sortable(Grid(head, rows))

    def _effort(self) -> list[Block]:
        effort = self.run.effort
        note = " ".join(sentence for name, sentence in EFFORT_NOTES.items() if effort[name].notna().any())
        return [*_table(self.run, EFFORT_TABLE, note), *self._chart("elo_by_nodes")]

    def _suites(self) -> list[Block]:
        return _table(self.run, SUITES, solved(self.run.suites))

    def _games(self) -> list[Block]:
        if "Games" in self.run.faults.found:
            return [self._fault("Games")]
        return [Raw(self.viewer)] if self.viewer else []

    def _details(self) -> list[Block]:
        run = self.run
        folds = [
            Fold("Each pairing", _pairings(run)),
            Fold("How games ended", _endings(run)),
            Fold("Match statistics", _match(run)),
            Fold("Further charts", [block for name in CHARTS for block in self._chart(name)]),
            Fold("Versions and machine", _machine(run)),
        ]
        return [fold for fold in folds if fold.blocks]


def _table(run: Run, table: Table, note: str = "", linked: Collection[str] = ()) -> list[Block]:
    """A table of the run with a note below it; nothing without rows."""
    frame = getattr(run, table.name)
    if frame.empty:
        return []
    return [Sortable(table.grid(frame), f"{table.name}-table", linked), *([Text(note, "note")] if note else [])]


def _pairings(run: Run) -> list[Block]:
    """The difference of every two values of a setting, and the results of every two players that met."""
    blocks: list[Block] = []
    if len(run.comparisons) > 1:
        every = run.comparisons[["setting", "value", "reference"]].drop_duplicates()
        shown = run.comparisons.merge(every.head(MOST_PAIRS))
        blocks += [
            Text(OF_VALUES, label="Every two values of a setting."),
            Sortable(differences(shown, pairs=True)),
        ]
    place = {name: place for place, name in enumerate(run.placed)}
    games = sides(run.games)
    games = games.assign(player=games["player"].map(place), opponent=games["opponent"].map(place))
    met = games[games["player"] < games["opponent"]].groupby(["player", "opponent"])["points"].agg(list)
    rows = []
    for row in met.head(MOST_PAIRS).reset_index().to_dict("records"):
        name, other, points = run.placed[row["player"]], run.placed[row["opponent"]], row["points"]
        difference = run.ratings.contrast({name: 1.0, other: -1.0})
        results = " - ".join(str(points.count(result)) for result in (1.0, 0.5, 0.0))
        elo = Cell(difference.value, str(difference)) if difference else EMPTY
        score = Cell(sum(points) / len(points), results)
        rows.append([*words((name, other)), score, elo])
    if rows:
        head = [NAMED, Heading("Against", Style.NAME), Heading("Won, drawn, lost"), Heading("Rated difference")]
        blocks += [Text(OF_PLAYERS, label="Every two players that met.")] if len(run.players) > 2 else []
        blocks.append(Sortable(Grid(head, rows)))
    if len(met) > MOST_PAIRS:
        blocks.append(Text(f"The first {MOST_PAIRS} of {len(met):,} pairings; crosstable.csv has all.", "note"))
    return blocks


def _endings(run: Run) -> list[Block]:
    """Terminations, and the sentences on the games that few need."""
    if not len(run.terminations):
        return []
    table = run.terminations
    grid = Grid.of(
        [
            (Heading("Ended by", Style.WORD), words(Termination(ended).words for ended in table["termination"])),
            (Heading("Games"), [Cell(games, f"{games:,}") for games in table["games"]]),
            (Heading("Share"), [Cell(share, percent(share)) for share in table["share"]]),
        ]
    )
    said = details(run)
    return [Sortable(grid), *([Items(said)] if said else [])]


def _match(run: Run) -> list[Block]:
    """Of two players: pairs by their points, Elo and normalized Elo of the pairs alone, and the test's ratio."""
    if len(run.players) != 2 or not len(run.games):
        return []
    name = run.players[0]
    points = white_points(run.games)
    of_name = points.where(run.games["white"] == name, 1 - points)
    pairs = of_name.groupby(run.games["pair"]).agg(["sum", "size"])
    counts = pentanomial(pairs.loc[pairs["size"] == 2, "sum"])
    if not sum(counts):
        return []
    match = match_summary(counts)
    lines = [
        f"Pairs of games in which {name} scored 0, ½, 1, 1½ and 2 points: {', '.join(map(str, counts))}.",
        f"Elo of the pairs alone: {match.elo}; normalized Elo: {match.nelo}. The interval of the "
        "standings also allows for the first move, for how few pairs there are, and for a prior.",
    ]
    if len(run.sprt):
        last = run.sprt.iloc[-1]
        llr, lower, upper = (with_minus(f"{last[name]:.2f}") for name in ("llr", "lower", "upper"))
        lines.append(f"LLR {llr}, between {lower} and {upper}.")
    return [Items(lines)]


def _machine(run: Run) -> list[Block]:
    """The seed, the versions, and the machine of the run."""
    machine = ", ".join(
        counted(value, "core") if name == "cores" else str(value)
        for name, value in run.info.machine.items()
        if value
    )
    versions = ", ".join(f"{name} {version}" for name, version in run.info.versions.items() if version)
    lines = [line for line in (f"Seed {run.experiment.seed}. {versions}", machine) if line]
    return [Raw(Markup('<p class="note">{}</p>').format(". ".join(lines)))]
