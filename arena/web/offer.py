"""The players that a page offers, in groups, each by a key; requests can name no others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from arena.base.wording import counted, unknown
from arena.board.sides import PROGRAMS, USUAL_LEVEL, Side, level, own_seconds, program_of, side_of, timed
from arena.rules.custom import sizes_of, without_draws
from arena.rules.position import COLOURS
from arena.rules.variants import VARIANTS, Variant
from arena.web.messages import Refusal, SecondsGiven
from players.evaluation.build import has_network
from players.player import HUMAN, LEVELS

_VARIANTS = [variant for base in VARIANTS.values() for variant in sizes_of(base)]
"""The rule sets on offer."""


class Offered(NamedTuple):
    """A player on offer."""

    key: str
    group: str
    """levels, published, strong, simple or yours."""
    about: str
    side: Side
    variants: tuple[str, ...] | None = None
    """The rule sets that it plays, None for all."""

    def plays(self, variant: Variant) -> bool:
        """Whether it plays by the rules of a variant, with or without their draws."""
        return self.variants is None or variant.unchanged in self.variants


class Offer:
    """Players by their keys: the arena's, and the user's from the command line."""

    def __init__(self, players: Sequence[Side] = (), person: str = HUMAN) -> None:
        """`players` are the user's, of any code; `person` is the name of a person who plays against one."""
        self.person = person
        self._players = {player.key: player for player in _built_in()}
        for side in players:
            self.add(side, next(iter(VARIANTS.values())))

    def add(self, side: Side, variant: Variant) -> str:
        """Offer a player of the user's, unless an equal one plays by those rules already; return its key."""
        if side.is_person:
            return HUMAN
        for player in self._players.values():
            if player.side.spec == side.spec and player.plays(variant):
                return player.key
        key = f"own-{sum(player.group == 'yours' for player in self._players.values()) + 1}"
        self._players[key] = Offered(key, "yours", "named on the command line", side)
        return key

    def seats(self, white: str, black: str, variant: Variant, seconds: SecondsGiven) -> tuple[Side, Side]:
        """The players of two keys with their seconds per move, None for their own.

        Raises Refusal for a key that is not on offer under those rules, and for seconds of a side that takes none.
        """
        sides = self._seat(white, variant, seconds.white), self._seat(black, variant, seconds.black)
        if [side.is_person for side in sides].count(True) != 1:
            return sides
        named = Side(self.person)
        return (named, sides[1]) if sides[0].is_person else (sides[0], named)

    def document(self) -> dict[str, Any]:
        """The rule sets and the players for the page; `seconds` is 0.0 without a limit, None if it heeds none."""
        variants = [
            {
                "name": variant.name,
                "base": variant.family,
                "about": variant.about,
                "usual": variant.family if variant.family in PROGRAMS else f"level-{USUAL_LEVEL}",
                "first": COLOURS[variant.first],
                "columns": 2 * variant.rules.per_row,
                "rows": variant.rules.rows,
                "draws": variant != without_draws(variant),
                "upright": program_of(variant).numbers_edges,
            }
            for variant in _VARIANTS
        ]
        players = [
            {
                "key": player.key,
                "name": player.side.name,
                "group": player.group,
                "about": player.about,
                "variants": player.variants,
                "seconds": player.side.spec and own_seconds(player.side.spec),
            }
            for player in self._players.values()
        ]
        return {"variants": variants, "players": players}

    def _seat(self, key: str, variant: Variant, seconds: float | None) -> Side:
        player = self._players.get(key)
        if key != HUMAN and player is None:
            raise Refusal(422, unknown("player", key, [HUMAN, *self._players]))
        if player is not None and not player.plays(variant):
            plays = ", ".join(name for name in player.variants or () if name in VARIANTS)
            raise Refusal(422, f"{player.side.name} plays {plays}, not {variant.name}")
        side = Side(HUMAN) if player is None else player.side
        try:
            return side if seconds is None else timed(side, seconds)
        except ValueError as error:
            raise Refusal(422, str(error)) from None


def _built_in() -> Iterator[Offered]:
    for depth in LEVELS:
        yield Offered(f"level-{depth}", "levels", f"searches {counted(depth, 'ply', 'plies')}", level(depth))
    for name, program in PROGRAMS.items():
        variants = tuple(variant.name for variant in _VARIANTS if variant.family == name)
        yield Offered(name, "published", program.about, side_of(program.entry), variants)
    trained = tuple(variant.name for variant in _VARIANTS if has_network(variant))
    for name, about, plays, settings in (
        ("neural", "the strongest: trained network", trained, "preset: full, evaluation: neural"),
        ("strong", "full search, evaluation made by hand", None, "preset: full, evaluation: strong"),
        ("mcts", "Monte Carlo tree search", None, "type: mcts, rollout: {depth: 2}"),
    ):
        yield Offered(name, "strong", about, side_of(f"{{name: {name}, seconds: 1.0, {settings}}}"), plays)
    yield Offered("random", "simple", "any legal move", side_of("random"))
    yield Offered("greedy", "simple", "takes what it can, one ply ahead", side_of("greedy"))
    for depth in (2, 4, 6, 8):
        about = f"searches {depth} plies, counts pieces"
        yield Offered(f"simple-{depth}", "simple", about, side_of(f"simple@d{depth}"))
