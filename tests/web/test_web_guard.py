"""Attacks on the local server: each gets a refusal in one line, and nothing has changed."""

import contextlib
import json
import re
import socket
import time
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import pytest
import websockets
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from websockets.sync.client import connect

from arena.web import app, guard
from arena.web.messages import MOST_BYTES
from arena.web.serving import redirecting
from tests.helpers.web_server import WAIT_SECONDS, Served, served

pytestmark = pytest.mark.compiled
BODY = {"variant": "english", "white": "human", "black": "human"}


@pytest.fixture(scope="module")
def at() -> Iterator[Served]:
    with served() as running:
        yield running


@pytest.fixture(scope="module")
def stranger(at: Served) -> Iterator[httpx.Client]:
    """A client without the token."""
    with httpx.Client(base_url=at.base, timeout=30) as client:
        yield client


@pytest.fixture
def unchanged(at: Served) -> Iterator[dict[str, Any]]:
    """A game that nothing may happen to, and no other may be begun."""
    state, count = at.begin(**BODY), len(at.room)
    yield state
    assert at.state(state) == state
    assert len(at.room) == count


def refused(answer: httpx.Response, *statuses: int) -> None:
    assert answer.status_code in (statuses or range(400, 500)), answer.text
    assert set(answer.json()) == {"error"} and "\n" not in answer.json()["error"]
    for name in ("x-content-type-options", "referrer-policy", "cache-control", "content-security-policy"):
        assert name in answer.headers


EVERYWHERE = [
    ("GET", "/api/offer"),
    ("GET", "/api/board?variant=english"),
    ("POST", "/"),
    ("POST", "/api/games"),
    ("GET", "/nothing"),
]
POSTED = "/api/games"


@pytest.mark.parametrize("token", ["", "ü", None])
def test_nothing_is_answered_without_the_token(stranger, unchanged, token):
    headers = {} if token is None else {"X-Arena-Token": token.encode()}
    for method, path in EVERYWHERE:
        refused(stranger.request(method, path, headers=headers, json=BODY), 403)


@pytest.mark.parametrize("host", ["evil.example", "", "0.0.0.0", "127.0.0.1.evil.example"])
def test_a_name_that_was_bent_to_this_machine_is_refused(at, unchanged, host):
    for method, path in [*EVERYWHERE, ("GET", "/")]:
        assert at.client.request(method, path, headers={"Host": host}, json=BODY).status_code == 400
    assert at.client.get("/api/offer", headers={"Host": f"localhost:{at.port}"}).status_code == 200


@pytest.mark.parametrize("wrong", ["token", "host"])
def test_websockets_are_guarded_alike(at, unchanged, wrong):
    address = at.address(unchanged)
    uri = address.replace(at.token, "x") if wrong == "token" else address.replace("127.0.0.1", "127.0.0.2")
    with socket.create_connection(("127.0.0.1", at.port)) as knocking:
        with pytest.raises(websockets.InvalidStatus) as denied:
            connect(uri, sock=knocking)
        assert denied.value.response.status_code in (400, 403)


def test_other_content_types_are_refused(at, unchanged):
    for kind in ("text/plain", ""):
        refused(at.client.post(POSTED, content=json.dumps(BODY), headers={"Content-Type": kind}), 415)


def test_bodies_and_messages_that_are_too_long_are_refused(at, unchanged):
    def long() -> Iterator[bytes]:
        for _ in range(100):
            yield b" " * MOST_BYTES

    refused(at.client.post(POSTED, content=long(), headers={"Content-Type": "application/json"}), 413)
    with connect(at.address(unchanged)) as window:
        window.recv(WAIT_SECONDS)
        window.send(" " * (MOST_BYTES + 1))
        with pytest.raises(websockets.ConnectionClosed):
            window.recv(WAIT_SECONDS)


@pytest.mark.full
def test_half_a_header_and_half_a_refused_body_are_closed_and_a_whole_request_is_answered(at, monkeypatch):
    monkeypatch.setattr(guard, "HEADER_SECONDS", 0.1)
    whole = b"GET /modules/web/page/keys.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    begun = b"POST /api/games HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9999\r\n\r\n{"  # without the token
    for half in (b"", b"GET / HT", whole + b"GET / ", begun):
        with socket.create_connection(("127.0.0.1", at.port), timeout=WAIT_SECONDS) as knocking:
            knocking.sendall(half)
            with contextlib.suppress(ConnectionResetError):
                while knocking.recv(1 << 16):
                    pass
    waiting = HTTPConnection("127.0.0.1", at.port, timeout=WAIT_SECONDS)
    for _ in range(2):
        waiting.request("GET", "/modules/web/page/keys.js")
        answer = waiting.getresponse()
        assert answer.status == 200 and answer.read() and not answer.will_close
        time.sleep(0.2)  # longer than a header may take
    waiting.close()


def test_a_window_stays_open_longer_than_a_header_may_take(at, unchanged, monkeypatch):
    monkeypatch.setattr(guard, "HEADER_SECONDS", 0.1)
    with connect(at.address(unchanged)) as window:
        window.recv(WAIT_SECONDS)
        with pytest.raises(TimeoutError):  # nothing is sent, and nothing closes it
            window.recv(0.3)


def test_connections_that_ask_nothing_keep_nobody_from_an_answer(at, monkeypatch):
    monkeypatch.setattr(guard, "MOST_CONNECTIONS", 6)
    with contextlib.ExitStack() as opened:
        connections = (socket.create_connection(("127.0.0.1", at.port)) for _ in range(12))
        silent = [opened.enter_context(connection) for connection in connections]
        assert at.client.get("/api/offer").status_code == 200
        with contextlib.suppress(ConnectionResetError):
            assert silent[0].recv(1) == b""


DOES = ("move", "undo", "resign", "hint", "stop", "pause", "resume", "seat", "analyse")
HOSTILE = [
    b"",
    b"{",
    b"[]",
    b"\xff\xfe",
    b"[" * 30000,
    b'{"version": NaN}',
    b'{"version": ' + b"9" * 5000 + b"}",
    b'{"version": 0, "text": "11-15", "more": 1}',
    b'{"version": 0, "text": ["11-15"]}',
    b'{"version": 0, "text": "' + b"1" * 300 + b'"}',
    b'{"version": 0, "text": "\\ud800"}',
    b'{"version": 0, "white": "my.py:Class", "black": "human"}',
    b'{"version": 0, "white": "{type: engine, command: [touch, /tmp/x]}", "black": "human"}',
    b'{"variant": "english", "white": "human", "black": "human", "fen": "B:W:B"}' + b"x",
    b'{"variant": "english", "white": "human", "black": "human", "fen": "W:W1-9999999999:B1"}',
    b'{"variant": "english", "white": "human", "black": "human", "clock": {"seconds": 1e308}}',
    b'{"variant": "english", "white": "level-1", "black": "human", "seconds": {"black": 1}}',
]


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_bodies_and_messages_are_refused_and_change_nothing(at, unchanged, body):
    content_type = {"Content-Type": "application/json; charset=utf-8"}
    refused(at.client.post(POSTED, content=body, headers=content_type), 400, 404, 422)
    text = body.decode("utf-8", "replace")
    messages = [body]
    if '"version"' in text:
        messages += [text.replace('"version"', f'"do": "{do}", "version"', 1) for do in DOES]
    with connect(at.address(unchanged), max_size=None) as window:
        window.recv(WAIT_SECONDS)
        for message in messages:
            window.send(message)
            state = json.loads(window.recv(WAIT_SECONDS))
            assert state["error"] and "\n" not in state["error"], message


def test_the_browser_is_given_a_file_of_its_owners_that_leads_to_the_address():
    with redirecting("http://127.0.0.1:1/#/game/a?token=b") as url:
        file = Path(urlsplit(url).path)
        assert (
            file.stat().st_mode & 0o777 == 0o600 and "url=http://127.0.0.1:1/#/game/a?token=b" in file.read_text()
        )
    assert not file.exists()


def test_the_page_allows_its_own_script_alone_and_no_frame(at):
    first, second = (at.client.get("/") for _ in range(2))
    policy = first.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
    assert policy != second.headers["content-security-policy"]
    assert first.headers["cache-control"] == "no-store" and first.headers["x-frame-options"] == "DENY"
    assert at.token not in first.text
    assert "set-cookie" not in first.headers


def test_modules_of_the_page_are_at_an_address_of_their_own_and_nothing_else_is_there(at, stranger):
    page = at.client.get("/").text
    (script,) = re.findall(r'<script type="module" nonce="\w+" src="(/modules/)web/page/main.js"></script>', page)
    module = stranger.get(f"{script}report/viewer/board.js")
    assert (module.status_code, module.headers["content-type"]) == (200, "text/javascript; charset=utf-8")
    assert module.headers["x-content-type-options"] == "nosniff" and at.token not in module.text
    for name in ("report/viewer/games.py", "web/page/documents.js", "../arena/web/page/main.js"):
        refused(stranger.get(f"{script}{name}"), 403, 404)
    refused(stranger.post(f"{script}report/viewer/board.js"), 403)
    refused(stranger.get(script.removesuffix("/")), 403)
    refused(at.client.put("/api/games", json=BODY), 405)


def test_the_server_is_bound_to_the_loopback_address(at):
    assert at.base.startswith("http://127.0.0.1:")
    try:
        own = socket.gethostbyname(socket.gethostname())
    except OSError:
        pytest.skip("this machine's name has no address")
    if own.startswith("127."):
        pytest.skip("this machine has no other address")
    with pytest.raises(OSError, match=r"."):
        socket.create_connection((own, at.port), timeout=5).close()


def test_what_goes_wrong_unforeseen_is_one_line_here_and_there(monkeypatch):
    def broken(*_: object) -> None:
        raise RuntimeError("first line\nsecond line")

    monkeypatch.setattr(app, "board_document", broken)
    with served() as at:
        answer = at.client.get("/api/board?variant=english")
        assert (answer.status_code, list(answer.json())) == (500, ["error"])
        assert "first" not in answer.json()["error"]
        end = time.monotonic() + WAIT_SECONDS
        while not at.errors and time.monotonic() < end:  # the line comes after the answer
            time.sleep(0.005)
        assert at.errors == ["GET /api/board: RuntimeError: first line second line"]
        at.errors.clear()


KEYS = (
    "variant", "white", "black", "fen", "clock", "draws", "version", "text", "lines", "seconds",
)  # fmt: skip
WORDS = st.sampled_from((
    "english", "simplified", "human", "level-1", "random", "white", "black", "W:W21:B1", "11-15", "pass", "." * 32,
))  # fmt: skip
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(("seconds", "white")), inner),
    max_leaves=5,
)
BODIES = st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=8)


@pytest.mark.full
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(body=BODIES, do=st.sampled_from((*DOES, "", "x")))
def test_no_body_and_no_message_makes_the_server_fail(at, body, do):
    state = at.begin(**BODY)
    content = json.dumps(body, default=str)
    answer = at.client.post(POSTED, content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code < 500, (body, answer.text)
    with connect(at.address(state), max_size=None) as window:
        window.recv(WAIT_SECONDS)
        window.send(json.dumps({"do": do, **body}, default=str))
        assert "error" in json.loads(window.recv(WAIT_SECONDS))
