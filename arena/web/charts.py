"""Charts of a run for the page: those of its report, else drawn of the games so far, in a process of low priority.

`python -m arena.web.charts RUN FOLDER` draws them into FOLDER.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple
from urllib.parse import quote

GROWTH = 1.2
"""Times as many games as were drawn, from which on charts are drawn again."""
LIST = "charts.json"
_NICE = 10
"""Of the drawing: it takes about a tenth of a core from a run that uses all of them."""
_SECONDS = 600.0
"""Seconds that the drawing has."""
_KEPT = 8
"""Runs whose drawn charts are kept."""


class Drawing(NamedTuple):
    """Charts that were drawn of a run."""

    games: int
    folder: TemporaryDirectory[str]
    charts: list[dict[str, str]]
    """Each with its `name` and `caption`."""


class Charts:
    """The charts of runs, one drawn at a time."""

    def __init__(self) -> None:
        self._drawings: dict[Path, Drawing] = {}
        self._one_at_a_time = asyncio.Lock()

    async def of(self, run: Path, name: str, games: int, is_reported: bool) -> dict[str, Any]:
        """The charts of a run with these games: `games` that they show, and of each `name`, `caption`, `path`.

        `error` says in one line why there are none, or no newer ones.
        """
        at = f"/runs/{quote(name)}"
        if is_reported:
            known = await asyncio.to_thread(catalogue)
            there = [it for it in known if (run / f"{it['name']}.svg").is_file()]
            return {
                "games": games,
                "charts": [it | {"path": f"{at}/{it['name']}.svg"} for it in there],
                "error": "",
            }
        error = ""
        async with self._one_at_a_time:
            drawn = self._drawings.get(run)
            if games and (drawn is None or games < drawn.games or games >= GROWTH * drawn.games):
                error = await self._draw(run, games)
        drawn = self._drawings.get(run)
        if drawn is None:
            return {"games": 0, "charts": [], "error": error or "no game is finished yet"}
        charts = [it | {"path": f"{at}/charts/{it['name']}.svg"} for it in drawn.charts]
        return {"games": drawn.games, "charts": charts, "error": error}

    def drawn(self, run: Path, name: str) -> str | None:
        """A drawn chart as SVG, None if there is none of that name."""
        drawing = self._drawings.get(run)
        if drawing is None or name not in {it["name"] for it in drawing.charts}:
            return None
        return (Path(drawing.folder.name) / f"{name}.svg").read_text(encoding="utf-8")

    async def _draw(self, run: Path, games: int) -> str:
        """Draw the charts of a run; returns what went wrong, in one line."""
        folder = TemporaryDirectory(prefix="arena-charts-")
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "arena.web.charts", str(run), folder.name,
            stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        try:
            _, said = await asyncio.wait_for(process.communicate(), _SECONDS)
        except TimeoutError:
            return f"the charts were not drawn within {_SECONDS:.0f} s"
        finally:
            if process.returncode is None:
                process.kill()
        if process.returncode != 0:
            lines = said.decode(errors="replace").strip().splitlines()
            return f"the charts cannot be drawn: {lines[-1][:300] if lines else 'the process ended'}"
        charts = json.loads((Path(folder.name) / LIST).read_text(encoding="utf-8"))
        self._drawings.pop(run, None)
        self._drawings[run] = Drawing(games, folder, charts)
        for old in list(self._drawings)[:-_KEPT]:
            del self._drawings[old]
        return ""


def catalogue() -> list[dict[str, str]]:
    """The charts that a run may have, in the order of a report, each with its `name` and `caption`."""
    from arena.report.charts.catalogue import CHARTS

    return [{"name": chart.name, "caption": chart.caption} for chart in CHARTS]


def draw(run: Path, folder: Path) -> None:
    """Draw the charts of a run into a folder as SVG, with a LIST of them. Raises StoreError."""
    from arena.report.charts.catalogue import charts_of
    from arena.report.charts.picture import svg
    from arena.report.load import load

    loaded = load(run)
    made = []
    for chart in charts_of(loaded):
        (folder / f"{chart.name}.svg").write_text(svg(chart.draw(loaded)), encoding="utf-8")
        made.append({"name": chart.name, "caption": chart.caption})
    (folder / LIST).write_text(json.dumps(made), encoding="utf-8")


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if hasattr(os, "nice"):
        os.nice(_NICE)
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
