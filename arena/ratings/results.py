"""Results of games from PDN of any program and from CSV tables, as `arena.ratings.joint.rate` takes them.

A CSV has a row per game, `white,black,result`, or per encounter, `white,black,wins,draws,losses` counted from
White's side; a column `pair` is optional, other columns are ignored, and semicolons or tabs may stand in place of
commas. Of a PDN only the tags White, Black, GameType, Variant, FEN and Result and the text of the moves count, so
that games of unknown rules are read, too.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base.errors import ArenaError
from arena.base.files import decoded, unreadable
from arena.base.wording import counted, cut, first_few, listed, quoted
from arena.base.writing import cell_text
from arena.ratings.clusters import pairs_by_opening
from arena.rules.notation import NotationError
from arena.rules.pdn.moves import read_moves
from arena.rules.pdn.rules import GameRules, guesses, result_of_tags, rules_of_tags
from arena.rules.pdn.tokens import RawGame, split
from arena.rules.result import NO_RESULT, RESULTS, Colour
from arena.rules.variants import Variant

_COUNTS = ("wins", "draws", "losses")
_CHECKED = 500
"""Games of a PDN, at most, whose moves are played."""
_LISTED = 20
"""Lines of a file that a note of games left out names."""
_DELIMITERS = ",;\t"
_FORMS = "1-0, 2-0, 1/2-1/2, 1-1, 0-2, 0-1, 0-0, *"


class _Fault(NamedTuple):
    """A game that cannot be rated."""

    path: Path
    line: int
    """Counted from 1."""
    reason: str


class GameSource(NamedTuple):
    """The games of one file or run."""

    path: Path
    games: pd.DataFrame
    """Columns white, black, result (missing for a game without one), count, pair, line."""
    first: Colour | None = None
    """The colour that moves first, if the source says so."""
    first_by: str = ""
    """What says so."""
    faults: Sequence[_Fault] = ()
    """The games that are left out."""
    notes: Sequence[str] = ()
    """Sentences on how its results were read."""
    versions: Mapping[str, object] = MappingProxyType({})
    """Players and their files by name, to be compared with those of other sources; empty if nothing is known."""


class Results(NamedTuple):
    """The games of all sources together."""

    games: pd.DataFrame
    """Columns white, black, result, count, and by source pair, line: see `arena.ratings.joint.rate`."""
    first: Colour
    """The colour that moves first: as given, else as the sources say, else white."""
    first_by: str
    """What says so, such as "GameType"; empty if nothing does."""
    faults: Sequence[_Fault]
    """Games that are left out as they cannot be rated."""
    notes: Sequence[str]
    """Sentences on what was read as a guess, or not counted."""


def read_file(path: Path, first: Colour | None = None) -> GameSource:
    """Read a file, CSV or PDN by the end of its name; under another name it is PDN if it begins with a tag.

    Games without players or with an unknown result are left out. Raises ArenaError for a file that cannot be
    read, and for a PDN whose games differ in who moves first, unless *first* is given. `1-0` is in a PDN a win of
    the side that moves first, in a CSV White's.
    """
    if path.is_char_device():
        raise ArenaError(f"{path} cannot be read: it is a device")
    try:
        text, caution = decoded(path.read_bytes())
    except OSError as error:
        raise ArenaError(unreadable(path, error)) from None
    suffix = path.suffix.lower()
    if suffix == ".pdn" or (suffix != ".csv" and text.lstrip().startswith("[")):
        source = _pdn(path, text, first)
    else:
        source = _csv(path, text)
    return source._replace(notes=[f"{path}: {caution}.", *source.notes]) if caution else source


def combined(sources: Sequence[GameSource], first: Colour | None = None, strict: bool = False) -> Results:
    """All games together; *first* is the colour that moves first in all of them, if it is known.

    Raises ArenaError if no game has a result, if sources differ in who moves first and *first* is not given,
    and if *strict*, for the first game that is left out.
    """
    faults = [fault for source in sources for fault in source.faults]
    games = pd.concat([source.games.assign(source=number) for number, source in enumerate(sources)])
    for name in ("pair", "line"):
        games[name] = games.groupby(["source", name], sort=False).ngroup()
    missing = games["result"].isna()
    if faults and (strict or missing.all()):
        path, line, reason = faults[0]
        forms = f" (known: {_FORMS})" if reason.startswith("unknown result") else ""
        raise ArenaError(f"{path}:{line}: {reason}{forms}")
    if missing.all():
        raise ArenaError(f"{', '.join(str(source.path) for source in sources)}: no game with a result")
    claims = {source.first: source for source in reversed(sources) if source.first}
    if first is None and len(claims) > 1:
        raise ArenaError(
            f"White moves first in {claims['white'].path}, Black in {claims['black'].path}: give --first for all"
        )
    first_by = "--first" if first else next((source.first_by for source in claims.values()), "")
    notes = [note for source in sources for note in source.notes] + [*_fault_notes(faults), *_versions(sources)]
    if skipped := int(games["count"][missing].sum()):
        notes.append(f"{counted(skipped, 'game')} without a result {'was' if skipped == 1 else 'were'} skipped.")
    games = games[~missing].reset_index(drop=True)
    return Results(games, first or next(iter(claims), None) or "white", first_by, faults, notes)


def alike(names: Iterable[str]) -> list[list[str]]:
    """The names that differ by case, commas or spaces alone, each group as its names come first."""
    groups = defaultdict[str, list[str]](list)
    for name in dict.fromkeys(names):
        groups[re.sub(r"[\s,]+", "", name).casefold()].append(name)
    return [group for group in groups.values() if len(group) > 1]


def with_alike_as_one(results: Results) -> Results:
    """The games with one name, the one that comes first, for players whose names are alike."""
    games = results.games
    one = {name: group[0] for group in alike(games[["white", "black"]].to_numpy().ravel()) for name in group}
    games = games.replace({"white": one, "black": one})
    notes = [f"{listed(map(quoted, group))} count as {quoted(group[0])}." for group in _groups(one)]
    return results._replace(games=games[games["white"] != games["black"]], notes=[*results.notes, *notes])


def alike_note(results: Results) -> str:
    """A sentence on names that may be one player's; "" if there are none."""
    groups = alike(results.games[["white", "black"]].to_numpy().ravel())
    if not groups:
        return ""
    words = first_few([listed(map(quoted, group)) for group in groups], 3, "; ")
    return f"Names that differ by case, commas or spaces alone: {words}. --alike counts each as one player."


def _groups(one: Mapping[str, str]) -> list[list[str]]:
    groups = defaultdict[str, list[str]](list)
    for name, first in one.items():
        groups[first].append(name)
    return list(groups.values())


def game_table(white: object, black: object, result: object) -> pd.DataFrame:
    """The games of a source, one a row, of no known pair or line."""
    games = pd.DataFrame({"white": white, "black": black, "result": result}, dtype=object)
    return games.assign(count=1, pair=None, line=None)


def _versions(sources: Sequence[GameSource]) -> Iterator[str]:
    """A sentence for each player, and each file of players, that differs between two sources."""
    seen: dict[str, tuple[Path, object]] = {}
    told: set[str] = set()
    for source in sources:
        for name, version in source.versions.items():
            path, before = seen.setdefault(name, (source.path, version))
            if version != before and name not in told:
                told.add(name)
                yield f"{name} is not the same in {path} and {source.path}: games of both count for one player."


def _fault_notes(faults: Iterable[_Fault]) -> list[str]:
    """A sentence for each file and reason, with the lines of its games."""
    lines = defaultdict(list)
    for path, line, reason in faults:
        lines[path, reason].append(line)
    return [
        f"{path}: {counted(len(places), 'game')} not counted, {reason}: line{'s' * (len(places) > 1)} "
        f"{', '.join(map(str, places[:_LISTED]))}{', ...' if len(places) > _LISTED else ''}."
        for (path, reason), places in lines.items()
    ]


def _wrong_names(white: str, black: str) -> str:
    """Why a game of these players cannot be rated; empty if it can."""
    for player, colour in ((white, "White"), (black, "Black")):
        if not player.strip("?"):
            return f"no name of {colour}"
    return f"White and Black are both {quoted(white)}" if white == black else ""


# --- PDN


def _pdn(path: Path, text: str, first: Colour | None) -> GameSource:
    """The games; where any has a FEN, games from one with colours swapped are a pair."""
    rows, faults = [], []
    claims: dict[GameRules, int] = {}  # whose win 1-0 is, and the first line that says so
    guess, notes = guesses(text), dict[str, None]()
    known: list[tuple[RawGame, Variant]] = []
    for game in split(text):
        if not game.tags:
            continue
        white, black = (" ".join(game.tags.get(colour, "").split()) for colour in ("White", "Black"))
        rules = rules_of_tags(game.tags)
        if rules is None and first:
            rules = GameRules(None, first, "--first")
        if rules is None:
            rules = guess(game).rules
            notes[f"{path}:{game.line}: {guess(game)}."] = None
        result, fault = result_of_tags(game.tags.get("Result", ""), game.end, rules.first)
        if reason := _wrong_names(white, black) or fault:
            faults.append(_Fault(path, game.line, reason))
            continue
        fen = game.tags.get("FEN", "").strip()
        line = f"{fen} {game.moves}" if game.moves else None
        if rules.variant and rules.source:
            known.append((game, rules.variant))
        rows.append((white, black, result if result in RESULTS else None, line, fen))
        claims.setdefault(rules, game.line)
    if not rows and not faults:
        raise ArenaError(f'{path}: no games: a PDN has tags such as [White "name"]')
    table = pd.DataFrame(rows, columns=["white", "black", "result", "line", "fen"], dtype=object)
    games = game_table(table["white"], table["black"], table["result"]).assign(line=table["line"])
    if table["fen"].any():
        games = games.assign(pair=pairs_by_opening(table.rename(columns={"fen": "opening"})))
    if any(rules.first == "black" for rules in claims):
        notes[f"{path}: 1-0 is Black's win where Black moves first."] = None
    colour, source = (None, "") if first else _first_of(path, claims)
    return GameSource(path, games, colour, source, faults, [*notes, *_unplayable(path, known)])


def _unplayable(path: Path, games: Sequence[tuple[RawGame, Variant]]) -> Iterator[str]:
    """A sentence on games of known rules that count although a move of theirs cannot be played."""
    looked_at = games[:: -(-len(games) // _CHECKED) or 1]
    first: list[tuple[int, str]] = []
    for game, variant in looked_at:
        with suppress(NotationError):
            problems = read_moves(game, variant).problems
            first += [(game.line, problem.message) for problem in problems if problem.ply][:1]
    if first:
        games_with = f"{counted(len(first), 'game')}{f' of {len(looked_at)} looked at' * (looked_at != games)}"
        first_one = f"the first (line {first[0][0]}): {first[0][1]}"
        yield f"{path}: {games_with} counted although not all moves can be played, {first_one}."


def _first_of(path: Path, claims: Mapping[GameRules, int]) -> tuple[Colour | None, str]:
    """The colour that moves first, and what says so."""
    said = {rules.first: (rules.source, line) for rules, line in claims.items() if rules.source}
    if len(said) > 1:
        source, line = said["black"]
        raise ArenaError(
            f"{path}:{line}: by {source} Black moves first in this game, but White in that of line "
            f"{said['white'][1]}: give --first for all"
        )
    return next(((colour, source) for colour, (source, _) in said.items()), (None, ""))


# --- CSV


def _csv(path: Path, text: str) -> GameSource:
    rows = _rows(path, text)
    line, columns = next(rows)
    is_counted = all(name in columns for name in _COUNTS)
    if not {"white", "black"} <= columns.keys() or not (is_counted or "result" in columns):
        raise ArenaError(
            f"{path}:{line}: the columns must be white, black, result or white, black, wins, draws, losses, and "
            f"may be pair; they are {cut(', '.join(columns))}"
        )
    games, faults = [], []
    for line, row in rows:
        players, pair = (row["white"], row["black"]), row.get("pair") or None
        try:
            if reason := _wrong_names(*players):
                raise ValueError(reason)
            results = _counts(row) if is_counted else {_result(row["result"]): 1}
            games += [(*players, result, count, pair) for result, count in results.items() if count]
        except ValueError as error:
            faults.append(_Fault(path, line, str(error)))
    table = pd.DataFrame(games, columns=["white", "black", "result", "count", "pair"], dtype=object)
    return GameSource(path, table.assign(count=table["count"].astype(np.int64), line=None), faults=faults)


def _result(text: str) -> str | None:
    """A cell's result, a winner's colour or `draw` or as PDN has it; None for none. Raises ValueError."""
    if text in RESULTS:
        return text
    result, fault = result_of_tags(text, "", "white") if text else (NO_RESULT, "unknown result ''")
    if fault:
        raise ValueError(fault)
    return result if result in RESULTS else None


def _counts(row: dict[str, str]) -> dict[str | None, int]:
    """The numbers of games in a row by result. Raises ValueError for anything else."""
    counts: dict[str | None, int] = {}
    for result, name in zip(RESULTS, _COUNTS, strict=True):
        try:
            number = float(row[name])
        except ValueError:
            number = -1
        if not (0 <= number < 2**53 and number.is_integer()):
            raise ValueError(f"{name} must be a number of games, not {quoted(row[name])}")
        counts[result] = int(number)
    return counts


def _rows(path: Path, text: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The line and the cells by column of each row that has any, without outer spaces; the header is the first.

    Cells are separated by what the first line has most of: commas, semicolons or tabs.
    """
    delimiter = max(_DELIMITERS, key=text.lstrip().partition("\n")[0].count)
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    try:
        for row in reader:
            cells = [cell_text(" ".join(cell.split())) for cell in row]
            if not header:
                header = [cell.lower() for cell in cells]
                if doubled := [name for number, name in enumerate(header) if name in header[:number]]:
                    raise ArenaError(f"{path}:{reader.line_num}: the column {cut(doubled[0])} is given twice")
            if len(cells) > len(header):
                raise ArenaError(f"{path}:{reader.line_num}: {len(cells)} cells in place of {len(header)}")
            if any(cells):
                yield reader.line_num, dict(zip_longest(header, cells, fillvalue=""))
    except csv.Error as error:
        raise ArenaError(f"{path}:{reader.line_num}: this is no CSV: {error}") from None
    if not header:
        raise ArenaError(f"{path}:1: the file is empty")
