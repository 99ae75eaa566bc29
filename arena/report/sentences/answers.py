"""The answers of a run: what a doubling is worth, which setting is better at equal terms, who leads."""

from __future__ import annotations

import pandas as pd

from arena.report.number import known, probability, signed, with_error
from arena.report.run import Run
from arena.report.sentences.ablation import verdict
from arena.report.sentences.words import CERTAIN, certain_difference
from arena.report.tables.openings import Homogeneity
from arena.wording import listed

MOST = 6
"""Comparisons that get a sentence."""
SIGNIFICANT = 0.05
"""p value below which openings differ by more than chance."""


def answers(run: Run) -> list[str]:
    """Sentences on gains per doubling, settings at equal terms and biased openings, as far as the run has any.

    Where the run has a probe the ablation's verdict stands for the differences of settings.
    """
    sentences = gain_sentences(run.gains)
    if len(run.ablation):
        sentences = [*filter(None, [verdict(run.ablation, run.experiment)]), *sentences]
    else:
        sentences += comparison_sentences(run.comparisons)
    return sentences + opening_sentences(run.openings, run.opening_test, run.facts.first)


def gain_sentences(gains: pd.DataFrame) -> list[str]:
    """A sentence for depth and one for nodes: "Each doubling of depth is worth 96 ± 19 Elo ..."."""
    sentences = []
    for per, rows in gains.groupby("per", sort=False):
        several = rows["family"].nunique() > 1
        parts = [
            f"{signed(row['gain']).removeprefix('+')} ± {(row['gain_high'] - row['gain_low']) / 2:.0f} Elo"
            + (f" with {row['family']}" if several else "")
            for row in rows.to_dict("records")
        ]
        measured = " (measured nodes per move)" if per == "nodes" else ""
        sentences.append(f"Each doubling of {per}{measured} is worth {listed(parts)}.")
    return sentences


def comparison_sentences(comparisons: pd.DataFrame) -> list[str]:
    """A sentence for each value of a setting and its reference, over all terms; of more than six the surest."""
    groups = [rows for _, rows in comparisons.groupby(["setting", "value", "reference"], sort=False)]
    if len(groups) > MOST:
        surest = sorted(range(len(groups)), key=lambda i: -(groups[i]["los"] - 0.5).abs().max())[:MOST]
        groups = [groups[i] for i in sorted(surest)]
    return [_comparison(str(rows["value"].iloc[0]), str(rows["reference"].iloc[0]), rows) for rows in groups]


def opening_sentences(openings: pd.DataFrame, test: Homogeneity | None, first: str) -> list[str]:
    """That openings differ in what they give the first mover, and the most biased one; nothing if they do not."""
    if test is None or test.p_value >= SIGNIFICANT or not len(openings):
        return []
    most, colour = openings.iloc[0], first.capitalize()
    p = f"p = {test.p_value:.3f}" if test.p_value >= 0.001 else "p < 0.001"
    error = 50 * (most["score_high"] - most["score_low"])
    return [
        f"The openings do not favour {colour} alike (F-test, {p}): the most biased, opening {most['opening']}, "
        f"gave {colour} {100 * most['score']:.0f} ± {error:.0f} %."
    ]


def lead(standings: pd.DataFrame) -> list[str]:
    """The sentence about the first of the table, if a rating exists, and whether its lead is certain."""
    table = standings[standings["elo"].notna()]
    if len(table) < 2:
        return []
    first, second = table.iloc[0], table.iloc[1]
    ahead = first["elo"] - second["elo"]
    at = with_error(first["elo"], (first["elo_high"] - first["elo_low"]) / 2) + " Elo"
    if round(ahead) == 0:
        text = f"{first['player']} and {second['player']} are level at {at}"
    else:
        text = f"{first['player']} leads with {at}, {ahead:.0f} Elo ahead of {second['player']}"
    if known(first["los"]):
        text += f" (likelihood of superiority {probability(first['los'])})"
        if round(ahead) != 0 and first["los"] < CERTAIN:
            text += "; the lead is not certain"
    return [text + "."]


def _comparison(value: str, reference: str, rows: pd.DataFrame) -> str:
    """One value against its reference: what is certain at which terms first, then what is not."""
    certain: list[str] = []
    uncertain: list[str] = []
    for row in rows.to_dict("records"):
        difference = row["elo_difference"]
        error = (row["elo_difference_high"] - row["elo_difference_low"]) / 2
        where = f"at equal {row['terms']}" if row["terms"] else "in the games"
        notes = [f"mean over {row['at']}" if row["at"] else f"mean of {row['pairs']} pairs"] * (row["pairs"] > 1)
        if max(row["los"], 1 - row["los"]) > CERTAIN:
            than = "" if certain else f" than {reference}"
            notes.append(f"LOS {probability(row['los'])}")
            certain.append(f"{certain_difference(difference, error)}{than} {where} ({'; '.join(notes)})")
        else:
            notes.append(with_error(difference, error))
            uncertain.append(f"{where} ({'; '.join(notes)})")
    if not certain:
        return f"{value} is not measurably stronger or weaker than {reference} {listed(uncertain)}."
    text = f"{value} is {listed(certain)}"
    return f"{text}; not measurably different {listed(uncertain)}." if uncertain else f"{text}."
