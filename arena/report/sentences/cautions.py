"""Cautions: missing games, players' failures, limits not kept, players below random ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.base.number import percent, quantity
from arena.base.wording import counted, first_few
from arena.ratings.joint import Ratings
from arena.ratings.misfit import misfit
from arena.report.run import Run
from arena.report.sentences.facts import MOST_NAMED, is_match
from arena.report.tables.outcomes import verdict
from arena.report.tables.submissions import LOST_BY, by_failures, lost_by_failures, reasons, withdrawal
from arena.report.tables.views import TOO_LONG
from arena.rules.game import FORFEITS, Termination
from players.loading import Finding, own_code
from players.player import PlayerSpec

WAITED, WAITED_SECONDS = 2, 0.001
"""Times its processor time that a move may take, and seconds more than it, until it is noted."""
PONDERED, PONDERED_SECONDS = 0.1, 0.05
"""Share of its own time, and seconds per game, that a player may use of its opponent's until it is noted."""
CUT = 0.05
"""Share of games that the ply limit ends from which on it is noted."""
UNTOLD, UNTOLD_CHANCE = 0.03, 0.01
"""Points a game that pairings score beyond their ratings, and the chance of that, from which on it is noted."""
REPEATED = 0.5
"""Share of games that repeat others from which on it is noted."""
_CAUTIONARY = ("groups", "repeated")
"""The notes on ratings that are worth a look."""
_SENTENCES = 3
"""Sentences on mistakes, on players left out, and on players that were withdrawn; of more the number."""


class Notice(NamedTuple):
    """A sentence, which may begin with the name of a player that the standings do not have."""

    words: str
    player: str = ""

    def __str__(self) -> str:
        return f"{self.player} {self.words}".strip()


def failures(run: Run) -> list[Notice]:
    """Games lost by failures, players that were withdrawn or left out, mistakes found before the first game."""
    return [*map(Notice, forfeits(run)), *withdrawals(run), *faulty(run)]


def cautions(run: Run) -> list[str]:
    """What is worth a look before the results are believed."""
    makers = (cut_short, too_long, suspected, pondered, below_random, waited, _ended_early, _notes)
    made = [*(makers if len(run.games) else []), unmeasured]
    found = [str(sentence) for maker in made for sentence in maker(run)]
    forced = f"The run was resumed by --force with other versions than it began with: {run.info.forced}."
    return [*found, forced] if run.info.forced else found


def cut_short(run: Run) -> list[str]:
    """How many games the ply limit ended as draws, if they are more than CUT of all."""
    cut = int((run.games["termination"].astype(str) == Termination.MAX_PLIES).sum())
    if cut <= CUT * len(run.games):
        return []
    share, limit = percent(cut / len(run.games)), run.experiment.max_plies
    mended = "" if is_match(run) else "; raise max_plies"
    return [
        f"max_plies cut {cut:,} of {counted(len(run.games), 'game')} ({share}) at {limit} plies; they count as "
        f"drawn, which makes differences in Elo look smaller than they are{mended}."
    ]


def _ended_early(run: Run) -> list[str]:
    """That a decided test biases the difference: towards the hypothesis that it accepted, and beyond."""
    if (decided := verdict(run.sprt)) == "continue":
        return []
    first, looks = run.experiment.players[0].name, "higher" if decided == "H1" else "lower"
    return [
        f"The match ended when {decided} was accepted, which on average makes {first} look {looks} than it is."
    ]


def _notes(run: Run) -> list[str]:
    """The notes on ratings that are worth a look: players apart, many games repeated, what ratings do not tell."""
    repeated = run.games[["white", "black", "line"]].duplicated().mean()
    is_noted = len(run.ratings.groups) > 1 or repeated > REPEATED
    notes = [text for kind, text in run.ratings.notes.items() if is_noted and kind in _CAUTIONARY]
    return [*notes, *untold(run.ratings)]


def untold(ratings: Ratings) -> list[str]:
    """That pairings certainly score otherwise than ratings expect, by UNTOLD beyond chance, and which one most."""
    found = misfit(ratings)
    if found is None or not (found.chance < UNTOLD_CHANCE and found.excess > UNTOLD):
        return []
    return [
        "One rating per player does not explain all results: pairings score otherwise than the ratings expect, by "
        f"{100 * found.excess:.0f} points in 100 beyond chance. {found.player} has {percent(found.score)} "
        f"of the points against {found.opponent}, where {percent(found.expected)} are expected."
    ]


def failing(run: Run) -> dict[str, int]:
    """The players that lost half of their games or more by failures, with how many."""
    lost = lost_by_failures(run).sum(axis=1)
    games = run.standings.set_index("player")["games"]
    return {str(name): int(count) for name, count in lost.items() if 2 * count >= games[str(name)]}


def unfinished(run: Run) -> list[str]:
    """How many games are played and damaged; nothing of a run that is complete."""
    played, planned = run.played, run.info.games
    if run.data.order is not None or not planned or (run.info.exact and played == planned):
        return []
    at_most = "" if run.info.exact else "at most "
    damaged = counted(run.data.damaged, "stored game")
    more = f"; {damaged} {'is' if run.data.damaged == 1 else 'are'} damaged" if run.data.damaged else ""
    return [f"Not complete: {played} of {at_most}{counted(planned, 'game')}{more}."]


def forfeits(run: Run) -> list[str]:
    """How many games were lost by failures, by whom, of how many, and why; nothing if none was."""
    counts, games = lost_by_failures(run), len(run.games)
    if not len(counts):
        return []
    lost = int(counts.to_numpy().sum())
    order = counts.sum(axis=1).sort_values(ascending=False, kind="stable").index
    played = run.ratings.table.set_index("player")["games"]
    parts = [_lost(player, counts.loc[player].to_dict(), played[player]) for player in order[:MOST_NAMED]]
    more = len(order) - MOST_NAMED
    if more > 0:
        parts.append(f"{counted(more, 'player')} more lost some, too")
    why = "was lost because a player" if lost == 1 else "were lost because players"
    return [f"{lost} of {counted(games, 'game')} {why} failed: {'; '.join(parts)}."]


def _lost(player: str, counts: Mapping[Any, int], games: int) -> str:
    """How many of its games a player lost by failures: "al lost 3 of its 8 games on time"."""
    kinds = [kind for kind in FORFEITS if counts.get(kind)]
    how = f" {LOST_BY[kinds[0]]}" if len(kinds) == 1 else f": {by_failures(counts)}"
    return f"{player} lost {sum(counts.values())} of its {counted(games, 'game')}{how}"


def withdrawals(run: Run) -> list[Notice]:
    """The first players that were withdrawn and whose games count for nobody, each with its first failure."""
    found = [Notice(f"was {withdrawal(run, player)}.", player) for player in run.data.withdrawn]
    return _capped(run, found)


def faulty(run: Run) -> list[Notice]:
    """The first players that were left out, and the first mistakes found in others before the first game.

    Nothing of players that failed in games, which `forfeits` and `withdrawals` name.
    """
    elsewhere = {*lost_by_failures(run).index, *run.data.withdrawn, *run.info.left_out}
    mistakes = [
        Notice(f"Found before the first game: {finding.where}: {finding.words}.")
        for finding in run.info.found
        if finding.level == "error" and finding.where not in elsewhere
    ]
    left_out = [Notice(f"was {reasons(run, player)[0]}.", player) for player in run.info.left_out]
    return [*_capped(run, left_out), *_capped(run, mistakes)]


def suspected(run: Run) -> list[str]:
    """The first warnings about players' code before the first game, as that it is a copy of another one's.

    Of copies the first player has a sentence, which names the others.
    """
    found: list[Finding] = []
    for finding in run.info.found:
        is_named = any(finding.where in other.others and finding.kind == other.kind for other in found)
        if finding.level == "warning" and not is_named:
            found.append(finding)
    return [*map(str, _capped(run, [Notice(f"{finding.words}.", finding.where) for finding in found]))]


def _capped(run: Run, notices: Sequence[Notice]) -> list[Notice]:
    """The first notices of a kind, and how many more there are, and where if the report has them."""
    more = len(notices) - _SENTENCES
    if more <= 0:
        return list(notices)
    where = ": see Submissions" if len(run.submissions) else ""
    return [*notices[:_SENTENCES], Notice(f"The same goes for {counted(more, 'more player')}{where}.")]


def too_long(run: Run) -> list[str]:
    """The players that took more than TOO_LONG of their time limit per move, on the mean; it explains UNKEPT."""
    table = run.effort.sort_values("time_used", ascending=False, kind="stable")
    late = table[table["time_used"] > TOO_LONG]
    if not len(late):
        return []
    allowed = {spec.name: spec.limit.seconds or 0.0 for spec in run.experiment.players}
    parts = [
        f"{row['player']} took {quantity(row['time_used'] * allowed[row['player']], 's')} per move, "
        f"{row['time_used']:.1f} times its limit"
        for row in late.to_dict("records")
    ]
    return [
        f"† Time was not equal: {first_few(parts, MOST_NAMED, '; ')}. A busy machine, slow code, or a limit close "
        "to the cost of a call can be the cause."
    ]


def waited(run: Run) -> list[str]:
    """Players under time limits whose moves took WAITED times their processor time, and WAITED_SECONDS more."""
    timed = [spec.name for spec in run.experiment.players if spec.limit.longest is not None]
    table = run.effort[run.effort["player"].isin(timed)].set_index("player")
    wall, cpu = table["wall_seconds_per_move"], table["seconds_per_move"]  # alike where no processor time is known
    slow = table[(wall > WAITED * cpu) & (wall > cpu + WAITED_SECONDS)].sort_values(
        "wall_seconds_per_move", ascending=False
    )
    if slow.empty:
        return []
    name, row = str(slow.index[0]), slow.iloc[0]
    took, computed = quantity(row["wall_seconds_per_move"], "s"), quantity(row["seconds_per_move"], "s")
    others = f"; {counted(len(slow) - 1, 'other player')} waited, too" if len(slow) > 1 else ""
    return [
        f"Moves waited: {name} took {took} per move and computed for {computed} of it{others}. Other programs "
        "used the processor, or a player waits."
    ]


def pondered(run: Run) -> list[str]:
    """The players in their own processes that computed for more than PONDERED of their time in the opponents'."""
    table = run.survey.totals.groupby("player")[["seconds", "pondered_seconds"]].sum()
    each = table["pondered_seconds"] / run.standings.set_index("player")["games"]
    much = each[(table["pondered_seconds"] > PONDERED * table["seconds"]) & (each > PONDERED_SECONDS)]
    much = much.sort_values(ascending=False)
    parts = [f"{name} for {quantity(seconds, 's')} per game" for name, seconds in much.items()]
    return (
        [f"Computed in the opponent's time, which no limit counts: {first_few(parts, MOST_NAMED, '; ')}."]
        if parts
        else []
    )


def below_random(run: Run) -> list[Notice]:
    """Players with code of a user's own that are below one that moves by chance, beyond chance among all.

    Without those that lost half their games or more by failures.
    """
    randoms = [spec.name for spec in run.experiment.players if spec.type == "random"]
    failed = failing(run)
    found = []
    for spec in run.experiment.players:
        for other in randoms if own_code(spec) and spec.name not in failed else ():
            difference = run.ratings.difference(spec.name, other)
            if difference and difference.value < 0 and run.family.shows({spec.name: 1.0, other: -1.0}):
                why = (
                    "one ply ahead it does not see the reply, or a sign is wrong"
                    if spec.type == "greedy"
                    else "look for a wrong sign or a wrong view in what it chooses by"
                )
                words = f"is below {other}, which moves by chance ({difference} Elo): {why}{_check(run, spec)}."
                found.append(Notice(words, spec.name))
    return found


def _check(run: Run, spec: PlayerSpec) -> str:
    """The command that looks for mistakes in a player's evaluation, where both it and the rules have a name."""
    evaluation, variant = spec.options.get("evaluation"), run.experiment.variant
    named = isinstance(evaluation, str) and isinstance(variant, str)
    return f": arena check {evaluation} {variant}" if named else ""


def unmeasured(run: Run) -> list[str]:
    """A sentence for each player that did not search every random position in full."""
    if (suite := run.experiment.random_suite) is None:
        return []
    answers, sentences = run.data.answers[run.data.answers["suite"] == suite.title], []
    for row in run.ablation.to_dict("records"):
        errors = answers.loc[answers["player"] == row["player"], "error"]
        if row["positions"] < len(errors):
            why = "".join(f" ({error})" for error in [*filter(None, errors)][:1])
            number = counted(len(errors), "random position")
            sentences.append(f"{row['player']} searched {row['positions']} of {number} in full{why}.")
    return sentences
