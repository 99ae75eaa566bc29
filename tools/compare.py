"""What the arena does, recorded before a change and compared after it.

python -m tools.compare {record,check} FILE [--only PART ...]
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from io import StringIO
from itertools import cycle
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

import pandas as pd
import yaml

import arena
from tests.helpers.failing import MALICE, OWN
from tests.helpers.signature import signature_lines

CONFIGS = Path(__file__).parents[1] / "configs"
NODES_PER_SECOND = 20_000
MAX_PLIES, MAX_DEPTH, MAX_NODES = 60, 5, 2000
"""Of the games of a small copy of a configuration, whose limits are counted."""
SKIPPED = ("starters",)
"""Configurations of programs in other languages, which are built by hand."""
Facts: TypeAlias = Iterator[tuple[str, Any]]
"""Names, and what the arena gives under each, as JSON."""
TABLES = ["standings", "pairings", "comparisons", "sweep", "effort", "terminations", "suites", "sprt"]
TABLES += ["endgame_errors"]
OPENINGS = {"quickstart": 4, "depth_sweep": 2, "equal_terms": 2, "endgame_errors": 1, "sprt": 20, "swiss": 20}
"""The configurations whose tables are compared, and how many openings each has."""
GRADED = {"grade": {"pieces": 4}, "suite": {"name": "english-endings", "count": 20}}
UNSTABLE = re.compile("second|time|best$|place|file|reasons|^game$|^index$")
"""Columns that a clock or a simulation makes, of places of equals, paths, sentences and numbers of rows."""
BAD = """{name: bad, variant: english, openings: {random_plies: 4, count: 1}, max_plies: 12,
    process: {memory: 160, processes: 8}, format: {type: gauntlet, seeds: [greedy]}}"""
FILES = ("own.py", "second.py", "third.py")
"""Files of the same players: so many make a class, whose table is `submissions`."""
KINDS = [*re.findall(r'^(?:does|answers)\("(\w+)"', OWN, re.MULTILINE), "Nothing"]
KILLED = """{name: killed, variant: english, openings: {random_plies: 4, count: 80}, max_plies: 100,
    players: [{name: d5, type: negamax, depth: 5}, greedy, {name: own, type: "own.py:Good", depth: 1}]}"""
KILLS = 5


def configurations() -> dict[str, Path]:
    """The file of each configuration by its stem."""
    return {path.stem: path for path in sorted(CONFIGS.rglob("*.yaml")) if path.stem not in SKIPPED}


def small(text: str) -> dict[str, Any]:
    """A configuration with few, short games and counted limits."""
    # also where a limit is in a player's name, as in "hybrid, seconds 0.005"
    text = re.sub(r"\bseconds(:? )([\d.]+)", lambda at: f"nodes{at[1]}{_nodes(at[2])}", text)
    config: dict[str, Any] = yaml.safe_load(text)
    for extra in ("grade", "suite"):
        config.pop(extra, None)
    if "count" in config.get("openings", {}):
        config["openings"]["count"] = 1
    config["max_plies"] = MAX_PLIES
    if isinstance(form := config.get("format"), dict) and "pairs" in form:
        form["pairs"] = 1
        config["openings"]["count"] = form["rounds"]
    if "limits" in config:
        first_two = list(config["limits"].items())[:2]
        config["limits"] = {name: {"nodes": min(limit["nodes"], MAX_NODES)} for name, limit in first_two}
    for entry in config.get("players", ()):
        for option, values in entry.get("sweep", {}).items():
            if option == "depth":
                entry["sweep"]["depth"] = _shallow(values)
    return config


def _nodes(seconds: str) -> int:
    return round(NODES_PER_SECOND * float(seconds))


def _shallow(depths: Any) -> Any:
    if isinstance(depths, Mapping):
        return {**depths, "to": min(depths["to"], MAX_DEPTH)}
    return [depth for depth in depths if depth <= MAX_DEPTH]


def games_of(folder: Path) -> pd.DataFrame:
    """All games of a run, those that do not count among them."""
    run: arena.Run = arena.load(folder)
    moves = run.moves.sort_values(["game", "ply"]).groupby("game")["move"].agg(" ".join)
    games = pd.concat([run.games, run.void_games])
    games = games.assign(opening=games["opening_fen"], moves=games["game"].map(moves).fillna(""))
    columns = ["white", "black", "opening", "moves", "result", "termination"]
    return games[columns].astype(str).sort_values(columns)


def command(config: dict[str, Any], at: str) -> list[str]:
    """Write a configuration among copies of those that ship; the command that plays it."""
    shutil.copytree(CONFIGS, at, dirs_exist_ok=True)
    for file in FILES:
        Path(at, file).write_text(OWN, encoding="utf-8")
    Path(at, "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
    run = [sys.executable, "-m", "arena", "run", f"{at}/config.yaml", "--out", f"{at}/out"]
    return [*run, "--workers", "2", "--no-report"]


def played(config: dict[str, Any]) -> Iterator[Path]:
    """The folder of each run of a configuration, when all are played."""
    with TemporaryDirectory() as at:
        done = subprocess.run(command(config, at), check=False, capture_output=True, text=True)
        if done.returncode not in (0, 3):  # 3: players failed
            raise SystemExit(done.stderr)
        yield from sorted(path.parent for path in Path(at, "out").rglob("ledger.sqlite"))


def digests(folder: Path) -> dict[str, str]:
    """A digest of the games of each pairing."""
    games = games_of(folder).drop(columns="termination")
    pairing = [" - ".join(sorted(names)) for names in zip(games["white"], games["black"], strict=True)]
    texts = {name: rows.to_csv(index=False) for name, rows in games.groupby(pairing)}
    return {str(name): hashlib.sha256(text.encode()).hexdigest()[:12] for name, text in texts.items()}


def columns(name: str, table: pd.DataFrame) -> Facts:
    """The columns of a table, its rows in the order of their words."""
    table = pd.read_csv(StringIO(table.reset_index().to_csv(index=False)))  # whatever types it has
    table = table.drop(columns=[column for column in table if UNSTABLE.search(str(column))])
    table = table.sort_values([*table.select_dtypes(exclude="number")])
    shown = json.loads(table.to_json(orient="split", double_precision=6))
    for column, values in zip(shown["columns"], zip(*shown["data"], strict=True), strict=False):  # none of no rows
        yield f"{name} {column}", list(values)


def searches() -> Facts:
    """Perft up to 300,000 lines of play, the signature, the published programs against their twins."""
    for row in json.loads(Path("tests/data/perft.json").read_text(encoding="utf-8"))["rows"]:
        if variant := arena.VARIANTS.get(row["variant"]):
            depths = range(1, 1 + sum(nodes < 300_000 for nodes in row["nodes"]))
            position = arena.parse_fen(variant, row["fen"])
            yield f"perft {variant.name} {row['fen']}", [arena.perft(variant, position, depth) for depth in depths]
    for line in list(signature_lines())[2:]:  # a title and a header
        yield f"signature {line.rsplit(',', 4)[0]}", line
    test = ["-m", "pytest", "tests/players/test_published.py", "--tier", "full", "-q", "-rA"]
    done = subprocess.run([sys.executable, *test], check=False, capture_output=True, text=True)
    for result, test_name in re.findall(r"^(PASSED|FAILED|ERROR) \S+?::(.+)$", done.stdout, re.MULTILINE):
        yield f"published {test_name}", result


def games() -> Facts:
    """The games of a small copy of each configuration."""
    for name, path in configurations().items():
        config = small(path.read_text(encoding="utf-8"))
        for folder in played(config):
            yield from ((f"{name} {folder.name} {pairing}", text) for pairing, text in digests(folder).items())


def tables() -> Facts:
    """The tables of some runs, and the sums of their moves' numbers."""
    for name, count in OPENINGS.items():
        config = small(configurations()[name].read_text(encoding="utf-8")) | {"max_plies": 150}
        config["openings"]["count"] = count
        for folder in played(config | GRADED if name == "endgame_errors" else config):
            run = arena.load(folder)
            for table in TABLES:
                yield from columns(f"{name} {table}", getattr(run, table))
            yield from columns(f"{name} moves", run.moves.groupby("player", observed=True).sum(numeric_only=True))


def bad() -> Facts:
    """How games of players that misbehave end: mistakes as they are, malice in a sandbox."""
    for sandbox in (False, True):
        kinds = [kind for kind in KINDS if (kind in MALICE) == sandbox]
        own = [{"name": kind, "type": f"{file}:{kind}", "seconds": 3} for kind, file in zip(kinds, cycle(FILES))]
        for folder in played(yaml.safe_load(BAD) | {"sandbox": sandbox, "players": ["greedy", *own]}):
            yield from ((f"{row.white} - {row.black}", row.termination) for row in games_of(folder).itertuples())
            yield from columns(f"submissions, sandbox {sandbox}", arena.load(folder).submissions)


def kills() -> Facts:
    """The games of a run, and of one that is killed again and again."""
    config, rng, began = yaml.safe_load(KILLED), random.Random(), time.monotonic()
    for folder in played(config):
        yield "undisturbed", digests(folder)
    seconds = time.monotonic() - began
    with TemporaryDirectory() as at:
        for _ in range(KILLS):
            run = subprocess.Popen(command(config, at), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(rng.uniform(0.1, 0.5) * seconds)
            run.kill()
            run.wait()
        subprocess.run(command(config, at), check=True, capture_output=True)
        yield "killed", digests(Path(at, "out"))


def same(name: str, old: Any, new: Any) -> bool:
    """Whether two values are the same: Elo within 0.05, other numbers but for rounding."""
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(same(name, *both) for both in zip(old, new, strict=True))
    if isinstance(old, float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=1e-5, abs_tol=0.05 if "elo" in name else 1e-5)
    return bool(old == new)


def main() -> int:
    """Record or compare parts; the exit code, 1 if anything differs."""
    parts = {part.__name__: part for part in (searches, games, tables, bad, kills)}
    parser = argparse.ArgumentParser(prog="python -m tools.compare", description=__doc__)
    parser.add_argument("what", choices=["record", "check"])
    parser.add_argument("file", type=Path)
    parser.add_argument("--only", nargs="+", choices=list(parts), default=list(parts), metavar="PART")
    chosen = parser.parse_args()
    kept: dict[str, Any] = json.loads(chosen.file.read_text()) if chosen.file.exists() else {}
    different = 0
    for name in chosen.only:
        began, now = time.monotonic(), dict(parts[name]())
        if chosen.what == "record":
            kept[name] = now
            chosen.file.write_text(json.dumps(kept, indent=1))
        gone = [fact for fact in kept[name] if fact not in now]
        wrong = [fact for fact in kept[name] if fact in now and not same(fact, kept[name][fact], now[fact])]
        seconds = time.monotonic() - began
        print(
            f"{name}: {len(kept[name])} facts, {len(wrong)} different, {len(gone)} gone, {seconds:.0f} s",
            flush=True,
        )
        print(*(f"  {fact}: {kept[name][fact]} -> {now[fact]}\n" for fact in wrong), sep="", end="")
        print(*(f"  gone: {fact}\n" for fact in gone), sep="", end="", flush=True)
        different += len(wrong) + len(gone)
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
