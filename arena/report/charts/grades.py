"""Errors in endings: against Elo, and against the depth or the nodes of a sweep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from arena.base.number import known, signed
from arena.ratings.interval import Interval
from arena.report.charts.axes import (
    LINES,
    area,
    elo_label,
    leading,
    legend,
    limit_axis,
    log_scale,
    shifts,
)
from arena.report.charts.style import MUTED, series, styled
from arena.report.tables.sweeps import of_lines

_FEWEST = 3
"""Points that make a correlation."""


@styled
def plot_errors(errors: pd.DataFrame, *, reference: str = "") -> Axes:
    """Error rate against Elo, log scale, with the correlation of its logarithm; `reference` says what 0 is.

    `errors` is `Run.endgame_errors` with the columns elo, elo_low and elo_high. A player of a family, whose colour
    the legend has, is named by its limit. Without an error the dot is hollow, at the upper end of the interval.
    """
    rated = errors[errors["elo"].notna()]
    title, together = "Errors in endings against Elo", correlation(rated)
    title += f": correlation {signed(together, 2)} (log scale)" if known(together) else ""
    ax = area(title)
    names = sorted(rated["family"].dropna().unique())
    family = rated["family"].where(rated["family"].isin(names[:LINES]), "")
    for i, (name, rows) in enumerate(sorted(rated.groupby(family), key=lambda group: group[0] == "")):
        elo, elo_low, elo_high = (rows[column].to_numpy(float) for column in Interval.columns_of("elo"))
        style = series(i) | {"linestyle": "none"} | ({} if name else {"color": MUTED, "marker": "o"})
        spread = _between(elo, elo_low, elo_high)
        shown = _draw_rates(ax, elo, rows, style, str(name), xerr=spread, elinewidth=0.8, alpha=0.35)
        for row, x, y in zip(rows.to_dict("records"), elo, shown, strict=True):
            limit = next((row[key] for key in ("depth_limit", "nodes_limit") if known(row[key])), "")
            text = str(limit if name else row["player"])
            ax.annotate(text, (x, y), (5, 4), textcoords="offset points", size=8, color=style["color"])
    _scale_rates(ax, rated)
    ax.set_xlabel(elo_label(reference))
    if names:
        legend(ax)
    return ax


@styled
def plot_errors_by_limit(errors: pd.DataFrame, limit: str) -> Axes:
    """Error rate against depth, or nodes, log scale, with 95 % intervals, a line for each family.

    `errors` is `Run.endgame_errors`; the limit is its column depth_limit or nodes_limit.
    """
    swept = swept_limit(errors, limit)
    names = sorted(swept["family"].unique())
    some = leading(len(names), LINES, " families")
    ax = area(f"Errors in endings against {limit}, with 95 % intervals{some}")
    for i, (name, shift) in enumerate(zip(names[:LINES], shifts(len(names)), strict=False)):
        rows = swept[swept["family"] == name].sort_values(f"{limit}_limit")
        x = rows[f"{limit}_limit"].to_numpy(float) + (shift if limit == "depth" else 0.0)
        _draw_rates(ax, x, rows, series(i), str(name), elinewidth=1.2, capsize=3)
    _scale_rates(ax, swept)
    limit_axis(ax, limit, swept[f"{limit}_limit"])
    legend(ax)
    return ax


def swept_limit(errors: pd.DataFrame, limit: str) -> pd.DataFrame:
    """The players of families with several limits of a kind."""
    return of_lines(errors, f"{limit}_limit")


def correlation(errors: pd.DataFrame) -> float:
    """Of the logarithm of the error rate with Elo, over players that erred; nan of fewer than FEWEST, or alike."""
    erred = errors[errors["errors"] > 0]
    rate, elo = np.log(erred["error_rate"].to_numpy(float)), erred["elo"].to_numpy(float)
    if len(erred) < _FEWEST or not (np.ptp(rate) and np.ptp(elo)):
        return math.nan
    return float(np.corrcoef(rate, elo)[0, 1])


def _draw_rates(
    ax: Axes, x: np.ndarray, rows: pd.DataFrame, style: dict[str, Any], label: str, **bars: Any
) -> np.ndarray:
    """Draw error rates with their intervals, a rate of 0 hollow at the upper end; returns where the dots are."""
    rate, low, high = (rows[column].to_numpy(float) for column in Interval.columns_of("error_rate"))
    shown, is_zero = np.where(rate > 0, rate, high), rate == 0
    ax.errorbar(x, shown, yerr=_between(shown, low, high), fmt="none", ecolor=style["color"], **bars)
    ax.plot(x[~is_zero], shown[~is_zero], label=label or None, **style)
    ax.plot(x[is_zero], shown[is_zero], **style | {"linestyle": "none", "markerfacecolor": "white"})
    return shown


def _between(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.maximum([value - low, high - value], 0.0))


def _scale_rates(ax: Axes, rows: pd.DataFrame) -> None:
    """The axis of rates, in per cent, down to half the least one: an interval may go on."""
    shown = rows[["error_rate", "error_rate_high"]].to_numpy(float).ravel()
    least = shown[shown > 0].min()
    log_scale(ax, "y", np.array([least / 2, shown.max()]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    ax.set_ylabel("errors per decision that can err (log scale)")
