"""What each player's search costs to a fixed depth and is worth in games, against one player of reference.

The reference is the anchor of the configuration, or its first player. Cost comes from the run's probe, worth
from the joint rating of its games. A value that does not exist is missing (an empty cell).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import stdtrit

from arena.ratings.joint import Ratings
from arena.ratings.match import Z95
from arena.report.tables import signed

LIMITS = ("depth", "nodes", "seconds", "clock", "increment")
"""Keys of a player's entry that limit its moves in the games."""


class Estimate(NamedTuple):
    """A value with its 95 % interval; what is not known is nan."""

    value: float
    low: float
    high: float


def reference_of(config: Mapping[str, Any]) -> str:
    """Name of the player that the others are compared with."""
    return str(config.get("anchor") or config["players"][0]["name"])


def ablation(probes: pd.DataFrame, ratings: Ratings, config: Mapping[str, Any]) -> pd.DataFrame:
    """One row per player, the reference first, then in the order of the configuration.

    Columns: player; depth (of the probe); positions (which it searched to that depth); geometric means nodes
    and seconds over these; branching_factor (the depth-th root of nodes); node_ratio and time_ratio to the
    reference, over the positions that both searched to the depth; elo_difference to the reference. The last
    three have 95 % intervals in `_low` and `_high`. `probes` is that of `arena.store.ledger.read_probes`.
    """
    reference = reference_of(config)
    names = [str(player["name"]) for player in config["players"]]
    depth = int(config["probe"]["depth"])
    reached = probes[(probes["depth"] >= depth) & (probes["nodes"] > 0) & (probes["seconds"] > 0)]
    logs = {}
    for cost in ("nodes", "seconds"):
        table = reached.pivot(index="position", columns="player", values=cost).reindex(columns=names)
        logs[cost] = table.astype(float).map(math.log, na_action="ignore")
    rows: list[dict[str, Any]] = []
    for name in sorted(names, key=lambda name: name != reference):
        count = int(logs["nodes"][name].notna().sum())
        nodes, seconds = (float(np.exp(log[name].mean())) for log in logs.values())
        row: dict[str, Any] = {
            "player": name,
            "depth": depth,
            "positions": count,
            "nodes": nodes,
            "seconds": seconds,
        }
        row["branching_factor"] = nodes ** (1 / depth)
        for column, log in zip(("node_ratio", "time_ratio"), logs.values(), strict=True):
            ratio = paired_ratio((log[name] - log[reference]).dropna().to_numpy(dtype=float))
            row |= _columns(column, ratio if name != reference else Estimate(ratio.value, np.nan, np.nan))
        row |= _columns("elo_difference", elo_difference(ratings, name, reference))
        rows.append(row)
    return pd.DataFrame(rows)


def paired_ratio(differences: NDArray[np.float64]) -> Estimate:
    """The geometric mean of ratios whose logarithms are given, with Student's 95 % interval on the logarithms.

    Fewer than two have no interval.
    """
    count = len(differences)
    if count == 0:
        return Estimate(np.nan, np.nan, np.nan)
    mean, error = float(differences.mean()), np.nan
    if count > 1:
        error = float(stdtrit(count - 1, 0.975) * differences.std(ddof=1) / np.sqrt(count))
    return Estimate(*(float(np.exp(log)) for log in (mean, mean - error, mean + error)))


def elo_difference(ratings: Ratings, player: str, reference: str) -> Estimate:
    """Elo of a player minus that of the reference, with the covariance of the two in its interval.

    Unknown where no games connect them; without an interval for the reference itself.
    """
    played = ratings.table.loc[ratings.table["games"] > 0].set_index("player")["elo"]
    both = {player, reference}
    if not both <= set(played.index) or not any(both <= set(group) for group in ratings.groups):
        return Estimate(np.nan, np.nan, np.nan)
    if player == reference:
        return Estimate(0.0, np.nan, np.nan)
    pair = ratings.covariance.loc[[player, reference], [player, reference]].to_numpy(dtype=float)
    error = Z95 * float(np.sqrt(max(pair[0, 0] + pair[1, 1] - 2 * pair[0, 1], 0.0)))
    difference = float(played[player] - played[reference])
    return Estimate(difference, difference - error, difference + error)


def findings(table: pd.DataFrame, config: Mapping[str, Any]) -> list[str]:
    """A sentence for each player that was compared with the reference, the largest loss of Elo first.

    A player whose entry differs from the reference's in one option only is called by that option.
    """
    entries = {str(player["name"]): player for player in config["players"]}
    reference = entries[reference_of(config)]
    said = []
    ranked = table[table["player"] != reference["name"]].sort_values("elo_difference", kind="stable")
    for row in ranked.to_dict("records"):
        ratios = {
            name: Estimate(*(row[f"{name}{end}"] for end in ("", "_low", "_high")))
            for name in ("node_ratio", "time_ratio", "elo_difference")
        }
        worth, games = ratios["elo_difference"], _games(entries[row["player"]], reference)
        clauses = [
            _cost("enters {} nodes " + f"to depth {row['depth']}", ratios["node_ratio"], "exactly as many", "the"),
            _cost("takes {}", ratios["time_ratio"], "exactly as long", "as long"),
            f"{_strength(worth)} {games}" if np.isfinite(worth.value) else "",
        ]
        known = [clause for clause in clauses if clause]
        if known:
            listed = " and ".join(filter(None, (", ".join(known[:-1]), known[-1])))
            said.append(f"{_subject(entries[row['player']], reference)} {listed}.")
    return said


def verdict(table: pd.DataFrame, config: Mapping[str, Any]) -> str:
    """One sentence: whose Elo certainly differs from the reference's, largest loss first; "" without games."""
    reference = reference_of(config)
    rows = table[(table["player"] != reference) & table["elo_difference"].notna()]
    if rows.empty:
        return ""
    differs = (rows["elo_difference_low"] > 0) | (rows["elo_difference_high"] < 0)
    named = [
        f"{row['player']} {signed(row['elo_difference'])} ± "
        f"{(row['elo_difference_high'] - row['elo_difference_low']) / 2:.0f}"
        for row in rows[differs].sort_values("elo_difference", kind="stable").to_dict("records")
    ]
    others = len(rows) - len(named)
    if not named:
        return f"Nobody differs measurably from {reference} in Elo."
    rest = f"; no measurable difference for {others} more" if others else ""
    return f"Elo against {reference}: {', '.join(named)}{rest}."


def times(ratio: float) -> str:
    """A ratio for people: 3.104 -> "3.10", 0.0123 -> "0.012", 1234 -> "1,234"; "" if there is none."""
    if not np.isfinite(ratio):
        return ""
    if ratio >= 100:
        return f"{ratio:,.0f}"
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}" if ratio >= 0.1 else f"{ratio:.2g}"


def _columns(name: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{name}_low": estimate.low, f"{name}_high": estimate.high}


def _cost(form: str, ratio: Estimate, same: str, unit: str) -> str:
    """A ratio in words; `same` stands for the ratio 1 without any spread, `unit` behind the number of times."""
    if not np.isfinite(ratio.value):
        return ""
    if ratio.low == ratio.high == 1:
        return form.format(same)
    interval = f" ({times(ratio.low)} to {times(ratio.high)})" if np.isfinite(ratio.low) else ""
    return form.format(f"{times(ratio.value)}{interval} times {unit}")


def _strength(elo: Estimate) -> str:
    error = (elo.high - elo.low) / 2
    if abs(elo.value) <= error:
        shown = f"{elo.value:+.0f}".replace("-", "−") if round(elo.value) else "0"
        return f"is not measurably stronger or weaker ({shown} ± {error:.0f} Elo)"
    return f"is {abs(elo.value):.0f} ± {error:.0f} Elo {'stronger' if elo.value > 0 else 'weaker'}"


def _games(player: Mapping[str, Any], reference: Mapping[str, Any]) -> str:
    """What the games of the two had in common."""
    limits, others = ({key: entry.get(key) for key in LIMITS} for entry in (player, reference))
    given = {key for key, value in limits.items() if value is not None}
    if limits != others or not given:
        return "in the games"
    if given <= {"seconds", "clock", "increment"}:
        return "at equal time"
    return f"at equal {' and '.join(key for key in LIMITS if key in given)}"


def _subject(player: Mapping[str, Any], reference: Mapping[str, Any]) -> str:
    changed = [
        key
        for key in dict.fromkeys([*player, *reference])
        if key not in ("name", *LIMITS) and player.get(key) != reference.get(key)
    ]
    value = player.get(changed[0]) if len(changed) == 1 else None
    if value is True:
        return f"With {changed[0]} the search"
    if value == "none" or (value is not None and not value):
        return f"Without {changed[0]} the search"
    return str(player["name"])
