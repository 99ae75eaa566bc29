"""A page for each player: inside the report's file, shown when the address names it, and as a sheet of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Any

import pandas as pd
from markupsafe import Markup

from arena.base.number import known, percent
from arena.base.wording import counted, listed
from arena.ledger.record import Failure
from arena.ratings.interval import Interval
from arena.report.describe import describe
from arena.report.marks import anchor, elo_html, game_link, results_bar
from arena.report.page.blocks import Block, Raw, Row, Section, Sortable, Text, together
from arena.report.run import Run
from arena.report.sentences.facts import without_games
from arena.report.sentences.grading import cost
from arena.report.tables.outcomes import sides
from arena.report.tables.submissions import (
    failed_games,
    failure_words,
    findings,
    first_mistake,
    notices,
    without_paths,
)
from arena.report.tables.table import Cell, Grid, Heading, Style, words
from arena.report.tables.views import NAMED
from arena.report.template import wrapping
from arena.rules.board import Board
from arena.rules.game import Termination
from arena.rules.move_text import square_numbers
from arena.rules.notation import fen
from arena.rules.played import PlayedGame, replayed
from players.finding import Finding
from players.loading import own_code

_CHARACTERS = 500_000
"""Characters of a report's page that the pages of players take, at most."""
ERRORS, FAILURES, LOST = 3, 5, 40
"""Errors, kinds of failures, and lost games that a player's page shows, at most."""
CHARACTERS_OF_EVIDENCE = 3000
"""Characters of a traceback and of what a player printed, the last ones."""
BOARDS = 60
"""Boards of errors in a report's page, at most; each player has one."""
REMEDIES = {
    Termination.TIME: "It took longer than its limit: search less, or look at the clock more often.",
    Termination.ILLEGAL_MOVE: "Return one of game.legal_moves; a capture must be taken.",
    Termination.ERROR: "Play the game's moves with its code to see the error.",
}
"""What to do about a failure, by its kind."""
BUSY = "The machine was busy, or the limit is close to the cost of a move: fewer workers, or a longer limit."
"""What to do where a built-in player is late."""


class PlayerPages:
    """The pages of some players of a run; what they have in common is computed once."""

    def __init__(self, run: Run, players: Collection[str], boards: int = ERRORS) -> None:
        """A page has so many `boards` of errors, at most."""
        self.run, self.players = run, players
        self.specs = {spec.name: spec for spec in run.data.experiment.players}
        self.rated = run.standings.set_index("player")
        games = sides(run.games, ["game", "id", "plies", "termination"]).sort_values("game", kind="stable")
        self.no_games, self.games = games.head(0), dict(iter(games.groupby("player", sort=False)))
        graded = run.grades[(run.grades["mark"] != "") & run.grades["player"].isin(players)]
        graded = graded.sort_values(["lost", "game"], ascending=[False, True])
        self.errors = graded.groupby("player", sort=False).head(boards)
        self.failed = _by_kind(failed_games(run))

    def blocks(self, name: str, called: Callable[[str], str] = str, linked: bool = False) -> list[Block]:
        """The page of a player, in which `called` gives the names of others.

        Games are `linked` where the page has them.
        """
        games = self.games.get(name, self.no_games)
        what = describe(self.specs[name]) if name in self.specs else self.run.info.left_out.get(name, "")
        found = findings(self.run, name, called)
        mistake = first_mistake(found) if name in self.run.info.left_out else None
        first = [finding for finding in found if finding is mistake or not (mistake or finding.place)]
        said = [f"{text[0].upper()}{text[1:]}" for text in notices(self.run, name, first)]
        notes = [Text(f"{text}.", "note") for text in said]
        blocks: list[Block] = [Text(what, "facts"), *notes]
        if len(games):
            zero = self.run.zero_called(called)
            blocks += [self._strength(name, games, zero), *self._points(name)]
            blocks.append(_opponents(games, self.run.placed, called))
        return [
            *blocks,
            *self._failures(name, len(games)),
            *_evidence(found, first),
            *self._errors(name, called, linked),
            *(_lost_games(games, called) if linked else []),
        ]

    def _strength(self, name: str, games: pd.DataFrame, zero: str) -> Block:
        elo = Interval.of(self.rated.loc[name], "elo") if name in self.rated.index else None
        won, drawn, lost = (int((games["points"] == points).sum()) for points in (1, 0.5, 0))
        place = f"place {self.run.placed.index(name) + 1} of {len(self.run.placed)}"
        score = f"{percent(games['points'].mean())} of {counted(len(games), 'game')}"
        parts = [f"{place} ·", results_bar(won, drawn, lost), score]
        if elo and known(elo.value):
            parts.insert(0, Markup("{} Elo ({}),").format(elo_html(elo), zero))
        return Raw(Markup('<p class="strength">{}</p>').format(Markup(" ").join(parts)))

    def _points(self, name: str) -> list[Block]:
        """The points of a Swiss by which the player has its place, and what decides between equal ones."""
        if "buchholz" not in self.rated or name not in self.rated.index:
            return []
        row: dict[Any, Any] = self.rated.loc[name].to_dict()
        played = row["wins"] + row["draws"] / 2
        of_games = f"{played:g} in {counted(row['games'], 'game')}"
        free = without_games(row, self.run.experiment.format.pairs_of_pairing(0))
        sums = f"Buchholz {row['buchholz']:.4g}, Sonneborn-Berger {row['sonneborn_berger']:.4g}"
        points = f"{row['points']:.4g} points: {listed([of_games, *free])}" if free else f"Points: {of_games}"
        return [Text(f"{points}. {sums}.")]

    def _failures(self, name: str, games: int) -> list[Block]:
        """What failed, how to see it again, and what to do about it: a paragraph for failures of a kind."""
        kinds = self.failed.get(name, [])
        if not kinds:
            return [Text(f"No failure in {counted(games, 'game')}.", "note")] if games else []
        blocks: list[Block] = []
        for first, *others in kinds[:FAILURES]:
            more = f", and {counted(len(others), 'more game')}" if others else ""
            game = self._replayed.get(first.game)
            has_remedy = game is not None or first.kind != Termination.ERROR
            is_late = first.kind == Termination.TIME and not own_code(self.specs[name])
            remedy = BUSY if is_late else REMEDIES[first.kind] if has_remedy else ""
            blocks.append(Text(f"{failure_words(first)}. {remedy}", label=f"Game {first.id}{more}:"))
            if game is not None:
                before = min(first.ply, len(game.positions)) - 1  # a move that came too late was played
                blocks.append(Text("Position:", code=fen(game.variant, game.positions[before])))
            parts = {"Traceback:": first.traceback, "Its last output:": first.output}
            blocks += [_lines(label, text) for label, text in parts.items() if text]
        failed = sum(map(len, kinds))
        return [Section("", f"Failures in {counted(failed, 'game')}, and what to do", blocks)]

    def _errors(self, name: str, called: Callable[[str], str], linked: bool) -> list[Block]:
        """Graded errors, each with the board before the move, on which an arrow shows the better one."""
        blocks: list[Block] = []
        for row in self.errors[self.errors["player"] == name].to_dict("records"):
            game, id = self._replayed[row["game"]], self.run.ids[row["game"]]
            ply, better = row["ply"], row["best_move"]
            if ply > len(game.moves):
                continue
            arrow = square_numbers(better)
            board = Board(game.variant, game.positions[ply - 1], arrows=[arrow] if arrow else [])
            played = f"Played {game.text(ply)} {row['mark']}, better {better} (the arrow)."
            words: list[Block] = [Text(played, label=f"Game {id}, ply {ply}.")]
            words.append(Text(f"Costs {cost(row, called)}."))
            if linked:
                words.append(Raw(Markup("<p>{}</p>").format(game_link(id, ply - 1, "Open the game here"))))
            blocks.append(Row([Raw(Markup(board.svg(None))), Raw(together(words))]))
        return [Section("", "Costliest errors", blocks)] if blocks else []

    @cached_property
    def _replayed(self) -> dict[int, PlayedGame]:
        """The games of errors and failures, by number, as far as they count."""
        kinds = [kind for name in self.players for kind in self.failed.get(name, [])[:FAILURES]]
        shown = {*self.errors["game"], *(first.game for first, *_ in kinds)}
        if not shown:
            return {}
        numbers = pd.Index(sorted(shown))
        variant = self.run.experiment.rule_set
        moves = pd.concat(list(self.run.data.moves(numbers)))
        texts = {number: part["move"].tolist() for number, part in moves.groupby("game", sort=False)}
        openings = pd.concat([self.run.games, self.run.void_games]).set_index("game")["opening_fen"]
        return {
            number: replayed(variant, openings[number], texts.get(number, []))
            for number in numbers.intersection(openings.index).tolist()
        }


def player_sections(run: Run, linked: bool = True, characters: int = _CHARACTERS) -> tuple[Markup, list[str]]:
    """The pages of players inside the report's page, and their names, best first, as far as they fit.

    Their games are `linked` where the page has them.
    """
    names = [*run.placed, *run.data.withdrawn, *run.info.left_out]
    pages = PlayerPages(run, names, max(1, min(ERRORS, BOARDS // max(len(names), 1))))
    back = Markup('<a href="#top">{}</a> / player').format(run.name)
    sections: list[Markup] = []
    for name in names:
        section = player_html(name, pages.blocks(name, linked=linked), back)
        characters -= len(section)
        if characters < 0:
            break
        sections.append(section)
    return Markup("").join(sections), names[: len(sections)]


def player_html(name: str, blocks: Sequence[Block], back: str) -> Markup:
    """A player's page as a part of a file; `back` is the line above its name."""
    return Markup(
        '<section class="player" id="{}">\n<p class="back">{}</p>\n<h1>{}</h1>\n{}\n</section>\n'
    ).format(anchor(name), back, wrapping(name), together(blocks))


def _opponents(games: pd.DataFrame, order: Sequence[str], called: Callable[[str], str]) -> Block:
    """The points against each opponent, the strongest first."""
    results = games.groupby("opponent")["points"].agg(list)
    rows = []
    for name in order:
        if name in results.index:
            points = results[name]
            bar = results_bar(*(points.count(result) for result in (1.0, 0.5, 0.0)))
            share, text = sum(points) / len(points), f"{sum(points):g}/{len(points)}"
            rows.append([*words([called(name)]), Cell(share, text), Cell(share, text, bar)])
    head = [NAMED, Heading("Points"), Heading("Won, drawn, lost", Style.RESULTS)]
    return Section("", "Against each opponent", [Sortable(Grid(head, rows))])


def _lost_games(games: pd.DataFrame, called: Callable[[str], str]) -> list[Block]:
    """The first of a player's lost games, each a link."""
    lost = games[games["points"] == 0]
    if lost.empty:
        return []
    first = lost.head(LOST)
    grid = Grid.of(
        [
            (Heading("Game"), [Cell(id, id, game_link(id)) for id in first["id"]]),
            (Heading("Colour", Style.WORD), words(first["colour"].str.capitalize())),
            (Heading("Against", Style.NAME), words(first["opponent"].map(called))),
            (Heading("Plies"), [Cell(plies, str(plies)) for plies in first["plies"]]),
            (Heading("Ended by", Style.WORD), words(Termination(ended).words for ended in first["termination"])),
        ]
    )
    more = [Text(f"And {len(lost) - LOST} more.", "note")] if len(lost) > LOST else []
    return [Section("", "Lost games", [Sortable(grid), *more])]


def _evidence(found: Sequence[Finding], told: Sequence[Finding]) -> list[Block]:
    """Where a player failed before the first game, and what it printed then; in words unless these are told."""
    blocks: list[Block] = []
    for finding in found:
        if finding.place and finding not in told:
            blocks.append(Text(f"{without_paths(finding.words)}."))
        if finding.place:
            blocks.append(Text("Position:", code=finding.place))
        if finding.traceback:
            blocks.append(_lines("Traceback:", finding.traceback))
        if finding.output:
            blocks.append(_lines("Its last output:", finding.output))
    return [Section("", "Failures before the first game", blocks)] if blocks else []


def _lines(label: str, text: str) -> Block:
    return Raw(Markup("<p>{}</p><pre>{}</pre>").format(label, without_paths(text[-CHARACTERS_OF_EVIDENCE:])))


def _by_kind(failed: Sequence[Failure]) -> dict[str, list[list[Failure]]]:
    """Failures by player, those of a kind together; errors where what was raised is alike but for numbers."""
    kinds: dict[str, dict[tuple[str, str], list[Failure]]] = {}
    for failure in failed:
        raised = re.sub(r"\d+(\.\d+)?", "", failure.detail) if failure.kind == Termination.ERROR else ""
        kinds.setdefault(failure.player, {}).setdefault((failure.kind, raised), []).append(failure)
    return {player: list(of_player.values()) for player, of_player in kinds.items()}
