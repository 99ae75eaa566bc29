"""What a terminal's window shows of a run that is played: as many rows and columns as it has room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from arena.ratings.match import SprtState
    from arena.watch.elo import EloEstimate
    from arena.watch.live import Standing

NAME_CELLS = 16
"""Cells that a player's name has before further columns are shown."""
COLUMNS = ("Elo", "score", "games", "won", "drawn", "lost")
"""What is shown of a player beside its name."""
_GAP = 2
"""Cells between columns."""
_LEFT_OUT = ("won", "lost", "games", "drawn", "score", "Elo")
"""Columns in the order in which a narrow window leaves them out."""


class RunView(NamedTuple):
    """What there is to show of a run."""

    standings: Sequence[Standing]
    """In their order, the leader first."""
    elo: Mapping[str, EloEstimate]
    """By player; empty where it is not known."""
    games: int
    planned: int
    """0 if games come as they are played."""
    above: Sequence[str] = ()
    """Lines above the table."""
    incidents: Sequence[str] = ()
    """Lines on what went wrong, below the table."""
    below: Sequence[str] = ()
    """Lines below the bar."""


def view(scene: RunView, console: Console) -> RenderableType:
    """The scene in at most a line less than the height of the window; no line is wrapped."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.table import Table
    from rich.text import Text

    def line(text: str, style: str = "") -> Text:
        return Text(text, style, no_wrap=True, overflow="ellipsis")

    most = min(len(scene.incidents), console.height // 6)
    incidents = [line(text, "red") for text in scene.incidents[:most]]
    if len(scene.incidents) > most > 0:
        incidents.append(line(f"and {len(scene.incidents) - most} more; arena status has all", "red"))
    room = max(console.height - len(scene.above) - len(incidents) - len(scene.below) - 3, 1)
    bar = Table.grid(expand=True)
    bar.add_row(ProgressBar(total=max(scene.planned, 1), completed=scene.games))
    parts: list[RenderableType] = [line(text, "bold") for text in scene.above]
    if scene.standings:
        shown = scene.standings[: room if len(scene.standings) <= room else max(room - 1, 1)]
        header, *rows = _table(shown, scene.elo, console.width)
        parts += [line(header, "bold"), Text("\n".join(rows), no_wrap=True, overflow="crop")]
        if len(shown) < len(scene.standings) and room > 1:
            parts.append(line(f"and {len(scene.standings) - len(shown)} more", "dim"))
    return Group(*parts, *incidents, *([bar] if scene.planned else []), *map(line, scene.below))


def ranked(standings: Sequence[Standing], elo: Mapping[str, EloEstimate]) -> list[Standing]:
    """By Elo, the greatest first; players without one behind the others, as they stood."""
    unknown = [it for it in standings if it.player not in elo]
    return sorted((it for it in standings if it.player in elo), key=lambda it: -elo[it.player].elo) + unknown


def row_of(standing: Standing, estimate: EloEstimate | None) -> dict[str, str]:
    """A player's figures by column, those of COLUMNS; "" where there is none."""
    return {
        "Elo": "" if estimate is None else elo_text(estimate),
        "score": f"{100 * standing.score:.1f} %",
        "games": str(standing.games),
        "won": str(standing.wins),
        "drawn": str(standing.draws),
        "lost": str(standing.losses),
    }


def elo_text(estimate: EloEstimate) -> str:
    """`+123 ± 45`."""
    from arena.base.number import with_error

    return with_error(estimate.elo, estimate.error)


def test_line(state: SprtState, pairs: int) -> str:
    """`SPRT: LLR 1.23 of −2.94 (H0) to 2.94 (H1), 120 pairs`, and what it has decided."""
    bounds = f"{state.lower:.2f} (H0) to {state.upper:.2f} (H1)".replace("-", "−")
    decided = "" if state.verdict == "continue" else f", {state.verdict} accepted"
    ratio = f"{state.llr:.2f}".replace("-", "−")
    return f"SPRT: LLR {ratio} of {bounds}, {pairs} pair{'' if pairs == 1 else 's'}{decided}"


def _table(standings: Sequence[Standing], elo: Mapping[str, EloEstimate], width: int) -> list[str]:
    """A header and a line for each player; names are cut off and columns left out until they fit the width.

    It is text as it stands, as a rich.table.Table takes ten times as long and the window is drawn while games are
    played.
    """
    from rich.cells import cell_len, set_cell_size
    from rich.text import Text

    rows = [row_of(it, elo.get(it.player)) for it in standings]
    cells = {name: max(len(name), *(len(row[name]) for row in rows)) for name in COLUMNS if elo or name != "Elo"}
    longest = max(len("player"), *(cell_len(it.player) for it in standings))
    for name in _LEFT_OUT:
        if width - sum(cells.values()) - _GAP * len(cells) >= min(longest, NAME_CELLS):
            break
        cells.pop(name, None)
    room = max(min(longest, width - sum(cells.values()) - _GAP * len(cells)), 1)

    def line(name: str, values: Mapping[str, str]) -> str:
        shortened = Text(name)
        shortened.truncate(room, overflow="ellipsis")
        figures = (" " * _GAP + values[column].rjust(size) for column, size in cells.items())
        return set_cell_size(shortened.plain, room) + "".join(figures)

    header = line("player", dict(zip(COLUMNS, COLUMNS, strict=True)))
    return [header, *(line(it.player, row) for it, row in zip(standings, rows, strict=True))]
