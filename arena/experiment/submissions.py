"""Submissions: the players that a pattern of files means, without running them; whom a class is rated against."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path, PurePath
from typing import Any

from arena.base.files import found_file
from arena.base.wording import first_few, nearest, phrase, printable
from arena.experiment.names import distinct_names, fitting, playing_in
from arena.experiment.yaml.values import Refusal
from players.loading import EVALUATION_NAME, PLAYER_NAME, located, own_code, source_of, user_files
from players.player import TYPES, PlayerSpec

A_CLASS = 3
"""Files of users from which on their players are a class."""
MAX_LISTED = 5
"""Files that an error lists, of a folder in which none matches."""
_SUFFIXES = {"type": (".py",), "evaluation": (".py", ".npz")}
"""The keys of an entry whose value may be a pattern, and how that may end."""
_WILD = re.compile(r"[*?\[]")


def pattern_key(entry: Mapping[str, Any]) -> str | None:
    """The key of an entry whose value is a pattern of files: one with `*` or `?`."""
    texts = {key: entry[key] for key in _SUFFIXES if isinstance(entry.get(key), str)}
    return next((key for key, text in texts.items() if re.search(r"[*?]", text)), None)


def submitted(reference: str, key: str, folder: Path) -> list[tuple[str, str]]:
    """The files that an entry's pattern matches: a name for each, in order, and a reference to what plays in it.

    `submissions/*.py:Player` names what plays in each file. Else it is the only public class with a method
    `choose`, or, of an evaluation, the only public function; of several the one called `Player` or
    `evaluate`. A file that has none, or cannot be read, becomes a player all the same, which cannot be built; so
    does one whose name the pattern misses by its case or a `.txt` behind it, as the file that it should be.
    Raises Refusal.
    """
    pattern, suffixes = re.sub(r":\w*\Z", "", reference), _SUFFIXES[key]
    name = reference[len(pattern) :]
    if not pattern.endswith(suffixes):
        right = PurePath(pattern).with_suffix(suffixes[0]).as_posix()
        ends = " or ".join(suffixes)
        raise Refusal(f"a pattern of {key!r} must end with {ends}, not {phrase(reference)}: write {right!r}", key)
    fixed = _fixed(pattern)
    files = [
        file
        for file in sorted({*matching(pattern, folder, key), *_misnamed(pattern, folder, key)})
        if not any(part.startswith((".", "__")) for part in PurePath(file).parts[fixed:])
    ]
    if not files:
        raise Refusal(f"{pattern!r} only matches hidden files and `__init__.py`", key)
    made = []
    for player, file in sorted(zip(_names(files, pattern), files, strict=True)):
        playing = name
        if not name and not file.endswith(".npz"):
            found = list(playing_in(found_file(Path(file), folder), key))
            usual = PLAYER_NAME if key == "type" else EVALUATION_NAME
            playing = f":{found[0] if len(found) == 1 else usual}"
        # a file whose name is not UTF-8 has one that can be written, and means no file
        written = file.encode("utf-8", "backslashreplace").decode()
        made.append((player, written if file.endswith(".npz") else written + playing))
    return made


def matching(pattern: str, folder: Path, key: str) -> list[str]:
    """The files that match a pattern in `folder`, else in the working directory, as they are named from there.

    Raises Refusal, at the key of the pattern, if there are none, with the nearest.
    """
    whole = PurePath(pattern)
    roots = [Path(whole.anchor)] if whole.is_absolute() else [folder, Path()]
    try:
        for root in roots:
            if files := sorted(path for path in root.glob(str(whole.relative_to(whole.anchor))) if path.is_file()):
                return [(path if whole.is_absolute() else path.relative_to(root)).as_posix() for path in files]
    except ValueError as error:
        raise Refusal(f"{pattern!r} is not a pattern: {error}", key) from None
    raise Refusal(_no_match(whole, folder), key)


def _misnamed(pattern: str, folder: Path, key: str) -> Iterator[str]:
    """Yield the files that a pattern should match by their names: `ed.py` for `ed.PY` and for `ed.py.txt`."""
    whole = PurePath(pattern)
    either_case = re.sub("[A-Za-z]", lambda letter: f"[{letter[0].lower()}{letter[0].upper()}]", whole.name)
    for name in () if "[" in whole.name else (either_case, f"{either_case}.[tT][xX][tT]"):
        with suppress(Refusal):
            for file in map(PurePath, matching(str(whole.with_name(name)), folder, key)):
                stem = file.with_suffix("") if file.suffix.lower() == ".txt" else file
                right = stem.with_suffix(whole.suffix).name if _WILD.search(whole.name) else whole.name
                yield file.with_name(right).as_posix()


def own_folders(players: Iterable[PlayerSpec], home: Path) -> tuple[str, ...]:
    """The folders that hold files of one player alone; none with the configuration's folder, `home`, in it."""
    owners: dict[Path, set[tuple[Path, ...]]] = defaultdict(set)
    holding: set[Path] = set()
    for spec in players:
        files = tuple(user_files(located(spec, home)))
        holding |= {file.parent for file in files} - {home, *home.parents}
        for folder in {folder for file in files for folder in file.parents}:
            owners[folder].add(files)
    return tuple(str(folder) for folder in holding if len(owners[folder]) == 1)


def _no_match(pattern: PurePath, folder: Path) -> str:
    """Say where no file matches a pattern, and what is there."""
    *parents, name = pattern.parts
    while parents and not _WILD.search(parents[0]):
        parent = parents.pop(0)
        if not (folder / parent).is_dir():
            folders = [path.name for path in sorted(folder.glob("*")) if path.is_dir()]
            close = nearest(parent, folders)
            return f"there is no folder {parent!r} in {folder}" + (f"; did you mean {close!r}?" if close else "")
        folder /= parent
    rest = PurePath(*parents, name).as_posix()
    files = [path.name for path in sorted(folder.glob("*")) if path.is_file()]
    close = nearest(re.sub(r"[*?]+|\[.*?\]", "", name), files, 0.3)
    names = printable(first_few(sorted(files, key=lambda file: file != close), MAX_LISTED))
    return f"no file in {folder} matches {rest!r}; " + (f"that folder has {names}" if names else "it has no files")


def _fixed(pattern: str) -> int:
    """How many parts of a pattern's path, from the left, are the same in all files."""
    parts = PurePath(pattern).parts
    return next((n for n, part in enumerate(parts) if _WILD.search(part)), len(parts) - 1)


def _names(files: Sequence[str], pattern: str) -> list[str]:
    """A name for each file: its own, or its folder's if the files have one name; longer where two are equal.

    That of a built-in player keeps its suffix: `random.py`.
    """
    paths = [PurePath(file) for file in files]
    is_folder = not _WILD.search(PurePath(pattern).name) or (
        len(paths) > 1 and len({path.stem for path in paths}) == 1
    )
    tellers = [path.parent if is_folder else path.with_suffix("") for path in paths]
    short = [path.name for path in tellers]
    fixed = _fixed(pattern)
    whole, ends = ([PurePath(*path.parts[fixed:]).as_posix() for path in each] for each in (tellers, paths))
    best = [name if short.count(name) == 1 else long for name, long in zip(short, whole, strict=True)]
    best = [file if name in TYPES else name for name, file in zip(best, ends, strict=True)]
    clean = [fitting(" ".join(printable(name).split())) for name in best]
    return distinct_names([{"name": name or "unnamed"} for name in clean])


# --- where Elo is 0: one rule for a run's report, its status and its early end


def given_elo(specs: Sequence[PlayerSpec], anchor: Mapping[str, float]) -> dict[str, float]:
    """Fixed Elo by player: the anchors', else of two players 0 for one, so that the other's is the difference."""
    return {reference(specs, None).name: 0.0} if len(specs) == 2 and not anchor else dict(anchor)


def is_of_class(specs: Sequence[PlayerSpec]) -> bool:
    """Whether so many players have files of users that they are the submissions of a class."""
    return len({*map(source_of, specs)} - {""}) >= A_CLASS


def reference(specs: Sequence[PlayerSpec], anchor: str | None) -> PlayerSpec:
    """The player that others are compared with: the anchor, else the first; of two the second, or a built-in.

    A class is compared with the first player that is none of it, if one takes part.
    """
    anchored = [spec for spec in specs if spec.name == anchor]
    if anchored or len(specs) != 2:
        others = [spec for spec in specs if not source_of(spec)] if is_of_class(specs) else []
        return [*anchored, *others, *specs][0]
    first, second = (bool(own_code(spec) or user_files(spec)) for spec in specs)
    return specs[0] if second and not first else specs[1]
