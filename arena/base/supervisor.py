"""The supervisor of a process for a user's code, and the worker in it, which `arena.base.process` begins."""

from __future__ import annotations

import ctypes
import math
import os
import select
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple, NoReturn

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_DATA = 5
"""Field of /proc/self/statm: pages of data and stack, which RLIMIT_DATA bounds."""

LAST_SECONDS = 0.5
"""Seconds that a worker has to end by itself, once it has closed its pipes or nothing more is asked of it."""
SUPERVISOR_SECONDS = 5.0
"""Seconds that a supervisor has to end, after which its parent kills it with all that descends from it."""
_COUNT_SECONDS = 0.25
"""Seconds between two counts of a worker's processes and of their shared memory."""
_MUCH_SHARED = 32 << 20
"""Bytes of shared memory from which it is counted exactly."""
_RETRY_SECONDS = 0.001
KILL_NOW = b"!"
"""The byte that has the supervisor kill the worker at once."""

_megabytes: int | None = None
"""Memory that this process may take; None but in a worker."""

Serve = Callable[[int, int], object]
"""The work, given the file descriptors of its requests and of its answers."""


def are_supported() -> bool:
    """Whether there can be such processes: on Linux."""
    return _libc is not None


def end_with(parent: int) -> None:
    """Have the system kill this process when its parent ends, or end it if that has ended. Linux only."""
    assert _libc is not None
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def bound(megabytes: int) -> None:
    """Have this process be a worker that may take so much more memory than it has now."""
    import resource

    global _megabytes  # noqa: PLW0603  a process is a worker or is none, and remains so
    _megabytes = megabytes
    with open("/proc/self/statm") as pages:
        taken = int(pages.read().split()[_DATA]) * resource.getpagesize()
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = taken + (megabytes << 20)
    limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def tell(text: str) -> None:
    """Print a text in a worker, whose parent keeps it; nothing happens in any other process."""
    if _megabytes is not None:
        sys.stdout.write(text)


def memory_limit() -> int | None:
    """Megabytes that this process may take, and each that it starts; None but in a worker."""
    return _megabytes


def supervise(
    serve: Serve, megabytes: int, processes: int, life: int, requests: int, answers: int, output: int, ending: int
) -> None:
    """The supervisor: fork the worker, wait until it or the parent ends or it has too much, and clear up.

    A worker whose parent has ended, or asks no more of it, has LAST_SECONDS to end by itself.
    """
    assert _libc is not None
    os.setsid()
    _set_signals()
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)  # should the worker have stopped it
    _close_all_but({life, requests, answers, output, ending})
    me = os.getpid()
    worker = os.fork()
    if worker == 0:
        os.close(life)
        os.close(ending)
        end_after(lambda: _work(serve, megabytes, me, requests, answers, output))
    for descriptor in (requests, answers, output):
        os.close(descriptor)
    ended = os.pidfd_open(worker)
    waiting = select.poll()
    waiting.register(life, select.POLLIN)
    waiting.register(ended, select.POLLIN)
    ready: set[int] = set()
    while not ready and not (words := _excess(me, megabytes, processes)):
        ready = {descriptor for descriptor, _ in waiting.poll(1000 * _COUNT_SECONDS)}
    if life in ready and ended not in ready and os.read(life, 1) != KILL_NOW:
        select.select([ended], [], [], LAST_SECONDS)
    if ended in ready:
        words = f"ended its process ({_ending(os.waitstatus_to_exitcode(os.waitpid(worker, 0)[1]))})"
    _clear_up(me)
    os.write(ending, words.encode())


def _excess(supervisor: int, megabytes: int, processes: int) -> str:
    """What a worker has too much of, in words; empty if nothing."""
    found = family_of(supervisor)
    if len(found) > processes:
        return f"started more than {processes} processes"
    if shared_bytes(found) > megabytes << 20:
        return f"took more than {megabytes} MB of shared memory"
    return ""


def shared_bytes(processes: Sequence[int]) -> int:
    """Memory that processes share with each other, which no limit of Linux's bounds: mapped, or in open memfds.

    What they map together is counted once for each at first, and exactly, at a higher cost, if it is much.
    """
    files: dict[tuple[int, int], int] = {}
    for process in processes:
        files |= _memory_files(process)
    mapped = sum(_kilobytes(process, "status", "RssShmem") for process in processes) << 10
    if mapped > _MUCH_SHARED:
        mapped = sum(_kilobytes(process, "smaps_rollup", "Pss_Shmem") for process in processes) << 10
    return max(mapped, sum(files.values()))


def _memory_files(process: int) -> dict[tuple[int, int], int]:
    """The bytes of each memfd that a process has open, by its device and number."""
    sizes = {}
    with suppress(OSError):
        for name in os.listdir(f"/proc/{process}/fd"):
            path = f"/proc/{process}/fd/{name}"
            with suppress(OSError):
                if os.readlink(path).startswith("/memfd:"):
                    status = os.stat(path)
                    sizes[status.st_dev, status.st_ino] = 512 * status.st_blocks
    return sizes


def _kilobytes(process: int, file: str, name: str) -> int:
    """A number of kilobytes in a file of a process's folder in /proc; 0 if the process has ended."""
    with suppress(OSError), open(f"/proc/{process}/{file}", encoding="ascii", errors="replace") as lines:
        return next((int(line.split()[1]) for line in lines if line.startswith(f"{name}:")), 0)
    return 0


def _work(serve: Serve, megabytes: int, supervisor: int, requests: int, answers: int, output: int) -> None:
    os.setpgid(0, 0)
    end_with(supervisor)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    _close_all_but({requests, answers})
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout = os.fdopen(1, "w", errors="backslashreplace", buffering=1, closefd=False)
    sys.stderr = os.fdopen(2, "w", errors="backslashreplace", buffering=1, closefd=False)
    bound(megabytes)
    serve(requests, answers)


def end_after(work: Callable[[], None]) -> NoReturn:
    """Do this and end the process, whatever happens, without a word and without what the parent would do."""
    try:
        work()
    except BaseException:
        os._exit(1)
    os._exit(0)


def _set_signals() -> None:
    """Leave the parent's handlers behind."""
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)


def _close_all_but(kept: set[int]) -> None:
    last = 2
    for descriptor in sorted(kept):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def _clear_up(me: int) -> None:
    """Kill all that descends from this process: who loses its parent becomes a child of this one."""
    while True:
        send(signal.SIGKILL, descendants(me))
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_RETRY_SECONDS)


def kill_descendants(supervisor: int) -> None:
    """Kill all that descends from a supervisor that does not do it, for SUPERVISOR_SECONDS at most."""
    deadline = time.monotonic() + SUPERVISOR_SECONDS
    while any(status.state != "Z" for status in descendants(supervisor).values()) and time.monotonic() < deadline:
        send(signal.SIGKILL, descendants(supervisor))
        time.sleep(_RETRY_SECONDS)


class _Status(NamedTuple):
    state: str
    """A letter; Z has ended."""
    parent: int
    session: int


def statuses() -> dict[int, _Status]:
    """All processes of the machine."""
    by_number = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat", "rb") as status:
            state, parent, _, session = status.read().rpartition(b")")[2].split()[:4]
            by_number[int(name)] = _Status(state.decode(), int(parent), int(session))
    return by_number


def descendants(root: int) -> dict[int, _Status]:
    """All that descends from a process."""
    everything = statuses()
    children = defaultdict(list)
    for number, status in everything.items():
        children[status.parent].append(number)
    found = [root]
    for number in found:
        found += children[number]
    return {number: everything[number] for number in found[1:]}


def family_of(root: int) -> list[int]:
    """All that descends from a process: some 0.1 ms, where `descendants` reads every process of the machine.

    One that comes or goes meanwhile may hide others. Where the system has no such lists, it is `descendants`.
    """
    if not os.path.exists(f"/proc/{root}/task/{root}/children"):
        return list(descendants(root))
    found = [root]
    for number in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{number}/task"):
                with open(f"/proc/{number}/task/{thread}/children") as children:
                    found += map(int, children.read().split())
    return found[1:]


def processor_seconds(process: int) -> float:
    """Processor time of a process so far, all threads together; nan off Linux, or if it has ended."""
    if not are_supported():
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


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
