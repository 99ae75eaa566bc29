"""The page of a report and its charts: as files, and in a real browser at the widths of a desk and of a phone."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.base.number import shown
from arena.report.charts.axes import LEADING
from arena.report.charts.elo import plot_elo
from arena.report.charts.style import save_png, svg
from arena.report.page.blocks import Chart
from arena.report.page.sections import FOLDED, MOST_PAIRS, RunPage
from arena.report.run import Run
from arena.report.template import escaped, wrapping
from arena.report.write import write
from tests.helpers.report_data import changed, player, synthetic, texts
from tests.helpers.web_browser import page_of

CJK, ARABIC, MARKUP = "対局プログラム", "برنامج الداما", 'a <b> & "id="x" url(#y)'
NAMES = [CJK, ARABIC, MARKUP, *(f"player {number}" for number in range(4, 19))]
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of 18 players with names of all kinds and its report for papers."""
    players = [player(name, 1 + i % 5, e=i) for i, name in enumerate(NAMES)]
    run = synthetic(tmp_path_factory.mktemp("page"), players, 1, plies=4)
    write(run, latex=True)
    return run


@contextmanager
def opened(browser: Any, run: Run, width: int = 1280) -> Iterator[Any]:
    """The page of a run in a window."""
    with page_of(browser, viewport={"width": width, "height": 800}) as page:
        page.goto(f"file://{run.folder}/report.html")
        yield page


class Balance(HTMLParser):
    """Whether every element that is opened is closed, in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


# files


def test_every_element_of_the_page_is_closed_in_order(made: Run) -> None:
    balance = Balance()
    balance.feed((made.folder / "report.html").read_text(encoding="utf-8"))
    assert not balance.open and not balance.wrong


def test_names_in_any_script_are_text_in_svg_and_give_no_warning(made: Run, tmp_path: Path) -> None:
    axes = plot_elo(made.standings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = svg(axes)
        save_png(axes, tmp_path / "elo.png")
    shown = re.findall(r"<text[^>]*>([^<]*)</text>", text)
    assert {CJK, ARABIC, MARKUP.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")} <= set(shown)
    assert "Verdana" in text and '<defs>\n  <path id="DejaVu' not in text


def test_a_chart_inside_the_page_keeps_names_that_look_like_markup(made: Run) -> None:
    shown = Chart("elo", "", svg(plot_elo(made.standings))).html()
    assert 'a &lt;b&gt; &amp; "id="x" url(#y)</text>' in shown
    assert "var(--ink)" in shown


def test_a_chart_of_many_players_shows_the_leading_ones_and_says_so() -> None:
    count = LEADING + 9
    table = pd.DataFrame({"player": [f"p{i}" for i in range(count)], "elo": np.linspace(300, -300, count)})
    table = table.assign(elo_low=table["elo"] - 9, elo_high=table["elo"] + 9, games=4, score=0.5)
    shown = texts(plot_elo(table))
    assert f"Elo ratings with 95 % intervals, the leading {LEADING} of {count}" in shown
    assert f"p{LEADING - 1}" in shown and f"p{LEADING}" not in shown


def test_the_crosstable_of_many_players_is_folded(made: Run) -> None:
    assert len(NAMES) > FOLDED
    text = (made.folder / "report.html").read_text(encoding="utf-8")
    assert re.search(
        r'<details><summary>18 players</summary>\s*<div[^>]*><table class="data" id="crosstable', text
    )


def details(run: Run) -> str:
    return next(section.markdown() for section in RunPage(run).sections() if section.anchor == "details")


def test_of_many_pairings_the_first_are_shown_and_the_page_says_so(made: Run) -> None:
    text = details(made).partition("### Each pairing")[2].partition("###")[0]
    assert f"The first {MOST_PAIRS} of 153 pairings; crosstable.csv has all." in text
    results = re.findall(r"\| (\d) - (\d) - (\d) \|", text)
    assert len(results) == MOST_PAIRS and {sum(map(int, each)) for each in results} == {2}


def test_the_number_of_cores_has_its_word(made: Run) -> None:
    info = made.info._replace(machine={"cores": 2, "platform": "Linux", "processor": ""})
    every = RunPage(changed(made, info=info)).sections()
    assert "2 cores, Linux</p>" in next(section for section in every if section.anchor == "details").html()


@pytest.mark.full
def test_the_summary_shows_every_picture(made: Run) -> None:
    shown = re.findall(r"^!\[[^\]]+\]\(([\w.]+)\)$", (made.folder / "summary.md").read_text(), flags=re.MULTILINE)
    assert set(shown) == {path.name for path in made.folder.glob("*.svg")} and len(shown) > 5


def test_latex_tables_have_the_same_columns_in_each_row(made: Run) -> None:
    tables = {path.name: path.read_text(encoding="utf-8") for path in made.folder.glob("*.tex")}
    assert set(tables) >= {"standings.tex", "effort.tex"}
    for name, text in tables.items():
        rows = [line for line in text.splitlines() if line.endswith(r"\\")]
        assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1 and len(rows) > 1, name
    assert 'a <b> \\& "id="x" url(\\#y)' in tables["standings.tex"]


def test_cells_sort_by_the_numbers_that_they_show() -> None:
    rising = ["−1,234", "−7 to +20", "0", "500 µs", "1.5 ms", "12.5/20", "0.75 (0.5 to 1)", "3/3", "+12 ± 5"]
    rising += ["99.9 %", "> 99.9 %", "1,234", "1.3 k", "2 M"]
    found = [value for text in rising if (value := shown(text)) is not None]
    assert found == sorted(set(found)) and len(found) == len(rising)
    assert [shown(text) for text in ("", "anchor", "name")] == [None] * 3
    assert shown("12.5/20") == 0.625 and shown("500 µs") == pytest.approx(0.0005) and shown("0/0") == 0


def test_a_cell_has_the_number_that_it_sorts_by_unless_it_is_a_name_or_words(made: Run) -> None:
    text = (made.folder / "report.html").read_text(encoding="utf-8")
    first: Any = made.standings.iloc[0]
    row = text[text.index('id="standings-table"') :]
    row = row[row.index("<tbody>") : row.index("</tr>", row.index("<tbody>"))]
    values = re.findall(r'<td class="[^"]*"(?: data-sort="([^"]*)")?>', row)
    assert values[:2] == ["1", ""] and float(values[2]) == pytest.approx(first["elo"])


# in a browser


def test_a_header_sorts_its_table_from_the_keyboard_and_back_again(browser: Any, made: Run) -> None:
    with opened(browser, made) as page:
        table = page.locator("#standings-table")
        elo = "rows => rows.map(row => +row.cells[2].dataset.sort)"
        header = table.locator("th", has_text="Elo").first
        for key, order in (("Enter", "descending"), ("Space", "ascending")):
            header.locator("button").press(key)
            assert header.get_attribute("aria-sort") == order
            shown = table.locator("tbody tr").evaluate_all(elo)
            assert shown == sorted(shown, reverse=order == "descending") and shown[0] != shown[-1]


@pytest.mark.parametrize("line", ["+12 ± 5 Elo", "500 µs", "31.1 %", "> 99.9 %", "2 k", "+5 ± 2 †"])
def test_no_line_ends_between_a_number_and_its_unit_on_page_and_summary(line: str) -> None:
    whole = line.replace(" ", "\N{NO-BREAK SPACE}")
    assert unescape(str(wrapping(f"is {line} here"))) == f"is {whole} here"
    assert unescape(escaped(f"is {line} here")) == f"is {whole} here"


def test_a_name_may_break_behind_its_signs_and_a_number_not() -> None:
    assert wrapping("my_own.py:fast, 0.003") == "my_<wbr>own.<wbr>py:<wbr>fast, 0.003"
    assert wrapping("<b>") == "&lt;b&gt;"


@pytest.mark.parametrize("width", [1366, 390])
def test_the_page_is_no_wider_than_the_screen(browser: Any, made: Run, width: int) -> None:
    with opened(browser, made, width) as page:
        assert page.evaluate("document.documentElement.scrollWidth") <= width
