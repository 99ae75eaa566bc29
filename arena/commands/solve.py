"""Command `solve`: players solve the positions of a suite."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.files import replace as replace_file
from arena.base.number import is_nan
from arena.base.writing import write_csv, write_text
from arena.commands.common import (
    VARIANT,
    announcing_compilation,
    workers_option,
)
from arena.commands.output import STOPPED, echo, say, show_frame
from arena.commands.waiting import Terminal
from arena.experiment.load import player_spec
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players
from arena.ledger.record import SuiteAnswer
from arena.play.searches import ONE_PLY, failed, in_order, question_name, questions
from arena.play.searches import solve as solve_question
from arena.play.suite import Suite, read_suite
from arena.play.tournament import available
from arena.play.workers import carry_through
from arena.report.tables.suites import (
    SuiteTables,
    shares_text,
    solutions_text,
    strata_text,
    suite_tables,
)
from arena.rules.variants import Variant
from players.evaluation.build import known_evaluations
from players.loading import PlayerError, located
from players.player import NAME_CHARACTERS, Allowance, Limit, PlayerSpec, limits_of
from players.table import PLAYERS

DEPTHS = tuple(range(1, 10))
"""Plies of the searches of players without a limit."""
FAILED = 3
"""Exit code: players failed."""
_MOST_DEPTHS = 64


class SweepType(click.ParamType):
    """Numbers: one, a list (1,3,5) or a range of whole numbers (1-9)."""

    name = "numbers"

    def __init__(self, kind: type[int] | type[float]) -> None:
        self._kind = kind

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "N,N-N" if self._kind is int else "N,N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> list[int | float]:
        found: list[int | float] = []
        try:
            for part in str(value).split(","):
                first, _, last = part.partition("-")
                numbers = range(int(first), int(last) + 1) if last else [self._kind(first)]
                found += numbers[: 10 * _MOST_DEPTHS]
        except ValueError:
            self.fail(f"{value!r} is not a number, a list such as 1,3,5 or a range such as 1-9", param, ctx)
        if not found or not all(0 < number < 2**63 for number in found):
            self.fail(f"{value!r} must be numbers above 0 and below 2**63, the least first", param, ctx)
        return sorted(set(found))


@click.command()
@click.argument("suite")
@click.option("--player", "entries", multiple=True, help="A player: simple@d6 or YAML; may be given again.")
@click.option("--depth", type=SweepType(int), help="Plies: 7, 1-9 or 1,3,5 [1-9 for players without a limit].")
@click.option("--nodes", type=SweepType(int), help="Positions of each search, such as 1000,10000.")
@click.option("--seconds", type=SweepType(float), help="Seconds of each search, such as 0.01,0.1.")
@click.option("--variant", type=VARIANT, help="The rules of a file that does not name them [english].")
@click.option("--count", type=click.IntRange(1), help="Only N of the positions, spread evenly.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The source of all chance.")
@workers_option
@click.option("--out", type=click.Path(path_type=Path), help="Write the tables and the chart into this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def solve(
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
    found = read_suite(suite, variant).spread(count)
    sweeps = {kind: values for kind, values in given.items() if values}
    if len(sweeps) > 1:
        raise ArenaError("give one of --depth, --nodes and --seconds")
    with announcing_compilation():
        asked = asked_of(entries, found.variant, sweeps)
        used = available(workers, say)
        answered = _answers(found, asked, seed, used)
    tables = suite_tables(answered)
    files = [] if out is None else write_solved(tables, out)
    if as_json:
        click.echo(json.dumps(_document(found, seed, tables)))
    else:
        _show(found, tables)
        if files:
            echo(f"wrote {', '.join(map(str, files))}")
    if line := failed(answered):
        say(line)
        sys.exit(FAILED)


def asked_of(entries: Sequence[str], variant: Variant, sweeps: dict[str, Any]) -> list[PlayerSpec]:
    """The players of entries, once for each limit, all evaluations without any, and the baseline ONE_PLY.

    Each is built once. Exits with what is wrong.
    """
    specs = [_located(entry) for entry in entries] or evaluations(variant)
    asked: list[PlayerSpec] = []
    for spec in specs:
        names = {other.name for other in asked} | {ONE_PLY.name}
        named = next(name for name in _names(spec) if name not in names)
        limits = _limits(spec, sweeps)
        asked += (replace(spec, name=named, limit=limit) for limit in limits)
        for limit in {limits[0], limits[-1]}:
            try:
                begin_game(replace(spec, limit=limit), variant, variant.start, "0", Allowance())
            except PlayerError as error:
                raise ArenaError(f"--player: {error}") from None
            except PlayerFailure as error:
                raise ArenaError(f"--player: {named} {error} while it was built") from None
    close_players()
    return [*asked, ONE_PLY]


def evaluations(variant: Variant) -> list[PlayerSpec]:
    """A player for each evaluation that there is for a variant, named as it."""
    known = known_evaluations(variant)
    return [PlayerSpec(name, "negamax", Limit(), {"preset": "full", "evaluation": name}) for name in known]


def write_solved(tables: SuiteTables, folder: Path) -> list[Path]:
    """Write the tables and the chart of a suite into a folder; returns their paths."""
    from arena.report.charts.effort import plot_solved
    from arena.report.charts.style import save_png, svg

    folder.mkdir(parents=True, exist_ok=True)
    axes = plot_solved(tables.shares)
    picture = svg(axes)
    files: dict[str, Callable[[Path], object]] = {
        f"{name}.csv": partial(write_csv, table) for name, table in tables._asdict().items()
    }
    files |= {
        "solved.png": partial(save_png, axes),
        "solved.svg": partial(write_text, picture),
    }
    return [replace_file(folder / name, fill) for name, fill in files.items()]


def _located(entry: str) -> PlayerSpec:
    return located(player_spec(entry, "--player"), Path())


def _names(spec: PlayerSpec) -> Iterator[str]:
    """Names for a player, best first: its own, or where it has none its evaluation's or its type's."""
    evaluation = spec.options.get("evaluation")
    plain = spec.name
    if plain == spec.type[:NAME_CHARACTERS]:
        plain = Path(evaluation if isinstance(evaluation, str) else spec.type).name[:NAME_CHARACTERS]
    yield plain
    yield from (f"{plain} {number}" for number in range(2, sys.maxsize))


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
    every, answers = list(questions(suite, asked, seed)), list[SuiteAnswer]()
    what, total = "positions of players", len(every)
    if not carry_through(what, solve_question, every, total, answers.append, workers, Terminal(), question_name):
        say("stopped")
        sys.exit(STOPPED)
    return in_order(answers, asked)


def _show(suite: Suite, tables: SuiteTables) -> None:
    share, solution = tables.shares, tables.solutions
    echo(f"{suite.name}, {suite.variant.name}: % solved of {len(suite.puzzles)} positions ± 95 % interval")
    show_frame(shares_text(share))
    if len(solution):
        echo("\nsolved and solved under each greater limit, too; medians over all positions")
        show_frame(solutions_text(solution))
    if share["stratum"].nunique() > 1:
        echo("\n% solved by stratum, under the greatest limit")
        show_frame(strata_text(share))


def _document(suite: Suite, seed: int, tables: SuiteTables) -> dict[str, Any]:
    rows = {
        name: [{key: None if is_nan(value) else value for key, value in row.items()} for row in rows]
        for name in ("shares", "solutions")
        for rows in [getattr(tables, name).to_dict("records")]
    }
    found = {"suite": suite.name, "variant": suite.variant.name, "positions": len(suite.puzzles), "seed": seed}
    return found | rows
