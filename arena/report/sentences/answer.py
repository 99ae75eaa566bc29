"""The answer of a run: what its games show and do not show, one line a comparison, the most important first."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import pandas as pd

from arena.base.number import signed
from arena.base.wording import counted, listed
from arena.experiment.model import Experiment
from arena.ratings.interval import Interval
from arena.ratings.joint import ONE_PLAYER
from arena.report.run import Run
from arena.report.sentences.cautions import cautions, failing, failures, unfinished
from arena.report.sentences.facts import WHOLE_SCHEDULE
from arena.report.tables.ablation import reference_of
from arena.report.tables.comparisons import PLAYER
from arena.report.tables.decided import verdict
from arena.report.tables.forms import share, share_text
from arena.report.tables.suites import RANDOM
from arena.report.tables.views import ALL, TOO_LONG

MOST = 12
"""Claims of an answer."""
PODIUM = 3
"""Places of the final order that it names."""
LEVEL = 0.5
"""Elo below the first, less than which a player is level with it."""
DECISIONS = 50
"""Decisions of a player from which on an error rate is named."""
LEAST_ELO, MOST_TIMES = 5, 100
"""Elo of a difference, at least, and times the games, at most, of which it is said what they would take."""
UNKEPT = "†"
"""Stands behind a time that was not equal; `cautions.too_long` explains it."""


TOO_WIDE = 150.0
"""Elo of half an interval from which on a difference that is not shown is one of too few games."""
_TOO_FEW = "too few games to tell"
_EACH = 3
"""Comparisons of too few games that have a line each; more are counted in one."""


class Claim(NamedTuple):
    """One line of a report's answer."""

    words: str
    """What is said, with a `{}` for each of the names; without names, as it is."""
    names: tuple[str, ...] = ()
    difference: Interval | None = None
    """In Elo, of the first name over the second."""
    is_shown: bool = True
    """Whether the games show it; what they do not show is grey."""
    note: str = ""

    @property
    def text(self) -> str:
        """What is said, without its number."""
        return self.words.format(*self.names) if self.names else self.words

    @property
    def sentence(self) -> str:
        """What is said, with its number: "linear is stronger than simple: +125 ± 30 Elo"."""
        number = f": {self.difference} Elo" if self.difference else ""
        return f"{self.text}{number}{f' ({self.note})' if self.note else ''}."


def compared(
    first: str, second: str, difference: Interval, where: str = "", note: str = "", points: str = ""
) -> Claim:
    """What games say of two players, or of two values of a setting, of which the first is spoken of.

    `where` says at which terms; `points`, of the first, stand in place of a number where games are too few.
    """
    at = f" {where}" * bool(where)
    names = (first, second)
    if abs(difference.value) > difference.error:
        word = "stronger" if difference.value > 0 else "weaker"
        return Claim(f"{{}} is {word} than {{}}{at}", names, difference, note=note)
    if difference.error > TOO_WIDE:
        what = f" ({points})" if points else ""
        return Claim(f"{{}}{what} and {{}}{at}: {_TOO_FEW}", names, None, False, note)
    return Claim(f"{{}} and {{}}{at}: no difference shown", names, difference, False, note)


class Opening(NamedTuple):
    """What a run's page says first, in this order."""

    unfinished: list[str]
    failures: list[str]
    claims: list[Claim]
    more: str
    """How many games would tell what is not shown, and the `setting` of the configuration for that."""
    setting: str
    cautions: list[str]

    @property
    def lines(self) -> list[str]:
        """The opening line by line, as a terminal prints it."""
        said = [*self.unfinished, *self.failures, *(claim.sentence for claim in self.claims)]
        more = f"{self.more} {self.setting}".strip()
        return [*said, *([more] if more else []), *self.cautions]


def opening(run: Run) -> Opening:
    """The opening of a run's page."""
    claims = answer(run)
    return Opening(unfinished(run), failures(run), claims, *to_know_more(run, claims), cautions(run))


def answer(run: Run) -> list[Claim]:
    """What the run shows and does not show, MOST claims at most, the last of which says how many are left out."""
    claims = [*_decisions(run)]
    if len(run.games):
        claims += [*_comparisons(run), *_gradings(run)]
    return shortened(claims)


def shortened(claims: Sequence[Claim]) -> list[Claim]:
    """The first MOST claims, and how many are left out; many comparisons of too few games become one claim."""
    unclear = [claim for claim in claims if claim.words.endswith(_TOO_FEW)]
    if len(unclear) > _EACH:
        claims = [claim for claim in claims if claim not in unclear]
        claims.append(Claim(f"{len(unclear)} comparisons: {_TOO_FEW}", is_shown=False))
    left_out = len(claims) - MOST
    if left_out <= 0:
        return list(claims)
    return [*claims[: MOST - 1], Claim(f"{left_out + 1} more, listed below", is_shown=False)]


def _decisions(run: Run) -> Iterator[Claim]:
    """The order of the format, the decision of the test, and players found to be one."""
    if len(run.order):
        # who lost in the same round of a knockout stands in the order of the seeds
        places = 2 if run.experiment.format.type == "knockout" else PODIUM
        first = run.order.head(places)["player"].tolist()
        words = ", ".join(f"{{}} is {place}" for place in ("first", "second", "third")[: len(first)])
        yield Claim(words, tuple(first), note=_level(run.order))
    if run.experiment.sprt:
        yield Claim(decision(run.sprt, run.experiment), is_shown=verdict(run.sprt) != "continue")
    for note in run.ratings.notes:
        if note.endswith(ONE_PLAYER):
            yield Claim(note.rstrip("."), is_shown=False)
            return


def _comparisons(run: Run) -> Iterator[Claim]:
    """What the run compares: a ladder, doublings, an ablation, settings at equal terms, or the leading players."""
    has_settings = len(run.comparisons) > 0 and len(run.submissions) <= MOST  # not of a whole class
    if len(run.order):
        yield from lead(run)
        return
    if len(run.experiment.anchor) > 1:
        yield from _placed(run)
    elif len(run.gains[run.gains["fits"]]):
        yield from gains(run.gains)
    elif len(run.ablation):
        yield from _ablation(run)
    elif has_settings:
        yield from _settings(run)
    if not has_settings and len(run.experiment.anchor) < 2:
        yield from lead(run)


def gains(table: pd.DataFrame) -> Iterator[Claim]:
    """What twice the depth is worth, of each family whose Elo lies on a line; of nodes where depth has none."""
    for per, rows in table.groupby("per", sort=False):
        fitting = rows[rows["fits"]].sort_values("gain", ascending=False, kind="stable")
        if fitting.empty:
            continue
        for row in fitting.to_dict("records"):
            family = (row["family"],) if len(rows) > 1 else ()
            words = f"with {{}}, twice the {per} is worth" if family else f"twice the {per} is worth"
            gain = Interval.of(row, "gain")
            if gain.error <= TOO_WIDE:
                yield Claim(words, family, gain, abs(gain.value) > gain.error)
        if others := rows.loc[~rows["fits"], "family"].tolist():
            words = f"with {listed(['{}'] * len(others))}, a doubling is not worth the same at every {per}"
            yield Claim(words, tuple(others), is_shown=False)
        return


def _ablation(run: Run) -> Iterator[Claim]:
    """Each player against the reference of the ablation, the largest loss first."""
    reference = reference_of(run.experiment)
    limit = {spec.name: spec.limit for spec in run.experiment.players}
    rows = run.ablation[(run.ablation["player"] != reference) & run.ablation["elo_difference"].notna()]
    for row in rows.sort_values("elo_difference", kind="stable").to_dict("records"):
        note = "" if limit[row["player"]] == limit[reference] else "at another limit"
        yield compared(row["player"], reference, Interval.of(row, "elo_difference"), note=note)


def _settings(run: Run) -> Iterator[Claim]:
    """Each value of a setting against that of the baseline, the strongest first, at each kind of equal terms."""
    rows = run.comparisons[run.comparisons["baseline"].astype(bool)]
    failed = failing(run)
    if len(run.players) == 2 and failed:
        yield from (_failed(run, name) for name in failed)
        return
    mean = rows.groupby(["setting", "value", "reference"])["elo_difference"].transform("mean")
    for row in rows.assign(mean=-mean).sort_values("mean", kind="stable").to_dict("records"):
        where = f"at equal {row['terms']}" if rows["terms"].nunique() > 1 and row["terms"] else ""
        where += f" {UNKEPT}" * bool(row["time_used"] > TOO_LONG)
        points = _points(run, row["value"]) if row["setting"] == PLAYER else ""
        difference = Interval.of(row, "elo_difference")
        yield compared(row["value"], row["reference"], difference, where.strip(), _mean_of(row), points)


def _mean_of(row: Mapping[Any, Any]) -> str:
    """The scope of a mean: "mean of 4 pairs of players"; nothing if it is none."""
    return f"mean of {row['pairs']} pairs of players" if row["pairs"] > 1 else ""


def lead(run: Run) -> Iterator[Claim]:
    """The first player against the second; players of one rating at the top are level."""
    failed = failing(run)
    yield from (_failed(run, name) for name in failed)
    table = run.standings[run.standings["elo"].notna() & ~run.standings["player"].isin(failed)]
    if len(table) < 2:
        return
    table = table.sort_values("player", key=lambda names: names.map(run.placed.index))
    names, elo = table["player"].tolist(), table["elo"]
    level = names[: int((elo.iloc[0] - elo < LEVEL).sum())]
    if len(level) > 1 and not len(run.order):
        some = listed(["{}"] * len(level)) if len(level) <= PODIUM else f"{len(level)} players"
        words = f"{some} are level" + (" at the top" if len(level) < len(names) else "")
        yield Claim(words, tuple(level) if len(level) <= PODIUM else (), is_shown=False)
        return
    difference = run.ratings.contrast({names[0]: 1.0, names[1]: -1.0})
    if difference is not None:
        yield compared(names[0], names[1], difference, points=_points(run, names[0]))


def _failed(run: Run, name: str) -> Claim:
    games = int(run.standings.set_index("player")["games"][name])
    return Claim(
        f"{{}} failed in {failing(run)[name]} of its {games} games, which say nothing of its play", (name,)
    )


def _points(run: Run, name: str) -> str:
    row = next(row for row in run.standings.to_dict("records") if row["player"] == name)
    return f"{row['wins'] + row['draws'] / 2:g} of {counted(row['games'], 'point')}"


def _level(order: pd.DataFrame) -> str:
    """That the first place was decided by the seed, as the last pairing stayed level."""
    first = order.iloc[0]
    if first.get("decided", "points") == "points":
        return ""
    return f"level with {first['opponent']}, {first['player']} is first by its higher seed"


def _placed(run: Run) -> Iterator[Claim]:
    """Where players stand among those whose Elo is given: "racer, between a (0) and b (+78): +43 ± 20 Elo"."""
    anchors = run.experiment.anchor
    order = sorted(anchors, key=lambda name: anchors[name])
    for row in run.standings[run.standings["elo"].notna()].to_dict("records"):
        if row["player"] in anchors:
            continue
        lower = [name for name in order if anchors[name] <= row["elo"]][-1:]
        upper = [name for name in order if anchors[name] > row["elo"]][:1]
        side = "between" if lower and upper else "above" if lower else "below"
        where = listed([f"{{}} ({signed(anchors[name])})" for name in lower + upper])
        yield Claim(f"{{}} is {side} {where}", (row["player"], *lower, *upper), Interval.of(row, "elo"))


def _gradings(run: Run) -> Iterator[Claim]:
    """What the grading of decisions in endings and the suites say."""
    sentences = [*error_sentences(run.endgame_errors), *suite_sentences(run.suites, run.players)]
    yield from (Claim(sentence.rstrip(".")) for sentence in sentences)


def error_sentences(errors: pd.DataFrame) -> list[str]:
    """How often the strongest and the weakest player err in endings, of those with DECISIONS or more.

    `errors` are in the order of Elo: of many rates the least and the greatest would be chance's.
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
    """What the first two of these players, in rank order, and random choice solve of suites."""
    parts = []
    for suite, rows in suites[suites["stratum"] == ALL].groupby("suite", sort=False):
        of_player = {row["player"]: row for row in rows.to_dict("records")}
        solved = {name: f"{share_text(*Interval.of(row, 'share'))} %" for name, row in of_player.items()}
        asked = [name for name in players if name in of_player]
        if not asked:
            continue
        others = "".join(f", {name} {solved[name]}" for name in (*asked[1:2], RANDOM))
        of = f"of the {rows['positions'].max():,} positions of {suite}"
        parts.append(f"{of} {asked[0]} solves {solved[asked[0]]}{others}")
    text = "; ".join(parts)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


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
        return f"The test of {test.elo0:g} against {test.elo1:g} {unit} is open after {pairs}"
    if decided == "H1":
        bound, than, or_, error = test.elo0, "more", "or less", test.alpha
    else:
        bound, than, or_, error = test.elo1, "less", "or more", test.beta
    value = f"{bound:g}".replace("-", "−")
    chance = f"chance of error {100 * error:g} % if it is {value} {or_}"
    return (
        f"{first} is {than} than {value} {unit} stronger than {second} ({chance}): the test of {test.elo0:g} "
        f"against {test.elo1:g} accepted {decided} after {pairs}"
    )


def answering_chart(run: Run) -> str:
    """The name of the chart that stands below the answer; "" for none."""
    if run.experiment.sprt:
        return "sprt"
    if len(run.order):
        return ""
    per = run.gains.loc[run.gains["fits"], "per"]
    return f"elo_by_{per.iloc[0]}" if len(per) else "elo_by_depth"


def to_know_more(run: Run, claims: Sequence[Claim]) -> tuple[str, str]:
    """How many times the games would show the clearest difference that is not shown, and the setting for that.

    Empty where all is shown, or a test or the width of the intervals decides how many games there are.
    """
    experiment = run.experiment
    differences = [claim.difference for claim in claims if claim.difference and not claim.is_shown]
    if not differences or experiment.sprt or experiment.until or experiment.format.type not in WHOLE_SCHEDULE:
        return "", ""
    difference = max(differences, key=lambda interval: abs(interval.value) / interval.error)
    elo = max(round(abs(difference.value)), LEAST_ELO)
    times = math.ceil((difference.error / elo) ** 2)
    if not 1 < times <= MOST_TIMES:
        return "", ""
    text = f"To tell {elo} Elo from 0 takes {times} times the games"
    openings = experiment.openings
    if openings.set is not None or openings.file is not None:
        return f"{text}.", ""
    played = run.games["opening"].nunique()
    return f"{text}:", f"openings: {{count: {times * played}}}"
