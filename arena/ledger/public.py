"""The contents of a ledger for others to read: without paths and machines, and without the names of players."""

from __future__ import annotations

import builtins
import random
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import count
from pathlib import PurePath
from typing import Any

import pandas as pd

from arena.base.files import path_shortener
from arena.experiment.model import Experiment
from arena.ledger.grades import JUDGES
from arena.ledger.manifest import KEY
from arena.ledger.repair import ANNULLED, COMPLETE, texts_of, with_texts
from players.loading import ENGINE, own_code, source_of, user_files
from players.player import HUMAN, TYPES, PlayerSpec

_COMMON = frozenset({"player", "evaluate", "file"})
"""Words that name nobody."""
_SUFFIXES = (".py", ".npz", ".onnx", ".pt", ".pt2")
_FEWEST = 3
"""Letters of a word that is looked for inside others, and whatever its capitals."""
_PLACE = re.compile(r"^\S+\.ya?ml:\d+(:\d+)?: ")
_PLY = re.compile(r" at ply \d+$")
_CODE = re.compile(r"(player-\d+(?:\.\w+)?):\w+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`")
_RAISED = re.compile(r"\braised (\w+)")


def without_paths(stored: Any, games: pd.DataFrame, *rows: Any) -> tuple[Any, ...]:
    """The contents of a ledger without absolute paths and names of machines."""
    columns = ["white", "black", "error"]
    words = [value for name in columns for value in games[name].unique()]
    shorten = path_shortener([*texts_of([stored, rows]), *words])
    numbers = {name: f"machine {number}" for number, name in enumerate(filter(None, games["machine"].unique()), 1)}
    short = {name: games[name].map({word: shorten(word) for word in games[name].unique()}) for name in columns}
    machines = games["machine"].map(lambda name: numbers.get(name, ""))
    return with_texts(stored, shorten), games.assign(machine=machines, **short), *with_texts(rows, shorten)


class Pseudonyms:
    """Other names, such as `player 3`, for persons and for players with files of a user's own.

    Built-in players keep their names. The numbers are drawn from facts of the run that are not published, such as
    the hashes of all files and the exact time of the first game, so that they are the same each time.
    """

    def __init__(self, experiment: Experiment, stored: Mapping[str, Any], games: pd.DataFrame) -> None:
        """Of the players of an experiment, and those left out, by the documents and the games of its ledger."""
        manifest = stored.get(KEY) or {}
        own = [spec for spec in experiment.players if _is_own(spec)]
        files: dict[str, str] = {spec.name: source_of(spec) or _first_file(spec) for spec in own}
        files |= manifest.get("left_out", {})
        judges = [name for name, judge in stored.get(JUDGES, {}).items() if _names_code(judge)]
        real = sorted({*files, *judges})
        first = games.head(1)[["game", "began", "seconds", "cpu_seconds"]].to_dict("records")
        secret = repr((experiment.seed, manifest.get("began"), stored["facts"]["files"], real, first))
        random.Random(sha256(secret.encode()).digest()).shuffle(real)
        taken = {spec.name for spec in experiment.players} - set(real)
        free = (f"player {number}" for number in count(1) if f"player {number}" not in taken)
        self.names: dict[str, str] = dict(zip(real, free, strict=False))
        """The other name of each player that has one."""
        self.files = files
        """The file, module or program of each, "" of a person."""
        self._codes = dict(self._references(own))
        """What stands for files and code that players name."""
        self._words = self._secrets(own)
        """What stands for words that may tell who somebody is, in small letters."""
        sought = sorted({*self.names, *self._codes, *self._words}, key=len, reverse=True)
        self._sought = re.compile("|".join(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in sought), re.I)

    def _references(self, own: Sequence[PlayerSpec]) -> Iterator[tuple[str, str]]:
        named = [(spec.name, text) for spec in own for text in _codes(spec)]
        named += [(name, file) for name, file in self.files.items() if file]
        times = Counter(text for _, text in set(named))
        for name, text in named:
            file, colon, _ = text.rpartition(":") if ":" in text else (text, "", "")
            stem = self.names[name].replace(" ", "-") if times[text] == 1 else "file"
            suffix = PurePath(file).suffix if PurePath(file).suffix in _SUFFIXES else ""
            yield text, f"{stem}{suffix}{colon and ':player'}"

    def _secrets(self, own: Sequence[PlayerSpec]) -> dict[str, str]:
        parts = {name: {name, *re.split(r"[\W_]+", name)} for name in self.names}
        texts = [(spec.name, text) for spec in own for text in _codes(spec)]
        for name, text in [*texts, *self.files.items()]:
            path, _, code = text.rpartition(":") if ":" in text else (text, "", "")
            for part in (*PurePath(path).parts, PurePath(path).stem, code):
                parts[name] |= {part, *re.split(r"[\W_]+", part)}
        users = Counter(word.lower() for words in parts.values() for word in {*map(str.lower, words)})
        return {
            word.lower(): self.names[name]
            for name, words in parts.items()
            for word in words
            if len(word) >= _FEWEST and (users[word.lower()] == 1 or word == name) and word.lower() not in _COMMON
        }

    def message(self, text: str) -> str:
        """A message about a failure without names, and without words that came from a player's code."""
        ply = _PLY.search(text)
        text = _CODE.sub(r"\1", self._replaced(_PLACE.sub("", _PLY.sub("", text))))
        kept: list[str] = []
        for part in text.split(": "):
            if kept and not (re.fullmatch(r"line \d+", part) or _is_error(part)):
                break
            kept.append(_RAISED.sub(_kind, _QUOTED.sub("...", part)))
        found = ": ".join(kept) + (ply[0] if ply else "")
        rest = re.sub(r"player[ -]\d+", "", found).lower()
        if any(word in rest for word in self._words if len(word) > _FEWEST):
            who = re.match(r"player \d+ ", found)
            return f"{who[0] if who else ''}failed"
        return found

    def _replaced(self, text: str) -> str:
        def other(match: re.Match[str]) -> str:
            word: str = match[0]
            short = len(word) < _FEWEST and word not in self.names
            found = self.names.get(word) or self._codes.get(word) or self._words.get(word.lower())
            return word if short or found is None else found

        return self._sought.sub(other, text)

    def name(self, text: str) -> str:
        """The other name of a player, if it has one."""
        return self.names.get(text, text)

    def documents(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """The documents of a ledger without these names."""
        changed = dict(stored)
        changed["experiment"] = self._experiment(stored["experiment"])
        changed["facts"] = {**stored["facts"], "files": {}}
        if COMPLETE in stored:
            changed[COMPLETE] = [
                [self.name(player), {key: self.name(it) if key == "opponent" else it for key, it in row.items()}]
                for player, row in stored[COMPLETE]
            ]
        if ANNULLED in stored:
            changed[ANNULLED] = sorted(self.name(player) for player in stored[ANNULLED])
        if stored.get(KEY):
            changed[KEY] = self._manifest(stored[KEY])
        if JUDGES in stored:
            changed[JUDGES] = {
                self.name(name): {"entry": {"name": self.name(name), "type": "player"}, "files": {}}
                if name in self.names
                else judge
                for name, judge in stored[JUDGES].items()
            }
        return changed

    def _experiment(self, document: Mapping[str, Any]) -> dict[str, Any]:
        changed = {**document, "players": [self._entry(entry) for entry in document["players"]], "readable": []}
        for key, names in (("format", "seeds"),):
            if isinstance(inner := document.get(key), dict) and isinstance(inner.get(names), list):
                players = [self.name(it) if isinstance(it, str) else self._entry(it) for it in inner[names]]
                changed[key] = {**inner, names: players}
        changed["anchor"] = {self.name(player): elo for player, elo in document["anchor"].items()}
        return changed

    def _entry(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The entry of a player, without what its user wrote unless it is built in."""
        if entry.get("name") not in self.names:
            return dict(entry)
        is_built_in = entry["type"] in TYPES and entry["type"] != ENGINE
        kept = {
            key: self._option(value, is_built_in or key == "type")
            for key, value in entry.items()
            if key not in ("folder", "command")
        }
        program = {"command": self.name(entry["name"])} if "command" in entry else {}
        return {**kept, "name": self.name(entry["name"]), **program}

    def _option(self, value: Any, is_known: bool) -> Any:
        """The value of an option; of one that is not the arena's own no text."""
        if isinstance(value, str):
            return self._codes.get(value) or (self._replaced(value) if is_known else "...")
        return with_texts(value, self._replaced if is_known else lambda _: "...")

    def _manifest(self, document: Mapping[str, Any]) -> dict[str, Any]:
        men = dict(sorted((self.name(player), value) for player, value in document["men"].items()))
        found = [
            {**it, "player": self.name(it["player"]), "message": self.message(it["message"])}
            for it in document.get("found", ())
        ]
        left_out = {
            self.name(one): self._codes.get(file, "") for one, file in document.get("left_out", {}).items()
        }
        left_out = dict(sorted(left_out.items()))  # the order in which they stand would tell who they are
        found.sort(key=lambda it: str(it["player"]))
        empty = {"file": "", "configuration": {}, "files": {}}
        session = {**document["session"], "host": ""}
        return {**document, "men": men, "session": session, "found": found, "left_out": left_out, **empty}

    def games(self, games: pd.DataFrame) -> pd.DataFrame:
        """The games of a ledger without these names."""
        messages = {text: self.message(text) if text else "" for text in games["error"].unique()}
        colours = {side: games[side].map(self.name) for side in ("white", "black")}
        return games.assign(**colours, error=games["error"].map(messages))

    def rows(self, rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Rows of another table of a ledger without these names."""
        changes = {"player": self.name, "error": self.message}
        return [
            tuple(changes.get(column, lambda it: it)(it) for column, it in zip(columns, row, strict=True))
            for row in rows
        ]

    def number(self, name: str) -> str:
        """The name of a number of players' own; another one if it tells who they are."""
        return "number" if any(word in name.lower() for word in self._words) else name


def _kind(match: re.Match[str]) -> str:
    return match[0] if _is_error(match[1]) else "raised an error of its own"


def _is_error(name: str) -> bool:
    found = getattr(builtins, name, None)
    return isinstance(found, type) and issubclass(found, BaseException)


def _is_own(spec: PlayerSpec) -> bool:
    return spec.type == HUMAN or bool(own_code(spec) or user_files(spec))


def _first_file(spec: PlayerSpec) -> str:
    return next((str(file) for file in user_files(spec)), "")


def _codes(spec: PlayerSpec) -> list[str]:
    """The references to code and files of a user's own in a specification."""
    values = [value for value in (spec.type, *spec.options.values()) if isinstance(value, str)]
    files = [str(path) for path in user_files(spec)]
    return [*dict.fromkeys([*own_code(spec), *files, *(it for it in values if it in files)])]


def _names_code(judge: Mapping[str, Any]) -> bool:
    return bool(judge.get("files")) or any(":" in str(value) for value in judge.get("entry", {}).values())
