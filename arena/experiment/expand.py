"""Entries of `players:` written out: short forms, patterns of files, and sweeps.

    - simple@d6                                # a short form
    - type: submissions/*.py                   # a player for each file that matches
    - name: "{evaluation} d{depth}"            # or no name: "simple, depth 4"
      type: negamax
      sweep:                                   # a player for every combination of
        evaluation: [simple, cis300]           # a list of values,
        depth: {from: 1, to: 10}               # a range, with a `step` or, for doublings, `factor: 2`,
        weights: {files: "runs/*.npz"}         # and files that match a pattern

Any key of a player can be swept; dots lead into a mapping (`evaluation.linear.king`). The key `limit` takes a
list of mappings of limits, for the same player at equal depth, at equal nodes and at equal time.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.wording import quoted, shown, unknown
from arena.experiment.names import distinct_names, filled, is_number, short_entry, word_of, words_of
from arena.experiment.submissions import matching, pattern_key, submitted
from arena.experiment.yaml.errors import Keys, Problem, Refusal
from arena.experiment.yaml.values import Source
from players.player import MEANT_LIMITS, Limit

MAX_PLAYERS = 200
"""Players that the sweeps and patterns of a configuration may make together."""
SWEEP = "sweep"
"""The key of an entry that sweeps others."""
_RANGE = ("from", "to", "step", "factor")


class Setting(NamedTuple):
    """One value of an axis."""

    values: Sequence[tuple[Keys, Any, Keys]]
    """What it puts where in the entry, and where in that it was."""
    text: str
    """Its word in a template."""
    phrase: str
    """Its words in a name without a template."""


Axes = Mapping[str, Sequence[Setting]]
"""The settings of each word that a template may have."""
Entry = dict[str, Any]
Made = tuple[Any, Mapping[Keys, Keys]]
"""A player, and where in its entry that was which is not at the same keys there."""


def written_out(source: Source, *, are_renamed: bool = False) -> Source:
    """The configuration with a player for each that its entries mean; an entry with a problem makes none.

    Files are looked for beside the configuration, then in the working directory. Players of one name are a problem
    unless they `are_renamed`: "a", "a 2".
    """
    given = source.data.get("players")
    if not isinstance(given, list):
        return source
    problems: list[Problem] = []
    players: list[Any] = []
    moves: dict[Keys, Keys] = {}
    nameless: list[int] = []
    swept = 0
    for number, entry in enumerate(given):
        made: list[Made] = []
        try:
            full = short_entry(entry, source.path.parent) if isinstance(entry, str) else entry
            if isinstance(full, dict) and (SWEEP in full or pattern_key(full) is not None):
                made += _several(full, source.path.parent, swept)
                swept += len(made)
            else:
                made.append((full, {}))
        except* Refusal as refusals:
            each = [error for error in refusals.exceptions if isinstance(error, Refusal)]
            problems += [(("players", number, *error.keys), str(error)) for error in each]
        for player, origins in made:
            here: Keys = ("players", len(players))
            moves[here] = "players", number
            moves |= {(*here, *keys): ("players", number, *origin) for keys, origin in origins.items()}
            if isinstance(player, dict) and (are_renamed or isinstance(entry, str) or "name" not in player):
                nameless.append(len(players))
            players.append(player)
    for number, name in zip(nameless, distinct_names([players[number] for number in nameless]), strict=True):
        players[number] = {**players[number], "name": name}
    whole = source.with_mistakes(problems).moved({**source.data, "players": players}, moves)
    return whole.with_mistakes(_doubled(whole, players))


def _doubled(source: Source, players: Sequence[Any]) -> Iterator[Problem]:
    """Yield a problem for each player with the name of one before."""
    first: dict[str, int] = {}
    for number, player in enumerate(players):
        name = player.get("name") if isinstance(player, dict) else None
        if isinstance(name, str) and first.setdefault(name, number) != number:
            line = source.mistake(("players", first[name], "name"), "").line
            place = f"in line {line}" if line else f"players[{first[name]}]"
            yield ("players", number, "name"), f"the player {quoted(name)} is already {place}: names must differ"


def _several(entry: Entry, folder: Path, before: int) -> list[Made]:
    """The players of an entry, after so many of others. Raises Refusal, or a group of these."""
    where = pattern_key(entry) or SWEEP
    axes = _swept(entry[SWEEP], folder) if where == SWEEP else _of_files(entry, where, folder)
    if (more := before + math.prod(map(len, axes.values()))) > MAX_PLAYERS:
        raise Refusal(f"the sweeps and patterns make {more} players, more than {MAX_PLAYERS}", where)
    common = {key: value for key, value in entry.items() if key != where}
    template = common.pop("name", None)
    names: set[str] = set()
    made: list[Made] = []
    for settings in product(*axes.values()):
        player = deepcopy(common)
        origins = {_put(player, *value): value[2] for setting in settings for value in setting.values}
        name = template
        if template is None:
            name = ", ".join(setting.phrase for setting in settings)
            origins["name",] = (where,)
        elif isinstance(template, str):
            words = {key: word_of(key, value) for key, value in player.items()}
            words |= dict(zip(axes, (setting.text for setting in settings), strict=True))
            name = filled(template, words)
        if isinstance(name, str) and name in names:
            raise Refusal(_alike(name, template, axes), where if template is None else "name")
        names.add(str(name))
        made.append(({"name": name, **player}, origins))
    return made


def _alike(name: str, template: str | None, axes: Axes) -> str:
    """That two players of an entry have one name, and what their template lacks."""
    fields = [f"{{{key}}}" for key, settings in axes.items() if len(settings) > 1]
    missing = [field for field in fields if template is not None and field not in template]
    cause = f"put {' and '.join(missing)} into 'name'" if missing else "is a value listed twice?"
    return f"the entry makes two players named {quoted(name)}: {cause}"


def _put(player: Entry, path: Keys, value: Any, origin: Keys) -> Keys:
    """Put a value where these keys lead in a player, and return the first of them that it lacked.

    Raises Refusal, at the key of the sweep, if it has a value there, or something else than a mapping on the way.
    """
    made: Keys = ()
    inside: Any = player
    for number, key in enumerate(path, start=1):
        if not isinstance(inside, dict):
            outer = ".".join(map(str, path[: number - 1]))
            raise Refusal(f"{outer!r} is {shown(inside)}, so {origin[1]!r} has no place in it", *origin[:2])
        if key not in inside:
            made = made or path[:number]
            inside[key] = value if number == len(path) else {}
        inside = inside[key]
    if not made:
        whole = ".".join(map(str, path))
        raise Refusal(f"{whole!r} is both set and swept, or swept twice: leave one out", *origin[:2])
    return made


def _of_files(entry: Entry, key: str, folder: Path) -> Axes:
    """The files that the pattern at a key matches. Raises Refusal."""
    if SWEEP in entry:
        raise Refusal("a pattern and 'sweep' do not go together: write an entry for each setting", key)
    files = submitted(entry[key], key, folder)
    return {"file": [Setting([((key,), reference, (key,))], name, name) for name, reference in files]}


def _swept(sweep: Any, folder: Path) -> Axes:
    """The settings of a sweep. Raises Refusal, or a group of these with all that is wrong."""
    if not isinstance(sweep, dict) or not sweep:
        raise Refusal(
            f"'sweep' must be a mapping of a player's keys to lists or ranges, not {shown(sweep)}", SWEEP
        )
    axes: dict[str, Sequence[Setting]] = {}
    refusals: list[Refusal] = []
    for key, axis in sweep.items():
        try:
            axes[key] = _limits(axis) if key == "limit" else _settings(key, axis, folder)
        except Refusal as error:
            refusals.append(Refusal(str(error), SWEEP, key, *error.keys))
    if refusals:
        raise ExceptionGroup(SWEEP, refusals)
    return axes


def _settings(key: str, axis: Any, folder: Path) -> list[Setting]:
    """The settings of a key of a sweep, by a list, a range or files."""
    path: Keys = tuple(key.split("."))
    if path[0] in ("name", SWEEP):
        raise Refusal(f"{key!r} cannot be swept; a template such as '{{depth}} plies' makes names")
    if isinstance(axis, dict):
        values: list[Any] = _files(axis, folder) if "files" in axis else _range(key, axis)
        origins: list[Keys] = [(SWEEP, key)] * len(values)
    elif isinstance(axis, list) and axis:
        values = axis
        origins = [(SWEEP, key, number) for number in range(len(axis))]
    else:
        either = "a list of values, a range {from: 1, to: 10} or {files: ...}"
        raise Refusal(f"{key!r} must be {either}, not {shown(axis)}")
    name = str(path[-1])
    each = zip(values, origins, words_of(name, values), words_of(name, values, with_name=True), strict=True)
    return [Setting([(path, value, origin)], text, phrase) for value, origin, text, phrase in each]


def _limits(axis: Any) -> list[Setting]:
    """The settings of the key `limit`."""
    if not isinstance(axis, list) or not axis:
        raise Refusal(f"'limit' must be a list such as [{{depth: 6}}, {{seconds: 0.02}}], not {shown(axis)}")
    settings = []
    for number, limit in enumerate(axis):
        check_limit(limit, "an entry of 'limit'", number)
        text = " ".join(f"{kind} {value}" for kind, value in limit.items())
        values = [((kind,), value, (SWEEP, "limit", number, kind)) for kind, value in limit.items()]
        settings.append(Setting(values, text, text))
    return settings


def check_limit(limit: Any, subject: str, *keys: str | int) -> None:
    """Raise Refusal unless a value, which stands at these keys, is a mapping of some limits."""
    if not isinstance(limit, dict) or not limit:
        raise Refusal(f"{subject} must be a mapping such as {{depth: 6}}, not {shown(limit)}", *keys)
    for kind in limit:
        if kind not in Limit._fields:
            raise Refusal(unknown("limit", kind, Limit._fields, MEANT_LIMITS), *keys, kind)


def _range(key: str, axis: Mapping[str, Any]) -> list[int] | list[float]:
    """The numbers of a range, `to` included where a step leads to it; whole ones if all four are."""
    for word, number in axis.items():
        if word not in _RANGE:
            raise Refusal(unknown("key of a range", word, _RANGE), word)
        if not is_number(number):
            raise Refusal(f"{word!r} must be a number, not {shown(number)}", word)
    if not {"from", "to"} <= axis.keys():
        raise Refusal(f"the range of {key!r} needs 'from' and 'to'")
    if {"step", "factor"} <= axis.keys():
        raise Refusal("a range has a 'step' or a 'factor', not both", "factor")
    first, last, step, factor = axis["from"], axis["to"], axis.get("step", 1), axis.get("factor")
    if last < first:
        raise Refusal(f"'to' must be at least 'from', {first}, not {last}", "to")
    if step <= 0:
        raise Refusal(f"'step' must be above 0, not {step}", "step")
    if factor is not None and not (factor > 1 and first > 0):
        raise Refusal(f"'factor' must be above 1 and 'from' above 0, not {factor} and {first}", "factor")
    steps = (last - first) / step if factor is None else math.log(last / first) / math.log(factor)
    if steps >= MAX_PLAYERS:
        raise Refusal(f"the range of {key!r} has more than {MAX_PLAYERS} values")
    # Decimal fractions may fall short of a whole number of steps by their rounding.
    count = math.floor(steps + 1e-9) + 1
    numbers = [first + i * step if factor is None else first * factor**i for i in range(count)]
    return [n if isinstance(n, int) else float(f"{n:.12g}") for n in numbers]


def _files(axis: Mapping[str, Any], folder: Path) -> list[str]:
    """The files that a pattern matches, in the order of their names."""
    for word in axis:
        if word != "files":
            raise Refusal(unknown("key of files", word, ["files"]), word)
    if not isinstance(axis["files"], str) or not axis["files"]:
        raise Refusal(f"'files' must be text, not {shown(axis['files'])}", "files")
    return matching(axis["files"], folder, "files")
