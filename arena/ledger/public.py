"""A ledger for others to read: without paths, and without names of persons and of players of a user's own."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import count
from pathlib import PurePath
from typing import Any

import pandas as pd

from arena.experiment.model import Experiment
from arena.ledger.info import Diagnosis, RunInfo
from arena.ledger.moves import Moves
from arena.ledger.read import RunData
from players.loading import own_code, source_of, user_files
from players.player import HUMAN, TYPES, Limit, PlayerSpec

_KEPT = frozenset({"name", "type", "in_process", *Limit._fields})
"""Keys of a player of a user's own class that tell nothing of its code."""
FEWEST = 3
"""Letters of a name that is looked for inside texts."""
_PATH = re.compile(r"(?<![\w.\\/])(?:~|[A-Za-z]:)?[\\/](?:[^\s\\/:*?\"'<>|,;()\[\]{}]+[\\/])+")
"""The folders of an absolute path."""
_PLACE = re.compile(r"^\S+\.ya?ml:\d+(:\d+)?: ")
_PLY = re.compile(r" at ply \d+$")
_WRITTEN = re.compile(r": |['\"`]")
"""Where in a message a text begins that a player's code may have written."""


def published(run: RunData) -> RunData:
    """The run without paths and names: a report of it may be published."""
    games = pd.concat([run.games, run.void_games]).sort_values("game")
    return Pseudonyms(run.experiment, run.info, run.judges, games).of(run)


class Pseudonyms:
    """Other names, such as `player 3`, for persons and for players with files of a user's own.

    Built-in players keep their names. The numbers are drawn from facts of the run that are not published, such as
    the hashes of all files and the exact time of the first game, so that they are the same each time.
    """

    def __init__(
        self,
        experiment: Experiment,
        info: RunInfo,
        judges: Mapping[str, Any],
        games: pd.DataFrame,
        noun: str = "player",
    ) -> None:
        """Of the players of an experiment, of those left out, and of the judges of its games."""
        users = [spec for spec in experiment.players if spec.type == HUMAN or _code_of(spec)]
        self.files: dict[str, str] = {spec.name: source_of(spec) or "".join(_code_of(spec)[:1]) for spec in users}
        """The file, module or program of each, "" of a person."""
        self.files |= info.left_out
        real = sorted({*self.files, *(name for name, judge in judges.items() if judge.get("files"))})
        machines = dict.fromkeys(filter(None, games["machine"]))
        self._machines = {name: f"machine {number}" for number, name in enumerate(machines, 1)}
        first = games.head(1)[["game", "began", "seconds", "cpu_seconds"]].to_dict("records")
        secret = repr((experiment.seed, info.began, dict(info.files), real, first))
        random.Random(sha256(secret.encode()).digest()).shuffle(real)
        taken = {spec.name for spec in experiment.players} - set(real)
        free = (name for number in count(1) if (name := f"{noun} {number}") not in taken)
        self.names: dict[str, str] = dict(zip(real, free, strict=False))
        """The other name of each player that has one."""
        self._others = {name.lower(): other for name, other in self.names.items() if len(name) >= FEWEST}
        for name, code in [
            *((spec.name, reference) for spec in users for reference in _code_of(spec)),
            *self.files.items(),
        ]:
            self._add(self.names[name].replace(" ", "-"), code)
        sought = sorted(self._others, key=len, reverse=True)
        self._sought = re.compile("|".join(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])" for word in sought), re.I)

    def _add(self, other: str, code: str) -> None:
        """Have another name for a reference to code, and for its file."""
        file, colon, name = code.rpartition(":") if ":" in code else (code, "", "")
        suffix = PurePath(file).suffix
        words = {code: f"{other}{suffix}{colon and ':player'}", file: f"{other}{suffix}", name: "player"}
        for word, pseudonym in words.items():
            if len(word) >= FEWEST:
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

    def of(self, run: RunData) -> RunData:
        """A run without these names. It is not told by an order of players who they are."""
        assert isinstance(run.moves, Moves)
        order = [(self.name(player), self._with_opponent(figures)) for player, figures in run.order or ()]
        judges = {
            self.name(name): {"entry": {"name": self.name(name), "type": "player"}, "files": {}}
            if name in self.names
            else judge
            for name, judge in run.judges.items()
        }
        info = self.info(run.info)
        tables = {
            name: self._table(value) for name, value in run._asdict().items() if isinstance(value, pd.DataFrame)
        }
        tables["probes"] = tables["probes"].sort_values(["position", "player"], ignore_index=True)
        tables["answers"] = tables["answers"].sort_values(["suite", "position", "player"], ignore_index=True)
        names = run.moves.names.map(self.name)
        return run._replace(
            experiment=self._experiment(run.experiment),
            info=info,
            order=run.order and order,
            moves=replace(
                run.moves,
                games=tables["games"],
                void=tables["void_games"],
                names=names,
                men=info.men,
                extras=tables["extras"],
            ),
            disqualified=tuple(sorted(map(self.name, run.disqualified))),
            judges=judges,
            **tables,
            published={name: (other, self.files.get(name, "")) for name, other in self.names.items()},
        )

    def _with_opponent(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self.name(value) if key == "opponent" else value for key, value in figures.items()}

    def _table(self, table: pd.DataFrame) -> pd.DataFrame:
        """A table without these names; machines have numbers."""
        changes: dict[str, Callable[[str], str]] = {
            **dict.fromkeys(("white", "black", "player", "judge"), self.name),
            "error": lambda text: text and self.message(text),
            "extra": self.text,
            "machine": lambda name: self._machines.get(name, ""),
        }
        return table.assign(**{name: table[name].map(change) for name, change in changes.items() if name in table})

    def _experiment(self, experiment: Experiment) -> Experiment:
        document = _with_texts(experiment.as_dict(), without_paths)
        document["players"] = [self._entry(entry) for entry in experiment.as_dict()["players"]]
        document["anchor"] = {self.name(player): elo for player, elo in experiment.anchor.items()}
        document["process"]["readable"] = []
        if isinstance(format := document["format"], dict) and "seeds" in format:
            format["seeds"] = [*map(self.name, format["seeds"])]
        return Experiment.model_validate(document)

    def _entry(self, entry: Mapping[str, Any]) -> dict[str, Any]:
        """The entry of a player, of a class of a user's own without options."""
        if entry["name"] not in self.names:
            return dict(_with_texts(entry, without_paths))
        is_built_in = entry["type"] in TYPES and "command" not in entry
        changed = {key: _with_texts(entry[key], self.text) for key in entry if is_built_in or key in _KEPT}
        program = {"command": self.name(entry["name"])} if "command" in entry else {}
        return {**changed, "name": self.name(entry["name"]), **program}

    def info(self, info: RunInfo) -> RunInfo:
        """The info without these names; players in the order of the new ones, as their own tells who they are."""
        diagnoses = [
            Diagnosis(self.name(finding.player), finding.level, self.message(finding.message))
            for finding in info.found
        ]
        left_out = {self.name(player): self.text(file) for player, file in info.left_out.items()}
        return info._replace(
            file="",
            files={},
            men=dict(sorted((self.name(player), man) for player, man in info.men.items())),
            found=tuple(sorted(diagnoses)),
            left_out=dict(sorted(left_out.items())),
            session=info.session and info.session._replace(host=""),
        )


def without_paths(text: str) -> str:
    """The text without the folders of absolute paths."""
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
