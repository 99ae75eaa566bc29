"""What the server answers: JSON, and refusals in one line."""

from __future__ import annotations

import json
from typing import Any

from starlette.responses import Response


class Refusal(Exception):
    """A request that is not done: its status, 400 or more, and one line for the person."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(line)
        self.status, self.line = status, line


class Json(Response):
    """A document as JSON, in ASCII, so that no text can fail to be written."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        return json_text(content).encode("ascii")


def json_text(document: Any) -> str:
    """A document as JSON in one line; raises ValueError for nan and infinity."""
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def refused(refusal: Refusal) -> Json:
    """A refusal as its answer."""
    return Json({"error": refusal.line}, refusal.status)
