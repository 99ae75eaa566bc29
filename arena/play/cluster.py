"""The workers of a Dask scheduler, on any number of machines.

Dask itself hands the batches of a lost worker to another one. Added here: each machine gets the user's files that
tasks name, kept by their content; a worker with another version of this project's code says so; and a worker's
process does one batch at a time, whatever number of threads Dask gives it.
"""

from __future__ import annotations

import logging
import pickle
import sys
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, NamedTuple

from arena.base.files import ROOT
from arena.base.wording import not_installed
from arena.play.batches import Batch, Died, EngineError, Function, Made
from arena.rules.jit.cache import cache_folder
from players.identity import MISSING, copy_of, hash_of, keep_copy
from players.loading import files_of, moved, user_files
from players.player import ENGINE, PlayerSpec

_CONNECT_SECONDS = 10
"""Seconds that a scheduler has to answer."""
_COUNT_SECONDS = 2
"""Seconds for which the number of workers is taken to be the same."""
_LOOKS = 3
"""Looks, _COUNT_SECONDS apart, after which a call that no worker has is handed in again."""
_CLOSE_SECONDS = 1
"""Seconds that Dask's client has to close; twice as many, and it is left."""
_LOGGERS = ("distributed", "distributed.client", "tornado.application")
"""Loggers that would report a lost scheduler in pages."""


class Cluster:
    """The workers of the Dask scheduler at an address."""

    def __init__(self, address: str) -> None:
        """Raises EngineError if Dask is not installed or no scheduler answers."""
        try:
            from distributed import Client
        except ImportError:
            raise EngineError(not_installed(f"playing at {address}", "Dask", "dask")) from None
        self._levels = {name: logging.getLogger(name).level for name in _LOGGERS}
        """The levels of these loggers as they were, and will be again."""
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            raise EngineError(f"no Dask scheduler answers at {address} ({type(error).__name__})") from None
        self._address = address
        self._contents: dict[str, bytes] = {}
        """What the user's files contain, by their hashes."""
        self._calls: dict[str, tuple[_Call, Any]] = {}
        """The calls that have not ended, with Dask's futures, by Dask's keys."""
        self._ended: SimpleQueue[str] = SimpleQueue()
        self._unseen: Counter[str] = Counter()
        """In how many looks in a row no worker had a call."""
        self._count = 0
        self._looked = float("-inf")

    def count(self) -> int:
        """How many workers there are now, or were some moments ago."""
        if time.monotonic() - self._looked > _COUNT_SECONDS:
            assigned = self._assigned()
            self._count = len(assigned)
            self._hand_in_again({key for keys in assigned for key in keys})
            self._looked = time.monotonic()
        return self._count

    def submit(self, function: Function, batch: Batch) -> None:
        """Hand a batch to the worker that Dask chooses."""
        self._hand_in(_Call(function, batch, self._names(batch), code_signature()))

    def ended(self, seconds: float) -> tuple[Batch, Made | Died] | None:
        """Wait so long for a batch to end: what was made of it, or that it has ended several workers, perhaps.

        Raises EngineError if the scheduler is lost, or a worker cannot do the work, and what the function raised.
        """
        from distributed import KilledWorker

        try:
            key = self._ended.get(timeout=seconds)
        except Empty:
            return None
        if key not in self._calls:
            return None  # it was handed in again
        call, future = self._calls.pop(key)
        if future.status == "cancelled":
            raise EngineError(f"the Dask scheduler at {self._address} is lost")
        try:
            made = future.result(timeout=_CONNECT_SECONDS)
        except KilledWorker:
            return call.batch, Died()
        except TimeoutError:  # what was made was lost with its worker
            self._hand_in(call)
            return None
        except ImportError as error:
            missing = f"is draughts-arena installed where the workers of {self._address} run?"
            raise EngineError(f"{missing} ({error})") from None
        if isinstance(made, _Missing):
            self._hand_in(call._replace(contents={mark: self._contents[mark] for mark in call.files.values()}))
            return None
        return call.batch, made

    def withdraw(self) -> int:
        """Take back the calls that no worker has begun, and return how many."""
        begun = {keys[0] for keys in self._assigned() if keys}
        waiting = [key for key, (_, future) in self._calls.items() if key not in begun and not future.done()]
        for key in waiting:
            self._calls.pop(key)[1].cancel()
        return len(waiting)

    def close(self) -> None:
        """Leave the scheduler, which ends what is under way."""
        closing = threading.Thread(target=self._client.close, args=(_CLOSE_SECONDS,), daemon=True)
        closing.start()
        closing.join(2 * _CLOSE_SECONDS)
        for name, level in self._levels.items():
            logging.getLogger(name).setLevel(level)

    def _hand_in(self, call: _Call) -> None:
        key = f"arena-{uuid.uuid4().hex}"
        future = self._client.submit(pickle.loads, pickle.dumps(call), key=key)
        self._calls[key] = call, future
        future.add_done_callback(lambda _: self._ended.put(key))

    def _hand_in_again(self, seen: set[str]) -> None:
        """Hand in again what no worker has had for some looks: Dask may lose sight of a dead worker's result."""
        lost = [key for key, (_, future) in self._calls.items() if key not in seen and not future.done()]
        self._unseen = Counter({key: self._unseen[key] + 1 for key in lost} if self._count else {})
        for key, looks in self._unseen.items():
            if looks >= _LOOKS:
                call, future = self._calls.pop(key)
                future.cancel()
                self._hand_in(call)

    def _assigned(self) -> list[Sequence[str]]:
        """The keys of the calls that each worker has, of the one under way first."""
        try:
            return [tuple(keys) for keys in self._client.processing().values()]
        except OSError:
            return []

    def _names(self, batch: Batch) -> dict[str, str]:
        """The hashes of the user's files of tasks, by their paths; one that cannot be read has none."""
        specs = [spec for _, task in batch for spec in _specs(task).values() if spec.type != ENGINE]
        marks = {path: mark for spec in specs for path, mark in (spec.files or files_of(spec)).items()}
        return {path: mark for path, mark in marks.items() if mark != MISSING and self._has(path, mark)}

    def _has(self, path: str, mark: str) -> bool:
        """Have a file's content ready to be sent, as it is recorded; whether it can be had."""
        if mark not in self._contents:
            places = [Path(path), copy_of(path, mark)]
            place = next((place for place in places if hash_of(place) == mark), None)
            if place is None:
                return False
            self._contents[mark] = place.read_bytes()
        return True


class _Call(NamedTuple):
    """A function's call with a batch, which is made where the call is unpickled.

    So a scheduler, which reads what it hands on, needs nothing of the arena, and a worker that lacks the arena
    says so in place of ending.
    """

    function: Function
    batch: Batch
    files: Mapping[str, str]
    """The hashes of the users' files, by their paths on the machine of the arena."""
    signature: str
    contents: Mapping[str, bytes] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, tuple(self)


class _Missing(Exception):
    """A worker's machine lacks a file of the user's own."""


_one_at_a_time = threading.Lock()
"""Held by the batch that is being done: a player may use all of its process."""


def _made(*fields: Any) -> Any:
    """Make a call, on a worker, or return a _Missing. Raises EngineError if the worker has another version."""
    call = _Call(*fields)
    if call.signature != code_signature():
        from distributed import get_worker

        other = f"the Dask worker {get_worker().address} has another version of draughts-arena or of its compiler"
        raise EngineError(f"{other}: start it again")
    try:
        batch = [(number, _here(call, task)) for number, task in call.batch]
    except _Missing as missing:
        return missing
    with _one_at_a_time:
        return call.function(batch)


def _here(call: _Call, task: Any) -> Any:
    """The task with this machine's copies of the user's files. Raises _Missing.

    Sources are loaded from their copies, under their own names; other files are named by their copies. An outside
    program is each machine's own.
    """
    for path, mark in call.files.items():
        if not copy_of(path, mark).is_file():
            if mark not in call.contents:
                raise _Missing(path)
            keep_copy(copy_of(path, mark), call.contents[mark])

    def copy(path: Path) -> Path:
        is_sent = path.suffix != ".py" and str(path) in call.files
        return copy_of(path, call.files[str(path)]) if is_sent else path

    changed = {}
    for field, spec in _specs(task).items():
        paths = {str(path) for path in user_files(spec)} | spec.files.keys()
        files = {str(copy(Path(path))): call.files[path] for path in paths if path in call.files}
        changed[field] = replace(moved(spec, copy), files=files)
    return task._replace(**changed) if changed else task


@cache
def code_signature() -> str:
    """A hash of this project's code and of its compilers, which must agree wherever games are played."""
    digest = sha256(f"{sys.version_info[:2]} {cache_folder().name}".encode())
    for package in ("arena", "players"):
        for source in sorted((ROOT / package).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def _specs(task: Any) -> dict[str, PlayerSpec]:
    """The players of a task, by its fields."""
    fields: Iterable[tuple[str, Any]] = task._asdict().items() if hasattr(task, "_asdict") else ()
    return {field: value for field, value in fields if isinstance(value, PlayerSpec)}
