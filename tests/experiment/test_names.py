"""Players in their short form, `simple@d6`, and the names that are made for them."""

import pytest

from arena.experiment.load import named_entries, player_spec
from arena.experiment.names import made_name
from arena.experiment.yaml.values import ConfigError
from players.loading import located
from players.player import Limit
from tests.helpers.command_line import one_line


@pytest.mark.parametrize(
    ("text", "name", "type_", "limit", "evaluation"),
    [
        ("simple@d6", "simple d6", "negamax", Limit(depth=6), "simple"),
        (" neural@n20000 ", "neural n20000", "negamax", Limit(nodes=20_000), "neural"),
        ("strong@0.1s", "strong 0.1s", "negamax", Limit(seconds=0.1), "strong"),
        ("game3@d2", "game3 d2", "game3", Limit(depth=2), None),
        ("level4", "level 4", "cis300", Limit(depth=4), None),
        ("my.py:Racer", "Racer", "my.py:Racer", Limit(), None),
        ("my.py:Fast@d3", "Fast d3", "negamax", Limit(depth=3), "my.py:Fast"),
        ("a@b/my.py:Other", "Other", "a@b/my.py:Other", Limit(), None),
        ("pack.age:Class@d2", "Class d2", "pack.age:Class", Limit(depth=2), None),
        ("net.npz@d2", "net.npz d2", "negamax", Limit(depth=2), "net.npz"),
        ("./v2@d4", "v2 d4", "engine", Limit(depth=4), None),
        ("simple@10s+0.1s", "simple 10s+0.1s", "negamax", Limit(clock=10, increment=0.1), "simple"),
    ],
)
def test_a_short_form_is_what_plays_with_one_limit(text, name, type_, limit, evaluation, tmp_path):
    (tmp_path / "a@b").mkdir()
    (tmp_path / "net.npz").touch()
    for folder in (tmp_path, tmp_path / "a@b"):
        (folder / "my.py").write_text("class bot: ...\ndef Fast(): ...\n")
    spec = player_spec(text, folder=tmp_path)
    assert (spec.name, spec.type, spec.limit, spec.options.get("evaluation")) == (name, type_, limit, evaluation)
    assert spec.options.get("preset") == (None if evaluation is None else "full")


@pytest.mark.parametrize(
    ("text", "options", "name"),
    [
        ("./v2@d4", {"command": ["./v2"], "folder": "."}, "v2 d4"),
        ("engines/scan hub@d4", {"command": ["./scan", "hub"], "folder": "engines"}, "scan hub d4"),
        ("my engines/bot@d4", {"command": ["./bot"], "folder": "my engines"}, "bot d4"),
        ("python3 bot.py@d4", {"command": ["python3", "bot.py"]}, "python3 bot.py d4"),
        ("engines/scan bot.py@d4", {"command": ["engines/scan", "bot.py"]}, "scan bot.py d4"),
    ],
)
def test_a_program_in_short_form_has_arguments_and_starts_where_its_files_are(text, options, name, tmp_path):
    for path in ("v2", "engines/scan", "my engines/bot", "bot.py"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).touch()
    spec = player_spec(text, folder=tmp_path)
    assert spec.type == "engine" and spec.options == options and spec.name == name


@pytest.mark.parametrize(
    "text",
    [
        *("simpel@d6", "simple@x6", "simple@", "simple@d0", "simple@d6@n5", "@d6", "level", "level 13"),
        *("simple@0s", "yours/my.py:racer@d6", "mi.py:racer", "nett.npz@d6", "empty.py"),
        *("{type: negamax, depth: six}", "{type: 6}", "{type: negamax", "[greedy]"),
    ],
)
def test_a_wrong_short_form_gets_one_line_with_the_nearest_choices(text, tmp_path):
    (tmp_path / "my.py").write_text("def racer(): ...\n\nclass Bot:\n    def choose(): ...\n")
    (tmp_path / "empty.py").touch()
    (tmp_path / "net.npz").touch()
    with pytest.raises(ConfigError) as caught:
        player_spec(text, "--player", tmp_path)
    one_line(caught.value)


@pytest.mark.parametrize(
    ("entry", "name", "detailed"),
    [
        ({"type": "negamax", "preset": "full", "nodes": 2000}, "negamax full n2000", "negamax full n2000"),
        ({"preset": "full", "evaluation": "a/my.py:racer"}, "racer", "a/my.py:racer full"),
        ({"type": "mcts", "evaluation": "strong", "nodes": 5, "clock": 9.5}, "mcts strong n5 clock 9.5", None),
        ({"type": "my.py:Bot", "wild": True, "odds": 3, "depth": 2}, "Bot wild odds 3 d2", None),
        ({"type": f"{'b' * 50}", "depth": 2}, f"{24 * 'b'}...{10 * 'b'} d2", None),
    ],
)
def test_a_name_is_made_of_what_plays_its_options_and_its_limits(entry, name, detailed):
    assert made_name(entry) == name
    assert detailed is None or made_name(entry, 2) == detailed


def test_a_path_means_its_own_file_whatever_its_name_is_made_of(tmp_path):
    names = ["a\nb", "a\tb", "# a", "a #b", "d: d", "[b]", "br{a}", "at@d3", "new\nline/p"]
    (tmp_path / "new\nline").mkdir()
    for name in names:
        (tmp_path / f"{name}.py").write_text("class Last: ...\n")
    for name in names:
        entry = f"{name}.py:Last"
        assert located(player_spec(entry, folder=tmp_path), tmp_path).type == f"{tmp_path}/{entry}"


def test_names_of_players_differ_by_no_more_than_they_need(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").mkdir()
    for folder in (tmp_path, tmp_path / "a"):
        (folder / "my.py").write_text("class Last:\n    def choose(self, *_): ...\n")

    def names(*entries: str) -> list[str]:
        return [entry["name"] for entry in named_entries(entries, {"negamax": {"depth": 6}})]

    assert names("simple", "simple@d2", "my.py:Last@d2") == ["simple d6", "simple d2", "Last d2"]
    assert names("my.py:Last", "a/my.py:Last") == ["my.py:Last", "a/my.py:Last"]
    assert names("simple@d6", "{evaluation: simple, depth: 6}") == ["simple full d6", "simple d6"]
    assert names("level 4", "level4", "random", "random") == ["level 4", "level 4 2", "random", "random 2"]
    assert names("{name: mine, type: greedy}", "greedy") == ["mine", "greedy"]
    assert named_entries(["simple", "game3"], {"negamax": {"depth": 6}})[0]["depth"] == 6
