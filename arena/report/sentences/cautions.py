"""Cautions: missing games, limits not kept, unbalanced schedules, players below random ones."""

from __future__ import annotations

from collections import Counter

from arena.base.number import quantity
from arena.base.wording import counted, first_few, listed
from arena.ratings.contrasts import CERTAIN
from arena.report.run import Run
from arena.report.sentences.comparisons import UNKEPT, were_kept
from arena.report.tables.submissions import lost_by_failures
from arena.report.tables.views import TOO_LONG
from players.player import PlayerSpec

WAITED, WAITED_SECONDS = 2, 0.001
"""Times its processor time that a move may take, and seconds more than it, until it is noted."""
PONDERED, PONDERED_SECONDS = 0.1, 0.05
"""Share of its own time, and seconds per game, that a player may use of its opponent's until it is noted."""
MOST = 5
"""Players that a sentence names."""
UNEVEN = 0.1
"""Share of the games by which ties, and a player's colours, may differ where a schedule is balanced."""
PAIR = 2
"""Games by which they may differ in any case."""
EVERY_TIE = ("round-robin", "match", "gauntlet")
"""Formats in which every tie plays every opening."""


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
    mark = "" if were_kept(run.comparisons) else f"{UNKEPT} "
    return [
        f"{mark}Time was not equal: {first_few(parts, MOST, '; ')}. A busy machine, slow code, or a limit close "
        "to the cost of a call can be the cause."
    ]


def unbalanced(run: Run) -> list[str]:
    """Ties that met much less often than others where the format has all meet equally often; uneven colours."""
    names = [spec.name for spec in run.experiment.players]
    sentences = []
    so_far = " so far" if unfinished(run) else ""
    if counts := _games_of_ties(run):
        most, least = max(counts, key=counts.__getitem__), min(counts, key=counts.__getitem__)
        if counts[most] - counts[least] > max(PAIR, UNEVEN * counts[most]):
            sentences.append(
                f"The schedule is not balanced{so_far}: {listed(most)} met in {counted(counts[most], 'game')}, "
                f"{listed(least)} in {counts[least]}."
            )
    table = run.outcomes.pivot(index="player", columns="colour", values="games").reindex(names)
    allowed = (UNEVEN * (table["white"] + table["black"])).clip(lower=PAIR)
    uneven = table[(table["white"] - table["black"]).abs() > allowed]
    if len(uneven):
        parts = [f"{row.Index} had White {row.white} times and Black {row.black}" for row in uneven.itertuples()]
        sentences.append(f"Colours are not balanced{so_far}: {first_few(parts, MOST, '; ')}.")
    return sentences


def waited(run: Run) -> list[str]:
    """The players whose moves took WAITED times their processor time, and WAITED_SECONDS more than it."""
    table = run.effort.set_index("player")
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
    moves = run.survey.sample
    columns = moves[["player", "game", "seconds", "pondered_seconds"]].dropna()
    grouped = columns.groupby("player", observed=True)
    table = grouped[["seconds", "pondered_seconds"]].sum()
    each = table["pondered_seconds"] / grouped["game"].nunique()
    much = each[(table["pondered_seconds"] > PONDERED * table["seconds"]) & (each > PONDERED_SECONDS)]
    much = much.sort_values(ascending=False)
    parts = [f"{name} for {quantity(seconds, 's')} per game" for name, seconds in much.items()]
    return (
        [f"Computed in the opponent's time, which no limit counts: {first_few(parts, MOST, '; ')}."]
        if parts
        else []
    )


def unfinished(run: Run) -> list[str]:
    """The number of missing games and of ties that have not met; nothing of a run that is complete."""
    played, planned = run.played, run.info.games
    if run.data.order is not None or not planned or (run.info.exact and played == planned):
        return []
    at_most = "" if run.info.exact else "at most "
    apart = sum(games == 0 for games in _games_of_ties(run).values())
    have = "has" if apart == 1 else "have"
    more = f"; {counted(apart, 'pairing')} {have} not met" if apart else ""
    return [f"Not complete: {played} of {at_most}{counted(planned, 'game')}{more}."]


def below_random(run: Run) -> list[str]:
    """Players that choose and are below one that does not: greedy ones in any case, others where that is certain.

    Without those that lost half their games or more by failures.
    """
    specs = {spec.name: spec for spec in run.experiment.players}
    randoms = [name for name, spec in specs.items() if spec.type == "random"]
    failures = lost_by_failures(run.games).sum(axis=1)
    games = run.standings.set_index("player")["games"]
    sentences = []
    for name, spec in specs.items():
        failed = 2 * failures.get(name, 0) >= games[name]
        for other in [] if spec.type == "random" or failed else randoms:
            found = run.ratings.contrast({name: 1.0, other: -1.0})
            if found is None or round(found.value) >= 0:
                continue
            figure = f"{found} Elo"
            certain = found.los < 1 - CERTAIN
            if spec.type == "greedy":
                sentences.append(_greedy(run, spec, other, figure, certain))
            elif certain:
                sentences.append(
                    f"{name} is below {other}, which moves by chance ({figure}). Look for a wrong sign or a "
                    f"wrong view in what it chooses by{_check(run, spec)}."
                )
    return sentences


def _games_of_ties(run: Run) -> dict[tuple[str, str], int]:
    """Games of each tie where every tie plays every opening, see EVERY_TIE."""
    names = [spec.name for spec in run.experiment.players]
    colours = run.games[["white", "black"]].astype(str)
    met = Counter(frozenset(pair) for pair in zip(colours["white"], colours["black"], strict=True))
    ties = run.experiment.format.ties(names) if run.experiment.format.type in EVERY_TIE else []
    return {(names[a], names[b]): met[frozenset((names[a], names[b]))] for a, b in ties}


def _greedy(run: Run, spec: PlayerSpec, other: str, figure: str, certain: bool) -> str:
    below = "below" if certain else "not measurably different from"
    return (
        f"{spec.name} is {below} {other} ({figure}): a greedy player does not see the reply to its move and runs "
        f"into exchanges. If it should be above, look for a wrong sign in its evaluation{_check(run, spec)}."
    )


def _check(run: Run, spec: PlayerSpec) -> str:
    """The command that looks for mistakes in a player's evaluation, where both it and the rules have a name."""
    evaluation, variant = spec.options.get("evaluation"), run.experiment.variant
    named = isinstance(evaluation, str) and isinstance(variant, str)
    return f": arena check {evaluation} {variant}" if named else ""
