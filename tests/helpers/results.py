"""Results of simulated games, and models to rate them by."""

import itertools
import math

import numpy as np
import pandas as pd
from hypothesis import strategies as st
from scipy.optimize import brentq
from scipy.special import expit

from arena.ratings.interval import ELO_PER_LOGIT

COLUMNS = ["white", "black", "result", "pair"]

RESULTS = ("white", "draw", "black")

OPPOSITE = {"white": "black", "black": "white", "draw": "draw"}


def frame(rows):
    """Games from (white, black, result) or (white, black, result, pair)."""
    return pd.DataFrame([(*row, None)[:4] for row in rows], columns=COLUMNS)


def repeat(white, black, wins=0, draws=0, losses=0):
    """Games of one encounter, counted from White's view."""
    counts = zip(RESULTS, (wins, draws, losses), strict=True)
    return [(white, black, result) for result, count in counts for _ in range(count)]


def error_of_difference(ratings, i, j):
    covariance = ratings.covariance
    return math.sqrt(covariance[i][i] + covariance[j][j] - 2 * covariance[i][j])


def simulate(strength, pairs, nu, h, seed, bias=0.0):
    """Every two players meet in *pairs* openings with both colours; *bias* in logits spreads the openings."""
    rng = np.random.default_rng(seed)
    parts = []
    for i, j in itertools.combinations(range(len(strength)), 2):
        opening = rng.normal(0, bias, pairs)
        for white, black in ((i, j), (j, i)):
            d = strength[white] - strength[black] + h + opening
            weights = np.array([np.exp(d / 2), np.full(pairs, nu), np.exp(-d / 2)])
            outcome = (rng.random(pairs) * weights.sum(axis=0) > weights.cumsum(axis=0)).sum(axis=0)
            columns = {"white": f"p{white}", "black": f"p{black}", "result": np.array(RESULTS)[outcome]}
            parts.append(pd.DataFrame(columns | {"pair": np.arange(pairs)}))
    return pd.concat(parts, ignore_index=True)


NAMES = ("ann", "bob", "cat", "dan")

GAMES = st.lists(
    st.tuples(
        st.permutations(NAMES).map(lambda names: tuple(names[:2])),
        st.sampled_from(RESULTS),
        st.none() | st.integers(0, 3),
    ).map(lambda row: (*row[0], *row[1:])),
    max_size=25,
)


def written(folder, name, text):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


VIRTUAL_LEAD = 800 / ELO_PER_LOGIT  # of the opponents of the prior's wins and losses


def elo_of(ratings):
    return ratings.table.set_index("player")["elo"]


def log_cosh(x):
    return math.log(2 * math.cosh(x / 2))


def of_game(lead):
    """Minus the log likelihood of a win whose strengths expect the score 1 / (1 + e^-lead)."""
    return math.log1p(math.exp(-lead))


def log_odds(d, h):
    """Of who moves first: those of both colours are 2 h apart, and the mean of their scores is 1 / (1 + e^-d)."""
    return h + brentq(lambda x: (expit(x + h) + expit(x - h)) / 2 - expit(d), d - 20, d + 20, xtol=1e-14)


def naive_penalty(x, prior):
    """Minus the log prior of the parameters (strengths, h), as the module's text defines it."""
    virtual = sum(of_game(VIRTUAL_LEAD + s) + of_game(VIRTUAL_LEAD - s) for s in x[:-1])
    return prior * (virtual + log_cosh(x[-1]))


def naive_zero(x, games, names):
    """What is 0: the players' mean, each as often as its games tell of its strength."""
    told = np.zeros(len(names))
    for white, black in games[["white", "black"]].to_numpy():
        i, j = names.index(white), names.index(black)
        d, h = x[i] - x[j], x[-1]
        p = expit(log_odds(d, h))
        told[[i, j]] += p * (1 - p) * (log_odds(d + 1e-4, h) - log_odds(d - 1e-4, h)) / 2e-4
    return told / told.sum()


def assert_finite(ratings):
    table = ratings.table
    numbers = table.drop(columns="player").to_numpy(float)
    assert np.isfinite(numbers).all() and np.isfinite(ratings.covariance.to_numpy(float)).all()
    assert np.isfinite(ratings.advantage).all()
    assert (table["elo_low"] <= table["elo"]).all() and (table["elo"] <= table["elo_high"]).all()
    assert table["los"].between(0, 1).all() and table["score"].between(0, 1).all()
    assert (table["wins"] + table["draws"] + table["losses"] == table["games"]).all()
