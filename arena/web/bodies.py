"""Bodies of requests: the keys of their JSON, with bounds."""

from __future__ import annotations

from typing import Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from starlette.requests import Request

from arena.base.wording import cut, printable
from arena.rules.result import Colour
from arena.web.answers import Refusal

MOST_PDN = 1024 * 1024
"""Characters of a PDN."""
MOST_LINES = 5
"""Lines of an analysis."""

Name = Annotated[str, Field(max_length=100)]
Fen = Annotated[str, Field(max_length=2000)]
Count = Annotated[int, Field(ge=0, le=2**53)]
B = TypeVar("B", bound="Body")


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


class PlyOfRun(Body):
    """A game of a run, after `ply` plies."""

    run: Annotated[str, Field(max_length=1000)]
    game: Annotated[int, Field(ge=1, le=2**53)]
    ply: Count


class NewGame(Body):
    """A game to begin: from the start, a FEN, the end of a PDN's game of that number, or a game of a run."""

    variant: Name
    white: Name
    black: Name
    fen: Fen | None = None
    pdn: Annotated[str, Field(max_length=MOST_PDN)] | None = None
    number: Annotated[int, Field(ge=1, le=2**53)] = 1
    origin: Annotated[PlyOfRun | None, Field(alias="from")] = None
    clock: ClockGiven | None = None
    draws: bool = True
    """Whether the game ends where the rules call it a draw."""
    seconds: SecondsGiven = SecondsGiven()
    pace: Annotated[float, Field(ge=0, le=60)] = 0.0
    counts: bool = False


class GameToCome(Body):
    """The rules and players of a game that may be begun."""

    variant: Name
    white: Name
    black: Name


class PdnGiven(Body):
    """A PDN whose games are asked for."""

    pdn: Annotated[str, Field(max_length=MOST_PDN)]


class Versioned(Body):
    """A request on a game at that version."""

    version: Count


class MoveGiven(Versioned):
    """A person's move."""

    text: Annotated[str, Field(max_length=200)]


class ByColour(Versioned):
    """A request by a person of that colour."""

    colour: Colour


class Seats(Versioned):
    """The players from now on."""

    white: Name
    black: Name
    seconds: SecondsGiven = SecondsGiven()


class Switch(Versioned):
    """Something to be switched on or off."""

    on: bool
    lines: Annotated[int, Field(ge=1, le=MOST_LINES)] = 1
    """Of an analysis."""


class PositionGiven(Body):
    """A position as a FEN, or as a letter a square and the side to move."""

    variant: Name
    fen: Fen | None = None
    pieces: Annotated[str, Field(max_length=200)] | None = None
    turn: Colour | None = None


async def body_of(request: Request, kind: type[B]) -> B:
    """The body of a request. Raises Refusal if it is not JSON or not of that kind."""
    if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
        raise Refusal(415, "Content-Type must be application/json")
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        words = printable(cut(f"{place}: {first['msg']}" if place else first["msg"], 300))
        raise Refusal(400 if first["type"] == "json_invalid" else 422, words) from None
