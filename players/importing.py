"""How users' modules are imported: from the sources that a run recorded, and with a note of all that is loaded.

While a player is loaded, an import finder and an audit hook note which modules it imports and which files it
opens. Code is compiled anew in each process.
"""

from __future__ import annotations

import os
import site
import sys
import sysconfig
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from importlib.machinery import ModuleSpec, SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from arena.base.files import ROOT, is_file
from players.identity import MISSING, NO_FILES, Files, check, copy_of, digest, hash_of


@dataclass
class _Load:
    """What a thread loads: from `recorded` files, if these are, and a folder with their copies."""

    recorded: Files = field(default_factory=dict)
    copies: str = ""
    files: dict[str, str] = field(default_factory=dict)  # those that it has loaded
    opened: dict[str, bool] = field(default_factory=dict)  # what it has opened, and whether to write

    def note_data(self) -> Files:
        """The files, with those that were opened and only read: what a player writes is its own."""
        with _unheard():
            for name, is_written in self.opened.items():
                path = os.path.realpath(name)
                is_code = path.startswith(_NO_DATA) or path.endswith((".pyc", ".nbi", ".nbc"))
                if not (is_written or is_code or path in self.files) and Path(path).is_file():
                    self.files[path] = hash_of(path)
        _loaded.update(self.files)
        return self.files


class _Here(threading.local):
    load: _Load | None = None


_here, _lock = _Here(), threading.RLock()
_loaded, _parts = dict[str, str](), dict[str, tuple[ModuleType, Files]]()
"""All files that this process has loaded; the modules that specifications name, with the files of each."""
_modules, _sources, packages = set[str](), set[str](), set[str]()
"""The names of users' modules, their files, and the packages that specifications name, wherever these are."""


def _new_lock() -> None:
    global _lock  # noqa: PLW0603  one that another thread holds would never be free in a child
    _lock = threading.RLock()


os.register_at_fork(after_in_child=_new_lock)


@contextmanager
def loading(recorded: Files = NO_FILES, copies: str = "") -> Iterator[Files]:
    """Yield a mapping that has, when the block ends, the user's files that this thread has loaded; a block in
    another one adds to that. Files that are `recorded` are loaded so, sources from `copies`. Raises Pause where
    that fails."""
    if _here.load is not None:
        yield _here.load.files
        return
    with _lock:
        if _Finder not in sys.meta_path:
            sys.meta_path.insert(0, _Finder)
            sys.addaudithook(_hear)  # for good: Python has no end to it
        _here.load = load = _Load(recorded, copies)
        try:
            yield load.files
        finally:
            read = load.note_data().keys() - _sources
            _here.load = None
            data = (path for path in recorded if path in read or not path.endswith(".py"))
            check({path: recorded[path] for path in data}, copies)


def part(name: str, file: str = "") -> ModuleType:
    """The module of a name, or of a file, that a specification names, loaded anew if one of its files changed."""
    assert _here.load is not None
    load, (module, files) = _here.load, _parts.pop(name, (None, NO_FILES))
    with _unheard():
        wanted = load.recorded or {path: hash_of(path) for path in files}
    if module is None or any(wanted.get(path, mark) != mark for path, mark in files.items()):
        _forget(_modules - _parts.keys())  # helpers: another folder may have its own of these names
        before, load.files = load.files, {}
        try:
            module = _from_file(name, file) if file else import_module(name)
            path = os.path.realpath(module.__file__ or "")
            if path not in load.files and _is_users(name, path):  # the user's program itself has loaded it
                load.files[path] = hash_of(path)
                _modules.add(name)
        finally:
            files = load.note_data()
            load.files = before
            before |= files
    _parts[name] = module, files
    load.files |= files
    return module


def _from_file(name: str, file: str) -> ModuleType:
    spec = spec_from_file_location(name, file, loader=(loader := _Loader(name, file)))
    assert spec is not None
    module = sys.modules[name] = module_from_spec(spec)
    _modules.add(name)
    loader.exec_module(module)
    return module


def is_there(path: Path) -> bool:
    """Whether there is a file, or one is recorded."""
    return is_file(path) or (_here.load is not None and str(path) in _here.load.recorded)


def loaded() -> dict[str, str]:
    """All files of a user's own that this process has loaded, as they were then."""
    return dict(_loaded)


def forget_modules() -> None:
    """Have everything of a user's own loaded again."""
    _forget(set(_modules))
    for kept in (_loaded, _parts, _sources):
        kept.clear()


def _forget(modules: set[str]) -> None:
    _modules.difference_update(modules)
    for name in modules:
        sys.modules.pop(name, None)


class _Loader(SourceFileLoader):
    """Loads a module from its source, never from Python's cache of code, which may be older."""

    def get_data(self, path: str) -> bytes:
        """The source: as it is recorded, else as it is now. Raises Pause if it is recorded, and cannot be had."""
        load, path = _here.load or _Load(), os.path.realpath(path)
        mark = load.recorded.get(path)
        places = [Path(path)] if mark is None else [Path(path), copy_of(path, mark, load.copies)]
        with _unheard():
            contents = [place.read_bytes() for place in filter(is_file, places)]
        for content in contents:
            if mark in (None, digest(content)):
                load.files[path] = digest(content)
                _sources.add(path)
                return content
        check({path: mark or MISSING}, load.copies)
        raise FileNotFoundError(path)

    def path_stats(self, path: str) -> Mapping[str, Any]:
        raise OSError


class _Finder:
    """Finds modules as Python does, while a player is loaded, and has a user's own loaded by `_Loader`."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if _here.load is None:
            return None
        finders = (finder for finder in sys.meta_path if finder is not _Finder and hasattr(finder, "find_spec"))
        spec = next((spec for finder in finders if (spec := finder.find_spec(name, path, target))), None)
        if spec is None:  # of a file that is gone, or is not on this machine
            places = (Path(place, name.rpartition(".")[2]) for place in path or sys.path)
            files = (str(file) for place in places for file in (place.with_suffix(".py"), place / "__init__.py"))
            file = next((file for file in files if file in _here.load.recorded), None)
            spec = None if file is None else spec_from_file_location(name, file)
        if spec and spec.origin and type(spec.loader) is SourceFileLoader and _is_users(name, spec.origin):
            spec.loader = _Loader(name, spec.origin)
            _modules.add(name)
        return spec


def _hear(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and _here.load is not None and isinstance(arguments[0], str | bytes):
        name, opened = os.path.abspath(os.fsdecode(arguments[0])), _here.load.opened  # noqa: PTH100  called often
        opened[name] = opened.get(name, False) or bool(arguments[2] & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


@contextmanager
def _unheard() -> Iterator[None]:
    """Read in the block what the player does not read."""
    load, _here.load = _here.load, None
    try:
        yield
    finally:
        _here.load = load


def _is_users(name: str, file: str) -> bool:
    """Whether a module is a user's own: of a named package, or from a file of a user's own."""
    return name.partition(".")[0] in packages or is_users(file)


def is_users(file: str) -> bool:
    """Whether a file of code is a user's own: not Python's, installed, or the arena's."""
    return not os.path.realpath(file).startswith(_INSTALLED)


def _folders(*paths: str | Path | None) -> tuple[str, ...]:
    """Folders as beginnings of the real paths within."""
    return tuple(f"{os.path.realpath(path)}{os.sep}" for path in paths if path)


_INSTALLED = _folders(
    *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    *(path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")),
    site.getusersitepackages(),
    *(ROOT / package for package in ("arena", "players")),
)
"""Where modules are no user's."""
_SYSTEM = ("/usr", "/etc", "/proc", "/sys", "/dev", "/lib", "/lib64", "/bin", "/System", "/Library")
_SETTINGS = f"{os.path.realpath(os.path.expanduser('~'))}{os.sep}."  # noqa: PTH111  there may be no home
_NO_DATA = (*_INSTALLED, *_folders(sys.prefix, sys.base_prefix, *_SYSTEM), _SETTINGS)
"""Where files may change without a player being another one: of programs, their settings and caches."""
