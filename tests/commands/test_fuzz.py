"""Any input at all gets a result or an error of the project's own, in one line, and soon: edited files, drawn."""

import json
import re
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arena.experiment.load import load
from arena.experiment.openings.sources import OpeningsError, file_openings
from arena.experiment.yaml.values import ConfigError
from arena.ledger.info import RunInfo
from arena.ledger.ledger import FILE, Ledger, StoreError
from arena.ledger.read import read
from arena.rules.notation import NotationError, fen, parse_fen
from arena.rules.variants import VARIANTS
from tests.helpers.command_line import invoke
from tests.helpers.configs import EXAMPLE, MINIMAL, SWEPT
from tests.helpers.runs import fill

ROOT = Path(__file__).parents[2]
SECONDS = 20
"""After which an input is said to hang."""
LONG = 60
"""Times as many examples in the long run."""
ENGLISH = VARIANTS["english"]
RANDOM = load({"name": "random", "variant": "english", "players": ["random", "greedy"]})
CSV = [
    "white,black,result\nann,bob,1-0\nbob,ann,1/2-1/2\nbob,cat,0-1\ncat,ann,0-1\nann,cat,1-0\n",
    "white,black,wins,draws,losses,pair\nann,bob,10,3,4,1\nbob,cat,2,0,5,1\ncat,ann,1,1,1,2\n",
]
WORDS = {
    "yaml": ": |- |\n|  |{|}|[|]|,|&a |*a|<<: *a|!!python/none |!!int |null|~|.nan|.inf|-1|0|1e400|2**63|true|no"
    "|9223372036854775808|'|\"|#|players|type|negamax|evaluation|depth|nodes|seconds|clock|sweep|format|swiss|sprt"
    "|elo0|suite|anchor|openings|count|file|set|variant|base|linear|options|preset|name|../x|\t|%|---|\0|=|@|>|`"
    '|012|1e3|1:30|2026-13-45|!!set |!!binary |!!timestamp |!x |"\\ud800"|"\\U00110000"|\x85|\u2028|\udcff',
    "fen": "W|B|:|K|,|-|.|1|32|50|0|33|a1|h8|W:|:B|?|'|[|]| |W:W31:B1|99999999999999999999|\n|{|}",
    "pdn": '[|]|"|\\|{|}|(|)|;|\n|%|$1|*|1-0|2-0|1/2-1/2|0-0|[Event "x"]|[Result "1-0"]|[FEN "W:W31:B1"]|1.|...'
    '|[GameType "20"]|[GameType "21,B,8,8,N2,0"]|9-13|22x17|a3-b4|31x22x13|!|?| |[White "a"]|[Black "a"]|/FEN ',
    "csv": "white|black|result|wins|draws|losses|pair|,|\n|\r|\"|'|1-0|0-1|1/2-1/2|*|-1|0|1e9|1e308|nan|inf|ann"
    "|bob|9007199254740991| |\t|;|,,,|ann,ann,1-0\n|x,y,1-0\n|#|½-½|\0",
}


class Target(NamedTuple):
    """What reads inputs, and examples of them."""

    seeds: Sequence[bytes]
    words: Sequence[bytes]
    """That edits put in."""
    check: Callable[[bytes, Path], object]
    """Reads an input, in a folder of its own; lets through what it may not raise."""
    examples: int
    """For about a second."""


@st.composite
def inputs(draw: st.DrawFn, target: Target) -> bytes:
    """A seed with a few edits: bytes left out, doubled, changed, put in from another place or from the words."""
    data = draw(st.sampled_from(target.seeds))
    for _ in range(draw(st.integers(0, 8))):
        at = draw(st.integers(0, len(data)))
        end = min(len(data), at + draw(st.integers(0, 40)))
        match draw(st.sampled_from("odcwwb")):
            case "o":
                data = data[:at] + data[end:]
            case "d":
                data = data[:end] + data[at:]
            case "c":
                to = draw(st.integers(0, len(data)))
                data = data[:to] + data[at:end] + data[to:]
            case "w":
                data = data[:at] + draw(st.sampled_from(target.words)) + data[end if draw(st.booleans()) else at :]
            case "b":
                data = data[:at] + draw(st.binary(max_size=4) | st.text(max_size=3).map(_bytes)) + data[end:]
    return data


def _bytes(text: str) -> bytes:
    return text.encode(errors="surrogatepass")


@contextmanager
def soon() -> Iterator[None]:
    """Raise TimeoutError for what takes more than SECONDS."""

    def late(*_: Any) -> None:
        raise TimeoutError(f"more than {SECONDS} s")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _file(folder: Path, name: str, data: bytes) -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def _one_line(error: Exception) -> None:
    assert str(error).strip() and "\n" not in str(error), repr(str(error))


def a_configuration(data: bytes, folder: Path) -> None:
    rows = len(data.decode(errors="surrogateescape").splitlines()) + 1
    try:
        found = load(_file(folder, "c.yaml", data))
    except ConfigError as error:
        for line in str(error).split("\n"):
            at = re.fullmatch(r".*c\.yaml:(\d+):(\d+): \S.*", line)
            assert at and 1 <= int(at[1]) <= rows and int(at[2]) >= 1, line
    else:
        assert json.loads(json.dumps(found.as_dict(), allow_nan=False)) == found.as_dict()


def a_fen(data: bytes, folder: Path) -> None:
    text = data.decode(errors="surrogateescape")
    for variant in (ENGLISH, VARIANTS["international"], VARIANTS["russian"]):
        try:
            position = parse_fen(variant, text)
        except NotationError as error:
            _one_line(error)
        else:
            assert parse_fen(variant, fen(variant, position)) == position


def an_openings_file(data: bytes, folder: Path) -> None:
    for name in ("x.fen", "x.pdn"):
        try:
            file_openings(ENGLISH, _file(folder, name, data))
        except OpeningsError as error:
            _one_line(error)


def results_of(name: str) -> Callable[[bytes, Path], None]:
    def results(data: bytes, folder: Path) -> None:
        result = invoke("rate", str(_file(folder, name, data)))
        assert result.exit_code in (0, 2)
        if result.exit_code:
            assert len(result.stderr.strip().splitlines()) == 1, result.stderr
        else:
            assert not re.search(r"[-+ ](nan|inf)\b", result.stdout.partition("\n")[2]), result.stdout

    return results


def a_ledger(data: bytes, folder: Path) -> None:
    (folder / FILE).write_bytes(data)
    try:
        run = read(folder)
        list(run.moves())
    except StoreError as error:
        _one_line(error)
    try:
        with Ledger(folder, RANDOM, RunInfo()) as ledger:
            assert len(ledger.results()) <= 12
    except StoreError as error:
        _one_line(error)
    else:
        read(folder)


def words(name: str) -> list[bytes]:
    return [_bytes(word) for word in WORDS[name].split("|")]


def data_of(*patterns: str) -> list[bytes]:
    found = [path.read_bytes()[:6000] for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    assert found
    return found


@pytest.fixture(scope="module")
def targets(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Target]:
    folder = tmp_path_factory.mktemp("fuzz")
    fill(folder, 12)
    whole = (folder / FILE).read_bytes()
    pdn, pages = data_of("tests/data/*.pdn"), [b"\0", b"\xff", b"\x05", b"\x0d", b"\0" * 100, b"SQLite format 3\0"]
    fens = [b"W:W21,22,K31:B1,2,K5", b"B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29", b"W:Wa1,c3,Kh8:Bb8,Kd6"]
    configurations = [*data_of("configs/**/*.yaml"), *map(_bytes, (EXAMPLE, SWEPT, MINIMAL))]
    return {
        "configuration": Target(configurations, words("yaml"), a_configuration, 100),
        "FEN": Target(fens, words("fen"), a_fen, 150),
        "openings": Target([*fens, *pdn], words("fen") + words("pdn"), an_openings_file, 60),
        "rated CSV": Target([_bytes(text) for text in CSV], words("csv"), results_of("x.csv"), 30),
        "rated PDN": Target(pdn, words("pdn"), results_of("x.pdn"), 20),
        "ledger": Target([whole], pages, a_ledger, 10),
    }


NAMES = ("configuration", "FEN", "openings", "rated CSV", "rated PDN", "ledger")


@pytest.mark.full(but=["1-configuration"])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("times", [1, pytest.param(LONG, marks=pytest.mark.slow)])
def test_any_input_gets_a_result_or_an_error_in_one_line(targets, tmp_path, times, name):
    """The long run has others each time."""
    target = targets[name]

    @settings(
        max_examples=times * target.examples,
        database=None,
        derandomize=times == 1,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate, Phase.shrink],
    )
    @given(inputs(target))
    def try_one(data: bytes) -> None:
        own = tmp_path / "one"
        shutil.rmtree(own, ignore_errors=True)
        own.mkdir()
        with soon():
            target.check(data, own)

    try_one()
