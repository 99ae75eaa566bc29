"""How a YAML file, or a mapping with its keys, becomes an experiment."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product
from os import PathLike
from pathlib import Path
from typing import Any

from arena.base.wording import listed, unknown
from arena.experiment import sweep
from arena.experiment.axes import SweepError, check_limit
from arena.experiment.checks import cross_problems
from arena.experiment.model import Experiment, LoneField, PlayerField
from arena.experiment.names import ShortFormError, completed_entry, distinct_names, made_name
from arena.experiment.yaml.errors import ConfigError, Keys, Problem
from arena.experiment.yaml.messages import FOLDER, FOLDER_WORDS
from arena.experiment.yaml.section import Document, validated
from arena.experiment.yaml.values import Source, inline
from players.player import Limit, PlayerSpec

KINDS = {"players": ("run", "tournament"), "tuning": ("tune", "tuning"), "positions": ("train", "training")}
"""The key that a file has for what it describes: the command that does it, and what it is called."""
SEVERAL = {"variants": "give 'variant'", "limits": "give each player its own limit"}
"""The keys that make several runs, and what to do in a file of one."""
UNLIMITED = ("random", "greedy")
"""Those of `players.player.TYPES` that heed no limit: reading a configuration does not load the classes."""

_Part = tuple[Source, dict[str, Any]]
"""The data of one run as a file of it alone would have them, behind where they stand."""


def command_for(path: str | Path) -> str:
    """The command for a YAML file: run, tune or train. Raises ConfigError if it is not YAML."""
    return KINDS[_kind(Source(Path(path)).read(), "players")][0]


def refuse_other(source: Source, data: Any, kind: str) -> None:
    """Raise ConfigError, naming the right command, if the data are of another of KINDS than this one."""
    found = _kind(data, kind)
    if found != kind:
        command, other = KINDS[found]
        message = f"{found!r} describes a {other}, not a {KINDS[kind][1]}: arena {command} {source.path}"
        raise ConfigError([source.problem((found,), message)])


def load(config: str | PathLike[str] | Mapping[str, Any]) -> Experiment:
    """Read the experiment in a YAML file, or in a mapping with the keys of one.

    Raises ConfigError with all the problems that it has, and for keys that make several.
    """
    source, data, problems = _read(config)
    for key in _several(data):
        raise _refusal(source, (key,), f"{key!r} makes several runs, and here one is wanted: {SEVERAL[key]}")
    return _experiment(source, data, problems)


def load_all(config: str | PathLike[str], *, renamed: bool = False) -> dict[str, Experiment]:
    """Read the experiments in a YAML file, one for each run that `variants` and `limits` make, by their names.

    Players of one name are an error, or `renamed`: "a" and "a 2". That of a file without these has the name "".
    Raises ConfigError with all problems; one that not all runs have begins with the names of those that have it,
    and so does what is found later in one of these experiments.
    """
    source, data, problems = _read(config)
    if renamed and isinstance(data, dict) and isinstance(players := data.get("players"), list):
        entries = [entry for entry in players if isinstance(entry, dict)]
        for entry, name in zip(entries, distinct_names(entries), strict=True):
            entry["name"] = name
    if not _several(data):
        return {"": _experiment(source, data, problems)}
    found: dict[str, Experiment] = {}
    having: dict[Problem, list[str]] = {}
    parts = _parts(source, data, problems)
    for name, (part, own) in parts.items():
        try:
            found[name] = _experiment(part, own, problems)
        except ConfigError as error:
            for problem in error.problems:
                having.setdefault(problem, []).append(name)
        part.about = f"{name}: "
    if having:
        everywhere = len(parts)
        raise ConfigError(
            (file, line, column, message if len(names) == everywhere else f"{listed(names)}: {message}")
            for (file, line, column, message), names in having.items()
        )
    return found


def _read(config: str | PathLike[str] | Mapping[str, Any]) -> tuple[Source, Any, list[Problem]]:
    """The data of a tournament with its sweeps written out, and what is wrong in these."""
    if isinstance(config, Mapping):
        source, data = Source(Path("config"), is_file=False), _plain(config)
    else:
        source = Source(Path(config))
        data = source.read()
    refuse_other(source, data, "players")
    return source, data, sweep.write_out(source, data)


def _experiment(source: Source, data: Any, problems: Sequence[Problem]) -> Experiment:
    """The experiment of such data; values are not compared with one another where sweeps have problems."""
    crossed = () if problems else cross_problems(source, data)
    return validated(Experiment, data, source, [*source.problems, *problems, *crossed])


def _several(data: Any) -> list[str]:
    """The keys of SEVERAL that the data have."""
    return [key for key in SEVERAL if isinstance(data, dict) and key in data]


def _parts(source: Source, data: dict[str, Any], problems: Sequence[Problem]) -> dict[str, _Part]:
    """The runs that `variants` and `limits` make, by their names; `problems` are those of sweeps.

    Raises ConfigError.
    """
    parts: dict[str, _Part] = {"": (source, data)}
    if "variants" in data:
        parts = {name: _by_rules(source, data, name, *rules) for name, rules in _variants(source, data).items()}
    if "limits" in data:
        by_rules, limits, parts = parts, _limits(source, data), {}
        if isinstance(data.get("players"), list) and not problems and not _lacking(data["players"]):
            raise _refusal(source, ("limits",), "no player lacks a limit of its own: leave 'limits' out")
        for rules, limit in product(by_rules, limits):
            name = f"{rules}-{limit}" if rules else limit
            if name in parts:
                raise _refusal(source, ("limits", limit), f"two runs would have the name {name!r}")
            parts[name] = _at_limit(*by_rules[rules], limit)
    return parts


def _refusal(source: Source, keys: Keys, message: str) -> ConfigError:
    """An error at `keys`, if the value there is not refused already, and whatever else is."""
    return ConfigError([*source.problems, *([] if source.refuses(keys) else [source.problem(keys, message)])])


def _variants(source: Source, data: dict[str, Any]) -> dict[str, tuple[Keys, Any]]:
    """Each rule set of `variants` by its name: the keys of its place, and what it is.

    Raises ConfigError unless they are two or more, listed by their names or as a mapping from names of one's own.
    """
    given = data["variants"]
    if "variant" in data:
        raise _refusal(source, ("variants",), "'variant' and 'variants' cannot be combined")
    if isinstance(given, dict):
        rows = [(name, ("variants", name), rules) for name, rules in given.items()]
    elif isinstance(given, list) and all(isinstance(name, str) for name in given):
        rows = [(name, ("variants", place), name) for place, name in enumerate(given)]
    else:
        message = "must be a list of names, as in [english, russian], or a mapping from names to rules"
        raise _refusal(source, ("variants",), f"'variants' {message}")
    found: dict[str, tuple[Keys, Any]] = {}
    for name, place, rules in rows:
        if name in found:
            raise _refusal(source, place, f"the rule set {name!r} is listed twice")
        if name is not rules:
            _check_folder(source, place, name)
        found[name] = place, rules
    if len(found) < 2:
        raise _refusal(source, ("variants",), "'variants' needs two or more: give 'variant' for one")
    openings = data.get("openings")
    for key, value in openings.items() if isinstance(openings, dict) else ():
        for name in value if isinstance(value, dict) else ():
            if name not in found:
                raise _refusal(source, ("openings", key, name), unknown("rule set", name, found))
    return found


def _limits(source: Source, data: dict[str, Any]) -> list[str]:
    """The names in `limits`. Raises ConfigError unless they are two or more, each of a limit."""
    given = data["limits"]
    if not isinstance(given, dict):
        message = "must be a mapping from names to limits, as in {d4: {depth: 4}, d6: {depth: 6}}"
        raise _refusal(source, ("limits",), f"'limits' {message}")
    for name, limit in given.items():
        _check_folder(source, ("limits", name), name)
        try:
            check_limit(limit, f"the limit {name!r}", Limit._fields)
        except SweepError as error:
            raise _refusal(source, ("limits", name, *error.keys), str(error)) from None
    if len(given) < 2:
        raise _refusal(source, ("limits",), "'limits' needs two or more: give one limit to each player")
    return list(given)


def _check_folder(source: Source, keys: Keys, name: str) -> None:
    """Raise ConfigError if a folder cannot have that name."""
    if not re.fullmatch(FOLDER, name):
        raise _refusal(source, keys, f"{name!r} names a folder: {FOLDER_WORDS}")


def _lacking(players: Any) -> list[int]:
    """The places of the players that could have a limit and have none."""
    return [
        place
        for place, player in enumerate(players if isinstance(players, list) else ())
        if isinstance(player, dict)
        and player.get("type") not in UNLIMITED
        and all(player.get(kind) is None for kind in Limit._fields)
    ]


def _by_rules(source: Source, data: dict[str, Any], name: str, place: Keys, rules: Any) -> _Part:
    """The data as a file with `variant` would have them, with what mappings in `openings` have for it."""
    own = {key: value for key, value in data.items() if key != "variants"} | {"variant": rules}
    places: dict[Keys, Keys] = {("variant",): place}
    if isinstance(openings := data.get("openings"), dict):
        by_rules = {key for key, value in openings.items() if isinstance(value, dict)}
        own["openings"] = {
            key: value[name] if key in by_rules else value
            for key, value in openings.items()
            if key not in by_rules or name in value
        }
        places |= {("openings", key): ("openings", key, name) for key in by_rules}
    return _moved(source, places), own


def _at_limit(source: Source, data: dict[str, Any], name: str) -> _Part:
    """The data with a limit of `limits` in the entries of the players that lack one."""
    limit, lacking = data["limits"][name], _lacking(data.get("players"))
    own = {key: value for key, value in data.items() if key != "limits"}
    if lacking:
        own["players"] = [one | limit if place in lacking else one for place, one in enumerate(data["players"])]
    places: dict[Keys, Keys] = {
        ("players", place, kind): ("limits", name, kind) for place in lacking for kind in limit
    }
    return _moved(source, places), own


def _moved(source: Source, places: dict[Keys, Keys]) -> Source:
    """The source of data in which some values stand elsewhere: their keys there -> their keys in the file."""

    def origin(keys: Keys) -> Keys:
        known = next((keys[:n] for n in (1, 2, 3) if keys[:n] in places), None)
        return source.origin(keys) if known is None else (*places[known], *keys[len(known) :])

    return replace(source, origin=origin)


def _plain(value: Any) -> Any:
    """A copy of a value as YAML would give it."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(inner) for inner in value]
    return str(value) if isinstance(value, PathLike) else value


def _kind(data: Any, expected: str) -> str:
    """The key of KINDS that the data have; the expected one if they have it, or none."""
    keys = data if isinstance(data, dict) else {}
    return next((key for key in (expected, *KINDS) if key in keys), expected)


class _Entry(Document):
    player: PlayerField


def player_spec(entry: str | Mapping[str, Any], given_as: str = "player", folder: Path = Path()) -> PlayerSpec:
    """The player of an entry: a mapping, YAML as `{type: negamax, depth: 6}`, or a short form as `simple@d6`.

    The type of a mapping is negamax, and its name its type's, if it gives none; a short form's files are looked
    for in `folder`. Raises ConfigError, naming `given_as`, for anything else.
    """
    return validated(_Entry, {"player": _completed(entry, given_as, folder)}, Source(Path(given_as)), ()).player


def player_specs(entries: Sequence[str], usual: Mapping[str, Mapping[str, Any]]) -> list[PlayerSpec]:
    """The players of entries as `player_spec` takes them, with names that differ: "simple d6", "racer d6".

    One without a limit has that of its type in `usual`, if there is one. Raises ConfigError, naming the entry.
    """
    known: list[dict[str, Any]] = []
    for entry in entries:
        data = inline(entry, entry)
        whole = _completed(data, entry, Path())
        if not isinstance(whole, dict):
            player_spec(entry, entry)
        rest = {key: value for key, value in whole.items() if key != "name"}
        is_named = "name" in data if isinstance(data, dict) else whole["name"] != made_name(rest)
        if not any(limit in whole for limit in Limit._fields):
            rest |= usual.get(str(whole["type"]), {})
        known.append({"name": whole["name"], **rest} if is_named else rest)
    names = distinct_names(known)
    wholes = ({**whole, "name": name} for whole, name in zip(known, names, strict=True))
    return [player_spec(whole, entry) for whole, entry in zip(wholes, entries, strict=True)]


def _completed(entry: str | Mapping[str, Any], given_as: str, folder: Path) -> Any:
    data = inline(entry, given_as) if isinstance(entry, str) else entry
    try:
        return completed_entry(data, folder)
    except ShortFormError as error:
        raise ConfigError([(given_as, 0, 0, str(error))]) from None


class _Judge(Document):
    judge: LoneField


def judge_spec(entry: str, given_as: str) -> PlayerSpec:
    """The player of an entry of a judge, given as `player_spec` takes it."""
    data = inline(entry, given_as)
    whole = _completed(data, given_as, Path()) if isinstance(data, str) else data
    return validated(_Judge, {"judge": whole}, Source(Path(given_as)), ()).judge
