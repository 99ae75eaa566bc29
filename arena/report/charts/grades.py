"""Errors in endings: against Elo, and against the depth or the nodes of a sweep."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from arena.base.number import known, signed
from arena.report.charts.axes import (
    LINES,
    Chart,
    area,
    elo_label,
    leading,
    legend,
    log_scale,
    no_games,
    whole_depths,
)
from arena.report.charts.style import MUTED, series, styled
from arena.report.run import Run

FEWEST = 3
"""Points of which a correlation, or a line over depths, is made."""
_RATE = ("error_rate", "error_rate_low", "error_rate_high")


@styled
def plot_errors(errors: pd.DataFrame, ax: Axes | None = None, *, reference: str = "") -> Axes:
    """Error rate against Elo, log scale, with the correlation of its logarithm; `reference` says what 0 is.

    `errors` is `Run.endgame_errors` with the columns elo, elo_low and elo_high. A player of a family, whose colour
    the legend has, is named by its limit. Without an error the dot is hollow, at the upper end of the interval.
    """
    found = errors[errors["elo"].notna()]
    title, together = "Errors in endings against Elo", correlation(found)
    title += f": correlation {signed(together, 2)} (log scale)" if known(together) else ""
    ax = area(ax, title, height=4.4)
    if found.empty:
        return no_games(ax, "no player with an Elo was graded")
    names = sorted(found["family"].dropna().unique())
    some = found["family"].where(found["family"].isin(names[:LINES]), "")
    for i, (name, rows) in enumerate(sorted(found.groupby(some), key=lambda group: group[0] == "")):
        elo, rate, low, high = _values(rows, "elo")
        style = series(i) | {"linestyle": "none"} | ({} if name else {"color": MUTED, "marker": "o"})
        ends = (rows[f"elo_{end}"].to_numpy(float) for end in ("low", "high"))
        ax.errorbar(elo, rate, xerr=_between(elo, *ends), yerr=_between(rate, low, high), fmt="none",
                    ecolor=style["color"], elinewidth=0.8, alpha=0.35)  # fmt: skip
        _dots(ax, elo, rate, rows, style, label=str(name))
        for row, x, y in zip(rows.to_dict("records"), elo, rate, strict=True):
            limit = next((row[key] for key in ("depth_limit", "nodes_limit") if known(row[key])), "")
            text = str(limit if name else row["player"])
            ax.annotate(text, (x, y), (5, 4), textcoords="offset points", size=8, color=style["color"])
    _rates(ax, found)
    ax.set_xlabel(elo_label(reference))
    if names:
        legend(ax)
    return ax


@styled
def plot_errors_by_limit(errors: pd.DataFrame, ax: Axes | None = None, *, limit: str = "depth") -> Axes:
    """Error rate against depth, or nodes, log scale, with 95 % intervals, a line for each family.

    `errors` is `Run.endgame_errors`; the limit is its column depth_limit or nodes_limit.
    """
    found = _sweep(errors, limit)
    names = sorted(found["family"].unique())
    some = leading(len(names), LINES, " families")
    ax = area(ax, f"Errors in endings against {limit}, with 95 % intervals{some}", height=4.4)
    if found.empty:
        return no_games(ax)
    for i, name in enumerate(names[:LINES]):
        rows = found[found["family"] == name].sort_values(f"{limit}_limit")
        x, rate, low, high = _values(rows, f"{limit}_limit")
        aside = min(0.08, 0.5 / len(names)) * (i - (len(names) - 1) / 2) if limit == "depth" else 0.0
        ax.errorbar(x + aside, rate, yerr=_between(rate, low, high), fmt="none", ecolor=series(i)["color"],
                    elinewidth=1.2, capsize=3)  # fmt: skip
        _dots(ax, x + aside, rate, rows, series(i), label=str(name))
    _rates(ax, found)
    if limit == "depth":
        whole_depths(ax)
    else:
        log_scale(ax, "x", found["nodes_limit"].to_numpy(float))
        ax.set_xlabel("nodes per move (log scale)")
    legend(ax)
    return ax


def correlation(errors: pd.DataFrame) -> float:
    """Of the logarithm of the error rate with Elo, over players that erred; nan of fewer than FEWEST, or alike."""
    erred = errors[errors["errors"] > 0]
    rate, elo = np.log(erred["error_rate"].to_numpy(float)), erred["elo"].to_numpy(float)
    if len(erred) < FEWEST or not (np.ptp(rate) and np.ptp(elo)):
        return math.nan
    return float(np.corrcoef(rate, elo)[0, 1])


def _values(rows: pd.DataFrame, x: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The column `x`, what is drawn as the rate, and the ends of its interval."""
    of, rate, low, high = (rows[name].to_numpy(float) for name in (x, *_RATE))
    return of, np.where(rate > 0, rate, high), low, high


def _between(value: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    return np.nan_to_num(np.maximum([value - low, high - value], 0.0))


def _dots(
    ax: Axes, x: np.ndarray, rate: np.ndarray, rows: pd.DataFrame, style: dict[str, Any], label: str = ""
) -> None:
    none = (rows["errors"] == 0).to_numpy()
    ax.plot(x[~none], rate[~none], label=label or None, **style)
    ax.plot(x[none], rate[none], **style | {"linestyle": "none", "markerfacecolor": "white"})


def _rates(ax: Axes, rows: pd.DataFrame) -> None:
    """The axis of rates, in per cent, down to half the least one: an interval may go on."""
    shown = rows[["error_rate", "error_rate_high"]].to_numpy(float).ravel()
    least = shown[shown > 0].min()
    log_scale(ax, "y", np.array([least / 2, shown.max()]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g} %"))
    ax.set_ylabel("errors per decision that can err (log scale)")


def _sweep(errors: pd.DataFrame, limit: str) -> pd.DataFrame:
    """The players of families with FEWEST different limits or more."""
    found = errors[errors["family"].notna() & errors[f"{limit}_limit"].notna()]
    return found[found.groupby("family")[f"{limit}_limit"].transform("nunique") >= FEWEST]


def _with_elo(run: Run) -> pd.DataFrame:
    return run.endgame_errors.merge(run.standings[["player", "elo", "elo_low", "elo_high"]], on="player")


def _of_limit(limit: str) -> Chart:
    return Chart(
        f"errors_by_{limit}",
        f"Share of the decisions in endings that throw away half a point or more, of those in which a move can, "
        f"by players that differ in {limit} only. Hollow: no error, at the upper end of the interval.",
        "endgame_errors.csv",
        lambda run: plot_errors_by_limit(run.endgame_errors, limit=limit),
        lambda run: len(_sweep(run.endgame_errors, limit)) > 0,
    )


CHARTS = (
    _of_limit("depth"),
    _of_limit("nodes"),
    Chart(
        "errors",
        "Share of the decisions in endings that threw away half a point or more against Elo, with 95 % intervals.",
        "endgame_errors.csv",
        lambda run: plot_errors(_with_elo(run), reference=run.zero),
        lambda run: len(run.endgame_errors) > 0,
    ),
)
