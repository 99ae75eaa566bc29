"""Show the arena a Python as on Windows: without what only POSIX has, with fakes of what only Windows has.

The libraries see this system as it is; `multiprocessing` starts processes by `spawn`.
"""

import asyncio  # noqa: F401
import ctypes
import multiprocessing
import os
import select
import signal
import sys
import time
import types
from pathlib import Path
from typing import Any

ABSENT = {
    os: "fork forkpty getuid geteuid getgid getpgid getpgrp killpg nice setsid set_blocking sched_getaffinity "
    "sched_setaffinity sysconf uname pidfd_open waitid getloadavg mkfifo pwrite pread fdatasync",
    signal: "SIGHUP SIGKILL SIGCHLD SIGCONT SIGSTOP SIGALRM setitimer alarm pthread_sigmask pause",
    select: "poll epoll",
    time: "clock_gettime clock_getres CLOCK_MONOTONIC CLOCK_REALTIME",
    sys: "",
    ctypes: "",
}
POSIX_MODULES = ("fcntl", "resource", "pwd", "grp", "termios", "tty", "pty", "readline")


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int64))
def counter(found):
    found[0] = time.monotonic_ns() // 100
    return 1


@ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_int64))
def frequency(found):
    found[0] = 10_000_000
    return 1


def exit_code(handle, code):
    code._obj.value = 259
    return 1


def kill(process, number):
    raise AssertionError("on Windows os.kill ends a process, or sends it Ctrl-C")


def set_wakeup_fd(descriptor, **options):
    if descriptor >= 0:
        os.set_blocking(descriptor, False)  # for which this system asks, and Windows does not
    return signal.set_wakeup_fd(descriptor, **options)


KERNEL = types.SimpleNamespace(
    QueryPerformanceCounter=counter,
    QueryPerformanceFrequency=frequency,
    OpenProcess=lambda access, inherited, process: process if Path(f"/proc/{process}").exists() else 0,
    GetExitCodeProcess=exit_code,
    CloseHandle=lambda handle: 1,
)
PRESENT = {
    (os, "kill"): kill,
    (signal, "SIGBREAK"): signal.SIGTTIN,
    (signal, "set_wakeup_fd"): set_wakeup_fd,
    (sys, "platform"): "win32",
    (ctypes, "windll"): types.SimpleNamespace(kernel32=KERNEL),
}


class Shown(types.ModuleType):
    """A module as the arena sees it; anybody else sees what it is."""

    def __init__(self, module):
        real, absent = module, frozenset(ABSENT[module].split())

        def look(self, name):
            if sys._getframe(1).f_globals.get("__name__", "").partition(".")[0] in ("arena", "players"):
                if name in absent:
                    raise AttributeError(name)
                if (real, name) in PRESENT:
                    return PRESENT[real, name]
            return getattr(real, name)

        own = {"__getattribute__": look, "__setattr__": lambda self, name, value: setattr(real, name, value)}
        self.__class__ = type("Shown", (types.ModuleType,), own)


multiprocessing.set_start_method("spawn")
modules: Any = sys.modules
modules |= {module.__name__: Shown(module) for module in ABSENT}
for name in POSIX_MODULES:
    modules.setdefault(name, None)  # to import it is an error
