"""The answer of a run in words: what a doubling is worth, which setting is better at equal terms, who leads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from arena.report.ablation import verdict
from arena.report.tables import signed

if TYPE_CHECKING:
    from arena.report.run import Run

CERTAIN = 0.975
"""Likelihood of superiority above which a lead is called certain: the 95 % interval excludes 0."""
SPOKEN = 6
"""Comparisons that get a sentence."""


def answers(run: Run) -> list[str]:
    """Sentences on gains per doubling, settings at equal terms and biased openings, as far as the run has any.

    Where the run has a probe the ablation's verdict stands for the differences of settings.
    """
    said = gain_sentences(run.gains)
    if len(run.ablation):
        said = [*filter(None, [verdict(run.ablation, run.config)]), *said]
    else:
        said += comparison_sentences(run.comparisons)
    return said + opening_sentences(run)


def gain_sentences(gains: pd.DataFrame) -> list[str]:
    """A sentence for depth and one for nodes: "Each doubling of depth is worth 96 ± 19 Elo ..."."""
    said = []
    for per, rows in gains.groupby("per", sort=False):
        several = rows["family"].nunique() > 1
        parts = [
            f"{signed(row['gain']).removeprefix('+')} ± {(row['gain_high'] - row['gain_low']) / 2:.0f} Elo"
            + (f" with {row['family']}" if several else "")
            for row in rows.to_dict("records")
        ]
        measured = " (measured nodes per move)" if per == "nodes" else ""
        said.append(f"Each doubling of {per}{measured} is worth {listed(parts)}.")
    return said


def comparison_sentences(comparisons: pd.DataFrame) -> list[str]:
    """A sentence for each value of a setting and its reference, over all terms; of more than six the surest."""
    groups = [rows for _, rows in comparisons.groupby(["setting", "value", "reference"], sort=False)]
    if len(groups) > SPOKEN:
        surest = sorted(range(len(groups)), key=lambda i: -(groups[i]["los"] - 0.5).abs().max())[:SPOKEN]
        groups = [groups[i] for i in sorted(surest)]
    return [_comparison(str(rows["value"].iloc[0]), str(rows["reference"].iloc[0]), rows) for rows in groups]


def opening_sentences(run: Run) -> list[str]:
    """That openings differ in what they give the first mover, and the most biased one; nothing if they do not."""
    test, first = run.opening_test, str(run.config["first"]).capitalize()
    if test is None or test.p_value >= 0.05 or not len(run.openings):
        return []
    worst = run.openings.iloc[0]
    p = f"p = {test.p_value:.3f}" if test.p_value >= 0.001 else "p < 0.001"
    error = 50 * (worst["score_high"] - worst["score_low"])
    return [
        f"The openings do not favour {first} alike (F-test, {p}): the most biased, opening {worst['opening']}, "
        f"gave {first} {100 * worst['score']:.0f} ± {error:.0f} %."
    ]


def lead(standings: pd.DataFrame) -> list[str]:
    """The sentence about the first of the table, if a rating exists, and whether its lead is certain."""
    table = standings[standings["elo"].notna()]
    if len(table) < 2:
        return []
    first, second = table.iloc[0], table.iloc[1]
    error = (first["elo_high"] - first["elo_low"]) / 2
    ahead = first["elo"] - second["elo"]
    at = signed(first["elo"]) + (f" ± {error:.0f} Elo" if error > 0 else " Elo")
    if round(ahead) == 0:
        text = f"{first['player']} and {second['player']} are level at {at}"
    else:
        text = f"{first['player']} leads with {at}, {ahead:.0f} Elo ahead of {second['player']}"
    if _known(first["los"]):
        text += f" (likelihood of superiority {probability(first['los'])})"
        if round(ahead) != 0 and first["los"] < CERTAIN:
            text += "; the lead is not certain"
    return [text + "."]


def probability(value: Any) -> str:
    """Per cent, "" if unknown; what rounds to certainty is written as a bound."""
    if not _known(value):
        return ""
    percent = 100 * float(value)
    return "> 99.9 %" if percent > 99.9 else "< 0.1 %" if percent < 0.1 else f"{percent:.1f} %"


def listed(parts: Sequence[str]) -> str:
    """Parts as people list them: "a, b and c"."""
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _comparison(value: str, reference: str, rows: pd.DataFrame) -> str:
    """One value against its reference: what is certain at which terms first, then what is not."""
    certain: list[str] = []
    uncertain: list[str] = []
    for row in rows.to_dict("records"):
        difference = row["elo_difference"]
        error = (row["elo_difference_high"] - row["elo_difference_low"]) / 2
        where = f"at equal {row['terms']}" if row["terms"] else "in the games"
        notes = [f"mean over {row['at']}" if row["at"] else f"mean of {row['pairs']} pairs"] * (row["pairs"] > 1)
        likely = max(row["los"], 1 - row["los"])
        if likely > CERTAIN:
            than = "" if certain else f" than {reference}"
            better = f"{'stronger' if difference > 0 else 'weaker'}{than}"
            notes.append(f"LOS {probability(row['los'])}")
            certain.append(f"{abs(difference):.0f} ± {error:.0f} Elo {better} {where} ({'; '.join(notes)})")
        else:
            notes.append(f"{signed(difference)} ± {error:.0f}")
            uncertain.append(f"{where} ({'; '.join(notes)})")
    if not certain:
        return f"{value} is not measurably stronger or weaker than {reference} {listed(uncertain)}."
    text = f"{value} is {listed(certain)}"
    return f"{text}; not measurably different {listed(uncertain)}." if uncertain else f"{text}."


def _known(value: Any) -> bool:
    return value is not None and not pd.isna(value) and bool(np.isfinite(float(value)))
