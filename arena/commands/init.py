"""The command that writes a first experiment to start from, or a recipe: init."""

from __future__ import annotations

from pathlib import Path

import click

from arena.base import ArenaError
from arena.base.files import ROOT
from arena.base.wording import unknown
from arena.commands.options import PATH, refuse
from arena.commands.output import echo, put
from players.loading import EXAMPLE

HERE = Path(__file__).parent
TEMPLATES = HERE / "templates"
CONFIGS = HERE / "configs" if (HERE / "configs").is_dir() else ROOT / "configs"
"""The folder of examples, of an installed package or of a checkout."""
TEMPLATE_FILES = {
    "heuristic": (TEMPLATES / "arena.yaml", CONFIGS / EXAMPLE),
    "class": (TEMPLATES / "class.yaml", *sorted(TEMPLATES.glob("submissions/*.py"))),
    "engine": (TEMPLATES / "engine.yaml", CONFIGS / "starters" / "starter.py"),
}
"""The templates for each kind of user, copied as they are; the first is the configuration."""
_SANDBOX = "\nsandbox: true"
"""The line that is left out where there is no sandbox."""


@click.command()
@click.argument("folder", type=PATH, default=".")
@click.option("--class", "kind", flag_value="class", help="Instead one of a class, with a folder of submissions.")
@click.option("--engine", "kind", flag_value="engine", help="Instead one of your program, which speaks Hub.")
@click.option("--recipe", metavar="NAME", help="Instead a script that learns: texel, spsa, network.")
def init_command(folder: Path, kind: str | None, recipe: str | None) -> None:
    """Write a commented configuration and an example heuristic into FOLDER [this one]; nothing is overwritten."""
    sources = TEMPLATE_FILES[kind or "heuristic"]
    if recipe is not None:
        refuse("does not go with --recipe", **{kind or "class": kind})
        sources = (CONFIGS / "recipes" / f"{recipe}.py",)
        if not sources[0].is_file():
            there = sorted(file.stem for file in sources[0].parent.glob("*.py"))
            raise ArenaError(f"--recipe: {unknown('recipe', recipe, there)}")
    files = [
        folder / ("submissions" if source.parent.name == "submissions" else "") / source.name for source in sources
    ]
    for file in files:
        if file.exists():
            raise ArenaError(f"{file} exists already and is not overwritten; nothing was written")
    for source, file in zip(sources, files, strict=True):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(_text_of(source), encoding="utf-8")
        put(f"wrote {file}")
    begins = "arena run" if recipe is None else "python"
    put("next: " + ("" if folder == Path() else f"cd {folder} && ") + f"{begins} {files[0].name}")


def _text_of(template: Path) -> str:
    """The text of a template; where there is no sandbox, the line on it is left out and a message says so."""
    from arena.hosting.sandbox import unavailable

    text = template.read_text(encoding="utf-8")
    if _SANDBOX in text and (why := unavailable()):
        text = text.replace(_SANDBOX, f"\n# {_SANDBOX.strip()}")
        echo(f"{template.name} is without 'sandbox: true', so submissions can do whatever you can: {why}")
    return text
