"""Results of games from PDN of any program and from CSV tables, as `arena.ratings.joint.rate` takes them.

A CSV has a row per game, `white,black,result`, or per encounter, `white,black,wins,draws,losses` counted from
White's side; a column `pair` is optional, other columns are ignored. Of a PDN only the tags White, Black,
GameType, Variant, FEN and Result and the text of the moves count, so that games of unknown rules are read, too.
"""

import re
from collections import defaultdict
from collections.abc import Hashable, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from arena.base.files import decoded, is_unicode, unreadable
from arena.base.wording import counted, cut, quoted
from arena.base.writing import cell_text
from arena.rules.pdn.read import PdnFile, read_pdn
from arena.rules.pdn.result import FirstMover, Winner, first_mover, result_of
from arena.rules.pdn.tokens import TaggedGame, tagged_games
from arena.rules.result import NO_RESULT, RESULTS, Colour
from arena.rules.variants import VARIANTS

COUNTS = ("wins", "draws", "losses")
_OF_RULES = ("Result", "GameType", "Variant", "SetUp", "FEN")
"""Tags that a game needs to be played through."""
_WITNESSES = 200
"""Games of a PDN, at most, whose final positions are compared with their results."""
_LISTED = 20
"""Lines of a file that a note of games left out names."""
_FORMS = "1-0, 2-0, +-, 1/2-1/2, 1-1, 0-2, 0-1, -+, * and their like"


class ResultsError(Exception):
    """Results that cannot be read; one line that names the file, the line and what is wrong."""


class Fault(NamedTuple):
    """A game that cannot be rated."""

    path: Path
    line: int
    """Counted from 1."""
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}"


class GameSource(NamedTuple):
    """The games of one file or run."""

    path: Path
    games: pd.DataFrame
    """Columns white, black, result (missing for a game without one), count, pair, line."""
    first: Colour | None = None
    """The colour that moves first, if the source says so."""
    first_by: str = ""
    """The source of that colour."""
    faults: Sequence[Fault] = ()
    """The games that are left out."""
    encoding: str = "utf-8"
    notes: Sequence[str] = ()
    """Sentences on how its results were read."""


class Results(NamedTuple):
    """The games of all sources together."""

    games: pd.DataFrame
    """Columns white, black, result, count, and by source pair, line: see `arena.ratings.joint.rate`."""
    first: Colour
    """The colour that moves first: as given, else as the sources say, else white."""
    first_by: str
    """The source of that colour, such as "GameType"; empty if unknown."""
    skipped: int
    """Games without a result."""
    faults: tuple[Fault, ...] = ()
    """Games that are left out as they cannot be rated."""
    readings: tuple[str, ...] = ()
    """Sentences on files whose encoding is a guess, and on how results were read."""

    @property
    def notes(self) -> list[str]:
        """Sentences on what was read as a guess, or not counted."""
        notes = list(self.readings)
        lines = defaultdict(list)
        for fault in self.faults:
            lines[fault.path, fault.reason].append(fault.line)
        for (path, reason), places in lines.items():
            named = ", ".join(map(str, places[:_LISTED])) + (", ..." if len(places) > _LISTED else "")
            where = f"line{'s' * (len(places) > 1)} {named}"
            notes.append(f"{path}: {counted(len(places), 'game')} not counted, {reason}: {where}.")
        if self.skipped:
            verb = "was" if self.skipped == 1 else "were"
            notes.append(f"{counted(self.skipped, 'game')} without a result {verb} skipped.")
        return notes


def read_file(
    path: Path, first: Colour | None = None, encoding: str | None = None, results: Winner | None = None
) -> GameSource:
    """Read a file, CSV or PDN by the end of its name; under another name it is PDN if it begins with a tag.

    Games without players or with an unknown result are left out. Raises ResultsError for a file that cannot be
    read, and for a PDN whose games differ in who moves first, unless *first* is given. `1-0` is, by *results*, a
    win of the side that moves first or of White; else the former in a PDN, the latter in a CSV.
    """
    text, encoding = _text(path, encoding)
    suffix = path.suffix.lower()
    if suffix == ".pdn" or (suffix != ".csv" and text.lstrip().startswith("[")):
        return _pdn(path, text, first, results or "first")._replace(encoding=encoding)
    faults: list[Fault] = []
    leading = first if first and results == "first" else "white"
    return GameSource(path, _csv(path, text, leading, faults), faults=faults, encoding=encoding)


def combined(sources: Sequence[GameSource], first: Colour | None = None, strict: bool = False) -> Results:
    """All games together; *first* is the colour that moves first in all of them, if it is known.

    Raises ResultsError if no game has a result, if sources differ in who moves first and *first* is not given,
    and if *strict*, for the first game that is left out.
    """
    faults = tuple(fault for source in sources for fault in source.faults)
    games = pd.concat(
        [_numbered(source.games, number, len(sources)) for number, source in enumerate(sources)],
        ignore_index=True,
    )
    missing = games["result"].isna()
    if faults and (strict or missing.all()):
        forms = f" (known: {_FORMS})" if faults[0].reason.startswith("unknown result") else ""
        raise ResultsError(f"{faults[0]}{forms}")
    if missing.all():
        raise ResultsError(f"{', '.join(str(source.path) for source in sources)}: no game with a result")
    claims = {source.first: source for source in reversed(sources) if source.first}
    if first is None and len(claims) > 1:
        paths = [claims[colour].path for colour in get_args(Colour)]
        raise ResultsError(f"White moves first in {paths[0]}, Black in {paths[1]}: give --first for all")
    first_by = "--first" if first else next((source.first_by for source in claims.values()), "")
    skipped = int(games["count"][missing].sum())
    games = games[~missing].reset_index(drop=True)
    guessed = tuple(
        f"{source.path} is not UTF-8: read as {source.encoding}; --encoding names another."
        for source in sources
        if not is_unicode(source.encoding)
    )
    readings = (*guessed, *(note for source in sources for note in source.notes))
    return Results(games, first or next(iter(claims), None) or "white", first_by, skipped, faults, readings)


def game_table(white: object, black: object, result: object) -> pd.DataFrame:
    """The games of a source, one a row, of no known pair or line."""
    games = pd.DataFrame({"white": white, "black": black, "result": result}, dtype=object)
    return games.assign(count=1, pair=None, line=None)


def _numbered(games: pd.DataFrame, number: int, sources: int) -> pd.DataFrame:
    """The games with pairs and lines as numbers that no other source has; *number* is this one's."""
    own = {name: pd.factorize(games[name])[0] for name in ("pair", "line")}
    codes = {name: pd.Series(code, games.index, dtype="Int64") for name, code in own.items()}
    return games.assign(**{name: code.where(code >= 0) * sources + number for name, code in codes.items()})


def _text(path: Path, encoding: str | None) -> tuple[str, str]:
    """A file's text and its encoding."""
    if path.is_char_device():
        raise ResultsError(f"{path} cannot be read: it is a device")
    try:
        return decoded(path.read_bytes(), encoding)
    except (OSError, ValueError) as error:
        raise ResultsError(unreadable(path, error)) from None


def _pdn(path: Path, text: str, first: Colour | None, winner: Winner) -> GameSource:
    """The games; where any has a FEN, games from one with colours swapped are a pair."""
    rows, faults = [], []
    # Who moves first, and the first line that says so.
    claims: dict[FirstMover, int] = {}
    witnesses: list[TaggedGame] = []
    for game in tagged_games(text):
        white, black = (" ".join(game.tags.get(colour, "").split()) for colour in ("White", "Black"))
        mover = first_mover(game.tags, game.moves, game.number, first)
        result, fault = result_of(game.tags.get("Result", ""), game.end, mover.colour, winner)
        if reason := _reason(white, black) or fault:
            faults.append(Fault(path, game.line, reason))
            continue
        fen = game.tags.get("FEN", "").strip()
        line = f"{game.tags.get('FEN', '')} {game.moves}" if game.moves else None
        rows.append((white, black, result if result in RESULTS else None, line, fen))
        claims.setdefault(mover, game.line)
        if result in get_args(Colour) and not (mover.is_certain and mover.colour == "white"):
            witnesses.append(game)
    if not rows and not faults:
        raise ResultsError(f'{path}: no games: a PDN has tags such as [White "name"]')
    table = pd.DataFrame(rows, columns=["white", "black", "result", "line", "fen"], dtype=object)
    games = game_table(table["white"], table["black"], table["result"]).assign(line=table["line"])
    if table["fen"].any():
        number = table.groupby(["white", "black", "fen"]).cumcount().astype(str)
        games = games.assign(pair=number + " " + table["fen"])
    notes = []
    if winner == "first" and any(mover.colour == "black" for mover in claims):
        notes.append(f"{path}: 1-0 is Black's win where Black moves first; --results white reads it as White's.")
    if message := _contradiction(witnesses, first, winner):
        notes.append(f"{path}: {message}.")
    said = _first_of(path, claims) if first is None else (None, "")
    return GameSource(path, games, *said, faults, notes=notes)


def _reason(white: str, black: str) -> str:
    """Why a game cannot be rated; empty if it can."""
    for player, colour in ((white, "White"), (black, "Black")):
        if not player.strip("?"):
            return f"no name of {colour}"
    if white == black:
        return f"White and Black are both {quoted(white)}"
    return ""


def _contradiction(games: Sequence[TaggedGame], first: Colour | None, winner: Winner) -> str:
    """What the final positions of some of the games say of their results: see `arena.rules.pdn.result`."""
    texts = [
        "".join(f'[{name} "{value}"]\n' for name, value in game.tags.items() if name in _OF_RULES)
        + f"\n{game.number} {game.moves} {game.end or NO_RESULT}\n"
        for game in games[:: -(-len(games) // _WITNESSES) or 1]
    ]
    english = VARIANTS["english"] if first == "black" else None
    found = read_pdn("\n".join(texts), english, results=winner) if texts else PdnFile([], [])
    return next((problem.message for problem in found.problems if not problem.game), "")


def _first_of(path: Path, claims: dict[FirstMover, int]) -> tuple[Colour | None, str]:
    rules = {mover.colour: (mover.source, line) for mover, line in claims.items() if mover.is_certain}
    if len(rules) > 1:
        by, line = rules["black"]
        raise ResultsError(
            f"{path}:{line}: by its {by} Black moves first in this game, but White in that of line "
            f"{rules['white'][1]}: give --first for all"
        )
    if rules:
        return next((first, by) for first, (by, _) in rules.items())
    likely = [mover for mover in claims if mover.source]
    return (likely[0].colour, likely[0].source) if len(likely) == 1 else (None, "")


def _result(text: str, leading: Colour) -> tuple[str, str]:
    """The result of a row, which may be a winner's colour or `draw`, and what is wrong with it, or ""."""
    if text in RESULTS:
        return text, ""
    return result_of(text, "", leading, "first") if text else (NO_RESULT, "unknown result ''")


def _csv(path: Path, text: str, leading: Colour, faults: list[Fault]) -> pd.DataFrame:
    """The games, in which `1-0` is a win of `leading`; what cannot be rated is added to the faults."""
    table = _read_csv(path, text)
    by_count = all(name in table for name in COUNTS)
    if not {"white", "black"} <= set(table.columns) or not (by_count or "result" in table):
        raise ResultsError(
            f"{path}:1: the columns must be white, black, result or white, black, wins, draws, losses, and may be "
            f"pair; they are {cut(', '.join(table.columns))}"
        )
    games = []
    for line, row in zip(table.index, table.to_dict("records"), strict=True):
        meant, fault = (NO_RESULT, "") if by_count else _result(row["result"], leading)
        reason = _reason(row["white"], row["black"]) or fault
        try:
            counts = [_games(row, name) for name in COUNTS] if by_count else []
        except ValueError as error:
            reason = reason or str(error)
        if reason:
            faults.append(Fault(path, int(line), reason))
            continue
        players, pair = (row["white"], row["black"]), row.get("pair") or None
        found = zip(RESULTS, counts, strict=True) if by_count else [(meant if meant in RESULTS else None, 1)]
        games += [(*players, result, count, pair) for result, count in found if count]
    columns = ["white", "black", "result", "count", "pair"]
    rows = pd.DataFrame(games, columns=columns, dtype=object)
    counted_games = game_table(rows["white"], rows["black"], rows["result"])
    return counted_games.assign(count=rows["count"].astype(np.int64), pair=rows["pair"])


def _games(row: dict[Hashable, str], name: str) -> int:
    """The number of games in a cell. Raises ValueError for anything else."""
    try:
        number = float(row[name])
    except ValueError:
        number = -1
    if not (0 <= number < 2**53 and number.is_integer()):
        raise ValueError(f"{name} must be a number of games, not {quoted(row[name])}")
    return int(number)


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
            raise ResultsError(f"{path}:1: this is no CSV: {cut(str(error))}") from None
        raise ResultsError(f"{path}:{found[2]}: {found[3]} cells in place of {found[1]}") from None
    table = table.fillna("").apply(lambda column: column.astype(str).str.split().str.join(" ").map(cell_text))
    table.index += 1
    table.columns = table.iloc[0].str.lower().tolist()
    doubled = table.columns[table.columns.duplicated()]
    if len(doubled):
        raise ResultsError(f"{path}:1: the column {cut(doubled[0])} is given twice")
    below = table.iloc[1:]
    rows: pd.DataFrame = below[(below != "").any(axis=1)]
    return rows
