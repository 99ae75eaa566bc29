"""The sandbox of a player: a new Python under bubblewrap that sees its player's files and none else of the user's.

It reads the system's libraries, Python, the installed packages, the arena, and the player's own files; it has no
network but a loopback address of its own, sees no other process, and what it writes is gone when it ends. That is
kept in memory, and may take no more than the player's `memory`, and as much again in /dev/shm.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from arena.base.files import ROOT
from arena.base.supervisor import are_supported, bound
from arena.rules.jit.cache import OWN, cache_folder
from players.identity import copy_of, hash_of
from players.loading import own_code, user_files, words_of_command
from players.player import ENGINE, Allowance, PlayerSpec

WRAPPERS = 2
"""Processes of bubblewrap itself."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")
_JAVA = "java-*"
"""The folders of /etc to which the settings of Debian's Java are links."""
_KERNELS = "/tmp/kernels"
"""The folder of compiled kernels inside; those of the user's cache are links to it, so that none is changed."""
_VARIABLES = ("PATH", "LANG", "LC_ALL", "PYTHONHASHSEED")
_PREFIXES = ("NUMBA_", "OMP_", "OPENBLAS_", "MKL_", "VECLIB_", "NUMEXPR_", "ARENA_")
_MAIN = """
import json, sys
sys.path[:], cache, megabytes, requests, answers = json.loads(sys.argv[1])
from arena.hosting import sandbox
sandbox.settle_in(cache, megabytes)
from arena.hosting.player_process import serve  # after its kernels are there
serve(requests, answers)
"""
_COMPILER_MEGABYTES = 256
"""Memory that the compiler takes when it is loaded, which is not the player's."""


def unavailable() -> str:
    """Why there is no sandbox on this machine, in words; empty if there is one."""
    if not are_supported():
        return "sandboxes need Linux"
    if shutil.which("bwrap") is None:
        return (
            "bubblewrap (`bwrap`) is not installed; `sudo apt install bubblewrap` installs it on Debian and Ubuntu"
        )
    tried = subprocess.run([*_options([], 1), "true"], capture_output=True, text=True, check=False)
    return "" if tried.returncode == 0 else f"bubblewrap does not work here: {' '.join(tried.stderr.split())}"


def become(spec: PlayerSpec, allowance: Allowance, requests: int, answers: int) -> NoReturn:
    """Become a sandbox in which `player_process.serve` runs, for a player and with what else it may read."""
    for descriptor in (requests, answers):
        os.set_inheritable(descriptor, True)
    arguments = json.dumps([sys.path, str(cache_folder()), allowance.memory, requests, answers])
    paths = [
        *_of_python(),
        *_kernels(),
        *_of_player(spec, Path(allowance.folder)),
        *map(Path, allowance.sandbox or ()),
    ]
    folder = [str(Path(spec.options["folder"]).resolve())] if spec.type == ENGINE else []
    command = [*_options(paths, allowance.memory, folder), *_as_recorded(spec), sys.executable, "-P", "-c", _MAIN]
    command.append(arguments)
    kept = {name: value for name, value in os.environ.items() if name in _VARIABLES or name.startswith(_PREFIXES)}
    new = {"HOME": "/tmp", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8:backslashreplace"}
    os.execvpe("bwrap", command, kept | new | {"NUMBA_CACHE_DIR": _KERNELS})


def ending(words: str) -> str:
    """How a process in a sandbox ended, from how its sandbox did: with 128 and the number of a signal."""
    code = re.search(r"exit code (\d+)", words)
    try:
        return words.replace(code[0], signal.Signals(int(code[1]) - 128).name) if code else words
    except ValueError:
        return words


def settle_in(cache: str, megabytes: int) -> None:
    """Inside the sandbox: link the compiled kernels, and keep to the memory."""
    inside = Path(_KERNELS, OWN, Path(cache).name)
    for folder, _, files in os.walk(cache):
        (place := inside / Path(folder).relative_to(cache)).mkdir(parents=True, exist_ok=True)
        for name in files:
            (place / name).symlink_to(Path(folder, name))
    bound(megabytes + _COMPILER_MEGABYTES)


def _options(paths: Sequence[Path], megabytes: int, folders: Sequence[str] = ()) -> list[str]:
    """How a sandbox's command begins: the paths that it may read, the megabytes that it may write to files and to
    /dev/shm each, and folders that exist, if only empty.
    """
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    bounded = ["--size", str(megabytes << 20), "--tmpfs"]
    words += [*bounded, "/", "--dir", "/tmp"]
    for name in _SYSTEM:
        if Path(name).is_symlink():
            words += ["--symlink", str(Path(name).readlink()), name]
        elif Path(name).is_dir():
            words += ["--ro-bind", name, name]
    for name in (*_SETTINGS, *map(str, Path("/etc").glob(_JAVA))):
        words += ["--ro-bind-try", name, name]
    words += ["--dev", "/dev", *bounded, "/dev/shm", "--remount-ro", "/dev", "--proc", "/proc"]
    shown = [Path(name) for name in _SYSTEM]
    links = (Path(os.path.abspath(path)) for path in paths)  # noqa: PTH100  a link remains a link
    for path in sorted({*links, *(path.resolve() for path in paths)}):
        if not any(path.is_relative_to(place) for place in shown):
            shown.append(path)
            words += ["--ro-bind-try", str(path), str(path)]
    here = str(Path.cwd())
    return [*words, *(word for folder in (*folders, here) for word in ("--dir", folder)), "--chdir", here]


def _of_python() -> Iterator[Path]:
    yield from (Path(sys.prefix), Path(sys.base_prefix))
    yield from (Path(name) for name in sys.path if Path(name).name in ("site-packages", "dist-packages"))
    yield from (ROOT / "arena", ROOT / "players")


def _as_recorded(spec: PlayerSpec) -> Iterator[str]:
    """Words that show the copies of a run's sources in place of files that were changed since."""
    for path in map(str, user_files(spec)):
        copy = copy_of(path, spec.files[path], spec.copies) if path in spec.files else None
        if copy is not None and hash_of(path) != spec.files[path] and copy.is_file():
            yield from ("--ro-bind", str(copy), path)


def _kernels() -> Iterator[Path]:
    """The folders of the arena's own compiled kernels: those of users' evaluations beside them stay hidden."""
    return cache_folder().glob("*_*")


def _of_player(spec: PlayerSpec, home: Path) -> Iterator[Path]:
    """The player's files, and a program's folder unless that shows the configuration's, `home`."""
    yield from user_files(spec)
    if spec.type == ENGINE:
        folder = Path(str(spec.options["folder"]))
        words = words_of_command(spec.options.get("command"))
        yield from (path for word in words if (path := folder / word).is_file())
        yield from map(Path, filter(None, map(shutil.which, words[:1])))
        if not home.is_relative_to(folder):
            yield folder
        return
    for reference in own_code(spec):
        source = reference.rpartition(":")[0]
        if source and not source.endswith(".py"):
            top = importlib.util.find_spec(source.split(".")[0])
            places = [*(top.submodule_search_locations or ()), top.origin] if top is not None else []
            yield from (Path(place) for place in places if place)
