"""What everybody types first, with whatever versions are installed: every help, and quickstart."""

import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from arena.commands.cli import main
from tests.helpers.command_line import invoke

ROOT = Path(__file__).parents[2]


def commands(command: click.Command, *names: str) -> list[tuple[str, ...]]:
    """The words of a command, and of all below it."""
    if not isinstance(command, click.Group):
        return [names]
    context = click.Context(command)
    below = [(name, command.get_command(context, name)) for name in command.list_commands(context)]
    return [names, *(words for name, part in below if part for words in commands(part, *names, name))]


@pytest.mark.parametrize("words", commands(main), ids=" ".join)
def test_a_command_has_help(words):
    assert invoke(*words, "--help").stdout.startswith("Usage: ")


@pytest.mark.full
@pytest.mark.compiled
def test_a_short_quickstart_is_played_and_reported_without_a_warning(tmp_path):
    shutil.copy(ROOT / "configs" / "my_heuristic.py", tmp_path)
    config = (ROOT / "configs" / "quickstart.yaml").read_text(encoding="utf-8")
    (tmp_path / "quickstart.yaml").write_text(config.replace("count: 20", "count: 2"), encoding="utf-8")
    command = [sys.executable, "-m", "arena", "run", "quickstart.yaml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, "Warning" in done.stderr) == (0, False), done.stderr
    written = {path.name for path in (tmp_path / "reports" / "quickstart").iterdir()}
    assert {"report.html", "standings.csv", "games.pdn"} <= written
