"""A ledger for others to read: without paths, and without names of persons and of players of a user's own."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from itertools import count
from pathlib import PurePath
from typing import Any

import pandas as pd

from arena.experiment.model import Experiment
from arena.ledger.grades import JUDGES
from arena.ledger.ledger import CHANGEABLE, DISQUALIFIED
from arena.ledger.manifest import KEY
from arena.ledger.store import COMPLETE
from players.loading import own_code, source_of, user_files
from players.player import HUMAN, TYPES, Limit, PlayerSpec

_KEPT = frozenset({"name", "type", "in_process", *Limit._fields})
"""Keys of a player of a user's own class that tell nothing of its code."""
_FEWEST = 3
"""Letters of a name that is looked for inside texts."""
_PATH = re.compile(r"(?<![\w.\\/])(?:~|[A-Za-z]:)?[\\/](?:[^\s\\/:*?\"'<>|,;()\[\]{}]+[\\/])+")
"""The folders of an absolute path."""
_PLACE = re.compile(r"^\S+\.ya?ml:\d+(:\d+)?: ")
_PLY = re.compile(r" at ply \d+$")
_WRITTEN = re.compile(r": |['\"`]")
"""Where in a message a text begins that a player's code may have written."""


class Pseudonyms:
    """Other names, such as `player 3`, for persons and for players with files of a user's own.

    Built-in players keep their names. The numbers are drawn from facts of the run that are not published, such as
    the hashes of all files and the exact time of the first game, so that they are the same each time.
    """

    def __init__(self, experiment: Experiment, stored: Mapping[str, Any], games: pd.DataFrame) -> None:
        """Of the players of an experiment, and those left out, by the documents and the games of its ledger."""
        manifest = stored.get(KEY) or {}
        own = [spec for spec in experiment.players if spec.type == HUMAN or _code_of(spec)]
        self.files: dict[str, str] = {spec.name: source_of(spec) or "".join(_code_of(spec)[:1]) for spec in own}
        """The file, module or program of each, "" of a person."""
        self.files |= manifest.get("left_out", {})
        judges = [name for name, judge in stored.get(JUDGES, {}).items() if judge.get("files")]
        real = sorted({*self.files, *judges})
        first = games.head(1)[["game", "began", "seconds", "cpu_seconds"]].to_dict("records")
        secret = repr((experiment.seed, manifest.get("began"), stored["facts"]["files"], real, first))
        random.Random(sha256(secret.encode()).digest()).shuffle(real)
        taken = {spec.name for spec in experiment.players} - set(real)
        free = (f"player {number}" for number in count(1) if f"player {number}" not in taken)
        self.names: dict[str, str] = dict(zip(real, free, strict=False))
        """The other name of each player that has one."""
        self._others = {name.lower(): other for name, other in self.names.items() if len(name) >= _FEWEST}
        for name, code in [*((spec.name, it) for spec in own for it in _code_of(spec)), *self.files.items()]:
            self._add(self.names[name].replace(" ", "-"), code)
        sought = sorted(self._others, key=len, reverse=True)
        self._sought = re.compile("|".join(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in sought), re.I)

    def _add(self, other: str, code: str) -> None:
        """Have another name for a reference to code, and for its file."""
        file, colon, name = code.rpartition(":") if ":" in code else (code, "", "")
        suffix = PurePath(file).suffix
        words = {code: f"{other}{suffix}{colon and ':player'}", file: f"{other}{suffix}", name: "player"}
        for word, pseudonym in words.items():
            if len(word) >= _FEWEST:
                self._others.setdefault(word.lower(), pseudonym)

    def name(self, text: str) -> str:
        """The other name of a player, if it has one."""
        return self.names.get(text, text)

    def text(self, text: str) -> str:
        """A text with other names and without absolute paths."""
        changed = self._sought.sub(lambda match: self._others[match[0].lower()], text) if self._others else text
        return _PATH.sub("", changed)

    def message(self, text: str) -> str:
        """A message about a failure, without words that a player's code may have written."""
        ply = _PLY.search(text)
        text = _PLACE.sub("", _PLY.sub("", text))
        who = next((name for name in self.names if text.startswith(f"{name} ")), "")
        what = _WRITTEN.split(self.text(text.removeprefix(who)))[0].rstrip()
        return self.name(who) + re.sub(r"raised \w+", "raised an error", what) + (ply[0] if ply else "")

    def documents(self, stored: Mapping[str, Any]) -> dict[str, Any]:
        """The documents of a ledger without these names."""
        changed = {key: document for key, document in stored.items() if key != CHANGEABLE}
        changed["experiment"] = self._experiment(stored["experiment"])
        changed["facts"] = {**stored["facts"], "files": {}}
        if COMPLETE in stored:
            changed[COMPLETE] = [
                [self.name(player), {key: self.name(it) if key == "opponent" else it for key, it in row.items()}]
                for player, row in stored[COMPLETE]
            ]
        if DISQUALIFIED in stored:
            changed[DISQUALIFIED] = sorted(map(self.name, stored[DISQUALIFIED]))
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
        players = [self._entry(entry) for entry in document["players"]]
        plain = _with_texts({key: value for key, value in document.items() if key != "players"}, _without_paths)
        anchor = {self.name(player): elo for player, elo in document["anchor"].items()}
        changed = {**plain, "players": players, "anchor": anchor}
        changed["process"] = {**document["process"], "readable": []}
        if isinstance(format := document.get("format"), dict) and "seeds" in format:
            changed["format"] = {**format, "seeds": [*map(self.name, format["seeds"])]}
        return changed

    def _entry(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The entry of a player, of a class of a user's own without options."""
        if entry["name"] not in self.names:
            return dict(_with_texts(entry, _without_paths))
        is_built_in = entry["type"] in TYPES and "command" not in entry
        changed = {key: _with_texts(entry[key], self.text) for key in entry if is_built_in or key in _KEPT}
        program = {"command": self.name(entry["name"])} if "command" in entry else {}
        return {**changed, "name": self.name(entry["name"]), **program}

    def _manifest(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """The manifest; players in the order of their new names, as their own order would tell who they are."""
        found = [
            {**it, "player": self.name(it["player"]), "message": self.message(it["message"])}
            for it in document["found"]
        ]
        left_out = {self.name(one): self.text(file) for one, file in document["left_out"].items()}
        return {
            **document,
            "men": dict(sorted((self.name(player), value) for player, value in document["men"].items())),
            "found": sorted(found, key=lambda it: str(it["player"])),
            "left_out": dict(sorted(left_out.items())),
            "session": {**document["session"], "host": ""},
            "file": "",
            "configuration": {},
            "files": {},
        }

    def games(self, games: pd.DataFrame) -> pd.DataFrame:
        """The games of a ledger without these names; machines have numbers."""
        messages = {text: self.message(text) if text else "" for text in games["error"].unique()}
        machines = dict.fromkeys(filter(None, games["machine"]))
        numbers = {name: f"machine {number}" for number, name in enumerate(machines, 1)}
        return games.assign(
            white=games["white"].map(self.name),
            black=games["black"].map(self.name),
            error=games["error"].map(messages),
            machine=games["machine"].map(lambda name: numbers.get(name, "")),
        )

    def rows(self, rows: Sequence[Sequence[Any]], columns: Sequence[str]) -> list[tuple[Any, ...]]:
        """Rows of another table of a ledger without these names."""
        changes = {"player": self.name, "error": self.message}
        return [
            tuple(changes.get(column, lambda it: it)(it) for column, it in zip(columns, row, strict=True))
            for row in rows
        ]


def _without_paths(text: str) -> str:
    return _PATH.sub("", text)


def _with_texts(document: Any, changed: Callable[[str], str]) -> Any:
    """The document with all of its texts changed."""
    if isinstance(document, str):
        return changed(document)
    if isinstance(document, dict):
        return {changed(key): _with_texts(value, changed) for key, value in document.items()}
    return [_with_texts(part, changed) for part in document] if isinstance(document, list | tuple) else document


def _code_of(spec: PlayerSpec) -> list[str]:
    """The references to code and files of a user's own in a specification."""
    return [*own_code(spec), *map(str, user_files(spec))]
