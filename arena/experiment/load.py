"""From a YAML file, or a mapping with its keys, to an experiment, and to the file that a run keeps."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pydantic import ConfigDict

from arena.base.files import found_file, replace, write_text
from arena.base.wording import printable, unknown
from arena.experiment.expand import written_out
from arena.experiment.model import Experiment, Limits, PlayerEntry, Variants, entry_of, spec_of
from arena.experiment.names import completed_entry, distinct_names, made_name
from arena.experiment.openings import RANDOM_KEYS
from arena.experiment.suite import shipped
from arena.experiment.yaml.section import Section, validated
from arena.experiment.yaml.values import (
    ConfigError,
    Keys,
    Mistake,
    Problem,
    Refusal,
    Source,
    inline,
    read,
    source_of,
    yaml_text,
)
from players.loading import located, moved
from players.player import Limit, PlayerSpec, limits_of

KEPT_CONFIG = "experiment.yaml"
"""The file, in the folder of a run, with its configuration: one experiment, in which sweeps are written out."""
FIRST_WORDS = "# Written by the arena: what this run plays."
"""How it begins, by which it is known from a file of the user's own."""
_NONE: Mapping[str, Any] = MappingProxyType({})


def load(config: str | PathLike[str] | Mapping[str, Any]) -> Experiment:
    """Read the experiment in a YAML file, or in a mapping with the keys of one, that makes one run.

    Raises ConfigError as `load_all`, and for several runs.
    """
    first, *others = load_all(config).values()
    if others:
        raise first.error((), f"'variants' and 'limits' make {len(others) + 1} runs, and one is wanted")
    return first


def load_all(
    config: str | PathLike[str] | Mapping[str, Any], *, name: str = "config", are_tried: bool = False
) -> dict[str, Experiment]:
    """Read the experiments in a YAML file, one for each run that `variants` and `limits` make, by their names.

    Without these keys the one experiment has the name "". Errors in a mapping name it `name`. Where players
    `are_tried` one by one later, their options are not checked here, and equal names become "a" and "a 2".
    Raises ConfigError with all problems; later errors of one of several experiments begin with the run's name.
    """
    source = source_of(config, name) if isinstance(config, Mapping) else read(Path(config))
    source = written_out(source, are_renamed=are_tried)
    try:
        runs = dict(_by_run(source))
    except Refusal as refusal:
        raise ConfigError(source.with_mistakes(refusal.problems).mistakes) from None
    experiments: dict[str, Experiment] = {}
    mistakes: list[Mistake] = []
    for run, of_run in runs.items():
        options = _option_problems(of_run.data, with_players=not are_tried)
        try:
            experiments[run] = validated(Experiment, of_run.with_mistakes(options))
            experiments[run]._source = of_run._replace(about=f"{run}: " if run else "")
        except ConfigError as error:
            mistakes += error.problems
    if mistakes:
        raise ConfigError(mistakes)
    return experiments


class _Several(Section):
    """What makes several runs of a file."""

    model_config = ConfigDict(extra="ignore")
    variants: Variants | None = None
    limits: Limits | None = None


def _by_run(source: Source) -> Iterator[tuple[str, Source]]:
    """Yield each run's name, "" for the only one, and its source as a file of that run alone would have it.

    Raises Refusal, also for limits that no player needs, unless the players have mistakes.
    """
    several = _Several.of(source.data, source)
    names: set[str] = set()
    for rules, of_rules in [("", source)] if several.variants is None else _by_rules(source, several.variants):
        for limit, run in [("", of_rules)] if several.limits is None else _by_limit(of_rules):
            name = "-".join(filter(None, (rules, limit)))
            if name in names:
                raise Refusal(f"two runs would have the name {name!r}", "limits", limit)
            names.add(name)
            yield name, run


def _by_rules(source: Source, variants: Mapping[str, str]) -> Iterator[tuple[str, Source]]:
    """Yield for each rule set its name and the source with it as `variant`.

    A mapping in `openings` gives its value for that rule set. Keys of random openings are dropped where the rule
    set has a set or a file of its own.
    """
    data = source.data
    if "variant" in data:
        raise Refusal("'variant' and 'variants' cannot be combined", "variants")
    openings = data["openings"] if isinstance(data.get("openings"), dict) else {}
    mappings = {key: value for key, value in openings.items() if isinstance(value, dict)}
    for key, value in mappings.items():
        for name in value:
            if name not in variants:
                raise Refusal(unknown("rule set", name, variants), "openings", key, name)
    for number, name in enumerate(variants):
        own = {key: value[name] for key, value in mappings.items() if name in value}
        others = {*mappings, *(RANDOM_KEYS if "set" in own or "file" in own else ())}
        of_rules = _without(data, "variants") | {"variant": variants[name]}
        if openings:
            of_rules["openings"] = _without(openings, *others) | own
        moves: dict[Keys, Keys] = {("openings", key): ("openings", key, name) for key in own}
        moves["variant",] = "variants", name if isinstance(data["variants"], dict) else number
        yield name, source.moved(of_rules, moves)


def _by_limit(source: Source) -> Iterator[tuple[str, Source]]:
    """Yield for each of `limits` its name and the source with it in the entries of the players that lack one."""
    from players.table import PLAYERS

    players = source.data["players"] if isinstance(source.data.get("players"), list) else []
    lacking = []
    for number, player in enumerate(players):
        if isinstance(player, dict) and all(player.get(kind) is None for kind in Limit._fields):
            lacking += [number] if limits_of(PLAYERS.get(str(player.get("type", "negamax")))) else []
    if players and not lacking and not source.mistakes:
        raise Refusal("no player lacks a limit of its own: leave 'limits' out", "limits")
    for name, limit in source.data["limits"].items():
        limited = [{**player, **limit} if number in lacking else player for number, player in enumerate(players)]
        at_limit = _without(source.data, "limits") | ({"players": limited} if players else {})
        moves: dict[Keys, Keys] = {
            ("players", number, kind): ("limits", name, kind) for number in lacking for kind in limit
        }
        yield name, source.moved(at_limit, moves)


def _without(data: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _option_problems(data: Mapping[str, Any], *, with_players: bool) -> Iterator[Problem]:
    """Yield what is wrong with the types and options of the players and the judge."""
    from players.table import entry_problems

    players, grade = data.get("players"), data.get("grade")
    entries: dict[Keys, Any] = {("grade", "judge"): grade.get("judge") if isinstance(grade, dict) else None}
    for number, player in enumerate(players if isinstance(players, list) and with_players else ()):
        entries["players", number] = player
    for keys, entry in entries.items():
        for error in entry_problems({"type": "negamax", **entry}) if isinstance(entry, dict) else ():
            yield (*keys, *error.keys), str(error)


def player_spec(entry: str | Mapping[str, Any], given_as: str = "player", folder: Path = Path()) -> PlayerSpec:
    """The player of an entry: a mapping, YAML such as `{type: negamax, depth: 6}`, or a short form, `simple@d6`.

    A mapping without a type is negamax; one without a name gets a name made of its settings. Files of a short form
    are looked for in `folder`. Raises ConfigError, naming `given_as`, for anything else.
    """
    return spec_of(validated(PlayerEntry, source_of(_completed(entry, given_as, folder), given_as)))


def named_entries(entries: Sequence[str], usual: Mapping[str, Mapping[str, Any]] = _NONE) -> list[dict[str, Any]]:
    """The entries of players on the command line, written out, with names that differ: "simple d6", "racer d6".

    One without a limit has its type's limit in `usual`, if there is one. Raises ConfigError, naming the entry.
    """
    full: list[dict[str, Any]] = []
    for entry in entries:
        whole = _completed(entry, entry, Path())
        if whole["name"] == made_name(whole):
            del whole["name"]  # which the limit, and those of others, make anew
        if not any(limit in whole for limit in Limit._fields):
            whole |= usual.get(str(whole["type"]), {})
        full.append(whole)
    return [{**whole, "name": name} for whole, name in zip(full, distinct_names(full), strict=True)]


def _completed(entry: str | Mapping[str, Any], given_as: str, folder: Path) -> Any:
    data = inline(entry, given_as) if isinstance(entry, str) else entry
    try:
        return completed_entry(data, folder)
    except Refusal as refusal:
        raise ConfigError([Mistake(given_as, 0, 0, str(refusal))]) from None


def write_kept(experiment: Experiment, facts: Iterable[str], folder: Path) -> None:
    """Write KEPT_CONFIG into the folder of a run, with lines on what it was played by.

    A file of the user's own with that name stays. Raises OSError.
    """
    path = folder / KEPT_CONFIG
    if not path.exists() or path.read_bytes().startswith(FIRST_WORDS.encode()):
        comments = "".join(f"# {printable(' '.join(line.split()))}\n" for line in facts)
        first, rest = as_yaml(experiment, folder).split("\n", 1)
        replace(path, partial(write_text, f"{first}\n{comments}{rest}"))


def as_yaml(experiment: Experiment, folder: Path) -> str:
    """The experiment as YAML to stand in `folder`, from which it names files; `arena run` plays it."""
    home, start = experiment.path.parent, folder.resolve()

    def seen(path: str) -> str:
        return os.path.relpath(found_file(Path(path), home).resolve(), start)

    def entry(spec: PlayerSpec) -> dict[str, Any]:
        return entry_of(moved(located(spec, home), lambda path: Path(os.path.relpath(path, start))))

    document: dict[str, Any] = experiment.model_dump(mode="json", exclude_none=True)
    document["players"] = [entry(spec) for spec in experiment.players]
    if experiment.grade is not None and experiment.grade.judge is not None:
        document["grade"]["judge"] = entry(experiment.grade.judge)
    openings = document["openings"]
    for key in () if experiment.openings.is_random else RANDOM_KEYS:
        del openings[key]
    if "file" in openings:
        openings["file"] = seen(openings["file"])
    for suite in document["suite"]:
        if suite.get("name") not in (None, *shipped()):
            suite["name"] = seen(suite["name"])
    readable = [os.path.relpath((home / path).resolve(), start) for path in experiment.process.readable]
    document["process"]["readable"] = readable
    given = {key: value for key, value in document.items() if value not in ({}, [])}
    return f"{FIRST_WORDS} To play it anew: arena run {KEPT_CONFIG} --out ANOTHER\n{yaml_text(given)}"
