"""The page of a report, its charts and its files against what a reader sees, in a real browser, too."""

import re
import warnings
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes

from arena.report.charts.catalogue import answering_chart, figures
from arena.report.charts.plots import plot_elo, plot_sweep
from arena.report.charts.style import LEADING, on_page, save, svg
from arena.report.markup import escaped, wrapping
from arena.report.page import parts
from arena.report.page.sections import RunPage
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.sentences.cautions import cautions
from arena.report.tables import views
from arena.report.tables.table import Grid, Style
from arena.report.write import write
from tests.helpers.command_line import invoke
from tests.helpers.report_data import (
    EQUAL,
    GRID,
    MISSING_WORD,
    START,
    changed,
    drawn,
    plain,
    player,
    synthetic,
    texts,
    write_quickly,
)
from tests.helpers.runs import StoredRun
from tests.helpers.web_browser import page_of

MIXED = [*(player(f"ab-d{depth}", depth) for depth in (1, 2, 3, 5)), player("random", type="random")]
LONG = [player(f"player-{i:02d} of the forty-character kind abc"[:40], 1 + i % 9, e=i) for i in range(30)]
CJK, ARABIC, MARKUP, TEX = "対局プログラム", "برنامج الداما", 'a <b> & "id="x" url(#y)', '$x^2$ "q", \\n'
MARKDOWN, SCRIPT = "a|b*c_d`e", "<script>alert(1)</script>"
NAMES = [CJK, ARABIC, MARKUP, TEX, MARKDOWN, SCRIPT, "7 up", "12 men", *(f"player {n}" for n in range(9, 19))]
VOID = {"br", "col", "hr", "img", "input", "link", "meta", "wbr"}


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A depth sweep of four players and one that does not search, written to its folder."""
    made = synthetic(tmp_path_factory.mktemp("mixed"), MIXED, 3, plies=6)
    write(made)
    return made


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Names in any script, and that are markup in HTML, Markdown, TeX, PDN and CSV, written to its folder."""
    players = [player(name, 1 + i % 5, e=i) for i, name in enumerate(NAMES)]
    made = synthetic(tmp_path_factory.mktemp("hostile"), players, 1, plies=4)
    made = changed(made, experiment=made.experiment.model_copy(update={"name": "<b>run</b> & co"}))
    write_quickly(made)
    return made


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of one player without games, written to its folder."""
    made = synthetic(tmp_path_factory.mktemp("empty"), [player("alone", 3)], 0)
    write_quickly(made)
    return made


def page_text(run: Run, name: str = "report.html") -> str:
    """The text of a run's page, or of another one of its files."""
    return (run.folder / name).read_text(encoding="utf-8")


# charts


@pytest.mark.full(but=["three limits", "nobody searches"])
@pytest.mark.parametrize(
    ("players", "options"),
    [
        (MIXED, {"draws": 1.1}),
        (LONG, {}),
        ([player("r", type="random"), player("s", type="x")], {}),
        (GRID, {}),
        (EQUAL, {}),
    ],
    ids=["all draws", "thirty long names", "nobody searches", "two curves", "three limits"],
)
def test_no_chart_shows_a_missing_number_or_cuts_a_text_off(tmp_path, players, options):
    style = dict(matplotlib.rcParams)
    for name, ax in drawn(synthetic(tmp_path, players, 1, plies=6, **options)).items():
        assert not [text for text in texts(ax) if MISSING_WORD.search(text)], name
        figure: Any = ax.figure
        shown = figure.get_tightbbox()
        assert shown.x0 >= -0.02 and shown.y0 >= -0.02, name
        assert shown.x1 <= figure.get_figwidth() + 0.02 and shown.y1 <= figure.get_figheight() + 0.02, name
        assert ax.get_window_extent().width > 0.25 * figure.bbox.width, name
    assert dict(matplotlib.rcParams) == style


def test_the_best_player_is_at_the_top_of_the_elo_chart(mixed):
    ax: Any = plot_elo(mixed.standings)
    assert [t.get_text() for t in ax.get_yticklabels()] == mixed.players
    assert ax.transData.transform((0, 0))[1] > ax.transData.transform((0, 1))[1]
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), mixed.standings["elo"])


def test_a_chart_of_many_players_shows_the_leading_ones_and_says_so():
    count = LEADING + 9
    table = pd.DataFrame({"player": [f"p{i}" for i in range(count)], "elo": np.linspace(300, -300, count)})
    shown = texts(plot_elo(table.assign(elo_low=table["elo"] - 9, elo_high=table["elo"] + 9)))
    assert any(f"the leading {LEADING} of {count}" in text for text in shown)
    assert f"p{LEADING - 1}" in shown and f"p{LEADING}" not in shown


def test_the_depth_chart_has_points_at_the_ratings_and_the_fitted_curve(mixed):
    points: Any = mixed.sweep[mixed.sweep["per"] == "depth"]
    ax: Any = plot_sweep(points)
    marks, curve = ax.containers[0].lines[0], next(line for line in ax.lines if len(line.get_xdata()) == 100)
    by_name: Any = mixed.standings.set_index("player")["elo"]
    assert marks.get_xdata().tolist() == [1, 2, 3, 5]
    np.testing.assert_allclose(marks.get_ydata(), by_name[["ab-d1", "ab-d2", "ab-d3", "ab-d5"]])
    fit: Any = points.iloc[0]
    np.testing.assert_allclose(curve.get_ydata(), fit["elo_at_1"] + fit["gain"] * np.log2(curve.get_xdata()))
    np.testing.assert_allclose(curve.get_xdata()[[0, -1]], [1, 5])


@pytest.mark.usefixtures("no_pictures")
def test_the_chart_of_a_sweep_stands_below_the_answer(mixed, tmp_path):
    equal = synthetic(tmp_path, EQUAL, 3, plies=4)
    for run, expected in ((mixed, ["elo_by_depth"]), (equal, [])):
        top = RunPage(run).html.partition("<section>")[0]
        assert re.findall('id="chart-([^"]+)"', top) == expected == [*filter(None, [answering_chart(run)])]


def test_names_in_any_script_are_text_in_svg_and_give_no_warning(hostile, tmp_path):
    axes: Any = plot_elo(hostile.standings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = svg(axes)
        save(axes, "png", tmp_path / "elo.png")
    escaped_name = MARKUP.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    for page in (text, on_page(text, "elo", "")):
        assert {CJK, ARABIC, escaped_name} <= set(re.findall(r"<text[^>]*>([^<]*)</text>", page))
    assert not next(t for t in axes.get_yticklabels() if "$" in t.get_text()).get_parse_math()


@pytest.mark.full(only=["png"])
@pytest.mark.parametrize("kind", ["pdf", "png"])
def test_a_chart_as_a_file_has_the_same_bytes_each_time(mixed, tmp_path, kind):
    """A PDF has its fonts inside, a PNG two hundred dots an inch."""
    axes: Any = plot_elo(mixed.standings)
    for name in ("one", "other"):
        save(axes, kind, tmp_path / name)
    made = (tmp_path / "one").read_bytes()
    assert made == (tmp_path / "other").read_bytes()
    if kind == "pdf":
        assert made.startswith(b"%PDF") and b"/FontFile2" in made
    else:
        assert int.from_bytes(made[16:20]) == pytest.approx(200 * axes.figure.get_figwidth(), abs=1)


# page and files


def test_every_element_of_the_page_is_closed_in_order(hostile):
    opened: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: None if tag in VOID else opened.append(tag)  # type: ignore[method-assign]
    parser.handle_startendtag = lambda tag, attrs: None  # type: ignore[method-assign]
    closed: list[tuple[str, str]] = []
    parser.handle_endtag = lambda tag: closed.append((opened.pop(), tag))  # type: ignore[method-assign]
    parser.feed(page_text(hostile))
    assert not opened and closed and all(first == last for first, last in closed)


def test_page_and_summary_escape_names(hostile):
    page, summary = page_text(hostile), page_text(hostile, "summary.md")
    assert SCRIPT not in page and "<b>run" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page and "&lt;b&gt;run&lt;/b&gt; &amp; co" in page
    assert not re.search(r"(?<!\\)<[\w/!?]", summary) and "&lt;" not in summary
    assert r"a\|b\*c\_d\`e" in summary
    for block in re.findall(r"(?:^\|.*\n)+", summary, flags=re.MULTILINE):
        assert len({len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}) == 1


def test_the_page_needs_no_other_file_and_each_of_its_references_finds_an_id(mixed):
    page = page_text(mixed)
    links = re.findall(r'(?:href|src)="([^"]*)"', page) + re.findall(r"url\(([^)]*)\)", page)
    assert links and not [link for link in links if ":" in link or link.startswith("//")]
    assert "@import" not in page
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    references = set(re.findall(r'(?:href="|url\()#(?!game=|[^"]*opponent=)([^")]+)', page))
    assert references and references <= set(ids)
    pictures = {path.name for path in mixed.folder.glob("*.svg")}
    assert set(re.findall(r'href="([^"#]+)"', page)) == pictures
    assert set(re.findall(r"^!\[[^\]]+\]\(([\w.]+)\)$", page_text(mixed, "summary.md"), re.MULTILINE)) == pictures


@pytest.mark.parametrize("kind", ["mixed", "hostile", "empty"])
def test_no_file_shows_a_missing_number(kind, request):
    folder = request.getfixturevalue(kind).folder
    for path in [*folder.glob("*.csv"), folder / "summary.md", folder / "report.html"]:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".html":
            text = re.sub(r"<(style|svg|pre|script).*?</\1>", "", text, flags=re.DOTALL)
            text = re.sub(r"<[^>]*>", " ", text)
        assert not MISSING_WORD.search(text), path.name
    assert any(folder.glob("*.svg")) == (kind != "empty")


@pytest.mark.full
def test_the_same_ledger_gives_the_same_bytes(mixed, tmp_path):
    write(changed(mixed, tmp_path, games=mixed.games.copy(), moves=mixed.moves.copy()))
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in mixed.folder.iterdir()}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (mixed.folder / path.name).read_bytes(), path.name


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_behind(mixed, tmp_path, monkeypatch):
    (tmp_path / "elo_by_depth.png").write_bytes(b"old")

    def fail(axes: Axes, kind: str, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError("disk full")

    monkeypatch.setattr("arena.report.charts.style.save", fail)
    with pytest.raises(OSError, match="disk full"):
        write_quickly(changed(mixed, tmp_path), also=["png"])
    assert (tmp_path / "elo_by_depth.png").read_bytes() == b"old"
    assert not list(tmp_path.glob(".*"))


def broken(*_: Any, **__: Any) -> Any:
    raise ZeroDivisionError("float division by zero")


BROKEN = {
    "sentences.cautions.waited": "The answer",
    "charts.catalogue.plot_sweep": "The answer",
    "page.standings.whisker": "Standings",
    "page.sections.player_sections": "Players' pages",
    "write.RunGames.part": "Games",
}
"""Functions of sections of a page, each with what the section is called."""


@pytest.mark.parametrize("function", BROKEN)
def test_a_section_that_cannot_be_made_is_a_line_and_all_else_is_written(mixed, tmp_path, monkeypatch, function):
    faulty = changed(mixed, tmp_path)
    monkeypatch.setattr(f"arena.report.{function}", broken)
    written = {path.name for path in write_quickly(faulty)}
    assert {path.name for path in mixed.folder.iterdir()} - written <= {"elo_by_depth.svg", "elo_by_nodes.svg"}
    (line,) = (line for line in faulty.faults.found.values() if line.startswith(BROKEN[function]))
    assert "ZeroDivisionError" in line and line in plain(unescape(page_text(faulty)))


def test_a_report_that_lacks_a_section_says_so_on_stderr_and_by_its_exit_code(tmp_path, monkeypatch, no_pictures):
    with StoredRun(tmp_path, ["mine", "rock"], 8) as run:
        for _ in range(8):
            run.add("mine", "rock", "white")
        run.end()
    monkeypatch.setattr("arena.report.sentences.answer._comparisons", broken)
    faulty = invoke("report", tmp_path)
    assert faulty.exit_code == 2 and "Traceback" not in faulty.output
    (line,) = [line for line in faulty.stderr.splitlines() if "ZeroDivisionError" in line]
    assert line in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("is_configured", [True, False])
def test_charts_are_files_of_other_kinds_too_if_the_configuration_or_a_call_asks_for_them(
    mixed, tmp_path, monkeypatch, is_configured
):
    asked = ("png", "pdf")
    monkeypatch.setattr("arena.report.charts.style.save", lambda axes, kind, path: path.touch())
    configured = mixed.experiment.model_copy(update={"report": asked})
    run = changed(mixed, tmp_path, experiment=configured) if is_configured else changed(mixed, tmp_path)
    names = {path.name for path in write_quickly(run, also=() if is_configured else asked)}
    charts = {path.stem for path in mixed.folder.glob("*.svg")}
    for kind in asked:
        assert not list(mixed.folder.glob(f"*.{kind}")) and {f"{name}.{kind}" for name in charts} <= names
        assert set(re.findall(rf'href="(\w+)\.{kind}"', page_text(run))) == charts


def test_a_run_has_its_charts_as_figures(mixed, tmp_path):
    made = Run(mixed.folder, mixed.data, figures).figures
    assert set(made) == {path.stem for path in mixed.folder.glob("*.svg")}
    made["elo_by_depth"].savefig(tmp_path / "elo.png")


def test_many_repeated_games_are_a_caution(mixed, tmp_path):
    assert not [note for note in cautions(mixed) if "repeat" in note]
    games = mixed.games.assign(opening_fen=START, white="ab-d1", black="ab-d2")
    again = changed(mixed, tmp_path, games=games, moves=mixed.moves.assign(move="11-15"))
    assert f"{len(games) - 1} of {len(games)} games repeat" in " ".join(cautions(again))


# tables


def read_of(run: Run) -> list[Grid]:
    """The tables that people read of a run."""
    tables = {name: getattr(run, name) for name in views.READ}
    shown = [views.grid(name, table) for name, table in tables.items() if len(table)]
    return [standings_grid(run), views.differences(run.comparisons), *shown]


def test_tables_have_all_columns_by_every_writer_and_sort_figures_by_value_and_names_by_letters(hostile, tmp_path):
    """Also a name that begins with a number; that of two kinds of limit has two columns headed LOS."""
    for grid in [*read_of(hostile), *read_of(synthetic(tmp_path, EQUAL, 5, plies=4))]:
        shown, text = (str(parts(kind).table(grid)).strip() for kind in ("html", "markdown"))
        drawings = sum(heading.style is Style.PLOT for heading in grid.headings)
        assert shown.count("<th ") == len(grid.headings) == len(text.splitlines()[1].split("|")) - 2 + drawings
        for heading, cell in (
            (heading, cell) for row in grid.rows for heading, cell in zip(grid.headings, row, strict=True)
        ):
            is_sorted_by_number = "data-sort" in parts("html").table(Grid([heading], [[cell]]))
            is_figure = heading.style not in (Style.NAME, Style.WORD)
            assert is_sorted_by_number == (is_figure and bool(cell.text)), (heading, cell)


def test_lines_end_in_names_and_not_between_a_number_and_its_unit():
    assert wrapping("my_own.py:fast, 0.003 <b>") == "my_<wbr>own.<wbr>py:<wbr>fast, 0.003 &lt;b&gt;"
    for text in ("+12 ± 5 Elo", "500 µs", "31.1 %", "> 99.9 %", "2 k", "+5 ± 2 †"):
        words, whole = f"is {text} here", text.replace(" ", "\N{NO-BREAK SPACE}")
        assert unescape(str(wrapping(words))) == unescape(escaped(words)) == f"is {whole} here"


@pytest.mark.full
@pytest.mark.parametrize("width", [1366, 390])
def test_a_page_fits_the_screen_and_its_tables_are_sorted_from_the_keyboard(browser, hostile, width):
    with page_of(browser, viewport={"width": width, "height": 800}) as page:
        page.goto(f"file://{hostile.folder}/report.html")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        table = page.locator("#standings-table")
        header = table.locator("th", has_text="Elo").first
        for key, order in (("Enter", "descending"), ("Space", "ascending")):
            header.locator("button").press(key)
            assert header.get_attribute("aria-sort") == order
            elo = table.locator("tbody tr").evaluate_all("rows => rows.map(row => +row.cells[2].dataset.sort)")
            assert elo == sorted(elo, reverse=order == "descending") and elo[0] != elo[-1]
