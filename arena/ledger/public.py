"""A ledger for others to read: without paths, and without names of persons and of players of a user's own."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from hashlib import sha256
from itertools import count
from pathlib import PurePath
from typing import Any

import pandas as pd

from arena.experiment.model import Experiment
from arena.ledger.info import RunInfo
from arena.ledger.ledger import JUDGES
from arena.ledger.moves import Moves
from arena.ledger.read import RunData
from arena.ledger.record import Failure
from players.loading import own_code, source_of, user_files
from players.player import HUMAN, TYPES, Limit, PlayerSpec

_KEPT = frozenset({"name", "type", *Limit._fields})
"""Keys of a player of a user's own class that tell nothing of its code."""
_SUFFIXES = (".py", ".npz", ".onnx", ".pt", ".pt2")
"""Suffixes of files that tell nothing of who wrote them."""
_NO_ANSWER = "failed"
"""What is said of a failure in a probe or a suite."""
_PATH = re.compile(r"(?<![\w.\\/])(?:~|[A-Za-z]:)?[\\/](?:[^\s\\/:*?\"'<>|,;()\[\]{}]+[\\/])+")
"""The folders of an absolute path."""


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
        real = sorted({*self.files, *(name for name, judge in judges.items() if _is_users(judge))})
        machines = dict.fromkeys(filter(None, games["machine"]))
        self._machines = {name: f"machine {number}" for number, name in enumerate(machines, 1)}
        first = games.head(1)[["game", "began", "seconds", "cpu_seconds"]].to_dict("records")
        secret = repr((experiment.seed, info.began, dict(info.files), real, first))
        random.Random(sha256(secret.encode()).digest()).shuffle(real)
        taken = {spec.name for spec in experiment.players} - set(real)
        free = (name for number in count(1) if (name := f"{noun} {number}") not in taken)
        self.names: dict[str, str] = dict(zip(real, free, strict=False))
        """The other name of each player that has one."""

    def name(self, text: str) -> str:
        """The other name of a player, if it has one."""
        return self.names.get(text, text)

    def _reference(self, player: str, code: str) -> str:
        """What stands for a reference to code of a player, or for its file: `player-3.py:player`."""
        file, colon, _ = code.rpartition(":") if ":" in code else (code, "", "")
        suffix = PurePath(file).suffix
        return "".join([
            self.name(player).replace(" ", "-"), suffix if suffix in _SUFFIXES else "", ":player" if colon else "",
        ])  # fmt: skip

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
        failures = tuple(failure._replace(player=self.name(failure.player), detail="") for failure in run.failures)
        errors = {"games": _errors(failures), "void_games": _errors(failures)}
        metrics = self._metrics(run.extras)
        tables = {
            name: self._table(value, errors.get(name), metrics)
            for name, value in run._asdict().items()
            if isinstance(value, pd.DataFrame)
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
            documents={JUDGES: judges},
            failures=failures,
            **tables,
            published={name: (other, self.files.get(name, "")) for name, other in self.names.items()},
        )

    def _with_opponent(self, figures: Mapping[str, Any]) -> dict[str, Any]:
        return {key: self.name(value) if key == "opponent" else value for key, value in figures.items()}

    def _table(
        self, table: pd.DataFrame, errors: Mapping[int, str] | None, metrics: Mapping[str, str]
    ) -> pd.DataFrame:
        """A table without these names; machines have numbers. `errors` are those of games."""
        changes: dict[str, Callable[[str], str]] = {
            **dict.fromkeys(("white", "black", "player", "judge"), self.name),
            "error": lambda text: text and _NO_ANSWER,
            "extra": lambda name: metrics.get(name, name),
            "machine": lambda name: self._machines.get(name, ""),
        }
        changed = table.assign(
            **{name: table[name].map(change) for name, change in changes.items() if name in table}
        )
        return changed if errors is None else changed.assign(error=table["game"].map(errors).fillna(""))

    def _metrics(self, extras: pd.DataFrame) -> dict[str, str]:
        """Other names for the custom metrics that players with another name alone have."""
        is_hidden = extras["player"].astype(str).isin(self.names)
        theirs = sorted({*extras.loc[is_hidden, "extra"]} - {*extras.loc[~is_hidden, "extra"]})
        return {name: f"number_{place}" for place, name in enumerate(theirs, start=1)}

    def _experiment(self, experiment: Experiment) -> Experiment:
        document = _with_texts(experiment.as_dict(), without_paths)
        entries = zip(experiment.as_dict()["players"], experiment.players, strict=True)
        document["players"] = [self._entry(entry, spec) for entry, spec in entries]
        document["anchor"] = {self.name(player): elo for player, elo in experiment.anchor.items()}
        document["process"]["readable"] = []
        if isinstance(format := document["format"], dict) and "seeds" in format:
            format["seeds"] = [*map(self.name, format["seeds"])]
        return Experiment.model_validate(document)

    def _entry(self, entry: Mapping[str, Any], spec: PlayerSpec) -> dict[str, Any]:
        """The entry of a player, of a class of a user's own without options."""
        public: dict[str, Any] = _with_texts(entry, without_paths)
        if spec.name not in self.names:
            return public
        is_built_in = entry["type"] in TYPES and "command" not in entry
        code = _code_of(spec)
        for key, value in entry.items():
            if isinstance(value, str) and value in code:
                public[key] = self._reference(spec.name, value)
        program = {"command": self.name(spec.name)} if "command" in entry else {}
        kept = {key: value for key, value in public.items() if is_built_in or key in _KEPT}
        return {**kept, "name": self.name(spec.name), **program}

    def info(self, info: RunInfo) -> RunInfo:
        """The info without these names; players in the order of the new ones, as their own tells who they are."""
        found = [
            finding.without_code()._replace(
                where=self.name(finding.where), others=tuple(sorted(map(self.name, finding.others)))
            )
            for finding in info.found
        ]
        left_out = {self.name(player): self._reference(player, file) for player, file in info.left_out.items()}
        return info._replace(
            file="",
            files={},
            men=dict(sorted((self.name(player), man) for player, man in info.men.items())),
            found=tuple(sorted(found, key=lambda finding: finding.where)),
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


def _errors(failures: Iterable[Failure]) -> dict[int, str]:
    """What went wrong in each game that was lost by a failure, by its number."""
    errors: dict[int, list[str]] = {}
    for failure in failures:
        errors.setdefault(failure.game, []).append(f"{failure.player} {failure.words}")
    return {game: "; ".join(words) for game, words in errors.items()}


def _is_users(judge: Mapping[str, Any]) -> bool:
    """Whether a judge of a run has files or code of a user's own."""
    entry = judge.get("entry", {})
    return bool(judge.get("files")) or any(isinstance(value, str) and ":" in value for value in entry.values())


def _code_of(spec: PlayerSpec) -> list[str]:
    """The references to code and files of a user's own in a specification."""
    return [*own_code(spec), *map(str, user_files(spec))]
