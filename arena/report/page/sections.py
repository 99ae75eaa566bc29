"""The page of a run as one list of sections, from which its HTML, its navigation and its Markdown follow."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from itertools import islice
from types import MappingProxyType
from typing import Any

from markupsafe import Markup

from arena.base.number import percent
from arena.base.wording import counted, listed
from arena.ratings.match import summary
from arena.report.charts.catalogue import charts_of
from arena.report.page.blocks import (
    Answer,
    Block,
    Chart,
    Charts,
    Fold,
    Heading,
    Items,
    Raw,
    Section,
    Table,
    Text,
    file_list,
    text_cell,
)
from arena.report.page.standings import crosstable, standings
from arena.report.run import Run
from arena.report.sentences.answer import answer, answering_chart
from arena.report.sentences.cautions import cautions, failures, unfinished
from arena.report.sentences.facts import details, facts, first_move, to_know_more
from arena.report.sentences.grading import costliest, judged, solved
from arena.report.tables.catalogue import TABLES
from arena.report.tables.outcomes import white_points
from arena.report.tables.table import EMPTY, Cell
from arena.report.tables.views import comparisons as comparison_cells
from arena.report.tables.views import strata
from arena.rules.game import Termination
from arena.rules.result import pentanomial

FOLDED = 16
"""Players above which the crosstable is folded."""
MOST_PAIRS = 100
"""Pairs of values, and of players, that a page shows; comparisons.csv and crosstable.csv have all."""
_CHARTS = {
    "ablation": ("ablation",),
    "errors": ("errors", "errors_by_depth", "errors_by_nodes"),
    "suites": ("solved", "solved_2"),
    "effort": ("nodes", "time"),
}
"""The charts of sections; the others stand in the last one."""
NOTHING = Markup()
NO_PICTURES: Mapping[str, str] = MappingProxyType({})


class RunPage:
    """The sections of a run's page, with its charts as SVG texts by name and the part that shows its games."""

    def __init__(
        self,
        run: Run,
        pictures: Mapping[str, str] = NO_PICTURES,
        viewer: Markup = NOTHING,
        kinds: Sequence[str] = ("svg",),
        files: Sequence[tuple[str, str]] = (),
        linked: Collection[str] = (),
    ) -> None:
        """`kinds` are the suffixes of the charts' files, `files` names and contents of the others, `linked` the
        players that have a page of their own."""
        self.run, self.viewer, self.files, self.linked = run, viewer, files, linked
        self.charts = {
            chart.name: Chart(chart.name, chart.caption, pictures.get(chart.name, ""), kinds)
            for chart in charts_of(run)
        }

    def sections(self) -> list[Section]:
        """All sections, the opening one first."""
        run = self.run
        every: list[Section] = [
            Section("top", run.name, self._top()),
            Section("standings", "Standings", self._standings()),
            Section("crosstable", "Against each other", self._crosstable()),
            Section("submissions", "Submissions", _table(run, "submissions", linked=self.linked)),
            Section("ablation", "Cost and worth of each change", self._ablation()),
            Section("errors", "Errors", self._errors()),
            Section("suites", "Suites solved", self._suites()),
            Section("effort", "Search effort", self._effort()),
            Section("extras", "Custom metrics", _table(run, "extras", EXTRAS)),
            Section("games", "Games", [Raw(self.viewer)] if self.viewer else []),
            Section("details", "Details", self._details()),
        ]
        return [section for section in every if section.blocks]

    def _top(self) -> list[Block]:
        run, claims = self.run, answer(self.run)
        blocks: list[Block] = [Text(facts(run), "facts")]
        blocks += [Text(sentence, "first") for sentence in unfinished(run)]
        blocks += [Text(sentence, "failed", player=self._outside(sentence)) for sentence in failures(run)]
        blocks += [Answer(claims)] if claims else []
        if any(claim.difference for claim in claims):
            more, code = to_know_more(run, claims)
            blocks.append(
                Text(f"Elo with 95 % intervals; 100 Elo are 64 % of the points. {more}".strip(), "note", code=code)
            )
        if (name := answering_chart(run)) in self.charts:
            blocks.append(self.charts.pop(name))
        found = cautions(run)
        if len(found) == 1:
            blocks.append(Text(found[0], "note", "Worth a look."))
        elif found:
            blocks.append(Items(found, "Worth a look"))
        return blocks

    def _outside(self, sentence: str) -> str:
        """The player outside the standings that a sentence is of, if it has a page; "" for none."""
        names = [name for name in (*self.run.data.disqualified, *self.run.info.left_out) if name in self.linked]
        return max((name for name in names if sentence.startswith(f"{name} was ")), key=len, default="")

    def _standings(self) -> list[Block]:
        of_zero = f"Elo: {self.run.zero}." if len(self.run.games) else ""
        return [standings(self.run, self.linked), Text(f"{of_zero} {first_move(self.run)}".strip(), "note")]

    def _crosstable(self) -> list[Block]:
        count = len(self.run.players)
        if count < 3 or not len(self.run.games):
            return []
        table = crosstable(self.run, self.linked, has_games=bool(self.viewer))
        note = Text("Points of the row's player in per cent.", "note")
        return [Fold(f"{count} players", [table]), note] if count > FOLDED else [table, note]

    def _ablation(self) -> list[Block]:
        run = self.run
        if not len(run.ablation) or run.experiment.probe is None:
            return []
        depth = run.experiment.probe.depth
        note = (
            f"Nodes and time to depth {depth}: geometric means over the positions that the player searched to it; "
            f"ratios position by position. Branching factor: nodes to the power 1/{depth}."
        )
        return [Table.of(TABLES["ablation"].cells(run.ablation)), Text(note, "note"), *self._of("ablation")]

    def _errors(self) -> list[Block]:
        run = self.run
        blocks: list[Block] = []
        if len(run.endgame_errors):
            pieces = run.endgame_errors["endgame_pieces"].max()
            blocks += [Text(f"In endings of up to {pieces} pieces, by endgame tables:", "lead")]
            blocks += [*_table(run, "endgame_errors", ENDINGS)]
        if len(run.judged_losses):
            blocks += [Text(f"By the scores of {listed(run.judges['judge'])}:", "lead")]
            blocks += [
                Table.of(TABLES["judged_losses"].cells(run.judged_losses)),
                Text(judged(run.judges), "note"),
            ]
        if len(run.costliest_errors):
            blocks += [
                Text("The costliest errors:", "lead"),
                Raw(*costliest(run.costliest_errors, bool(self.viewer))),
            ]
        return [*blocks, *self._of("errors")] if blocks else []

    def _suites(self) -> list[Block]:
        run = self.run
        if not len(run.suites):
            return []
        by_stratum = strata(run.suites).items()
        folds = [Fold(f"{suite} by stratum", [Table.of(cells)]) for suite, cells in by_stratum]
        return [*_table(run, "suites", solved(run.suites)), *self._of("suites"), *folds]

    def _effort(self) -> list[Block]:
        table = _table(self.run, "effort", EFFORT)
        return [*table, *self._of("effort")] if table else []

    def _of(self, section: str) -> list[Block]:
        """The charts of a section, side by side."""
        charts = [self.charts.pop(name) for name in _CHARTS[section] if name in self.charts]
        return [Charts(charts)] if charts else []

    def _details(self) -> list[Block]:
        run = self.run
        folds = [
            Fold("Each pairing", _pairings(run)),
            Fold("How games ended", _endings(run)),
            Fold("Match statistics", _match(run)),
            Fold("Further charts", [*self.charts.values()]),
            Fold("Configuration, versions and machine", [Raw(_configuration(run))]),
            Fold("Files", [file_list(self.files)] if self.files else []),
        ]
        return [fold for fold in folds if fold.blocks]


EXTRAS = "Counted by the players themselves, over the moves that have the number and the games with such a move."
EFFORT = (
    "Means over all moves; depth and nodes/s over the moves that searched, nodes at depth over those searched to "
    "the limit. Times are of the processor where that is known. Table hits: lookups that found the position."
)
ENDINGS = (
    "Decisions: those in which some move loses value. Errors threw away half a point (?) or a whole one (??). "
    "Skill: 1 less the errors over those of random choice in the same positions. W→D: wins turned into draws. "
    "Converted and held: of the games won or drawn for the player in the first position of the tables. "
    "Extra plies: beyond the quickest win."
)


def _table(run: Run, name: str, note: str = "", linked: Collection[str] = ()) -> list[Block]:
    """A table of the run with a note below it; nothing without rows."""
    table = TABLES[name].cells(getattr(run, name))
    return [Table.of(table, linked=linked), *([Text(note, "note")] if note else [])] if len(table) else []


def _pairings(run: Run) -> list[Block]:
    """The difference of every two values of a setting, and the results of every two players."""
    blocks: list[Block] = []
    if len(run.comparisons) > 1:
        every = run.comparisons[["setting", "value", "reference"]].drop_duplicates()
        shown = run.comparisons.merge(every.head(MOST_PAIRS))
        blocks.append(Table.of(comparison_cells(shown, pairs=True)))
    met, rows = _met(run), []
    for (name, other), points in islice(met.items(), MOST_PAIRS):
        difference = run.ratings.contrast({name: 1.0, other: -1.0})
        results = " - ".join(str(points.count(result)) for result in (1.0, 0.5, 0.0))
        elo = Cell(difference.value, str(difference)) if difference else EMPTY
        rows.append([Cell(name, name), Cell(other, other), Cell(sum(points) / len(points), results), elo])
    head = [
        Heading("Player", "name"),
        Heading("Against", "word"),
        Heading("Won, drawn, lost"),
        Heading("Elo difference"),
    ]
    blocks += [Table(head, rows)] if rows else []
    if len(met) > MOST_PAIRS:
        blocks.append(Text(f"The first {MOST_PAIRS} of {len(met):,} pairings; crosstable.csv has all.", "note"))
    return blocks


def _met(run: Run) -> dict[tuple[str, str], list[float]]:
    """The points of the first of every two players that met, game by game, in the order of the standings."""
    place = {name: place for place, name in enumerate(run.placed)}
    games = run.games.assign(points=white_points(run.games))
    met: dict[tuple[str, str], list[float]] = {}
    for (white, black), points in games.groupby(["white", "black"], observed=True)["points"]:
        pair, of_white = (str(white), str(black)), points.tolist()
        if place[pair[0]] < place[pair[1]]:
            met.setdefault(pair, []).extend(of_white)
        else:
            met.setdefault(pair[::-1], []).extend(1 - each for each in of_white)
    return dict(sorted(met.items(), key=lambda item: (place[item[0][0]], place[item[0][1]])))


def _endings(run: Run) -> list[Block]:
    """Terminations, and the sentences on the games that few need."""
    rows = [
        [
            text_cell(Termination(row["termination"]).words),
            Cell(row["games"], f"{row['games']:,}"),
            Cell(row["share"], percent(row["share"])),
        ]
        for row in run.terminations.to_dict("records")
    ]
    if not rows:
        return []
    head = [Heading("Ended by", "name"), Heading("Games"), Heading("Share")]
    said = details(run)
    return [Table(head, rows), *([Items(said)] if said else [])]


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
    found = summary(counts)
    lines = [
        f"Pairs of games in which {name} scored 0, ½, 1, 1½ and 2 points: {', '.join(map(str, counts))}.",
        f"Elo of the pairs alone: {found.elo}; normalized Elo: {found.nelo}.",
    ]
    if len(run.sprt):
        last = run.sprt.iloc[-1]
        lines.append(
            f"LLR {last['llr']:.2f}, between {last['lower']:.2f} and {last['upper']:.2f}.".replace("-", "−")
        )
    return [Items(lines)]


def _configuration(run: Run) -> Markup:
    document: dict[str, Any] = run.data.experiment.as_dict()
    if run.data.published is not None:  # the order of the file tells who they are
        document["players"].sort(key=lambda entry: (len(entry["name"]), entry["name"]))
    text = json.dumps(document, indent=2, ensure_ascii=False, default=str)
    machine = ", ".join(
        counted(value, "core") if name == "cores" else str(value)
        for name, value in run.info.machine.items()
        if value
    )
    versions = ", ".join(f"{name} {version}" for name, version in run.info.versions.items() if version)
    lines = [line for line in (f"Seed {run.experiment.seed}. {versions}", machine) if line]
    return Markup('<p class="note">{}</p><pre>{}</pre>').format(". ".join(lines), text)
