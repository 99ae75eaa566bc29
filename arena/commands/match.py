"""The command that plays a match of players named in its line: match."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, count
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from arena.base import ArenaError
from arena.commands.catalogue import pool_named
from arena.commands.options import (
    FINITE,
    PATH,
    POSITIVE,
    Parsed,
    refuse,
    seed_option,
    watch_option,
    workers_option,
)
from arena.commands.tournaments import play_config
from arena.commands.watching import watch
from arena.experiment.load import load_all, named_entries
from arena.experiment.model import Experiment
from arena.experiment.names import distinct_names
from arena.experiment.yaml.values import ConfigError, Mistake, inline
from arena.ledger.ledger import fits
from arena.play.workers import Workers
from arena.ratings.match import Verdict

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
_PLACED_WITHIN = 20.0
"""Half width in Elo of a newcomer's interval, by its games alone, without --until."""


_PLAYED = f"Each is played twice, colours swapped [{_OPENINGS}; with --sprt or --until up to {TESTED['count']}]."


def _openings(word: str) -> dict[str, Any]:
    """A number of random openings, or the name of a set, as a configuration has them."""
    return {"count": int(word)} if word.isdecimal() else {"set": word}


@click.command()
@click.argument("players", metavar="PLAYER PLAYER...", nargs=-1)
@click.option(
    "--pool", metavar="POOL", help="Find the Elo of one PLAYER against a pool of players whose Elo is fixed."
)
@click.option("--variant", help="The rules: a name, or YAML [english].")
@click.option("--openings", type=Parsed(_openings), metavar="N|SET", help=_PLAYED)
@seed_option
@click.option("--sprt", nargs=2, type=FINITE, metavar="ELO0 ELO1", help="End when a test of two is decided.")
@click.option("--until", type=POSITIVE, metavar="ELO", help="End when all intervals are ± ELO [with --pool: 20].")
@click.option("--max-plies", type=click.IntRange(1), metavar="N", help="Plies after which a game is a draw [300].")
@click.option("--out", type=PATH, help="Folder of the run [reports/<players>].")
@workers_option
@watch_option
def match_command(
    players: tuple[str, ...],
    pool: str | None,
    out: Path | None,
    workers: Workers | None,
    is_watched: bool,
    **given: Any,
) -> int:
    """Play a match of two players, or a round robin of more, and write its report.

    PLAYER is a player in short: simple@d6 (6 plies), mcts@n2000 (positions), my.py:racer@0.1s (seconds), level 4,
    greedy; or YAML as '{type: negamax, nodes: 2000}'. Without a limit a search has 6 plies, mcts and hybrid 1,000
    positions. The run's folder has its configuration, experiment.yaml, for `arena run`. The same command again
    resumes the run. Exit codes with --sprt: 0 if H1 was accepted, 4 if H0 was, 5 if neither.
    """
    if len(players) < (least := 2 if pool is None else 1):
        raise ArenaError(
            f"name {'two players or more' * (least == 2) or 'the player to place'}: arena match --help"
        )
    with _in_words_of(players):
        if pool is not None:
            document = _placing(players, pool, watch=is_watched, **given)
        else:
            document = _document(named_entries(players, _LIMITS), **given)
        if is_watched:
            folder, words = out or Path("reports") / document["name"], partial(_in_words_of, players)
            watch(partial(_experiment, document), folder, workers, rewording=words)
            return 0
        document, folder = _with_folder(document, out)
        code = play_config(document, folder, workers, name="match")
    if code == 0 and "sprt" in document:
        from arena.report.load import load_run
        from arena.report.tables.outcomes import verdict

        return VERDICTS[verdict(load_run(folder).sprt)]
    return code


def _experiment(document: Mapping[str, Any]) -> Experiment:
    """The experiment that the configuration of a match describes."""
    (experiment,) = load_all(document, name="match").values()
    return experiment


def _document(
    players: Sequence[Mapping[str, Any]],
    variant: str | None,
    openings: dict[str, Any] | None,
    seed: int,
    sprt: tuple[float, float] | None,
    until: float | None,
    max_plies: int | None,
) -> dict[str, Any]:
    """The configuration of a match of these players."""
    names = [str(player["name"]) for player in players] + [variant] * (variant not in (None, "english"))
    document: dict[str, Any] = {
        "name": slug(list(filter(None, names))),
        "variant": inline(variant or "english", "VARIANT"),
        "seed": seed,
        "players": players,
        "openings": openings or (dict(TESTED) if sprt or until else {"count": _OPENINGS}),
        "format": "match" if len(players) == 2 else "round-robin",
    }
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


def _placing(players: Sequence[str], name: str, seed: int, until: float | None, **others: Any) -> dict[str, Any]:
    """The configuration of a gauntlet of a player against a pool; `others` are the options that a pool settles."""
    refuse("does not go with --pool, which has its own games", **others)
    try:
        pool = pool_named(name)
    except ConfigError:
        raise
    except ArenaError as error:
        raise ArenaError(f"--pool: {error}") from None
    if len(players) > 1:
        raise ArenaError(f"--pool places one player, not {len(players)}")
    (entry,) = named_entries(players, _LIMITS)
    if entry["name"] in pool["anchor"]:
        unnamed = {key: value for key, value in entry.items() if key != "name"}
        entry = {**unnamed, "name": distinct_names([*pool["players"], unnamed])[-1]}
    return {
        **pool,
        "name": slug([str(entry["name"]), pool["name"]]),
        "seed": seed,
        "format": {"type": "gauntlet", "seeds": [entry["name"]]},
        "until": {"error": until or _PLACED_WITHIN},
        "players": [entry, *pool["players"]],
    }


def _with_folder(document: Mapping[str, Any], out: Path | None) -> tuple[dict[str, Any], Path]:
    """The configuration of a match, and the folder of its run: a new one, or one whose games count in it.

    Where another configuration is, the run gets a number after its name; with `out` ArenaError is raised. Raises
    ConfigError.
    """
    base = document["name"]
    for name in chain([base], (f"{base}-{number}" for number in count(2))):
        folder, named = out or Path("reports") / name, {**document, "name": name}
        if fits(folder, _experiment(named)):
            return named, folder
        if out is not None:
            raise ArenaError(f"{out} holds something else: give another --out")
    raise AssertionError("unreachable: there is always another number")


@contextmanager
def _in_words_of(players: Sequence[str]) -> Iterator[None]:
    """Turn a ConfigError into one that names the player or the option as the command line has it."""

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
