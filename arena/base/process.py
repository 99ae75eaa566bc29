"""A process for a user's code: a fork of this one with limits, which leaves nothing behind whatever it does.

On Linux a supervisor stands between the two. It is a subreaper: all that the worker starts descends from it. It
counts processes and shared memory, and kills its descendants when the worker ends, has too much, or loses the
parent. Elsewhere the worker is the child itself, and is only killed.

Requests are pickled, answers are lines. Nothing here resists code that means harm: that is what a sandbox is for.
"""

from __future__ import annotations

import ctypes
import faulthandler
import fcntl
import math
import os
import pickle
import select
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, NoReturn

LAST_SECONDS = 0.5
"""Seconds that a worker has to end by itself when nothing more is asked of it."""
_SUPERVISOR_SECONDS = 5.0
"""Seconds that a supervisor has to clear up before it is killed, too."""
_COUNT_SECONDS = 0.25
"""Seconds between two counts of what a worker has."""
_ENDED = 16
"""Processes that have ended and that nobody has waited for count as one: a player may be kept for many games."""
_LOOK_SECONDS = 0.001
_WHERE, _WHERE_SECONDS = signal.SIGUSR1, 0.05
"""The signal at which a worker prints where it is, and how long that may take."""
_MOST_OUTPUT = 64 << 20
"""Bytes that a worker may print before they are thrown away."""
_LONGEST_ANSWER = 1 << 20
_READ_BYTES = 1 << 16
_LAST_WORDS = b"!"
"""The beginning of the line by which a supervisor says why it ends the worker."""
_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_DATA = 5
"""Field of /proc/self/statm: pages of data and stack, which RLIMIT_DATA bounds."""

ON_LINUX = sys.platform == "linux"
_libc = ctypes.CDLL(None, use_errno=True) if ON_LINUX else None
_is_worker = False
_megabytes: int | None = None
"""Memory that this process may take, if that is bounded."""
importing = threading.Lock()
"""Held while another thread imports modules: in a process that began then they would stay half imported."""

Serve = Callable[[socket.socket], object]
"""The work of a process, given its end of the connection."""


class Ended(Exception):
    """A process ended before it answered: `ended its process (SIGSEGV)`, `started more than 8 processes`."""


class Process:
    """A worker process, seen from its parent."""

    def __init__(self, serve: Serve, megabytes: int, processes: int) -> None:
        """Begin `serve` in a process that may take so much more memory than it begins with, and be so many."""
        with importing:
            pass
        self._connection, theirs = socket.socketpair()
        self._read, self._how = b"", ""
        # a file, as a pipe would stop the worker when it is full, and have to be read in time
        self._output = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115  it is closed with the process
        fcntl.fcntl(self._output, fcntl.F_SETFL, os.O_APPEND)
        self.pid = os.fork()
        if self.pid == 0:
            _end_after(lambda: _begin(serve, theirs, self._output.fileno(), megabytes, processes))
        theirs.close()

    def ask(self, request: Any, seconds: float) -> None:
        """Send a request. That the process has ended shows when its answer is read. Raises TimeoutError."""
        self._connection.settimeout(seconds)
        with suppress(ConnectionError):
            self._connection.sendall(pickle.dumps(request))

    def answer(self, deadline: float) -> bytes:
        """The next line; `deadline` is a value of `time.perf_counter`.

        Raises TimeoutError, Ended if the process ends before, and ValueError for a line without end.
        """
        while b"\n" not in self._read:
            if (left := deadline - time.perf_counter()) <= 0:
                raise TimeoutError
            if len(self._read) > _LONGEST_ANSWER:
                raise ValueError("an answer without end")
            self._connection.settimeout(left)
            try:
                part = self._connection.recv(_READ_BYTES)
            except ConnectionError:  # it ended with requests unread
                part = b""
            if not part:
                raise Ended(self._end(LAST_SECONDS))
            self._read += part
        line, _, self._read = self._read.partition(b"\n")
        if line.startswith(_LAST_WORDS):
            raise Ended(line[1:].decode("utf-8", "backslashreplace"))
        return line

    def family(self) -> list[int]:
        """The worker and all that descends from it, outermost first."""
        return family_of(self.pid) if ON_LINUX else [self.pid]

    def printed(self, most: int) -> str:
        """The last output since `forget_output`, up to `most` bytes."""
        end = os.fstat(self._output.fileno()).st_size
        return os.pread(self._output.fileno(), most, max(end - most, 0)).decode("utf-8", "backslashreplace")

    def forget_output(self) -> None:
        """Throw away what was printed so far."""
        os.ftruncate(self._output.fileno(), 0)

    def place(self, worker: int) -> str:
        """Where the process of the family with this number is in its Python code, as `faulthandler` writes it."""
        before = os.fstat(self._output.fileno()).st_size
        send(_WHERE, self.family()[worker : worker + 1])
        time.sleep(_WHERE_SECONDS)
        return os.pread(self._output.fileno(), _READ_BYTES, before).decode("utf-8", "backslashreplace")

    def close(self) -> None:
        """End it; the worker has LAST_SECONDS to do so by itself."""
        self._connection.close()
        self._end(2 * LAST_SECONDS)
        self._output.close()

    def kill(self) -> None:
        """End it at once."""
        self._end(0.0)
        self._connection.close()
        self._output.close()

    def _end(self, seconds: float) -> str:
        """Wait so long for its end, then kill it with all that descends from it; how it ended."""
        began = time.monotonic()
        while not self._how:
            number, status = os.waitpid(self.pid, os.WNOHANG)
            if number:
                self._how = f"ended its process ({_ending(os.waitstatus_to_exitcode(status))})"
                break
            if (late := time.monotonic() - began - seconds) >= 0:
                send(signal.SIGKILL, self.family() if late < _SUPERVISOR_SECONDS else [self.pid])
            send(signal.SIGCONT, [self.pid])
            time.sleep(_LOOK_SECONDS)
        return self._how


def _ending(code: int) -> str:
    """How a process ended, by its exit code; a shell, a supervisor and bubblewrap add 128 to a signal's number."""
    try:
        return signal.Signals(-code if code < 0 else code - 128).name
    except ValueError:
        return f"exit code {code}"


def _begin(serve: Serve, connection: socket.socket, output: int, megabytes: int, processes: int) -> None:
    """In a process that was forked: leave the parent's session, handlers and files behind, and go to work."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    _close_all_but(connection.fileno(), output)
    if _libc is None:
        _work(serve, connection, output)
    else:
        _supervise(serve, connection, output, megabytes, processes)


def _supervise(serve: Serve, connection: socket.socket, output: int, megabytes: int, processes: int) -> NoReturn:
    """Fork the worker, wait until it ends, loses its parent or has too much, clear up, and end as it did."""
    assert _libc is not None
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    me = os.getpid()
    if (worker := os.fork()) == 0:
        os.setpgid(0, 0)
        end_with(me)
        bound(megabytes)
        _end_after(lambda: _work(serve, connection, output))
    ended = os.pidfd_open(worker)
    waiting = select.poll()
    waiting.register(ended, select.POLLIN)
    waiting.register(connection, 0)  # that is, for its end
    while not (ready := waiting.poll(1000 * _COUNT_SECONDS)) and not (words := _excess(me, megabytes, processes)):
        if os.fstat(output).st_size > _MOST_OUTPUT:
            os.ftruncate(output, 0)
    if not ready:
        with suppress(OSError):
            connection.send(_LAST_WORDS + words.encode() + b"\n", socket.MSG_DONTWAIT)
    elif all(descriptor != ended for descriptor, _ in ready):
        select.select([ended], [], [], LAST_SECONDS)
    code = 0
    while True:  # who loses its parent becomes a child of this process
        try:
            while (found := os.waitpid(-1, os.WNOHANG))[0]:
                code = os.waitstatus_to_exitcode(found[1]) if found[0] == worker else code
        except ChildProcessError:
            os._exit(code if code >= 0 else 128 - code)
        send(signal.SIGKILL, family_of(me))
        time.sleep(_LOOK_SECONDS)


def _work(serve: Serve, connection: socket.socket, output: int) -> None:
    """The worker: what it prints goes to the output, and it reads nothing."""
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    _close_all_but(connection.fileno())
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (
        os.fdopen(descriptor, "w", errors="backslashreplace", buffering=1, closefd=False) for descriptor in (1, 2)
    )
    be_worker()
    serve(connection)


def be_worker() -> None:
    """Have this process be one whose output its parent keeps, and which prints where it is when it is asked."""
    global _is_worker  # noqa: PLW0603  a process is one or is none, and remains so
    _is_worker = True
    signal.signal(_WHERE, lambda *_: None)
    faulthandler.register(_WHERE, 2, all_threads=False, chain=True)


def when_asked_where(do: Callable[[], object]) -> None:
    """In a worker: call this from another thread, too, whenever the parent asks where it is."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    signal.set_wakeup_fd(theirs.detach())

    def wait() -> None:
        while ours.recv(1):
            do()

    threading.Thread(target=wait, daemon=True).start()


def tell(text: str) -> None:
    """Print a text in a worker, whose parent keeps it; nothing happens in any other process."""
    if _is_worker:
        sys.stdout.write(text)


def memory_limit() -> int | None:
    """Megabytes that this process may take, and each that it starts; None without a limit."""
    return _megabytes


def end_with(parent: int) -> None:
    """Have Linux kill this process when its parent ends, or end it if that has ended."""
    assert _libc is not None
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def bound(megabytes: int) -> None:
    """Let this process take so much more memory than it has now."""
    import resource

    global _megabytes  # noqa: PLW0603  a process is bounded once
    _megabytes = megabytes
    with open("/proc/self/statm") as pages:
        taken = int(pages.read().split()[_DATA]) * resource.getpagesize()
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = taken + (megabytes << 20)
    limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _end_after(work: Callable[[], object]) -> NoReturn:
    """Do this and end the process, whatever happens, without a word and without what the parent would do."""
    try:
        work()
    except BaseException:
        os._exit(1)
    os._exit(0)


def _close_all_but(*kept: int) -> None:
    last = 2
    for descriptor in sorted(kept):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def _excess(supervisor: int, megabytes: int, processes: int) -> str:
    """What a worker has too much of, in words; empty if nothing.

    No limit of Linux's bounds the memory that processes share with others: mapped, or in files of memory.
    """
    found = family_of(supervisor)
    if len(found) > processes and max(sum(map(_lives, found)), len(found) // _ENDED) > processes:
        return f"started more than {processes} processes"
    mapped = sum(_kilobytes(process, "status", "RssShmem") for process in found)
    if mapped > megabytes << 10:  # what they share with each other was counted for each
        mapped = sum(_kilobytes(process, "smaps_rollup", "Pss_Shmem") for process in found)
    files = dict(file for process in found for file in _memory_files(process))
    much = max(mapped, sum(files.values()) >> 10) > megabytes << 10
    return f"took more than {megabytes} MB of shared memory" if much else ""


def _lives(process: int) -> bool:
    """Whether a process has not ended; one that has is there until its parent waits for it."""
    with suppress(OSError), open(f"/proc/{process}/stat", "rb") as status:
        return status.read().rpartition(b")")[2].split()[0] != b"Z"
    return False


def _memory_files(process: int) -> Iterator[tuple[tuple[int, int], int]]:
    """Each file of memory that a process has open, by its device and number, and its bytes."""
    with suppress(OSError):
        for name in os.listdir(f"/proc/{process}/fd"):
            path = f"/proc/{process}/fd/{name}"
            with suppress(OSError):
                if os.readlink(path).startswith("/memfd:"):
                    status = os.stat(path)
                    yield (status.st_dev, status.st_ino), 512 * status.st_blocks


def _kilobytes(process: int, file: str, name: str) -> int:
    """A number of kilobytes in a file of a process's folder in /proc; 0 if the process has ended."""
    with suppress(OSError), open(f"/proc/{process}/{file}", encoding="ascii", errors="replace") as lines:
        return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
    return 0


def family_of(root: int) -> list[int]:
    """All that descends from a process, on Linux, nearest first; who comes or goes meanwhile may hide others."""
    found = [root]
    for number in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{number}/task"):
                with open(f"/proc/{number}/task/{thread}/children") as children:
                    found += map(int, children.read().split())
    return found[1:]


def processor_seconds(process: int) -> float:
    """Processor time of a process so far, all threads together; nan off Linux, or if it has ended."""
    if _libc is None:
        return math.nan
    try:
        return time.clock_gettime(~process << 3 | 2)  # as Linux's clock_getcpuclockid
    except OSError:
        return math.nan


def send(number: int, processes: Iterable[int]) -> None:
    """Send a signal to each of the processes that is still there."""
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
