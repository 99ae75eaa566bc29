"""The command that places a player in a pool, on a scale that stays as it is: place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from arena.base.wording import counted
from arena.commands.common import announcing_compilation, workers_option
from arena.commands.match import LIMITS, in_words, slug, written
from arena.commands.output import echo, fail, show_frame
from arena.commands.tournaments import run
from arena.experiment.formats.information import rated_pool
from arena.experiment.load import load, player_specs
from arena.experiment.model import entry_of
from arena.experiment.names import distinct_names
from arena.experiment.pools import Pool, full_name, names_of_pools, pool_named
from arena.experiment.yaml.errors import ConfigError
from arena.play.plan import prepare
from arena.report.tables.standings import STANDINGS, rated
from arena.rules.position import BLACK
from arena.rules.variants import VARIANTS
from players.player import PlayerSpec


@click.command()
@click.argument("player", required=False)
@click.option("--pool", "name", metavar="POOL", help="Such as international, or english-2026 [english].")
@click.option(
    "--error",
    type=click.FloatRange(0, min_open=True),
    default=20.0,
    show_default=True,
    help="End when the 95 % interval of its Elo is within ± ERROR.",
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The source of all chance.")
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<player>-<pool>].")
@workers_option
@click.pass_context
def place(
    context: click.Context,
    player: str | None,
    name: str | None,
    error: float,
    seed: int,
    out: Path | None,
    workers: int | str | None,
) -> None:
    """Find the Elo of PLAYER on the scale of a pool; without PLAYER list the pools, and their players' Elo.

    PLAYER is as for `arena match`: simple@d6, my.py:racer@0.1s, or YAML. It meets those players of the pool
    against whom games tell most, until its Elo is sure. The games are kept as a run, with its configuration, which
    `arena run` plays, too. The same command again resumes the run.
    """
    try:
        chosen = None if name is None and player is None else pool_named(full_name(name or "english"))
    except ValueError as wrong:
        fail(f"--pool: {wrong}")
    if player is None or chosen is None:
        _list([chosen] if chosen else [pool_named(each) for each in names_of_pools()])
        return
    try:
        (spec,) = player_specs([player], LIMITS)
        spec = _renamed(spec, chosen)
        document = _document(spec, chosen, error, seed)
        with announcing_compilation():
            prepare(load({**document, "players": [entry_of(spec)]}))
    except ConfigError as wrong:
        fail(in_words(wrong, [player]))
    file = written(document, [spec], out, "place")
    among = f"{len(chosen.players)} players of {chosen.name}"
    echo(f"{spec.name} against the {among} until its Elo is within ± {error:g}; the configuration: {file}")
    context.invoke(run, config=file, out=file.parent, workers=workers)


def _document(spec: PlayerSpec, pool: Pool, error: float, seed: int) -> dict[str, Any]:
    """The configuration that places a player, but for `players`; what it leaves out is the pool's."""
    format = {"type": "place", "pool": pool.name, "error": error}
    name, variant = slug([spec.name, pool.name]), pool.settings["variant"]
    return {"name": name, "variant": variant, "seed": seed, "format": format}


def _renamed(spec: PlayerSpec, pool: Pool) -> PlayerSpec:
    """The player under a name that nobody in the pool has."""
    if spec.name not in pool.names:
        return spec
    unnamed = {key: value for key, value in entry_of(spec).items() if key != "name"}
    return replace(spec, name=distinct_names([*pool.players, unnamed])[-1])


def _list(pools: Sequence[Pool]) -> None:
    for pool in pools:
        black = VARIANTS[pool.settings["variant"]].first == BLACK
        ratings = rated_pool(pool, "black" if black else "white")
        games = (
            f"{counted(len(pool.players), 'player')}, {counted(int(ratings.table['games'].sum()) // 2, 'game')}"
        )
        echo(f"{pool.name}: {games} from the openings {pool.settings['openings']['set']}, {pool.anchor} = 0")
        show_frame(STANDINGS.text(rated(ratings.table, ratings.groups)))
