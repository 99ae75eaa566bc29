"""The players, in one table, and how an entry of a configuration becomes one."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.base.wording import unknown
from arena.rules.variants import Variant
from players.engines.engine import Engine
from players.identity import check
from players.importing import loading
from players.loading import FILES, PlayerError, blame, is_class, load_object, no_file, own_code
from players.mcts.player import Hybrid, Mcts
from players.negamax.player import Negamax
from players.negamax.switches import DEFAULT_PRESET, SWITCHES, switches_of
from players.options import ENTRY_KEYS, Option, check_options, option_problems, options_of, takes_rules
from players.plain import Greedy, Plain, Random
from players.player import ENGINE, EVALUATIONS, HUMAN, TYPES, CompletePlayer, Pause, Player, PlayerSpec
from players.published.programs import PUBLISHED

PLAYERS: dict[str, type[Any]] = {
    "random": Random,
    "greedy": Greedy,
    "plain": Plain,
    "negamax": Negamax,
    "mcts": Mcts,
    "hybrid": Hybrid,
    ENGINE: Engine,
    **PUBLISHED,
}
"""The players that a configuration names by one word; any other is `module:Class` or `file.py:Class`."""
_FILES = Option(FILES, list[str])
assert tuple(PLAYERS) == TYPES, "TYPES of players/player.py are to be the names of PLAYERS"


def build_player(spec: PlayerSpec, variant: Variant) -> Player:
    """Build the player of a specification, ready for one game; see `complete_player` for the errors."""
    return complete_player(spec, variant).player


def complete_player(spec: PlayerSpec, variant: Variant) -> CompletePlayer:
    """The player of a specification, ready for one game, with all that a player may have.

    Raises PlayerError, with the keys of the entry to blame, for an unknown type, a wrong option, a limit that the
    player refuses, and whatever its constructor raises; Pause if it cannot be loaded from the specification's
    files.
    """
    if spec.type == ENGINE:
        check(spec.files, spec.copies)
    if spec.type == ENGINE or not (spec.files or own_code(spec)):
        return _complete(spec, variant)
    with loading(spec.files, spec.copies):
        return _complete(spec, variant)


def _complete(spec: PlayerSpec, variant: Variant) -> CompletePlayer:
    maker = _maker_of(spec.type)
    options = dict(spec.options)
    if is_class(spec.type) and FILES in options and FILES not in options_of(maker):
        _FILES.check(options.pop(FILES))
    entry = check_options(maker, replace(spec, options=options))
    for number, path in enumerate(spec.options.get(FILES) or ()):
        if not Path(path).is_file():
            raise PlayerError(no_file(Path(path)), FILES, number)
    try:
        rules = (variant,) if takes_rules(maker) else ()
        player = CompletePlayer(maker(*rules, **entry, **options))
    except (PlayerError, Pause):
        raise
    except Exception as error:
        source = spec.type.rpartition(":")[0] or (inspect.getsourcefile(maker) or "")
        raise PlayerError(f"{spec.type} cannot be built: {blame(error, source)}", "type") from None
    try:
        player.check_limit(spec.limit)
    except ValueError as error:
        raise PlayerError(str(error)) from None
    return player


def _maker_of(kind: str) -> type[Any]:
    """The class of a player's type. Raises PlayerError, blaming `type`, if there is none."""
    maker: type[Any]
    if is_class(kind):
        maker = load_object(kind, "type", _is_player)
    elif kind in PLAYERS:
        maker = PLAYERS[kind]
    else:
        raise PlayerError(_unknown(kind), "type")
    if not _is_player(maker):
        raise PlayerError(f"{kind} is not a class with a method `choose`", "type")
    return maker


def entry_problems(entry: Mapping[str, Any]) -> Iterator[PlayerError]:
    """Yield an error for an unknown type of an entry, or each wrong option; none of a class of the user's own."""
    kind = entry.get("type")
    if not isinstance(kind, str) or kind == HUMAN or is_class(kind):
        return
    if kind not in PLAYERS:
        yield PlayerError(_unknown(kind), "type")
        return
    options = {name: value for name, value in entry.items() if name not in ENTRY_KEYS}
    problems = list(option_problems(PLAYERS[kind], PlayerSpec(kind, kind, options=options)))
    if PLAYERS[kind] is Negamax and not problems:
        changes = {name: value for name, value in options.items() if name in SWITCHES}
        try:
            switches_of(options.get("preset", DEFAULT_PRESET), changes)
        except PlayerError as error:
            problems.append(error)
    yield from problems


def _unknown(kind: str) -> str:
    if kind in EVALUATIONS:
        return f"{kind!r} is an evaluation, not a player: type: negamax, evaluation: {kind}; in short {kind}@d5"
    if kind.endswith(".py"):
        return f"{kind!r} needs the name of a class: {kind}:NAME"
    return unknown("player", kind, PLAYERS) + " or file.py:Class"


def _is_player(thing: Any) -> bool:
    return isinstance(thing, type) and callable(getattr(thing, "choose", None))
