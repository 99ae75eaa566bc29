"""Objects of a user's own, named in YAML as `package.module:name` or `path/to/file.py:name`."""

from __future__ import annotations

import difflib
import importlib
import importlib.util
import sys
import traceback
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any


class PlayerError(Exception):
    """A player that cannot be built: what is wrong, and the keys of its YAML entry that lead to the fault."""

    def __init__(self, message: str, *keys: str) -> None:
        super().__init__(message)
        self.keys = keys


def load_object(reference: str, key: str) -> Any:
    """The object that `module:name` or `file.py:name` means; a relative path starts at the working directory.

    Raises PlayerError, blaming `key`, if there is none, with the line of the file if its code fails.
    """
    source, _, name = reference.rpartition(":")
    try:
        module = _load_file(Path(source)) if source.endswith(".py") else importlib.import_module(source)
    except PlayerError as error:
        raise PlayerError(str(error), key) from None
    except Exception as error:
        raise PlayerError(f"{source} cannot be loaded: {blame(error, source)}", key) from None
    try:
        return getattr(module, name)
    except AttributeError:
        found = ", ".join(sorted(n for n in vars(module) if not n.startswith("_"))) or "nothing"
        raise PlayerError(f"{source} has no {name!r} (it has: {found})", key) from None


def blame(error: BaseException, source: str, default: int = 0) -> str:
    """One line: the error's first words, and the last line of `source` that led to it, or the `default` line."""
    line = f"line {default}: " if default else ""
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).name == Path(source).name:
            line = f"line {frame.lineno}: "
    if isinstance(error, SyntaxError) and error.lineno:
        line = f"line {error.lineno}: "
    text = [part.strip() for part in str(error).splitlines() if part.strip()]
    reason = next((part for part in text if not part.startswith(("Failed in", "During:"))), "")
    place = next((part for part in text if part.startswith("File ") and ", line " in part), "")
    if place:
        line = f"line {place.rsplit(', line ', 1)[1].split(':')[0].rstrip('.')}: "
    return f"{line}{type(error).__name__}: {reason}".rstrip(": ")


def unknown(kind: str, name: str, choices: Mapping[str, Any] | tuple[str, ...]) -> str:
    """One line that says a name is unknown, which is nearest, and which there are."""
    near = difflib.get_close_matches(name, list(choices), n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return f"unknown {kind} {name!r}{hint} (choices: {', '.join(choices)})"


def _load_file(path: Path) -> Any:
    if not path.is_file():
        raise PlayerError(f"there is no file {path}")
    resolved = path.resolve()
    name = f"arena_user_{path.stem}_{sha256(str(resolved).encode()).hexdigest()[:8]}"
    if name in sys.modules:
        return sys.modules[name]
    specification = importlib.util.spec_from_file_location(name, resolved)
    if specification is None or specification.loader is None:
        raise PlayerError(f"{path} is not a Python file")
    module = importlib.util.module_from_spec(specification)
    sys.modules[name] = module
    try:
        specification.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module
