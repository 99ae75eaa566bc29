"""Versions of a player that is edited: each against the one before it, from equal openings."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pandas as pd
import pytest

from arena.commands.versions import Versions
from arena.ratings.joint import rate
from tests.helpers.stored_run import StoredRun

OPENINGS = 40
OTHER = {"name": "other", "type": "random"}


def played(folder: Path, worth: int, results: list[str]) -> pd.DataFrame:
    """Store a run of a version of `own`, first White, then Black from each opening; its games, named by it."""
    own = {"name": "own", "type": "greedy", "evaluation": {"linear": {"man": worth}}}
    rows = [
        (*(("own", "other") if number % 2 == 0 else ("other", "own")), result, number // 2)
        for number, result in enumerate(results)
    ]
    with StoredRun(folder, [own, OTHER], OPENINGS) as run:
        for number, (white, black, result, opening) in enumerate(rows):
            run.add(white, black, result, opening=opening, moves=("11-15", f"{worth}-{number}"))
        run.end()
    games = pd.DataFrame(rows, columns=["white", "black", "result", "linked"]).replace("own", f"own {worth}")
    return games.assign(pair=[f"{worth} {opening}" for opening in games["linked"]])


def test_a_version_is_compared_with_the_one_before_from_equal_openings(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chance = random.Random(4)
    hard = [chance.random() for _ in range(OPENINGS)]  # to win for either version, with either colour
    wins = [
        [[(hard[opening] + chance.random()) / 2 < limit for _ in range(2)] for opening in range(OPENINGS)]
        for limit in (0.45, 0.6)
    ]
    results = [
        ["white" if won == (side == 0) else "black" for both in version for side, won in enumerate(both)]
        for version in wins
    ]
    games = [played(tmp_path / f"w{n}", n, version) for n, version in enumerate(results, start=1)]
    versions = Versions(tmp_path)
    for number in (1, 2):
        versions.show(tmp_path / f"w{number}")
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("own: ")]

    changes = [sum(after) - sum(before) for before, after in zip(*wins, strict=True)]
    better, worse = (
        [str(number) for number, change in enumerate(changes, start=1) if sign * change > 0] for sign in (1, -1)
    )
    words = f"of {OPENINGS} pairs from equal openings {len(better)} better, {len(worse)} worse; "
    assert words in line and line.endswith(f"worse from {', '.join(worse)}") and len(better) > len(worse) > 3
    linked, apart = (
        rate(pd.concat(games).drop(columns=without), first="black").contrast({"own 2": 1, "own 1": -1})
        for without in ([], ["linked"])
    )
    assert linked is not None and apart is not None and linked.error < apart.error - 2
    assert re.match(r"own: (.*) Elo, version 2 over 1", line)[1] == str(linked)  # type: ignore[index]

    played(tmp_path / "w3", 3, results[0][::-1])
    for number in (1, 3):
        versions.show(tmp_path / f"w{number}")
    versions.show_all()
    output = capsys.readouterr().out
    (back, third) = re.findall(r"own: (.*) Elo, version (\d) over (\d)", output)
    assert back[1:] == ("1", "2") and third[1:] == ("3", "1")
    for elo, number, before in ((str(linked), 2, 1), third):
        row = rf"^ +{number} +own +\S+ ± \d+ +{before} +{re.escape(elo)} "
        assert re.search(row, output, re.MULTILINE), "the table says what the session said"
