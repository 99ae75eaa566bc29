"""The ablation in words: what each change costs to a fixed depth, and is worth in games."""

from __future__ import annotations

import pandas as pd

from arena.base.number import known, times
from arena.base.wording import counted, listed
from arena.experiment.model import Experiment
from arena.ratings.interval import Interval
from arena.report.run import Run
from arena.report.tables.ablation import reference_of
from arena.report.tables.settings import LIMITS, limits, settings, terms
from players.player import PlayerSpec


def heading(run: Run) -> str:
    """The subject of the findings, as a phrase."""
    count = run.probes["position"].nunique()
    return f"Compared with {reference_of(run.experiment)}, on {counted(count, 'position')} and in the games"


def note(run: Run) -> str:
    """How the table of the ablation is to be read."""
    depth, reference = probe_depth(run), reference_of(run.experiment)
    return (
        f"Geometric means over the positions that the player searched to depth {depth} in full; ratios to "
        f"{reference}, position by position, with Student's interval on their logarithms. Branching factor: nodes "
        f"to the power 1/{depth}. Times are measured with as many searches at once as the run has workers."
    )


def probe_depth(run: Run) -> int:
    """The depth of the run's probe, which it has."""
    assert run.experiment.probe is not None
    return run.experiment.probe.depth


def findings(table: pd.DataFrame, experiment: Experiment) -> list[str]:
    """A sentence for each player that was compared with the reference, the largest loss of Elo first.

    A player whose entry differs from the reference's in one option only is called by that option.
    """
    specs = {spec.name: spec for spec in experiment.players}
    reference = specs[reference_of(experiment)]
    sentences = []
    ranked = table[table["player"] != reference.name].sort_values("elo_difference", kind="stable")
    for row in ranked.to_dict("records"):
        spec = specs[row["player"]]
        nodes, time, elo = (Interval.of(row, name) for name in ("node_ratio", "time_ratio", "elo_difference"))
        clauses = [
            _cost("enters {} nodes " + f"to depth {row['depth']}", nodes, "exactly as many", "the"),
            _cost("takes {}", time, "exactly as long", "as long"),
            f"{_strength(elo)} {_games(spec, reference)}" if known(elo.value) else "",
        ]
        if any(clauses):
            sentences.append(f"{_subject(spec, reference)} {listed(filter(None, clauses))}.")
    return sentences


def verdict(table: pd.DataFrame, experiment: Experiment) -> str:
    """One sentence: whose Elo certainly differs from the reference's at its limit, largest loss first, or ""."""
    reference = reference_of(experiment)
    limits = {spec.name: spec.limit for spec in experiment.players}
    equal = [name for name, limit in limits.items() if name != reference and limit == limits[reference]]
    rows = table[table["player"].isin(equal) & table["elo_difference"].notna()]
    if rows.empty:
        return ""
    differs = (rows["elo_difference_low"] > 0) | (rows["elo_difference_high"] < 0)
    named = [
        f"{row['player']} {Interval.of(row, 'elo_difference')}"
        for row in rows[differs].sort_values("elo_difference", kind="stable").to_dict("records")
    ]
    others = len(rows) - len(named)
    if not named:
        nobody = "Nobody" if len(equal) == len(limits) - 1 else "Nobody with the same limit"
        return f"{nobody} differs measurably from {reference} in Elo."
    rest = f"; no measurable difference for {others} more" if others else ""
    return f"Elo against {reference}: {', '.join(named)}{rest}."


def unmeasured(run: Run) -> list[str]:
    """A sentence for each player that the probe could not, or not everywhere, search to its depth."""
    sentences = []
    for row in run.ablation.to_dict("records"):
        of_player = run.probes[run.probes["player"] == row["player"]]
        errors = of_player.loc[of_player["error"] != "", "error"]
        if row["positions"] < len(of_player):
            reason = f" ({errors.iloc[0]})" if len(errors) else ""
            sentences.append(
                f"{row['player']} searched {row['positions']} of {counted(len(of_player), 'position')} to depth "
                f"{row['depth']}{reason}."
            )
    return sentences


def _cost(form: str, ratio: Interval, same: str, unit: str) -> str:
    """A ratio in words; `same` stands for the ratio 1 without any spread, `unit` behind the number of times."""
    if not known(ratio.value):
        return ""
    if ratio.low == ratio.high == 1:
        return form.format(same)
    interval = f" ({times(ratio.low)} to {times(ratio.high)})" if known(ratio.low) else ""
    return form.format(f"{times(ratio.value)}{interval} times {unit}")


def _strength(elo: Interval) -> str:
    if abs(elo.value) <= elo.error:
        return f"is not measurably stronger or weaker ({elo} Elo)"
    return f"is {abs(elo.value):.0f} ± {elo.error:.0f} Elo {'stronger' if elo.value > 0 else 'weaker'}"


def _games(spec: PlayerSpec, reference: PlayerSpec) -> str:
    given = terms(limits(spec))
    return f"at equal {given}" if given and spec.limit == reference.limit else "in the games"


def _subject(spec: PlayerSpec, reference: PlayerSpec) -> str:
    own, other = settings(spec), settings(reference)
    changed = [
        name for name in dict.fromkeys([*own, *other]) if name not in LIMITS and own.get(name) != other.get(name)
    ]
    value = own.get(changed[0]) if len(changed) == 1 else None
    if value is True:
        return f"With {changed[0]} the search"
    if value == "none" or (value is not None and not value):
        return f"Without {changed[0]} the search"
    return spec.name
