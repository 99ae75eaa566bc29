"""A page for each player: inside the report's file, shown when the address names it, and as a sheet of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import pandas as pd
from markupsafe import Markup

from arena.base.number import fixed, known, percent, quantity, signed
from arena.base.wording import counted
from arena.ledger.moves import PHASES
from arena.ledger.record import TABLES_JUDGE
from arena.ratings.interval import Interval
from arena.report.describe import describe
from arena.report.marks import anchor, results_bar
from arena.report.run import Run
from arena.report.tables.outcomes import sides
from arena.report.tables.submissions import copies, failed_games, failure_words, notices
from arena.report.template import environment, part
from arena.rules.board import Board
from arena.rules.custom import build_variant
from arena.rules.game import Termination
from arena.rules.move_text import square_numbers
from arena.rules.notation import fen
from arena.rules.played import PlayedGame, replayed

CHARACTERS = 500_000
"""Characters of a report's page that the pages of players take, at most."""
OPPONENTS, ERRORS, FAILURES, LOST = 60, 3, 5, 40
"""Opponents, errors, failures that differ, and lost games that a player's page shows, at most."""
BOARDS = 60
"""Boards of errors in a report's page, at most; each player has one."""
WORTH = {1.0: "a win", 0.5: "a draw", 0.0: "a loss"}
REMEDIES = {
    Termination.TIME: "It took longer than its limit: search less, or look at the clock more often.",
    Termination.ILLEGAL_MOVE: "Return one of game.legal_moves; a capture must be taken.",
    Termination.ERROR: "Run its code on this position to see the error.",
}
"""What to do about a failure, by its kind."""


class Opponent(NamedTuple):
    """A player's result against another one."""

    name: str
    points: str
    games: int
    share: float


class Phase(NamedTuple):
    """What a move of a phase costs a player, as text."""

    name: str
    nodes: str
    depth: str
    time: str


class Error(NamedTuple):
    """A graded error of a player, on the board."""

    game: int
    ply: int
    move: str
    better: str
    cost: str
    board: Markup


class Failure(NamedTuple):
    """Failures of a player that are alike: the first game, how many more, and how to see it again."""

    game: int
    more: int
    what: str
    remedy: str
    fen: str


class LostGame(NamedTuple):
    """A game that a player lost to an opponent's play."""

    game: int
    opponent: str
    colour: str
    plies: int
    end: str


class PlayerPage(NamedTuple):
    """All that the page of a player shows."""

    name: str
    what: str
    """Its search, limit and evaluation."""
    notices: Sequence[str]
    """Why it was left out, that it plays as another one, and so on."""
    elo: str
    place: str
    won: int
    drawn: int
    lost: int
    score: str
    opponents: Sequence[Opponent]
    more_opponents: int
    phases: Sequence[Phase]
    errors: Sequence[Error]
    failures: Sequence[Failure]
    failed: int
    lost_games: Sequence[LostGame]
    """The first of its lost games."""

    @property
    def games(self) -> int:
        """Games that count."""
        return self.won + self.drawn + self.lost


def player_sections(run: Run, linked: bool = True, characters: int = CHARACTERS) -> tuple[Markup, list[str]]:
    """The pages of players inside the report's page, and their names, best first, as far as they fit.

    Their games are `linked` where the page has them.
    """
    names = [*run.placed, *run.data.disqualified, *run.info.left_out]
    command = f"arena replay {shown_folder(run.folder)}"
    boards = max(1, min(ERRORS, BOARDS // max(len(names), 1)))
    sections: list[str] = []
    for page in player_pages(run, names, boards=boards):
        sections.append(section(page, title=run.name, command=command, linked=linked))
        characters -= len(sections[-1])
        if characters < 0:
            sections.pop()
            break
    return Markup("".join(sections)), names[: len(sections)]


def shown_folder(folder: Path) -> Path:
    """A run's folder as one types it: from `reports` on, or its name alone."""
    parts = folder.parts
    return (
        Path(*parts[len(parts) - 1 - parts[::-1].index("reports") :]) if "reports" in parts else Path(folder.name)
    )


def style() -> str:
    """The style of players' pages."""
    return part("page/player.css")


def player_pages(
    run: Run,
    names: Sequence[str],
    boards: int = ERRORS,
    hiding: Mapping[str, Callable[[str], str]] = MappingProxyType({}),
) -> Iterator[PlayerPage]:
    """Yield the page of each of some players; `hiding` has by player what replaces the names of others."""
    specs = {spec.name: spec for spec in run.data.experiment.players}
    rated = run.standings.set_index("player")
    every = sides(run.games, ["game", "plies", "termination"]).sort_values("game", kind="stable")
    by_player = every.groupby("player", sort=False)
    phases = run.survey.phases
    graded = run.grades[run.grades["mark"] != ""].sort_values(["lost", "game"], ascending=[False, True])
    errors = graded.groupby("player", sort=False).head(boards)
    failed, same = _failures(run), copies(run)
    wanted = {*errors.loc[errors["player"].isin(names), "game"]}
    for player in names:
        wanted |= {*failed.loc[(failed["player"] == player) & failed["first"], "game"].head(FAILURES)}
    games = _replayed(run, pd.Index(sorted(wanted)))
    places = {name: place for place, name in enumerate(run.placed, 1)}
    for name in names:
        called = hiding.get(name, str)
        found = by_player.get_group(name) if name in by_player.groups else every.head(0)
        against = _opponents(found, run.placed, called)
        elo = Interval.of(rated.loc[name], "elo") if name in rated.index else None
        own_failures = failed[failed["player"] == name]
        kinds = own_failures[own_failures["first"]].head(FAILURES)
        yield PlayerPage(
            name=name,
            what=called(describe(specs[name])) if name in specs else "",
            notices=notices(run, name, same, called),
            elo=str(elo) if elo and known(elo.value) else "",
            place=f"{places[name]} of {len(places)}" if name in places else "",
            won=int((found["points"] == 1).sum()),
            drawn=int((found["points"] == 0.5).sum()),
            lost=int((found["points"] == 0).sum()),
            score=percent(found["points"].mean()) if len(found) else "",
            opponents=against[:OPPONENTS],
            more_opponents=max(len(against) - OPPONENTS, 0),
            phases=_phases(phases[phases["player"] == name]),
            errors=[
                _error(row, games[row["game"]], called)
                for row in _rows(errors[errors["player"] == name])
                if row["ply"] <= len(games[row["game"]].moves)
            ],
            failures=[_failure(row, games.get(row["game"])) for row in _rows(kinds)],
            failed=len(own_failures),
            lost_games=[
                LostGame(row["game"], called(row["opponent"]), row["colour"], row["plies"],
                         Termination(row["termination"]).words)
                for row in _rows(found[found["points"] == 0].head(LOST))
            ],
        )  # fmt: skip


def section(page: PlayerPage, title: str, command: str = "", linked: bool = False) -> Markup:
    """A player's page as HTML: with the `command` that plays a game again, and links to games if `linked`."""
    text = environment().get_template("page/player.html")
    results = results_bar(page.won, page.drawn, page.lost)
    values = {"page": page, "title": title, "command": command, "linked": linked, "results": results}
    return Markup(text.render(values, anchor=anchor, counted=counted))


def _rows(table: pd.DataFrame) -> list[dict[Any, Any]]:
    return table.to_dict("records")


def _opponents(sides: pd.DataFrame, order: Sequence[str], called: Callable[[str], str]) -> list[Opponent]:
    table = sides.groupby("opponent")["points"].agg(["sum", "size"])
    table = table.reindex([name for name in order if name in table.index])
    return [
        Opponent(called(str(name)), f"{points:g}", int(games), points / games)
        for name, points, games in table.itertuples()
    ]


def _phases(totals: pd.DataFrame) -> list[Phase]:
    """What a move costs in each phase; processor time where it is known of all moves."""
    cpu, moves = totals["cpu_seconds"], totals["moves"]
    seconds = cpu if cpu.notna().all() and cpu.sum() > 0 else totals["seconds"]
    table = totals.assign(time=seconds / moves, nodes=totals["nodes"] / moves, depth=totals["depth"] / moves)
    rows = table.set_index(table["phase"].astype(str)).reindex([phase for phase in PHASES if len(table)])
    searched = bool(totals["nodes"].sum())
    return [
        Phase(
            str(name),
            quantity(nodes) if searched else "",
            fixed(depth, 1) if searched else "",
            quantity(time, "s"),
        )
        for name, nodes, depth, time in rows[["nodes", "depth", "time"]].itertuples()
    ]


def _replayed(run: Run, numbers: pd.Index) -> dict[int, PlayedGame]:
    """The games with these numbers, as far as they count."""
    if not len(numbers):
        return {}
    variant = build_variant(run.experiment.variant)
    moves = pd.concat(list(run.data.moves(numbers)))
    openings = run.games.set_index("game")["opening_fen"]
    texts = {number: part["move"].tolist() for number, part in moves.groupby("game", sort=False)}
    return {
        number: replayed(variant, openings[number], texts.get(number, []))
        for number in numbers.intersection(openings.index).tolist()
    }


def _error(row: Mapping[Any, Any], game: PlayedGame, called: Callable[[str], str]) -> Error:
    """A graded error with the board before the move, on which an arrow shows the better one."""
    position = game.positions[row["ply"] - 1]
    arrow = square_numbers(row["best_move"])
    return Error(
        game=row["game"],
        ply=row["ply"],
        move=f"{game.text(row['ply'])} {row['mark']}",
        better=row["best_move"],
        cost=_cost(row, called),
        board=Markup(Board(game.variant, position, arrows=[arrow] if arrow else []).svg(None)),
    )


def _cost(row: Mapping[Any, Any], called: Callable[[str], str]) -> str:
    """What an error costs, in words."""
    if row["judge"] == TABLES_JUDGE:
        return f"{WORTH[row['best']]} turned into {WORTH[row['played']]}, by the endgame tables"
    judge = called(row["judge"])
    if known(row["best_men"]) and known(row["played_men"]):
        best, played = row["best_men"], row["played_men"]
        return f"{best - played:.1f} men ({signed(best, 1)} to {signed(played, 1)}), by {judge}"
    return f"{row['lost']:.2f} points, by {judge}"


def _failures(run: Run) -> pd.DataFrame:
    """`failed_games` with what failed, how many of a player are alike but for numbers, and which is the first."""
    table = failed_games(run)
    table["what"] = pd.Series(map(failure_words, table["error"], table["player"]), dtype="str")
    alike = ["player", table["what"].str.replace(r"\d+(\.\d+)?", "", regex=True)]
    table["count"] = table.groupby(alike)["game"].transform("size")
    return table.assign(first=table.groupby(alike).cumcount() == 0)


def _failure(row: Mapping[Any, Any], game: PlayedGame | None) -> Failure:
    position = fen(game.variant, game.positions[-1]) if game else ""
    is_shown = position or row["termination"] != Termination.ERROR
    remedy = REMEDIES.get(row["termination"], "") if is_shown else ""
    return Failure(row["game"], row["count"] - 1, row["what"], remedy, position)
