"""Charts, page and files of a report against what a reader would see."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes

from arena.report.charts.catalogue import figures
from arena.report.charts.plots import plot_elo, plot_sweep
from arena.report.charts.style import save
from arena.report.run import Run
from arena.report.sentences.cautions import cautions
from arena.report.write import write
from tests.helpers.report_data import (
    MISSING_WORD,
    START,
    assert_no_missing_number,
    assert_nothing_is_cut_off,
    changed,
    drawn,
    plain,
    player,
    synthetic,
    texts,
    write_quickly,
)  # fmt: skip

LONG = [player(f"player-{i:02d} of the forty-character kind abc"[:40], 1 + i % 9, e=i) for i in range(30)]
EQUAL = [
    player(f"{e} {limit}", evaluation=e, **limit) for e in "xy" for limit in ({"depth": 6}, {"seconds": 0.02})
]
GRID = [player(f"{e} d{depth}", depth, evaluation=e) for e in "xy" for depth in (1, 2, 4)]
MIXED = [*(player(f"ab-d{depth}", depth) for depth in (1, 2, 3, 5)), player("random", type="random")]


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A depth sweep of four players and one that does not search, written to its folder."""
    made = synthetic(tmp_path_factory.mktemp("mixed"), MIXED, 3, plies=6)
    write(made)
    return made


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Names that are markup in HTML, Markdown, TeX, PDN and CSV, written to its folder."""
    players = [player("<script>alert(1)</script>", 2), player("a|b*c_d`e", 3), player('$x^2$ "q", \\n', 4)]
    made = synthetic(tmp_path_factory.mktemp("hostile"), players, 2, plies=6)
    made = changed(made, experiment=made.experiment.model_copy(update={"name": "<b>run</b> & co"}))
    write_quickly(made)
    return made


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run of one player without games, written to its folder."""
    made = synthetic(tmp_path_factory.mktemp("empty"), [player("alone", 3)], 0)
    write_quickly(made)
    return made


# charts


def test_a_run_without_games_has_no_chart(empty: Run) -> None:
    assert not drawn(empty) and not list(empty.folder.glob("*.svg"))


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
def test_no_chart_shows_a_missing_number_or_cuts_a_text_off(
    tmp_path: Path, players: list[dict[str, Any]], options: dict[str, Any]
) -> None:
    style = dict(matplotlib.rcParams)
    for name, ax in drawn(synthetic(tmp_path, players, 1, plies=6, **options)).items():
        assert not [text for text in texts(ax) if MISSING_WORD.search(text)], name
        figure: Any = ax.figure
        assert_nothing_is_cut_off(figure, name)
        assert ax.get_window_extent().width > 0.25 * figure.bbox.width, name
    assert dict(matplotlib.rcParams) == style


def test_the_best_player_is_at_the_top_of_the_elo_chart(mixed: Run) -> None:
    ax: Any = plot_elo(mixed.standings)
    assert [t.get_text() for t in ax.get_yticklabels()] == mixed.players
    assert ax.transData.transform((0, 0))[1] > ax.transData.transform((0, 1))[1]
    np.testing.assert_allclose(ax.lines[-1].get_xdata(), mixed.standings["elo"])


def test_the_depth_chart_has_points_at_the_ratings_and_the_fitted_curve(mixed: Run) -> None:
    points: Any = mixed.sweep[mixed.sweep["per"] == "depth"]
    ax: Any = plot_sweep(points)
    drawn_points, curve = (
        ax.containers[0].lines[0],
        next(line for line in ax.lines if len(line.get_xdata()) == 100),
    )
    by_name: Any = mixed.standings.set_index("player")["elo"]
    assert drawn_points.get_xdata().tolist() == [1, 2, 3, 5]
    np.testing.assert_allclose(drawn_points.get_ydata(), by_name[["ab-d1", "ab-d2", "ab-d3", "ab-d5"]])
    fit: Any = points.iloc[0]
    np.testing.assert_allclose(curve.get_ydata(), fit["elo_at_1"] + fit["gain"] * np.log2(curve.get_xdata()))
    np.testing.assert_allclose(curve.get_xdata()[[0, -1]], [1, 5])


def test_dollar_signs_in_names_are_text_and_not_formulas(hostile: Run) -> None:
    ax: Any = plot_elo(hostile.standings)
    label = next(t for t in ax.get_yticklabels() if "$" in t.get_text())
    assert not label.get_parse_math()


# page and files


def test_the_page_escapes_names(hostile: Run) -> None:
    text = (hostile.folder / "report.html").read_text(encoding="utf-8")
    assert "<script>alert" not in text and "<b>run" not in text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text and "&lt;b&gt;run&lt;/b&gt; &amp; co" in text


def test_the_page_is_self_contained(mixed: Run) -> None:
    text = (mixed.folder / "report.html").read_text(encoding="utf-8")
    links = re.findall(r'(?:href|src)="([^"]*)"', text) + re.findall(r"url\(([^)]*)\)", text)
    assert links and not [link for link in links if ":" in link or link.startswith("//")]
    assert "@import" not in text


def test_markdown_escapes_names_and_keeps_its_columns(hostile: Run) -> None:
    text = (hostile.folder / "summary.md").read_text(encoding="utf-8")
    assert not re.search(r"(?<!\\)<[\w/!?]", text) and "&lt;" not in text
    assert r"a\|b\*c\_d\`e" in text
    for block in re.findall(r"(?:^\|.*\n)+", text, flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1


def test_ids_of_the_page_are_unique_and_every_reference_and_link_finds_one(mixed: Run) -> None:
    text = (mixed.folder / "report.html").read_text(encoding="utf-8")
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    references = set(re.findall(r'(?:href="|url\()#(?!game=|[^"]*opponent=)([^")]+)', text))
    assert references and references <= set(ids)
    written = {path.name for path in mixed.folder.iterdir()}
    assert set(re.findall(r'href="([^"#]+)"', text)) == {name for name in written if name.endswith(".svg")}


def test_repeated_games_are_noted(mixed: Run, tmp_path: Path) -> None:
    assert not [note for note in cautions(mixed) if "repeat" in note]
    games = mixed.games.assign(opening_fen=START, white="ab-d1", black="ab-d2")
    again = changed(mixed, tmp_path, games=games, moves=mixed.moves.assign(move="11-15"))
    assert f"{len(games) - 1} of {len(games)} games repeat" in " ".join(cautions(again))


@pytest.mark.parametrize("kind", ["mixed", "hostile", "empty"])
def test_no_file_shows_a_missing_number(kind: str, request: pytest.FixtureRequest) -> None:
    folder = request.getfixturevalue(kind).folder
    for path in [*folder.glob("*.csv"), folder / "summary.md"]:
        found = MISSING_WORD.search(path.read_text(encoding="utf-8"))
        assert not found, (path.name, found)
    assert_no_missing_number(folder / "report.html")


def test_the_same_ledger_gives_the_same_bytes(mixed: Run, tmp_path: Path) -> None:
    again = changed(mixed, tmp_path, games=mixed.games.copy(), moves=mixed.moves.copy())
    write(again)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in mixed.folder.iterdir()}
    for path in tmp_path.iterdir():
        assert path.read_bytes() == (mixed.folder / path.name).read_bytes(), path.name


def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_behind(
    mixed: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
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
def test_a_section_that_cannot_be_made_is_a_line_and_all_else_is_written(
    mixed: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    faulty = changed(mixed, tmp_path)
    monkeypatch.setattr(f"arena.report.{function}", broken)
    written = {path.name for path in write_quickly(faulty)}
    assert {path.name for path in mixed.folder.iterdir()} - written <= {"elo_by_depth.svg", "elo_by_nodes.svg"}
    line = f"{BROKEN[function]} could not be made: ZeroDivisionError: float division by zero"
    assert line in faulty.faults.found.values()
    assert line in plain(unescape((tmp_path / "report.html").read_text(encoding="utf-8")))


@pytest.mark.parametrize("is_configured", [True, False])
def test_charts_are_files_of_other_kinds_too_if_the_configuration_or_a_call_asks_for_them(
    mixed: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_configured: bool
) -> None:
    asked = ("png", "pdf")
    monkeypatch.setattr("arena.report.charts.style.save", lambda axes, kind, path: path.touch())
    configured = mixed.experiment.model_copy(update={"report": asked})
    run = changed(mixed, tmp_path, experiment=configured) if is_configured else changed(mixed, tmp_path)
    names = {path.name for path in write_quickly(run, also=() if is_configured else asked)}
    charts = {path.stem for path in mixed.folder.glob("*.svg")}
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    for kind in asked:
        assert not list(mixed.folder.glob(f"*.{kind}")) and {f"{name}.{kind}" for name in charts} <= names
        assert set(re.findall(rf'href="(\w+)\.{kind}"', page)) == charts


def test_a_run_has_its_charts_as_figures(mixed: Run, tmp_path: Path) -> None:
    run = Run(mixed.folder, mixed.data, figures)
    assert set(run.figures) == {path.stem for path in mixed.folder.glob("*.svg")}
    run.figures["elo_by_depth"].savefig(tmp_path / "elo.pdf")
    assert (tmp_path / "elo.pdf").read_bytes().startswith(b"%PDF")


@pytest.mark.parametrize("kind", ["pdf", "png"])
def test_a_chart_as_a_file_has_the_same_bytes_each_time(mixed: Run, tmp_path: Path, kind: str) -> None:
    """A PDF has its fonts inside, a PNG two hundred dots an inch."""
    axes: Any = plot_elo(mixed.standings)
    for name in ("one", "other"):
        save(axes, kind, tmp_path / name)
    drawn = (tmp_path / "one").read_bytes()
    assert drawn == (tmp_path / "other").read_bytes()
    if kind == "pdf":
        assert drawn.startswith(b"%PDF") and b"/FontFile2" in drawn
    else:
        assert int.from_bytes(drawn[16:20]) == pytest.approx(200 * axes.figure.get_figwidth(), abs=1)
