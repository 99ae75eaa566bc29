"""The workers of a Dask scheduler, on any number of machines: each does one chunk at a time, made for it alone.

Each machine gets the user's files that tasks name, kept by their content. A worker with another version of this
project's code says so.
"""

from __future__ import annotations

import gc
import logging
import pickle
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena.base.files import ROOT
from arena.base.wording import not_installed
from arena.play.processes import EngineError, Made, Work, do
from arena.rules.jit.cache import cache_folder
from players.identity import MISSING, Files, copy_of, hash_of, keep_copy
from players.loading import moved
from players.player import ENGINE, PlayerSpec

_CONNECT_SECONDS, _CLOSE_SECONDS = 10, 1
"""Seconds that a scheduler has to answer, and Dask's client to close."""
_LOGGERS = "distributed", "distributed.client", "tornado.application", "asyncio"
"""Loggers that would report a lost scheduler in pages."""


def worker_count(address: str) -> int:
    """How many workers a scheduler has now. Raises EngineError if none answers."""
    with connected(address) as cluster:
        return len(cluster.workers())


class Cluster:
    """The workers of a scheduler, known by their addresses."""

    def __init__(self, client: Any, address: str) -> None:
        self._client, self._address = client, address
        self._sent: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        """Paths and hashes of the files that each worker has."""

    def workers(self) -> set[str]:
        """Those that there are now. Raises EngineError if the scheduler is lost."""
        try:
            return set(self._client.nthreads())
        except OSError:
            raise EngineError(f"the Dask scheduler at {self._address} is lost") from None

    def begin(self, worker: str, work: Work, tasks: Sequence[Any]) -> Future[Made]:
        """Hand tasks to a worker, with the files that it lacks."""
        call = pickle.dumps(_call(work, tasks, self._sent[worker]))
        begun: Future[Made] = self._client.get_executor(workers=[worker], pure=False).submit(pickle.loads, call)
        return begun

    def made(self, _: str, begun: Future[Made]) -> Made | None:
        """What a worker made of tasks; None if it was lost. Raises EngineError, and what the work raises."""
        from distributed import KilledWorker

        try:
            return begun.result()
        except KilledWorker:
            return None
        except CancelledError:
            raise EngineError(f"the Dask scheduler at {self._address} is lost") from None
        except ImportError as error:
            missing = f"is draughts-arena installed where the workers of {self._address} run?"
            raise EngineError(f"{missing} ({error})") from None


@contextmanager
def connected(address: str) -> Iterator[Cluster]:
    """The workers of a scheduler, while _LOGGERS report nothing.

    Raises EngineError if Dask is not there, or none answers.
    """
    try:
        from distributed import Client
    except ImportError:
        raise EngineError(not_installed(f"playing at {address}", "Dask", "dask")) from None
    levels, client = {name: logging.getLogger(name).level for name in _LOGGERS}, None
    try:
        for name in levels:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            raise EngineError(f"no Dask scheduler answers at {address} ({type(error).__name__})") from None
        yield Cluster(client, address)
    finally:
        if client is not None:
            client.close(_CLOSE_SECONDS)
        gc.collect()  # what was lost with a scheduler is reported when it is collected
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


class _Call:
    """A call of `_called` which is made where it is unpickled.

    So a scheduler, which reads what it hands on, needs nothing of the arena, and a worker that lacks the arena
    says so in place of ending.
    """

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return _called, self.arguments


def _call(work: Work, tasks: Sequence[Any], sent: set[tuple[str, str]]) -> _Call:
    """The call by which a worker does tasks, with the files that it was not `sent` before: paths and hashes."""
    specs = {id(spec): spec for task in tasks for spec in _specs(task).values() if spec.type != ENGINE}
    files = {path: mark for spec in specs.values() for path, mark in spec.files.items() if mark != MISSING}
    copies, contents = next((spec.copies for spec in specs.values() if spec.copies), ""), {}
    for path, mark in files.items() - sent:
        if found := [place for place in (Path(path), copy_of(path, mark, copies)) if hash_of(place) == mark]:
            contents[path, mark] = found[0].read_bytes()
    sent.update(files.items())
    return _Call(work, tasks, files, contents, code_signature())


_one_at_a_time = threading.Lock()
"""Held while tasks are done: a player may use all of its process, whatever threads Dask gives it."""


def _called(
    work: Work, tasks: Sequence[Any], files: Files, contents: Mapping[tuple[str, str], bytes], signature: str
) -> Made:
    """Do tasks, on a worker. Raises EngineError if the worker has another version."""
    if signature != code_signature():
        from distributed import get_worker

        other = f"the Dask worker {get_worker().address} has another version of draughts-arena or of its compiler"
        raise EngineError(f"{other}: start it again")
    for (path, mark), content in contents.items():
        keep_copy(copy_of(path, mark, _copies()), content)
    with _one_at_a_time:
        return do(work, [_here(files, task) for task in tasks])


def _here(files: Files, task: Any) -> Any:
    """The task with this machine's copies of the user's files.

    Sources are loaded from their copies, under their own names; other files are named by their copies. An outside
    program is each machine's own.
    """

    def copy(path: Path) -> Path:
        place = copy_of(path, files.get(str(path), MISSING), _copies())
        return place if path.suffix != ".py" and place.is_file() else path

    changed = {}
    for field, spec in _specs(task).items():
        of_spec = {str(copy(Path(path))): files[path] for path in spec.files if path in files}
        changed[field] = replace(moved(spec, copy), files=of_spec, copies=str(_copies()))
    return task._replace(**changed) if changed else task


def _copies() -> Path:
    """The folder of this machine's copies."""
    return cache_folder() / "copies"


@cache
def code_signature() -> str:
    """A hash of this project's code and of its compilers, which must agree wherever games are played."""
    digest = sha256(f"{sys.version_info[:2]} {cache_folder().name}".encode())
    for package in ("arena", "players"):
        for source in sorted((ROOT / package).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def _specs(task: Any) -> dict[str, PlayerSpec]:
    """The players of a task, by its fields; of any other task none."""
    fields: dict[str, Any] = task._asdict() if hasattr(task, "_asdict") else {}
    return {field: value for field, value in fields.items() if isinstance(value, PlayerSpec)}
