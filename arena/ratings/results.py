"""Results of games from PDN of any program and from CSV tables, as `arena.ratings.joint.rate` takes them.

A CSV has a row per game, `white,black,result`, or per encounter, `white,black,wins,draws,losses` counted from
White's side; columns `pair` and `id` are optional, other columns are ignored, and semicolons or tabs may stand in
place of commas. Of a PDN only the tags White, Black, GameType, Variant, FEN, GameId and Result and the text of the
moves count, so that games of unknown rules are read, too.

Sources together. A game that several sources have counts once: games of an arena's run are known by their id, with
the same moves where both sources have these, others of a PDN by their text, and those of a CSV without ids by
their file and line. A player that is not the same in two runs, by its settings and files, is two players.
"""

import csv
import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import StringIO
from itertools import zip_longest
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
import pandas as pd

from arena.base import ArenaError
from arena.base.files import cell_text, decoded, unreadable
from arena.base.wording import counted, cut, joined, quoted
from arena.ratings.clusters import pairs_by_opening
from arena.rules.pdn.rules import GameRules, guesses, result_of_tags, rules_of_tags
from arena.rules.pdn.tokens import split
from arena.rules.result import NO_RESULT, RESULTS, WHITE_POINTS, Colour, pentanomial

COLUMNS = ["white", "black", "result", "count", "pair", "line", "opening", "id", "plies", "kind"]
"""Of the games of a source; from pair to plies a value may be missing."""
RUN, PDN, CSV = range(3)
"""Kinds of sources: what knows more of a game comes first."""
_GAME = ["white", "black", "result", "id", "plies"]
"""What two records of one game have in common."""
_COUNTS = ("wins", "draws", "losses")
_LISTED = 20
"""Lines of a file that a note of games left out names."""
_MOST = 1_000_000
"""Games of a row of counts, which are games like others."""
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
    """COLUMNS: `result` is missing for a game without one, `line` is opening and moves as any value, and `id` is
    what the game is known by, beside its players, result and number of plies."""
    first: Colour | None = None
    """The colour that moves first, if the source says so."""
    first_by: str = ""
    """What says so, such as "GameType"."""
    faults: Sequence[_Fault] = ()
    """The games that are left out."""
    notes: Sequence[str] = ()
    """Sentences on how its results were read."""
    players: Mapping[str, str] = MappingProxyType({})
    """What each player is made of, as a hash, by its name; nothing of a file."""


class Results(NamedTuple):
    """The games of all sources together."""

    every: pd.DataFrame
    """All games: COLUMNS, `source`, its place from 0, and `is_copy`, of a game that an earlier source has, too."""
    first: Colour
    """The colour that moves first: as given, else as the sources say, else white."""
    first_by: str
    """What says so; empty if nothing does."""
    faults: Sequence[_Fault]
    """Games that are left out as they cannot be rated."""
    notes: Sequence[str]
    """Sentences on what was read as a guess, or not counted."""
    names: Mapping[Path, str]
    """By which people know the sources, in their order, by path."""
    versions: Mapping[str, Mapping[int, str]]
    """By the name of a player that is not the same in all sources: its name in `games`, by the source's place."""
    same: tuple[int, int]
    """Games that both of two sources have, by players, colours, opening and its how-many-th time; those of them
    with the same moves."""

    @property
    def games(self) -> pd.DataFrame:
        """Each game once, as `arena.ratings.joint.rate` takes them."""
        return self.every[~self.every["is_copy"]].reset_index(drop=True)

    def label(self, player: str, source: int) -> str:
        """The name in `games` of a player of a source."""
        return self.versions.get(player, {}).get(source, player)


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
    is_pdn = suffix == ".pdn" or (suffix != ".csv" and text.lstrip().startswith("["))
    source = _pdn(path, text, first) if is_pdn else _csv(path, text)
    return source._replace(notes=[f"{path}: {caution}.", *source.notes]) if caution else source


def combined(sources: Sequence[GameSource], first: Colour | None = None) -> Results:
    """All games together; *first* is the colour that moves first in all of them, if it is known.

    Raises ArenaError if no game has a result, and if sources differ in who moves first and *first* is not given.
    """
    faults = [fault for source in sources for fault in source.faults]
    placed = [source.games.assign(source=place) for place, source in enumerate(sources)]
    games = pd.concat(placed, ignore_index=True)
    missing = games["result"].isna()
    if missing.all():
        _refuse_without_results(sources, faults)
    claims = {source.first: source for source in reversed(sources) if source.first}
    if first is None and len(claims) > 1:
        raise ArenaError(
            f"White moves first in {claims['white'].path}, Black in {claims['black'].path}: give --first for all"
        )
    notes = [*(note for source in sources for note in source.notes), *_fault_notes(faults)]
    if skipped := int(games["count"][missing].sum()):
        notes.append(f"{counted(skipped, 'game')} without a result {'was' if skipped == 1 else 'were'} skipped.")
    games = games[~missing].reset_index(drop=True)
    games["is_copy"] = games.index.isin(_copies(games))
    if copies := int(games["count"][games["is_copy"]].sum()):
        more, are = counted(copies, "copy", "copies"), "is" if copies == 1 else "are"
        notes.append(f"{more} of games that stand elsewhere, too, {are} left out.")
    names = _names([source.path for source in sources])
    versions = _versions(sources, list(names.values()))
    apart = (joined(dict.fromkeys(label.values())) for label in versions.values())
    notes += [f"{each} are not the same player and are rated apart." for each in apart]
    same = _same(games) if len(sources) == 2 else (0, 0)
    games["pair"] = games.groupby(["source", "pair"], sort=False).ngroup()
    games["line"] = games.groupby("line", sort=False).ngroup()
    first_by = "--first" if first else next((source.first_by for source in claims.values()), "")
    mover = first or next(iter(claims), None) or "white"
    results = Results(games, mover, first_by, faults, notes, names, versions, same)
    for colour in ("white", "black"):
        games[colour] = list(map(results.label, games[colour], games["source"]))
    return results


def _refuse_without_results(sources: Sequence[GameSource], faults: Sequence[_Fault]) -> None:
    """Raise ArenaError, which says what is wrong with the first game, or that no file has a result."""
    if not faults:
        raise ArenaError(f"{', '.join(str(source.path) for source in sources)}: no game with a result")
    path, line, reason = faults[0]
    forms = f" (known: {_FORMS})" if reason.startswith("unknown result") else ""
    raise ArenaError(f"{path}:{line}: {reason}{forms}")


def _copies(games: pd.DataFrame) -> pd.Index:
    """The games that stand elsewhere, too; of a run, a PDN and a CSV the run's game stays, else the PDN's."""
    known = games[games["id"].notna()].sort_values("kind", kind="stable")
    is_better = known["kind"] == known.groupby(_GAME, dropna=False, sort=False)["kind"].transform("min")
    return known.index[known.duplicated([*_GAME, "kind", "line"]) | ~is_better]


def _same(games: pd.DataFrame) -> tuple[int, int]:
    """How many games two sources have both, by players, colours, opening and time; how many of them are alike."""
    one, other = (games[(games["source"] == number) & games["plies"].notna()] for number in (0, 1))
    both = one.merge(other, on=["white", "black", "id"])
    alike = (both["result_x"] == both["result_y"]) & (both["plies_x"] == both["plies_y"])
    alike &= (both["line_x"] == both["line_y"]) | (both["kind_x"] != both["kind_y"])
    return len(both), int(alike.sum())


def _names(paths: Sequence[Path]) -> dict[Path, str]:
    """The last parts of paths where they differ, else the paths."""
    short = [path.name for path in paths]
    return {path: path.name if path.name and short.count(path.name) == 1 else str(path) for path in paths}


def _versions(sources: Sequence[GameSource], names: Sequence[str]) -> dict[str, dict[int, str]]:
    """By player that is not the same in all runs, and the source's place, the name of what it is there."""
    found = defaultdict[str, dict[int, str]](dict)
    for place, source in enumerate(sources):
        of_file = dict.fromkeys([*source.games["white"], *source.games["black"]], "")
        for name, version in (source.players or of_file).items():
            found[name][place] = version
    labels: dict[str, dict[int, str]] = {}
    for name, of_name in found.items():
        if len({*of_name.values()} - {""}) > 1:
            firsts: dict[str, int] = {}
            labels[name] = {
                place: f"{name} ({names[firsts.setdefault(version, place)]})" for place, version in of_name.items()
            }
    return labels


def match_counts(games: pd.DataFrame, player: str) -> tuple[list[int], int]:
    """The counts of a match from a player's view, as `arena.ratings.match` takes them, and games left out of them.

    They are of pairs with colours swapped, if half of the games or more are in such pairs; others are left out.
    """
    white, is_white = games["result"].map(WHITE_POINTS), games["white"] == player
    points = white.where(is_white, 1 - white)
    each = games.assign(points=points, is_white=is_white)
    pairs = each[each["pair"] >= 0].groupby(["source", "pair"])
    whole = pairs.agg(points=("points", "sum"), games=("count", "sum"), whites=("is_white", "sum"))
    whole = whole[(whole["games"] == 2) & (whole["whites"] == 1)]
    total = int(games["count"].sum())
    if 4 * len(whole) >= total:
        return pentanomial(whole["points"]), total - 2 * len(whole)
    return [int(games["count"][points == each].sum()) for each in (0.0, 0.5, 1.0)], 0


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
    texts = Counter[str]()
    for game in split(text):
        if not game.tags:
            continue
        white, black = (" ".join(game.tags.get(colour, "").split()) for colour in ("White", "Black"))
        rules = rules_of_tags(game.tags)
        if rules is None and first:
            rules = GameRules(None, first, "--first")
        if rules is None:
            guessed = guess(game)
            rules = guessed.rules
            notes[f"{path}:{game.line}: {guessed}."] = None
        result, fault = result_of_tags(game.tags.get("Result", ""), game.end, rules.first)
        if reason := _wrong_names(white, black) or fault:
            faults.append(_Fault(path, game.line, reason))
            continue
        fen, moves, words = game.tags.get("FEN", "").strip(), game.moves, " ".join(game.text.split())
        texts[words] += 1
        id = game.tags.get("GameId", f"{texts[words]} {words}")
        played = (f"{fen} {moves}", fen, id, str(len(moves.split()))) if moves else (None, fen, None, None)
        rows.append((white, black, result if result in RESULTS else None, *played))
        claims.setdefault(rules, game.line)
    if not rows and not faults:
        raise ArenaError(f'{path}: no games: a PDN has tags such as [White "name"]')
    names = ["white", "black", "result", "line", "opening", "id", "plies"]
    games = pd.DataFrame(rows, columns=names, dtype=object).assign(count=1, pair=None, kind=PDN)
    if games["opening"].any():
        games["pair"] = pairs_by_opening(games)
    if any(rules.first == "black" for rules in claims):
        notes[f"{path}: 1-0 is Black's win where Black moves first."] = None
    colour, source = (None, "") if first else _first_of(path, claims)
    return GameSource(path, games[COLUMNS], colour, source, faults, [*notes])


def _first_of(path: Path, claims: Mapping[GameRules, int]) -> tuple[Colour | None, str]:
    """The colour that moves first, and what says so."""
    movers = {rules.first: (rules.source, line) for rules, line in claims.items() if rules.source}
    if len(movers) > 1:
        source, line = movers["black"]
        raise ArenaError(
            f"{path}:{line}: by {source} Black moves first in this game, but White in that of line "
            f"{movers['white'][1]}: give --first for all"
        )
    return next(((colour, source) for colour, (source, _) in movers.items()), (None, ""))


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
    is_of_a_run = {"id", "plies", "opening_fen"} <= columns.keys()
    file = hashlib.sha256(text.encode()).hexdigest()[:16]
    for line, row in rows:
        players, pair = (row["white"], row["black"]), row.get("pair") or None
        known = (row["opening_fen"], row["id"], row["plies"]) if is_of_a_run else (None, f"{file}:{line}", None)
        try:
            if reason := _wrong_names(*players):
                raise ValueError(reason)
            results = _counts(row) if is_counted else {_result(row["result"]): 1}
            games += [(*players, result, count, pair, *known) for result, count in results.items() if count]
        except ValueError as error:
            faults.append(_Fault(path, line, str(error)))
    names = ["white", "black", "result", "count", "pair", "opening", "id", "plies"]
    table = pd.DataFrame(games, columns=names, dtype=object)
    table = table.assign(count=table["count"].astype(np.int64), line=None, kind=CSV)
    return GameSource(path, table[COLUMNS], faults=faults)


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
        if not (0 <= number <= _MOST and number.is_integer()):
            raise ValueError(f"{name} must be a number of games, {_MOST:,} at most, not {quoted(row[name])}")
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
