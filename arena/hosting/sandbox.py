"""The sandbox of a player: a new Python under bubblewrap that sees its player's files and none else of the user's.

It reads the system's libraries, Python, the installed packages, the arena, and the player's own files; it has no
network but a loopback address of its own, sees no other process, and what it writes is gone when it ends. That is
kept in memory, and may take no more than the player's `memory`, and as much again in /dev/shm.
"""

from __future__ import annotations

import glob
import importlib.util
import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

from arena.base.files import ROOT
from arena.base.process import ON_LINUX, be_worker, bound
from arena.rules.jit.cache import OWN, cache_folder
from players.identity import copy_of, hash_of
from players.loading import misnamed, own_code, user_files, words_of_command
from players.player import ENGINE, Allowance, PlayerSpec

WRAPPERS = 2
"""Processes of bubblewrap itself, the player's outermost ones."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/etc/alternatives", "/etc/localtime")
_JAVA = "java-*"
"""The folders of /etc to which the settings of Debian's Java are links."""
_KERNELS = "/tmp/kernels"
"""The folder of compiled kernels inside; those of the user's cache are links to it, so that none is changed."""
_VARIABLES = ("PATH", "LANG", "LC_ALL", "PYTHONHASHSEED")
_PREFIXES = ("NUMBA_", "OMP_", "OPENBLAS_", "MKL_", "VECLIB_", "NUMEXPR_", "ARENA_")
_MAIN = """
import json, socket, sys
sys.path[:], cache, megabytes, descriptor = json.loads(sys.argv[1])
from arena.hosting import sandbox
sandbox.settle_in(cache, megabytes)
from arena.hosting.player_process import serve  # after its kernels are there
serve(socket.socket(fileno=descriptor))
"""
_TRIED = 10
"""Seconds that bubblewrap has to start a program."""
_COMPILER_MEGABYTES = 256
"""Memory that the compiler takes when it is loaded, which is not the player's."""


def unavailable() -> str:
    """Why there is no sandbox on this machine, in words; empty if there is one."""
    if not ON_LINUX:
        return "sandboxes need Linux"
    if shutil.which("bwrap") is None:
        return (
            "bubblewrap (`bwrap`) is not installed; `sudo apt install bubblewrap` installs it on Debian and Ubuntu"
        )
    try:
        tried = subprocess.run(
            [*_options([], 1), "true"], capture_output=True, text=True, check=False, timeout=_TRIED
        )
    except subprocess.TimeoutExpired:
        return f"bubblewrap gave no answer within {_TRIED} s"
    return "" if tried.returncode == 0 else f"bubblewrap does not work here: {' '.join(tried.stderr.split())}"


def become(spec: PlayerSpec, allowance: Allowance, connection: socket.socket) -> NoReturn:
    """Become a new Python in which `player_process.serve` runs: in a sandbox, or, off Linux, as a fork cannot."""
    connection.set_inheritable(True)
    python = [sys.executable, "-P", "-c", _MAIN]
    if allowance.sandbox is None:
        os.execv(sys.executable, [*python, json.dumps([sys.path, "", 0, connection.fileno()])])
    cache, files = str(cache_folder()), [*_of_player(spec, allowance)]
    # of the kernels the arena's own: those of users' evaluations beside them stay hidden
    packages = [Path(name) for name in sys.path if Path(name).name in ("site-packages", "dist-packages")]
    paths = [Path(sys.prefix), Path(sys.base_prefix), *packages, ROOT / "arena", ROOT / "players"]
    paths += [*cache_folder().glob("*_*"), *files, *map(Path, allowance.sandbox)]
    folder = [str(Path(spec.options["folder"]).resolve())] if spec.type == ENGINE else []
    command = [*_options(paths, allowance.memory, folder), *_as_recorded(spec, files), *python]
    command.append(json.dumps([sys.path, cache, allowance.memory, connection.fileno()]))
    kept = {name: value for name, value in os.environ.items() if name in _VARIABLES or name.startswith(_PREFIXES)}
    new = {"HOME": "/tmp", "PYTHONUNBUFFERED": "1", "PYTHONIOENCODING": "utf-8:backslashreplace"}
    os.execvpe("bwrap", command, kept | new | {"NUMBA_CACHE_DIR": _KERNELS})


def settle_in(cache: str, megabytes: int) -> None:
    """Inside the new Python: link the compiled kernels, and keep to the memory, if it is a sandbox."""
    be_worker()
    if not cache:
        return
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


def _as_recorded(spec: PlayerSpec, files: Sequence[Path]) -> Iterator[str]:
    """Words that show the copies of a run's sources in place of the player's files that were changed since."""
    for path, mark in spec.files.items():
        is_changed = any(map(Path(path).is_relative_to, files)) and hash_of(path) != mark
        if is_changed and (copy := copy_of(path, mark, spec.copies)).is_file():
            yield from ("--ro-bind", str(copy), path)


def _of_player(spec: PlayerSpec, allowance: Allowance) -> Iterator[Path]:
    """The player's files, those beside them whose names go on from theirs, and a folder that is its own.

    Of a program: what its command names, and its folder unless that shows the configuration's.
    """
    for file in user_files(spec):
        yield file
        yield from misnamed(file)
        beside = [*file.parent.glob(f"{glob.escape(file.stem)}_*"), file.with_suffix("")]
        yield from (path for path in beside if not path.is_symlink())  # which may lead anywhere
        if str(file.parent) in allowance.own_folders:
            yield file.parent
    if spec.type == ENGINE:
        folder = Path(str(spec.options["folder"]))
        words = words_of_command(spec.options.get("command"))
        yield from (path for word in words if (path := folder / word).is_file())
        yield from map(Path, filter(None, map(shutil.which, words[:1])))
        if not Path(allowance.folder).is_relative_to(folder):
            yield folder
        return
    for reference in own_code(spec):
        source = reference.rpartition(":")[0]
        if source and not source.endswith(".py"):
            top = importlib.util.find_spec(source.split(".")[0])
            places = [*(top.submodule_search_locations or ()), top.origin] if top is not None else []
            yield from (Path(place) for place in places if place)
