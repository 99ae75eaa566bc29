"""The command that writes a first experiment to start from: init."""

from __future__ import annotations

from pathlib import Path

import click

from arena.base.errors import ArenaError
from players.loading import EXAMPLE

TEMPLATES = Path(__file__).with_name("templates")
TEMPLATE_FILES = {
    "heuristic": ("arena.yaml", EXAMPLE),
    "class": ("class.yaml", *(f"submissions/{name}.py" for name in ("careful", "forward", "hungry"))),
    "engine": ("engine.yaml", "starter.py"),
}
"""The templates for each kind of user, copied as they are; the first is the configuration."""
_SANDBOX = "\nsandbox: true"
"""The line that is left out where there is no sandbox."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=".")
@click.option("--class", "kind", flag_value="class", help="Instead one of a class, with a folder of submissions.")
@click.option("--engine", "kind", flag_value="engine", help="Instead one of your program, which speaks Hub.")
def init_command(folder: Path, kind: str | None) -> None:
    """Write a commented configuration and an example heuristic into FOLDER [this one]; nothing is overwritten."""
    names = TEMPLATE_FILES[kind or "heuristic"]
    for name in names:
        if (folder / name).exists():
            raise ArenaError(f"{folder / name} exists already and is not overwritten; nothing was written")
    for name in names:
        text = (TEMPLATES / name).read_text(encoding="utf-8")
        if _SANDBOX in text and (why := _no_sandbox()):
            text = text.replace(_SANDBOX, f"\n# {_SANDBOX.strip()}")
            click.echo(f"{name} is without 'sandbox: true', so submissions can do whatever you can: {why}")
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
        click.echo(f"wrote {folder / name}")
    click.echo("next: " + ("" if folder == Path() else f"cd {folder} && ") + f"arena run {names[0]}")


def _no_sandbox() -> str:
    from arena.hosting.sandbox import unavailable

    return unavailable()
