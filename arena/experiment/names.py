"""Names of players, entries in their short form, `simple@d6`, and what plays in a Python file by its source."""

from __future__ import annotations

import ast
import re
import shutil
import warnings
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import chain, count
from pathlib import Path, PurePath
from typing import Any

from arena.base.files import is_file
from arena.base.wording import cut, nearest, quoted, unknown
from arena.experiment.yaml.values import Keys, Refusal
from players.loading import file_of, words_of_command
from players.player import ENGINE, EVALUATIONS, HUMAN, LEVELS, NAME_CHARACTERS, TYPES, Limit

_LIMITS = {"depth": "d{}", "nodes": "n{}", "seconds": "{}s"}
"""How a short form writes a limit behind its `@`."""
_SECONDS = r"[0-9]+(?:\.[0-9]+)?"
_LIMIT = re.compile(
    r"d(?P<depth>[0-9]+)|n(?P<nodes>[0-9]+)"
    rf"|(?P<seconds>{_SECONDS})s|(?P<clock>{_SECONDS})s\+(?P<increment>{_SECONDS})s"
)
_FULL = {"type": "negamax", "preset": "full"}
"""How a short form searches with an evaluation."""
_FIELD = re.compile(r"\{\{|\}\}|\{([^{}]*)\}|[{}]")
"""A key in the template of a name, or a brace."""
MAX_SOURCE = 4 * 2**20
"""Bytes of a Python file that is read to find what plays in it."""
_END = 10
"""Characters of the end of a long name that are kept."""


def words_of(name: str, values: list[Any], *, with_name: bool = False) -> list[str]:
    """Values of the setting `name` in words: "simple", "4", "pvs" and "no pvs"; numbers perhaps "depth 4".

    Of mappings these are the leaves that differ; of several values "my.py:racer" is "racer" if no other one is.
    """
    each = [set(map(repr, leaves(value))) for value in values if isinstance(value, dict)]
    common = set.intersection(*each) if len(each) > 1 else set()
    words = [word_of(name, value, common) for value in values]
    if len(values) > 1:
        short = [
            _last(word) if isinstance(value, str) else word for word, value in zip(words, values, strict=True)
        ]
        words = [word if short.count(end) > 1 else end for end, word in zip(short, words, strict=True)]
    if with_name:
        words = [f"{name} {word}" if is_number(value) else word for word, value in zip(words, values, strict=True)]
    return words


def word_of(name: str, value: Any, common: Collection[str] = ()) -> str:
    """A value in words; `common` has the leaves of all mappings, with their paths, as Python writes them."""
    if value is None or isinstance(value, bool):
        return name if value else f"no {name}"
    if isinstance(value, dict):
        telling = [leaf for leaf in leaves(value) if common and repr(leaf) not in common]
        return " ".join(f"{path[-1]} {leaf}" for path, leaf in telling) or " ".join(value)
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)


def _last(word: str) -> str:
    """The last name of a path: "racer" of "some/where/my.py:racer", "net.npz" of "nets/net.npz"."""
    return PurePath(re.sub(r"^.*:(?=\w)", "", word, flags=re.DOTALL)).name or word


def filled(template: str, words: Mapping[str, str]) -> str:
    """The template `name` with its {keys} replaced; `{{` and `}}` are braces. Raises Refusal."""

    def text(field: re.Match[str]) -> str:
        if field[1] is None and len(field[0]) == 1:
            raise Refusal(f"'name' is not a template: {field[0]} stands alone (write {{{{ for a brace)", "name")
        if field[1] is not None and field[1] not in words:
            raise Refusal(unknown("key of the template", field[1], words), "name")
        return field[0][0] if field[1] is None else words[field[1]]

    return _FIELD.sub(text, template)


def completed_entry(entry: Any, folder: Path = Path()) -> Any:
    """A player's entry with what may be left out: its type, negamax, and a name made of its settings.

    A text is a short form, whose files are looked for in `folder`. Anything else is returned unchanged.
    Raises Refusal.
    """
    if isinstance(entry, str):
        entry = short_entry(entry, folder)
    if not isinstance(entry, dict):
        return entry
    if "sweep" in entry:
        raise Refusal("a sweep makes several players, and here one is wanted: name each, or write a configuration")
    entry = {"type": "negamax", **entry}
    return entry if "name" in entry else {"name": made_name(entry), **entry}


def short_entry(text: str, folder: Path) -> dict[str, Any]:
    """The entry that a short form means: `simple@d6`, `mcts@n2000`, `file.py:Class@0.1s`, `level 4`, `greedy`.

    Before the `@` stands a player, an evaluation that negamax searches with the preset `full`, a class or function
    of a file or module, a file in which one alone plays, or the path of a program that speaks Hub, `./v2` or
    `"./scan hub"`; behind it plies (d), positions (n) or seconds (s) of a move, a clock with what it gains a move
    (`10s+0.1s`), or no limit. Raises Refusal.
    """
    if level := re.fullmatch(r"\s*level\s*([^a-z:.@]*)\s*", text):
        number = level[1].strip()
        if not number.isdecimal() or int(number) not in LEVELS:
            raise Refusal(f"{cut(number)!r} is not a level: {LEVELS[0]} to {LEVELS[-1]}, as in `level 3`")
        return {"name": f"level {int(number)}", "type": "cis300", "depth": int(number)}
    parts = re.fullmatch(r"\s*(.*?)(?:@([^/:]*?))?\s*", text, re.DOTALL)
    assert parts
    entry = _what_plays(parts[1], folder)
    if parts[2] is None:
        return entry
    match = _LIMIT.fullmatch(parts[2])
    if match is None:
        choices = "d6 for plies, n2000 for positions, 0.1s for seconds, 10s+0.1s for a clock"
        raise Refusal(f"unknown limit {quoted(parts[2])} in {quoted(text)} (choices: {choices})")
    given = {kind: value for kind, value in match.groupdict().items() if value is not None}
    return entry | {kind: int(given[kind]) if kind in ("depth", "nodes") else float(given[kind]) for kind in given}


def made_name(entry: Mapping[str, Any], detail: int = 0) -> str:
    """A name for an entry that has none: "simple d6", "racer d6", "mcts n2000", "negamax full n2000".

    It has the evaluation, or another type than negamax, the options, and the limits as a short form writes them.
    With a `detail` of 1 files and folders stand before names of code; with 2 it also has a preset that short forms
    leave out.
    """
    rest = {key: value for key, value in entry.items() if value is not None and key != "name"}
    kind, evaluation = rest.pop("type", "negamax"), rest.pop("evaluation", None)
    is_short = {"clock", "increment"} <= rest.keys()
    clock = ["+".join(_limit_word("seconds", rest.pop(key)) for key in ("clock", "increment"))] if is_short else []
    limits = clock + [_limit_word(key, rest.pop(key)) for key in Limit._fields if key in rest]
    if evaluation is not None and kind == "negamax" and rest.get("preset") == "full" and detail < 2:
        del rest["preset"]
    if kind == ENGINE and (command := words_of_command(rest.pop("command", ""))):
        kind = PurePath(str(rest.pop("folder", ".")), command[0])
        rest |= {"command": command[1:]} if command[1:] else {}
    players = [] if evaluation is not None and kind == "negamax" else [str(kind)]
    players += [] if evaluation is None else [word_of("evaluation", evaluation)]
    options = [f"{key} {value}" if is_number(value) else word_of(key, value) for key, value in rest.items()]
    words = " ".join([*(players if detail else map(_last, players)), *options])
    end = " ".join(["", *limits])
    return fitting(" ".join(f"{fitting(words, NAME_CHARACTERS - len(end))}{end}".split()))


def fitting(name: str, most: int = NAME_CHARACTERS) -> str:
    """A name of so many characters at most: of a longer one some are left out shortly before its end."""
    return name if len(name) <= most else f"{name[: max(most - _END - 3, 1)]}...{name[-_END:]}"


def distinct_names(entries: Sequence[Mapping[str, Any]]) -> list[str]:
    """A name for each of several entries, its own or a made one; equal ones become longer, or get numbers."""
    tries = [[str(entry.get("name") or made_name(entry, detail)) for entry in entries] for detail in range(3)]
    names: list[str] = []
    for of_entry in zip(*tries, strict=True):
        unique = (name for name, all in zip(of_entry, tries, strict=True) if all.count(name) == 1)
        best = next(unique, of_entry[0])
        numbered = (f"{best[: NAME_CHARACTERS - 4]} {number}" for number in count(2))
        names.append(next(name for name in chain([best], numbered) if name not in names))
    return names


def _limit_word(key: str, value: Any) -> str:
    return _LIMITS.get(key, key + " {}").format(f"{value:g}" if isinstance(value, float) else value)


def _what_plays(word: str, folder: Path) -> dict[str, Any]:
    """The entry, without a limit, of what stands before the `@` of a short form."""
    if word in (*TYPES, HUMAN):
        return {"type": word}
    if word in EVALUATIONS:
        return {**_FULL, "evaluation": word}
    if command := _command(word, folder):
        return {"type": ENGINE, **command}
    source, _, name = word.rpartition(":")
    file = next((path for path in (source, word) if path.endswith((".py", ".npz"))), "")
    if not file and "/" in word:
        return {"type": ENGINE, "command": [word]}
    if not file and not source:
        words = dict.fromkeys((*TYPES, *EVALUATIONS))
        raise Refusal(unknown("player or evaluation", word, words) + " or file.py:name")
    path = file_of(Path(file), folder)
    if file and not is_file(path):
        close = nearest(path.name, sorted(other.name for other in path.parent.glob(f"*{path.suffix}")))
        hint = f"; did you mean {PurePath(file).with_name(close)}?" if close else ""
        raise Refusal(f"there is no file {file}{hint}")
    playing = playing_in(path, "type", "evaluation") if path.suffix == ".py" else {}
    if file == word and file.endswith(".py"):
        names = sorted(playing)
        if len(names) != 1:
            has = f", as {file}:{names[0]} (it has: {', '.join(names)})" if names else f": {file}:NAME"
            raise Refusal(f"{quoted(word)} needs the name of a class or function{has}")
        source, name, word = file, names[0], f"{file}:{names[0]}"
    key = playing.get(name, "type" if source and name[:1].isupper() else "evaluation")
    return {"type": word} if key == "type" else {**_FULL, "evaluation": word}


def _command(word: str, folder: Path) -> dict[str, Any] | None:
    """The command that is a program's path, or that has arguments as in a shell; None if there is no such program.

    A program with a folder is started there, for the files beside it, unless an argument is a file from here.
    """
    words = [word] if is_file(folder / word) else words_of_command(word)
    program, *arguments = words or [""]
    if "/" not in program:
        return {"command": words} if arguments and shutil.which(program) else None
    path = PurePath(program)
    if path.suffix in (".py", ".npz") or not is_file(folder / path):
        return None
    if any(is_file(folder / argument) for argument in arguments):
        return {"command": words}
    return {"command": [f"./{path.name}", *arguments], "folder": str(path.parent)}


def is_number(value: Any) -> bool:
    """Whether a value of a file is a number: true and false are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def leaves(value: Any, path: Keys = ()) -> Iterator[tuple[Keys, Any]]:
    """Yield what is no mapping inside of a value, each with the keys that lead to it."""
    if not isinstance(value, Mapping):
        yield path, value
        return
    for key, inner in value.items():
        yield from leaves(inner, (*path, key))


def playing_in(file: Path, *keys: str) -> dict[str, str]:
    """The public names in a file that may play, each with the key of an entry that takes it, one of `keys`.

    `type` takes a class, `evaluation` a function. Where some have a method `choose`, of their own or of a class of
    the file that they extend, or the decorator `@evaluator`, only these do. A file that cannot be read, is too
    large or has an error has none.
    """
    try:
        with warnings.catch_warnings(action="ignore"), file.open("rb") as source:
            code = source.read(MAX_SOURCE + 1)
            statements = ast.parse(code).body if len(code) <= MAX_SOURCE else []
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return {}
    sure: dict[str, str] = {}
    possible: dict[str, str] = {}
    choosing: set[str] = set()
    for node in statements:
        if isinstance(node, ast.ClassDef):
            methods = {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
            key, plays = "type", "choose" in methods or not choosing.isdisjoint(map(_last_word, node.bases))
            choosing |= {node.name} if plays else set()
        elif isinstance(node, ast.FunctionDef) and "kernel" not in map(_last_word, node.decorator_list):
            key, plays = "evaluation", "evaluator" in map(_last_word, node.decorator_list)
        else:
            continue
        if key in keys and not node.name.startswith("_"):
            (sure if plays else possible)[node.name] = key
    return sure or possible


def _last_word(expression: ast.expr) -> str:
    """The last word of a name with dots."""
    return str(getattr(expression, "attr", getattr(expression, "id", "")))
