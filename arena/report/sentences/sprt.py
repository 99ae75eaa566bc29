"""The sequential test in words."""

from __future__ import annotations

import pandas as pd

from arena.experiment.model import Experiment
from arena.report.sentences.words import counted
from arena.report.tables.sprt import verdict


def decision(path: pd.DataFrame, experiment: Experiment) -> str:
    """What the sequential test of an experiment decided, by the path of `tables.sprt`.

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
