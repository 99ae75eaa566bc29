"""The answers of a run: what a test decided, what a doubling is worth, which setting is better, who leads."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from arena.base.number import known, probability, signed
from arena.base.wording import counted, listed
from arena.experiment.model import Experiment
from arena.ratings.contrasts import CERTAIN
from arena.ratings.interval import Interval
from arena.report.run import Run
from arena.report.sentences import ablation, comparisons
from arena.report.tables.decided import verdict
from arena.report.tables.forms import share, share_text
from arena.report.tables.suites import RANDOM
from arena.report.tables.views import ALL
from players.player import PlayerSpec

DECISIONS = 50
"""Decisions of a player from which on a sentence names its error rate."""
FAMILIES = 3
"""Families whose gains a sentence names one by one; of more it gives the least and the greatest."""


def answers(run: Run, most: int) -> list[str]:
    """Sentences on what the run asked, the most important first; those on settings are `most` at most.

    The gain per doubling of depth, or of nodes, if there is one, settings at equal
    terms, errors in endings, suites solved, and the other gain. Where the run has a probe the ablation's verdict
    stands for the settings.
    """
    gains = gain_sentences(run.gains[run.gains["fits"]])
    errors = [*error_sentences(run.endgame_errors), *suite_sentences(run.suites, run.players)]
    if len(run.ablation):
        settings = [*filter(None, [ablation.verdict(run.ablation, run.experiment)])]
    else:
        settings = comparisons.comparison_sentences(run.comparisons, most - len(gains[:1]) - len(errors))
    return [*gains[:1], *settings, *errors, *gains[1:]]


def answering_chart(run: Run) -> tuple[str, str]:
    """The name of the chart that shows the first answer, and that answer as its title, "" where it has no room."""
    if run.experiment.sprt:
        return "sprt", decision(run.sprt, run.experiment).rstrip(".").partition(" (")[0]
    if where := placed(run):
        return "elo", where[0].rstrip(".")
    if len(gains := run.gains[run.gains["fits"]]):
        return f"elo_by_{gains['per'].iloc[0]}", gain_sentences(gains)[0].rstrip(".")
    if len(run.ablation):
        return "ablation", ""
    if len(run.comparisons) and len(run.players) > 2:
        return "comparisons", comparisons.verdict(run.comparisons)
    first = lead(run.standings, run.experiment.players)
    return "elo", first[0].rstrip(".") if first else ""


def placed(run: Run) -> list[str]:
    """Where players stand among those whose Elo is given: "racer: +43 ± 20 Elo, between a (0) and b (+78)."."""
    given = run.experiment.anchor
    if len(given) < 2:
        return []
    order = sorted(given, key=lambda name: given[name])
    sentences = []
    for row in run.standings[run.standings["elo"].notna()].to_dict("records"):
        if row["player"] in given:
            continue
        lower = [name for name in order if given[name] <= row["elo"]][-1:]
        upper = [name for name in order if given[name] > row["elo"]][:1]
        side = "between" if lower and upper else "above" if lower else "below"
        where = listed([f"{name} ({signed(given[name])})" for name in lower + upper])
        sentences.append(f"{row['player']}: {Interval.of(row, 'elo')} Elo, {side} {where}.")
    return sentences


def gain_sentences(gains: pd.DataFrame) -> list[str]:
    """A sentence for depth and one for nodes: "Each doubling of depth is worth 96 ± 19 Elo ..."."""
    sentences = []
    for per, rows in gains.groupby("per", sort=False):
        families = rows.sort_values("gain", kind="stable") if len(rows) > FAMILIES else rows
        parts = [
            f"{Interval.of(row, 'gain')} Elo".removeprefix("+")
            + (f" with {row['family']}" if len(rows) > 1 else "")
            for row in families.to_dict("records")
        ]
        if len(rows) > FAMILIES:
            parts = [f"{parts[0]} to {parts[-1]} (least and greatest of {len(rows)} families)"]
        measured = " (measured nodes per move)" if per == "nodes" else ""
        sentences.append(f"Each doubling of {per}{measured} is worth {listed(parts)}.")
    return sentences


def error_sentences(errors: pd.DataFrame) -> list[str]:
    """How often the strongest and the weakest player err in endings, of those with DECISIONS or more.

    `errors` are in the order of Elo: the least and the greatest rate of many would be those of chance.
    """
    rows = errors[errors["decisions"] >= DECISIONS].to_dict("records")
    if not rows:
        return []
    first, last = (share(*Interval.of(row, "error_rate")) for row in (rows[0], rows[-1]))
    other = f", {rows[-1]['player']} in {last}" if len(rows) > 1 else ""
    return [
        f"In endings of up to {rows[0]['endgame_pieces']} pieces {rows[0]['player']} throws away half a point or "
        f"more in {first} of the decisions in which a move can{other}."
    ]


def suite_sentences(suites: pd.DataFrame, players: Sequence[str]) -> list[str]:
    """What the first and the last of these players, in rank order, and random choice solve of suites."""
    parts = []
    for suite, rows in suites[suites["stratum"] == ALL].groupby("suite", sort=False):
        known = {row["player"]: row for row in rows.to_dict("records")}
        solved = {name: f"{share_text(*Interval.of(row, 'share'))} %" for name, row in known.items()}
        asked = [name for name in players if name in known]
        if not asked:
            continue
        others = "".join(f", {name} {solved[name]}" for name in (*asked[1:][-1:], RANDOM))
        of = f"of the {rows['positions'].max():,} positions of {suite}"
        parts.append(f"{of} {asked[0]} solves {solved[asked[0]]}{others}")
    text = "; ".join(parts)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def lead(standings: pd.DataFrame, specs: Sequence[PlayerSpec] = ()) -> list[str]:
    """The sentence about the first of the table, if a rating exists, and whether its lead is certain.

    It names the second only where `specs` give the two the same limit, or there are no others.
    """
    table = standings[standings["elo"].notna()]
    if len(table) < 2:
        return []
    first, second = table.iloc[0], table.iloc[1]
    limits = {spec.name: spec.limit for spec in specs}
    ahead = first["elo"] - second["elo"]
    at = f"{Interval.of(first, 'elo')} Elo"
    doubt = probability(first["los"])
    notes = [f"LOS {doubt}"] if doubt and doubt[0] not in "<>" else []
    uncertain = ["not certain"] if known(first["los"]) and first["los"] < CERTAIN else []
    if len(table) > 2 and limits.get(first["player"]) != limits.get(second["player"]):
        text, notes = f"{first['player']} leads with {at}", uncertain
    elif round(ahead) == 0:
        text = f"{first['player']} and {second['player']} are level at {at}"
    else:
        text = f"{first['player']} leads with {at}, {ahead:.0f} ahead of {second['player']}"
        notes += uncertain
    return [text + (f" ({', '.join(notes)})" if notes else "") + "."]


def decision(path: pd.DataFrame, experiment: Experiment) -> str:
    """The decision of an experiment's sequential test, by the path of `tables.decided.sprt_path`.

    Accepting H1 rejects that the first player is elo0 stronger or less, at an error of alpha; accepting H0 rejects
    that it is elo1 stronger or more, at an error of beta.
    """
    test, decided = experiment.sprt, verdict(path)
    assert test is not None
    first, second = (spec.name for spec in experiment.players[:2])
    unit = "normalized Elo" if test.model == "normalized" else "Elo"
    pairs = counted(len(path), "pair")
    if decided == "continue":
        ratio = f": LLR {path['llr'].iloc[-1]:.2f}" if len(path) else ""
        return f"The test of {test.elo0:g} against {test.elo1:g} {unit} is open after {pairs}{ratio}."
    if decided == "H1":
        bound, than, or_, error = test.elo0, "more", "or less", test.alpha
    else:
        bound, than, or_, error = test.elo1, "less", "or more", test.beta
    shown = f"{bound:g}".replace("-", "−")
    return (
        f"{decided} accepted after {pairs}: {first} is {than} than {shown} {unit} stronger than {second} "
        f"(chance of error {100 * error:g} % if it is {shown} {or_})."
    )
