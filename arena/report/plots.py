"""Charts of a run: each takes a table of `arena.report.tables` and optional Axes, and returns the Axes.

No global state of matplotlib is changed: charts are `Figure` objects and the style is applied around each.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec

import numpy as np
import pandas as pd
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from arena.report.ablation import times
from arena.report.tables import QUANTILES, quantity, signed

if TYPE_CHECKING:
    from arena.report.run import Run

P = ParamSpec("P")

NAMES = (
    "sprt", "ablation", "comparisons", "elo", "elo_by_depth", "elo_by_nodes", "crosstable", "outcomes", "nodes",
    "time", "time_to_depth", "convergence", "phases", "openings", "terminations",
)  # fmt: skip
"""Every chart that `draw` may make, in the order of the page."""

INK, MUTED, GRID, PAPER = "#22262e", "#666c77", "#d8dbe0", "#fefefe"
"""Colours of text, secondary text, grid and background; `page` replaces exactly these for a dark screen."""

WIN, DRAW, LOSS = "#0072b2", "#c3c7cd", "#d55e00"
SERIES = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00")
"""Okabe and Ito's colour-blind-safe palette (2008), without yellow and black."""
MARKERS = "os^DvPX"
LINES = ("-", "--", "-.", ":")

SCORE_COLOURS = LinearSegmentedColormap.from_list("score", ["#c14f00", "#f2b27f", "#f6f6f4", "#84b9dc", "#00609c"])

STYLE: Any = {
    "figure.facecolor": PAPER,
    "savefig.facecolor": PAPER,
    "axes.facecolor": "none",
    "axes.edgecolor": MUTED,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlepad": 10,
    "axes.labelsize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.7,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "text.color": INK,
    "text.parse_math": False,
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "legend.frameon": False,
    "legend.fontsize": 9,
    "lines.linewidth": 1.6,
    "lines.markersize": 6,
    "figure.constrained_layout.w_pad": 0.1,
    "figure.constrained_layout.h_pad": 0.1,
    "svg.fonttype": "path",
    "svg.hashsalt": "draughts-arena",
}


def draw(run: Run) -> dict[str, Axes]:
    """Every chart that applies to the run, by name in the order of `NAMES`."""
    from arena.report import plot_sweeps
    from arena.report.plot_sprt import plot_sprt

    anchor = run.config.get("anchor")
    whole = "all players" if len(run.ratings.groups) < 2 else "each group"
    reference = f"{anchor} = 0" if anchor else f"mean of {whole} = 0"
    charts: dict[str, Axes | None] = {
        "sprt": plot_sprt(run.sprt) if run.config.get("sprt") else None,
        "ablation": plot_ablation(run.ablation) if len(run.ablation) else None,
        "elo": plot_elo(run.standings, reference=reference),
        "elo_by_depth": plot_elo_by_depth(run.elo_by_depth, gains=run.gains, reference=reference)
        if len(run.elo_by_depth)
        else None,
        "crosstable": plot_crosstable(run.score_matrix),
        "outcomes": plot_outcomes(run.outcomes),
        "nodes": plot_nodes(run.search, searched=len(run.moves) > 0),
        "time": plot_time(run.search_time),
        "terminations": plot_terminations(run.terminations),
        **plot_sweeps.draw(run, reference),
    }
    return {name: axes for name in NAMES if (axes := charts.get(name)) is not None}


def svg(axes: Axes) -> str:
    """The figure of these Axes as SVG text, the same bytes for the same figure."""
    file = io.StringIO()
    with rc_context(STYLE):
        _figure(axes).savefig(file, format="svg", metadata={"Date": None, "Creator": None})
    return file.getvalue()


def save_png(axes: Axes, path: Path) -> None:
    """Write the figure of these Axes as PNG, 200 dots per inch."""
    with rc_context(STYLE):
        _figure(axes).savefig(path, format="png", dpi=200, metadata={"Software": None})


def _styled(
    plot: Callable[Concatenate[pd.DataFrame, P], Axes],
) -> Callable[Concatenate[pd.DataFrame, P], Axes]:
    @functools.wraps(plot)
    def in_style(table: pd.DataFrame, *args: P.args, **kwargs: P.kwargs) -> Axes:
        with rc_context(STYLE):
            return plot(table, *args, **kwargs)

    return in_style


@_styled
def plot_elo(standings: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Elo of each player with its 95 % interval, the best at the top; `reference` says what 0 is."""
    table = standings[standings["elo"].notna() & (standings["games"] > 0)]
    ax = _rows(ax, table["player"], "Elo ratings with 95 % intervals", margin=1.0)
    if table.empty:
        return _no_games(ax)
    y = np.arange(len(table))
    elo, low, high = (table[name].to_numpy(dtype=float) for name in ("elo", "elo_low", "elo_high"))
    ax.axvline(0, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
    ax.hlines(y, low, high, color=SERIES[4], linewidth=2.4)
    ax.plot(elo, y, "o", color=SERIES[0])
    for row, (value, error) in enumerate(zip(elo, (high - low) / 2, strict=True)):
        text = signed(value) + (f" ± {error:.0f}" if np.isfinite(error) and error > 0 else "")
        _beside(ax, row, text)
    ax.set_xlabel(_elo_label(reference))
    return ax


@_styled
def plot_crosstable(matrix: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Score of the row player against the column player in per cent, colours centred at 50 %.

    `matrix` is that of `tables.score_matrix`. Columns carry the row numbers instead of the names.
    """
    n = len(matrix)
    cell = float(np.clip(5.0 / max(n, 1), 0.34, 0.9))
    if ax is None:
        width = n * cell + _label_width(matrix.index) + 1.6
        ax = Figure(figsize=(max(width, 6.0), max(n * cell + 1.2, 2.6)), layout="constrained").add_subplot()
    ax.set_title("Score of row against column, %")
    values = 100 * matrix.to_numpy(dtype=float)
    if not np.isfinite(values).any():
        return _no_games(ax)
    ax.pcolormesh(
        np.ma.masked_invalid(values), cmap=SCORE_COLOURS, vmin=0, vmax=100, edgecolor=PAPER, linewidth=0.8
    )
    size = float(np.clip(cell * 20, 6.5, 11))
    for (row, column), value in np.ndenumerate(values):
        if np.isfinite(value):
            colour = _contrast(SCORE_COLOURS(value / 100))
            ax.text(column + 0.5, row + 0.5, f"{value:.0f}", ha="center", va="center", color=colour, size=size)
        else:
            ax.text(column + 0.5, row + 0.5, "·", ha="center", va="center", color=MUTED, size=size)
    ax.set_aspect("equal")
    ax.set_xlim(0, n)
    ax.set_ylim(n, 0)
    ax.set_xticks(np.arange(n) + 0.5, [str(i + 1) for i in range(n)])
    ax.set_yticks(np.arange(n) + 0.5, [f"{name}  {i + 1}" for i, name in enumerate(matrix.index)])
    ax.tick_params(length=0, top=False, labeltop=True, labelbottom=False)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    return ax


@_styled
def plot_nodes(search: pd.DataFrame, ax: Axes | None = None, *, searched: bool = True) -> Axes:
    """Mean nodes per move against depth, with each family's effective branching factor in the legend.

    `search` is that of `tables.branching`. Where no players differ in depth only, one dot for each player.
    `searched` says whether any move was played, which is what an empty chart states.
    """
    title = "Nodes per move against search depth"
    if search.empty:
        message = "no player searched" if searched else "no games yet"
        return _no_games(_area(ax, "Nodes per move", height=2.6), message)
    nodes = search["nodes_per_move"].to_numpy(dtype=float)
    if search["family"].isna().all():
        ax = _rows(ax, search["player"], "Nodes per move, by player", margin=1.0)
        ax.hlines(np.arange(len(search)), 10 ** np.floor(np.log10(nodes.min())), nodes, color=GRID, linewidth=1.4)
        ax.plot(nodes, np.arange(len(search)), "o", color=SERIES[0])
        for row, depth in enumerate(search["depth"]):
            _beside(ax, row, f"depth {depth}" if depth else "")
        _log(ax, "x", nodes)
        ax.set_xlabel("mean nodes per move (log scale)")
        return ax

    ax = _area(ax, title, height=4.4)
    groups = search["family"].where(search["family"].notna(), search["player"])
    order = [*sorted(search["family"].dropna().unique()), *search.loc[search["family"].isna(), "player"]]
    for i, name in enumerate(order):
        rows = search[groups == name].sort_values("depth")
        factor = rows["branching_factor"].iloc[0]
        label = f"{name}: branching factor {factor:.2f}" if np.isfinite(factor) else name
        style = _series(i) | ({"linestyle": "none"} if len(rows) == 1 else {})
        ax.plot(rows["depth"], rows["nodes_per_move"], label=label, **style)
    _log(ax, "y", nodes)
    _whole_depths(ax)
    ax.set_ylabel("mean nodes per move (log scale)")
    _legend(ax)
    return ax


@_styled
def plot_time(search_time: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Time per move of each player: median, quartiles (box) and 5th to 95th percentile (whiskers), log scale.

    `search_time` is that of `tables.search_time`. What lies below a thousandth of the shortest mean time, or
    a nanosecond, is drawn there: zero has no logarithm.
    """
    ax = _rows(ax, search_time["player"], "Time per move", margin=1.0)
    if search_time.empty:
        return _no_games(ax)
    mean = search_time["mean"].to_numpy(dtype=float)
    floor = max(mean[mean > 0].min(initial=np.inf) / 1000, 1e-9)
    floor = floor if np.isfinite(floor) else 1e-9
    timed = mean > 0
    boxes = np.maximum(search_time.loc[timed, list(QUANTILES)].to_numpy(dtype=float), floor)
    stats = [dict(zip(("whislo", "q1", "med", "q3", "whishi"), box, strict=True)) for box in boxes.tolist()]
    y = np.arange(len(search_time))
    if stats:
        ax.bxp(
            stats,
            positions=y[timed],
            orientation="horizontal",
            widths=0.55,
            showfliers=False,
            patch_artist=True,
            manage_ticks=False,
            boxprops={"facecolor": SERIES[4], "edgecolor": SERIES[0], "linewidth": 1.0},
            medianprops={"color": SERIES[1], "linewidth": 2.0},
            whiskerprops={"color": SERIES[0], "linewidth": 1.2},
            capprops={"color": SERIES[0], "linewidth": 1.2},
        )
        _log(ax, "x", boxes.ravel(), unit="s")
    else:
        ax.xaxis.set_major_locator(NullLocator())
    for row, value in enumerate(mean):
        _beside(ax, row, f"mean {quantity(value, 's')}" if value > 0 else "no time measured")
    ax.set_xlabel("time per move (log scale): median, quartiles, 5th to 95th percentile")
    return ax


@_styled
def plot_outcomes(outcomes: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """Share of wins, draws and losses of each player, the upper bar as White (W), the lower as Black (B)."""
    names = list(dict.fromkeys(outcomes["player"]))
    title = "Outcomes as White (W) and as Black (B)"
    ax = _rows(ax, names, title, per_row=0.42, margin=1.0, title_pad=26)
    if not outcomes["games"].sum():
        return _no_games(ax)
    y = np.array([names.index(p) + (-0.2 if c == "white" else 0.2) for p, c in
                  zip(outcomes["player"], outcomes["colour"], strict=True)])  # fmt: skip
    games = outcomes["games"].to_numpy(dtype=float)
    left = np.zeros(len(outcomes))
    for column, colour in (("wins", WIN), ("draws", DRAW), ("losses", LOSS)):
        share = 100 * np.divide(outcomes[column], games, out=np.zeros(len(games)), where=games > 0)
        ax.barh(y, share, left=left, height=0.36, color=colour, label=column)
        for row, start, value, count in zip(y, left, share, outcomes[column], strict=True):
            if value >= 6:
                ax.text(start + value / 2, row, f"{count}", ha="center", va="center_baseline", size=7.5,
                        color=_contrast(to_rgb(colour)))  # fmt: skip
        left = left + share
    ax.set_xlim(0, 100)
    ax.set_xlabel("share of games, % (numbers: games)")
    ax.set_yticks(y, ["W" if c == "white" else "B" for c in outcomes["colour"]], minor=True)
    ax.tick_params(axis="y", which="minor", length=0, labelsize=7, labelcolor=MUTED, pad=3)
    ax.tick_params(axis="y", which="major", pad=16)
    ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=3, borderaxespad=0.2, handlelength=1.2)
    return ax


@_styled
def plot_terminations(terminations: pd.DataFrame, ax: Axes | None = None) -> Axes:
    """How games ended: number of games for each termination."""
    names = [humanised(name) for name in terminations["termination"]]
    ax = _rows(ax, names, "How games ended", margin=1.0)
    if terminations.empty:
        return _no_games(ax)
    ax.barh(np.arange(len(names)), terminations["games"], height=0.62, color=SERIES[0])
    for row, (games, share) in enumerate(zip(terminations["games"], terminations["share"], strict=True)):
        _beside(ax, row, f"{games} ({100 * share:.1f} %)")
    ax.set_xlim(0, None)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("games")
    return ax


@_styled
def plot_elo_by_depth(
    elo_by_depth: pd.DataFrame, ax: Axes | None = None, *, gains: pd.DataFrame | None = None, reference: str = ""
) -> Axes:
    """Elo against depth with 95 % intervals, and the curve of each family that `gains` fits.

    `gains` is that of `arena.report.sweeps`; without it points are joined. `reference` says what 0 is.
    """
    ax = _area(ax, "Elo against search depth, with 95 % intervals", height=4.4)
    if elo_by_depth.empty:
        return _no_games(ax)
    _elo_lines(ax, elo_by_depth, "depth", gains, "depth")
    _whole_depths(ax)
    ax.set_ylabel(_elo_label(reference))
    _legend(ax)
    return ax


@_styled
def plot_ablation(ablation: pd.DataFrame, axes: Sequence[Axes] | None = None) -> Axes:
    """Nodes, time (log scale) and Elo against the reference, each player with 95 % intervals, side by side.

    `ablation` is that of `arena.report.ablation`, the reference in its first row. Draws on three Axes and returns
    the first.
    """
    names, reference, depth = ablation["player"], ablation["player"].iloc[0], ablation["depth"].iloc[0]
    if axes is None:
        size = (11.4 + _label_width(names), max(1.15 + 0.29 * len(names), 2.2))
        axes = Figure(figsize=size, layout="constrained").subplots(1, 3, sharey=True)
    panels = (
        ("node_ratio", f"Nodes to depth {depth}", f"ratio to {reference} (log scale)"),
        ("time_ratio", f"Time to depth {depth}", f"ratio to {reference} (log scale)"),
        ("elo_difference", "Elo in the games", f"Elo ({reference} = 0)"),
    )
    for ax, (column, title, label) in zip(axes, panels, strict=True):
        _rows(ax, names, title, margin=0)
        value, low, high = (ablation[f"{column}{end}"].to_numpy(dtype=float) for end in ("", "_low", "_high"))
        known = np.isfinite(value)
        if not known[1:].any():
            ax.set_xticks([])
            ax.text(0.5, 0.5, "not measured", transform=ax.transAxes, ha="center", color=MUTED, size=11)
            continue
        ratio = column != "elo_difference"
        ax.axvline(1 if ratio else 0, color=MUTED, linewidth=0.9, linestyle=(0, (4, 3)))
        bounded = known & np.isfinite(low) & np.isfinite(high)
        ax.hlines(np.flatnonzero(bounded), low[bounded], high[bounded], color=SERIES[4], linewidth=2.4)
        ax.plot(value[known], np.flatnonzero(known), "o", color=SERIES[0], markersize=4.5)
        form = times if ratio else signed
        for row in np.flatnonzero(known).tolist():
            interval = f" ({form(low[row])} to {form(high[row])})" if bounded[row] else ""
            _beside(ax, row, form(value[row]) + interval)
        if ratio:
            _log_ratio(ax, np.concatenate([value[known], low[bounded], high[bounded]]))
        ax.set_xlabel(label)
    return axes[0]


def humanised(termination: str) -> str:
    """A termination in words for people: "no_moves" -> "no legal moves"."""
    words = {
        "no_pieces": "all pieces captured",
        "no_moves": "no legal moves",
        "points": "nobody can move",
        "repetition": "position repeated",
        "ending": "endgame draw rule",
        "max_plies": "ply limit reached",
        "time": "out of time",
        "error": "error of a player",
    }
    return words.get(termination, termination.replace("_", " "))


def _elo_lines(ax: Axes, table: pd.DataFrame, x: str, gains: pd.DataFrame | None, per: str) -> None:
    """Elo over the column `x` for each family, with the line of `gains` per doubling of `per` where it has one."""
    names = list(dict.fromkeys(table["family"]))
    for i, name in enumerate(names):
        rows = table[table["family"] == name]
        elo, low, high = (rows[key].to_numpy(dtype=float) for key in ("elo", "elo_low", "elo_high"))
        error = np.nan_to_num(np.clip([elo - low, high - elo], 0, None))
        # Depths are whole, so families would hide one another.
        beside = min(0.08, 0.5 / len(names)) * (i - (len(names) - 1) / 2) if x == "depth" else 0.0
        style, label = _series(i), str(name)
        fitted = gains[(gains["family"] == name) & (gains["per"] == per)] if gains is not None else table[:0]
        if len(fitted):
            fit = fitted.iloc[0]
            label += f": {signed(fit['gain'])} ± {(fit['gain_high'] - fit['gain_low']) / 2:.0f} Elo per doubling"
            along = np.geomspace(fit["x_low"], fit["x_high"], 100)
            line = fit["elo_at_1"] + fit["gain"] * np.log2(along)
            ax.plot(along, line, color=style["color"], linestyle=style["linestyle"], linewidth=1.3)
            style["linestyle"] = "none"
        ax.errorbar(rows[x] + beside, elo, yerr=error, capsize=3, elinewidth=1.3, label=label, **style)


def _elo_label(reference: str) -> str:
    return f"Elo ({reference})" if reference else "Elo"


def _figure(axes: Axes) -> Figure:
    figure = axes.get_figure(root=True)
    assert figure is not None, "Axes without a figure"
    return figure


def _label_width(labels: Iterable[Any]) -> float:
    """Inches that the longest label takes at 9 points, about."""
    return 0.078 * max((len(str(label)) for label in labels), default=0)


def _area(
    ax: Axes | None, title: str, *, width: float = 6.8, height: float, title_pad: float | None = None
) -> Axes:
    if ax is None:
        ax = Figure(figsize=(width, height), layout="constrained").add_subplot()
    ax.set_title(title, pad=title_pad)
    return ax


def _rows(
    ax: Axes | None,
    labels: Iterable[Any],
    title: str,
    *,
    per_row: float = 0.29,
    margin: float,
    title_pad: float | None = None,
) -> Axes:
    """Axes with a row for each label, the first at the top; `margin` inches are for text beside."""
    labels = [str(label) for label in labels]
    height = max(1.15 + per_row * len(labels), 2.2) + (0.2 if title_pad else 0)
    ax = _area(ax, title, width=max(6.8, 4.4 + _label_width(labels) + margin), height=height, title_pad=title_pad)
    ax.set_yticks(np.arange(len(labels)), labels)
    ax.set_ylim(max(len(labels), 1) - 0.4, -0.6)
    ax.tick_params(axis="y", length=0)
    ax.grid(False, axis="y")
    ax.spines["left"].set_visible(False)
    return ax


def _beside(ax: Axes, row: int, text: str) -> None:
    """Text to the right of the Axes, level with a row."""
    ax.annotate(
        text, (1, row), (6, 0), xycoords=ax.get_yaxis_transform(), textcoords="offset points", va="center",
        color=MUTED, size=8, annotation_clip=False,
    )  # fmt: skip


def _no_games(ax: Axes, message: str = "no games yet") -> Axes:
    ax.set_axis_off()
    ax.text(0.5, 0.5, message, transform=ax.transAxes, ha="center", va="center", size=13, color=MUTED)
    return ax


def _series(i: int) -> dict[str, Any]:
    return {
        "color": SERIES[i % len(SERIES)],
        "marker": MARKERS[i % len(MARKERS)],
        "linestyle": LINES[i % len(LINES)],
    }


def _contrast(colour: tuple[float, ...]) -> str:
    """White or near-black, whichever reads better on a colour (relative luminance, WCAG 2)."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour[:3]]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#111111" if luminance > 0.18 else "#ffffff"


def _log(ax: Axes, axis: str, values: np.ndarray, unit: str = "") -> None:
    """Log scale over whole decades, or 1-2-5 steps where the values span less than two."""
    low, high = float(values.min()), float(values.max())
    getattr(ax, f"set_{axis}scale")("log")
    scale = ax.xaxis if axis == "x" else ax.yaxis
    narrow = high / low < 100
    scale.set_major_locator(LogLocator(subs=(1, 2, 5) if narrow else (1,), numticks=12))
    scale.set_major_formatter(FuncFormatter(lambda value, _: quantity(value, unit)))
    scale.set_minor_formatter(NullFormatter())
    getattr(ax, f"set_{axis}lim")(low / 1.4, high * 1.4)


def _log_ratio(ax: Axes, values: np.ndarray) -> None:
    _log(ax, "x", values)
    span = values.max() / values.min()
    subs = (1, 1.5, 2, 3, 5, 7) if span < 10 else (1, 3) if span < 100 else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=12))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))


def _whole_depths(ax: Axes) -> None:
    ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
    ax.margins(x=0.06)
    ax.set_xlabel("search depth, plies")


def _legend(ax: Axes) -> None:
    """A legend inside while it is short, else under the Axes, for which the figure grows."""
    handles, labels = ax.get_legend_handles_labels()
    if len(labels) <= 4:
        ax.legend(loc="best")
        return
    figure = _figure(ax)
    columns = max(1, int(figure.get_figwidth() / (0.7 + _label_width(labels))))
    figure.set_figheight(figure.get_figheight() + 0.2 * -(-len(labels) // columns))
    figure.legend(handles, labels, loc="outside lower left", ncols=columns)
