"""What the prior of the joint rating does to Elo, where it is not little: the fit again without it."""

from __future__ import annotations

import numpy as np

from arena.base.number import signed, with_error
from arena.base.wording import counted, first_few
from arena.ratings.clusters import components
from arena.ratings.interval import Bools
from arena.ratings.joint import MAX_NAMES, JointFit, Ratings

LITTLE = 0.1
"""Share of half an interval by which the prior may move an Elo without a word."""
_INFINITE = 5000.0
"""Standard error of a difference, by the model, that no finite one has: one game lost of 100 000 leaves 250."""


def moved_by_prior(ratings: Ratings) -> list[str]:
    """Sentences on players whose Elo the prior moves by more than LITTLE of its ±, the most moved by name."""
    if ratings.joint is None:
        return []
    names = list(ratings.joint.names)
    shown = ratings.table.set_index("player").loc[names]
    elo, half = shown["elo"].to_numpy(float), ((shown["elo_high"] - shown["elo_low"]) / 2).to_numpy(float)
    without = ratings.joint.refitted(prior=0.0)
    moved, infinite = ratings.joint.elo()[0][:-1] - without.elo()[0][:-1], _infinite(without, half == 0)
    of_group = np.isin(without.group, without.group[infinite])
    is_moved = (half > 0) & ~of_group & (np.abs(moved) > LITTLE * half)
    sentences = []
    if infinite.any():
        players = [f"{names[i]} ({with_error(elo[i], half[i])})" for i in np.flatnonzero(infinite)]
        sentences.append(f"Finite only by the prior is the Elo of {first_few(players, MAX_NAMES)}.")
    if is_moved.any():
        most = int(np.argmax(np.where(is_moved, np.abs(moved) / np.where(half > 0, half, 1), 0)))
        others = int(is_moved.sum()) - 1
        before, after = signed(elo[most] - moved[most]), with_error(elo[most], half[most])
        more = f", and those of {counted(others, 'other player')} by more than a tenth of their ±"
        sentences.append(
            f"The prior moves the Elo of {names[most]} by {signed(moved[most])}, from {before} to "
            f"{after}{more if others else ''}."
        )
    return sentences


def _infinite(without: JointFit, is_zero: Bools) -> Bools:
    """Which players have no finite Elo in a fit without prior: no finite difference to the anchor, or to most."""
    _, jacobian = without.elo()
    spread = (jacobian @ without.fit.bread @ jacobian.T)[:-1, :-1]
    variance = np.diag(spread)[:, None] + np.diag(spread) - 2 * spread
    is_finite = (variance < _INFINITE**2) & (without.group[:, None] == without.group)
    one, other = np.nonzero(is_finite)
    part = components(one, other, len(without.names))
    infinite = np.zeros(len(part), bool)
    for group in np.unique(without.group):
        members = without.group == group
        anchored = part[members & is_zero]
        infinite |= members & ~np.isin(part, anchored if len(anchored) else part[members].min())
    return infinite
