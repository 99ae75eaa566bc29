"""The command that finds the Elo of a player against a pool of players whose Elo is fixed: place."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.number import signed
from arena.base.wording import counted, unknown
from arena.commands.common import Finite, workers_option
from arena.commands.match import LIMITS, in_words, slug, written
from arena.commands.output import echo, say, show_frame
from arena.commands.tournaments import play_all
from arena.experiment.load import player_spec, player_specs
from arena.experiment.model import entry_of
from arena.experiment.names import distinct_names
from arena.experiment.yaml.errors import ConfigError
from arena.experiment.yaml.values import Source
from arena.play.tournament import available
from arena.play.workers import kept_workers

POOLS = Path(__file__).with_name("pools")


@click.command()
@click.argument("player", required=False)
@click.option("--pool", "name", metavar="POOL", help="Such as international, or english-2026 [english].")
@click.option(
    "--error",
    type=Finite(0, min_open=True),
    default=20.0,
    show_default=True,
    help="End when the 95 % interval of its Elo is within ± ERROR.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The source of all chance.")
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
        for file in [_file(name)] if name else sorted(POOLS.glob("*.yaml")):
            _show(_read(file))
        return
    pool, used = _read(_file(name or "english")), available(workers, say)
    try:
        (spec,) = player_specs([player], LIMITS)
        if spec.name in pool["anchor"]:
            unnamed = {key: value for key, value in entry_of(spec).items() if key != "name"}
            spec = replace(spec, name=distinct_names([*pool["players"], unnamed])[-1])
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


def _file(name: str) -> Path:
    """The file of a pool; of "english" the newest."""
    files = sorted(POOLS.glob("*.yaml"))
    named = [file for file in files if name in (file.stem, file.stem.rpartition("-")[0])]
    if not named:
        raise ArenaError(f"--pool: {unknown('pool', name, [file.stem for file in files])}")
    return named[-1]


def _read(file: Path) -> Any:
    return Source(file).read()


def _show(pool: dict[str, Any]) -> None:
    """Print the players of a pool, the strongest first."""
    import pandas as pd

    players = sorted(pool["anchor"].items(), key=lambda row: -row[1])
    echo(f"{pool['name']}: {counted(len(players), 'player')}, openings {pool['openings']['set']}")
    show_frame(pd.DataFrame([(player, signed(elo)) for player, elo in players], columns=["player", "Elo"]))
