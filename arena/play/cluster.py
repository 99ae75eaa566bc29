"""The workers of a Dask scheduler as an engine, on any number of machines."""

from __future__ import annotations

import logging
import pickle
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from arena.base.files import replace
from arena.base.wording import not_installed
from arena.play.engine import Died, EngineError
from players.loading import copies, moved, user_files
from players.player import PlayerSpec

_CONNECT_SECONDS = 10
"""Seconds that a scheduler has to answer."""
_COUNT_SECONDS = 2
"""Seconds for which the number of workers is taken to be the same."""
_LOOKS = 3
"""Looks, _COUNT_SECONDS apart, after which a call that no worker has is handed in again."""
_CLOSE_SECONDS = 1
"""Seconds that Dask's client has to close; twice as many, and it is left."""
_LOGGERS = ("distributed", "distributed.client", "tornado.application")
"""Loggers that would report a lost scheduler in pages, beside our line."""
_ROOT = Path(__file__).parents[2]
"""The folder that holds the packages `arena` and `players`."""


class Cluster:
    """An engine of the workers of the Dask scheduler at an address.

    Dask itself hands a lost worker's calls to another. Files of the user's own that tasks name are sent to each
    machine once.
    """

    def __init__(self, address: str) -> None:
        """Raises EngineError if Dask is not installed or no scheduler answers."""
        try:
            from distributed import Client
        except ImportError:
            raise EngineError(not_installed(f"playing at {address}", "Dask", "dask")) from None
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        try:
            self._client = Client(address, timeout=_CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            raise EngineError(f"no Dask scheduler answers at {address} ({type(error).__name__})") from None
        self._address = address
        self._executor = self._client.get_executor(pure=False)
        self._files = _Files()
        self._calls: dict[Future[Any], tuple[str, Future[Any], _Call]] = {}
        self._unseen: dict[str, int] = {}
        self._lock = threading.Lock()
        self._counted = 0
        self._when = float("-inf")

    def workers(self) -> int:
        if time.monotonic() - self._when > _COUNT_SECONDS:
            self._counted = len(self._client.scheduler_info()["workers"])
            if self._counted:
                self._hand_in_again()
            self._when = time.monotonic()
        return self._counted

    def submit(self, function: Callable[..., Any], tasks: list[tuple[int, Any]]) -> Future[Any]:
        outer: Future[Any] = Future()
        self._hand_in(outer, _Call(function, tasks, self._files.names(tasks), signature()))
        return outer

    def withdraw(self, futures: Iterable[Future[Any]]) -> None:
        try:
            begun = {next(iter(keys)) for keys in self._client.processing().values() if keys}
        except OSError:
            return
        for outer in futures:
            with self._lock:
                call = self._calls.get(outer)
            if call is not None and call[0] not in begun and outer.cancel():
                call[1].cancel()

    def close(self) -> None:
        closing = threading.Thread(target=self._client.close, args=(_CLOSE_SECONDS,), daemon=True)
        closing.start()
        closing.join(2 * _CLOSE_SECONDS)

    def _hand_in_again(self) -> None:
        """Hand in again what no worker has had for some looks: Dask may lose sight of a dead worker's result."""
        try:
            assigned = {key for keys in self._client.processing().values() for key in keys}
        except OSError:
            return
        with self._lock:
            calls = dict(self._calls)
        self._unseen = {key: self._unseen.get(key, 0) + 1 for key, _, _ in calls.values() if key not in assigned}
        for outer, (key, inner, call) in calls.items():
            if self._unseen.get(key, 0) >= _LOOKS:
                self._hand_in(outer, call)
                inner.cancel()

    def _hand_in(self, outer: Future[Any], call: _Call) -> None:
        key = f"arena-{uuid.uuid4().hex}"
        inner = self._executor.submit(pickle.loads, call.letter, key=key)
        with self._lock:
            self._calls[outer] = key, inner, call
        inner.add_done_callback(lambda done: self._relay(key, done, outer, call))

    def _relay(self, key: str, inner: Future[Any], outer: Future[Any], call: _Call) -> None:
        """Hand on how a call ended, or make it again with the files that its worker lacks."""
        from distributed import KilledWorker

        with self._lock:
            if outer not in self._calls or self._calls[outer][0] != key:
                return  # it was handed in again
        error: BaseException | None
        if inner.cancelled():
            error = EngineError(f"the Dask scheduler at {self._address} is lost")
        else:
            error = inner.exception()
        if error is None and isinstance(inner.result(), _Missing):
            self._hand_in(outer, call._replace(contents=self._files.contents(call.files.values())))
            return
        with self._lock:
            del self._calls[outer]
        if not outer.set_running_or_notify_cancel():
            return
        if isinstance(error, KilledWorker):
            outer.set_exception(Died())
        elif isinstance(error, ImportError):
            missing = f"is draughts-arena installed where the workers of {self._address} run?"
            outer.set_exception(EngineError(f"{missing} ({error})"))
        elif error is not None:
            outer.set_exception(error)
        else:
            outer.set_result(inner.result())


class _Missing(Exception):
    """A worker's machine lacks a file of the user's own."""


class _Files:
    """The files of the user's own that tasks name, by what they contain."""

    def __init__(self) -> None:
        self._known: dict[tuple[Path, int, int], str] = {}
        self._contents: dict[str, bytes] = {}

    def names(self, tasks: Iterable[tuple[int, Any]]) -> dict[Path, str]:
        """A name for each file's content, by the file's path; a file that is missing has none."""
        found: dict[Path, str] = {}
        for path in {path for _, task in tasks for spec in _specs(task).values() for path in user_files(spec)}:
            try:
                state = path.stat()
                stamp = (path, state.st_mtime_ns, state.st_size)
                if stamp not in self._known:
                    content = path.read_bytes()
                    self._known[stamp] = name = f"{sha256(content).hexdigest()[:16]}/{path.name}"
                    self._contents[name] = content
            except OSError:
                continue
            found[path] = self._known[stamp]
        return found

    def contents(self, names: Iterable[str]) -> dict[str, bytes]:
        return {name: self._contents[name] for name in names}


class _Call(NamedTuple):
    """A function's call with tasks, which is made where it is read from its `letter`.

    So a scheduler, which reads what it hands on, needs nothing of the arena, and a worker that lacks the arena
    says so in place of ending.
    """

    function: Callable[..., Any]
    tasks: list[tuple[int, Any]]
    files: Mapping[Path, str]
    signature: str
    contents: Mapping[str, bytes] = {}

    @property
    def letter(self) -> bytes:
        return pickle.dumps(_Letter(self))


class _Letter(NamedTuple):
    call: _Call

    def __reduce__(self) -> tuple[Any, ...]:
        return _made, tuple(self.call)


def _made(*fields: Any) -> Any:
    """Make a call on a worker, or return a _Missing. Raises EngineError if the worker has another version."""
    call = _Call(*fields)
    if call.signature != signature():
        from distributed import get_worker

        other = f"the Dask worker {get_worker().address} has another version of draughts-arena or of its compiler"
        raise EngineError(f"{other}: start it again")
    try:
        tasks = [(number, _here(call, task)) for number, task in call.tasks]
    except _Missing as missing:
        return missing
    return call.function(tasks)


def _here(call: _Call, task: Any) -> Any:
    """The task with this machine's copies of the user's files. Raises _Missing."""

    def copy(path: Path) -> Path:
        return _copy(path, call.files.get(path), call.contents)

    changed = {name: moved(spec, copy) for name, spec in _specs(task).items()} if call.files else {}
    return task._replace(**changed) if changed else task


def _copy(path: Path, name: str | None, contents: Mapping[str, bytes]) -> Path:
    """The copy of a file, kept by its content, so that it is compiled once on this machine. Raises _Missing."""
    if name is None:
        return path
    copy = copies() / name
    if not copy.is_file():
        if name not in contents:
            raise _Missing(name)
        copy.parent.mkdir(parents=True, exist_ok=True)
        replace(copy, lambda file: file.write_bytes(contents[name]))
    return copy


@cache
def signature() -> str:
    """A hash of this project's code and of its compilers, which must agree wherever games are played."""
    digest = sha256(f"{sys.version_info[:2]} {copies().parent.name}".encode())
    for package in ("arena", "players"):
        for source in sorted((_ROOT / package).rglob("*.py")):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def _specs(task: Any) -> dict[str, PlayerSpec]:
    return dict(_players(task)) if hasattr(task, "_fields") else {}


def _players(task: Any) -> Iterator[tuple[str, PlayerSpec]]:
    for name, value in zip(task._fields, task, strict=True):
        if isinstance(value, PlayerSpec):
            yield name, value
