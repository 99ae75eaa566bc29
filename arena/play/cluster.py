"""The workers of a Dask scheduler, on any number of machines: each does one chunk at a time.

A chunk is for one worker alone, so that it is known which tasks a lost one had. Each machine gets the user's files
that tasks name, kept by their content, and a worker with another version of this project's code says so.
"""

from __future__ import annotations

import logging
import pickle
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.files import ROOT
from arena.base.wording import not_installed
from arena.play.chunks import Chunk, EngineError, Function, Made, Queue
from arena.rules.jit.cache import cache_folder
from players.identity import MISSING, copy_of, hash_of, keep_copy
from players.loading import files_of, moved, user_files
from players.player import ENGINE, PlayerSpec

_CONNECT_SECONDS = 10
"""Seconds that a scheduler has to answer."""
_LOOK_SECONDS = 1.0
"""Seconds between two looks which workers there are."""
_POLL_SECONDS = 0.02
"""Seconds between two looks what is done."""
_CLOSE_SECONDS = 1
"""Seconds that Dask's client has to close."""
_LOGGERS = ("distributed", "distributed.client", "tornado.application")
"""Loggers that would report a lost scheduler in pages."""


def worker_count(address: str) -> int:
    """How many workers a scheduler has now. Raises EngineError if none answers."""
    with _connected(address) as client:
        return len(_workers(client))


def records(address: str, function: Function, queue: Queue) -> Iterator[Any]:
    """Yield the records of a queue's tasks as they are made.

    Raises EngineError if the scheduler is lost or a worker cannot do the work, and what the function raises.
    """
    from distributed import as_completed

    with _connected(address) as client:
        completed = as_completed(loop=client.loop, with_results=True, raise_errors=False)
        under_way: dict[Any, tuple[str, Chunk]] = {}
        sent: defaultdict[str, set[str]] = defaultdict(set)
        workers: set[str] = set()
        looked = float("-inf")
        while True:
            if time.monotonic() - looked > _LOOK_SECONDS:
                workers, looked = _workers(client), time.monotonic()
                for future in [future for future, (worker, _) in under_way.items() if worker not in workers]:
                    future.cancel()
                    queue.take(under_way.pop(future)[1], None, len(workers))
            chunk = None
            for worker in workers - {worker for worker, _ in under_way.values()}:
                if (chunk := queue.next()) is None:
                    break
                call = pickle.dumps(_call(function, chunk, sent[worker]))
                future = client.submit(pickle.loads, call, workers=[worker], pure=False)
                under_way[future] = worker, chunk
                completed.add(future)
            if not under_way and (queue.is_over() or (workers and chunk is None)):
                return
            ended = completed.next_batch(block=False)
            for future, result in ended:
                if future in under_way:
                    _, chunk = under_way.pop(future)
                    yield from queue.take(chunk, _made(address, future, result), len(workers))
            if not ended:
                time.sleep(_POLL_SECONDS)


def _workers(client: Any) -> set[str]:
    """The addresses of the workers that there are now. Raises EngineError if the scheduler is lost."""
    try:
        return set(client.nthreads())
    except OSError:
        raise EngineError(f"the Dask scheduler at {client.scheduler.address} is lost") from None


def _made(address: str, future: Any, result: Any) -> Made | None:
    """What was made of a chunk whose future has ended; None if Dask says that its worker was lost."""
    from distributed import KilledWorker

    match future.status, result:
        case "finished", made:
            return made  # type: ignore[no-any-return]
        case "error", (_, KilledWorker(), _):
            return None
        case "error", (_, ImportError() as error, _):
            missing = f"is draughts-arena installed where the workers of {address} run?"
            raise EngineError(f"{missing} ({error})") from None
        case "error", (_, BaseException() as error, _):
            raise error
    raise EngineError(f"the Dask scheduler at {address} is lost")


@contextmanager
def _connected(address: str) -> Iterator[Any]:
    """A client of a scheduler, whose loggers are silent. Raises EngineError if Dask is not there or none answers."""
    try:
        from distributed import Client
    except ImportError:
        raise EngineError(not_installed(f"playing at {address}", "Dask", "dask")) from None
    levels = {name: logging.getLogger(name).level for name in _LOGGERS}
    for name in _LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError, ImportError) as error:
        raise EngineError(f"no Dask scheduler answers at {address} ({type(error).__name__})") from None
    try:
        yield client
    finally:
        client.close(_CLOSE_SECONDS)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)


class _Call(NamedTuple):
    """A function's call with tasks, which is made where the call is unpickled.

    So a scheduler, which reads what it hands on, needs nothing of the arena, and a worker that lacks the arena
    says so in place of ending.
    """

    function: Function
    tasks: list[Any]
    files: Mapping[str, str]
    """The hashes of the users' files, by their paths on the machine of the arena."""
    contents: Mapping[str, bytes]
    """Of those that the worker was not sent before, by their hashes and names."""
    signature: str

    def __reduce__(self) -> tuple[Any, ...]:
        return _called, tuple(self)


_one_at_a_time = threading.Lock()
"""Held by the chunk that is being done: a player may use all of its process, whatever threads Dask gives it."""


def _call(function: Function, chunk: Chunk, sent: set[str]) -> _Call:
    """The call by which a worker does a chunk, with the files that it was not `sent` before, by their hashes."""
    specs = {id(spec): spec for task in chunk.tasks for spec in _specs(task).values() if spec.type != ENGINE}
    files = {path: mark for spec in specs.values() for path, mark in (spec.files or files_of(spec)).items()}
    places = {path: _place(path, mark) for path, mark in files.items() if mark != MISSING}
    found = {path: place for path, place in places.items() if place is not None}
    contents = {path: place.read_bytes() for path, place in found.items() if files[path] not in sent}
    sent.update(files[path] for path in found)
    return _Call(function, list(chunk.tasks), {path: files[path] for path in found}, contents, code_signature())


def _place(path: str, mark: str) -> Path | None:
    """Where a file is as it is recorded: in its place, or as a copy."""
    return next((place for place in (Path(path), copy_of(path, mark)) if hash_of(place) == mark), None)


def _called(*fields: Any) -> Made:
    """Make a call, on a worker. Raises EngineError if the worker has another version."""
    call = _Call(*fields)
    if call.signature != code_signature():
        from distributed import get_worker

        other = f"the Dask worker {get_worker().address} has another version of draughts-arena or of its compiler"
        raise EngineError(f"{other}: start it again")
    for path, content in call.contents.items():
        keep_copy(copy_of(path, call.files[path]), content)
    tasks = [_here(call.files, task) for task in call.tasks]
    with _one_at_a_time:
        return call.function(tasks)


def _here(files: Mapping[str, str], task: Any) -> Any:
    """The task with this machine's copies of the user's files.

    Sources are loaded from their copies, under their own names; other files are named by their copies. An outside
    program is each machine's own.
    """

    def copy(path: Path) -> Path:
        is_sent = path.suffix != ".py" and str(path) in files
        return copy_of(path, files[str(path)]) if is_sent else path

    changed = {}
    for field, spec in _specs(task).items():
        paths = {str(path) for path in user_files(spec)} | spec.files.keys()
        of_spec = {str(copy(Path(path))): files[path] for path in paths if path in files}
        changed[field] = replace(moved(spec, copy), files=of_spec)
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
