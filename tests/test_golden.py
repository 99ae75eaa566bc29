"""Golden runs: three tournaments, a tuning and a rating whose tables and sentences are kept, byte for byte.

Time stands still but for the arena's own clock, which advances a millisecond each time that it is read, and all is
played by one process of one machine, so that what is measured is kept, too. `tests/data/golden/<run>.yaml` is what
is played; of the large tables a SHA-256 is kept.
"""

from __future__ import annotations

import hashlib
import itertools
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.hosting import seat
from arena.play import match
from tests.command_line import invoke

DATA = Path(__file__).parent / "data" / "golden"
TOURNAMENTS = ("tournament", "swiss", "match")
KEPT = sorted(path.relative_to(DATA) for path in DATA.glob("*/*") if path.name != "digests.txt")
DIGESTS = [
    (folder.name, *line.split()) for folder in sorted(DATA.iterdir()) if folder.is_dir()
    for line in ((folder / "digests.txt").read_text().splitlines() if (folder / "digests.txt").exists() else ())
]  # fmt: skip


def arena(*arguments: str) -> str:
    """The output of a command that succeeds."""
    result = invoke(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, no_pictures: None) -> Iterator[Path]:
    """The golden runs, made again without pictures, of which nothing is kept."""
    out = tmp_path_factory.mktemp("golden")
    for name in TOURNAMENTS:
        with pytest.MonkeyPatch.context() as patch:
            clock = itertools.count()
            tick = lambda clock=clock: next(clock) / 1000  # noqa: E731
            ticking = SimpleNamespace(perf_counter=tick, thread_time=lambda: 0.0, time=lambda: 0.0)
            patch.setattr(match, "os", SimpleNamespace(getpid=lambda: 1))
            patch.setattr(match, "platform", SimpleNamespace(node=lambda: "here"))
            patch.setattr(match, "time", ticking)
            patch.setattr(seat, "time", ticking)
            arena("run", str(DATA / f"{name}.yaml"), "--out", str(out / name), "--workers", "1")
    arena("tune", str(DATA / "tuning.yaml"), "--out", str(out / "tuning"), "--workers", "1")
    yield out
    shutil.rmtree(out)


@pytest.mark.parametrize("name", KEPT, ids=str)
def test_a_table_or_summary_is_the_same_bytes(made: Path, name: Path) -> None:
    assert (made / name).read_bytes() == (DATA / name).read_bytes()


@pytest.mark.parametrize(("run", "digest", "name"), DIGESTS)
def test_games_and_moves_are_the_same_bytes(made: Path, run: str, digest: str, name: str) -> None:
    assert hashlib.sha256((made / run / name).read_bytes()).hexdigest() == digest


def test_no_further_table_is_written(made: Path) -> None:
    for run in TOURNAMENTS:
        written = {path.name for path in (made / run).iterdir() if path.suffix in (".csv", ".md", ".pdn")}
        known = {path.name for path in (DATA / run).iterdir()} - {"digests.txt"}
        assert written == known | {name for of, _, name in DIGESTS if of == run}


def test_the_ratings_of_all_together_are_the_same_bytes(made: Path) -> None:
    sources = [str(made / "tournament"), str(made / "swiss" / "games.pdn"), str(DATA / "results.csv")]
    document = arena("rate", *sources, "--first", "black", "--json", "--nash", "--residuals")
    assert document == (DATA / "rate.json").read_text()
    table = arena("rate", str(DATA / "results.csv"), "--nash", "--residuals")
    assert table == (DATA / "rate.txt").read_text()
