"""The commands that play tournaments: run, match."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.number import signed
from arena.base.wording import counted, unknown
from arena.base.work import cores
from arena.commands.options import (
    FINITE,
    POSITIVE,
    Parsed,
    report_options,
    seed_option,
    watch_option,
    workers_option,
)
from arena.commands.output import STOPPED, echo, show_table
from arena.commands.waiting import Terminal, resumable
from arena.experiment.kept import KEPT_CONFIG
from arena.experiment.load import load, load_all, named_entries
from arena.experiment.names import distinct_names
from arena.experiment.yaml.errors import ConfigError, Mistake
from arena.experiment.yaml.values import inline, read
from arena.ledger.ledger import fits
from arena.play.carry_out import Outcome, play_runs
from arena.play.grading import graded_counts, grading_of
from arena.play.workers import Workers, is_here
from arena.ratings.match import Verdict
from players.loading import own_code

PLAYERS_FAILED = 3
"""Exit code of a run in which players failed, or were found faulty."""

_REPORT = "arena.commands.report"
"""The module that writes reports."""


@click.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@workers_option
@click.option("--no-report", "quiet", is_flag=True, help="Play only; `arena report` writes the report.")
@report_options
@click.option("--force", is_flag=True, help="Resume with other versions of packages than at the start.")
@watch_option
def run_command(
    config: Path,
    out: Path | None,
    workers: int | str | None,
    quiet: bool,
    force: bool,
    is_watched: bool,
    **wanted: Any,
) -> None:
    """Play the tournament that CONFIG describes and write its report.

    A run that was stopped goes on where it stopped when the same command is given again. Exit code 3: games were
    lost by players' failures, or players were found faulty, as the report's first notes say; 130: stopped
    by Ctrl-C.
    """
    if is_watched:
        from arena.commands.watching import watch

        if len(experiments := load_all(config)) > 1:
            raise ArenaError(f"{config} has several runs: --watch takes one")
        folder = out or Path("reports") / next(iter(experiments.values())).name
        watch(partial(load, config), folder, workers, config)
        return
    sys.exit(play_config(config, out, workers, quiet=quiet, force=force, **wanted))


def play_config(
    config: Path | Mapping[str, Any],
    out: Path | None,
    workers: Workers | None,
    *,
    name: str = "config",
    heading: str = "",
    quiet: bool = False,
    force: bool = False,
    **wanted: Any,
) -> int:
    """Play the runs of a file, or of a mapping with this `name`, and report unless `quiet`; the exit code.

    The `heading` is printed before the first game.
    """
    experiments = load_all(config, name=name)
    first = next(iter(experiments.values()))
    if (wanted.get("sheets") or "sheets" in first.report) and not any(map(own_code, first.players)):
        raise ArenaError(f"{config} has no submissions for sheets: no player has code of the user's own")
    folder = out or Path("reports") / first.name
    here = is_here(workers or first.workers or cores(), first.players)
    terminal = Terminal(None if quiet or here else _REPORT, heading=heading)
    codes = [0]
    with resumable(folder):
        for run, outcome in play_runs(experiments, folder, terminal, workers=workers, force=force):
            codes.append(_code(outcome))
            if outcome.complete and (grading := grading_of(experiments[run])):
                echo(graded_counts(folder / run, grading))
            if not quiet:
                from arena.commands.report import FAULTY, write_report

                codes.append(0 if write_report(folder / run, **wanted) else FAULTY)
    if quiet:
        echo(f"no report; this writes it:\narena report {folder}")
    elif len(experiments) > 1:
        from arena.commands.report import FAULTY, write_joint_report

        codes.append(0 if write_joint_report(folder, **wanted) else FAULTY)
    if STOPPED in codes:
        echo("stopped; rerun the same command to resume")
    return max(codes)


def _code(outcome: Outcome) -> int:
    """The exit code of a run."""
    return STOPPED if not outcome.complete else PLAYERS_FAILED if outcome.failed else 0


_LIMITS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"negamax": {"depth": 6}, "mcts": {"nodes": 1000}, "hybrid": {"nodes": 1000}}
)
"""By type the limit of a player without one."""
_OPENINGS = 50
TESTED = MappingProxyType({"random_plies": 6, "count": 1000})
"""The openings of a match that ends by itself."""
VERDICTS: Mapping[Verdict, int] = MappingProxyType({"H1": 0, "H0": 4, "continue": 5})
"""Exit codes of a match with a sequential test in which no player failed."""
_NAME_CHARACTERS = 80


def _openings(word: str) -> dict[str, Any]:
    """A number of random openings, or the name of a set, as a configuration has them."""
    return {"count": int(word)} if word.isdecimal() else {"set": word}


@click.command()
@click.argument("players", metavar="PLAYER PLAYER...", nargs=-1)
@click.option(
    "--pool",
    metavar="POOL",
    help="Find the Elo of one PLAYER among those of a pool, which stands fixed: english, or international-2026. "
    "Without PLAYER show the pool.",
)
@click.option("--variant", default="english", show_default=True, help="The rules: a name, or YAML.")
@click.option(
    "--openings",
    type=Parsed(_openings),
    metavar="N|SET",
    help=f"Each is played twice by any two players, colours swapped [{_OPENINGS} random ones; "
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
    help="End when the 95 % interval of every player is within ± ELO [with --pool: 20].",
)
@click.option("--max-plies", type=click.IntRange(1), metavar="N", help="Plies after which a game is a draw [300].")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<players>].")
@workers_option
@watch_option
def match_command(
    players: tuple[str, ...],
    pool: str | None,
    out: Path | None,
    workers: int | str | None,
    is_watched: bool,
    **options: Any,
) -> None:
    """Play a match of two players, or a round robin of more, and write its report.

    PLAYER is a player in short: simple@d6 (6 plies), mcts@n2000 (positions), my.py:racer@0.1s (seconds), level 4,
    greedy; or YAML as '{type: negamax, nodes: 2000}'. Without a limit a search has 6 plies, mcts and hybrid 1,000
    positions. The run's folder has its configuration, experiment.yaml, for `arena run`. The same command again
    resumes the run. Exit codes with --sprt: 0 if H1 was accepted, 4 if H0 was, 5 if neither.
    """
    if pool is None and len(players) < 2:
        raise ArenaError("name two players or more, as in: arena match simple@d6 greedy")
    with _in_words_of(players):
        if pool is not None:
            made = _placing(players, pool, out, watch=is_watched, **options)
            if made is None:
                return
            document, folder, heading = made
        else:
            document = _document(named_entries(players, _LIMITS), **options)
            if is_watched:
                from arena.commands.watching import watch

                folder = out or Path("reports") / document["name"]
                watch(partial(load, document), folder, workers, said=partial(_in_words_of, players))
                return
            document, folder = _with_folder(document, out, "match")
            kind = "match" if len(players) == 2 else "round robin"
            heading = f"a {kind}, kept with its configuration, {KEPT_CONFIG}, in {folder}"
        code = play_config(document, folder, workers, name="match", heading=heading)
    if code == 0 and "sprt" in document:
        from arena.report.load import load_run
        from arena.report.tables.outcomes import verdict

        code = VERDICTS[verdict(load_run(folder).sprt)]
    sys.exit(code)


def _document(
    players: Sequence[Mapping[str, Any]],
    variant: str,
    openings: dict[str, Any] | None,
    seed: int,
    sprt: tuple[float, float] | None,
    until: float | None,
    max_plies: int | None,
) -> dict[str, Any]:
    """The configuration of a match of these players."""
    rules = inline(variant, "VARIANT")
    names = [str(player["name"]) for player in players] + ([] if rules == "english" else [variant])
    document = {"name": slug(names), "variant": rules, "seed": seed, "players": players}
    document["openings"] = openings or (dict(TESTED) if sprt or until else {"count": _OPENINGS})
    document["format"] = "match" if len(players) == 2 else "round-robin"
    if sprt is not None:
        document["sprt"] = dict(zip(("elo0", "elo1"), sprt, strict=True))
    if until is not None:
        document["until"] = {"error": until}
    if max_plies is not None:
        document["max_plies"] = max_plies
    return document


def slug(names: Sequence[str]) -> str:
    """The name of a folder made of names: "simple-d6-racer-d6"."""
    words = re.sub(r"[^A-Za-z0-9._]+", "-", "-".join(names))
    return words[:_NAME_CHARACTERS].strip("-._") or "match"


def _with_folder(document: Mapping[str, Any], out: Path | None, command: str) -> tuple[dict[str, Any], Path]:
    """The configuration of a command, and the folder of its run: a new one, or one whose games count in it.

    Where another configuration is, the run gets a number after its name; with `out` ArenaError is raised. Raises
    ConfigError.
    """
    base = document["name"]
    for name in chain([base], (f"{base}-{number}" for number in count(2))):
        folder, named = out or Path("reports") / name, {**document, "name": name}
        (experiment,) = load_all(named, name=command).values()
        if fits(folder, experiment):
            return named, folder
        if out is not None:
            raise ArenaError(f"{out} holds something else: give another --out")
    raise AssertionError("unreachable: there is always another number")


@contextmanager
def _in_words_of(players: Sequence[str]) -> Iterator[None]:
    """Raise a ConfigError as one that names the player or the option that it is about, as the command has them."""

    def about(problem: Mistake) -> str:
        match problem.keys:
            case ("players", int(number), *_) if number < len(players):
                return players[number]
            case (str(key), *_) if key != "players":
                return f"--{key}"
        return ""

    try:
        yield
    except ConfigError as error:
        raise ArenaError("\n".join(problem.in_line(about(problem)) for problem in error.problems)) from None


POOLS = Path(__file__).with_name("pools")
_PLACED_WITHIN = 20.0
"""Elo to which the games alone tell that of a newcomer, without --until."""


def _placing(
    players: Sequence[str], name: str, out: Path | None, seed: int, until: float | None, **others: Any
) -> tuple[dict[str, Any], Path, str] | None:
    """The configuration of a gauntlet of a player against a pool, its folder and its heading.

    None, and the pool is shown, without a player. `others` are the options of a match that a pool settles.
    """
    for key, value in others.items():
        if value not in (None, False, "english"):
            raise ArenaError(f"--{key.replace('_', '-')} does not go with --pool, which has its own games")
    pool = read(_pool_file(name)).data
    if not players:
        _show_pool(pool)
        return None
    if len(players) > 1:
        raise ArenaError(f"--pool places one player, not {len(players)}")
    (entry,) = named_entries(players, _LIMITS)
    if entry["name"] in pool["anchor"]:
        unnamed = {key: value for key, value in entry.items() if key != "name"}
        entry = {**unnamed, "name": distinct_names([*pool["players"], unnamed])[-1]}
    document = {
        **pool,
        "name": slug([str(entry["name"]), pool["name"]]),
        "seed": seed,
        "format": {"type": "gauntlet", "seeds": [entry["name"]]},
        "until": {"error": until or _PLACED_WITHIN},
        "players": [entry, *pool["players"]],
    }
    document, folder = _with_folder(document, out, "match")
    among = f"{counted(len(pool['players']), 'player')} of {pool['name']}"
    within = document["until"]["error"]
    heading = (
        f"{entry['name']} against the {among} until games alone tell its Elo to ± {within:g}, kept in {folder}"
    )
    return document, folder, heading


def _pool_file(name: str) -> Path:
    """The file of a pool; of "english" the newest."""
    files = sorted(POOLS.glob("*.yaml"))
    named = [file for file in files if name in (file.stem, file.stem.rpartition("-")[0])]
    if not named:
        raise ArenaError(f"--pool: {unknown('pool', name, [file.stem for file in files])}")
    return named[-1]


def _show_pool(pool: Mapping[str, Any]) -> None:
    """Print the players of a pool, the strongest first."""
    players = sorted(pool["anchor"].items(), key=lambda row: -row[1])
    echo(f"{pool['name']}: {counted(len(players), 'player')}, openings {pool['openings']['set']}")
    show_table(("player", "Elo"), [(player, signed(elo)) for player, elo in players])
