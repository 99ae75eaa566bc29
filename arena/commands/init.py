"""The command that writes a first experiment to start from: init."""

from __future__ import annotations

from pathlib import Path

import click

from arena.base.errors import ArenaError
from players.loading import EXAMPLE

TEMPLATES = Path(__file__).with_name("templates")
FILES = ("arena.yaml", EXAMPLE)
"""The templates, copied as they are."""


@click.command()
@click.argument("folder", type=click.Path(path_type=Path), default=".")
def init(folder: Path) -> None:
    """Write a commented configuration and an example heuristic into FOLDER [this one]; nothing is overwritten."""
    for name in FILES:
        if (folder / name).exists():
            raise ArenaError(f"{folder / name} exists already and is not overwritten; nothing was written")
    texts = {name: (TEMPLATES / name).read_text(encoding="utf-8") for name in FILES}
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise ArenaError(f"{folder} cannot be written to: {error.strerror}") from None
    for name in FILES:
        click.echo(f"wrote {folder / name}")
    click.echo("next: " + ("" if folder == Path() else f"cd {folder} && ") + "arena run arena.yaml")
