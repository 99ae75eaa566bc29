"""The command that plays a duel, or a round robin, of players named in its line: match."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click

from arena.base.errors import ArenaError
from arena.base.files import replace
from arena.base.wording import counted
from arena.base.writing import write_text
from arena.commands.common import Finite, described_variant, workers_option
from arena.commands.output import echo, say
from arena.commands.tournaments import play_all
from arena.commands.waiting import Terminal
from arena.experiment.load import load, player_specs
from arena.experiment.model import entry_of
from arena.experiment.yaml.errors import ConfigError, problem_line
from arena.experiment.yaml.values import yaml_text
from arena.ledger.ledger import info_in
from arena.play.prepare import Tournament, prepare
from arena.play.tournament import available
from arena.play.workers import Workers, kept_workers
from arena.ratings.match import Verdict
from players.loading import fingerprints, located, moved
from players.player import PlayerSpec

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
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The source of all chance.")
@click.option(
    "--sprt",
    nargs=2,
    type=Finite(),
    metavar="ELO0 ELO1",
    help="End when a sequential test of two players is decided.",
)
@click.option(
    "--until",
    type=Finite(0, min_open=True),
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
    rules = described_variant(variant)
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
    differed, the run gets a number after its name; with `out` exits. Raises ConfigError, with nothing written, if
    it cannot be played.
    """
    experiment = load({**document, "players": [entry_of(spec) for spec in specs]})
    used = {name: value for spec in specs for name, value in fingerprints(located(spec, Path())).items()}
    for name in _numbered(document["name"]):
        file = (out or Path("reports") / name) / f"{command}.yaml"
        entries = [entry_of(_seen_from(file.parent, spec)) for spec in specs]
        text = yaml_text({**document, "name": name, "players": entries})
        if not file.parent.exists() or _is_of(file, text, used):
            break
        if out is not None:
            raise ArenaError(f"{out} holds something else: give another --out")
    tournament = prepare(experiment, file.parent, Terminal(), workers)
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        words = (
            f"# Written by arena {command}. Change what you like, its name, too, and play it: arena run {file}\n"
        )
        replace(file, partial(write_text, words + text))
    return file, tournament._replace(experiment=load(file))


def _numbered(name: str) -> Iterator[str]:
    yield name
    yield from (f"{name}-{number}" for number in count(2))


def _is_of(file: Path, text: str, used: Mapping[str, str]) -> bool:
    """Whether a folder's run has this configuration and, if it began, these files of players."""
    if not file.is_file():
        return not any(file.parent.iterdir())
    begun = info_in(file.parent)
    same = _without_comments(file.read_text(encoding="utf-8")) == _without_comments(text)
    return same and (begun is None or begun.files == used)


def _without_comments(text: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#"))


def _seen_from(folder: Path, spec: PlayerSpec) -> PlayerSpec:
    """The player with the paths of its files from a folder on."""
    here = folder.resolve()
    return moved(located(spec, Path()), lambda path: Path(os.path.relpath(path, here)))


def in_words(error: ConfigError, players: Sequence[str]) -> str:
    """The problems, each after the player or the option that it is about."""

    def about(place: str) -> str:
        keys = re.match(r"config\['(\w+)'\](?:\[(\d+)\])?", place)
        if keys is None:
            return place
        return players[int(keys[2])] if keys[1] == "players" and keys[2] else f"--{keys[1]}"

    return "\n".join(problem_line(about(place), message) for place, _, _, message in error.problems)
