"""Golden runs: three tournaments, a tuning and a rating whose tables and sentences are kept, byte for byte.

Time stands still but for the arena's own clock, which advances a millisecond each time that it is read, and all is
played by one process of one machine, so that what is measured is kept, too. `tests/data/golden/<run>.yaml` is what
is played; of the large tables a SHA-256 is kept.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from arena.hosting import handle
from arena.play import match
from tests.helpers.command_line import invoke

DATA = Path(__file__).parents[1] / "data" / "golden"
DIGESTS = "digests.txt"
RECORD = bool(os.environ.get("RECORD"))
"""Whether what is made is kept in place of what was: `RECORD=1 pytest tests/report/test_golden.py`."""


def kept(path: Path, made: bytes) -> bytes:
    """What is kept in a file."""
    if RECORD:
        path.write_bytes(made)
    return path.read_bytes()


def arena(*arguments: str) -> str:
    """The output of a command that succeeds."""
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, no_pictures: None) -> Iterator[Callable[[str], Path]]:
    """The folder of a golden run, made again without pictures, of which nothing is kept."""
    out = tmp_path_factory.mktemp("golden")

    @cache
    def run(name: str) -> Path:
        config = str(DATA / f"{name}.yaml")
        if name == "tuning":
            arena("learn", config, "--out", str(out / name), "--workers", "1")
            return out / name
        with pytest.MonkeyPatch.context() as patch:
            clock = itertools.count()
            ticking = SimpleNamespace(
                perf_counter=lambda: next(clock) / 1000, thread_time=lambda: 0.0, time=lambda: 0.0
            )
            patch.setattr(match, "os", SimpleNamespace(getpid=lambda: 1))
            patch.setattr(match, "platform", SimpleNamespace(node=lambda: "here"))
            patch.setattr(match, "time", ticking)
            patch.setattr(handle, "time", ticking)
            arena("run", config, "--out", str(out / name), "--workers", "1")
        return out / name

    yield run
    shutil.rmtree(out)


@pytest.mark.full(only=["match", "tournament", "tuning"])
@pytest.mark.parametrize("name", ["tournament", "swiss", "match", "tuning"])
def test_a_run_made_again_has_the_same_bytes_and_no_further_table(made: Callable[[str], Path], name: str) -> None:
    whole = {
        path: (made(name) / path.name).read_bytes() for path in (DATA / name).iterdir() if path.name != DIGESTS
    }
    assert [path.name for path, written in whole.items() if kept(path, written) != written] == []
    if name == "tuning":
        return
    large = [line.split()[1] for line in (DATA / name / DIGESTS).read_text().splitlines()]
    hashes = [f"{hashlib.sha256((made(name) / file).read_bytes()).hexdigest()}  {file}\n" for file in large]
    assert kept(DATA / name / DIGESTS, "".join(hashes).encode()).decode().split() == "".join(hashes).split()
    written = {path.name for path in made(name).iterdir() if path.suffix in (".csv", ".pdn")}
    assert written == {path.name for path in whole if path.suffix == ".csv"} | set(large)


@pytest.mark.full
def test_the_ratings_of_all_together_are_the_same_to_nine_digits(made: Callable[[str], Path]) -> None:
    sources = [str(made("tournament")), str(made("swiss") / "games.pdn"), str(DATA / "results.csv")]
    document = arena("rate", *sources, "--first", "black", "--json").replace(sources[1], "games.pdn")
    assert _rounded(document) == _rounded(kept(DATA / "rate.json", document.encode()).decode())
    table = arena("rate", str(DATA / "results.csv"))
    assert table == kept(DATA / "rate.txt", table.encode()).decode()


def _rounded(document: str) -> Any:
    """A JSON document with fractions of nine digits: the last ones depend on a machine's linear algebra."""
    return json.loads(document, parse_float=lambda text: float(f"{float(text):.9g}"))
