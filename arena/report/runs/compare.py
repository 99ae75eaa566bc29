"""The page that sets two runs side by side, and its charts as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup
from matplotlib.axes import Axes

from arena.files import replace
from arena.report.charts.compare import plot_differences, plot_sides
from arena.report.charts.picture import save_png, svg
from arena.report.compare import Comparison, comparison_text
from arena.report.page.page import PIXELS, SCRIPTS, STYLES, Plot, chart_width, inline_svg, part

FILE = "compare.html"
CAPTIONS = {
    "compare_elo": "Elo of each player on both sides with its 95 % interval; only players of both make the zero.",
    "compare_differences": "Elo in b less Elo in a, with 95 % intervals; orange where 0 is outside.",
}


def write_comparison(
    found: Comparison, sentences: tuple[str, ...], names: tuple[str, str], folder: Path
) -> list[Path]:
    """Write FILE and the charts as PNG and SVG into a folder; returns their paths, the page first.

    `sentences` are what the page says first.
    """
    folder.mkdir(parents=True, exist_ok=True)
    drawn: dict[str, Axes] = {
        "compare_elo": plot_sides(found.table, names=("a", "b")),
        "compare_differences": plot_differences(found.table),
    }
    pictures = {name: svg(axes) for name, axes in drawn.items()}
    page = _html(found, sentences, names, pictures)
    written: dict[str, Callable[[Path], object]] = {FILE: partial(_write, page)}
    for name, axes in drawn.items():
        written[f"{name}.png"] = partial(save_png, axes)
        written[f"{name}.svg"] = partial(_write, pictures[name])
    return [replace(folder / name, fill) for name, fill in written.items()]


def _html(found: Comparison, sentences: tuple[str, ...], names: tuple[str, str], pictures: dict[str, str]) -> str:
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    template = files("arena.report.runs").joinpath("compare.html").read_text(encoding="utf-8")
    text = environment.from_string(template).render(
        title=f"{names[0]} against {names[1]}",
        sentences=sentences or ("Nothing can be compared.",),
        notes=found.notes,
        names=names,
        table=comparison_text(found.table),
        charts=[
            Plot(
                name,
                CAPTIONS[name],
                inline_svg(name, CAPTIONS[name], text),
                round(PIXELS * chart_width(text)),
                True,
            )
            for name, text in pictures.items()
        ],
        style=Markup("".join(map(part, STYLES))),
        script=Markup("".join(map(part, SCRIPTS))),
    )
    return text + "\n"


def _write(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")
