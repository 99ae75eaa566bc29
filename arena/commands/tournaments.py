"""The commands that play tournaments: run, match, place."""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
import yaml

from arena.base.errors import ArenaError
from arena.base.files import replace
from arena.base.number import signed
from arena.base.wording import counted, unknown
from arena.base.writing import write_text
from arena.commands.options import (
    FINITE,
    POSITIVE,
    check_report_options,
    report_options,
    seed_option,
    workers_option,
)
from arena.commands.output import STOPPED, echo, say, show_frame
from arena.commands.waiting import Terminal, lost_workers
from arena.experiment.kept import seen_from
from arena.experiment.load import load, load_all, player_spec, player_specs
from arena.experiment.model import entry_of
from arena.experiment.names import distinct_names
from arena.experiment.yaml.errors import ConfigError, problem_line
from arena.experiment.yaml.values import Source, inline, yaml_text
from arena.ledger.ledger import info_in
from arena.play.options import OPTIONS
from arena.play.options.option import RunPaused
from arena.play.prepare import prepare
from arena.play.ready import Tournament
from arena.play.tournament import Outcome, Unreachable, available, carry_out
from arena.play.workers import IN_PROCESS, Workers, kept_workers
from arena.ratings.match import Verdict
from players.identity import now, placed
from players.loading import own_code
from players.player import PlayerSpec

INCIDENTS = 3
"""Exit code of a run in which players failed, or were found faulty."""

REPORT = "arena.commands.report"
"""The module that writes reports."""


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@workers_option
@click.option("--no-report", "quiet", is_flag=True, help="Play only; `arena report` writes the report.")
@report_options
@click.option("--force", is_flag=True, help="Resume with other versions of packages than at the start.")
@kept_workers()
def run(
    config: Path, out: Path | None, workers: int | str | None, quiet: bool, force: bool, **wanted: Any
) -> None:
    """Play the tournament that CONFIG describes and write its report.

    A run that was stopped goes on where it stopped when the same command is given again. Exit code 3: games were
    lost by players' failures, or players were found faulty, as the report's first notes say; 6: the budget is
    spent; 7: a service was not reachable; 130: stopped by Ctrl-C.
    """
    check_report_options(wanted)
    experiments, terminal = load_all(config), Terminal()
    first = next(iter(experiments.values()))
    if len(experiments) > 1 and wanted["anonymous"]:
        raise ArenaError("--anonymous takes one run: `arena report --anonymous` writes each when they are played")
    if wanted["sheets"] and not any(map(own_code, first.players)):
        raise ArenaError(f"{config} has no submissions for --sheets: no player has code of the user's own")
    folder = out or Path("reports") / first.name
    used = available(workers or first.workers, say)
    runs = {name: prepare(experiment, folder / name, terminal, used) for name, experiment in experiments.items()}
    sys.exit(play_all(runs, folder, used, quiet=quiet, force=force, **wanted))


def play_all(
    runs: Mapping[str, Tournament],
    folder: Path,
    workers: Workers,
    *,
    quiet: bool = False,
    force: bool = False,
    **wanted: Any,
) -> int:
    """Play runs that are kept in a folder, by their names, and report unless `quiet`; the exit code."""
    if len(runs) > 1:
        from arena.report.load import list_runs

        list_runs(folder, next(iter(runs.values())).experiment.name, list(runs))
    terminal = Terminal(None if quiet or IN_PROCESS in os.environ else REPORT)
    codes = [0]
    for number, (name, tournament) in enumerate(runs.items(), start=1):
        if len(runs) > 1:
            say(f"{name}, run {number} of {len(runs)}:")
        try:
            with lost_workers(folder / name):
                outcome = carry_out(tournament, folder / name, terminal, workers, force=force)
            codes.append(STOPPED if not outcome.complete else INCIDENTS if outcome.failed else 0)
        except RunPaused as error:
            say(str(error))
            outcome = Outcome(complete=False, failed=False)
            codes.append(error.code)
        for option in OPTIONS if outcome.complete else ():
            if words := option.summary(tournament.experiment, folder / name):
                echo(words)
        if not quiet:
            from arena.commands.report import FAULTY, write_report

            codes.append(0 if write_report(folder / name, **wanted) else FAULTY)
        if not outcome.complete:
            break
    if quiet:
        echo(f"no report; arena report {folder} writes it")
    elif len(runs) > 1:
        from arena.commands.report import FAULTY, write_joint_report

        codes.append(0 if write_joint_report(folder, **wanted) else FAULTY)
    if STOPPED in codes or Unreachable.code in codes:
        echo("stopped; rerun the same command to resume")
    return max(codes)


LIMITS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"negamax": {"depth": 6}, "mcts": {"nodes": 1000}, "hybrid": {"nodes": 1000}}
)
"""By type the limit of a player without one."""
OPENINGS = 50
TESTED = MappingProxyType({"random_plies": 6, "count": 1000})
"""The openings of a match that ends by itself."""
VERDICTS: Mapping[Verdict, int] = MappingProxyType({"H1": 0, "H0": 4, "continue": 5})
"""Exit codes of a match with a sequential test in which no player failed."""
_NAME_CHARACTERS = 80


class OpeningsType(click.ParamType):
    """A number of random openings, or the name of a set."""

    name = "openings"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "N|SET"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:
        return {"count": int(value)} if str(value).isdecimal() else {"set": str(value)}


@click.command()
@click.argument("players", metavar="PLAYER PLAYER...", nargs=-1)
@click.option("--variant", default="english", show_default=True, help="The rules: a name, or YAML.")
@click.option(
    "--openings",
    type=OpeningsType(),
    help=f"Each is played twice by any two players, colours swapped [{OPENINGS} random ones; "
    f"with --sprt or --until up to {TESTED['count']}].",
)
@seed_option
@click.option(
    "--sprt",
    nargs=2,
    type=FINITE,
    metavar="ELO0 ELO1",
    help="End when a sequential test of two players is decided.",
)
@click.option(
    "--until",
    type=POSITIVE,
    metavar="ELO",
    help="End when the 95 % interval of every player is within ± ELO.",
)
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<players>].")
@workers_option
@kept_workers()
def match(
    players: tuple[str, ...],
    out: Path | None,
    workers: int | str | None,
    **options: Any,
) -> None:
    """Play a match of two players, or a round robin of more, and write its report.

    PLAYER is a player in short: simple@d6 (6 plies), mcts@n2000 (positions), my.py:racer@0.1s (seconds), level 4,
    greedy; or YAML as '{type: negamax, nodes: 2000}'. Without a limit a search has 6 plies, mcts and hybrid 1,000
    positions. The configuration is written into the run's folder, for `arena run`. The same command again resumes
    the run. Exit codes with --sprt: 0 if H1 was accepted, 4 if H0 was, 5 if neither.
    """
    if len(players) < 2:
        raise ArenaError("name two players or more, as in: arena match simple@d6 greedy")
    used = available(workers, say)
    try:
        specs = player_specs(players, LIMITS)
        file, tournament = written(_document(specs, **options), specs, out, "match", used)
    except ConfigError as error:
        raise ArenaError(in_words(error, players)) from None
    kind = "match" if len(specs) == 2 else "round robin"
    most = "" if tournament.exact else "at most "
    echo(f"a {kind} of {most}{counted(tournament.games, 'game')}; its configuration: {file}")
    code = play_all({"": tournament}, file.parent, used)
    if code == 0 and tournament.experiment.sprt is not None:
        from arena.report.load import load as load_run
        from arena.report.tables.decided import verdict

        code = VERDICTS[verdict(load_run(file.parent).sprt)]
    sys.exit(code)


def _document(
    specs: Sequence[PlayerSpec],
    variant: str,
    openings: dict[str, Any] | None,
    seed: int,
    sprt: tuple[float, float] | None,
    until: float | None,
) -> dict[str, Any]:
    """The configuration of a match of these players, but for `players`."""
    rules = inline(variant, "VARIANT")
    names = [spec.name for spec in specs] + ([] if rules == "english" else [variant])
    document = {"name": slug(names), "variant": rules, "seed": seed}
    document["openings"] = openings or (dict(TESTED) if sprt or until else {"count": OPENINGS})
    document["format"] = "match" if len(specs) == 2 else "round-robin"
    if sprt is not None:
        document["sprt"] = dict(zip(("elo0", "elo1"), sprt, strict=True))
    if until is not None:
        document["until"] = {"error": until}
    return document


def slug(names: Sequence[str]) -> str:
    """The name of a folder made of names: "simple-d6-racer-d6"."""
    words = re.sub(r"[^A-Za-z0-9._]+", "-", "-".join(names))
    return words[:_NAME_CHARACTERS].strip("-._") or "match"


def written(
    document: Mapping[str, Any], specs: Sequence[PlayerSpec], out: Path | None, command: str, workers: Workers
) -> tuple[Path, Tournament]:
    """Write the configuration of a command into the folder of its run, unless it is there; the file, made ready.

    It is `document` with the players, in `<command>.yaml`. Where another configuration is, or files of players
    differed, the run gets a number after its name; with `out` ArenaError is raised. Raises ConfigError, with
    nothing written, if it cannot be played.
    """
    experiment = load({**document, "players": [entry_of(spec) for spec in specs]})
    base = document["name"]
    for name in chain([base], (f"{base}-{number}" for number in count(2))):
        file = (out or Path("reports") / name) / f"{command}.yaml"
        entries = [entry_of(seen_from(file.parent, spec, Path())) for spec in specs]
        text = yaml_text({**document, "name": name, "players": entries})
        if not file.parent.exists() or _is_of(file, text):
            break
        if out is not None:
            raise ArenaError(f"{out} holds something else: give another --out")
    if file.exists():
        experiment = load(file)
    tournament = prepare(experiment, file.parent, Terminal(), workers)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        words = (
            f"# Written by arena {command}. Change what you like, its name, too, and play it: arena run {file}\n"
        )
        replace(file, partial(write_text, words + text))
    return file, tournament._replace(entrants=tournament.entrants._replace(experiment=load(file)))


def _is_of(file: Path, text: str) -> bool:
    """Whether a folder's run has this configuration and, if it began, the same files of players."""
    if not file.is_file():
        return not any(file.parent.iterdir())
    if Source(file).read() != yaml.safe_load(text):
        return False
    before, home = getattr(info_in(file.parent), "files", {}), file.parent
    return placed(now(before, home), home) == before


def in_words(error: ConfigError, players: Sequence[str]) -> str:
    """The problems, each after the player or the option that it is about."""

    def about(place: str) -> str:
        keys = re.match(r"config\['(\w+)'\](?:\[(\d+)\])?", place)
        if keys is None:
            return place
        return players[int(keys[2])] if keys[1] == "players" and keys[2] else f"--{keys[1]}"

    return "\n".join(problem_line(about(place), message) for place, _, _, message in error.problems)


POOLS = Path(__file__).with_name("pools")


@click.command()
@click.argument("player", required=False)
@click.option("--pool", "name", metavar="POOL", help="Such as international, or english-2026 [english].")
@click.option(
    "--error",
    type=POSITIVE,
    default=20.0,
    metavar="ELO",
    help="End when the 95 % interval of its Elo is within ± ELO [20].",
)
@seed_option
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<player>-<pool>].")
@workers_option
@kept_workers()
def place(
    player: str | None,
    name: str | None,
    error: float,
    seed: int,
    out: Path | None,
    workers: int | str | None,
) -> None:
    """Find the Elo of PLAYER against the players of a pool; without PLAYER list the pools.

    PLAYER is as for `arena match`: simple@d6, my.py:racer@0.1s, or YAML. It plays a gauntlet against the pool,
    whose Elo is fixed, until its own is sure. The games are kept as a run, with its configuration, which
    `arena run` plays, too. The same command again resumes the run.
    """
    if player is None:
        for file in [_pool_file(name)] if name else sorted(POOLS.glob("*.yaml")):
            _show_pool(_pool_in(file))
        return
    pool, used = _pool_in(_pool_file(name or "english")), available(workers, say)
    try:
        (spec,) = player_specs([player], LIMITS)
        if spec.name in pool["anchor"]:
            unnamed = {key: value for key, value in entry_of(spec).items() if key != "name"}
            spec = dataclasses.replace(spec, name=distinct_names([*pool["players"], unnamed])[-1])
        document = {
            **pool,
            "name": slug([spec.name, pool["name"]]),
            "seed": seed,
            "format": {"type": "gauntlet", "seeds": [spec.name]},
            "until": {"error": error},
        }
        specs = [spec, *(player_spec(entry) for entry in pool["players"])]
        file, tournament = written(document, specs, out, "place", used)
    except ConfigError as wrong:
        raise ArenaError(in_words(wrong, [player])) from None
    among = f"{counted(len(pool['players']), 'player')} of {pool['name']}"
    echo(f"{spec.name} against the {among} until its Elo is within ± {error:g}; the configuration: {file}")
    sys.exit(play_all({"": tournament}, file.parent, used))


def _pool_file(name: str) -> Path:
    """The file of a pool; of "english" the newest."""
    files = sorted(POOLS.glob("*.yaml"))
    named = [file for file in files if name in (file.stem, file.stem.rpartition("-")[0])]
    if not named:
        raise ArenaError(f"--pool: {unknown('pool', name, [file.stem for file in files])}")
    return named[-1]


def _pool_in(file: Path) -> Any:
    return Source(file).read()


def _show_pool(pool: dict[str, Any]) -> None:
    """Print the players of a pool, the strongest first."""
    import pandas as pd

    players = sorted(pool["anchor"].items(), key=lambda row: -row[1])
    echo(f"{pool['name']}: {counted(len(players), 'player')}, openings {pool['openings']['set']}")
    show_frame(pd.DataFrame([(player, signed(elo)) for player, elo in players], columns=["player", "Elo"]))
