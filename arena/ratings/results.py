"""Results of games from PDN of any program and from CSV tables, as `arena.ratings.joint.rate` takes them.

A CSV has a row per game, `white,black,result`, or per encounter, `white,black,wins,draws,losses` counted from
White's side; a column `pair` is optional, other columns are ignored. Of a PDN only the tags White, Black,
GameType, Variant, FEN and Result and the text of the moves count, so that games of unknown rules are read, too.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from io import StringIO
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np
import pandas as pd

from arena.base.wording import cut, quoted
from arena.ratings.types import Bools, Ints
from arena.rules.pdn.tokens import TaggedGame, tagged_games, variant_of_tags
from arena.rules.position import BLACK
from arena.rules.result import RESULTS, Colour, Result

MEANINGS: dict[str, Result | None] = {
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
"""The result that programs write so, None for a game without winner or draw; spaces do not count."""
COUNTS = ("wins", "draws", "losses")
FROM_MOVES = "the numbering of the moves"
"""The source of the first colour where a PDN has no GameType."""


class ResultsError(Exception):
    """Results that cannot be read; one line that names the file, the line and what is wrong."""


class GameSource(NamedTuple):
    """The games of one file or run."""

    path: Path
    games: pd.DataFrame
    """Columns white, black, result (missing for a game without one), count, pair, line."""
    first: Colour | None = None
    """The colour that moves first, if the source says so."""
    first_by: str = ""
    """The source of that colour."""


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


def read_file(path: Path, first: Colour | None = None) -> GameSource:
    """Read a file, CSV or PDN by the end of its name; under another name it is PDN if it begins with a tag.

    Raises ResultsError for what cannot be read, a game without players, an unknown result, and a PDN whose games
    differ in who moves first, unless *first* is given.
    """
    text, suffix = _text(path), path.suffix.lower()
    if suffix == ".pdn" or (suffix != ".csv" and text.lstrip().startswith("[")):
        return _pdn(path, text, first)
    return GameSource(path, _csv(path, text))


def combined(sources: Sequence[GameSource], first: Colour | None = None) -> Results:
    """All games together; *first* is the colour that moves first in all of them, if it is known.

    Raises ResultsError if no game has a result, and if sources differ in who moves first and *first* is not given.
    """
    claims = {source.first: source for source in reversed(sources) if source.first}
    if first is None and len(claims) > 1:
        paths = [claims[colour].path for colour in get_args(Colour)]
        raise ResultsError(f"White moves first in {paths[0]}, Black in {paths[1]}: give --first for all")
    first_by = "--first" if first else next((source.first_by for source in claims.values()), "")
    frames = [_numbered(source.games, number, len(sources)) for number, source in enumerate(sources)]
    games = pd.concat(frames, ignore_index=True)
    missing = games["result"].isna()
    if missing.all():
        raise ResultsError(f"{', '.join(str(source.path) for source in sources)}: no game with a result")
    skipped = int(games["count"][missing].sum())
    games = games[~missing].reset_index(drop=True)
    return Results(games, first or next(iter(claims), None) or "white", first_by, skipped)


def game_table(white: object, black: object, result: object) -> pd.DataFrame:
    """The games of a source, one a row, of no known pair or line."""
    games = pd.DataFrame({"white": white, "black": black, "result": result}, dtype=object)
    return games.assign(count=1, pair=None, line=None)


def _numbered(games: pd.DataFrame, number: int, sources: int) -> pd.DataFrame:
    """The games with pairs and lines as numbers that no other source has; *number* is this one's."""
    own = {name: pd.factorize(games[name])[0] for name in ("pair", "line")}
    codes = {name: pd.Series(code, games.index, dtype="Int64") for name, code in own.items()}
    return games.assign(**{name: code.where(code >= 0) * sources + number for name, code in codes.items()})


def _text(path: Path) -> str:
    """A file's text, which is UTF-8, or Latin-1 where it cannot be UTF-8."""
    if path.is_char_device():
        raise ResultsError(f"{path} cannot be read: it is a device")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"{path} cannot be read: {error.strerror}") from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def _pdn(path: Path, text: str, first: Colour | None) -> GameSource:
    """The games; where any has a FEN, games from one with colours swapped are a pair."""
    white, black, results, lines, fens = [], [], [], [], []
    # What says who moves first, who does, and the first line that says so.
    claims: dict[tuple[str, Colour], int] = {}
    for game in tagged_games(text):
        place = f"{path}:{game.line}"
        for colour in ("White", "Black"):
            if not game.tags.get(colour, "").strip():
                raise ResultsError(f"{place}: the game has no tag {colour}")
        if game.tags["White"].strip() == game.tags["Black"].strip():
            raise ResultsError(f"{place}: {_alone(game.tags['White'].strip())}")
        white.append(game.tags["White"].strip())
        black.append(game.tags["Black"].strip())
        stated = re.sub(r"\s", "", game.tags.get("Result", "")).strip("?") or "*"
        if stated not in MEANINGS:
            raise ResultsError(f"{place}: {_unknown(game.tags['Result'])}")
        results.append(MEANINGS[stated] or MEANINGS.get(game.end))
        lines.append(f"{game.tags.get('FEN', '')} {game.moves}" if game.moves else None)
        fens.append(game.tags.get("FEN", "").strip())
        for saying in _says_first(game):
            claims.setdefault(saying, game.line)
    if not white:
        raise ResultsError(f'{path}: no games: a PDN has tags such as [White "name"]')
    games = game_table(white, black, results).assign(line=pd.Series(lines, dtype=object))
    if any(fens):
        number = games.assign(fen=fens).groupby(["white", "black", "fen"]).cumcount().astype(str)
        games = games.assign(pair=number + " " + pd.Series(fens))
    return GameSource(path, games, *(_first_of(path, claims) if first is None else (None, "")))


def _says_first(game: TaggedGame) -> Iterator[tuple[str, Colour]]:
    """Yield the tags of a game that name the colour to move first: GameType, Variant, or else its FEN."""
    kind = game.tags.get("GameType", "")
    colours: dict[str, Colour] = {"W": "white", "B": "black"}
    stated = colours.get(kind.upper().replace(" ", "").partition(",")[2][:2].rstrip(","))
    variant = variant_of_tags(game.tags, None)
    if stated or variant:
        by_rules: Colour = "black" if variant and variant.first == BLACK else "white"
        yield "GameType" if kind else "Variant", stated or by_rules
    elif (to_move := colours.get(game.tags.get("FEN", "").strip()[:1].upper())) and game.number:
        other: Colour = "black" if to_move == "white" else "white"
        yield FROM_MOVES, other if game.number.endswith("..") else to_move


def _first_of(path: Path, claims: dict[tuple[str, Colour], int]) -> tuple[Colour | None, str]:
    rules = {first: (by, line) for (by, first), line in claims.items() if by != FROM_MOVES}
    if len(rules) > 1:
        by, line = rules["black"]
        raise ResultsError(
            f"{path}:{line}: by its {by} Black moves first in this game, but White in that of line "
            f"{rules['white'][1]}: give --first for all"
        )
    if rules:
        return next((first, by) for first, (by, _) in rules.items())
    return next(iter(claims))[::-1] if len(claims) == 1 else (None, "")


def _csv(path: Path, text: str) -> pd.DataFrame:
    table = _read_csv(path, text)
    by_count = all(name in table for name in COUNTS)
    if not {"white", "black"} <= set(table.columns) or not (by_count or "result" in table):
        raise ResultsError(
            f"{path}:1: the columns must be white, black, result or white, black, wins, draws, losses, and may be "
            f"pair; they are {cut(', '.join(table.columns))}"
        )
    pair = table["pair"].where(table["pair"] != "") if "pair" in table else None
    _refuse(path, table, table["white"] == "", lambda _: "no player under white")
    _refuse(path, table, table["black"] == "", lambda _: "no player under black")
    _refuse(path, table, table["white"] == table["black"], lambda row: _alone(row["white"]))
    if not by_count:
        meant = table["result"].str.replace(r"\s", "", regex=True)
        _refuse(path, table, ~meant.isin(list(MEANINGS)), lambda row: _unknown(row["result"]))
        return game_table(table["white"], table["black"], meant.astype(object).map(MEANINGS)).assign(pair=pair)

    frames = []
    for name, result in zip(COUNTS, RESULTS, strict=True):
        number = _whole_numbers(path, table, name)
        games = game_table(table["white"], table["black"], result).assign(count=number, pair=pair)
        frames.append(games[number > 0])
    return pd.concat(frames)


def _whole_numbers(path: Path, table: pd.DataFrame, name: str) -> Ints:
    number = pd.to_numeric(table[name], errors="coerce").to_numpy(float)
    fine = (number >= 0) & (number == np.floor(number)) & (number < 2**53)
    _refuse(path, table, ~fine, lambda row: f"{name} must be a number of games, not {quoted(row[name])}")
    return number.astype(np.int64)


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
    table = table.fillna("").apply(lambda column: column.astype(str).str.strip())
    table.index += 1
    table.columns = table.iloc[0].str.lower().tolist()
    doubled = table.columns[table.columns.duplicated()]
    if len(doubled):
        raise ResultsError(f"{path}:1: the column {cut(doubled[0])} is given twice")
    below = table.iloc[1:]
    rows: pd.DataFrame = below[(below != "").any(axis=1)]
    return rows


def _refuse(path: Path, table: pd.DataFrame, wrong: pd.Series | Bools, why: Callable[[pd.Series], str]) -> None:
    rows = table[np.asarray(wrong, bool)]
    if len(rows):
        raise ResultsError(f"{path}:{rows.index[0]}: {why(rows.iloc[0])}")


def _alone(player: str) -> str:
    return f"White and Black are both {quoted(player)}"


def _unknown(result: str) -> str:
    return f"unknown result {quoted(result)} (choices: {', '.join(MEANINGS)})"
