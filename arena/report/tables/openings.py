"""Openings: how each favours the colour that moves first."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.special import fdtrc as f_tail
from scipy.special import stdtrit as student_quantile

from arena.report.tables.columns import columns, interval
from arena.report.tables.outcomes import white_points
from arena.report.tables.table import Column, RunTable


class Homogeneity(NamedTuple):
    """The F-test that all openings favour the first mover alike."""

    openings: int
    p_value: float


def openings(games: pd.DataFrame, first: str) -> pd.DataFrame:
    """How each opening favours the colour that moves first in a game, `first`; the most biased opening first.

    Over pairs of games with colours swapped, in which the players' own strengths cancel; a pair that the stronger
    player wins twice counts as even, so unequal players draw the score towards a half. Single games are left
    out. The interval is Student's, with the spread of pairs within openings pooled over all of
    them; without two pairs of one opening there is none.
    """
    pairs = _pairs_of(games, first)
    table = pairs.groupby(["opening", "opening_fen"])["score"].agg(["size", "mean"]).reset_index()
    table = table.rename(columns={"size": "pairs", "mean": "score"})
    within, freedom = _within(pairs)
    error = float(student_quantile(freedom, 0.975)) * math.sqrt(within) if freedom else math.nan
    half = error / np.sqrt(table["pairs"])
    table["score_low"], table["score_high"] = (
        (table["score"] - half).clip(0, 1),
        (table["score"] + half).clip(0, 1),
    )
    order = (table["score"] - 0.5).abs().sort_values(ascending=False, kind="stable").index
    return table.loc[order].reset_index(drop=True)


def homogeneity(games: pd.DataFrame, first: str) -> Homogeneity | None:
    """One-way analysis of variance of the pairs' scores of the first mover, by opening.

    None with fewer than two openings, or where pairs of one opening never differ.
    """
    pairs = _pairs_of(games, first)
    within, freedom = _within(pairs)
    scores = pairs.groupby("opening")["score"].agg(["size", "mean"])
    if len(scores) < 2 or not freedom or not within > 0:
        return None
    between = float((scores["size"] * (scores["mean"] - pairs["score"].mean()) ** 2).sum()) / (len(scores) - 1)
    return Homogeneity(len(scores), float(f_tail(len(scores) - 1, freedom, between / within)))


def _pairs_of(games: pd.DataFrame, first: str) -> pd.DataFrame:
    """Pairs of games with colours swapped, both finished: opening, opening_fen and the mean score of `first`."""
    points = white_points(games)
    scored = games.assign(score=points if first == "white" else 1 - points)
    pairs = scored.groupby("pair").agg(
        opening=("opening", "first"), opening_fen=("opening_fen", "first"), games=("score", "size"),
        score=("score", "mean"),
    )  # fmt: skip
    return pairs[pairs["games"] == 2]


def _within(pairs: pd.DataFrame) -> tuple[float, int]:
    """Variance of the pairs' scores within openings, and its degrees of freedom; nan and 0 without any."""
    freedom = len(pairs) - pairs["opening"].nunique()
    if freedom <= 0:
        return math.nan, 0
    residual = pairs["score"] - pairs.groupby("opening")["score"].transform("mean")
    return float((residual**2).sum()) / freedom, freedom


TABLES = (
    RunTable(
        "openings",
        "score of the first mover by opening",
        lambda run: openings(run.games, run.facts.first),
        columns(
            "opening opening_fen pairs",
            *interval(Column("score", "score of the colour that moves first", "0 to 1", decimals=4)),
        ),
    ),
)
