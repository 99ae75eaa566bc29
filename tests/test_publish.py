"""Runs published in a folder for any web server: what is in it, what is not, and what a visitor can do there."""

from __future__ import annotations

import base64
import json
import platform
import re
import shutil
import socket
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pandas as pd
import pytest

from arena.base.files import path_shortener
from arena.base.number import with_error
from arena.report.load import load
from tests.helpers.command_line import error_line, invoke
from tests.helpers.words import Words

HOST = "secret-host"
OWN = """\
from arena import Choice


class Fails:
    def __init__(self, variant, table=""):
        self.table = table

    def choose(self, game, limit, rng):
        if len(game.moves) > 4:
            raise OSError(f"no room for {self.table}")
        return Choice(game.legal_moves[0])
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The home folder of somebody who shall not be named, with two runs in `runs/`: `first` and `a b#c`."""
    folder = tmp_path_factory.mktemp("home") / "secret user"
    (folder / "code").mkdir(parents=True)
    own = folder / "code" / "mine.py"
    own.write_text(OWN, encoding="utf-8")
    failing = {
        "name": "/srv/new/own.py:f",
        "type": f"{own}:Fails",
        "in_process": True,
        "table": str(folder / "tables" / "big.bin"),
    }
    players: dict[str, list[dict[str, Any]]] = {
        "first": [failing, {"name": "/srv/old/own.py:f", "type": "random"}],
        "a b#c": [],
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(folder))
        patch.setenv("USERPROFILE", str(folder))
        patch.setattr(platform, "node", lambda: HOST)
        for seed, name in enumerate(players):
            document: dict[str, Any] = {"name": "run", "variant": "english", "seed": seed, "withdraw": 0}
            document |= {"openings": {"random_plies": 3, "count": 3}, "max_plies": 60}
            document["players"] = [*players[name], *({"name": other, "type": "random"} for other in "ab")]
            config = folder / f"{seed}.yaml"
            config.write_text(json.dumps(document), encoding="utf-8")
            done = invoke("run", config, "--out", folder / "runs" / name, "--workers", 1, "--no-report")
            assert done.exit_code == (3 if name == "first" else 0)
        yield folder


@pytest.fixture(scope="module")
def site(home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both runs, published by one command."""
    folder = tmp_path_factory.mktemp("public") / "site"
    runs = home / "runs"
    done = invoke("report", runs / "first", runs / "a b#c", "--publish", folder)
    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        f"published: {folder / 'first' / 'index.html'}",
        f"published: {folder / 'a b#c' / 'index.html'}",
        f"index: {folder / 'index.html'} (2 runs)",
    ]
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    """The files below a folder, by their paths in it; what a page has packed is unpacked."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() + b"".join(_unpacked(path))
        for path in folder.rglob("*")
        if path.is_file()
    }


def _unpacked(page: Path) -> Iterator[bytes]:
    if page.suffix == ".html":
        for text in re.findall(r'"(eN[\w+/]{20,}=*)"', page.read_text(encoding="utf-8")):
            yield zlib.decompress(base64.b64decode(text))


def test_nothing_published_names_a_folder_a_user_or_a_machine(home, site):
    found = contents(site)
    assert {
        "index.html",
        "first/index.html",
        "first/games.csv",
        "first/games.pdn",
        "first/elo.svg",
    } <= found.keys()
    assert not [name for name in found if re.search(r"sqlite|manifest|incidents|\.lock|report\.html|tmp", name)]
    assert b"no room for big.bin" in found["first/games.csv"]
    assert all(name in found["first/index.html"] for name in (b">new/own.py:f<", b">old/own.py:f<"))
    assert any(b'"steps":' in page for page in found.values())
    for secret in (str(home), "secret", HOST, str(site), str(Path(__file__).parents[1])):
        assert [name for name, content in found.items() if secret.encode() in content] == []
    assert set(pd.read_csv(site / "first" / "games.csv")["machine"]) == {"machine 1"}


def test_a_published_run_is_the_report_of_the_run(home, site, tmp_path):
    assert invoke("report", home / "runs" / "a b#c").exit_code == 0
    own, public = contents(home / "runs" / "a b#c"), contents(site / "a b#c")
    assert public.keys() - own.keys() == {"index.html", "entry.json"}
    for name in public.keys() - {"index.html", "entry.json", "games.csv"}:
        assert public[name] == own[name], name
    page = public["index.html"].decode()
    for own_part in ('<li><a href="../index.html">All runs</a></li>\n', '<link rel="icon" href="data:,">\n'):
        assert own_part in page
        page = page.replace(own_part, "")
    assert page == own["report.html"].decode()


def links(page: Path) -> list[str]:
    """The addresses that a page names, but for places in itself and data inside."""
    text = re.sub(r"<(script|style)>.*?</\1>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    found = re.findall(r'\s(?:href|src|action|poster|data)="([^"]*)"', text)
    return [unescape(link) for link in found if not link.startswith(("#", "data:"))]


def test_every_link_leads_to_a_file_of_the_folder_and_every_file_but_the_entry_is_linked(site):
    pages = [site / "index.html", *sorted(site.glob("*/index.html"))]
    assert len(pages) == 3
    reached = set(pages[:1])
    for page in pages:
        for link in links(page):
            parts = urlsplit(link)
            assert not parts.scheme and not parts.netloc and not parts.path.startswith("/"), link
            target = (page.parent / unquote(parts.path)).resolve()
            assert target.is_file() and target.is_relative_to(site.resolve()), link
            reached.add(target)
    written = {path.resolve() for path in site.rglob("*") if path.is_file() and path.name != "entry.json"}
    assert written == {path.resolve() for path in reached}
    for page in [*pages, *site.rglob("*.svg")]:
        assert not re.search(r'(href|src)="https?:|url\(["\']?https?:|@import', page.read_text(encoding="utf-8"))


def rows(site: Path) -> list[list[str]]:
    """The cells of the table of runs."""
    body = re.findall(r"<tbody>(.*?)</tbody>", (site / "index.html").read_text(encoding="utf-8"), re.DOTALL)[0]
    return [
        [unescape(re.sub("<[^>]*>", "", cell)) for cell in re.findall(r"<td.*?</td>", row, re.DOTALL)]
        for row in body.split("</tr>")[:-1]
    ]


def test_the_index_says_of_each_run_what_its_page_says(home, site):
    run = load(home / "runs" / "a b#c")
    first = run.standings.iloc[0]
    leader_elo = with_error(first["elo"], (first["elo_high"] - first["elo_low"]) / 2)
    found = {cells[0]: cells[1:] for cells in rows(site)}
    assert found.keys() == {"a b#c", "first"}
    answer, began, rules, players, games, leader, elo, commit = found["a b#c"]
    assert answer in re.sub("<[^>]*>", "", (site / "a b#c" / "index.html").read_text(encoding="utf-8"))
    assert (rules, players, games, leader, commit) == ("english", "2", "6", run.players[0], "")
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d", began) and elo == leader_elo


def test_publishing_again_replaces_the_run_and_leaves_everything_else(home, site, tmp_path):
    here = tmp_path / "site"
    here.mkdir()
    (here / "CNAME").write_text("example.org")
    (here / "about").mkdir()
    (here / "about" / "index.html").write_text("mine")
    first = home / "runs" / "first"
    assert invoke("report", first, "--publish", here).exit_code == 0
    assert [cells[0] for cells in rows(here)] == ["first"]
    (here / "first" / "los.csv").write_text("of an older report")
    (here / "first" / "notes.txt").write_text("mine")
    assert invoke("report", home / "runs" / "a b#c", "--publish", here).exit_code == 0
    assert invoke("report", first, "--publish", here).exit_code == 0
    assert {cells[0] for cells in rows(here)} == {"a b#c", "first"}
    found, expected = contents(here), contents(site)
    assert {name: found.pop(name) for name in ("CNAME", "about/index.html", "first/notes.txt")} == {
        "CNAME": b"example.org",
        "about/index.html": b"mine",
        "first/notes.txt": b"mine",
    }
    assert found == expected


def test_a_run_that_was_taken_away_or_is_unreadable_leaves_the_index_and_harms_no_other(home, tmp_path):
    here = tmp_path / "site"
    for name in ("gone", "odd"):
        (here / name).mkdir(parents=True)
        (here / name / "entry.json").write_text("{" if name == "odd" else "{}")
    (here / "gone" / "entry.json").unlink()
    assert invoke("report", home / "runs" / "first", "--publish", here).exit_code == 0
    assert [(cells[0], cells[8]) for cells in rows(here)] == [
        ("first", "complete"),
        ("odd", "cannot be read: publish it again"),
    ]


def test_a_run_that_is_not_complete_is_published_as_such(home, tmp_path):
    folder = tmp_path / "half"
    shutil.copytree(home / "runs" / "a b#c", folder)
    with closing(sqlite3.connect(folder / "ledger.sqlite")) as ledger, ledger:
        ledger.execute("DELETE FROM games WHERE game > 2")
        for table in ("meta", "meta_copy"):
            ledger.execute(f"DELETE FROM {table} WHERE key = 'complete'")
    assert invoke("report", folder, "--publish", tmp_path / "site").exit_code == 0
    ((_, _, _, _, _, games, *_, state, _),) = rows(tmp_path / "site")
    assert (games, state) == ("2", "not complete")
    assert "2 of 6 games" in (tmp_path / "site" / "half" / "index.html").read_text(encoding="utf-8")


def _index(here: Path) -> None:
    here.mkdir()
    (here / "index.html").write_text("mine")


def _folder(here: Path) -> None:
    (here / "first").mkdir(parents=True)
    (here / "first" / "mine.txt").touch()


def _ledger(here: Path) -> None:
    here.mkdir()
    (here / "ledger.sqlite").touch()


@pytest.mark.parametrize("prepare", [_index, _folder, _ledger, Path.touch], ids=lambda of: of.__name__.strip("_"))
def test_a_folder_in_which_something_would_be_lost_is_refused_and_left_as_it_is(
    home: Path, tmp_path: Path, words: Words, prepare: Any
) -> None:
    here = tmp_path / "site"
    prepare(here)
    before = contents(tmp_path)
    done = invoke("report", home / "runs" / "first", "--publish", here)
    assert done.exit_code == 2
    assert contents(tmp_path) == before
    words(error_line(done.stderr))


def test_two_runs_of_one_name_and_the_folder_of_the_runs_are_refused(home, tmp_path, words):
    runs = home / "runs"
    before = contents(runs)
    for arguments in ((runs / "first", runs / "a b#c" / ".." / "first", tmp_path), (runs / "first", runs)):
        *folders, here = arguments
        done = invoke("report", *folders, "--publish", here)
        assert done.exit_code == 2
        words(error_line(done.stderr).replace(str(runs), "RUNS"))
    done = invoke("report", runs / "first", tmp_path / "none", "--publish", tmp_path / "site")
    assert done.exit_code == 2
    words(error_line(done.stderr))
    assert contents(runs) == before


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("/x/old/h.py:f", "old/h.py:f"),
        ("/x/new/h.py:f", "new/h.py:f"),
        ("[Errno 2] '/data/deep/w.npz', /data/deep/", "[Errno 2] 'w.npz', deep"),
        (r"C:\Users\me\w.npz and \\server\share\k.py", "w.npz and k.py"),
        ('["/opt/scan/scan", "hub"] path=/opt/scan/x', '["scan", "hub"] path=x'),
        ("HOME/code/k2.py in HOME", "k2.py in ~"),
        (
            "../a/b ./c/d e/f 1/2-1/2 W/B /only https://a.b/c/d",
            "../a/b ./c/d e/f 1/2-1/2 W/B /only https://a.b/c/d",
        ),
    ],
)
def test_paths_are_shortened_to_what_tells_them_apart(
    monkeypatch: pytest.MonkeyPatch, text: str, short: str
) -> None:
    monkeypatch.setattr(Path, "home", lambda: Path("/home/some one"))
    others = ["/x/old/h.py:f", "/x/new/h.py:f"]
    text = text.replace("HOME", "/home/some one")
    assert path_shortener([text, *others])(text) == short


# --- in a browser


@pytest.fixture
def address(site: Path) -> Iterator[str]:
    """Where a web server that knows nothing of the arena serves the folder."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-u", "-m", "http.server", str(port), "--bind", "127.0.0.1"]
    with subprocess.Popen(command, cwd=site, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None and server.stdout.readline()
        yield f"http://127.0.0.1:{port}/"
        server.terminate()


@pytest.mark.parametrize("width", [1280, 390])
def test_a_visitor_goes_from_the_index_to_a_game_and_back(browser, address, site, width):
    context = browser.new_context(viewport={"width": width, "height": 844}, accept_downloads=True)
    page = context.new_page()
    wrong: list[str] = []
    asked: list[str] = []
    page.on(
        "console", lambda message: wrong.append(message.text) if message.type in ("error", "warning") else None
    )
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("request", lambda request: asked.append(request.url))
    page.on("response", lambda answer: wrong.append(answer.url) if answer.status >= 400 else None)

    page.goto(address)
    assert page.evaluate("document.documentElement.scrollWidth") == width
    page.click("#runs a:text-is('first')")
    page.wait_for_selector("#viewer[data-ready]")
    assert page.evaluate("document.documentElement.scrollWidth") == width

    for link in page.locator("figure a, .files a").all():
        answer = context.request.get(page.evaluate("link => link.href", link.element_handle()))
        assert answer.ok and answer.body()
    with page.expect_download() as download:
        page.click(".files a:text-is('games.csv')", modifiers=["Alt"])
    assert download.value.path().read_bytes() == (site / "first" / "games.csv").read_bytes()

    page.click(".viewer-game >> nth=0")
    page.wait_for_function("location.hash.startsWith('#game=')")
    start = page.input_value("[data-part=fen]")
    page.click("[data-action=forward]")
    assert (moved := page.input_value("[data-part=fen]")) != start
    page.wait_for_function("location.hash.endsWith('&ply=1')")
    page.reload()
    page.wait_for_selector("#viewer[data-ready]")
    assert page.input_value("[data-part=fen]") == moved
    page.click("text=All runs")
    page.wait_for_selector("h1:text-is('Tournaments')")
    context.close()
    assert wrong == []
    assert asked and all(url.startswith((address, "data:")) for url in asked)
