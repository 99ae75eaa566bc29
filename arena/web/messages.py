"""The server's messages: what requests and windows ask, with the bounds of their keys; JSON, refusals."""

from __future__ import annotations

import asyncio
import json
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from starlette.requests import Request
from starlette.responses import Response

from arena.base import ArenaError
from arena.base.wording import cut, printable

MOST_BYTES = 1 << 16
"""Bytes of a request's body, and of a window's message."""
_LONGEST = 300
"""Characters of a refusal."""
BODY_SECONDS = 10.0
"""Seconds in which a body has to arrive."""


class Refusal(ArenaError):
    """A request that is not done: its status, 400 or more, and one line for the person."""

    def __init__(self, status: int, line: str) -> None:
        super().__init__(cut(line, _LONGEST))
        self.status = status


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
    return Json({"error": str(refusal)}, refusal.status)


Name: TypeAlias = Annotated[str, Field(max_length=300)]
MOST_FEN = 2000
"""Characters of a FEN."""


class Body(BaseModel):
    """A JSON object with these keys and no others; nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


class ClockGiven(Body):
    """Time for the whole game, of each side."""

    seconds: Annotated[float, Field(gt=0, le=86_400)]
    increment: Annotated[float, Field(ge=0, le=3_600)] = 0.0


class SecondsGiven(Body):
    """Seconds per move of the players of both colours; None leaves a player its own limit."""

    white: Annotated[float, Field(gt=0, le=86_400)] | None = None
    black: Annotated[float, Field(gt=0, le=86_400)] | None = None


class NewGame(Body):
    """A game to begin: from the start, or from a FEN."""

    variant: Name
    white: Name
    black: Name
    fen: Annotated[str, Field(max_length=MOST_FEN)] | None = None
    clock: ClockGiven | None = None
    draws: bool = True
    """Whether the game ends where the rules call it a draw."""
    seconds: SecondsGiven = SecondsGiven()


class OfGame(Body):
    """A request of a window, which shows its game at that version."""

    version: Annotated[int, Field(ge=0, le=2**53)]


class Move(OfGame):
    """Play a person's move."""

    do: Literal["move"]
    text: Annotated[str, Field(max_length=200)]


class Wish(OfGame):
    """Undo, ask for a hint or resign; have the player answer now; pause the players or resume them."""

    do: Literal["undo", "hint", "resign", "stop", "pause", "resume"]


class Seat(OfGame):
    """Go on with other players."""

    do: Literal["seat"]
    white: Name
    black: Name
    seconds: SecondsGiven = SecondsGiven()


class Analyse(OfGame):
    """Analyse the position of the game in so many lines; 0 switches the analysis off."""

    do: Literal["analyse"]
    lines: Annotated[int, Field(ge=0, le=5)]


Asked: TypeAlias = Move | Wish | Seat | Analyse
"""What a window asks of its game."""
FOR_ITS_VERSION = ("move", "undo", "hint", "resign")
"""What is asked for the game at that version alone; the rest may come late."""
_ASKED: TypeAdapter[Asked] = TypeAdapter(Annotated[Asked, Field(discriminator="do")])


async def game_asked_for(request: Request) -> NewGame:
    """The body of a request. Raises Refusal if it is too long or late, not JSON, or asks for something else."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "Content-Type must be application/json")
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise Refusal(413, f"a request has {MOST_BYTES:,} bytes at most")
        return NewGame.model_validate_json(bytes(body))
    except TimeoutError:
        raise Refusal(408, f"the request was not whole after {BODY_SECONDS:g} seconds") from None
    except ValidationError as error:
        raise _refusal(error) from None


def asked_in(text: str) -> Asked:
    """What a window asks in a message. Raises Refusal."""
    try:
        return _ASKED.validate_json(text)
    except ValidationError as error:
        raise _refusal(error) from None


def _refusal(error: ValidationError) -> Refusal:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"]))
    words = f"{place}: {first['msg']}" if place else first["msg"]
    return Refusal(400 if first["type"] == "json_invalid" else 422, printable(words))
