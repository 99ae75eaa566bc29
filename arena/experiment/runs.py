"""The runs of a configuration: one for each of its `variants`, at each of its `limits`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from arena.base.wording import unknown
from arena.experiment.expand import check_limit
from arena.experiment.openings import RANDOM_KEYS
from arena.experiment.yaml.errors import Keys, Refusal
from arena.experiment.yaml.section import FOLDER_NAME, FOLDER_WORDS
from arena.experiment.yaml.values import Source
from players.player import Limit, limits_of


def by_run(source: Source) -> Iterator[tuple[str, Source]]:
    """Each run by its name, as a file of that run alone has it; that of a file without these keys has the name "".

    Raises Refusal, also for limits that nobody needs, if no mistake was found in the players before.
    """
    names: set[str] = set()
    for rules, of_rules in _by_rules(source) if "variants" in source.data else [("", source)]:
        for limit, run in _by_limit(of_rules) if "limits" in source.data else [("", of_rules)]:
            name = "-".join(filter(None, (rules, limit)))
            if name in names:
                raise Refusal(f"two runs would have the name {name!r}", "limits", limit)
            names.add(name)
            yield name, run


def _by_rules(source: Source) -> Iterator[tuple[str, Source]]:
    """The data as a file with each rule set in `variant` has them, by the names of these.

    Mappings in `openings` are what they have for that rule set. What is said of random openings for all is for
    those without a set or a file of their own.
    """
    data = source.data
    variants = _variants(data)
    openings = data["openings"] if isinstance(data.get("openings"), dict) else {}
    mappings = {key: value for key, value in openings.items() if isinstance(value, dict)}
    for key, value in mappings.items():
        for name in value:
            if name not in variants:
                raise Refusal(unknown("rule set", name, variants), "openings", key, name)
    for name, keys in variants.items():
        own = {key: value[name] for key, value in mappings.items() if name in value}
        others = {*mappings, *(RANDOM_KEYS if "set" in own or "file" in own else ())}
        of_rules = _without(data, "variants") | {"variant": data["variants"][keys[1]]}
        if openings:
            of_rules["openings"] = _without(openings, *others) | own
        moves: dict[Keys, Keys] = {("openings", key): ("openings", key, name) for key in own}
        yield name, source.moved(of_rules, moves | {("variant",): keys})


def _variants(data: Mapping[str, Any]) -> dict[str, Keys]:
    """The keys of each rule set of `variants`, a list or a mapping of two or more, by its name. Raises Refusal."""
    variants = data["variants"]
    if "variant" in data:
        raise Refusal("'variant' and 'variants' cannot be combined", "variants")
    if isinstance(variants, list) and all(isinstance(name, str) for name in variants):
        for number, name in enumerate(variants):
            if name in variants[:number]:
                raise Refusal(f"the rule set {name!r} is listed twice", "variants", number)
        names: dict[str, Keys] = {name: ("variants", number) for number, name in enumerate(variants)}
    elif isinstance(variants, dict):
        names = {name: ("variants", name) for name in variants}
    else:
        either = "a list of names, as in [english, russian], or a mapping from names to rules"
        raise Refusal(f"'variants' must be {either}", "variants")
    _check_names(names, "variants", "give 'variant' for one")
    return names


def _by_limit(source: Source) -> Iterator[tuple[str, Source]]:
    """The data with each of `limits` in the entries of the players that lack one, by its name."""
    data, limits = source.data, source.data["limits"]
    if not isinstance(limits, dict):
        example = "{d4: {depth: 4}, d6: {depth: 6}}"
        raise Refusal(f"'limits' must be a mapping from names to limits, as in {example}", "limits")
    for name, limit in limits.items():
        check_limit(limit, f"the limit {name!r}", "limits", name)
    _check_names(limits, "limits", "give one limit to each player")
    players = data["players"] if isinstance(data.get("players"), list) else []
    lacking = [number for number, player in enumerate(players) if _lacks(player)]
    if players and not lacking and not source.mistakes:
        raise Refusal("no player lacks a limit of its own: leave 'limits' out", "limits")
    for name, limit in limits.items():
        limited = [{**player, **limit} if number in lacking else player for number, player in enumerate(players)]
        at_limit = _without(data, "limits") | ({"players": limited} if players else {})
        moves: dict[Keys, Keys] = {
            ("players", number, kind): ("limits", name, kind) for number in lacking for kind in limit
        }
        yield name, source.moved(at_limit, moves)


def _without(data: Mapping[str, Any], *keys: str) -> dict[str, Any]:
    return {key: value for key, value in data.items() if key not in keys}


def _check_names(names: Collection[str], key: str, instead: str) -> None:
    """Raise Refusal unless these are names of two folders or more."""
    for name in names:
        if not re.fullmatch(FOLDER_NAME, name):
            raise Refusal(f"{name!r} names a folder: {FOLDER_WORDS}", key, name)
    if len(names) < 2:
        raise Refusal(f"{key!r} needs two or more: {instead}", key)


def _lacks(player: Any) -> bool:
    """Whether a player could have a limit and has none."""
    from players.table import PLAYERS

    if not isinstance(player, dict) or any(player.get(kind) is not None for kind in Limit._fields):
        return False
    return bool(limits_of(PLAYERS.get(str(player.get("type", "negamax")))))
