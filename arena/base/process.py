"""A process for a user's code: a fork of this one, with a keeper that leaves nothing of it behind.

This process, the parent, forks a keeper, and the keeper the occupant, which runs a user's code in a process group
of its own. The keeper waits for the occupant's end, or the parent's, or for too many processes, kills all that
descends from the occupant, and says how that ended. A keeper that the occupant stops is continued or killed.
The parent may freeze the occupant with all that descends from it; whatever is frozen is continued or killed, too.
A fork has everything imported and compiled that the parent has. Linux only.
"""

from __future__ import annotations

import ctypes
import math
import os
import select
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import NamedTuple, NoReturn

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_libc = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None
_DATA = 5
"""Field of /proc/self/statm: pages of data and stack, which RLIMIT_DATA bounds."""

PIPE_BYTES = 1 << 16
"""What a pipe holds, at least."""
LAST_SECONDS = 0.5
"""Seconds that a process has to end by itself, once it has closed its pipes or nothing more is asked of it."""
KEEPER_SECONDS = 5.0
"""Seconds that a keeper has to end, after which its parent kills it with all that descends from it."""
_COUNT_SECONDS = 0.25
"""Seconds between two counts of an occupant's processes."""
_SIGNAL_SECONDS = 0.1
"""Seconds between two signals to a keeper to continue."""
_RETRY_SECONDS = 0.001
_AT_ONCE = b"!"
"""What the keeper reads when the occupant is to be killed at once."""

_is_occupant = False

Serve = Callable[[int, int], object]
"""What an occupant does, given the file descriptors of its requests and of its answers."""


class Process(NamedTuple):
    """A process as its parent holds it: the keeper's number, and file descriptors."""

    keeper: int
    life: int
    """Closing it ends the process, which has LAST_SECONDS for it."""
    requests: int
    answers: int
    output: int
    """What the occupant prints, not blocking."""
    ending: int
    """Where the keeper writes how the occupant ended."""


def are_supported() -> bool:
    """Whether there can be such processes: on Linux."""
    return _libc is not None


def start(serve: Serve, megabytes: int, processes: int) -> Process:
    """Begin `serve` in a process of its own, which may take so much more memory than it begins with.

    It is ended when it is more than so many processes, itself included.
    """
    life, requests, answers, output, ending = (os.pipe() for _ in range(5))
    keeper = os.fork()
    if keeper == 0:
        keep = (megabytes, processes, life[0], requests[0], answers[1], output[1], ending[1])
        _end_after(lambda: _keep(serve, *keep))
    for ours_not in (life[0], requests[0], answers[1], output[1], ending[1]):
        os.close(ours_not)
    os.set_blocking(output[0], False)
    return Process(keeper, life[1], requests[1], answers[0], output[0], ending[0])


def bound(megabytes: int) -> None:
    """Have this process be an occupant that may take so much more memory than it has now."""
    import resource

    global _is_occupant
    _is_occupant = True
    with open("/proc/self/statm") as pages:
        taken = int(pages.read().split()[_DATA]) * resource.getpagesize()
    most = resource.getrlimit(resource.RLIMIT_DATA)[1]
    limit = taken + (megabytes << 20)
    limit = limit if most == resource.RLIM_INFINITY else min(limit, most)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def tell(text: str) -> None:
    """Print a text in a process that was begun by `start`, whose parent keeps it; nothing happens in any other."""
    if _is_occupant:
        sys.stdout.write(text)


def end(process: Process, *, closed: bool = False) -> str:
    """End a process with all that descends from it; how the occupant ended if it did so by itself.

    Where its pipes are `closed` it is ending, most likely, and is given the time to do so.
    """
    if closed:
        watch(process)
        select.select([process.ending], [], [], LAST_SECONDS)
    with suppress(BrokenPipeError):
        os.write(process.life, _AT_ONCE)
    return _after_life(process)


def finish(process: Process) -> None:
    """End a process of which no more is asked; it has LAST_SECONDS to end by itself before it is killed."""
    os.close(process.requests)
    _after_life(process._replace(requests=-1))


def watch(process: Process) -> None:
    """Have the keeper continue if the occupant has stopped it."""
    os.kill(process.keeper, signal.SIGCONT)


def family(process: Process) -> list[int]:
    """The numbers of the occupant and of all that descends from it."""
    return _family(process.keeper)


def freeze(process: Process) -> None:
    """Stop the occupant and all that descends from it, with what they start meanwhile."""
    stopped: set[int] = set()
    while running := set(_family(process.keeper)) - stopped:
        _send(signal.SIGSTOP, running)
        stopped |= running


def thaw(process: Process) -> None:
    """Have all that `freeze` stopped continue."""
    _send(signal.SIGCONT, _family(process.keeper))


def processor_seconds(one: int) -> float:
    """Processor time of a process so far, all threads together; nan off Linux, or if it has ended."""
    if not are_supported():
        return math.nan
    try:
        return time.clock_gettime(~one << 3 | 2)  # as Linux's clock_getcpuclockid
    except OSError:
        return math.nan


def _after_life(process: Process) -> str:
    """Close all pipes to a process, which ends it; how the occupant ended if it did so by itself."""
    os.close(process.life)
    ending = b""
    deadline = time.monotonic() + KEEPER_SECONDS
    while time.monotonic() < deadline:
        watch(process)
        if select.select([process.ending], [], [], _SIGNAL_SECONDS)[0]:
            if not (part := os.read(process.ending, 1000)):
                break
            ending += part
    else:
        _kill_below(process.keeper)
        os.kill(process.keeper, signal.SIGKILL)
    if os.WIFSIGNALED(os.waitpid(process.keeper, 0)[1]):
        _send(signal.SIGKILL, (one for one, status in _statuses().items() if status.session == process.keeper))
    for descriptor in (process.requests, process.answers, process.output, process.ending):
        if descriptor >= 0:
            os.close(descriptor)
    return ending.decode()


def end_with(parent: int) -> None:
    """Have the system kill this process when its parent ends, or end it if that has ended. Linux only."""
    assert _libc is not None
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def printed(process: Process) -> bytes | None:
    """What the process printed since it was last asked, as much as a pipe holds; None if it cannot print more."""
    try:
        return os.read(process.output, PIPE_BYTES) or None
    except BlockingIOError:
        return b""


def _keep(
    serve: Serve, megabytes: int, processes: int, life: int, requests: int, answers: int, output: int, ending: int
) -> None:
    """The keeper: fork the occupant, wait until it or the parent ends, and clear up.

    An occupant whose parent has ended, or asks no more of it, has LAST_SECONDS to end by itself.
    """
    assert _libc is not None
    os.setsid()
    _set_signals()
    _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGCONT)  # should the occupant have stopped it
    _close_all_but({life, requests, answers, output, ending})
    me = os.getpid()
    occupant = os.fork()
    if occupant == 0:
        os.close(life)
        os.close(ending)
        _end_after(lambda: _occupy(serve, megabytes, me, requests, answers, output))
    for descriptor in (requests, answers, output):
        os.close(descriptor)
    ended = os.pidfd_open(occupant)
    waiting = select.poll()
    waiting.register(life, select.POLLIN)
    waiting.register(ended, select.POLLIN)
    ready: set[int] = set()
    while not ready and len(_family(me)) <= processes:
        ready = {descriptor for descriptor, _ in waiting.poll(1000 * _COUNT_SECONDS)}
    if life in ready and ended not in ready and os.read(life, 1) != _AT_ONCE:
        _send(signal.SIGCONT, _family(me))  # should they be frozen
        select.select([ended], [], [], LAST_SECONDS)
    words = "" if ready else f"more than {processes} processes"
    if ended in ready:
        words = _ending(os.waitstatus_to_exitcode(os.waitpid(occupant, 0)[1]))
    _clear_up(me)
    os.write(ending, words.encode())


def _occupy(serve: Serve, megabytes: int, keeper: int, requests: int, answers: int, output: int) -> None:
    """The occupant: it has its two pipes, and prints to the third."""
    os.setpgid(0, 0)
    end_with(keeper)
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


def _end_after(work: Callable[[], None]) -> NoReturn:
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
    """Close the file descriptors from 3 on that are not kept."""
    last = 2
    for descriptor in sorted(kept):
        os.closerange(last + 1, descriptor)
        last = descriptor
    os.closerange(last + 1, os.sysconf("SC_OPEN_MAX"))


def _clear_up(me: int) -> None:
    """Kill all that descends from this process: who loses its parent becomes a child of this one."""
    while True:
        _send(signal.SIGKILL, _below(me))
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            return
        time.sleep(_RETRY_SECONDS)


def _kill_below(keeper: int) -> None:
    """Kill all that descends from a keeper that does not do it, for KEEPER_SECONDS at most."""
    deadline = time.monotonic() + KEEPER_SECONDS
    while any(status.state != "Z" for status in _below(keeper).values()) and time.monotonic() < deadline:
        _send(signal.SIGKILL, _below(keeper))
        time.sleep(_RETRY_SECONDS)


def _send(number: int, processes: Iterable[int]) -> None:
    for one in processes:
        with suppress(ProcessLookupError):
            os.kill(one, number)


class _Status(NamedTuple):
    """What the system says of a process."""

    state: str
    """A letter; Z has ended."""
    parent: int
    session: int


def _statuses() -> dict[int, _Status]:
    """All processes of the machine."""
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError), open(f"/proc/{name}/stat") as status:
            state, parent, _, session = status.read().rpartition(")")[2].split()[:4]
            found[int(name)] = _Status(state, int(parent), int(session))
    return found


def _below(root: int) -> dict[int, _Status]:
    """All that descends from a process."""
    statuses = _statuses()
    children = defaultdict(list)
    for one, status in statuses.items():
        children[status.parent].append(one)
    found = [root]
    for one in found:
        found += children[one]
    return {one: statuses[one] for one in found[1:]}


def _family(root: int) -> list[int]:
    """All that descends from a process: some 0.1 ms, where `_below` takes some for each process of the machine.

    One that comes or goes meanwhile may hide others. Where the system has no such lists, it is `_below`.
    """
    if not os.path.exists(f"/proc/{root}/task/{root}/children"):
        return list(_below(root))
    found = [root]
    for one in found:
        with suppress(OSError):
            for thread in os.listdir(f"/proc/{one}/task"):
                with open(f"/proc/{one}/task/{thread}/children") as children:
                    found += map(int, children.read().split())
    return found[1:]


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    try:
        return signal.Signals(-code).name
    except ValueError:
        return f"signal {-code}"
