"""Notes on a joint rating: what a reader of its table must know, in sentences."""

from collections.abc import Mapping, Sequence

from arena.ratings.clusters import CodedGames

MAX_NAMES = 8  # groups, and players of a group, that a note names
NO_ADVANTAGE = "These games cannot tell the advantage of moving first from the players' strengths: none is fitted."
ONE_PLAYER = "they are one player."
"""The end of a note on two players that are one."""


def one_player_notes(twins: Mapping[tuple[str, str], int]) -> list[str]:
    """A sentence on each two players that are one, with the games between them, on MAX_NAMES at most."""
    notes = [
        f"{one} and {other} played the same moves in all {games} games: {ONE_PLAYER}"
        for (one, other), games in twins.items()
    ]
    rest = len(notes) - MAX_NAMES
    return [*notes[:MAX_NAMES], *([f"So did {rest} more pairs of players."] if rest > 0 else [])]


def ratings_notes(
    games: CodedGames, groups: tuple[tuple[str, ...], ...], one_sided: int, anchors: Sequence[str]
) -> list[str]:
    """Sentences on *games* that repeat others, on players not connected, and on pairings of results all alike."""
    notes = []
    if repeated := games.total - games.distinct:
        notes.append(
            f"{games.total} games, {games.distinct} distinct: {repeated} of {games.total} games repeat an earlier "
            "one move for move, as deterministic players do; they add nothing to what the intervals rest on."
        )
    if len(groups) > 1:
        members = [f"({number}) {_listed(group, ', ')}" for number, group in enumerate(groups, 1)]
        notes.append(
            f"The players fall into {len(groups)} groups without games between them, so ratings compare "
            f"only inside a group: {_listed(members, '; ')}."
        )
        if anchors:
            found = _listed(anchors, ", ")
            notes.append(
                f"Ratings are relative to {found} in a group that has one, to the group's mean elsewhere."
            )
    if one_sided:
        notes.append(
            f"The results of {one_sided} pairing{'s' * (one_sided > 1)} were all alike and leave no spread "
            "to measure: intervals that rest on them come from the model and the prior."
        )
    return notes


def _listed(names: Sequence[str], separator: str) -> str:
    rest = [f"and {len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    return separator.join([*names[:MAX_NAMES], *rest])
