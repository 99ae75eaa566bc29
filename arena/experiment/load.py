"""How a YAML file, or a mapping with its keys, becomes an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from arena.base.wording import listed
from arena.experiment.expand import written_out
from arena.experiment.model import Experiment, PlayerField
from arena.experiment.names import completed_entry, distinct_names, made_name
from arena.experiment.runs import by_run
from arena.experiment.yaml.errors import ConfigError, Keys, Mistake, Problem, Refusal
from arena.experiment.yaml.section import Document, validated
from arena.experiment.yaml.values import inline, read, source_of
from players.player import Limit, PlayerSpec

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
    source = source_of(config, name) if isinstance(config, Mapping) else read(Path(config))
    source = written_out(source, are_renamed=are_tried)
    try:
        runs = dict(by_run(source))
    except Refusal as error:
        raise ConfigError(source.with_mistakes([(error.keys, str(error))]).mistakes) from None
    experiments: dict[str, Experiment] = {}
    having: dict[Mistake, list[str]] = {}
    for run, of_run in runs.items():
        found = of_run.with_mistakes(_entry_problems(of_run.data, with_options=not are_tried)).mistakes
        try:
            experiments[run] = validated(Experiment, of_run)
            experiments[run]._source = of_run._replace(about=f"{run}: " if run else "")
        except ConfigError as error:
            found = (*found, *error.problems)
        for mistake in dict.fromkeys(found):
            having.setdefault(mistake, []).append(run)
    if having:
        raise ConfigError(
            problem if len(names) == len(runs) else problem._replace(message=f"{listed(names)}: {problem.message}")
            for problem, names in having.items()
        )
    return experiments


def _entry_problems(data: Mapping[str, Any], *, with_options: bool) -> Iterator[Problem]:
    """Yield what is wrong with types and options, the judge's too, and with limits that lack another one."""
    from players.table import entry_problems

    players, grade = data.get("players"), data.get("grade")
    entries: dict[Keys, Any] = {}
    for number, player in enumerate(players if isinstance(players, list) else ()):
        entries["players", number] = player
    entries["grade", "judge"] = grade.get("judge") if isinstance(grade, dict) else None
    for keys, entry in entries.items():
        if not isinstance(entry, dict):
            continue
        for key in ("increment", "moves"):
            if entry.get(key) is not None and entry.get("clock") is None:
                yield (*keys, key), f"{key!r} needs a 'clock', to which it adds time"
        if with_options or keys == ("grade", "judge"):
            for error in entry_problems({"type": "negamax", **entry}):
                yield (*keys, *error.keys), str(error)


class _Entry(Document):
    player: PlayerField


def player_spec(entry: str | Mapping[str, Any], given_as: str = "player", folder: Path = Path()) -> PlayerSpec:
    """The player of an entry: a mapping, YAML such as `{type: negamax, depth: 6}`, or a short form, `simple@d6`.

    A mapping without a type is negamax, one without a name is called after its settings; a short form's files are
    looked for in `folder`. Raises ConfigError, naming `given_as`, for anything else.
    """
    source = source_of({"player": _completed(entry, given_as, folder)}, given_as)
    return validated(_Entry, source._replace(moves=({("player",): ()},))).player


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
    except Refusal as error:
        raise ConfigError([Mistake(given_as, 0, 0, str(error))]) from None
