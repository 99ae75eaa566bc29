"""Players' options, read from their constructors, their limits, and the moves that they may answer with."""

from dataclasses import replace
from typing import Any

import jsonschema
import pytest

from arena.rules.game import Game
from arena.rules.variants import VARIANTS
from players.answers import accepted
from players.loading import PlayerError
from players.options import options_of
from players.player import Choice, IllegalMove, Limit, PlayerSpec, default_limit, limits_of
from players.table import PLAYERS, build_player, complete_player
from tests.helpers.command_line import one_line

ENGLISH = VARIANTS["english"]

USERS = """
from typing import Annotated, Literal
from annotated_types import Ge

class Mine:
    def __init__(self, variant, level: Annotated[int, Ge(1)], style: Literal["calm", "wild"] = "calm", extra=None):
        pass

    def choose(self, game, limit, rng):
        pass
"""


def spec(type_: str = "negamax", **options: object) -> PlayerSpec:
    return PlayerSpec("p", type_, Limit(depth=1), options)


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ({"preset": "full", "ties": "random", "tt": 8, "contempt": 0.5, "windows": "pvs"}, None),
        ({"evaluation": {"linear": {"man": 100, "king": [200, 150.5]}}}, None),
        ({"evaluation": "simpel"}, ("evaluation",)),
        ({"evaluation": {"linear": {"mann": 1}}}, ("evaluation", "linear", "mann")),
        ({"evaluation": {"linear": {"man": "much"}}}, ("evaluation", "linear", "man")),
        ({"preset": "ful"}, ("preset",)),
        ({"ties": "lats"}, ("ties",)),
        ({"tt": 65_537}, ("tt",)),
        ({"tt": 1.5}, ("tt",)),
        ({"aspiration": -0.5}, ("aspiration",)),
        ({"pvs": "yes"}, ("pvs",)),
        ({"presett": "full"}, ("presett",)),
    ],
)
def test_the_schema_of_options_accepts_what_building_a_player_accepts(options, keys):
    properties = {name: option.schema for name, option in options_of(PLAYERS["negamax"]).items()}
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    assert jsonschema.Draft202012Validator(schema).is_valid(options) == (keys is None)
    if keys is not None:
        with pytest.raises(PlayerError) as caught:
            build_player(spec(**options), ENGLISH)
        one_line(caught.value)
        assert caught.value.keys == keys


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ({"time": 3}, ("time",)),
        ({"windows": "mtdf", "tt": 0}, ("windows",)),
        ({"preset": "mtdf", "tt": 0}, ()),
        ({"preset": "iddfs", "iir": 4}, ("iir",)),
        ({"preset": "minimax", "windows": "pvs"}, ("windows",)),
        ({"preset": "full", "windows": "mtdf"}, ()),
    ],
)
def test_options_that_do_not_go_together_are_named(options, keys):
    with pytest.raises(PlayerError) as caught:
        build_player(spec(**options), ENGLISH)
    one_line(caught.value)
    assert caught.value.keys == keys


def test_a_users_class_has_the_options_of_its_constructor(tmp_path):
    path = tmp_path / "users.py"
    path.write_text(USERS)
    build_player(spec(f"{path}:Mine", level=2, extra=[]), ENGLISH)
    for options in ({}, {"level": 0}, {"level": "x"}, {"level": 1, "style": "mild"}, {"time": 1}, {"levl": 1}):
        with pytest.raises(PlayerError) as caught:
            build_player(spec(f"{path}:Mine", **options), ENGLISH)
        one_line(caught.value)


@pytest.mark.parametrize("text", ["math.Numbr", "a b"])
def test_an_annotation_that_cannot_be_read_is_refused_in_one_line(text, tmp_path):
    path = tmp_path / "users.py"
    path.write_text("import math\n" + USERS.replace("variant,", f"variant: {text!r},"))
    with pytest.raises(PlayerError, match="Mine") as caught:
        build_player(spec(f"{path}:Mine", level=2), ENGLISH)
    one_line(caught.value)


@pytest.mark.parametrize(("bases", "known"), [("Mixin", True), ("Player", True), ("Player, Random", False)])
def test_a_class_with_options_of_any_name_has_the_options_of_the_one_it_extends(bases, known, tmp_path):
    path = tmp_path / "users.py"
    path.write_text(
        "from abc import ABC\nfrom arena import Player\nfrom players.plain import Random\n"
        "class Mixin: pass\n" + USERS.replace("Mine", f"Mine({bases})").replace("extra=None", "**options")
    )
    if known:
        build_player(spec(f"{path}:Mine", level=2, foo=1), ENGLISH)
    else:
        with pytest.raises(PlayerError, match="unknown option 'foo'"):
            build_player(spec(f"{path}:Mine", level=2, foo=1), ENGLISH)


DIAMOND = """
class Base:
    def __init__(self, variant, level: int = 1):
        self.taken = [level]
    def choose(self, game, limit, rng): ...

class Left(Base):
    def __init__(self, variant, left: int = 2, **more):
        super().__init__(variant, **more)
        self.taken.append(left)

class Right(Base):
    def __init__(self, variant, right: int = 3, **more):
        super().__init__(variant, **more)
        self.taken.append(right)

class Mine(Left, Right):
    def __init__(self, variant, **more):
        super().__init__(variant, **more)
"""


def test_a_class_takes_the_options_of_all_constructors_that_it_extends_also_in_a_diamond(tmp_path):
    path = tmp_path / "users.py"
    path.write_text(DIAMOND)
    assert vars(build_player(spec(f"{path}:Mine", level=7, left=8, right=9), ENGLISH))["taken"] == [7, 9, 8]
    with pytest.raises(PlayerError, match="unknown option 'rihgt'; did you mean 'right'"):
        build_player(spec(f"{path}:Mine", rihgt=1), ENGLISH)


def test_a_seed_and_a_missing_file_are_refused_with_what_helps(tmp_path):
    for entry, helps in (
        (spec("negamax", seed=1), "seed: 2"),
        (spec(f"{tmp_path}/my_heuristic.py:Bot"), "arena init"),
        (spec(f"{tmp_path}/mine.py:Bot"), "mine.py"),
    ):
        with pytest.raises(PlayerError, match=helps):
            build_player(entry, ENGLISH)


LIMITED = """
class Limited:
    def __init__(self, variant, name: str, depth: int, nodes=7, *, seconds: float = 1.5):
        self.taken = name, depth, nodes, seconds

    def choose(self, game, limit, rng):
        pass
"""


def test_a_constructor_takes_the_name_and_the_limits_of_its_entry(tmp_path):
    (tmp_path / "limited.py").write_text(LIMITED)
    entry = PlayerSpec("deep", f"{tmp_path / 'limited.py'}:Limited", Limit(depth=3))
    assert vars(build_player(entry, ENGLISH)) == {"taken": ("deep", 3, 7, 1.5)}
    shallow = build_player(replace(entry, limit=Limit(depth=1, nodes=9)), ENGLISH)
    assert vars(shallow) == {"taken": ("deep", 1, 9, 1.5)}
    with pytest.raises(PlayerError, match="Limited needs the limit 'depth'"):
        build_player(replace(entry, limit=Limit(nodes=9)), ENGLISH)
    with pytest.raises(PlayerError) as refused:
        build_player(replace(entry, options={"greedy": 1}), ENGLISH)
    assert str(refused.value).count("depth") == 1


LIMITS: dict[str, Any] = {"depth": 3, "nodes": 50, "seconds": 0.01, "clock": 1.0}


@pytest.mark.parametrize(
    ("kind", "memory", "is_kept"),
    [
        ("negamax", {"tt": 80}, True),
        ("negamax", {"tt": 81}, False),
        ("mcts", {"tree": 81}, False),
        ("hybrid", {}, True),
        ("hybrid", {"tt": 64, "tree": 64}, False),
    ],
)
def test_a_player_of_much_memory_is_not_kept_between_games(kind, memory, is_kept):
    spec = PlayerSpec("player", kind, Limit(nodes=1), memory)
    assert complete_player(spec, VARIANTS["english"]).kept is is_kept


@pytest.mark.parametrize(
    "name",
    [name for name in PLAYERS if not any(option.is_required for option in options_of(PLAYERS[name]).values())],
)
def test_a_player_takes_each_limit_that_it_heeds_and_needs_one_without_a_default(name):
    limits = limits_of(PLAYERS[name])
    for limit in LIMITS.keys() & {*limits}:
        build_player(PlayerSpec("p", name, Limit()._replace(**{limit: LIMITS[limit]})), VARIANTS["english"])
    bare = PlayerSpec("p", name)
    if limits and default_limit(PLAYERS[name]) == Limit():
        with pytest.raises(PlayerError, match="needs a limit"):
            build_player(bare, VARIANTS["english"])
    else:
        build_player(bare, VARIANTS["english"])


def test_a_move_given_as_text_is_that_move_and_refused_if_it_is_not_legal():
    game = Game("english")
    for text in ("11-15", "f6-e5"):
        assert accepted(Choice(text), game).move == game.move("11-15")  # type: ignore[arg-type]
    for wrong in ("21x14", "11", ""):
        with pytest.raises(IllegalMove):
            accepted(Choice(wrong), game)  # type: ignore[arg-type]
