"""The command that looks before anything is played: check."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from arena.base import ArenaError
from arena.base.number import duration
from arena.base.wording import counted, cut, joined
from arena.commands.options import VARIANT, json_option, refuse, workers_option
from arena.commands.output import echo, show_json
from arena.experiment.names import playing_in
from arena.experiment.yaml.values import inline
from arena.play.pilot import PILOT_SECONDS, Expectation, check
from arena.play.workers import Workers
from arena.rules.board import board_text
from arena.rules.position import COLOURS
from arena.rules.variants import VARIANTS, Variant
from arena.watch.display import Display
from players.examine import examine
from players.loading import Finding, Level

_PRINTED_LINES = 5
"""Lines of what a player printed that are shown, the last ones."""


@click.command()
@click.argument("what", metavar="CONFIG|EVALUATION")
@click.argument("variant", type=VARIANT, required=False)
@workers_option
@json_option
def check_command(what: str, variant: Variant | None, workers: Workers | None, as_json: bool) -> int:
    """List what is wrong with CONFIG, a YAML file, before it is played, and say what its run will take and show.

    Every player is built, and your own play a few short games: are their moves legal, their limits kept, and their
    moves the same from the same seed, whatever they played before? If nothing is wrong, games of ten seconds say
    how long the run takes and what Elo it can tell; they are not kept.

    Of an EVALUATION, file.py:function or what else a configuration takes, on positions of VARIANT [english]: is it
    finite, below the scores of wins, right in sign, from the side to move's view, and how fast is it? Of a file
    alone its only @evaluator is examined. The exit code is 1 if something is wrong.
    """
    if not what.endswith((".yaml", ".yml")) and not (Path(what).is_file() and not what.endswith(".py")):
        refuse("is for a configuration, not an evaluation", workers=workers, json=as_json)
        return _examine(what, variant or VARIANTS["english"])
    if variant is not None:
        raise ArenaError(f"{what} has its rules: leave out {variant.name}")
    return _check(Path(what), workers, as_json)


def _check(config: Path, workers: Workers | None, as_json: bool) -> int:
    """Print what is found of a configuration as it is found; the exit code."""
    findings: list[tuple[str, Finding]] = []
    expected: dict[str, Expectation] = {}
    for run, found in check(config, workers=workers, observer=Display()):
        if isinstance(found, Expectation):
            expected[run] = found
        else:
            findings.append((run, found))
        if as_json:
            continue
        if isinstance(found, Expectation):
            echo(_expected_lines(found))
            continue
        warning = " (warning)" if found.level == "warning" else ""
        echo(": ".join(filter(None, (run, found.where, found.words))) + warning)
        for line in found.output.splitlines()[-_PRINTED_LINES:]:
            echo(f"  | {cut(line)}")
    if as_json:
        plans = {run: each._asdict() for run, each in expected.items()}
        rows = [
            {"run": run, "level": found.level, "where": found.where, "what": found.words}
            for run, found in findings
        ]
        show_json({"findings": rows, "runs": plans})
    elif len(expected) > 1 and None not in (times := [each.seconds for each in expected.values()]):
        echo(f"all {len(expected)} runs: {duration(sum(filter(None, times)))}")
    levels = [found.level for _, found in findings]
    return int("error" in levels) if as_json else _end(levels)


def _end(levels: Sequence[Level]) -> int:
    """Print how many problems there are; the exit code."""
    errors, warnings = levels.count("error"), levels.count("warning")
    also = f", {counted(warnings, 'warning')}" if warnings else ""
    echo(f"\n{counted(errors, 'problem') if errors else 'no problems'}{also}")
    return int(errors > 0)


def _expected_lines(expected: Expectation) -> str:
    """What a run takes and shows: its games, their time, and the difference that they can tell."""
    most = "" if expected.exact else "at most "
    searches = f"; {expected.searches:,} searches of the positions of suites" if expected.searches else ""
    games = f"{most}{expected.games:,} games, {most}{expected.games_per_pairing} of two players who meet{searches}"
    lines = [expected.title, f"  {games}"]
    workers = counted(expected.workers, "worker")
    if expected.costly:
        lines.append(f"  no game was played to measure its time: {joined(expected.costly)} would cost money")
    elif expected.seconds is None or expected.seconds_per_game is None:
        least = duration(PILOT_SECONDS * expected.games / expected.workers)
        lines.append(f"  {most}more than {least} on {workers}: no game ended within {PILOT_SECONDS:g} s")
    else:
        lines.append(f"  {most}{duration(expected.seconds)} on {workers}")
        played = f"{counted(expected.pilot_games, 'game')}, {100 * expected.draw_rate:.0f} % draws"
        lines.append(f"  {expected.seconds_per_game:.3g} s a game, by a pilot of {played}")
    lines.append(
        f"  one pairing's games show a difference of {expected.pairing_elo:.0f} Elo with a chance of 80 %"
    )
    return "\n".join(lines if expected.games else lines[:2])


def _examine(evaluation: str, variant: Variant) -> int:
    """Print what an examination of an evaluation finds, with its speed and three boards; the exit code."""
    names = list(playing_in(Path(evaluation), "evaluation")) if evaluation.endswith(".py") else []
    evaluation = f"{evaluation}:{names[0]}" if len(names) == 1 else evaluation
    examination = examine(inline(evaluation, "EVALUATION"), variant)
    echo(f"{evaluation}, {variant.name}")
    for finding in examination.findings:
        echo(f"  {finding.level:8} {finding.words}")
    if examination.nanoseconds is not None:
        echo(f"  {examination.nanoseconds:.0f} ns a call, {examination.simple:.0f} ns for simple")
    for position, value in examination.samples:
        echo(f"\n{board_text(variant, position)}, value for {COLOURS[position.turn].capitalize()}: {value:.6g}")
    return _end([finding.level for finding in examination.findings])
