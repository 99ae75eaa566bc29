"""The offer of opponents: players by keys, in groups; requests name players by these keys alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from arena.base.wording import counted, unknown
from arena.board.published import program_of
from arena.board.sides import HOUSE_PROGRAMS, USUAL_LEVEL, Side, level, own_seconds, side_of, timed
from arena.rules.custom import sizes_of, without_draws
from arena.rules.position import COLOURS
from arena.rules.variants import VARIANTS, Variant
from arena.web.messages import Refusal, SecondsGiven
from players.evaluation.build import has_network
from players.player import HUMAN, LEVELS

_PROGRAMS = {
    "game3": "alpha-beta, 4 plies",
    "checkers-ai": "iterative deepening, 1 s",
    "simplified": "alpha-beta, 6 plies",
    "cis300": f"negamax, levels 1 to {LEVELS[-1]}",
    "casual-10x10": "tree search with alpha-beta, 1000 nodes",
}
"""What each of HOUSE_PROGRAMS is."""
_VARIANTS = [variant for base in VARIANTS.values() for variant in sizes_of(base)]
"""The rule sets on offer."""
_SIMPLE_DEPTHS = (2, 4, 6, 8)


class Offered(NamedTuple):
    """A player on offer."""

    key: str
    group: str
    """levels, published, strong, simple or yours."""
    about: str
    side: Side
    variants: tuple[str, ...] | None = None
    """The rule sets that it plays, None for all."""
    called: str | None = None
    """A name that says more than that of its side."""

    @property
    def name(self) -> str:
        """Its name in the list."""
        return self.called or self.side.name

    def plays(self, variant: Variant) -> bool:
        """Whether it plays by the rules of a variant, with or without their draws."""
        return self.variants is None or variant.unchanged in self.variants

    def document(self) -> dict[str, Any]:
        """The player as the page takes it; `seconds` is 0.0 without a limit, None if it heeds none."""
        spec = self.side.spec
        return {
            "key": self.key,
            "name": self.name,
            "group": self.group,
            "about": self.about,
            "variants": self.variants,
            "seconds": None if spec is None else own_seconds(spec),
        }


class Offer:
    """Players by their keys: those of the arena, and those of the user's own command line."""

    def __init__(self, players: Sequence[Side] = (), person: str = HUMAN) -> None:
        """`players` are the user's, of any code; `person` is the name of a person who plays against one."""
        self.person = person
        self._players = {player.key: player for player in _built_in()}
        for side in players:
            self.add(side, next(iter(VARIANTS.values())))

    def add(self, side: Side, variant: Variant) -> str:
        """Have a player of the user's on offer, if none is alike under those rules; its key."""
        if side.is_person:
            return HUMAN
        for player in self._players.values():
            if player.side.spec == side.spec and player.plays(variant):
                return player.key
        key = f"own-{sum(player.group == 'yours' for player in self._players.values()) + 1}"
        self._players[key] = Offered(key, "yours", "named on the command line", side)
        return key

    def seats(self, white: str, black: str, variant: Variant) -> tuple[Side, Side]:
        """The players of two keys. Raises Refusal for a key that is not on offer under those rules."""
        sides = self._seat(white, variant), self._seat(black, variant)
        if [side.is_person for side in sides].count(True) != 1:
            return sides
        named = Side(self.person)
        return (named, sides[1]) if sides[0].is_person else (sides[0], named)

    def document(self) -> dict[str, Any]:
        """The rule sets and the players, as the page takes them."""
        variants = [
            {
                "name": variant.name,
                "base": variant.family,
                "about": variant.about,
                "usual": variant.family if variant.family in HOUSE_PROGRAMS else f"level-{USUAL_LEVEL}",
                "first": COLOURS[variant.first],
                "squares": variant.squares,
                "columns": 2 * variant.rules.per_row,
                "rows": variant.rules.rows,
                "draws": variant != without_draws(variant),
                "upright": program_of(variant).numbers_edges,
            }
            for variant in _VARIANTS
        ]
        players = [player.document() for player in self._players.values()]
        return {"variants": variants, "players": players}

    def _seat(self, key: str, variant: Variant) -> Side:
        if key == HUMAN:
            return Side(HUMAN)
        player = self._players.get(key)
        if player is None:
            raise Refusal(422, unknown("player", key, [HUMAN, *self._players]))
        if not player.plays(variant):
            plays = ", ".join(name for name in player.variants or () if name in VARIANTS)
            raise Refusal(422, f"{player.name} plays {plays}, not {variant.name}")
        return player.side


def timed_sides(sides: tuple[Side, Side], seconds: SecondsGiven) -> tuple[Side, Side]:
    """Those sides with the seconds per move that are asked for. Raises Refusal for a side that takes none."""
    try:
        white, black = (
            side if limit is None else timed(side, limit)
            for side, limit in zip(sides, (seconds.white, seconds.black), strict=True)
        )
    except ValueError as error:
        raise Refusal(422, str(error)) from None
    return white, black


def _built_in() -> list[Offered]:
    levels = [
        Offered(f"level-{depth}", "levels", f"searches {counted(depth, 'ply', 'plies')}", level(depth))
        for depth in LEVELS
    ]
    published = [
        Offered(
            name,
            "published",
            _PROGRAMS[name],
            side_of(entry),
            tuple(variant.name for variant in _VARIANTS if variant.family == name),
            f"cis300, level {USUAL_LEVEL}" if name == "cis300" else name,
        )
        for name, entry in HOUSE_PROGRAMS.items()
    ]
    trained = tuple(variant.name for variant in _VARIANTS if has_network(variant))
    strong = [
        Offered(
            name,
            "strong",
            about,
            side_of({"preset": "full", "evaluation": name, "seconds": 1.0, "name": name}),
            plays,
        )
        for name, about, plays in (
            ("neural", "the strongest here: full search, trained network", trained),
            ("strong", "full search, evaluation made by hand", None),
        )
    ]
    tree = side_of({"type": "mcts", "rollout": {"depth": 2}, "seconds": 1.0, "name": "mcts"})
    simple = [
        Offered(
            f"simple-{depth}",
            "simple",
            f"searches {depth} plies, counts pieces",
            side_of({"depth": depth, "evaluation": "simple", "name": f"simple {depth}"}),
        )
        for depth in _SIMPLE_DEPTHS
    ]
    return [
        *levels,
        *published,
        *strong,
        Offered("mcts", "strong", "Monte Carlo tree search", tree),
        Offered("random", "simple", "any legal move", side_of("random")),
        Offered("greedy", "simple", "takes what it can, one ply ahead", side_of("greedy")),
        *simple,
    ]
