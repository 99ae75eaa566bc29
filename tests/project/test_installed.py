"""The built wheel in a place of its own: it has every file, and what `arena init` writes is played."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from arena.commands.cli import COMMANDS

pytestmark = [pytest.mark.compiled, pytest.mark.full]
ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy of the sources without the network."""
    source = tmp_path_factory.mktemp("source")
    for package in ("arena", "players"):
        shutil.copytree(ROOT / package, source / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "configs", source / "configs")
    for name in ("pyproject.toml", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, source)
    pip(source, "wheel", "--no-build-isolation", "--no-deps", "--no-index", "--wheel-dir", "dist", ".")
    (built,) = (source / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel alone, first on the path of `arena`, in a folder of its own."""
    folder = tmp_path_factory.mktemp("around") / "site"
    folder.mkdir()
    pip(folder, "install", "--no-deps", "--no-index", "--no-compile", "--target", ".", str(wheel))
    return folder


def pip(folder: Path, *arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *arguments]
    subprocess.run(command, cwd=folder, check=True)


def run(site: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A module run from the wheel, its kernels uncompiled: the cache belongs to another place."""
    environment = os.environ | {"PYTHONPATH": str(site), "NUMBA_DISABLE_JIT": "1"}
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def test_every_file_of_the_packages_is_in_the_wheel(wheel):
    files = {
        path.relative_to(ROOT).as_posix()
        for package in ("arena", "players")
        for path in (ROOT / package).rglob("*")
        if path.is_file() and path.suffix not in (".pyc", ".md")
    }
    examples = ("my_heuristic.py", "recipes/*.py", "starters/starter.py")
    found = [path.relative_to(ROOT) for pattern in examples for path in (ROOT / "configs").glob(pattern)]
    files |= {f"arena/commands/{path.as_posix()}" for path in found}
    some = {"arena/py.typed", "players/py.typed", "arena/commands/templates/arena.yaml"}
    assert some | {"players/evaluation/networks/english.npz"} <= files
    installed = set(zipfile.ZipFile(wheel).namelist())
    assert {name for name in installed if ".dist-info/" not in name} == files
    points = next(name for name in installed if name.endswith("entry_points.txt"))
    text = zipfile.ZipFile(wheel).read(points).decode()
    for name in ("arena", "draughts-arena"):  # uvx and pipx run the command that has the package's name
        assert f"\n{name} = arena.commands.cli:main\n" in text


def test_the_version_has_the_commit_of_a_checkout_and_of_nothing_else(site, tmp_path):
    version = PROJECT["version"]
    of_somebody_else = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "init", "-q"], cwd=site.parent, check=True)
    subprocess.run(
        ["git", *of_somebody_else, "commit", "-qm", "one", "--allow-empty"], cwd=site.parent, check=True
    )
    assert run(site, tmp_path, "arena", "--version").stdout == f"arena {version}\n"
    line = run(ROOT, tmp_path, "arena", "--version").stdout
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    commit = re.fullmatch(rf"arena {version} \(commit (\w{{7,}})(-dirty)?\)\n", line)
    assert head.stdout.startswith(commit[1]) if commit else not (ROOT / ".git").exists()


def test_what_init_writes_is_played_from_the_installed_wheel(site, tmp_path):
    written = run(site, tmp_path, "arena", "init")
    assert (written.returncode, written.stderr) == (0, "")
    assert written.stdout.splitlines()[-1] == "next: arena run arena.yaml"
    example = (ROOT / "configs" / "my_heuristic.py").read_text()
    assert (tmp_path / "my_heuristic.py").read_text() == example
    config = tmp_path / "arena.yaml"
    few = config.read_text().replace("depth: 4", "depth: 2").replace("count: 20", "count: 1")
    config.write_text("\n".join(["max_plies: 20", *(line for line in few.splitlines() if "linear" not in line)]))
    played = run(site, tmp_path, "arena", "run", "arena.yaml", "--workers", "1")
    assert played.returncode == 0, played.stderr
    assert len((tmp_path / "reports" / "first_run" / "games.csv").read_text().splitlines()) == 1 + 2 * 3
    assert (tmp_path / "reports" / "first_run" / "report.html").exists()


def test_the_installed_package_is_the_wheels_and_compiles_its_kernels(site, tmp_path):
    code = (
        "import arena, players; from players.negamax import table_and_order; "
        "table_and_order.key(arena.VARIANTS['english'].start); print(arena.__file__, players.__file__)"
    )
    environment = os.environ | {"PYTHONPATH": str(site), "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert all(file.startswith(str(site)) for file in done.stdout.split())
    assert list(tmp_path.rglob("table_and_order.key-*.nbc"))


EXTRAS = {"distributed": "dask", "torch": "train", "pettingzoo": "rl"}
NEEDED_BY = {
    "distributed": "from arena.commands.cli import main; main(['run', 'dask.yaml'])",
    "pettingzoo": "import arena.board.environment",
}


@pytest.mark.parametrize("library", NEEDED_BY)
def test_what_needs_an_extra_that_is_not_installed_says_what_to_install(tmp_path, library):
    shutil.copytree(ROOT / "configs", tmp_path / "configs")
    text = (ROOT / "configs" / "swiss.yaml").read_text()
    (tmp_path / "dask.yaml").write_text(f"workers: tcp://127.0.0.1:1\n{text}")
    command = [sys.executable, "-c", f"import sys; sys.modules[{library!r}] = None; {NEEDED_BY[library]}"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last.endswith(f", which is not installed: pip install 'draughts-arena[{EXTRAS[library]}]'")
    assert done.returncode and not done.stdout and not (tmp_path / "reports").exists()


# --- what stands beside the package: workflows, citation, changes


def described(file: str) -> Any:
    return yaml.safe_load((ROOT / ".github" / file).read_text())


def test_the_version_and_the_extras_are_the_same_everywhere():
    version, extras = PROJECT["version"], PROJECT["optional-dependencies"]
    assert described("../CITATION.cff")["version"] == version
    assert f"## {version}" in (ROOT / "docs" / "CHANGELOG.md").read_text()
    assert {*EXTRAS.values(), "dev", "full"} == set(extras)
    assert all(extras[extra][0].startswith(library) for library, extra in EXTRAS.items())


def test_workflows_and_image_use_commands_that_there_are():
    steps = [step.get("run", "") for step in described("workflows/release.yml")["jobs"]["build"]["steps"]]
    image = re.sub(r"^#.*\n", "", (ROOT / ".github" / "Dockerfile").read_text(), flags=re.M)
    used = set(re.findall(r"(?:bin/|&& )arena (\w+)", "\n".join([*steps, image])))
    assert {"init", "run"} <= used <= set(COMMANDS)
