"""Golden runs: three tournaments and a rating whose tables and sentences are kept.

Time stands still but for the arena's own clock, which advances a millisecond each time that it is read, and all is
played by one process of one machine, so that what is measured is kept, too. `tests/data/golden/<run>.yaml` is what
is played; of the large tables a SHA-256 is kept.
"""

import hashlib
import itertools
import os
import re
import shutil
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest

from arena.hosting import handle
from arena.play import match
from tests.helpers.command_line import invoke

DATA = Path(__file__).parents[1] / "data" / "golden"
DIGESTS = "digests.txt"
_FRACTION = re.compile(r"-?\d+\.\d+")
RECORD = bool(os.environ.get("RECORD"))
"""Whether what is made is kept in place of what was: `RECORD=1 pytest tests/report/test_golden.py`."""


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


@pytest.mark.full(only=["match", "tournament"])
@pytest.mark.parametrize("name", ["tournament", "swiss", "match"])
def test_a_run_made_again_has_the_same_tables_and_no_further_one(made, name):
    paths = [path for path in (DATA / name).iterdir() if path.name != DIGESTS]
    for path in paths:
        assert_same(path, (made(name) / path.name).read_text(encoding="utf-8"))
    large = [line.split()[1] for line in (DATA / name / DIGESTS).read_text(encoding="utf-8").splitlines()]
    assert_same(DATA / name / DIGESTS, "".join(f"{digest(made(name) / file)}  {file}\n" for file in large))
    written = {path.name for path in made(name).iterdir() if path.suffix in (".csv", ".pdn")}
    assert written == {path.name for path in paths if path.suffix == ".csv"} | set(large)


@pytest.mark.full
def test_the_ratings_of_all_together_are_the_same(made):
    sources = [str(made("tournament")), str(made("swiss") / "games.pdn"), str(DATA / "results.csv")]
    document = arena("rate", *sources, "--first", "black", "--json").replace(sources[1], "games.pdn")
    assert_same(DATA / "rate.json", document)
    assert_same(DATA / "rate.txt", arena("rate", str(DATA / "results.csv")))


def digest(path: Path) -> str:
    """The SHA-256 of a table without fractions, whose last digits are a processor's, versions and dates."""
    return hashlib.sha256(re.sub(r"-?\d+(\.\d+)+", "#", path.read_text(encoding="utf-8")).encode()).hexdigest()


def assert_same(path: Path, made: str) -> None:
    """Assert that a text is the one kept in a file, fractions within the last digit shown."""
    if RECORD:
        path.write_text(made, encoding="utf-8")
    kept = path.read_text(encoding="utf-8")
    assert _FRACTION.sub("#", made) == _FRACTION.sub("#", kept), path.name
    for now, before in zip(_FRACTION.findall(made), _FRACTION.findall(kept), strict=True):
        digits = max(len(text.partition(".")[2]) for text in (now, before))
        assert abs(Decimal(now) - Decimal(before)) <= Decimal(10) ** -digits, (path.name, now, before)
