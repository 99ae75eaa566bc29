"""Errors in endings against Elo."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from arena.base.number import known, signed
from arena.ratings.interval import Interval
from arena.report.charts.axes import LINES, area, elo_label, legend, log_scale
from arena.report.charts.style import MUTED, series, styled

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
        rate, low, high = (rows[column].to_numpy(float) for column in Interval.columns_of("error_rate"))
        shown, is_zero = np.where(rate > 0, rate, high), rate == 0
        style = series(i) | {"linestyle": "none"} | ({} if name else {"color": MUTED, "marker": "o"})
        error, spread = _between(shown, low, high), _between(elo, elo_low, elo_high)
        ax.errorbar(elo, shown, error, spread, "none", ecolor=style["color"], elinewidth=0.8, alpha=0.35)
        ax.plot(elo[~is_zero], shown[~is_zero], label=str(name) or None, **style)
        ax.plot(elo[is_zero], shown[is_zero], **style | {"markerfacecolor": "white"})
        for row, x, y in zip(rows.to_dict("records"), elo, shown, strict=True):
            limit = next((row[key] for key in ("depth_limit", "nodes_limit") if known(row[key])), "")
            text = str(limit if name else row["player"])
            ax.annotate(text, (x, y), (5, 4), textcoords="offset points", size=8, color=style["color"])
    _scale_rates(ax, rated)
    ax.set_xlabel(elo_label(reference))
    if names:
        legend(ax)
    return ax


def correlation(errors: pd.DataFrame) -> float:
    """Of the logarithm of the error rate with Elo, over players that erred; nan of fewer than FEWEST, or alike."""
    erred = errors[errors["errors"] > 0]
    rate, elo = np.log(erred["error_rate"].to_numpy(float)), erred["elo"].to_numpy(float)
    if len(erred) < _FEWEST or not (np.ptp(rate) and np.ptp(elo)):
        return math.nan
    return float(np.corrcoef(rate, elo)[0, 1])


def _between(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.maximum([value - low, high - value], 0.0))


def _scale_rates(ax: Axes, rows: pd.DataFrame) -> None:
    """The axis of rates, in per cent, down to half the least one: an interval may go on."""
    shown = rows[["error_rate", "error_rate_high"]].to_numpy(float).ravel()
    least = shown[shown > 0].min()
    log_scale(ax, "y", np.array([least / 2, shown.max()]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    ax.set_ylabel("errors per decision that can err (log scale)")
