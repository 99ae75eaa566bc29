"""Where games are played, as a configuration or the command line gives it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field

from arena.base.wording import shown
from arena.experiment.yaml.section import Section

_ADDRESS = re.compile(r"(tcp|tls|ucx|wss?)://[^\s:/]+(:\d+)?/?|tcp://\[[0-9a-fA-F:]+\]:\d+")


def scheduler_address(text: str) -> str:
    """The address of a Dask scheduler; raises ValueError for any other text."""
    if not _ADDRESS.fullmatch(text):
        raise ValueError(f"must be like tcp://host:8786, not {shown(text)}")
    return text


class Joblib(Section):
    """Processes of this machine."""

    engine: Literal["joblib"] = Field(description="Processes of this machine.")
    processes: int | None = Field(default=None, ge=1, description="How many [one a core].")


class Dask(Section):
    """The workers of a Dask scheduler, on any number of machines."""

    engine: Literal["dask"] = Field(description="The workers of a Dask scheduler, on any number of machines.")
    address: Annotated[str, AfterValidator(scheduler_address)] = Field(
        description="The scheduler's: tcp://host:8786."
    )


def _mapping(value: Any) -> Any:
    if value is None:
        return {"engine": "joblib"}
    if isinstance(value, bool) or not isinstance(value, int | dict | Section):
        raise ValueError(f"must be a number of processes or a mapping with an engine, not {shown(value)}")
    return {"engine": "joblib", "processes": value} if isinstance(value, int) else value


def _plain(value: Joblib | Dask) -> int | str | None:
    return value.processes if isinstance(value, Joblib) else value.address


if TYPE_CHECKING:
    WorkersField: TypeAlias = int | str | None
else:
    WorkersField = Annotated[
        Annotated[Joblib | Dask, Discriminator("engine")], BeforeValidator(_mapping), AfterValidator(_plain)
    ]
"""A number of processes of this machine, None for one a core, or a Dask scheduler's address, as a field."""
