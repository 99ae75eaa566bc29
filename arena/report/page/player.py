"""A page for each player: inside the report's file, shown when the address names it, and as a sheet of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import pandas as pd
from markupsafe import Markup

from arena.base.number import known, percent
from arena.base.wording import counted, listed
from arena.ledger.record import Failure
from arena.ratings.interval import Interval
from arena.report.describe import describe
from arena.report.marks import game_link, results_bar
from arena.report.page import rendered
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
from arena.report.tables.table import EMPTY, Cell, Grid, Heading, Style, words
from arena.report.tables.views import NAMED
from arena.rules.board import Board, Labels
from arena.rules.game import Termination
from arena.rules.move_text import square_numbers
from arena.rules.notation import fen
from arena.rules.pdn.write import Spelling
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


NOTHING = Markup()


class Evidence(NamedTuple):
    """Shows what failed: in words, the position, and what the player wrote."""

    words: str
    position: str
    """As FEN; "" where it is not known."""
    traceback: str
    output: str
    label: str = ""
    """The games in which it failed so."""


class PlayerPages:
    """The pages of some players of a run; what they have in common is computed once."""

    def __init__(self, run: Run, players: Collection[str], boards: int = ERRORS) -> None:
        """A page has so many `boards` of errors, at most."""
        self.run, self.players = run, players
        self.specs = {spec.name: spec for spec in run.data.experiment.players}
        self.rated = run.standings.set_index("player")
        games = sides(run.games, ["game", "id", "plies", "termination"]).sort_values("game", kind="stable")
        self.games = dict(iter(games.groupby("player", sort=False)))
        graded = run.grades[(run.grades["mark"] != "") & run.grades["player"].isin(players)]
        graded = graded.sort_values(["lost", "game"], ascending=[False, True])
        self.errors = graded.groupby("player", sort=False).head(boards)
        self.failed = _by_kind(failed_games(run))

    def html(
        self,
        name: str,
        back: str,
        called: Callable[[str], str] = str,
        *,
        linked: bool = False,
        games: Markup = NOTHING,
    ) -> Markup:
        """The page of a player as a part of a file; `back` is the line above the name, `called` names others.

        Games are `linked` where the file has them; `games` show them at the end of a page of its own.
        """
        shown = {"back": back, "linked_games": linked or bool(games), "viewer": games}
        return rendered("player.jinja", "html", **shown, **self.page(name, called))

    def page(self, name: str, called: Callable[[str], str] = str) -> dict[str, Any]:
        """What the page of a player shows, by the names in its template, `player.jinja`."""
        found = findings(self.run, name, called)
        mistake = first_mistake(found) if name in self.run.info.left_out else None
        told = [finding for finding in found if finding is mistake or not (mistake or finding.place)]
        kinds = self.failed.get(name, [])
        what = describe(self.specs[name]) if name in self.specs else self.run.info.left_out.get(name, "")
        return {
            "name": name,
            "what": " · ".join(filter(None, (what, self.run.info.programs.get(name)))),
            "notices": [f"{text[0].upper()}{text[1:]}." for text in notices(self.run, name, told)],
            "before": [shown for finding in found if any(shown := _before(finding, finding in told))],
            "failures": [self._failure(name, *games) for games in kinds[:FAILURES]],
            "failed": counted(sum(map(len, kinds)), "game"),
            "errors": self._errors(name, called),
            "games": "",  # of a player that has some, the rest
            **self._results(name, called),
        }

    def _results(self, name: str, called: Callable[[str], str]) -> dict[str, Any]:
        """What a player has that has games."""
        games = self.games.get(name)
        if games is None:
            return {}
        row: dict[Any, Any] = self.rated.loc[name].to_dict()
        elo = Interval.of(row, "elo")
        number, lost = counted(len(games), "game"), games[games["points"] == 0]
        graded = self.run.submissions.set_index("player")["place"].dropna()
        return {
            "games": number,
            "elo": elo if known(elo.value) else None,
            "zero": self.run.zero_called(called),
            "place": graded.get(name, self.run.placed.index(name) + 1),
            "places": len(graded) if name in graded else len(self.run.placed),
            "results": tuple(int((games["points"] == points).sum()) for points in (1, 0.5, 0)),
            "score": f"{percent(games['points'].mean())} of {number}",
            "points": self._points(row) if "buchholz" in row else "",
            "opponents": self._opponents(name, games, called),
            "lost": _lost_games(lost.head(LOST), called) if len(lost) else None,
            "more_lost": f"And {len(lost) - LOST} more." if len(lost) > LOST else "",
        }

    def _opponents(self, name: str, games: pd.DataFrame, called: Callable[[str], str]) -> Grid:
        """The points against each opponent, the strongest first, and the rated difference."""
        results = games.groupby("opponent")["points"].agg(list)
        rows = []
        for other in self.run.placed:
            if other in results.index:
                points = results[other]
                bar = results_bar(*(points.count(result) for result in (1.0, 0.5, 0.0)))
                share, text = sum(points) / len(points), f"{sum(points):g}/{len(points)}"
                elo = self.run.ratings.difference(name, other)
                difference = Cell(elo.value, str(elo)) if elo else EMPTY
                rows.append([*words([called(other)]), Cell(share, text), Cell(share, text, bar), difference])
        bars, rated = Heading("Won, drawn, lost", Style.RESULTS), Heading("Rated difference", is_wide=True)
        return Grid([NAMED, Heading("Points"), bars, rated], rows)

    def _points(self, row: Mapping[Any, Any]) -> str:
        """The points of a Swiss, and what decides between equal ones."""
        of_games = f"{row['wins'] + row['draws'] / 2:g} in {counted(row['games'], 'game')}"
        free = without_games(row, self.run.experiment.format.pairs_of_pairing(0))
        sums = f"Buchholz {row['buchholz']:.4g}, Sonneborn-Berger {row['sonneborn_berger']:.4g}"
        points = f"{row['points']:.4g} points: {listed([of_games, *free])}" if free else f"Points: {of_games}"
        return f"{points}. {sums}."

    def _failure(self, name: str, first: Failure, *others: Failure) -> Evidence:
        """What failed in games, how to see it again, and what to do about it."""
        more = f", and {counted(len(others), 'more game')}" if others else ""
        game = self._replayed.get(first.game)
        has_remedy = game is not None or first.kind != Termination.ERROR
        is_late = first.kind == Termination.TIME and not own_code(self.specs[name])
        remedy = BUSY if is_late else REMEDIES[first.kind] if has_remedy else ""
        position = ""
        if game is not None:
            before = min(first.ply, len(game.positions)) - 1  # a move that came too late was played
            position = Spelling.of(game.variant).squares(fen(game.variant, game.positions[before]))
        label = f"Game {first.id}{more}:"
        written = (_last_lines(first.traceback), _last_lines(first.output))
        return Evidence(f"{failure_words(first)}. {remedy}", position, *written, label)

    def _errors(self, name: str, called: Callable[[str], str]) -> list[dict[str, Any]]:
        """The costliest graded errors, each with the board before it, on which an arrow shows the better move."""
        errors = []
        for row in self.errors[self.errors["player"] == name].to_dict("records"):
            game, id = self._replayed[row["game"]], self.run.ids[row["game"]]
            ply, better = row["ply"], row["best_move"]
            if ply > len(game.moves):
                continue
            arrow, spelt = square_numbers(better), Spelling.of(game.variant)
            labels: Labels = "algebraic" if spelt.names else "numbers"
            board = Board(game.variant, game.positions[ply - 1], arrows=[arrow] if arrow else [], labels=labels)
            played = f"Played {spelt.move(game.text(ply))} {row['mark']}, better {spelt.move(better)} (the arrow)."
            errors.append({
                "label": f"Game {id}, ply {ply}.",
                "played": played,
                "cost": f"Costs {cost(row, called)}.",
                "board": Markup(board.svg(None)),
                "link": game_link(id, ply - 1, "Open the game here"),
            })  # fmt: skip
        return errors

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
        section = pages.html(name, back, linked=linked)
        characters -= len(section)
        if characters < 0:
            break
        sections.append(section)
    return Markup("").join(sections), names[: len(sections)]


def _lost_games(lost: pd.DataFrame, called: Callable[[str], str]) -> Grid:
    """Lost games, each a link."""
    return Grid.of(
        [
            (Heading("Game"), [Cell(id, id, game_link(id)) for id in lost["id"]]),
            (Heading("Colour", Style.WORD), words(lost["colour"].str.capitalize())),
            (Heading("Against", Style.NAME), words(lost["opponent"].map(called))),
            (Heading("Plies"), [Cell(plies, str(plies)) for plies in lost["plies"]]),
            (Heading("Ended by", Style.WORD), words(Termination(ended).words for ended in lost["termination"])),
        ]
    )


def _before(finding: Finding, is_told: bool) -> Evidence:
    """A finding before the first game; in words unless the notices have it."""
    words = f"{without_paths(finding.words)}." if finding.place and not is_told else ""
    return Evidence(words, finding.place, _last_lines(finding.traceback), _last_lines(finding.output))


def _last_lines(text: str) -> str:
    return without_paths(text[-CHARACTERS_OF_EVIDENCE:])


def _by_kind(failed: Sequence[Failure]) -> dict[str, list[list[Failure]]]:
    """Failures by player, those of a kind together; errors where what was raised is alike but for numbers."""
    kinds: dict[str, dict[tuple[str, str], list[Failure]]] = {}
    for failure in failed:
        raised = re.sub(r"\d+(\.\d+)?", "", failure.detail) if failure.kind == Termination.ERROR else ""
        kinds.setdefault(failure.player, {}).setdefault((failure.kind, raised), []).append(failure)
    return {player: list(of_player.values()) for player, of_player in kinds.items()}
