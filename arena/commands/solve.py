"""Commands that solve positions: solve, by players, and tables, all endings of few pieces."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.files import replace as replace_file
from arena.base.number import is_nan, quantity
from arena.base.writing import write_csv, write_text
from arena.commands.options import VARIANT, json_option, seed_option, workers_option
from arena.commands.output import STOPPED, echo, say, show_frame
from arena.commands.waiting import Terminal, announcing_compilation
from arena.experiment.load import player_specs
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players
from arena.ledger.record import SuiteAnswer
from arena.play.options.grading import make_tables
from arena.play.solving import ONE_PLY, failed, in_order, questions, solve
from arena.play.suite import Suite, read_suite
from arena.play.tournament import available
from arena.play.workers import carry_through, is_here
from arena.report.tables.suites import SOLUTIONS, SuiteTables, suite_tables
from arena.report.tables.views import by_limit, by_stratum
from arena.rules.endgame import MOST_PIECES, USUAL_PIECES
from arena.rules.endgame.tables import folder_of
from arena.rules.variants import Variant
from players.evaluation.build import known_evaluations
from players.loading import PlayerError, located
from players.player import Allowance, Limit, PlayerSpec, limits_of
from players.table import PLAYERS

DEPTHS = tuple(range(1, 10))
"""Plies of the searches of players without a limit."""
_FAILED = 3
"""Exit code: players failed."""
_MOST_NUMBERS = 640
"""Of a range, of which no more are tried."""


class SweepType(click.ParamType):
    """Numbers: one, a list (1,3,5) or a range of whole numbers (1-9)."""

    name = "numbers"

    def __init__(self, kind: type[int] | type[float]) -> None:
        self._kind = kind

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "N,N-N" if self._kind is int else "N,N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int | float]:
        chosen: list[int | float] = []
        try:
            for part in str(value).split(","):
                first, _, last = part.partition("-")
                numbers = range(int(first), int(last) + 1) if last else [self._kind(first)]
                chosen += numbers[:_MOST_NUMBERS]
        except ValueError:
            self.fail(f"{value!r} is not a number, a list such as 1,3,5 or a range such as 1-9", param, ctx)
        if not chosen or not all(0 < number < 2**63 for number in chosen):
            self.fail(f"{value!r} must be numbers above 0 and below 2**63, the least first", param, ctx)
        return sorted(set(chosen))


@click.command()
@click.argument("suite")
@click.option("--player", "entries", multiple=True, help="A player: simple@d6 or YAML; may be given again.")
@click.option("--depth", type=SweepType(int), help="Plies: 7, 1-9 or 1,3,5 [1-9 for players without a limit].")
@click.option("--nodes", type=SweepType(int), help="Positions of each search, such as 1000,10000.")
@click.option("--seconds", type=SweepType(float), help="Seconds of each search, such as 0.01,0.1.")
@click.option("--variant", type=VARIANT, help="The rules of a file that does not name them [english].")
@click.option("--count", type=click.IntRange(1), metavar="N", help="Only N of the positions, spread evenly.")
@seed_option
@workers_option
@click.option("--out", type=click.Path(path_type=Path), help="Write the tables and the chart into this folder.")
@json_option
def solve_command(
    suite: str,
    entries: tuple[str, ...],
    variant: Variant | None,
    count: int | None,
    seed: int,
    workers: int | str | None,
    out: Path | None,
    as_json: bool,
    **given: list[int] | list[float] | None,
) -> None:
    """Have players solve SUITE: positions with the moves that solve them, a suite that ships or a file.

    Each player moves in each position under each limit, given in place of its own; without --player all
    evaluations do, searched by negamax. Random choice and one ply ahead are shown beside. A file is a PDN, whose
    games begin with the solution, or has lines `FEN ; best moves ; stratum`. Exit code 3: players failed.
    """
    puzzles = read_suite(suite, variant).spread(count)
    sweeps = {kind: values for kind, values in given.items() if values}
    if len(sweeps) > 1:
        raise ArenaError("give one of --depth, --nodes and --seconds")
    with announcing_compilation():
        asked = asked_of(entries, puzzles.variant, sweeps)
        answered = _answers(puzzles, asked, seed, available(workers, say))
    tables = suite_tables(answered)
    files = [] if out is None else write_solved(tables, out)
    if as_json:
        click.echo(json.dumps(_document(puzzles, seed, tables)))
    else:
        _show(puzzles, tables)
        if files:
            echo(f"wrote {', '.join(map(str, files))}")
    if line := failed(answered):
        say(line)
        sys.exit(_FAILED)


def asked_of(entries: Sequence[str], variant: Variant, sweeps: dict[str, Any]) -> list[PlayerSpec]:
    """The players of entries, once for each limit, all evaluations without any, and the baseline ONE_PLY.

    Each is built once. Exits with what is wrong.
    """
    specs = [located(spec, Path()) for spec in player_specs(entries)] or evaluations(variant)
    asked: list[PlayerSpec] = []
    for spec in specs:
        with_limits = [replace(spec, limit=limit) for limit in _limits(spec, sweeps)]
        asked += with_limits
        for extreme in (with_limits[0], with_limits[-1]):
            try:
                begin_game(extreme, variant, variant.start, "0", Allowance())
            except PlayerError as error:
                raise ArenaError(f"--player: {error}") from None
            except PlayerFailure as error:
                raise ArenaError(f"--player: {spec.name} {error} while it was built") from None
    close_players()
    return [*asked, ONE_PLY]


def evaluations(variant: Variant) -> list[PlayerSpec]:
    """A player for each evaluation of a variant, named as it."""
    names = known_evaluations(variant)
    return [PlayerSpec(name, "negamax", Limit(), {"preset": "full", "evaluation": name}) for name in names]


def write_solved(tables: SuiteTables, folder: Path) -> list[Path]:
    """Write the tables and the chart of a suite into a folder; returns their paths."""
    from arena.report.charts.effort import plot_solved
    from arena.report.charts.style import save_png, svg

    folder.mkdir(parents=True, exist_ok=True)
    axes = plot_solved(tables.shares)
    files: dict[str, Callable[[Path], object]] = {
        f"{name}.csv": partial(write_csv, table) for name, table in tables._asdict().items()
    }
    files |= {"solved.png": partial(save_png, axes), "solved.svg": partial(write_text, svg(axes))}
    return [replace_file(folder / name, fill) for name, fill in files.items()]


def _limits(spec: PlayerSpec, sweeps: dict[str, Any]) -> list[Limit]:
    """The limits under which a player is asked: those of a sweep that it heeds, else its own, else DEPTHS."""
    heeded = limits_of(PLAYERS.get(spec.type))
    for kind, values in sweeps.items():
        if kind in heeded:
            return [Limit(**{kind: value}) for value in values]
    if spec.limit == Limit() and "depth" in heeded and spec.type in PLAYERS:
        return [Limit(depth=depth) for depth in DEPTHS]
    return [spec.limit]


def _answers(suite: Suite, asked: list[PlayerSpec], seed: int, workers: int | str) -> list[SuiteAnswer]:
    asking, answers = list(questions(suite, asked, seed)), list[SuiteAnswer]()
    what = "positions of players"
    terminal, here = Terminal(resumes=False), is_here(workers, asked)
    if not carry_through(what, solve, asking, len(asking), answers.append, workers, terminal, here=here):
        say("stopped")
        sys.exit(STOPPED)
    return in_order(answers, asked)


def _show(suite: Suite, tables: SuiteTables) -> None:
    shares, solutions = tables.shares, tables.solutions
    echo(f"{suite.name}, {suite.variant.name}: % solved of {len(suite.puzzles)} positions ± 95 % interval")
    show_frame(by_limit(shares).texts())
    if len(solutions):
        echo("\nsolved and solved under each greater limit, too; medians over all positions")
        show_frame(SOLUTIONS.grid(solutions).texts())
    if shares["stratum"].nunique() > 1:
        echo("\n% solved by stratum, under the greatest limit")
        show_frame(by_stratum(shares).texts())


def _document(suite: Suite, seed: int, tables: SuiteTables) -> dict[str, Any]:
    document = {"suite": suite.name, "variant": suite.variant.name, "positions": len(suite.puzzles), "seed": seed}
    for name in ("shares", "solutions"):
        records = getattr(tables, name).to_dict("records")
        document[name] = [
            {key: None if is_nan(value) else value for key, value in record.items()} for record in records
        ]
    return document


@click.command()
@click.argument("variant", type=VARIANT, default="english")
@click.option(
    "--pieces",
    type=click.IntRange(2, MOST_PIECES),
    default=USUAL_PIECES,
    metavar="N",
    help=f"Of both sides [{USUAL_PIECES}].",
)
def tables_command(variant: Variant, pieces: int) -> None:
    """Solve every ending of VARIANT with few pieces: win, draw or loss, and the plies to the end.

    What is solved is kept in the cache folder. Ctrl-C stops; the same command resumes.
    """
    try:
        with announcing_compilation():
            make_tables(variant, pieces, Terminal())
    except KeyboardInterrupt:
        say("stopped; what is solved is kept; rerun the same command to resume")
        sys.exit(STOPPED)
    folder = folder_of(variant)
    echo(f"{folder}: {quantity(sum(path.stat().st_size for path in folder.glob('*.npy')), 'B')}")
