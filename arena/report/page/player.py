"""A page for each player: inside the report's file, shown when the address names it, and as a sheet of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import Any

import pandas as pd
from markupsafe import Markup

from arena.base.number import known, percent
from arena.base.wording import counted
from arena.ledger.game import played_games
from arena.ledger.record import Failure
from arena.ratings.interval import Interval
from arena.report.describe import describe
from arena.report.markup import game_link, results_bar
from arena.report.page import rendered
from arena.report.run import Run
from arena.report.sentences.cautions import below_random
from arena.report.sentences.facts import cost
from arena.report.tables.grades import with_points
from arena.report.tables.outcomes import sides
from arena.report.tables.submissions import failed_games, findings, notices, without_paths
from arena.report.tables.table import EMPTY, NAMED, Cell, Grid, Heading, Style, words
from arena.rules.board import Board, Labels
from arena.rules.game import Termination
from arena.rules.move_text import square_numbers
from arena.rules.notation import fen
from arena.rules.pdn.write import Spelling
from arena.rules.played import PlayedGame
from players.loading import own_code

_CHARACTERS = 500_000
"""Characters of a report's page that the pages of players take, at most."""
ERRORS, FAILURES = 3, 5
"""Errors, and kinds of failures, that a player's page shows, at most."""
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


class PlayerPages:
    """The pages of some players of a run; what they have in common is computed once."""

    def __init__(self, run: Run, players: Collection[str], boards: int = ERRORS) -> None:
        """A page has so many `boards` of errors, at most."""
        self.run, self.players = run, players
        self.specs = {spec.name: spec for spec in run.data.experiment.players}
        self.rated = run.standings.set_index("player")
        self.games = dict(iter(sides(run.games).groupby("player", sort=False)))
        graded = with_points(run.grades[(run.grades["mark"] != "") & run.grades["player"].isin(players)])
        graded = graded.sort_values(["lost", "game"], ascending=[False, True])
        self.errors = graded.groupby("player", sort=False).head(boards)
        self.failed = _by_kind(failed_games(run))
        self.below = below_random(run) if len(run.games) else []

    def html(
        self,
        name: str,
        back: str,
        name_of: Callable[[str], str] = str,
        *,
        linked: bool = False,
        viewer: Markup = NOTHING,
    ) -> Markup:
        """The page of a player as a part of a file; `back` is the line above the name, `name_of` names others.

        Games are `linked` where the file has them; a page of its own shows them at its end in a `viewer`.
        """
        shown = {"back": back, "linked_games": linked or bool(viewer), "viewer": viewer}
        return rendered("player.jinja", "html", **shown, **self.page(name, name_of))

    def page(self, name: str, name_of: Callable[[str], str] = str) -> dict[str, Any]:
        """What the page of a player shows, by the names in its template, `player.jinja`."""
        run, kinds = self.run, self.failed.get(name, [])
        what = describe(self.specs[name]) if name in self.specs else run.info.left_out.get(name, "")
        found = [_evidence(f"{each.words}.", each.place, each) for each in findings(run, name, name_of)]
        return {
            "name": name,
            "what": " · ".join(filter(None, (what, run.info.players[name].version))),
            "notices": [f"{text[0].upper()}{text[1:]}" for text in self._notices(name)],
            "before": found,
            "failures": [self._failure(name, *games) for games in kinds[:FAILURES]],
            "failed": counted(sum(map(len, kinds)), "game"),
            "errors": self._errors(name, name_of),
            "games": "",  # of a player that has some, the rest
            **self._results(name, name_of),
        }

    def _notices(self, name: str) -> list[str]:
        """What became of a player, and whether it is below one that moves by chance."""
        below = [without_paths(notice.words) for notice in self.below if notice.player == name]
        return [*(f"{text}." for text in notices(self.run, name)), *below]

    def _results(self, name: str, name_of: Callable[[str], str]) -> dict[str, Any]:
        """What a player has that has games."""
        games = self.games.get(name)
        if games is None:
            return {}
        row: dict[Any, Any] = self.rated.loc[name].to_dict()
        elo = Interval.of(row, "elo")
        number = counted(len(games), "game")
        graded = self.run.submissions.set_index("player")["place"].dropna()
        sums = "{points:.4g} points, Buchholz {buchholz:.4g}, Sonneborn-Berger {sonneborn_berger:.4g}."
        return {
            "games": number,
            "elo": elo if known(elo.value) else None,
            "zero": self.run.zero_with(name_of),
            "place": graded.get(name, self.run.placed.index(name) + 1),
            "places": len(graded) if name in graded else len(self.run.placed),
            "results": tuple(row[count] for count in ("wins", "draws", "losses")),
            "score": f"{percent(games['points'].mean())} of {number}",
            "points": sums.format(**row) if "buchholz" in row else "",
            "opponents": self._opponents(name, games, name_of),
        }

    def _opponents(self, name: str, games: pd.DataFrame, name_of: Callable[[str], str]) -> Grid:
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
                rows.append([*words([name_of(other)]), Cell(share, text), Cell(share, text, bar), difference])
        bars, rated = Heading("Won, drawn, lost", Style.RESULTS), Heading("Rated difference", is_wide=True)
        return Grid([NAMED, Heading("Points"), bars, rated], rows)

    def _failure(self, name: str, first: Failure, *others: Failure) -> dict[str, str]:
        """What failed in games, how to see it again, and what to do about it."""
        more = f", and {counted(len(others), 'more game')}" if others else ""
        is_late = first.kind == Termination.TIME and not own_code(self.specs[name])
        position = ""
        if (game := self._replayed.get(first.game)) is not None:
            before = min(first.ply, len(game.positions)) - 1  # a move that came too late was played
            position = Spelling.of(game.variant).squares(fen(game.variant, game.positions[before]))
        text = f"{first.words}. {BUSY if is_late else REMEDIES[first.kind]}"
        return _evidence(text, position, first, f"Game {first.id}{more}:")

    def _errors(self, name: str, name_of: Callable[[str], str]) -> list[dict[str, Any]]:
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
                "cost": f"Costs {cost(row, name_of)}.",
                "board": Markup(board.svg(None)),
                "link": game_link(id, ply - 1, "Open the game here"),
            })  # fmt: skip
        return errors

    @cached_property
    def _replayed(self) -> dict[int, PlayedGame]:
        """The games of errors and failures, by number, as far as they count."""
        kinds = [kind for name in self.players for kind in self.failed.get(name, [])[:FAILURES]]
        shown = {*self.errors["game"], *(first.game for first, *_ in kinds)}
        return {game.number: game for game in played_games(self.run.data, shown)} if shown else {}


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


def _evidence(text: str, position: str, of: Any, label: str = "") -> dict[str, str]:
    """What failed: in words, the position as FEN, and the end of what the player wrote, as a failure has it."""
    written = {
        name: without_paths(getattr(of, name)[-CHARACTERS_OF_EVIDENCE:]) for name in ("traceback", "output")
    }
    return {"label": label, "words": without_paths(text), "position": position, **written}


def _by_kind(failed: Sequence[Failure]) -> dict[str, list[list[Failure]]]:
    """Failures by player, those of a kind together; errors where what was raised is alike but for numbers."""
    kinds: dict[str, dict[tuple[str, str], list[Failure]]] = {}
    for failure in failed:
        raised = re.sub(r"\d+(\.\d+)?", "", failure.detail) if failure.kind == Termination.ERROR else ""
        kinds.setdefault(failure.player, {}).setdefault((failure.kind, raised), []).append(failure)
    return {player: list(of_player.values()) for player, of_player in kinds.items()}
