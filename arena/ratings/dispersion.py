"""Dispersion: how much less a game's score varies than a coin's, because games are drawn.

P. McCullagh and J. A. Nelder, "Generalized Linear Models", 1989, chapter 9: the variance of a quasi-likelihood is
a function of the mean times a dispersion that the data give. Theirs is Pearson's X2 over its degrees of freedom,
which is near 0 where every game was won, as if nothing could vary there. Here it is taken from the draws: a game
of expected score p is drawn in at most 2 min(p, 1 - p) of cases, and with the share c of these its score has the
variance p (1 - p) - c min(p, 1 - p) / 2.
"""

import numpy as np

from arena.ratings.types import Floats, Ints


def drawn_share(expected: Floats, draws: Floats, games: Floats) -> float:
    """Draws of all that the *expected* scores leave room for, which is also how often equal players draw.

    A row stands for *games* of which *draws* were drawn, `float[rows]` all three. One more game, which is not
    drawn, keeps the share below 1.
    """
    return float(min(draws.sum() / (_room(expected, games).sum() + 1), 1))


def dispersion(expected: Floats, draws: Floats, games: Floats, pairing: Ints) -> Floats:
    """Variance of a game of each row over p (1 - p), that of a coin of the same expected score: `float[rows]`.

    Rows as for `drawn_share`. Each *pairing* has a share of draws of its own, to which two games are added, one
    that is not drawn and one that is as often as all games are.
    """
    overall = drawn_share(expected, draws, games)
    share = (np.bincount(pairing, draws) + overall) / (np.bincount(pairing, _room(expected, games)) + 2)
    spread: Floats = 1 - np.minimum(share, 1)[pairing] / (2 * np.maximum(expected, 1 - expected))
    return spread


def mean_dispersion(expected: Floats, draws: Floats, games: Floats) -> float:
    """The `dispersion` of all games together, in one figure."""
    coin = (games * expected * (1 - expected)).sum()
    drawn = drawn_share(expected, draws, games) * _room(expected, games).sum() / 4
    return float(1 - drawn / coin) if coin else 1.0


def _room(expected: Floats, games: Floats) -> Floats:
    room: Floats = 2 * np.minimum(expected, 1 - expected) * games
    return room
