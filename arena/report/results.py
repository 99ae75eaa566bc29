"""Results of games from PDN of any program, CSV tables and folders of runs, as `arena.ratings.joint` takes them.

A CSV has a row per game, `white,black,result`, or per encounter, `white,black,wins,draws,losses` counted from
White's side; a column `pair` is optional, others are passed over. Of a PDN only the tags White, Black, FEN and
Result and the text of the moves count, so that games of unknown rules are read, too.
"""

import os
import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from arena.ratings.clusters import RESULTS, Colour
from arena.report import tables
from arena.report.run import load
from arena.store.store import StoreError

MEANINGS: dict[str, str | None] = {
    "1-0": "1-0",
    "2-0": "1-0",
    "0-1": "0-1",
    "0-2": "0-1",
    "1/2-1/2": "1/2-1/2",
    "½-½": "1/2-1/2",
    "1-1": "1/2-1/2",
    "0-0": None,
    "*": None,
}
"""One of RESULTS, or None for a game without winner or draw, by how programs write it; spaces do not count."""
CHOICES = ", ".join(MEANINGS)
COUNTS = ("wins", "draws", "losses")

_TAG = re.compile(r'\[\s*([A-Za-z]\w*)\s*"((?:\\.|[^\\\n])*?)"\s*\]')
_COMMENT = re.compile(rf"{_TAG.pattern}|\{{[^}}]*\}}|;[^\n]*")
_END = re.compile(r"(\S+)\s*\Z")
_NO_MOVE = re.compile(r"\s+|\d+\.+|\(?[!?]+\)?")


class ResultsError(Exception):
    """Results that cannot be read; one line that names the file, the line and what is wrong."""


class Results(NamedTuple):
    """Games of all sources together."""

    games: pd.DataFrame
    """Columns white, black, result, count, and by file pair, opening, line: see `arena.ratings.joint.rate`."""
    first: Colour
    """The colour that moves first: as given, else as runs say, else white."""
    skipped: int
    """Games without a result."""


def read_results(sources: Sequence[str | os.PathLike[str]], first: Colour | None = None) -> Results:
    """Read files and folders of runs; *first* is the colour that moves first in all of them, if it is known.

    A file is CSV or PDN by the end of its name; under another name it is PDN if it begins with a tag.

    Raises ResultsError for what cannot be read, a game without players, an unknown result, sources without any
    game to rate, and runs that differ in who moves first if *first* is not given.
    """
    frames: list[pd.DataFrame] = []
    firsts: set[Colour] = set()
    for number, path in enumerate(map(Path, sources)):
        if path.is_dir():
            games, runs_first = _run(path)
            firsts.add(runs_first)
        else:
            text = _text(path)
            suffix = path.suffix.lower()
            is_pdn = suffix == ".pdn" or (suffix != ".csv" and text.lstrip().startswith("["))
            games = _pdn(path, text) if is_pdn else _csv(path, text)
        own = {name: pd.factorize(games[name])[0] for name in ("pair", "opening", "line")}
        codes = {name: pd.Series(code, games.index, dtype="Int64") for name, code in own.items()}
        frames.append(
            games.assign(**{name: code.where(code >= 0) * len(sources) + number for name, code in codes.items()})
        )
    if first is None and len(firsts) > 1:
        raise ResultsError("in some of these runs White moves first, in others Black: give --first")
    games = pd.concat(frames, ignore_index=True)
    lost = games["result"].isna()
    if lost.all():
        raise ResultsError(f"{', '.join(map(str, sources))}: no game with a result")
    skipped = int(games["count"][lost].sum())
    moves_first = first or (firsts.pop() if firsts else "white")
    return Results(games[~lost].reset_index(drop=True), moves_first, skipped)


def _frame(white: object, black: object, result: object) -> pd.DataFrame:
    games = pd.DataFrame({"white": white, "black": black, "result": result}, dtype=object)
    return games.assign(count=1, pair=None, opening=None, line=None)


def _run(folder: Path) -> tuple[pd.DataFrame, Colour]:
    """The games of a run, and the colour that moves first in it."""
    try:
        run = load(folder)
    except StoreError as error:
        raise ResultsError(str(error)) from None
    games = _frame(*(run.games[column].astype(object) for column in ("white", "black", "result")))
    games = games.assign(
        pair=run.games["pair"], opening=run.games["opening"], line=tables.lines(run.games, run.moves)
    )
    return games, run.config["first"]


def _text(path: Path) -> str:
    """A file's text, which is UTF-8, or Latin-1 where it cannot be UTF-8."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Tagged(NamedTuple):
    """A game of a PDN, neither tags nor moves understood."""

    line: int
    tags: dict[str, str]
    body: str


def _pdn(path: Path, text: str) -> pd.DataFrame:
    white, black, results, lines = [], [], [], []
    for game in _tagged(text):
        place = f"{path}:{game.line}"
        for colour in ("White", "Black"):
            if not game.tags.get(colour, "").strip():
                raise ResultsError(f"{place}: the game has no tag {colour}")
        if game.tags["White"].strip() == game.tags["Black"].strip():
            raise ResultsError(f"{place}: White and Black are both {game.tags['White'].strip()!r}")
        white.append(game.tags["White"].strip())
        black.append(game.tags["Black"].strip())
        stated = re.sub(r"\s", "", game.tags.get("Result", "")).strip("?") or "*"
        if stated not in MEANINGS:
            raise ResultsError(f"{place}: unknown result {game.tags['Result']!r} (choices: {CHOICES})")
        ending = _END.search(game.body)
        ended = ending[1] if ending and ending[1] in MEANINGS else ""
        results.append(MEANINGS[stated] or MEANINGS.get(ended))
        moves = game.body.rstrip().removesuffix(ended)
        moves = _NO_MOVE.sub(" ", moves).strip()
        lines.append(f"{game.tags.get('FEN', '')} {moves}" if moves else None)
    if not white:
        raise ResultsError(f'{path}: no games: a PDN has tags such as [White "name"]')
    return _frame(white, black, results).assign(line=pd.Series(lines, dtype=object))


def _tagged(text: str) -> Iterator[_Tagged]:
    """Cut a PDN into games: tags that stand together begin one, and the text up to the next tag is its body."""
    text = _COMMENT.sub(lambda found: found[0] if found[1] else "\n" * found[0].count("\n"), text)
    line, counted, tags, start, body = 1, 0, dict[str, str](), 1, 0
    for tag in _TAG.finditer(text):
        between = text[body : tag.start()]
        if tags and (between.strip() or tag[1].capitalize() == next(iter(tags))):
            yield _Tagged(start, tags, between)
            tags = {}
        line, counted = line + text.count("\n", counted, tag.start()), tag.start()
        start = start if tags else line
        name = "FEN" if tag[1].upper() == "FEN" else tag[1].capitalize()
        tags[name] = re.sub(r'\\(["\\])', r"\1", tag[2])
        body = tag.end()
    if tags:
        yield _Tagged(start, tags, text[body:])


def _csv(path: Path, text: str) -> pd.DataFrame:
    table = _read_csv(path, text)
    by_count = all(name in table for name in COUNTS)
    if not {"white", "black"} <= set(table.columns) or not (by_count or "result" in table):
        raise ResultsError(
            f"{path}:1: the columns must be white, black, result or white, black, wins, draws, losses, and may be "
            f"pair; they are {', '.join(table.columns)}"
        )
    pair = table["pair"].where(table["pair"] != "") if "pair" in table else None
    for colour in ("white", "black"):
        _refuse(path, table, table[colour] == "", f"no player under {colour}")
    _refuse(path, table, table["white"] == table["black"], "White and Black are both {white!r}")
    if not by_count:
        meant = table["result"].str.replace(r"\s", "", regex=True)
        _refuse(path, table, ~meant.isin(list(MEANINGS)), f"unknown result {{result!r}} (choices: {CHOICES})")
        return _frame(table["white"], table["black"], meant.astype(object).map(MEANINGS)).assign(pair=pair)

    numbers = {name: pd.to_numeric(table[name], errors="coerce").to_numpy(float) for name in COUNTS}
    for name, number in numbers.items():
        fine = (number >= 0) & (number == np.floor(number)) & (number < 2**53)
        _refuse(path, table, ~fine, f"{name} must be a number of games, not {{{name}!r}}")
    frames = [
        _frame(table["white"], table["black"], result).assign(count=number.astype(np.int64), pair=pair)[number > 0]
        for result, number in zip(RESULTS, numbers.values(), strict=True)
    ]
    return pd.concat(frames)


def _read_csv(path: Path, text: str) -> pd.DataFrame:
    """The cells as text without outer spaces, "" where there is none; the index is the line, from 1."""
    try:
        table = pd.read_csv(
            StringIO(text), header=None, dtype=object, keep_default_na=False, skip_blank_lines=False
        )
    except pd.errors.EmptyDataError:
        raise ResultsError(f"{path}:1: the file is empty") from None
    except pd.errors.ParserError as error:
        found = re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", str(error))
        if not found:
            raise ResultsError(f"{path}:1: this is no CSV: {str(error).splitlines()[0]}") from None
        raise ResultsError(f"{path}:{found[2]}: {found[3]} cells in place of {found[1]}") from None
    table = table.fillna("").apply(lambda column: column.astype(str).str.strip())
    table.index += 1
    table.columns = table.iloc[0].str.lower().tolist()
    doubled = table.columns[table.columns.duplicated()]
    if len(doubled):
        raise ResultsError(f"{path}:1: the column {doubled[0]} is given twice")
    return table.iloc[1:][(table.iloc[1:] != "").any(axis=1)]


def _refuse(path: Path, table: pd.DataFrame, wrong: pd.Series | NDArray[np.bool_], why: str) -> None:
    """Raise ResultsError for the first row that is wrong; *why* may name cells of it, as str.format."""
    rows = table[np.asarray(wrong, bool)]
    if len(rows):
        raise ResultsError(f"{path}:{rows.index[0]}: {why.format(**rows.iloc[0])}")
