"""The page of a report and its charts: as files, and in a real browser at the widths of a desk and of a phone."""

from __future__ import annotations

import re
import warnings
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.report.charts.plots import plot_elo
from arena.report.charts.style import LEADING, on_page, save, svg
from arena.report.markup import escaped, wrapping
from arena.report.page import parts
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.tables import views
from arena.report.tables.table import Grid, Style
from arena.report.write import write
from tests.helpers.report_data import player, synthetic, texts
from tests.helpers.web_browser import page_of

CJK, ARABIC, MARKUP = "対局プログラム", "برنامج الداما", 'a <b> & "id="x" url(#y)'
NAMES = [CJK, ARABIC, MARKUP, *(f"player {number}" for number in range(4, 19))]
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, no_pictures: None) -> Run:
    """A run of 18 players with names of all kinds and its report."""
    players = [player(name, 1 + i % 5, e=i) for i, name in enumerate(NAMES)]
    run = synthetic(tmp_path_factory.mktemp("page"), players, 1, plies=4)
    write(run)
    return run


def test_every_element_of_the_page_is_closed_in_order(made: Run) -> None:
    opened: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: None if tag in VOID else opened.append(tag)  # type: ignore[method-assign]
    parser.handle_startendtag = lambda tag, attrs: None  # type: ignore[method-assign]
    closed: list[tuple[str, str]] = []
    parser.handle_endtag = lambda tag: closed.append((opened.pop(), tag))  # type: ignore[method-assign]
    parser.feed((made.folder / "report.html").read_text(encoding="utf-8"))
    assert not opened and closed and all(first == last for first, last in closed)


def test_names_in_any_script_are_text_in_svg_and_give_no_warning(made: Run, tmp_path: Path) -> None:
    axes = plot_elo(made.standings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = svg(axes)
        save(axes, "png", tmp_path / "elo.png")
    escaped_name = MARKUP.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for page in (text, on_page(text, "elo", "")):
        assert {CJK, ARABIC, escaped_name} <= set(re.findall(r"<text[^>]*>([^<]*)</text>", page))


def test_a_chart_of_many_players_shows_the_leading_ones_and_says_so() -> None:
    count = LEADING + 9
    table = pd.DataFrame({"player": [f"p{i}" for i in range(count)], "elo": np.linspace(300, -300, count)})
    table = table.assign(elo_low=table["elo"] - 9, elo_high=table["elo"] + 9, games=4, score=0.5)
    shown = texts(plot_elo(table))
    assert f"Elo ratings with 95 % intervals, the leading {LEADING} of {count}" in shown
    assert f"p{LEADING - 1}" in shown and f"p{LEADING}" not in shown


@pytest.mark.full
def test_the_summary_shows_every_picture(made: Run) -> None:
    shown = re.findall(r"^!\[[^\]]+\]\(([\w.]+)\)$", (made.folder / "summary.md").read_text(), flags=re.MULTILINE)
    assert set(shown) == {path.name for path in made.folder.glob("*.svg")} and shown


TERMS: list[dict[str, Any]] = [{"depth": 6}, {"seconds": 0.02}]
TWO_TERMS = [player(f"{e} {limit}", evaluation=e, **limit) for e in "xy" for limit in TERMS]


def read_of(run: Run) -> list[Grid]:
    """The tables that people read of a run."""
    tables = {name: getattr(run, name) for name in views.READ}
    shown = [views.grid(name, table) for name, table in tables.items() if len(table)]
    return [views.differences(run.comparisons), *shown]


def test_every_table_that_people_read_has_all_its_columns_by_every_writer(made: Run, tmp_path: Path) -> None:
    """That of two kinds of limit has two columns headed LOS."""
    for run in (made, synthetic(tmp_path, TWO_TERMS, 5, plies=4)):
        for grid in read_of(run):
            shown, text = (str(parts(kind).table(grid)).strip() for kind in ("html", "markdown"))
            assert shown.count("<th ") == len(text.splitlines()[1].split("|")) - 2 == len(grid.headings)


def test_figures_sort_by_their_values_and_names_by_their_letters(made: Run, tmp_path: Path) -> None:
    """Also a name that begins with a number."""
    for run in (made, synthetic(tmp_path, [player("7 up", 1), player("12 men", 2)], 5, plies=4)):
        for grid in [standings_grid(run), *read_of(run)]:
            for row in grid.rows:
                for heading, cell in zip(grid.headings, row, strict=True):
                    is_sorted_by_number = "data-sort" in parts("html").table(Grid([heading], [[cell]]))
                    is_figure = heading.style not in (Style.NAME, Style.WORD)
                    assert is_sorted_by_number == (is_figure and bool(cell.text)), (heading, cell)


def test_lines_end_in_names_and_not_between_a_number_and_its_unit() -> None:
    assert wrapping("my_own.py:fast, 0.003 <b>") == "my_<wbr>own.<wbr>py:<wbr>fast, 0.003 &lt;b&gt;"
    for text in ("+12 ± 5 Elo", "500 µs", "31.1 %", "> 99.9 %", "2 k", "+5 ± 2 †"):
        whole = text.replace(" ", "\N{NO-BREAK SPACE}")
        assert (
            unescape(str(wrapping(f"is {text} here")))
            == unescape(escaped(f"is {text} here"))
            == f"is {whole} here"
        )


@pytest.mark.full
@pytest.mark.parametrize("width", [1366, 390])
def test_a_page_fits_the_screen_and_its_tables_are_sorted_from_the_keyboard(
    browser: Any, made: Run, width: int
) -> None:
    with page_of(browser, viewport={"width": width, "height": 800}) as page:
        page.goto(f"file://{made.folder}/report.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        table = page.locator("#standings-table")
        header = table.locator("th", has_text="Elo").first
        for key, order in (("Enter", "descending"), ("Space", "ascending")):
            header.locator("button").press(key)
            assert header.get_attribute("aria-sort") == order
            elo = table.locator("tbody tr").evaluate_all("rows => rows.map(row => +row.cells[2].dataset.sort)")
            assert elo == sorted(elo, reverse=order == "descending") and elo[0] != elo[-1]
