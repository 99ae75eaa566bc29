"""The offer of opponents: players by keys, in groups; requests name players by these keys alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from arena.base.wording import unknown
from arena.board.published import program_of
from arena.board.sides import (
    HOUSE_PROGRAMS,
    USUAL_LEVEL,
    Side,
    level,
    own_seconds,
    side_of,
    usual_opponent,
)
from arena.rules.custom import build_variant, sizes_of, without_draws
from arena.rules.position import COLOURS
from arena.rules.variants import VARIANTS, Variant
from arena.web.messages import Refusal
from players.evaluation.build import has_network
from players.player import HUMAN, LEVELS

_PROGRAMS = {
    "game3": "alpha-beta, 4 plies",
    "checkers-ai": "iterative deepening, 1 s",
    "simplified": "alpha-beta, 6 plies",
    "cis300": f"negamax, levels 1 to {LEVELS[-1]}",
    "casual-10x10": "tree search with alpha-beta, 1000 nodes",
}
"""What those of HOUSE_PROGRAMS are."""
_VARIANTS = [variant for base in VARIANTS.values() for variant in sizes_of(base)]
"""The rule sets on offer."""
_SIMPLE_DEPTHS = (2, 4, 6, 8)
_STRONG_SECONDS = (0.1, 1.0, 3.0)


class Offered(NamedTuple):
    """A player on offer."""

    key: str
    name: str
    group: str
    """levels, published, strong, simple or yours."""
    about: str
    variants: tuple[str, ...] | None
    """The rule sets that it plays, None for all."""
    side: Callable[[Variant], Side]
    """The player of this offer at the board of a rule set."""

    @property
    def seconds(self) -> float | None:
        """Its limit of seconds per move, 0.0 if it has none; None if it heeds no such limit."""
        spec = self.side(build_variant(next(iter(self.variants or VARIANTS)))).spec
        return None if spec is None else own_seconds(spec)


class Offer:
    """Players by their keys: those of the arena, and those of the user's own command line."""

    def __init__(self, own: Sequence[Side] = (), person: str = HUMAN) -> None:
        """`own` are the user's players, of any code; `person` is the name of a person who plays against one."""
        self.person = person
        self._players = {player.key: player for player in _built_in()}
        for side in own:
            self.add(side, next(iter(VARIANTS.values())))

    def add(self, side: Side, variant: Variant) -> str:
        """Have a player of the user's on offer, if none is alike under those rules; its key."""
        if side.is_person:
            return HUMAN
        for player in self._players.values():
            if (player.variants is None or variant.name in player.variants) and player.side(variant) == side:
                return player.key
        key = f"own-{sum(player.group == 'yours' for player in self._players.values()) + 1}"
        self._players[key] = Offered(key, side.name, "yours", "named on the command line", None, lambda _: side)
        return key

    def seats(self, white: str, black: str, variant: Variant) -> tuple[Side, Side]:
        """The players of two keys. Raises Refusal for a key that is not on offer under those rules."""
        sides = self._seat(white, variant), self._seat(black, variant)
        if [side.is_person for side in sides].count(True) != 1:
            return sides
        named = Side(self.person)
        return (named, sides[1]) if sides[0].is_person else (sides[0], named)

    def usual(self, variant: Variant) -> str:
        """The key of a person's opponent by default."""
        if variant.family in HOUSE_PROGRAMS:
            return variant.family
        spec = usual_opponent(variant).spec
        return _level_key(spec.limit.depth or 1 if spec is not None else 1)

    def document(self) -> dict[str, Any]:
        """The rule sets and the players, as the page takes them."""
        variants = [
            {
                "name": variant.name,
                "base": variant.family,
                "about": variant.about,
                "first": COLOURS[variant.first],
                "squares": variant.squares,
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
                "name": player.name,
                "group": player.group,
                "about": player.about,
                "variants": player.variants,
                "seconds": player.seconds,
            }
            for player in self._players.values()
        ]
        usual = {variant.name: self.usual(variant) for variant in _VARIANTS}
        return {"variants": variants, "players": players, "usual": usual}

    def _seat(self, key: str, variant: Variant) -> Side:
        if key == HUMAN:
            return Side(HUMAN)
        player = self._players.get(key)
        if player is None:
            raise Refusal(422, unknown("player", key, [HUMAN, *self._players]))
        if player.variants is not None and variant.unchanged not in player.variants:
            plays = ", ".join(name for name in player.variants if name in VARIANTS)
            raise Refusal(422, f"{player.name} plays {plays}, not {variant.name}")
        return player.side(variant)


def _built_in() -> list[Offered]:
    levels = [
        Offered(_level_key(depth), f"level {depth}", "levels", _plies(depth), None, partial(_level, depth))
        for depth in LEVELS
    ]
    published = [
        Offered(
            name,
            f"{name}, level {USUAL_LEVEL}" if name == "cis300" else name,
            "published",
            _PROGRAMS[name],
            tuple(variant.name for variant in _VARIANTS if variant.family == name),
            usual_opponent,
        )
        for name in HOUSE_PROGRAMS
    ]
    simple = [
        Offered("random", "random", "simple", "any legal move", None, lambda _: side_of("random")),
        Offered(
            "greedy", "greedy", "simple", "takes what it can, one ply ahead", None, lambda _: side_of("greedy")
        ),
        *(
            _of_entry(
                f"simple-{depth}",
                "simple",
                f"{_plies(depth)}, counts pieces",
                {"depth": depth, "evaluation": "simple"},
            )
            for depth in _SIMPLE_DEPTHS
        ),
    ]
    trained = tuple(variant.name for variant in _VARIANTS if has_network(variant))
    strong = [
        Offered(
            f"{name}-{seconds:g}s",
            f"{name} {seconds:g} s",
            "strong",
            about,
            variants,
            partial(_full, name, seconds),
        )
        for name, about, variants in (
            ("neural", "the strongest here: full search, trained network", trained),
            ("strong", "full search, evaluation made by hand", None),
        )
        for seconds in _STRONG_SECONDS
    ]
    tree = {"type": "mcts", "rollout": {"depth": 2}, "seconds": 1.0}
    return [*levels, *published, *strong, _of_entry("mcts-1s", "strong", "Monte Carlo tree search", tree), *simple]


def _level(depth: int, _: Variant) -> Side:
    return level(depth)


def _full(evaluation: str, seconds: float, _: Variant) -> Side:
    return side_of(
        {"preset": "full", "evaluation": evaluation, "seconds": seconds, "name": f"{evaluation} {seconds:g} s"}
    )


def _of_entry(key: str, group: str, about: str, entry: Mapping[str, Any]) -> Offered:
    name = key.replace("-", " ")
    return Offered(key, name, group, about, None, lambda _: side_of({**entry, "name": name}))


def _level_key(depth: int) -> str:
    return f"level-{depth}"


def _plies(depth: int) -> str:
    return f"searches {depth} {'ply' if depth == 1 else 'plies'}"
