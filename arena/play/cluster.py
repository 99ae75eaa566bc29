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
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from arena.base.files import ROOT
from arena.base.wording import not_installed
from arena.play.processes import Chunk, EngineError, Made, Queue, Work, do
from arena.rules.jit.cache import cache_folder
from players.identity import MISSING, Files, copy_of, hash_of, keep_copy
from players.loading import moved
from players.player import ENGINE, PlayerSpec

_CONNECT_SECONDS, _CLOSE_SECONDS = 10, 1
"""Seconds that a scheduler has to answer, and Dask's client to close."""
_LOOK_SECONDS, _POLL_SECONDS = 1.0, 0.02
"""Seconds between two looks which workers there are, and what is done."""
_LOGGERS = "distributed", "distributed.client", "tornado.application", "asyncio"
"""Loggers that would report a lost scheduler in pages."""


def worker_count(address: str) -> int:
    """How many workers a scheduler has now. Raises EngineError if none answers."""
    with _connected(address) as client:
        return len(_workers(client))


def records(address: str, work: Work, queue: Queue) -> Iterator[Any]:
    """Yield the records of a queue's tasks as they are made, by workers that may come and go.

    Raises EngineError if the scheduler is lost or a worker cannot do the work, and what the work raises.
    """
    from distributed import as_completed

    with _connected(address) as client:
        completed = as_completed(loop=client.loop, with_results=True, raise_errors=False)
        under_way: dict[Any, tuple[str, Chunk]] = {}
        sent: defaultdict[str, set[tuple[str, str]]] = defaultdict(set)
        workers, looked = set[str](), float("-inf")
        while True:
            if time.monotonic() - looked > _LOOK_SECONDS:
                workers, looked = _workers(client), time.monotonic()
                for future in [future for future, (worker, _) in under_way.items() if worker not in workers]:
                    future.cancel()
                    queue.take(under_way.pop(future)[1], None, len(workers))
            chunk = None
            for worker in workers.difference(worker for worker, _ in under_way.values()):
                if (chunk := queue.next()) is None:
                    break
                call = pickle.dumps(_call(work, chunk, sent[worker]))
                future = client.submit(pickle.loads, call, workers=[worker], pure=False)
                under_way[future] = worker, chunk
                completed.add(future)
            if not under_way and (queue.is_over() or (workers and chunk is None)):
                return
            ended = completed.next_batch(block=False)
            for future, result in ended:
                if future in under_way:
                    made = _made(address, future.status, result)
                    yield from queue.take(under_way.pop(future)[1], made, len(workers))
            if not ended:
                time.sleep(_POLL_SECONDS)


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of a scheduler, while _LOGGERS report nothing.

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
        yield client
    finally:
        if client is not None:
            client.close(_CLOSE_SECONDS)
        gc.collect()  # what was lost with a scheduler is reported when it is collected
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


def _workers(client: Any) -> set[str]:
    """The addresses of the workers that there are now. Raises EngineError if the scheduler is lost."""
    try:
        return set(client.nthreads())
    except OSError:
        raise EngineError(f"the Dask scheduler at {client.scheduler.address} is lost") from None


def _made(address: str, status: str, result: Any) -> Made | None:
    """What was made of a chunk, by the status and result of its future; None if its worker was lost."""
    from distributed import KilledWorker

    match status, result:
        case "finished", made:
            return made  # type: ignore[no-any-return]
        case "error", (_, KilledWorker(), _):
            return None
        case "error", (_, ImportError() as error, _):
            missing = f"is draughts-arena installed where the workers of {address} run?"
            raise EngineError(f"{missing} ({error})") from None
        case "error", (_, error, _):
            raise error
    raise EngineError(f"the Dask scheduler at {address} is lost")


class _Call:
    """A call of `_called` which is made where it is unpickled.

    So a scheduler, which reads what it hands on, needs nothing of the arena, and a worker that lacks the arena
    says so in place of ending.
    """

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def __reduce__(self) -> tuple[Any, ...]:
        return _called, self.arguments


def _call(work: Work, chunk: Chunk, sent: set[tuple[str, str]]) -> _Call:
    """The call by which a worker does a chunk, with the files that it was not `sent` before: paths and hashes."""
    specs = {id(spec): spec for task in chunk.tasks for spec in _specs(task).values() if spec.type != ENGINE}
    files = {path: mark for spec in specs.values() for path, mark in spec.files.items() if mark != MISSING}
    copies, contents = next((spec.copies for spec in specs.values() if spec.copies), ""), {}
    for path, mark in files.items() - sent:
        if found := [place for place in (Path(path), copy_of(path, mark, copies)) if hash_of(place) == mark]:
            contents[path, mark] = found[0].read_bytes()
    sent.update(files.items())
    return _Call(work, chunk.tasks, files, contents, code_signature())


_one_at_a_time = threading.Lock()
"""Held by the chunk that is being done: a player may use all of its process, whatever threads Dask gives it."""


def _called(
    work: Work, tasks: list[Any], files: Files, contents: Mapping[tuple[str, str], bytes], signature: str
) -> Made:
    """Do a chunk, on a worker. Raises EngineError if the worker has another version."""
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
