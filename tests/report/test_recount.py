"""Three small runs counted again: every count and mean of their pages, from games.csv and moves.csv alone.

Nothing of `arena.report` computes what is checked here. A page is read as a reader has it: its text, its tables,
what charts say under the pointer, and the list and the moves of the games inside it. Not counted again are what a
fit or a test gives: Elo, intervals, LOS, the log-likelihood ratio.
"""

import html
import json
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import arena
from arena.report.run import Run
from tests.helpers.command_line import invoke
from tests.helpers.report_data import unpacked

pytestmark = pytest.mark.full

BROKEN = """
import time

from arena import Choice


class Raises:
    def __init__(self, variant):
        pass

    def choose(self, game, limit, rng):
        if len(game.moves) > 5:
            raise ValueError("no idea")
        return Choice(rng.choice(game.legal_moves))


class Cheats(Raises):
    def choose(self, game, limit, rng):
        if rng.random() < 0.1:
            return Choice(12345)
        if len(game.moves) % 4 > 1:
            return Choice(rng.choice(game.legal_moves))
        until = time.process_time() + 0.0005
        while time.process_time() < until:
            pass
        time.sleep(0.001)
        return Choice(rng.choice(game.legal_moves), depth=3, nodes=500, leaves=300)
"""
"""Players that fail. One counts nodes in every second move, and waits in those."""
RANDOM, GREEDY = {"name": "random", "type": "random"}, {"name": "greedy", "type": "greedy"}


def searcher(name: str, **settings: Any) -> dict[str, Any]:
    """An entry of the search."""
    return {"name": name, "type": "negamax", **settings}


ONE, TWO = searcher("one", depth=1), searcher("two", depth=2)
SWEEP = {"evaluation": ["material", "simple"], "depth": [1, 2, 3]}
RUNS: dict[str, dict[str, Any]] = {
    "sweep": {
        "openings": {"random_plies": 4, "count": 3},
        "players": [RANDOM, searcher("{evaluation}-{depth}", preset="alphabeta", sweep=SWEEP)],
        "anchor": "random",
    },
    "swiss": {
        "openings": {"count": 5},
        "format": {"type": "swiss", "rounds": 4},
        "failures": {"withdraw_after": 0},
        "players": [
            {"name": "raises", "type": "broken.py:Raises"},
            {"name": "cheats", "type": "broken.py:Cheats"},
            *(RANDOM, GREEDY, ONE, TWO, searcher("nodes", nodes=300)),
        ],
    },
}
RUNS["withdrawn"] = {key: value for key, value in RUNS["swiss"].items() if key != "failures"} | {"seed": 2}
"""By whose seed one of the two players that fail is withdrawn, and the other has games that count."""
ENDS = {
    "no_pieces": "all pieces captured",
    "no_moves": "no legal moves",
    "repetition": "position repeated",
    "no_progress": "no progress",
    "max_plies": "ply limit reached",
    "error": "error of a player",
    "illegal_move": "illegal move",
}
PREFIXES = {"p": 1e-12, "n": 1e-9, "µ": 1e-6, "m": 1e-3, "": 1.0, "k": 1e3, "M": 1e6, "G": 1e9}


class Counted(NamedTuple):
    """A run: its page, and its games and moves as the CSV files have them."""

    name: str
    page: str
    games: pd.DataFrame
    moves: pd.DataFrame
    players: dict[str, dict[str, Any]]
    """Entries by name, sweeps written out."""
    run: Run
    """Its tables."""
    void_games: int
    """Games that do not count, which `games` and `moves` are without."""

    def table(self, title: str, number: int = 0) -> list[dict[str, str]]:
        """The rows of a table below a heading."""
        part = next(it for it in re.split(r"<h2", self.page) if text_of(it.partition("</h2>")[0]).endswith(title))
        found = re.findall(r"<table.*?</table>", part, flags=re.S)[number]
        head, *rows = re.findall(r"<tr.*?</tr>", found, flags=re.S)
        names = [text_of(cell) for cell in re.findall(r"<th.*?</th>", head, flags=re.S)]
        cells = [re.findall(r"<td.*?</td>", row, flags=re.S) for row in rows]
        return [dict(zip(names, map(cell_text, names, row), strict=True)) for row in cells]

    @property
    def text(self) -> str:
        """The text before the first table."""
        return text_of(re.sub(r"<(script|style|svg|nav).*?</\1>", "", self.page, flags=re.S).partition("<h2")[0])

    @property
    def sides(self) -> pd.DataFrame:
        """Each game from the view of both its players."""
        points = self.games["result"].map({"white": 1.0, "black": 0.0, "draw": 0.5})
        games = self.games[["white", "black", "round"]]
        of_white = games.set_axis(["player", "opponent", "round"], axis=1).assign(points=points)
        of_black = games.set_axis(["opponent", "player", "round"], axis=1).assign(points=1 - points)
        return pd.concat([of_white, of_black])


def text_of(markup: str) -> str:
    """The text of a piece of a page, in single spaces."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", f"<{markup}")).replace("\u200b", "").split()).strip("<")


def cell_text(column: str, cell: str) -> str:
    """The text of a cell: a player without what it is, results as they are said where they are drawn."""
    if column == "Player":
        return text_of(cell.partition("<small")[0])
    drawn = re.search(r'title="([^"]*)"', cell)
    return drawn[1] if drawn else text_of(cell)


def agrees(shown: str, value: float, digits: int = 3) -> None:
    """Fail unless a quantity of so many digits, with a prefix or per cent, is the value."""
    found = re.fullmatch(r"([−-]?[0-9.,]+(?:e[+-]?[0-9]+)?) ?([pnµmkMG]?)s?( ?%)?", shown)
    assert found, f"{shown!r} is no number; counted {value:.6g}"
    number, prefix, per_cent = found.groups()
    size = 0.01 if per_cent else PREFIXES[prefix]
    scaled = value / size
    half = 0.05 if per_cent else 0.5 * 10.0 ** (np.floor(np.log10(abs(scaled))) - digits + 1) if scaled else 0.0
    difference = abs(float(number.replace("−", "-").replace(",", "")) - scaled)
    assert difference <= half * 1.001 + 2e-5 * abs(scaled), f"shown {shown!r}, counted {value:.6g}"


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Counted]:
    """The runs, their charts drawn but not painted."""
    folder = tmp_path_factory.mktemp("recount")
    (folder / "broken.py").write_text(BROKEN)
    found = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr("arena.report.charts.style.svg", lambda axes: '<svg width="9pt"></svg>')
        for name, settings in RUNS.items():
            config = {"name": name, "variant": "english", "seed": 1, "max_plies": 80, **settings}
            arena.run(config, name, workers=1, quiet=True)
            assert invoke("report", name).exit_code == 0
            found[name] = read(folder / name)
    return found


def read(folder: Path) -> Counted:
    """A run's page and CSV files."""
    games, moves = (pd.read_csv(folder / f"{name}.csv", keep_default_na=True) for name in ("games", "moves"))
    void = games[games["result"] == "*"]
    games, moves = (it[~it["game"].isin(void["game"])].reset_index(drop=True) for it in (games, moves))
    timed = moves.groupby("player")["cpu_seconds"].transform(lambda cpu: cpu.notna().all() and cpu.sum() > 0)
    moves["time"] = moves["cpu_seconds"].where(timed.astype(bool), moves["seconds"])
    page = (folder / "report.html").read_text(encoding="utf-8")
    run = arena.load(folder)
    players = {entry["name"]: entry for entry in run.data.experiment.as_dict()["players"]}
    return Counted(folder.name, page, games, moves, players, run, len(void))


@pytest.fixture(params=RUNS)
def run(request: pytest.FixtureRequest, pages: dict[str, Counted]) -> Counted:
    """Each run in turn."""
    return pages[request.param]


def test_the_lead_counts_players_games_and_draws(run):
    drawn = (run.games["result"] == "draw").mean()
    found = re.search(r"([0-9]+) players, ([0-9]+) games(?: and ([0-9]+) that do not count)?", run.text)
    assert found, run.text
    assert (int(found[1]), int(found[2])) == (len(run.players), len(run.games))
    assert int(found[3] or 0) == run.void_games and (run.void_games > 0) == (run.name == "withdrawn")
    (share,) = re.findall(r"([0-9.]+ %) of the games were drawn", text_of(run.page))
    agrees(share, drawn)


def test_the_standings_count_games_points_and_means(run):
    rows, games = run.table("Standings"), dict(list(run.sides.groupby("player")))
    if run.name == "withdrawn":
        assert {text for name, text in rows.pop().items() if name != "Player"} == {""}
    assert [row["#"] for row in rows] == [str(place) for place in range(1, len(rows) + 1)]
    assert {row["Player"] for row in rows} == set(games)
    for row in rows:
        points = games[row["Player"]]["points"]
        won, drawn, lost = ((points == value).sum() for value in (1, 0.5, 0))
        assert row["Won, drawn, lost"] == f"{won} won, {drawn} drawn, {lost} lost"
        agrees(row["Score"], points.mean())


def test_the_crosstable_has_the_points_of_each_pairing(run):
    rows, sides = run.table("Against each other"), run.sides
    names = [row["Player"] for row in rows]
    assert names == [row["Player"] for row in run.table("Standings") if row["Score"]]
    for row in rows:
        for number, other in enumerate(names, start=1):
            points = sides[(sides["player"] == row["Player"]) & (sides["opponent"] == other)]["points"]
            expected = f"{row['Player']} {points.sum():g}/{len(points)} against {other}" if len(points) else ""
            assert row[str(number)] == expected


def test_the_final_order_has_the_points_of_its_format(pages):
    run = pages["swiss"]
    rows, sides = run.table("Standings"), run.sides
    first, second, third = (row["Player"] for row in rows[:3])
    assert f"{first} is first, {second} is second, {third} is third" in run.text
    rounds = int(sides["round"].max())
    points, buchholz, berger = (defaultdict[Any, float](float) for _ in range(3))
    for player in run.players:
        own = sides[sides["player"] == player]
        points[player] = own["points"].sum() + 2 * (rounds - own["round"].nunique())  # a bye is two games won
    name: Any
    for (name, other, _), games in sides.groupby(["player", "opponent", "round"]):
        buchholz[name] += points[other]
        berger[name] += points[other] * games["points"].sum() / len(games)
    assert {row["Player"] for row in rows} == set(run.players)
    headings = ("Points", "Buchholz", "Sonneborn-Berger")
    for row in rows:
        counted = [each[row["Player"]] for each in (points, buchholz, berger)]
        assert [float(row[heading]) for heading in headings] == pytest.approx(counted), row["Player"]
    shown = [[-float(row[heading]) for heading in headings] for row in rows]
    assert shown == sorted(shown)


def searched(run: Counted) -> dict[str, pd.DataFrame]:
    """The moves of each player that entered positions."""
    moves = run.moves[run.moves["nodes"] > 0]
    return {str(name): part for name, part in moves.groupby("player")}


def at_depth(run: Counted, player: str, moves: pd.DataFrame) -> pd.DataFrame:
    """The moves that a player searched to its depth limit; none of one without."""
    return moves[moves["depth"] == run.players[player].get("depth", -1)]


def test_the_branching_factor_is_that_of_the_players_that_differ_in_depth_only(run):
    families: dict[Any, dict[int, float]] = defaultdict(dict)
    for name, entry in run.players.items():
        if entry.get("depth") and name in searched(run):
            rest = tuple(sorted((key, str(value)) for key, value in entry.items() if key not in ("name", "depth")))
            families[rest][entry["depth"]] = at_depth(run, name, searched(run)[name])["nodes"].mean()
    factors = {}
    for rest, nodes in families.items():
        low, high = min(nodes), max(nodes)
        for depth in nodes if low < high else ():
            factors[str(rest), depth] = (nodes[high] / nodes[low]) ** (1 / (high - low))
    shown = sorted(row["Branching factor"] for row in run.table("Search effort") if row["Branching factor"])
    assert shown == sorted(f"{factor:.2f}" for factor in factors.values())


def test_effort_has_the_means_and_shares_of_all_moves_and_of_those_at_the_depth_limit(run):
    def share(part: float, whole: float) -> float | None:
        return part / whole if whole else None

    moves, seen = searched(run), set[str]()
    for row in run.table("Search effort"):
        every = run.moves[run.moves["player"] == row["Player"]]
        part = moves.get(row["Player"], every[:0])
        whole = at_depth(run, row["Player"], part)
        sums = every[["cutoffs_max", "cutoffs_min", "cutoffs_first", "tt_probes", "tt_hits"]].sum()
        nodes = part["nodes"].sum()
        expected = {
            "Nodes/s": share(nodes, part["time"].sum()),
            "Nodes/move": every["nodes"].mean() or None,
            "Time/move": every["time"].mean(),
            "Mean depth": part["depth"].mean() if len(part) else None,
            "Depth limit": run.players[row["Player"]].get("depth"),
            "Nodes at depth": whole["nodes"].mean() if len(whole) else None,
            "Deepest": float(every["deepest"].max()) or None,
            "First-move cutoffs": share(sums["cutoffs_first"], sums["cutoffs_max"] + sums["cutoffs_min"]),
            "Table hits": share(sums["tt_hits"], sums["tt_probes"]),
        }
        for name, cell in list(row.items())[1:]:
            if name == "Branching factor":
                continue
            assert (cell == "") == (expected[name] is None), (row["Player"], name)
            if cell and name == "Mean depth":
                assert cell == f"{expected[name]:.1f}"
            elif cell:
                agrees(cell, expected[name] or 0.0)
            seen.add(name)
    assert {"Time/move", "Mean depth", "Deepest", "First-move cutoffs"} <= seen


def test_failures_are_counted_by_player_and_kind(run):
    lost = run.games[run.games["termination"].isin(["error", "illegal_move", "time"])]
    assert len(lost) == 0 or f"{len(lost)} of {len(run.games)} game" in run.text
    assert ("failed: " in run.text) == bool(len(lost)) == (run.name in ("swiss", "withdrawn"))
    loser = lost["white"].where(lost["result"] == "black", lost["black"])
    for player, kinds in lost["termination"].groupby(loser):
        games, counts = (run.sides["player"] == player).sum(), Counter(kinds)
        said = re.search(rf"{player} lost {len(kinds)} of its {games} games?([^;.]*)", run.text)
        assert said, player
        for words, kind in (("errors", "error"), ("illegal moves", "illegal_move")):
            assert (words in said[1]) == bool(counts[kind])
            assert len(counts) < 2 or f"{counts[kind]} by {words}" in said[1]


def swing_of(moves: pd.DataFrame) -> float | None:
    """The greatest change of a player's own score in a game, in men."""
    changes = []
    for _, own in moves.groupby("colour"):
        men = [
            float(np.clip(men, -4, 4)) if pd.isna(wins) else float(np.copysign(4, wins))
            for men, wins in zip(own["score_men"], own["plies_to_win"], strict=True)
            if not (pd.isna(men) and pd.isna(wins))
        ]
        changes += [abs(later - before) for before, later in pairwise(men)]
    return max(changes, default=None)


def test_the_games_of_the_page_are_those_of_the_tables(run):
    found = re.search(r"All ([0-9]+) games of the run", text_of(run.page))
    assert found and int(found[1]) == len(run.games)
    data = json.loads(re.search(r"<script[^>]*data-games[^>]*>(.*?)</script>", run.page, flags=re.S)[1])  # type: ignore[index]
    listed = unpacked(data["listed"])
    blocks = [game for block in data["blocks"] for game in unpacked(block)]
    games, moves = run.games.set_index("id"), dict(list(run.moves.groupby("game")))
    assert sorted(listed["id"]) == sorted(games.index)
    for place, id in enumerate(listed["id"]):
        game = games.loc[id]
        assert [listed[colour][place] for colour in ("white", "black")] == [game["white"], game["black"]]
        assert (listed["result"][place], listed["plies"][place]) == (game["result"], game["plies"])
        assert (listed["opening"][place], listed["end"][place]) == (game["opening"], ENDS[game["termination"]])
        own = moves.get(game["game"], run.moves[:0])
        swing = swing_of(own)
        assert (listed["swing"][place] is None) == (swing is None)
        assert swing is None or listed["swing"][place] == pytest.approx(swing, abs=0.0051)
        assert blocks[place]["nodes"] == own["nodes"].tolist() and blocks[place]["depth"] == own["depth"].tolist()
        for shown, seconds in zip(blocks[place]["time"], own["seconds"], strict=True):
            assert shown == pytest.approx(seconds, rel=0.0051)
        white = own["score_men"].where(own["colour"] == "white", -own["score_men"])
        for shown, men in zip(blocks[place]["score"], white, strict=True):
            assert (shown is None) == pd.isna(men) and (shown is None or shown == pytest.approx(men, abs=0.0051))
        wins = own["plies_to_win"].where(own["colour"] == "white", -own["plies_to_win"])
        assert blocks[place]["wins"] == [None if pd.isna(plies) else plies for plies in wins]
    swings = [-1 if swing is None else swing for swing in listed["swing"]]
    assert swings == sorted(swings, reverse=True)
