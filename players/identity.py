"""What a player is made of: the files of a user's own that it is loaded from, each with a hash of its content.

While a player is loaded, an import finder and Python's audit events note these files: the named ones, the modules
that they import, the data that they read. A run records them when it begins, with copies of the sources, and loads
its players from what was there then. Data cannot be given back: a player whose data changed pauses the run.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from hashlib import sha256
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import spec_from_file_location
from pathlib import Path
from typing import Any, TypeAlias

from arena.base.files import ROOT, replace
from players.player import Pause

Files: TypeAlias = Mapping[str, str]
"""A short hash of each file's content, MISSING where there is no file, by its path."""
MISSING = "missing"
NO_FILES: Files = dict[str, str]()
MOST_HASHED, _HASHED_AT_ONCE = 2**30, 2**20
"""Bytes of a file that its hash is made of, and that are read at once."""
_YOUNG = 2 * 10**9
"""Nanoseconds after its last change within which a file is read again for its hash."""
_DIGITS = 12
_ARENAS = "arena", "players"
"""The packages of the arena itself."""
MODULE_PREFIX = "arena_user_"
"""The beginning of the names of modules that specifications name by their files."""


def hash_of(path: str | Path) -> str:
    """A short hash of a file's content: its first MOST_HASHED bytes, and its size if there are more."""
    try:
        status = Path(path).stat()
        # a file may be saved twice within a tick of its times; only that of its change cannot be put back
        is_young = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < _YOUNG
        hashed = _hash.__wrapped__ if is_young else _hash
        times = status.st_mtime_ns, status.st_ctime_ns
        return hashed(str(path), (status.st_size, status.st_ino, *times))
    except OSError:
        return MISSING


@lru_cache(1 << 12)
def _hash(path: str, status: tuple[int, int, int, int]) -> str:
    digest = sha256()
    _hashing.now = True  # the player that is loaded does not read this file
    try:
        with Path(path).open("rb") as file:
            for _ in range(MOST_HASHED // _HASHED_AT_ONCE):
                digest.update(file.read(_HASHED_AT_ONCE))
    finally:
        _hashing.now = False
    if status[0] > MOST_HASHED:
        digest.update(str(status[0]).encode())
    return digest.hexdigest()[:_DIGITS]


def placed(files: Files, folder: Path) -> dict[str, str]:
    """Files by their paths from a folder on."""
    return {os.path.relpath(path, folder.resolve()): files[path] for path in sorted(files)}


def now(files: Files, folder: Path) -> dict[str, str]:
    """The hashes that files have now, by absolute path; relative paths begin at `folder`."""
    paths = (os.path.normpath(folder.resolve() / path) for path in files)
    return {path: hash_of(path) for path in paths}


def changes(before: Files, after: Files) -> list[str]:
    """The files that differ, each with its hashes: `my.py (1f0c... then, 77ab... now)`."""
    paths = [path for path in {**before, **after} if before.get(path) != after.get(path)]
    return [f"{path} ({before.get(path, MISSING)} then, {after.get(path, MISSING)} now)" for path in sorted(paths)]


def keep_sources(files: Files) -> list[str]:
    """Keep a copy of each Python file, from which its player can be loaded; the files that are others by now."""
    sources = [path for path in files if path.endswith(".py") and files[path] != MISSING]
    return [path for path in sources if not _is_kept(path, files[path])]


def _is_kept(path: str, wanted: str) -> bool:
    if (copy := copy_of(path, wanted)).is_file():
        return True
    content = Path(path).read_bytes()
    if _digest(content) != wanted:
        return False
    keep_copy(copy, content)
    return True


def keep_copy(copy: Path, content: bytes) -> None:
    """Write a copy of a file."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    replace(copy, lambda file: file.write_bytes(content))


def copy_of(path: str | Path, wanted: str) -> Path:
    """The place of a copy of a file with a content of this hash; it need not be there."""
    from arena.rules.jit.cache import cache_folder

    return cache_folder() / "copies" / wanted / Path(path).name


def _digest(content: bytes) -> str:
    return sha256(content).hexdigest()[:_DIGITS]


class _Loader(SourceFileLoader):
    """Loads a module of a user's own from its source, never from Python's cache of code, which may be older."""

    def get_data(self, path: str) -> bytes:
        return content_of(Path(path))

    def path_stats(self, path: str) -> Mapping[str, Any]:
        raise OSError


class _Finder:
    """Finds modules as Python does, while a player is loaded, and has a user's own loaded by `_Loader`."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if _state.thread != threading.get_ident():
            return None
        finders = (finder for finder in sys.meta_path if finder is not _Finder and hasattr(finder, "find_spec"))
        spec = next((spec for finder in finders if (spec := finder.find_spec(name, path, target))), None)
        if spec is None:
            spec = _recorded(name, path)
        elif type(spec.loader) is SourceFileLoader and spec.origin and _is_users_module(name, spec.origin):
            spec.loader = _Loader(name, spec.origin)
        if spec is not None and isinstance(spec.loader, _Loader):
            _state.modules.add(name)
        return spec


def _recorded(name: str, path: Iterable[str] | None) -> ModuleSpec | None:
    """A module that was there when the run began, but is not any more, or not on this machine."""
    last = name.rpartition(".")[2]
    for folder in sys.path if path is None else path:
        for file in (Path(folder, f"{last}.py"), Path(folder, last, "__init__.py")):
            if str(file) in _state.recorded:
                within = [str(file.parent)] if file.name == "__init__.py" else None
                loader = _Loader(name, str(file))
                return spec_from_file_location(name, file, loader=loader, submodule_search_locations=within)
    return None


class _State:
    """What this process has loaded of a user's own, and loads now."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        """Held while a player is loaded."""
        self.thread: int | None = None
        """The thread that loads."""
        self.recorded: Files = {}
        """What its player is made of, if that is recorded."""
        self.files: dict[str, str] = {}
        """Everything that was loaded, as it was then."""
        self.blocks: list[dict[str, str]] = []
        """Those that the blocks of `loading` under way have noted, the outer one first."""
        self.parts: dict[str, Files] = {}
        """Those that each module was loaded from that a specification names, by the module's name."""
        self.sources: set[str] = set()
        """The files that were loaded by `content_of`, and are as recorded."""
        self.opened: dict[str, bool] = {}
        """What was opened while a player is loaded, and whether to write."""
        self.modules: set[str] = set()
        """The names of the modules in `sys.modules`."""
        self.packages: set[str] = set()
        """The packages that specifications name, which are a user's own wherever they are installed."""
        self.places: list[str] = []
        """The folders in which modules of the last file or package that was named are looked for."""
        self.added: list[str] = []
        """Those of them that were added at the end of `sys.path`."""
        self.is_listening = False


_state, _hashing = _State(), threading.local()
# A lock that another thread holds would never be free in the child.
os.register_at_fork(after_in_child=lambda: setattr(_state, "lock", threading.RLock()))


@contextmanager
def loading(recorded: Files | None = None) -> Iterator[Files]:
    """Yield a mapping in which the files of a user's own stand that this thread loads a player from in the block.

    With `recorded` files, it is loaded from these. A block may stand in another one. Raises Pause for a file
    that is not as recorded, and of which there is no copy.
    """
    with _state.lock:
        before = _state.thread, _state.recorded
        if before[0] is None:
            _listen()
            _state.opened = {}
        _state.thread, _state.recorded = threading.get_ident(), before[1] if recorded is None else recorded
        noted: dict[str, str] = {}
        _state.blocks.append(noted)
        try:
            yield noted
            if before[0] is None:
                check(_state.recorded)
        finally:
            _note_data()
            _state.blocks.pop()
            _state.thread, _state.recorded = before


def check(recorded: Files) -> None:
    """Raise Pause for a recorded file that is another by now, unless it is loaded from its copy."""
    for path, wanted in recorded.items():
        is_source = path in _state.sources or (path.endswith(".py") and path not in _state.opened)
        if not is_source and hash_of(path) != wanted:
            forget_modules()
            raise _changed(path)


def loaded() -> dict[str, str]:
    """The files of a user's own that this process has loaded, as they were then."""
    return dict(_state.files)


def content_of(path: Path) -> bytes:
    """The content of a Python file that is loaded: as it is recorded, else as it is now."""
    name = str(path.resolve())
    wanted, content = _state.recorded.get(name), path.read_bytes() if path.is_file() else None
    if wanted is not None and (content is None or _digest(content) != wanted):
        copy = copy_of(path, wanted)
        content = copy.read_bytes() if copy.is_file() else None
    if content is None:
        raise _changed(name) if wanted else FileNotFoundError(f"there is no file {path}")
    _state.files[name] = _digest(content)
    _note(name)
    _state.sources.add(name)
    _state.opened.pop(name, None)
    return content


def _changed(path: str) -> Pause:
    return Pause(f"{path} was changed since the run began: put it back, or begin a run of another name")


def is_there(path: Path) -> bool:
    """Whether a file can be loaded: there is one, or one is recorded."""
    return path.is_file() or str(path.resolve()) in _state.recorded


def note_module(name: str) -> None:
    """Note a module that is loaded, perhaps by the user's program itself."""
    file = getattr(sys.modules.get(name), "__file__", None)
    if file and _is_users_module(name, file):
        _state.modules.add(name)
        _note(str(Path(file).resolve()))


def note_part(name: str, noted: Files) -> None:
    """Note what a module that a specification names was loaded from, if only for another player."""
    for path in _state.parts.setdefault(name, dict(noted)):
        _note(path)


def _note(path: str) -> None:
    """Note a file that is loaded: as it was when this process first read it."""
    mark = _state.files.setdefault(path, hash_of(path))
    for noted in _state.blocks:
        noted[path] = mark


def is_current() -> bool:
    """Whether what is loaded is what is recorded or, where nothing is, what the files have now."""
    files = _state.files
    if _state.recorded:
        return all(files.get(path, wanted) == wanted for path, wanted in _state.recorded.items())
    return all(hash_of(path) == read for path, read in files.items())


def forget_modules() -> None:
    """Have everything of a user's own loaded again."""
    for name in _state.modules:
        sys.modules.pop(name, None)
    for kept in (_state.modules, _state.files, _state.sources, _state.parts):
        kept.clear()


def forget_helpers() -> None:
    """Have the modules that named ones have imported loaded again, by the next one that imports them."""
    for name in [
        name for name in _state.modules if name not in _state.parts and not name.startswith(MODULE_PREFIX)
    ]:
        if isinstance(getattr(sys.modules.get(name), "__loader__", None), _Loader):
            del sys.modules[name]


def import_from(*folders: Path, package: str = "") -> None:
    """Look for modules in these folders and in the working directory, after all that Python itself has.

    So no file of a user's hides a module of Python's. `package` is one that a specification names.
    """
    places = list(dict.fromkeys(map(str, (*folders, Path.cwd()))))
    if package not in ("", *_ARENAS):
        _state.packages.add(package)
    if places != _state.places:
        others = [place for place in sys.path if place not in _state.added]
        _state.places, _state.added = places, [place for place in places if place not in others]
        sys.path[:] = others + _state.added


def hidden(name: str) -> str:
    """The user's file that a module of Python's own of this name stands in front of; empty if there is none."""
    files = (Path(place, f"{name}.py") for place in _state.places if name in sys.stdlib_module_names)
    return next((str(file) for file in files if file.is_file()), "")


def _listen() -> None:
    """Hear of modules and of data from now on: Python has no end to it."""
    if not _state.is_listening:
        sys.meta_path.insert(0, _Finder)
        sys.addaudithook(_hear)
        _state.is_listening = True


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _state.thread == threading.get_ident() and not getattr(_hashing, "now", False):
        path, _, flags = arguments
        if isinstance(path, str | bytes):
            name = os.path.abspath(os.fsdecode(path))  # noqa: PTH100  called for every file that is opened
            if not name.startswith(_NO_DATA) and not name.endswith(_NO_DATA_ENDINGS):
                writes = bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
                _state.opened[name] = writes or _state.opened.get(name, False)


def _note_data() -> None:
    """Note what was opened and only read: what a player writes is its own."""
    for name, is_written in _state.opened.items():
        if not is_written and Path(name).is_file():
            _note(str(Path(name).resolve()))


def _is_users_module(name: str, file: str) -> bool:
    """Whether a module is a user's own: of a named package, or not Python's, installed, or the arena's."""
    return name.partition(".")[0] in _state.packages or not str(Path(file).resolve()).startswith(_INSTALLED)


def _folders(*paths: str | Path | None) -> tuple[str, ...]:
    """Folders as beginnings of the paths within, as they are named and as they are."""
    names = {str(place) for path in paths if path for place in (path, Path(path).resolve())}
    return tuple(f"{name}{os.sep}" for name in names if name != os.sep)


_INSTALLED = _folders(
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    *(path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")),
    site.getusersitepackages(),
    *(ROOT / package for package in _ARENAS),
)
"""Beginnings of the paths of modules that are no user's."""
_SYSTEM = ("/usr", "/etc", "/proc", "/sys", "/dev", "/lib", "/lib64", "/bin", "/System", "/Library")
_NO_DATA = (
    *_INSTALLED,
    *_folders(sys.prefix, sys.base_prefix, *_SYSTEM),
    os.path.join(os.path.expanduser("~"), "."),  # noqa: PTH111, PTH118  settings and caches of programs
)
"""The same of files that may change without a player being another one."""
_NO_DATA_ENDINGS = (".pyc", ".nbi", ".nbc")
"""Of files that hold compiled code."""
