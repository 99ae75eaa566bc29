"""Objects and files of a user's own, named in YAML as `package.module:name`, `file.py:name` or `file.npz`, and
what is wrong with them."""

from __future__ import annotations

import os
import re
import shlex
import sys
import traceback
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, NamedTuple, TypeAlias

from arena.base import ArenaError
from arena.base.files import found_file
from arena.base.wording import joined, nearest, printable, quoted
from players.identity import NO_FILES, Files, at_commit, failed_build, hash_of
from players.importing import is_there, loading, packages, part
from players.player import ENGINE, NETWORKS, Pause, PlayerSpec

PLAYER_NAME, EVALUATION_NAME = "Player", "evaluate"
"""The class and the function that play if a file has several; the name that a file without any is asked for."""
EXAMPLE = "my_heuristic.py"  # the example of a user's own file, which `arena init` writes
FILES = "files"  # the option of programs and of own classes that names further files that they are made of
Level: TypeAlias = Literal["ok", "warning", "error"]

UNBUILT, SAME_FILE = "unbuilt", "same file"
"""Kinds of findings: it cannot be built; its files are those of others."""

_FILE_REFERENCE = re.compile(r"(.+(?:\.py(?=:\w)|\.(?:npz|onnx|pt2?)$))(:\w+)?", re.DOTALL)
_COLOURS = re.compile(r"\x1b\[[\d;]*m")
"""What the compiler's messages have between their words where colorama is installed."""


class PlayerError(ArenaError):
    """Says why a player cannot be built, and the keys of its YAML entry that lead to the fault."""

    files: Files = NO_FILES
    """The files that it was loaded from, as far as they are known."""

    def __init__(self, message: str, *keys: str | int) -> None:
        super().__init__(message)
        self.keys = keys


class Finding(NamedTuple):
    """What a check found: names of players and what a user's code wrote stand in fields of their own."""

    level: Level
    message: str = ""  # the arena's words: no name of a player, a file, or a thing in a user's code
    where: str = ""  # the player, or the key of a configuration, that it is about; empty where that is plain
    detail: str = ""  # what a user's code, or a message about that, says
    kind: str = ""
    others: tuple[str, ...] = ()  # the players that it is about, too
    place: str = ""  # FEN of the position in which a player failed
    traceback: str = ""
    output: str = ""  # the player's last output
    keys: tuple[str | int, ...] = ()  # the keys of the player's entry that are to blame

    @property
    def words(self) -> str:
        """The finding in words, which may go on after the player's name."""
        return ": ".join(filter(None, [f"{self.message} {joined(self.others)}".strip(), self.detail]))


def load_object(reference: str, key: str, fits: Callable[[Any], bool]) -> Any:
    """The object that `module:name` or `file.py:name` means, from the working directory on. Raises PlayerError,
    blaming `key`, with the names of those that fit if there is none, with the line if the file's code fails."""
    source, _, name = reference.rpartition(":")
    try:
        with loading():
            module = _module(source)
    except PlayerError as error:
        raise PlayerError(str(error), key) from None
    except Pause:
        raise
    except Exception as error:
        why = blame(error, source) + _hidden(_module_of(error))
        raise PlayerError(f"{source} cannot be loaded: {why}", key) from None
    try:
        return getattr(module, name)
    except AttributeError:
        names = sorted(n for n, thing in vars(module).items() if not n.startswith("_") and fits(thing))
        content = f" (it has: {', '.join(names) or 'nothing'})"
        if not name:
            raise PlayerError(f"{source} needs a name behind it, {source}:NAME{content}", key) from None
        message = f"{source} has no {name!r}{did_you_mean(nearest(name, names))}{content}{_hidden(source)}"
        if name in (PLAYER_NAME, EVALUATION_NAME) and len(names) > 1:
            message += f"; of several, the one called {name} plays"
        raise PlayerError(message, key) from None


def _module_of(error: Exception) -> str:
    """The name of the module that lacks what was asked of it, or is lacking; empty for another error."""
    if isinstance(error, ImportError):
        return error.name or ""
    module = error.obj if isinstance(error, AttributeError) else None
    return module.__name__ if isinstance(module, ModuleType) else ""


def _hidden(module: str) -> str:
    """The end of a line on a module of Python's own, if a file of the user's has the same name."""
    files = (Path(place, f"{module}.py") for place in _places if module in sys.stdlib_module_names)
    file = next((file for file in files if file.is_file()), None)
    return f"; Python's own module {module} hides {file}: give that file another name" if file else ""


def blame(error: BaseException, source: str, default: int = 0) -> str:
    """One line: the error's first words, and the last line of `source` that led to it, or the `default` line."""
    line = f"line {default}: " if default else ""
    for frame in traceback.extract_tb(error.__traceback__):
        if Path(frame.filename).name == Path(source).name:
            line = f"line {frame.lineno}: "
    if isinstance(error, SyntaxError) and error.lineno:
        return printable(_of_syntax(error, source, line))
    plain = _COLOURS.sub("", str(error))
    text = [part.strip() for part in plain.splitlines() if part.strip()]
    reason = next((part for part in text if not part.startswith(("Failed in", "During:"))), "")
    places = [part for part in text if part.startswith("File ") and ", line " in part]
    own = [part for part in places if f'{Path(source).name}"' in part]
    own = own or [part for part in places if "site-packages" not in part]
    if own:
        line = f"line {own[0].rsplit(', line ', 1)[1].split(':')[0].rstrip('.')}: "
    return printable(f"{line}{type(error).__name__}: {reason}").rstrip(": ")


def _of_syntax(error: SyntaxError, source: str, line: str) -> str:
    """A syntax error with its line, column and text; in a file that `source` imports at `line`, with its name."""
    file = Path(error.filename or source).name
    where = f"line {error.lineno}" if file == Path(source).name else f"{line}{file}, line {error.lineno}"
    where += f", column {error.offset}" if error.offset else ""
    text = f" in {quoted(error.text.strip())}" if error.text else ""
    return f"{where}: {type(error).__name__}: {error.msg}{text}"


def did_you_mean(name: str | None) -> str:
    """` (did you mean 'popcount'?)`; nothing for None."""
    return f" (did you mean {name!r}?)" if name is not None else ""


def located(spec: PlayerSpec, folder: Path) -> PlayerSpec:
    """The specification with absolute files, perhaps of a commit: from `folder`, the working directory or
    NETWORKS; a program's folder from `folder`. Raises PlayerError for a program whose `build` fails."""
    if spec.type == ENGINE:
        within, build = spec.options.get("folder", "."), spec.options.get("build")
        if isinstance(within, str):
            within = str(at_commit(Path(within), folder) or (folder / within).resolve())
            spec = replace(spec, options={**spec.options, "folder": within})
        if isinstance(build, str) and (failed := failed_build(build, within)):
            raise PlayerError(f"{spec.name}: {build!r} fails in {within}: {failed}", "build")
    return moved(spec, lambda path: file_of(path, folder).resolve())


def file_of(path: Path, folder: Path) -> Path:
    """The file of a player that is named from a folder, perhaps of a commit; it need not be there."""
    return at_commit(path, folder) or found_file(path, folder, NETWORKS)


def moved(spec: PlayerSpec, place: Callable[[Path], Path]) -> PlayerSpec:
    """The specification with `place(path)` for each file of the user's own that it names."""

    def elsewhere(text: Any) -> Any:
        match = _FILE_REFERENCE.fullmatch(text) if isinstance(text, str) else None
        return f"{place(Path(match[1]))}{match[2] or ''}" if match and spec.type != ENGINE else text

    kind, options = elsewhere(spec.type), {name: elsewhere(value) for name, value in spec.options.items()}
    if isinstance(named := options.get(FILES), list):
        options[FILES] = [str(place(Path(path))) if isinstance(path, str) else path for path in named]
    return replace(spec, type=kind, options=options)


def user_files(spec: PlayerSpec) -> list[Path]:
    """The files of the user's own that a specification names."""
    files: list[Path] = []
    moved(spec, lambda path: files.append(path) or path)  # type: ignore[func-returns-value]
    return files


def is_class(kind: str) -> bool:
    """Whether a player's type is a class, `file.py:Class` or `package.module:Class`, not one with a name."""
    return ":" in kind


def own_code(spec: PlayerSpec) -> list[str]:
    """The user's code that a specification names: `file.py:name`, `package.module:name`, or a program."""
    if spec.type == ENGINE:
        return words_of_command(spec.options.get("command"))[:1] or [ENGINE]
    return [text for text in (spec.type, *spec.options.values()) if isinstance(text, str) and ":" in text]


def is_logged(spec: PlayerSpec) -> bool:
    """Whether what a player's process prints in a game is kept beside the run: by a program, with `log: true`."""
    return spec.type != ENGINE or spec.options.get("log") is True


def source_of(spec: PlayerSpec) -> str:
    """The file with the user's code that plays, or the module or program; "" without such code."""
    options = {name: value for name, value in spec.options.items() if name != FILES}
    files = [str(file) for file in user_files(replace(spec, options=options))]
    return next((next(iter(files), text) for text in own_code(spec)), "")


def without_own_code(spec: PlayerSpec) -> PlayerSpec | None:
    """The specification itself if it names no code of a user's, else without what does; None if its type does."""
    own = own_code(spec)
    if spec.type in own or spec.type == ENGINE:
        return None
    plain = {name: value for name, value in spec.options.items() if not (isinstance(value, str) and value in own)}
    return replace(spec, options=plain) if own else spec


def words_of_command(command: Any) -> list[str]:
    """A command, given as its words or as a line of a shell, in words; none if it is neither."""
    if isinstance(command, list) and all(isinstance(word, str) for word in command):
        return command
    try:
        return shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return []


def files_of(spec: PlayerSpec, loaded: Files = NO_FILES) -> dict[str, str]:
    """The user's files that a located specification names, words of a program's command among them, and those
    `loaded` for it."""
    files = [path for path in user_files(spec) if path.parent != NETWORKS]
    if spec.type == ENGINE:
        words = words_of_command(spec.options.get("command"))
        files += [path for word in words if (path := Path(str(spec.options["folder"]), word)).is_file()]
    return {**{str(path.resolve()): hash_of(path) for path in files}, **loaded}


def from_folder(text: str, folder: str) -> str:
    """A message whose files in `folder` are named from there on; as it is without a folder."""
    return text.replace(f"{folder}{os.sep}", "") if folder else text


def misnamed(path: Path) -> list[Path]:
    """The files that should have this path: of another case, or with `.txt` behind it."""
    names = path.name.lower(), f"{path.name.lower()}.txt"
    return [] if path.exists() else [file for file in sorted(path.parent.glob("*")) if file.name.lower() in names]


def no_file(path: Path) -> str:
    """That there is no file, and what else there is; or where it can be had, if it is the example."""
    hint = "; `arena init` writes one of that name" * (path.name == EXAMPLE)
    return f"there is no file {path}" + "".join(f", but {file.name}: rename it" for file in misnamed(path)) + hint


_places = list[str]()
"""The folders in which modules are looked for after all that Python has, so that no user's file hides its own."""


def _module(source: str) -> ModuleType:
    """The module of a name or a file, which may import others of the file's folder and the working directory."""
    path, is_named = Path(source).resolve(), not source.endswith(".py")
    if is_named and (package := source.partition(".")[0]) not in ("arena", "players"):
        packages.add(package)
    sys.path[:] = [place for place in sys.path if place not in _places]
    folders = dict.fromkeys(map(str, (Path.cwd(),) if is_named else (path.parent, Path.cwd())))
    _places[:] = [folder for folder in folders if folder not in sys.path]
    sys.path += _places
    if is_named:
        return part(source)
    if not is_there(path):
        raise PlayerError(no_file(Path(source)))
    return part(f"arena_user_{path.stem}_{sha256(str(path).encode()).hexdigest()[:8]}", str(path))
