"""Whole games: a small copy of every configuration that ships plays the games that are kept in `guard.json`.

    python -m tools.guard [--only NAME ...] [--workers N] [--record]

A small copy has one opening, games of 60 plies and counted limits in place of seconds. The digest of each
pairing's games is kept, and each player's points and Elo with its interval. A configuration is known by the stem
of its file, wherever in `configs/` that is. Programs in other languages, which are built by hand
(`configs/starters`), are left out. With `--record` each configuration is kept as soon as it is played.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import yaml

import arena

CONFIGS = Path(__file__).parents[1] / "configs"
DATA = Path(__file__).with_name("guard.json")
ABOUT = "Small copies of the configurations, made by: python -m tools.guard --record"
NODES_PER_SECOND = 20_000
MAX_PLIES, MAX_DEPTH, MAX_NODES = 60, 5, 2000
SKIPPED = ("starters",)
"""Configurations of programs that are built by hand."""
Kept = dict[str, Any]
"""What is kept of a configuration, JSON: each run by its folder."""


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


def played(path: Path, workers: str) -> Kept:
    """What a small copy of a configuration gives; `workers` are processes or the address of a Dask scheduler."""
    with TemporaryDirectory() as scratch:
        configs = Path(scratch, "configs")
        shutil.copytree(CONFIGS, configs)  # with the users' files that a configuration names
        copy = configs / path.relative_to(CONFIGS)
        config = small(path.read_text(encoding="utf-8"))
        copy.write_text(yaml.safe_dump(config, sort_keys=False), encoding="utf-8")
        out = Path(scratch, "out")
        options = ["--out", str(out), "--workers", workers, "--no-report"]
        command = [sys.executable, "-m", "arena", "run", str(copy), *options]
        subprocess.run(command, check=True, capture_output=True, text=True)
        if "variants" in config or "limits" in config:
            return {folder.name: _run(folder) for folder in sorted(filter(Path.is_dir, out.iterdir()))}
        return {"": _run(out)}


def _run(folder: Path) -> dict[str, Any]:
    """The games of each pairing as a digest, and each player's points, Elo, and the ends of its interval."""
    run = arena.load(folder)
    moves: dict[Any, str] = run.moves.sort_values(["game", "ply"]).groupby("game")["move"].agg(" ".join).to_dict()
    games: dict[str, list[str]] = {}
    for row in _rows(run.games.sort_values(["white", "black", "game"])):
        pairing = " - ".join(sorted((row["white"], row["black"])))
        text = f"{row['white']}|{row['black']}|{row['opening_fen']}|{moves[row['game']]}"
        games.setdefault(pairing, []).append(text)
    digests = {pairing: hashlib.sha256("\n".join(of).encode()).hexdigest()[:12] for pairing, of in games.items()}
    players = {
        row["player"]: [
            round(row["score"] * row["games"], 1),
            *(round(float(row[column]), 3) for column in ("elo", "elo_low", "elo_high")),
        ]
        for row in _rows(run.standings)
    }
    return {"pairings": dict(sorted(digests.items())), "players": dict(sorted(players.items()))}


def _rows(table: pd.DataFrame) -> list[dict[str, Any]]:
    rows: list[Any] = table.to_dict("records")
    return rows


def flat(kept: Any, place: str = "") -> Iterator[tuple[str, Any]]:
    """The numbers, texts and lists in what is kept, each with the keys that lead to it."""
    if not isinstance(kept, dict):
        yield place, kept
        return
    for key, value in kept.items():
        yield from flat(value, f"{place} {key}".strip())


def differences(before: Kept, now: Kept) -> list[str]:
    """Where what a configuration gave is different; Elo within 0.05 is the same."""
    was, is_now = dict(flat(before)), dict(flat(now))

    def is_same(place: str) -> bool:
        old, new = was.get(place), is_now.get(place)
        if " players " in f" {place}" and old and new:
            return np.allclose(old, new, rtol=0, atol=[1e-6, 0.05, 0.05, 0.05], equal_nan=True)
        return bool(old == new)

    return [place for place in sorted(was.keys() | is_now) if not is_same(place)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Play the small copies and compare, or record; the exit code, 1 if anything differs."""
    parser = argparse.ArgumentParser(prog="python -m tools.guard", description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help="keep what is played now")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="configurations, by the stem of their file")
    parser.add_argument("--workers", default="2", help="processes, or the address of a Dask scheduler [2]")
    chosen = parser.parse_args(arguments)
    kept: dict[str, Kept] = json.loads(DATA.read_text(encoding="utf-8"))["configurations"] if DATA.exists() else {}
    paths = configurations()
    failed = False
    for name in chosen.only or sorted(paths.keys() | kept):
        try:
            now = played(paths[name], chosen.workers) if name in paths else {}
        except (subprocess.CalledProcessError, ValueError) as error:
            print(f"{name}: not played: {getattr(error, 'stderr', '') or error}", flush=True)
            failed = True
            continue
        different = differences(kept.get(name, {}), now)
        if chosen.record:
            kept[name] = now
            kept = {known: kept[known] for known in sorted(kept) if known in paths}
            DATA.write_text(
                json.dumps({"about": ABOUT, "configurations": kept}, indent=1) + "\n", encoding="utf-8"
            )
        failed |= bool(different) and not chosen.record
        more = f" and {len(different) - 5} more" if len(different) > 5 else ""
        print(f"{name}: {'; '.join(different[:5]) + more if different else 'equal'}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
