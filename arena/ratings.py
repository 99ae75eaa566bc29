"""The joint rating of all players: one fit of every result at once, with intervals from the whole covariance.

Model (R. R. Davidson, "On Extending the Bradley-Terry Model to Accommodate Ties", 1970): with d the strength
of the player who moves first minus that of the other plus the first-move advantage h,

    win : draw : loss = e^(d/2) : nu : e^(-d/2)

from the first player's view. Elo = 400 / ln 10 * 2 / (2 + nu) * strength, which gives the expected score of
equal players the slope of the logistic Elo curve. Bradley-Terry is nu = 0 with a draw counted as half a win
and half a loss. The draw rate of equal players is nu / (2 + nu).

Prior. The fit maximizes the likelihood times a weak prior made of virtual results, *prior* of each kind:

* a draw of every player with a virtual opponent in the middle of the player's group, counted as half a win
  and half a loss: density (2 cosh(strength / 2))^-prior;
* the same for the first-move advantage: density (2 cosh(h / 2))^-prior;
* a draw and a decisive game between equals for nu: density (q (1 - q))^prior with q = nu / (2 + nu).

These numbers do not grow with the games played, so the prior vanishes in large samples. It keeps one-sided
results finite: under Bradley-Terry 20 wins and no loss are 795 Elo, or 397 to either side of the mean.

Covariance. The inverse Hessian around the sum over clusters of the squared score (the sandwich), a cluster
being the games of one pair: two games from one opening are not independent. Clusters that all ended alike
say nothing about their own spread, so where a difference rests on such clusters alone, the model's variance
stands in for theirs if that is larger.

Limit. One h serves all openings. Where openings favour one side strongly and draws are few, games look more
random than the players are and differences come out too small, by tens of Elo.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias, get_args

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.special import expit, log_softmax, softmax

from arena.stats import ELO_PER_LOGIT, Z95, los

Colour: TypeAlias = Literal["white", "black"]
RatingModel: TypeAlias = Literal["davidson", "bradley-terry"]
Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]

RESULTS = ("1-0", "1/2-1/2", "0-1")  # from White's view: win, draw, loss
POINTS = np.array([0.5, 0.0, -0.5])  # of a win, draw and loss, less those of a draw
NO_DRAWS = -800.0  # ln nu of Bradley-Terry: e^-800 is 0 in double precision
RIDGE = 1e-6  # curvature left at prior 0, so that what the games leave open is still determined
LISTED = 8  # groups, and players of a group, that a note names
TIE = 6  # decimals of Elo beyond which ratings count as equal in the order of the table


@dataclass(frozen=True, eq=False)
class Ratings:
    """A joint rating. Players stand in rank order; errors are half widths of 95 % intervals.

    `table` has a row per player: rank, player, elo, elo_low, elo_high (a 95 % interval), games, wins, draws,
    losses, score and los. los is the likelihood of superiority over the next player of the same group, 0.5
    where there is none. Groups follow one another, the largest first. A player without games is a group of
    its own: score 0.5, Elo 0 by definition and so without an error, which says nothing of its strength.
    """

    table: pd.DataFrame
    covariance: pd.DataFrame  # of the Elo ratings, player x player, in Elo^2
    advantage: float  # of moving first, in Elo
    advantage_error: float
    draw_rate: float  # of equal players without first-move advantage; 0 under Bradley-Terry
    groups: tuple[tuple[str, ...], ...]  # players connected through games; Elo compares only inside a group
    notes: tuple[str, ...]  # what a reader of the table must know, in sentences

    def los_matrix(self) -> pd.DataFrame:
        """Likelihood of superiority of the row's player over the column's, 0.5 between groups and to oneself.

        `float[players, players]`, labelled, in rank order.
        """
        elo = self.table["elo"].to_numpy(float)
        group = {player: number for number, members in enumerate(self.groups) for player in members}
        numbers = np.array([group[player] for player in self.table["player"]])
        covariance = self.covariance.to_numpy(float)
        variance = np.diag(covariance)
        spread = np.sqrt(np.maximum(variance[:, None] + variance - 2 * covariance, 0))
        probability = np.where(numbers[:, None] == numbers, los(elo[:, None] - elo, spread), 0.5)
        np.fill_diagonal(probability, 0.5)
        return pd.DataFrame(probability, index=self.covariance.index, columns=self.covariance.columns)


class _Results(NamedTuple):
    """Games as codes, `int64[games]` each."""

    first: Ints  # player who moves first
    second: Ints
    outcome: Ints  # index into POINTS, from the first player's view
    cluster: Ints  # 0, 1, ... : games of one pair share a number


class _Fit(NamedTuple):
    """Optimum over the parameters (strength of each player, h, ln nu)."""

    parameters: Floats
    free: NDArray[np.bool_]  # parameters that were fitted, the others are fixed
    hessian: Floats  # of minus the log posterior
    prior_hessian: Floats


def rate(
    games: pd.DataFrame,
    players: Sequence[str] | None = None,
    *,
    first: Colour = "white",
    anchor: str | None = None,
    anchor_elo: float = 0.0,
    model: RatingModel = "davidson",
    advantage: bool = True,
    prior: float = 0.5,
) -> Ratings:
    """Rate all players at once from all games by maximum a posteriori (see the module's text).

    *games* has the columns white, black, result ("1-0", "1/2-1/2", "0-1") and optionally pair: games of the
    same two players with the same value are one cluster, missing values stand alone. *players* lists all
    players, those without games too; it decides the order of equal ratings (default: by name). *first* is
    the colour that moves first, *advantage* whether its advantage is fitted.

    Each group's mean is 0, and intervals are of the difference to that mean. With an *anchor*, its group is
    shifted to give it *anchor_elo*, and intervals there are of the difference to the anchor, whose own is
    empty. *prior* 0 leaves one-sided ratings finite but meaningless.

    Raises ValueError for missing columns, unknown results, players, anchor, model or colour, a player who
    meets itself, and a negative prior.
    """
    _check_choice("model", model, get_args(RatingModel))
    _check_choice("first", first, get_args(Colour))
    if not 0 <= prior < math.inf:
        raise ValueError(f"prior must be a number of virtual results, 0 or more, not {prior}")
    games = games if len(games) else games.reindex(columns=["white", "black", "result"])
    missing = [column for column in ("white", "black", "result") if column not in games]
    if missing:
        raise ValueError(f"games lack the columns {missing}; they have {list(games.columns)}")
    names = sorted({*games["white"], *games["black"]}) if players is None else list(players)
    if len(set(names)) < len(names):
        raise ValueError(f"players are listed twice: {sorted({n for n in names if names.count(n) > 1})}")
    if anchor is not None:
        _check_choice("anchor", anchor, names)

    results = _encode(games, names, first)
    group = _components(results.first, results.second, len(names))
    fit = _maximize(results, len(names), model, advantage, prior)
    values, jacobian = _elo(fit, _reference(group, None if anchor is None else names.index(anchor)))
    covariance, variance, one_sided = _covariance(results, fit, jacobian, len(np.unique(group)))
    errors = Z95 * np.sqrt(np.maximum(np.diag(covariance), 0))
    elo = values[:-1] if anchor is None else values[:-1] + anchor_elo * (group == group[names.index(anchor)])

    order = np.lexsort((np.arange(len(names)), -np.round(elo, TIE), group))
    ranked = [names[player] for player in order]
    groups = tuple(tuple(names[p] for p in order if group[p] == number) for number in np.unique(group))
    ratings = Ratings(
        table=_table(names, elo, errors, results).iloc[order].reset_index(drop=True),
        covariance=pd.DataFrame(covariance[np.ix_(order, order)], index=ranked, columns=ranked),
        advantage=float(values[-1]),
        advantage_error=Z95 * math.sqrt(variance),
        draw_rate=_draw_rate(fit),
        groups=groups,
        notes=_notes(groups, one_sided, anchor),
    )
    ratings.table["rank"] = np.arange(1, len(names) + 1)
    ratings.table["los"] = np.append(np.diag(ratings.los_matrix(), 1), 0.5)[: len(names)]
    return ratings


def _check_choice(what: str, value: str, choices: Sequence[str]) -> None:
    if value not in choices:
        raise ValueError(f'unknown {what} "{value}": choose one of {", ".join(choices) or "(no players)"}')


def _encode(games: pd.DataFrame, names: list[str], first: Colour) -> _Results:
    index = pd.Index(names, dtype=object)
    codes = {colour: index.get_indexer(pd.Index(games[colour], dtype=object)) for colour in get_args(Colour)}
    unknown = {name for colour in codes for name in games[colour][codes[colour] < 0]}
    if unknown:
        raise ValueError(f"games of players that are not listed: {sorted(map(str, unknown))}")
    itself = codes["white"] == codes["black"]
    if itself.any():
        raise ValueError(f"players that meet themselves cannot be rated: {sorted(set(games['white'][itself]))}")
    outcome = pd.Index(RESULTS, dtype=object).get_indexer(pd.Index(games["result"], dtype=object))
    if (outcome < 0).any():
        wrong = sorted(map(str, set(games["result"][outcome < 0])))
        raise ValueError(f"unknown results {wrong}: choose among {', '.join(RESULTS)}")

    pair = pd.factorize(games["pair"])[0] if "pair" in games else np.full(len(games), -1)
    pair = np.where(pair < 0, len(games) + np.arange(len(games)), pair)
    pairing = np.minimum(*codes.values()) * len(names) + np.maximum(*codes.values())
    cluster = np.unique(pairing * 2 * len(games) + pair, return_inverse=True)[1]
    if first == "white":
        return _Results(codes["white"], codes["black"], outcome, cluster)
    return _Results(codes["black"], codes["white"], 2 - outcome, cluster)


def _components(a: Ints, b: Ints, size: int) -> Ints:
    """Component of each node of the graph with edges a-b, numbered from the largest, then by first member."""
    if not size:
        return np.zeros(0, np.int64)
    labels = connected_components(coo_array((np.ones(len(a)), (a, b)), shape=(size, size)), directed=False)[1]
    _, start, inverse, count = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    number = np.empty(len(count), np.int64)
    number[np.lexsort((start, -count))] = np.arange(len(count))
    return number[inverse]


def _maximize(results: _Results, size: int, model: RatingModel, advantage: bool, prior: float) -> _Fit:
    """Maximize the log posterior, which is concave, by Newton's method with halved steps."""
    cells, cell = np.unique(results.first * size + results.second, return_inverse=True)
    first, second = np.divmod(cells, max(size, 1))
    counts = np.bincount(cell * 3 + results.outcome, minlength=3 * len(cells)).reshape(-1, 3).astype(float)
    centre, weight = np.zeros(size + 2), np.full(size + 2, prior)
    centre[-1], weight[-1] = math.log(2), 2 * prior
    free = np.ones(size + 2, bool)
    free[-2:] = advantage, model == "davidson"
    x = centre.copy()
    if model == "bradley-terry":
        counts = counts @ np.array([[1, 0, 0], [0.5, 0, 0.5], [0, 0, 1]])
        x[-1] = NO_DRAWS

    def loss(x: Floats) -> float:
        u = (x - centre)[free]
        penalty = weight[free] * np.logaddexp(u / 2, -u / 2) + RIDGE / 2 * u**2
        return float(penalty.sum() - (counts * log_softmax(_logits(x, first, second), axis=1)).sum())

    for _ in range(200):
        probability = softmax(_logits(x, first, second), axis=1)
        excess = counts - counts.sum(axis=1, keepdims=True) * probability
        points = excess @ POINTS
        u = x - centre
        gradient = weight / 2 * np.tanh(u / 2) + RIDGE * u
        gradient[:-2] += np.bincount(second, points, size) - np.bincount(first, points, size)
        gradient[-2:] -= points.sum(), excess[:, 1].sum()
        prior_hessian = np.diag(weight / 4 * (1 - np.tanh(u / 2) ** 2) + RIDGE)
        hessian = _information(first, second, counts.sum(axis=1), probability, size) + prior_hessian
        step = np.zeros_like(x)
        step[free] = np.linalg.solve(hessian[np.ix_(free, free)], -gradient[free])
        decrease = -float(gradient @ step)
        if decrease < 1e-14:
            break
        now = loss(x)
        while loss(x + step) > now + 1e-12 * abs(now) and decrease > 1e-14:
            step, decrease = step / 2, decrease / 2
        x = x + step
    return _Fit(x, free, hessian, prior_hessian)


def _logits(parameters: Floats, first: Ints, second: Ints) -> Floats:
    """Logarithms of win : draw : loss of the first player, `float[n, 3]`."""
    half = (parameters[first] - parameters[second] + parameters[-2]) / 2
    return np.column_stack([half, np.full_like(half, parameters[-1]), -half])


def _information(first: Ints, second: Ints, games: Floats, probability: Floats, size: int) -> Floats:
    """Expected outer product of the scores of independent games, as in `_outer_sum`.

    Row by row: the players, the number of games and the probabilities of win, draw and loss `float[n, 3]`.
    """
    mean, draw = probability @ POINTS, probability[:, 1]
    spread, shared = probability @ POINTS**2 - mean**2, -mean * draw
    moments = np.column_stack([spread, spread, shared, spread, shared, draw * (1 - draw)])
    return _outer_sum(first, second, games[:, None] * moments, size)


def _outer_sum(i: Ints, j: Ints, moments: Floats, size: int) -> Floats:
    """Sum of v v' over rows, v being a at player i, -a at player j, b at h and c at ln nu, else 0.

    *moments* holds the products (aa, ab, ac, bb, bc, cc), `float[rows, 6]`.
    """
    total = np.zeros((size + 2, size + 2))
    aa, ab, ac, bb, bc, cc = moments.T
    for row, column, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
        np.add.at(total, (row, column), sign * aa)
    for shared, products in ((-2, ab), (-1, ac)):
        total[:-2, shared] = np.bincount(i, products, size) - np.bincount(j, products, size)
        total[shared, :-2] = total[:-2, shared]
    total[-2:, -2:] = [[bb.sum(), bc.sum()], [bc.sum(), cc.sum()]]
    return total


def _reference(group: Ints, anchor: int | None) -> Floats:
    """Matrix that turns strengths into differences to the group's mean, or to the anchor in its group."""
    same = group[:, None] == group
    share = same / np.maximum(same.sum(axis=1, keepdims=True), 1)
    if anchor is not None:
        share[same[anchor]] = np.arange(len(group)) == anchor
    return np.eye(len(group)) - share


def _draw_rate(fit: _Fit) -> float:
    return float(expit(fit.parameters[-1] - math.log(2)))


def _elo(fit: _Fit, reference: Floats) -> tuple[Floats, Floats]:
    """Elo of every player and, last, of moving first; and its derivatives with respect to the parameters.

    The scale is 400 / ln 10 * 2 / (2 + nu); its derivative with respect to ln nu is -scale * draw rate.
    """
    size = len(reference)
    scale = ELO_PER_LOGIT * (1 - _draw_rate(fit))
    jacobian = np.zeros((size + 1, size + 2))
    jacobian[:-1, :-2] = scale * reference
    jacobian[-1, -2] = scale
    elo = jacobian @ fit.parameters
    jacobian[:, -1] = -_draw_rate(fit) * elo
    return elo, jacobian


def _covariance(results: _Results, fit: _Fit, jacobian: Floats, groups: int) -> tuple[Floats, float, int]:
    """Covariance of the Elo ratings, variance of the advantage, and pairings where the model's stands in.

    The sum over clusters is scaled by clusters / (clusters - fitted strength differences). The prior counts
    as independent results.
    """
    size = len(fit.parameters) - 2
    probability = softmax(_logits(fit.parameters, results.first, results.second), axis=1)
    excess = POINTS[results.outcome] - probability @ POINTS
    draw_excess = (results.outcome == 1) - probability[:, 1]

    # One row per cluster, from the view of the player with the lower code.
    start = np.unique(results.cluster, return_index=True)[1]
    low = np.minimum(results.first, results.second)[start]
    high = np.maximum(results.first, results.second)[start]
    sign = np.where(results.first < results.second, 1.0, -1.0)
    columns = (sign * excess, excess, draw_excess, sign * POINTS[results.outcome], np.ones(len(sign)))
    a, b, c, points, games = (np.bincount(results.cluster, column).astype(float) for column in columns)
    moments = np.column_stack([a * a, a * b, a * c, b * b, b * c, c * c])
    moments *= len(start) / max(len(start) - (size - groups), 1)
    alike = _alike(low, high, points / games, size)

    observed = _outer_sum(low, high, moments, size)
    game = alike[results.cluster]
    expected = _outer_sum(low[~alike], high[~alike], moments[~alike], size) + _information(
        results.first[game], results.second[game], np.ones(game.sum()), probability[game], size
    )
    free = np.ix_(fit.free, fit.free)
    inner = np.linalg.solve(fit.hessian[free], jacobian[:, fit.free].T)
    by_clusters, by_model = (
        inner.T @ (middle + fit.prior_hessian)[free] @ inner for middle in (observed, expected)
    )
    variance = max(by_clusters[-1, -1], by_model[-1, -1])
    by_clusters, by_model = by_clusters[:-1, :-1], by_model[:-1, :-1]
    if np.trace(by_model) <= np.trace(by_clusters):
        return by_clusters, variance, 0
    return by_model, variance, len(np.unique(low[alike] * size + high[alike]))


def _alike(low: Ints, high: Ints, score: Floats, size: int) -> NDArray[np.bool_]:
    """Which clusters tell no spread of the difference they measure; *score* is a cluster's mean result.

    Pairings whose clusters differ connect players into parts. Between parts, all clusters of a pairing ended
    alike, and no other results measure the difference.
    """
    pairing, pairing_of = np.unique(low * size + high, return_inverse=True)
    least, most = np.full(len(pairing), np.inf), np.full(len(pairing), -np.inf)
    np.minimum.at(least, pairing_of, score)
    np.maximum.at(most, pairing_of, score)
    differ = (most > least + 1e-9)[pairing_of]
    part = _components(low[differ], high[differ], size)
    return part[low] != part[high]


def _table(names: list[str], elo: Floats, error: Floats, results: _Results) -> pd.DataFrame:
    size = len(names)
    counts = np.bincount(results.first * 3 + results.outcome, minlength=3 * size)
    counts += np.bincount(results.second * 3 + 2 - results.outcome, minlength=3 * size)
    counts = counts.reshape(-1, 3)
    played = counts.sum(axis=1)
    score = np.divide(counts @ (POINTS + 0.5), played, out=np.full(size, 0.5), where=played > 0)
    columns = {
        "rank": np.zeros(size, int),
        "player": pd.Series(names, dtype=object),
        "elo": elo,
        "elo_low": elo - error,
        "elo_high": elo + error,
        "games": played,
        "wins": counts[:, 0],
        "draws": counts[:, 1],
        "losses": counts[:, 2],
        "score": score,
        "los": np.full(size, 0.5),
    }
    return pd.DataFrame(columns)


def _notes(groups: tuple[tuple[str, ...], ...], one_sided: int, anchor: str | None) -> tuple[str, ...]:
    notes = []
    if len(groups) > 1:
        members = [f"({number}) {_listed(group, ', ')}" for number, group in enumerate(groups, 1)]
        notes.append(
            f"The players fall into {len(groups)} groups without games between them, so ratings compare "
            f"only inside a group: {_listed(members, '; ')}."
        )
        if anchor is not None:
            notes.append(f"Ratings are relative to {anchor} in its group, to the group's mean elsewhere.")
    if one_sided:
        notes.append(
            f"The results of {one_sided} pairing{'s' * (one_sided > 1)} were all alike and leave no spread "
            "to measure: intervals that rest on them come from the model and the prior."
        )
    return tuple(notes)


def _listed(names: Sequence[str], separator: str) -> str:
    rest = [f"and {len(names) - LISTED} more"] if len(names) > LISTED else []
    return separator.join([*names[:LISTED], *rest])
