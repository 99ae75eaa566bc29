"""Settings against one another in words: which is better at which equal terms, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from arena.base.number import probability
from arena.base.wording import counted, first_few, listed
from arena.ratings.contrasts import CERTAIN
from arena.ratings.interval import Interval
from arena.report.tables.comparisons import PLAYER
from arena.report.tables.views import TOO_LONG

NAMED = 4
"""Values that a sentence on many settings names, and groups of values that one on many values of a setting has."""
UNKEPT = "†"
"""Stands behind a time that was not equal; `cautions.too_long` explains it, once in a report."""


def comparison_sentences(comparisons: pd.DataFrame, most: int) -> list[str]:
    """The comparisons against the baseline, in `most` sentences at most.

    One for each value, over all terms, if there are so few; else of one setting which value is best at which terms
    and how the others stand, and of several settings the greatest certain differences for each kind of terms, that
    of most comparisons first.
    """
    rows = comparisons[comparisons["baseline"].astype(bool)]
    groups = [group for _, group in rows.groupby(["setting", "value", "reference"], sort=False)]
    if len(groups) <= most:
        return [_of_value(group) for group in groups]
    if comparisons["setting"].nunique() == 1 and rows["reference"].nunique() == 1:
        return [_best(comparisons), *_standing(comparisons)][:most]
    of_terms = sorted((group for _, group in rows.groupby("terms", sort=False)), key=len, reverse=True)
    return [_of_terms(group) for group in of_terms[:most]]


def title(comparisons: pd.DataFrame) -> str:
    """The heading of the table against the baseline: "Evaluation: Elo against simple"."""
    rows = comparisons[comparisons["baseline"].astype(bool)]
    settings, references = rows["setting"].unique(), rows["reference"].unique()
    what = settings[0].capitalize() if len(settings) == 1 else "Settings"
    against = f"Elo against {references[0]}"
    if what == PLAYER.capitalize():
        return against
    return f"{what}: {against}" if len(references) == 1 else f"{what} at equal terms"


def verdict(comparisons: pd.DataFrame) -> str:
    """The result of the comparisons against the baseline, as the title of a chart; "" of several settings."""
    rows = comparisons[comparisons["baseline"].astype(bool)]
    values, references = rows["value"].unique(), rows["reference"].unique()
    if rows["setting"].nunique() != 1 or len(references) != 1:
        return ""
    if len(values) == 1:
        return f"Against {references[0]}, {values[0]} is {_stands(rows, in_short=True)}"
    best: dict[str, list[str]] = {}
    for terms, of_terms in rows.groupby("terms", sort=False):
        best.setdefault(_ranked(of_terms, references[0])[0], []).append(str(terms))
    return "; ".join(f"{name} leads {at_equal(where)}" for name, where in best.items())


def pairs_title(count: int, most: int) -> str:
    """The heading of the table of all pairs, at most `most` rows."""
    return f"All {count} pairs" if count <= most else f"The first {most} of {count} pairs; comparisons.csv has all"


def note(comparisons: pd.DataFrame) -> str:
    """How the tables of comparisons are to be read."""
    text = (
        "Difference of the joint ratings ± half of its 95 % interval. LOS: likelihood of superiority of the first."
    )
    if (comparisons["pairs"] > 1).any():
        text += " Means where several pairs of players differ in nothing else."
    return text


def were_kept(rows: pd.DataFrame) -> bool:
    """Whether the players of some comparisons kept their time limits on the mean, see TOO_LONG."""
    return not (rows["time_used"] > TOO_LONG).any()


def at_equal(terms: Sequence[str]) -> str:
    """Kinds of limits in words: "at equal depth and nodes"."""
    limited = [name for name in terms if name]
    return f"at equal {listed(limited)}" if limited else "in the games"


def mean_of(row: dict[str, Any]) -> str:
    """The scope of a mean: "mean over depths 1 to 4", "mean of 2 pairs of players"; nothing if it is none."""
    if row["pairs"] < 2:
        return ""
    if " to " not in row["at"]:
        return f"mean of {row['pairs']} pairs of players"
    kind = {"depth": "depth {}", "nodes": "{} nodes", "time": "{}"}.get(row["terms"], f"{row['terms']} {{}}")
    return f"mean over {kind.format(row['at'])}"


def _of_value(rows: pd.DataFrame) -> str:
    """One value against its reference in one line: what is certain at which terms first, then what is not."""
    records = _records(rows)
    certain, uncertain = [row for row in records if _certain(row)], [row for row in records if not _certain(row)]
    parts = []
    if certain:
        wheres = _wheres(certain)
        parts.append(
            ", ".join(
                f"{_figure(row)}{'' if i else ' Elo'} {where}{_in_brackets(mean_of(row), *_doubt(row))}"
                for i, (row, where) in enumerate(zip(certain, wheres, strict=True))
            )
        )
    if uncertain:
        notes = [_in_brackets(mean_of(row), _figure(row)) for row in uncertain]
        wheres = [f"{where}{note}" for where, note in zip(_wheres(uncertain), notes, strict=True)]
        parts.append(f"no measurable difference {listed(wheres)}")
    return f"{rows['value'].iloc[0]} against {rows['reference'].iloc[0]}: {'; '.join(parts)}."


def _wheres(rows: list[dict[str, Any]]) -> list[str]:
    """Their terms in words, "at equal" before the first alone: "at equal depth", "nodes", "time†"."""
    named = [row["terms"] for row in rows]
    texts = [terms if i and terms and named[i - 1] else at_equal([terms]) for i, terms in enumerate(named)]
    return [text + UNKEPT * (row["time_used"] > TOO_LONG) for text, row in zip(texts, rows, strict=True)]


def _figure(row: dict[str, Any]) -> str:
    return str(Interval.of(row, "elo_difference"))


def _doubt(row: dict[str, Any]) -> list[str]:
    """The likelihood of superiority where it is no near certainty."""
    shown = probability(row["los"])
    return [] if shown[0] in "<>" else [f"LOS {shown}"]


def _in_brackets(*notes: str) -> str:
    given = [note for note in notes if note]
    return f" ({'; '.join(given)})" if given else ""


def _best(comparisons: pd.DataFrame) -> str:
    reference = comparisons["reference"].iloc[0]
    best: dict[str, list[str]] = {}
    for terms, rows in comparisons.groupby("terms", sort=False):
        first, second = _ranked(rows, reference)[:2]
        met = {frozenset((row["value"], row["reference"])): row for row in _records(rows)}
        duel = met.get(frozenset((first, second)))
        against = second if first == reference else reference
        row = met[frozenset((first, against))]
        difference = Interval.of(row, "elo_difference")
        notes = [f"{Interval.around(abs(difference.value), difference.error)} Elo against {against}"]
        if duel is None or not _certain(duel):
            notes.append("not measurable" if against == second else f"not measurably ahead of {second}")
        kept = UNKEPT * (row["time_used"] > TOO_LONG)
        best.setdefault(first, []).append(f"{at_equal([str(terms)])}{kept} ({'; '.join(notes)})")
    parts = [f"{name} is best {listed(where)}" for name, where in best.items()]
    count = len({*comparisons["value"], *comparisons["reference"]})
    setting = comparisons["setting"].iloc[0]
    noun = f"{setting}s" if setting in ("evaluation", "type") else f"values of {setting}"
    return f"Of {count} {noun} {listed(parts)}."


def _standing(comparisons: pd.DataFrame) -> list[str]:
    rows = comparisons[comparisons["baseline"].astype(bool)]
    reference = rows["reference"].iloc[0]
    alike: dict[str, list[str]] = {}
    for value, of_value in rows.groupby("value", sort=False):
        alike.setdefault(_stands(of_value), []).append(str(value))
    ranked = sorted(alike.items(), key=lambda item: -len(item[1]))
    parts = [
        f"{listed(_few(values))} {'is' if len(values) == 1 else 'are'} {words}" for words, values in ranked[:NAMED]
    ]
    more = sum(len(values) for _, values in ranked[NAMED:])
    rest = f"; {more} more are listed below" if more else ""
    return [f"Against {reference}, {'; '.join(parts)}{rest}."]


def _stands(of_value: pd.DataFrame, *, in_short: bool = False) -> str:
    """How one value stands: "stronger at equal depth", and unless `in_short` at which terms nothing is certain."""
    signs: dict[str, list[str]] = {"stronger": [], "weaker": [], "": []}
    for row in _records(of_value):
        signs["" if not _certain(row) else "stronger" if row["elo_difference"] > 0 else "weaker"].append(
            row["terms"]
        )
    clauses = [f"{word} {at_equal(terms)}" for word, terms in signs.items() if word and terms]
    if not clauses:
        return "not measurably different"
    if signs[""] and not in_short:
        clauses.append(f"not measurably different {at_equal(signs[''])}")
    return listed(clauses)


def _of_terms(rows: pd.DataFrame) -> str:
    certain = sorted(filter(_certain, _records(rows)), key=lambda row: -abs(row["elo_difference"]))
    where = at_equal([rows["terms"].iloc[0]]) + UNKEPT * (not were_kept(rows))
    others = len(rows) - len(certain)
    if not certain:
        return f"With one setting changed, nothing differs measurably {where} ({counted(others, 'comparison')})."
    named = [f"{row['value']} {_figure(row)}" for row in certain]
    text = f"With one setting changed, Elo {where}: {first_few(named, NAMED)}"
    text += f"; no measurable difference for {others} others" if others > 1 else ""
    text += "; no measurable difference for 1 other" if others == 1 else ""
    return f"{text}."


def _ranked(rows: pd.DataFrame, reference: str) -> list[str]:
    of_baseline = rows[rows["reference"] == reference]
    elo = {reference: 0.0} | dict(zip(of_baseline["value"], of_baseline["elo_difference"], strict=True))
    return sorted(elo, key=lambda value: -elo[value])


def _records(rows: pd.DataFrame) -> list[dict[str, Any]]:
    return rows.to_dict("records")  # type: ignore[return-value]


def _certain(row: dict[str, Any]) -> bool:
    return bool(max(row["los"], 1 - row["los"]) > CERTAIN)


def _few(values: list[str]) -> list[str]:
    return values if len(values) <= NAMED else [*values[: NAMED - 1], f"{len(values) - NAMED + 1} more"]
