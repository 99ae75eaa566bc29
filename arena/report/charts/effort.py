"""The share of a suite's positions that are solved, by limit."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.ticker import PercentFormatter

from arena.report.charts.axes import LINES, area, leading, legend, limit_axis
from arena.report.charts.style import MUTED, series, styled
from arena.report.tables.views import ALL


@styled
def plot_solved(shares: pd.DataFrame) -> Axes:
    """The share of a suite's positions solved against the limit, a line for each player with 95 % intervals.

    `shares` is that of `tables.suites.shares` for one suite; players without a limit are broken lines.
    """
    shares = shares[shares["stratum"] == ALL]
    swept = shares[shares["limit"] != ""]
    kind = swept["limit"].iloc[0] if len(swept) else "depth"
    swept = swept[swept["limit"] == kind]
    size, lines = int(shares["positions"].max()), swept["player"].nunique()
    ax = area(f"Share of {shares['suite'].iloc[0]} solved (n = {size}){leading(lines, LINES, ' lines')}")
    for i, (name, rows) in enumerate([*swept.groupby("player", sort=False)][:LINES]):
        columns = ("at", "share", "share_low", "share_high")
        at, share, low, high = (rows[column].to_numpy(dtype=float) for column in columns)
        ax.plot(at, share, label=name, **series(i))
        ax.fill_between(at, low, high, color=series(i)["color"], alpha=0.08, linewidth=0)
    for i, row in enumerate(shares[shares["limit"] == ""].to_dict("records")):
        ax.axhline(row["share"], color=MUTED, linestyle=(":", "--")[i % 2], linewidth=1.2, label=row["player"])
    limit_axis(ax, kind, swept["at"])
    ax.yaxis.set_major_formatter(PercentFormatter(1, decimals=0))
    ax.set_ylim(0, 1.02)
    ax.set_ylabel("positions solved")
    legend(ax)
    return ax
