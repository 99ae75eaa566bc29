"""The command that shows a position on a board, what it is worth, and its best moves: show."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.base import ArenaError
from arena.base.wording import nearest, printable, unknown
from arena.board.pdn import game_in
from arena.commands.drawing import analysis_of, best_document, best_lines, run_analysis, show_board
from arena.commands.options import PATH, VARIANT, json_option, refuse
from arena.commands.output import echo, put, say, show_json, show_table
from arena.experiment.yaml.values import inline
from arena.hosting.analysis import Findings
from arena.ledger.game import played_game, played_games
from arena.ledger.read import read as read_run_data
from arena.rules.board import Board
from arena.rules.custom import OTHER_NAMES, VariantError, build_variant
from arena.rules.game import game_of
from arena.rules.move_text import path
from arena.rules.notation import parse_start
from arena.rules.pdn.read import read_pdn
from arena.rules.pdn.write import Spelling
from arena.rules.played import PlayedGame
from arena.rules.position import Position
from arena.rules.result import result_text, score_text
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import explained_value
from players.evaluation.linear import Share

_SMALL = ("english", 32)
_LARGE = "international"
"""The rules of a FEN without a variant: the first unless it names a square beyond its last one."""
_AROUND = 4
"""Plies before and after the position whose moves are printed."""
_COUNTED = ("depth", "nodes")
_HEADER = ("ply", "player", "move", "score", *_COUNTED, "seconds")


@click.command()
@click.argument("what")
@click.option("--variant", type=VARIANT, help="The rules of a FEN, or of a PDN without a GameType.")
@click.option("--game", metavar="N", help="Which game of a file, by its number, or of a run, also by its id [1].")
@click.option("--ply", type=click.IntRange(0), metavar="N", help="After N plies [the last].")
@click.option("--evaluation", help="Its value: a name, file.py:function, '{linear: {man: 100}}'.")
@click.option("--best", type=click.IntRange(1), metavar="N", help="Search for the N best moves; Ctrl-C ends it.")
@click.option("--player", help="Who searches: simple@d12, neural@5s, file.py:Class or YAML [the strongest, 10 s].")
@click.option("--part", nargs=2, metavar="A B", help="Where the games of two players of a run part.")
@click.option("--flip", is_flag=True, help="Black below.")
@click.option("--out", type=PATH, metavar="FILE", help="Write the games (.html), or the board (.svg, .txt).")
@json_option
def show_command(
    what: str,
    variant: Variant | None,
    game: str | None,
    ply: int | None,
    evaluation: str | None,
    best: int | None,
    player: str | None,
    part: tuple[str, str] | None,
    flip: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Show a position on a board: WHAT is a FEN, a variant, a PDN file or the folder of a run.

    Of a game, with the moves around the position and the players' scores, in men where a man's worth is known. The
    page of a PDN without --game has all of its games. With --evaluation, the value for the side to move.

    With --best it is run_analysis depth after depth, or with twice as many nodes each time. Scores are the side to
    move's. Where endgame tables know the position, all moves are listed as winning, drawing or losing.
    """
    if out is not None and out.suffix.lower() not in (".html", ".svg", ".txt"):
        raise ArenaError(f"{out}: games are written as .html, a board as .svg or .txt")
    if part is not None:
        search = {"evaluation": evaluation, "best": best, "player": player}
        refuse("does not go with --part", variant=variant, game=game, ply=ply, flip=flip, json=as_json, **search)
        _show_parting(Path(what), *part, out)
        return
    viewed = position_of(what, variant, game, ply)
    if best is None:
        refuse("is for --best, who searches", player=player)
    described = None if evaluation is None else inline(evaluation, "--evaluation")
    value, features = explained_value(viewed.game.variant, viewed.position, described) if described else (None, {})
    analysis = analysis_of(game_of(viewed.game, viewed.ply), player, best) if best else None
    if not as_json:
        _print(viewed, flip, value, features)
    found = run_analysis(analysis, draws=not as_json) if analysis else None
    if out is not None:
        _write(viewed, out, flip, found)
    if as_json:
        document = _document(viewed)
        if described:
            shares = {name: share._asdict() for name, share in features.items()}
            document |= {"value": value, "features": shares}
        show_json(document | (best_document(analysis, found) if analysis and found else {}))
    elif analysis and found:
        echo("\n".join(best_lines(analysis, found)))


def _show_parting(folder: Path, player: str, other: str, out: Path | None) -> None:
    """Print where the games of two players part, and write a page of those that end otherwise by that."""
    from arena.report.load import load_run
    from arena.report.tables.outcomes import summary
    from arena.report.viewer import write_viewer

    if out is not None and out.suffix.lower() != ".html":
        raise ArenaError(f"{out}: the games of --part are written as .html")
    run = load_run(folder)
    for name in (player, other):
        if name not in run.players:
            raise ArenaError(f"--part: {unknown('player', name, run.players)}")
    table = run.partings(player, other)
    echo(summary(table, player, other) or f"{player} and {other} met no opponent both")
    rows = table[(table["by"] == "players") & (table["points"] != table["other_points"])].set_index("game")
    if len(rows):
        games = [*played_games(run.data, rows.index)]
        moves = [{rows["ply"][of.number]: move} if (move := rows["other_move"][of.number]) else {} for of in games]
        file, title = out or folder / "partings.html", f"{player} where {other} moves otherwise"
        write_viewer(games, title, file, rows["ply"][games[0].number] - 1, moves)
        say(f"wrote {file}: games of {player} with another result, and arrows for the moves of {other}")


def _write(viewed: GamePosition, file: Path, flip: bool, found: Findings | None) -> None:
    """Write a page with the game of a position, or all games of its file, or the board with the best moves."""
    if file.suffix.lower() == ".html":
        from arena.report.viewer import write_viewer  # with pandas, for which no board waits

        games, ply = [viewed.game], viewed.ply
        if viewed.file is not None:
            games, ply = read_pdn(viewed.file, viewed.game.variant).games, 0
        title = viewed.file.name if viewed.file else viewed.heading or viewed.game.variant.name
        write_viewer(games, title, file, ply)
    else:
        ways = [path(viewed.game.variant, viewed.position, line.move) for line in found.lines] if found else []
        viewed.board(flip=flip, arrows=[way for way in ways if way]).save(file)
    say(f"wrote {file}")


def _print(viewed: GamePosition, flip: bool, value: float | None, features: Mapping[str, Share]) -> None:
    """Print a position, of a game the moves around it, and what an evaluation says."""
    for text in filter(None, (viewed.heading, viewed.place)):
        echo(text)
    show_board(viewed.board(flip=flip))
    put(viewed.fen)
    if viewed.game.moves:
        show_table(_HEADER if viewed.game.answers is not None else _HEADER[:3], _rows(viewed))
    if value is not None:
        echo(f"value for the side to move: {value:.6g}")
    if features:
        rows = [(name, *(f"{figure:.4g}" for figure in share)) for name, share in features.items()]
        show_table(("feature", "own", "other", "weight", "share"), rows)


def _rows(viewed: GamePosition) -> Iterator[tuple[str, ...]]:
    for ply in range(max(viewed.ply - _AROUND, 0) + 1, min(viewed.ply + _AROUND, len(viewed.game.moves)) + 1):
        search = _search(viewed, ply)
        row: tuple[str, ...] = (str(ply), search["player"], search["move"])
        if viewed.game.answers is not None:
            man = viewed.game.men[viewed.game.positions[ply - 1].turn]
            score = score_text(search["score"], search["plies_to_win"] or 0, man)
            seconds = "" if search["seconds"] is None else f"{search['seconds']:.6f}"
            row += (score, *(f"{search[name] or ''}" for name in _COUNTED), seconds)
        yield row


def _search(viewed: GamePosition, ply: int) -> dict[str, Any]:
    """A move, and what its player found of it."""
    colour, answers = viewed.game.positions[ply - 1].turn, viewed.game.answers
    known: dict[str, Any] = {"ply": ply, "player": viewed.names[colour], "move": viewed.text(ply)}
    if answers is not None:
        found = {name: float(answers[name][ply - 1]) for name in ("score", "seconds")}
        known |= {name: None if math.isnan(value) else value for name, value in found.items()}
        known |= {name: int(answers[name][ply - 1]) for name in ("plies_to_win", *_COUNTED)}
        known["plies_to_win"] = known["plies_to_win"] or None
    return known


def _document(viewed: GamePosition) -> dict[str, Any]:
    document: dict[str, Any] = {"variant": viewed.game.variant.name, "fen": viewed.fen}
    if viewed.heading:
        moves = [_search(viewed, ply) for ply in range(1, len(viewed.game.moves) + 1)]
        named = dict(zip(("white", "black"), viewed.names, strict=True))
        document |= {**named, "result": viewed.game.result, "ply": viewed.ply, "moves": moves}
    return document


class GamePosition(NamedTuple):
    """A position and the game that it is of, which may have no moves."""

    game: PlayedGame
    ply: int = 0
    """How many plies were played before the position."""
    heading: str = ""
    """A description of the game; empty for a position alone."""
    file: Path | None = None
    """The PDN of the game, if none of its games was asked for."""

    @property
    def position(self) -> Position:
        """The position to look at."""
        return self.game.positions[self.ply]

    @property
    def fen(self) -> str:
        """The position as FEN."""
        return Spelling.of(self.game.variant).squares(game_of(self.game, self.ply).fen)

    def text(self, ply: int) -> str:
        """The move of a ply, from 1, as its PDN has it: with letters where its GameType wants them."""
        return Spelling.of(self.game.variant).move(self.game.text(ply))

    @property
    def names(self) -> tuple[str, str]:
        """The names of White and Black, as a terminal can show them."""
        white, black = map(printable, self.game.names)
        return white, black

    @property
    def place(self) -> str:
        """A description of the place in the game; empty for a position alone."""
        plies = len(self.game.moves)
        if not self.heading:
            return ""
        if not self.ply:
            return f"before ply 1 of {plies}"
        end = ", the end" if self.ply == plies else ""
        return f"after ply {self.ply} of {plies}, {self.text(self.ply)}{end}"

    def board(self, **options: Any) -> Board:
        """The position drawn, its last move marked, its squares named as moves name them."""
        last = self.game.squares(self.ply) if self.ply and self.ply not in self.game.setups else None
        labels = "algebraic" if Spelling.of(self.game.variant).names else "numbers"
        shown: dict[str, Any] = {"last": last, "labels": labels} | options
        return Board(self.game.variant, self.position, **shown)


def position_of(what: str, variant: Variant | None, game: str | None, ply: int | None) -> GamePosition:
    """The position of a FEN, a variant, a game of a PDN file or of a run's folder. Raises ArenaError if none."""
    path = Path(what)
    if path.is_dir() or path.is_file():
        viewed = _of_run(path, variant, game or "1") if path.is_dir() else _of_file(path, variant, game)
        plies = len(viewed.game.moves)
        if ply is not None and ply > plies:
            raise ArenaError(f"--ply {ply}: {viewed.heading.split(':')[0]} has {plies} plies")
        return viewed._replace(ply=plies if ply is None else ply)
    if (rules := _rules(what)) is None and ":" not in what:
        close = OTHER_NAMES.get(what.lower()) or nearest(what, list(VARIANTS))
        meant = f"; did you mean {close!r}?" if close is not None else ""
        raise ArenaError(f"{what!r} is not a FEN, a variant, a PDN file or the folder of a run{meant}")
    if game is not None or ply is not None:
        raise ArenaError("--game and --ply need a PDN file or the folder of a run")
    if rules is not None:
        refuse(f"has no meaning where {what} names the rules", variant=variant)
        return GamePosition(PlayedGame(rules, rules.start, []))
    return _of_fen(what, variant)


def _rules(what: str) -> Variant | None:
    """The rules that WHAT names or describes, None if it is something else. Raises VariantError."""
    if what.startswith("{"):
        return build_variant(inline(what, "VARIANT"))
    try:
        return build_variant(what)
    except VariantError as error:
        if error.key != "base":
            raise
        return None


def _of_fen(text: str, variant: Variant | None) -> GamePosition:
    if variant is None:
        numbers = [int(number) for number in re.findall(r"[0-9]+", re.split(":[H+]", text)[0])]
        variant = VARIANTS[_SMALL[0] if max(numbers, default=0) <= _SMALL[1] else _LARGE]
        say(f"read as {variant.name}; --variant names other rules")
    start, runs = parse_start(variant, text)
    return GamePosition(PlayedGame(variant, start, [], king_runs=runs))


def _of_file(path: Path, variant: Variant | None, name: str | None) -> GamePosition:
    if name is not None and not name.isdecimal():
        raise ArenaError(f"--game {name}: a game of a file is known by its number")
    game, problems = game_in(path, variant, int(name or 1))
    for problem in problems:
        say(str(problem))
    viewed = _headed(game, f"game {game.number} of {game.count} of {path.name}", result_text(game.result))
    return viewed._replace(file=None if name else path)


def _of_run(folder: Path, variant: Variant | None, name: str) -> GamePosition:
    refuse("is for a FEN or a PDN: a run has its rules", variant=variant)
    game = played_game(read_run_data(folder), name)
    if game.problems:
        raise ArenaError(f"{folder}: game {name}, ply {game.problems[0].ply}: {game.problems[0].message}")
    ended = f"{result_text(game.result)} by {game.tags['TerminationDetails']}"
    return _headed(game, f"game {game.tags['GameId']} of {game.tags['Event']}", ended)


def _headed(game: PlayedGame, which: str, ended: str) -> GamePosition:
    white, black = map(printable, game.names)
    return GamePosition(game, heading=f"{which}: {white} (white) against {black} (black), {ended}")
