"""The page that sets two runs side by side, and its charts as files."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from matplotlib.axes import Axes

from arena.base.files import replace
from arena.report.charts.picture import save_png, svg
from arena.report.charts.runs import plot_differences, plot_sides
from arena.report.compare import Comparison, comparison_text
from arena.report.page import plot_of
from arena.report.template import page

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
    text = _html(found, sentences, names, pictures)
    written: dict[str, Callable[[Path], object]] = {FILE: partial(_write, text)}
    for name, axes in drawn.items():
        written[f"{name}.png"] = partial(save_png, axes)
        written[f"{name}.svg"] = partial(_write, pictures[name])
    return [replace(folder / name, fill) for name, fill in written.items()]


def _html(found: Comparison, sentences: tuple[str, ...], names: tuple[str, str], pictures: dict[str, str]) -> str:
    return page(
        "runs/compare.html",
        title=f"{names[0]} against {names[1]}",
        sentences=sentences or ("Nothing can be compared.",),
        notes=found.notes,
        names=names,
        table=comparison_text(found.table),
        charts=[plot_of(name, CAPTIONS[name], text) for name, text in pictures.items()],
    )


def _write(text: str, path: Path) -> None:
    path.write_text(text, encoding="utf-8")
