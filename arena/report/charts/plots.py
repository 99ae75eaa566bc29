"""Charts: each draws tables of a run and returns its Axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator

from arena.base.number import signed, times
from arena.ratings.interval import Interval
from arena.report.charts.style import (
    DASHED,
    INK,
    LEADING,
    LINES,
    MUTED,
    PAPER,
    SERIES,
    area,
    elo_label,
    interval_rows,
    label_rows,
    leading,
    legend,
    log_scale,
    reference_line,
    row_axes,
    series,
    size_of,
    styled,
    values_and_errors,
)
from arena.report.tables.comparisons import DEPTH, NODES
from arena.report.tables.table import estimate

MARKS = 120
"""Marks that a chart of several runs has room for."""
SHOWN = 2000
"""Pairs of a sequential test beyond which only some are drawn, evenly spaced, the last one among them."""
WIDE = 10
"""Times the least of the numbers that the greatest is, from which on their axis is logarithmic."""
_SWEPT = {
    DEPTH: ("search depth", "search depth, plies"),
    NODES: ("nodes per move", "mean nodes per move (log scale)"),
}
"""What is swept in the title and below the axis; a number has its name."""


@styled
def plot_elo(standings: pd.DataFrame, *, reference: str = "") -> Axes:
    """Elo of each rated player with its 95 % interval, the best at the top; `reference` says what 0 is.

    Of more than LEADING players the best are shown.
    """
    shown = standings.head(LEADING)
    ax = row_axes(shown["player"], f"Elo ratings with 95 % intervals{leading(len(standings))}")
    interval_rows(ax, shown, "elo")
    ax.set_xlabel(elo_label(reference))
    return ax


@styled
def plot_comparisons(comparisons: pd.DataFrame) -> Axes:
    """Elo differences of settings at equal terms with 95 % intervals.

    `comparisons` are rows of `Run.comparisons`; the first LEADING of them are shown.
    """
    # sorted by their first occurrence, equal values stand together
    first = {name: pd.factorize(comparisons[name])[0] for name in ("setting", "value")}
    shown = comparisons.iloc[np.lexsort((first["value"], first["setting"]))].head(LEADING)
    labels = [
        f"{row['value']} − {row['reference']}, {row['level'] or _at_equal(row['terms'], row['at'])}"
        for row in shown.to_dict("records")
    ]
    some = f", the first {LEADING} of {len(comparisons)}" if len(shown) < len(comparisons) else ""
    ax = row_axes(labels, f"One setting changed, with 95 % intervals{some}")
    interval_rows(ax, shown, "elo_difference")
    ax.set_xlabel("Elo difference")
    return ax


def _at_equal(terms: str, at: str) -> str:
    return f"at equal {terms}" + (f" ({at})" if at else "") if terms else "no limit"


@styled
def plot_ablation(ablation: pd.DataFrame) -> Axes:
    """Nodes, time (log scale) and Elo against the reference, each player with 95 % intervals, one below the other.

    `ablation` is `Run.ablation`, the reference in its first row. Its first LEADING rows are shown, and what is
    measured. Returns the first of the Axes.
    """
    shown = ablation.head(LEADING)
    reference = shown["player"].iloc[0]
    panels: list[tuple[str, str, Callable[..., str], float]] = [
        ("node_ratio", f"Nodes of a search, ratio to {reference} (log scale)", times, 1.0),
        ("time_ratio", f"Time of a search, ratio to {reference} (log scale)", times, 1.0),
        ("elo_difference", f"Elo in the games ({reference} = 0)", signed, 0.0),
    ]
    panels = [panel for panel in panels if shown[panel[0]].iloc[1:].notna().any()]
    count = max(len(panels), 1)
    figure = Figure(size_of(shown["player"], 0.29, count), layout="constrained")
    axes: list[Axes] = list(figure.subplots(count, squeeze=False)[:, 0])
    for ax, (column, title, form, at) in zip(axes, panels, strict=False):
        interval_rows(label_rows(ax, shown["player"]), shown, column, at=at, text=estimate(form))
        ax.set_title(title)
        if form is times:
            values = shown[[*Interval.columns_of(column)]].to_numpy(float)
            _log_ratios(ax, values[np.isfinite(values)])
    return axes[0]


def _log_ratios(ax: Axes, values: np.ndarray) -> None:
    """Log scale of ratios along x, ticks such as 1.5×."""
    log_scale(ax, "x", values)
    span = values.max() / values.min()
    subs = (1, 1.5, 2, 3, 5, 7) if span < 10 else (1, 3) if span < 100 else (1,)
    ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=12))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}×"))


@styled
def plot_sprt(path: pd.DataFrame) -> Axes:
    """Log-likelihood ratio after each pair with the bounds of the test; `path` is `Run.sprt`."""
    ax = area("Sequential test", height=3.6)
    step = -(-len(path) // SHOWN)
    shown = path.iloc[(len(path) - 1) % step :: step]
    ax.step([0, *shown["pair"]], [0.0, *shown["llr"]], where="post", color=SERIES[0], linewidth=1.2)
    bounds = (("upper", "H1 accepted", SERIES[0], "bottom", 4), ("lower", "H0 accepted", SERIES[1], "top", -4))
    for name, text, colour, side, offset in bounds:
        level = float(path[name].iloc[-1])
        ax.axhline(level, color=colour, linewidth=0.9, linestyle=DASHED)
        ax.annotate(
            text, (0, level), (4, offset), xycoords=ax.get_yaxis_transform(), textcoords="offset points", va=side,
            color=INK, size=8,
        )  # fmt: skip
    ax.axhline(0, color=MUTED, linewidth=0.7)
    ax.margins(y=0.14)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.set_xlabel("pairs")
    ax.set_ylabel("log-likelihood ratio")
    return ax


@styled
def plot_sweep(points: pd.DataFrame, *, reference: str = "") -> Axes:
    """Elo against what is swept, with 95 % intervals; `points` are the rows of `Run.sweep` with one `per`.

    A family whose line fits has it, and what a doubling is worth. The LINES families with the best players are
    shown.
    """
    per = points["per"].iloc[0]
    best = points.groupby("family")["elo"].max().sort_values(ascending=False, kind="stable")
    names = [name for name in dict.fromkeys(points["family"]) if name in best.index[:LINES]]
    title, label = _SWEPT.get(per, (per, per))
    ax = area(f"Elo by {title}, with 95 % intervals{leading(len(best), LINES, ' families')}")
    for i, name in enumerate(names):
        rows, style, text = points[points["family"] == name], series(i), str(name)
        first = rows.iloc[0].to_dict()
        if first["fits"]:
            text += f": {Interval.of(first, 'gain')} Elo per doubling"
            along = np.geomspace(rows["x"].min(), rows["x"].max(), 100)
            line = first["elo_at_1"] + first["gain"] * np.log2(along)
            ax.plot(along, line, **style | {"marker": "none", "linewidth": 1.3})
        style |= {"linestyle": "none"} if per in _SWEPT else {}
        # points of each family stand beside those of others, so that none hides another
        shift = min(0.08, 0.5 / len(names)) * (i - (len(names) - 1) / 2) if per == DEPTH else 0.0
        elo, error = values_and_errors(rows, "elo")
        ax.errorbar(rows["x"] + shift, elo, error, capsize=3, elinewidth=1.3, label=text, **style)
    x = points["x"].to_numpy(dtype=float)
    if per == DEPTH:
        ax.xaxis.set_major_locator(MaxNLocator(nbins=12, integer=True, min_n_ticks=1))
        ax.margins(x=0.06)
    elif per == NODES or (x.min() > 0 and x.max() / x.min() >= WIDE):
        log_scale(ax, "x", x)
        if per != NODES:
            ax.xaxis.set_major_formatter("{x:g}")
    ax.set_xlabel(label)
    ax.set_ylabel(elo_label(reference))
    legend(ax)
    return ax


@styled
def plot_errors(errors: pd.DataFrame, *, reference: str = "") -> Axes:
    """Error rate of each player against Elo, log scale; `reference` says what 0 is.

    `errors` is `Run.endgame_errors` with the columns elo, elo_low and elo_high. Without an error the dot is
    hollow, at the upper end of the interval. Of more than LEADING players the best are shown.
    """
    shown = errors[errors["elo"].notna()].head(LEADING)
    is_zero = (shown["error_rate"] == 0).to_numpy()
    shown = shown.assign(error_rate=shown["error_rate"].where(~is_zero, shown["error_rate_high"]))
    ax = area(f"Errors in endings against Elo{leading(len(errors))}")
    (elo, spread), (rate, error) = values_and_errors(shown, "elo"), values_and_errors(shown, "error_rate")
    ax.errorbar(elo, rate, error, spread, "none", ecolor=SERIES[0], elinewidth=0.8, alpha=0.35)
    for rows, face in ((~is_zero, SERIES[0]), (is_zero, PAPER)):
        ax.plot(elo[rows], rate[rows], "o", color=SERIES[0], markerfacecolor=face)
    for name, x, y in zip(shown["player"], elo, rate, strict=True):
        ax.annotate(name, (x, y), (5, 4), textcoords="offset points", size=8)
    log_scale(ax, "y", np.array([rate.min() / 2, shown["error_rate_high"].max()]))  # an interval may go on below
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    ax.set_ylabel("errors per decision that can err (log scale)")
    ax.set_xlabel(elo_label(reference))
    return ax


@styled
def plot_joint(by_run: pd.DataFrame, joint: pd.DataFrame, *, reference: str = "") -> Axes:
    """Elo of each player in each run and jointly, with 95 % intervals, the best at the top.

    `by_run` has player, run, elo, elo_low and elo_high, `joint` the same but for run, in rank order. The best
    players are shown, with MARKS marks at most.
    """
    runs = by_run["run"].drop_duplicates().tolist()
    most = min(LEADING, max(3, MARKS // (len(runs) + 1)))
    shown = joint.head(most)
    title = f"Elo by run, and the mean{leading(len(joint), most)}"
    ax = row_axes(shown["player"], title, per_row=0.14 * (len(runs) + 2))
    reference_line(ax)
    parts = [(name, by_run[by_run["run"] == name], series(number)) for number, name in enumerate(runs)]
    parts.append(("joint", shown, {"color": INK, "marker": "D"}))
    for number, (name, rows, style) in enumerate(parts):
        ordered = rows.set_index("player").loc[shown["player"]]
        elo, low, high = (ordered[column].to_numpy(dtype=float) for column in Interval.columns_of("elo"))
        place = np.arange(len(shown)) + (number - (len(parts) - 1) / 2) / (len(parts) + 1)
        ax.hlines(place, low, high, color=style["color"], linewidth=2.2, alpha=0.5)
        ax.plot(elo, place, style["marker"], color=style["color"], label=name, markersize=5)
    ax.set_xlabel(elo_label(reference))
    legend(ax, most=0)
    return ax
