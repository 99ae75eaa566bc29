"""Commands that look for mistakes before anything is played: check, doctor."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path

import click

from arena.commands.common import VARIANT, announcing_compilation
from arena.commands.output import echo, say
from arena.experiment.load import command_for, load_all
from arena.experiment.yaml.errors import ConfigError
from arena.experiment.yaml.values import inline
from arena.learning.config import load_learning
from arena.learning.loop import Rehearsal, prepare, rehearsal
from arena.play.doctor import diagnose
from arena.rules.board import board_text
from arena.rules.position import COLOURS
from arena.rules.variants import Variant
from players.examine import Examination, Finding, examined


@click.command()
@click.argument("evaluation")
@click.argument("variant", type=VARIANT, default="english")
def check(evaluation: str, variant: Variant) -> None:
    """Examine an EVALUATION, file.py:function or what else a configuration takes, on positions of VARIANT.

    Is it finite, below the scores of wins, right in sign, from the side to move's view, and how fast is it? The
    exit code is 1 if something is wrong.
    """
    say(f"examining {evaluation} in {variant.name}")
    described = inline(evaluation, "EVALUATION")
    examination = examined(described, variant)
    echo(f"{evaluation}, {variant.name}")
    for finding in examination.findings:
        echo(f"  {finding.level:8} {finding.message}")
    _show_examples(variant, examination)
    _end(examination.findings)


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
def doctor(config: Path) -> None:
    """List everything that is wrong with CONFIG, a tournament or a learning run, before it is played.

    Every player is built and plays a few short games: are its moves legal, its limits kept, and its moves the same
    from the same seed, whatever it played before? Own evaluations are examined as `arena check` does. The exit
    code is 1 if there are problems.
    """
    learning = rehearsed(config)
    found: list[Finding] = []
    try:
        experiments = {"": learning.experiment} if learning else load_all(config)
    except ConfigError as error:
        try:
            experiments = load_all(config, renamed=True)
        except ConfigError:
            raise error from None
        echo(str(error))
        found += [Finding("error", message) for *_, message in error.problems]
    with announcing_compilation():
        for run, experiment in experiments.items():
            about = f"{run}: " if run else ""
            folder = Path("reports") / experiment.name / run
            for finding in diagnose(experiment, folder, partial(_say_of, about)):
                found.append(finding)
                warned = "" if finding.level == "error" else " (warning)"
                echo(f"{about}{finding.where}: {finding.message}{warned}")
    _end(found)


def rehearsed(config: Path) -> Rehearsal | None:
    """The match and the number of games of a learning run, None for a file with a tournament.

    Builds its players, and draws the openings of its last match. Exits with what is wrong.
    """
    if command_for(config) == "run":
        return None
    with announcing_compilation():
        return rehearsal(prepare(load_learning(config)))


def _say_of(about: str, text: str) -> None:
    say(about + text)


def _show_examples(variant: Variant, examination: Examination) -> None:
    if examination.nanoseconds is not None:
        echo(f"  {examination.nanoseconds:.0f} ns a call, {examination.simple:.0f} ns for simple")
    for position, value in examination.shown:
        echo(f"\n{board_text(variant, position)}, value for {COLOURS[position.turn].capitalize()}: {value:.6g}")


def _end(findings: list[Finding] | tuple[Finding, ...]) -> None:
    errors = sum(finding.level == "error" for finding in findings)
    warnings = sum(finding.level == "warning" for finding in findings)
    also = f", {warnings} warning{'s' if warnings > 1 else ''}" if warnings else ""
    echo(f"\n{errors or 'no'} problem{'' if errors == 1 else 's'}{also}")
    sys.exit(1 if errors else 0)
