"""How a YAML file, or a mapping with its keys, becomes an experiment."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.base.wording import listed, unknown
from arena.experiment.checks import cross_problems
from arena.experiment.expand import check_limit, written_out
from arena.experiment.model import Experiment, PlayerField
from arena.experiment.names import EntryError, completed_entry, distinct_names, made_name
from arena.experiment.openings import RANDOM_KEYS
from arena.experiment.yaml.errors import ConfigError, Mistake
from arena.experiment.yaml.section import FOLDER_NAME, FOLDER_WORDS, Document, validated
from arena.experiment.yaml.values import Source, YamlValue, inline, node_of
from players.player import Limit, PlayerSpec, limits_of

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

    A mapping with the keys of a file is read, too, and called `name`. Where players `are_tried` one by one, their
    options are left to that, and those of one name become "a" and "a 2". That of a file without these keys has the
    name "".
    Raises ConfigError with all problems; one that not all runs have begins with the names of its runs,
    and so does what is found later in one of these experiments.
    """
    source = _read(config, name)
    root, problems = _expanded(source.root, source.path.parent, are_renamed=are_tried)
    try:
        runs = dict(_runs(root, is_whole=not problems))
    except ConfigError as error:
        raise ConfigError([*source.problems, *error.problems]) from None
    experiments: dict[str, Experiment] = {}
    having: dict[Mistake, list[str]] = {}
    for run, data in runs.items():
        try:
            experiments[run] = _experiment(source, data, problems, f"{run}: " if run else "", not are_tried)
        except ConfigError as error:
            for problem in error.problems:
                having.setdefault(problem, []).append(run)
    if having:
        raise ConfigError(
            problem if len(names) == len(runs) else problem._replace(message=f"{listed(names)}: {problem.message}")
            for problem, names in having.items()
        )
    return experiments


def _read(config: str | PathLike[str] | Mapping[str, Any], name: str) -> Source:
    """The marked data of a tournament."""
    if isinstance(config, Mapping):
        source = Source(Path(name), node_of(config, name))
    else:
        source = Source(Path(config))
        source.read()
    return source


def _expanded(root: YamlValue, folder: Path, *, are_renamed: bool) -> tuple[YamlValue, list[Mistake]]:
    """The data with the players of short forms, patterns and sweeps written out, and what is wrong in these."""
    players = root.get("players")
    if players is None or not isinstance(players.value, list):
        return root, []
    entries, problems = written_out(players.value, folder)
    if are_renamed:
        names = iter(distinct_names([entry.plain for entry in entries if isinstance(entry.value, dict)]))
        entries = [
            entry.put(("name",), YamlValue(next(names), (entry.get("name") or entry).place))
            if isinstance(entry.value, dict)
            else entry
            for entry in entries
        ]
    return root.put(("players",), players._replace(value=entries)), problems


def _experiment(
    source: Source, root: YamlValue, problems: Sequence[Mistake], about: str, with_options: bool
) -> Experiment:
    """The experiment of such data, its players `with_options` checked; what is found later begins with `about`.

    Values are not compared with one another where sweeps have problems.
    """
    of_run, data = replace(source, root=root), root.plain
    crossed = () if problems else cross_problems(of_run, data, with_options)
    experiment = validated(Experiment, data, of_run, [*source.problems, *problems, *crossed])
    of_run.about = about
    return experiment


def _runs(root: YamlValue, *, is_whole: bool) -> Iterator[tuple[str, YamlValue]]:
    """The data of each run by its name, as a file of that run alone has them.

    Raises ConfigError, also for limits that nobody needs, unless players are missing: the data are not whole.
    """
    rules, limits = root.get("variants"), root.get("limits")
    by_rules = {"": root}
    if rules is not None:
        by_rules = {name: _by_rules(root, name, node) for name, node in _variants(root, rules).items()}
    if limits is None:
        yield from by_rules.items()
        return
    _check_limits(limits)
    players = root.get("players")
    entries = players.value if is_whole and players is not None else None
    if isinstance(entries, list) and not any(map(_lacks, entries)):
        raise limits.error("no player lacks a limit of its own: leave 'limits' out")
    names = set()
    for of_rules, limit in product(by_rules, limits.value):
        name = f"{of_rules}-{limit}" if of_rules else limit
        if name in names:
            raise limits.value[limit].error(f"two runs would have the name {name!r}")
        names.add(name)
        yield name, _at_limit(by_rules[of_rules], limits.value[limit])


def _variants(root: YamlValue, variants: YamlValue) -> dict[str, YamlValue]:
    """Each rule set of `variants` by its name.

    Raises ConfigError unless they are two or more, listed by their names or as a mapping from names to rules.
    """
    if root.get("variant") is not None:
        raise variants.error("'variant' and 'variants' cannot be combined")
    by_name: dict[str, YamlValue] = {}
    if isinstance(variants.value, dict):
        by_name = variants.value
        for name, rules in by_name.items():
            _check_folder(rules, name)
    elif isinstance(variants.value, list) and all(isinstance(rules.value, str) for rules in variants.value):
        for rules in variants.value:
            if rules.value in by_name:
                raise rules.error(f"the rule set {rules.value!r} is listed twice")
            by_name[rules.value] = rules
    else:
        message = "must be a list of names, as in [english, russian], or a mapping from names to rules"
        raise variants.error(f"'variants' {message}")
    if len(by_name) < 2:
        raise variants.error("'variants' needs two or more: give 'variant' for one")
    openings = root.get("openings")
    for value in openings.value.values() if openings is not None and isinstance(openings.value, dict) else ():
        for name, node in value.value.items() if isinstance(value.value, dict) else ():
            if name not in by_name:
                raise node.error(unknown("rule set", name, by_name))
    return by_name


def _check_limits(limits: YamlValue) -> None:
    """Raise ConfigError unless `limits` has two or more, by the names of their runs."""
    if not isinstance(limits.value, dict):
        message = "must be a mapping from names to limits, as in {d4: {depth: 4}, d6: {depth: 6}}"
        raise limits.error(f"'limits' {message}")
    for name, limit in limits.value.items():
        _check_folder(limit, name)
        check_limit(limit, f"the limit {name!r}")
    if len(limits.value) < 2:
        raise limits.error("'limits' needs two or more: give one limit to each player")


def _check_folder(node: YamlValue, name: str) -> None:
    """Raise ConfigError if a folder cannot have that name."""
    if not re.fullmatch(FOLDER_NAME, name):
        raise node.error(f"{name!r} names a folder: {FOLDER_WORDS}")


def _lacks(player: YamlValue) -> bool:
    """Whether a player could have a limit and has none."""
    if not isinstance(player.value, dict):
        return False
    entry = player.plain
    from players.table import PLAYERS

    heeded = limits_of(PLAYERS.get(str(entry.get("type"))))
    return bool(heeded) and all(entry.get(kind) is None for kind in Limit._fields)


def _by_rules(root: YamlValue, name: str, rules: YamlValue) -> YamlValue:
    """The data as a file with `variant` has them, with what mappings in `openings` have for that rule set.

    What is said of random openings for all is for those without a set or a file of their own.
    """
    value = {key: node for key, node in root.value.items() if key != "variants"} | {"variant": rules}
    openings = root.get("openings")
    if openings is not None and isinstance(openings.value, dict):
        chosen = {
            key: node.get(name) if isinstance(node.value, dict) else node for key, node in openings.value.items()
        }
        given = {key for key, node in openings.value.items() if isinstance(node.value, dict)}
        if any(chosen[key] is not None for key in given & {"set", "file"}):
            chosen = {key: node for key, node in chosen.items() if key in given or key not in RANDOM_KEYS}
        value["openings"] = openings._replace(
            value={key: node for key, node in chosen.items() if node is not None}
        )
    return root._replace(value=value)


def _at_limit(root: YamlValue, limit: YamlValue) -> YamlValue:
    """The data with a limit in the entries of the players that lack one."""
    value = {key: node for key, node in root.value.items() if key != "limits"}
    players = root.get("players")
    if players is not None and isinstance(players.value, list):
        entries = [
            player._replace(value=player.value | limit.value) if _lacks(player) else player
            for player in players.value
        ]
        value["players"] = players._replace(value=entries)
    return root._replace(value=value)


class _Entry(Document):
    player: PlayerField


def player_spec(entry: str | Mapping[str, Any], given_as: str = "player", folder: Path = Path()) -> PlayerSpec:
    """The player of an entry: a mapping, YAML such as `{type: negamax, depth: 6}`, or a short form, `simple@d6`.

    A mapping without a type is negamax, one without a name is called after its settings; a short form's files are
    looked for in `folder`. Raises ConfigError, naming `given_as`, for anything else.
    """
    return validated(_Entry, {"player": _completed(entry, given_as, folder)}, Source(Path(given_as)), ()).player


def named_entries(entries: Sequence[str], usual: Mapping[str, Mapping[str, Any]] = _NONE) -> list[dict[str, Any]]:
    """The entries of players on the command line, written out, with names that differ: "simple d6", "racer d6".

    One without a limit has that of its type in `usual`, if there is one. Raises ConfigError, naming the entry.
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
    except EntryError as error:
        raise ConfigError([(given_as, 0, 0, str(error))]) from None
