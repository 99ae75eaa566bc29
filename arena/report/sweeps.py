"""Tables of what a sweep asks: the worth of depth and nodes, equal terms, openings, convergence, phases of games.

The input frames are those of `arena.store.ledger.read`, the ratings those of `arena.ratings.joint`. Elo
differences carry 95 % intervals from the ratings' covariance. A value that does not exist is missing (an empty
cell).
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from scipy.special import fdtrc, stdtrit

from arena.experiment.names import phrases
from arena.ratings.joint import Colour, Floats, Ratings, rate
from arena.ratings.match import Z95, los
from arena.report.ablation import LIMITS
from arena.report.tables import POINTS, families

POINTS_OF_CONVERGENCE = 12
"""Parts of the schedule that are rated."""
GAMES_OF_CONVERGENCE = 20
"""Games a player, on average, in the least of them."""
TENTHS = 10


class Contrast(NamedTuple):
    """A weighted sum of ratings, in Elo, with its 95 % interval and the probability that it is positive."""

    value: float
    low: float
    high: float
    los: float


class Homogeneity(NamedTuple):
    """The F-test that all openings favour the first mover alike."""

    openings: int
    p_value: float


def contrast(ratings: Ratings, weights: Mapping[str, float]) -> Contrast | None:
    """The sum of weight times Elo over players; the weights sum to 0.

    None unless all these players have games and are connected through games.
    """
    played = ratings.table.loc[ratings.table["games"] > 0].set_index("player")["elo"]
    names = list(weights)
    if not set(names) <= set(played.index) or not any(set(names) <= set(group) for group in ratings.groups):
        return None
    c = np.array([weights[name] for name in names])
    value = float(c @ played[names].to_numpy(dtype=float))
    covariance = ratings.covariance.loc[names, names].to_numpy(dtype=float)
    error = math.sqrt(max(float(c @ covariance @ c), 0.0))
    return Contrast(value, value - Z95 * error, value + Z95 * error, los(value, error))


def elo_by_nodes(standings: pd.DataFrame, config: Mapping[str, Any]) -> pd.DataFrame:
    """Elo against measured nodes per move: family, player, nodes_per_move, elo, elo_low, elo_high.

    One family for players that differ in name and one limit only (depth, nodes or seconds), if at least three
    of them have games and searched different numbers of nodes. Families that differ in the limit are told apart
    by " by depth", " by nodes" or " by seconds".
    """
    known = standings[(standings["games"] > 0) & standings["nodes_per_move"].notna()]
    parts = []
    for limit in ("depth", "nodes", "seconds"):
        family = families(config, limit)
        table = known.loc[known["player"].isin(list(family))]
        table = table[["player", "nodes_per_move", "elo", "elo_low", "elo_high"]].copy()
        table.insert(0, "family", table["player"].map(family).astype(object))
        parts.append(
            table[table.groupby("family")["nodes_per_move"].transform("nunique") >= 3].assign(limit=limit)
        )
    whole = pd.concat(parts)
    shared = whole.groupby("family")["limit"].transform("nunique") > 1
    whole["family"] = whole["family"].where(~shared, whole["family"] + " by " + whole["limit"])
    whole = whole.sort_values(["family", "nodes_per_move"], kind="stable").drop(columns="limit")
    return whole.reset_index(drop=True)


def gains(ratings: Ratings, by_depth: pd.DataFrame, by_nodes: pd.DataFrame) -> pd.DataFrame:
    """What a doubling of depth and of nodes is worth: the line Elo = elo_at_1 + gain * log2(x), family by family.

    Columns: family, per ("depth", "nodes"), players, x_low and x_high (the least and greatest x), gain (Elo per
    doubling), gain_low, gain_high (95 %), elo_at_1 and misfit (root mean square distance of the ratings from the
    line, Elo). `by_depth` is that of `tables.elo_by_depth`, `by_nodes` that of `elo_by_nodes`.

    Generalized least squares with the covariance of the ratings, on differences to the family's first player, so
    that it does not matter what Elo is relative to. Where the ratings lie further from the line than chance has
    it (chi-square above its degrees of freedom), the error is multiplied by the root of that ratio (R. T. Birge,
    Phys. Rev. 40, 1932).
    """
    rows = []
    for per, table in (("depth", by_depth), ("nodes", by_nodes)):
        column = "depth" if per == "depth" else "nodes_per_move"
        for family, members in table.groupby("family", sort=False):
            names = members["player"].tolist()
            if not any(set(names) <= set(group) for group in ratings.groups):
                continue
            x = members[column].to_numpy(dtype=float)
            elo = members["elo"].to_numpy(dtype=float)
            gain, error = _slope(np.log2(x), elo, ratings.covariance.loc[names, names].to_numpy(dtype=float))
            at_one = float(np.mean(elo - gain * np.log2(x)))
            misfit = float(np.sqrt(np.mean((elo - at_one - gain * np.log2(x)) ** 2)))
            rows.append(
                (family, per, len(names), x.min(), x.max(), gain, gain - error, gain + error, at_one, misfit)
            )
    columns = [
        "family",
        "per",
        "players",
        "x_low",
        "x_high",
        "gain",
        "gain_low",
        "gain_high",
        "elo_at_1",
        "misfit",
    ]
    return pd.DataFrame(rows, columns=columns)


def comparisons(ratings: Ratings, config: Mapping[str, Any]) -> pd.DataFrame:
    """Players that differ in one setting other than a limit, at equal terms.

    One row for each setting, value and kind of limit: setting, value and reference (in words: the value in the
    configuration's anchor, else the first), terms ("depth", "nodes", "time", ...; empty without a limit), at (the
    least and greatest such limit, in words), pairs (of players that differ in this setting only), and the mean of
    their elo_difference (value minus reference) with elo_difference_low, elo_difference_high (95 %) and los.

    The mean is over all that the two values have in common: limits of one kind, and in a factorial the values of
    the other settings.
    """
    players = config["players"]
    rows = []
    for setting in _settings(players):
        values = {_key(player.get(setting)): player.get(setting) for player in players}
        words = dict(zip(values, phrases(setting, list(values.values())), strict=True))
        words |= {"null": f"default {setting}"} if "null" in words else {}
        groups: dict[str, dict[str, Mapping[str, Any]]] = {}
        for player in players:
            rest = {key: value for key, value in player.items() if key not in ("name", setting)}
            groups.setdefault(_key(rest), {})[_key(player.get(setting))] = player
        anchor = next((player for player in players if player["name"] == config.get("anchor")), players[0])
        for reference, value, pairs in _pairs(groups, _key(anchor.get(setting))):
            weights: dict[str, float] = {}
            for one, other in pairs:
                weights[one["name"]], weights[other["name"]] = 1 / len(pairs), -1 / len(pairs)
            found = contrast(ratings, weights)
            if found is not None:
                terms, at = _terms([one for one, _ in pairs])
                rows.append((setting, words[value], words[reference], terms, at, len(pairs), *found))
    difference = ["elo_difference", "elo_difference_low", "elo_difference_high", "los"]
    return pd.DataFrame(rows, columns=["setting", "value", "reference", "terms", "at", "pairs", *difference])


def openings(games: pd.DataFrame, first: str) -> pd.DataFrame:
    """How each opening favours the colour that moves first in a game, `first`; the most biased opening first.

    Columns: opening (number), opening_fen, pairs, score (of that colour, 0 to 1), score_low, score_high (95 %).
    Over pairs of games with colours swapped, in which the players' own strengths cancel; a pair that the stronger
    player wins twice counts as even, so unequal players draw the score towards a half. Single games are left
    out. The interval is Student's, with the spread of pairs within openings pooled over all of
    them; without two pairs of one opening there is none.
    """
    pairs = _pairs_of(games, first)
    table = pairs.groupby(["opening", "opening_fen"])["score"].agg(["size", "mean"]).reset_index()
    table = table.rename(columns={"size": "pairs", "mean": "score"})
    within, freedom = _within(pairs)
    error = float(stdtrit(freedom, 0.975)) * math.sqrt(within) if freedom else math.nan
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
    return Homogeneity(len(scores), float(fdtrc(len(scores) - 1, freedom, between / within)))


def convergence(
    games: pd.DataFrame, players: Sequence[str], first: Colour, anchor: str | None = None
) -> pd.DataFrame:
    """Ratings refitted to growing parts of the schedule: games, player, elo, elo_low, elo_high.

    The parts end with a round, up to 12 of them, in the order of the schedule, not in that of completion, which
    favours short games; games after the first missing one are left out. So are parts with fewer than 20 games a
    player on average, whose intervals are not to be trusted. Empty with fewer than three parts.
    """
    whole = games.iloc[: int((games["game"].to_numpy() == np.arange(1, len(games) + 1)).sum())]
    ends = np.flatnonzero(np.diff(whole["round"].to_numpy(), append=-1)) + 1
    ends = ends[2 * ends >= GAMES_OF_CONVERGENCE * len(players)]
    columns = ["games", "player", "elo", "elo_low", "elo_high"]
    if len(ends) < 3:
        return pd.DataFrame(columns=columns)
    chosen = np.unique(np.linspace(0, len(ends) - 1, min(POINTS_OF_CONVERGENCE, len(ends))).round().astype(int))
    parts = []
    for count in ends[chosen].tolist():
        table = rate(whole.iloc[:count], players, first=first, anchor=anchor).table
        parts.append(table[table["games"] > 0].assign(games=count)[columns])
    return pd.concat(parts, ignore_index=True)


def phases(games: pd.DataFrame, moves: pd.DataFrame) -> pd.DataFrame:
    """When the searches of winner and loser saw the result coming, in decisive games, by tenths of the game.

    Columns: tenth (1 to 10, of the game's plies), role ("winner", "loser"), pairs, moves, share (of the player's
    moves whose own score favours the later winner, 0 to 1; level counts half), share_low, share_high (95 %),
    legal_moves (mean number of choices). Only moves with a score are counted. Scores are what the players' own
    searches said, so this is when the result was seen, not when it was decided.

    Shares are means over pairs of games; the interval is Wilson's with as many trials as pairs, which is wide
    rather than narrow, as moves of one pair are not all alike.
    """
    decisive = games[games["result"].isin(["1-0", "0-1"])]
    winner = decisive.set_index("game")["result"].map({"1-0": "white", "0-1": "black"})
    table = moves.loc[moves["game"].isin(winner.index) & moves["score"].notna()]
    plies = table["game"].map(decisive.set_index("game")["plies"]).to_numpy(dtype=float)
    won = table["colour"].astype(str).to_numpy() == table["game"].map(winner).to_numpy(dtype=object)
    score = np.sign(table["score"].to_numpy(dtype=float)) * np.where(won, 1, -1)
    frame = pd.DataFrame(
        {
            "tenth": np.minimum((table["ply"].to_numpy() - 1) * TENTHS // plies, TENTHS - 1).astype("int64") + 1,
            "role": np.where(won, "winner", "loser"),
            "pair": table["game"].map(decisive.set_index("game")["pair"]).to_numpy(),
            "favours": (score + 1) / 2,
            "legal_moves": table["legal_moves"].to_numpy(dtype=float),
        }
    )
    by_pair = frame.groupby(["tenth", "role", "pair"], sort=True).agg(
        moves=("favours", "size"), share=("favours", "mean"), legal_moves=("legal_moves", "mean")
    )
    result = by_pair.groupby(["tenth", "role"]).agg(
        pairs=("share", "size"),
        moves=("moves", "sum"),
        share=("share", "mean"),
        legal_moves=("legal_moves", "mean"),
    )
    result = result.reset_index().sort_values(["tenth", "role"], ascending=[True, False]).reset_index(drop=True)
    n, p = result["pairs"].to_numpy(dtype=float), result["share"].to_numpy(dtype=float)
    middle = (p + Z95**2 / (2 * n)) / (1 + Z95**2 / n)
    half = Z95 / (1 + Z95**2 / n) * np.sqrt(p * (1 - p) / n + Z95**2 / (4 * n**2))
    result.insert(5, "share_low", np.maximum(middle - half, 0.0))
    result.insert(6, "share_high", np.minimum(middle + half, 1.0))
    return result


def _slope(x: Floats, y: Floats, covariance: Floats) -> tuple[float, float]:
    """Slope of the line through (x, y) and its 95 % half width (see `gains`)."""
    differences = np.hstack([-np.ones((len(x) - 1, 1)), np.eye(len(x) - 1)])
    dx, dy = differences @ x, differences @ y
    inverse = np.linalg.pinv(differences @ covariance @ differences.T, hermitian=True)
    information = float(dx @ inverse @ dx)
    slope = float(dx @ inverse @ dy) / information
    residual = dy - slope * dx
    chi_square, freedom = float(residual @ inverse @ residual), len(dx) - 1
    excess = math.sqrt(max(chi_square / freedom, 1.0)) if freedom else 1.0
    return slope, Z95 * excess / math.sqrt(information)


def _settings(players: Sequence[Mapping[str, Any]]) -> list[str]:
    """Keys other than the name and limits in which players differ, in the order of the configuration."""
    keys = dict.fromkeys(key for player in players for key in player if key not in ("name", *LIMITS))
    return [key for key in keys if len({_key(player.get(key)) for player in players}) > 1]


def _pairs(
    groups: Mapping[str, Mapping[str, Mapping[str, Any]]], preferred: str
) -> Iterator[tuple[str, str, list[tuple[Mapping[str, Any], Mapping[str, Any]]]]]:
    """Reference, other value, and the pairs of players (other, reference) at limits of one kind.

    The reference of a group of players that differ in one setting is `preferred`, or the group's first value.
    """
    found: dict[tuple[str, str, tuple[str, ...]], list[tuple[Mapping[str, Any], Mapping[str, Any]]]] = {}
    for group in groups.values():
        reference = preferred if preferred in group else next(iter(group))
        for value, player in group.items():
            if value != reference:
                kind = tuple(key for key in LIMITS if player.get(key) is not None)
                found.setdefault((reference, value, kind), []).append((player, group[reference]))
    for (reference, value, _), pairs in found.items():
        yield reference, value, pairs


def _terms(players: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """What limits these players, of one kind of limit, in words; and the range of a limit that is one number."""
    given = [key for key in LIMITS if players[0].get(key) is not None]
    names = dict.fromkeys("time" if key in ("seconds", "clock", "increment") else key for key in given)
    if len(given) != 1:
        return " and ".join(names), ""
    numbers = sorted({player[given[0]] for player in players})
    unit = " s" if given == ["seconds"] else ""
    return " and ".join(names), " to ".join(f"{n}" for n in dict.fromkeys([numbers[0], numbers[-1]])) + unit


def _pairs_of(games: pd.DataFrame, first: str) -> pd.DataFrame:
    """Pairs of games with colours swapped, both finished: opening, opening_fen and the mean score of `first`."""
    points = games["result"].astype(str).map(POINTS).astype(float)
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


def _key(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
