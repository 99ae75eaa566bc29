"""Qualifying: who plays whom to qualify, who takes part in the format afterwards, and what a report says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from arena.experiment.formats.adaptive import Adaptive
from arena.experiment.formats.base import BatchResults, Format, Pairing
from arena.experiment.formats.fixed import Gauntlet, RoundRobin, Until
from arena.experiment.formats.knockout import Knockout, Ladder
from arena.experiment.formats.swiss import Swiss
from arena.experiment.load import load
from arena.experiment.model import Experiment
from arena.experiment.taking_part import Qualify, QualifyingResult, Stages
from arena.experiment.yaml.errors import ConfigError
from arena.play.plan import prepare
from arena.report.sentences.facts import qualification
from arena.report.writers import markdown
from tests.helpers.schedules import batches, run
from tests.helpers.words import Words

NAMES = [*"abcdefg", "guest"]
QUALIFY = Qualify(against=("d", "guest"), games=4, score=0.5, guests=("guest",))
FORMATS: list[Format] = [
    RoundRobin(),
    Gauntlet(type="gauntlet", seeds=("a", "b")),
    Swiss(type="swiss", rounds=6),
    Knockout(type="knockout"),
    Ladder(type="ladder"),
    Adaptive(type="adaptive", error=300, top=6),
]


def strengths(pairing: Pairing) -> float:
    """White's points where b, c, e and g beat d and the guest, and of two others the first wins."""
    strong = {1, 2, 4, 6}
    if pairing.white in (3, 7):
        return float(pairing.black not in strong)
    if pairing.black in (3, 7):
        return float(pairing.white in strong)
    return float(pairing.white < pairing.black)


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.type)
def test_those_who_score_enough_play_the_format_as_if_they_were_alone(format: Format) -> None:
    stages = Stages(format, QUALIFY)
    made, order = batches(stages.schedule(NAMES, 20, anchor="guest"), strengths)
    first, *others = made
    assert {(it.white, it.black) for it in first} == {
        pair for player in (0, 1, 2, 4, 5, 6) for other in (3, 7) for pair in ((player, other), (other, player))
    }
    assert len(first) == QUALIFY.number(NAMES) == 6 * 2 * 4 and {it.opening for it in first} == {0, 1}
    kept = [1, 2, 3, 4, 6]
    alone, places = batches(
        format.limited_to([NAMES[n] for n in kept]).schedule([NAMES[n] for n in kept], 20),
        lambda it: strengths(it._replace(white=kept[it.white], black=kept[it.black])),
    )
    shifted = [
        [
            Pairing(it.game + 48, it.pair + 24, it.round + 2, kept[it.white], kept[it.black], it.opening)
            for it in batch
        ]
        for batch in alone
    ]
    assert others == shifted and others
    assert [(it.player, it.figures) for it in order] == [(kept[it.player], it.figures) for it in places]
    assert stages.entrants(NAMES) == NAMES[:-1]
    assert sum(map(len, made)) <= stages.most_games(NAMES, 20)
    assert set(stages.ties(NAMES)) >= {tuple(sorted((it.white, it.black))) for it in first} - {(3, 7)} - {
        (3, n) for n in range(8)
    }


def test_intervals_of_those_who_qualified_end_the_format() -> None:
    stages = Stages(RoundRobin(), QUALIFY, Until(error=60))
    made, _ = batches(stages.schedule(NAMES, 300, anchor="a"), strengths)
    kept, names = [1, 2, 3, 4, 6], list("bcdeg")
    alone, _ = batches(
        Until(error=60).schedule(RoundRobin(), names, 300),
        lambda it: strengths(it._replace(white=kept[it.white], black=kept[it.black])),
    )
    assert [len(batch) for batch in made[1:]] == [len(batch) for batch in alone]


@pytest.mark.parametrize(
    ("format", "score", "plays"),
    [
        (RoundRobin(), 1.0, True),
        (Gauntlet(type="gauntlet", seeds=("a",)), 0.0, True),
        (Gauntlet(type="gauntlet", seeds=("a",)), 0.5, False),
    ],
)
def test_too_few_for_the_format_end_the_run(format: Format, score: float, plays: bool) -> None:
    stages = Stages(format, QUALIFY.model_copy(update={"score": score}))
    made, order = batches(stages.schedule(NAMES, 20), strengths)
    assert (len(made) > 1, order) == (plays, [])
    nobody, order = batches(stages.schedule(NAMES, 20), lambda it: float(it.white in (3, 7)))
    assert (len(nobody) > 1, order) == (score == 0.0, [])


def test_games_against_an_annulled_player_do_not_count_and_it_does_not_qualify() -> None:
    names = ["a", "b", "c", "x", "y"]
    settings = Qualify(against=("x", "y"), games=2, score=0.75)
    games = [("a", "x", 1.0), ("x", "a", 0.5), ("a", "y", 0.0), ("y", "a", 0.5), ("c", "x", 1.0), ("y", "b", 0.0)]
    assert settings.results(names, games) == {
        "a": QualifyingResult(4, 2.0, False),
        "b": QualifyingResult(1, 1.0, True),
        "c": QualifyingResult(1, 1.0, True),
    }
    assert settings.results(names, games, ["y", "c"]) == {
        "a": QualifyingResult(2, 1.5, True),
        "b": QualifyingResult(0, 0.0, True),
        "c": QualifyingResult(0, 0.0, False),
    }
    schedule = Stages(RoundRobin(), settings).schedule(names, 5)
    wins = [float(it.white < 3) for it in next(schedule)]
    following = schedule.send(BatchResults(wins, frozenset({0, 3})))
    assert {it.white for it in following} == {1, 2, 4}


def configured(more: dict[str, Any]) -> Experiment:
    players = [{"name": "r", "type": "random"}, "simple@d2", "greedy", "material@d1"]
    return load({"name": "q", "variant": "english", "players": players, **more})


def test_those_of_against_who_are_no_players_are_guests() -> None:
    against = ["r", "simple@d2", "simple@d1", {"type": "cis300", "depth": 1}, {"name": "g", "type": "greedy"}]
    experiment = configured(
        {"qualify": {"against": against, "games": 2}, "format": {"type": "swiss", "rounds": 2}}
    )
    settings = experiment.qualify
    assert settings is not None
    assert settings.against == ("r", "simple d2", "simple d1", "cis300 d1", "g")
    assert settings.guests == settings.against[2:]
    names = [player.name for player in experiment.players]
    assert names == ["r", "simple d2", "greedy", "material d1", *settings.guests]
    assert experiment.stages.entrants(names) == names[:4]
    assert Experiment.model_validate(experiment.as_dict()).qualify == settings
    assert load(experiment.as_dict()).as_dict() == experiment.as_dict()
    left = experiment.without(["g", "r"])
    assert left.qualify is not None and left.qualify.against == settings.against[1:-1]


def test_a_swiss_has_rounds_for_the_players_that_are_left() -> None:
    left = configured({"format": {"type": "swiss", "rounds": 3}}).without(["r"])
    assert left.as_dict()["format"]["rounds"] == 2


@pytest.mark.parametrize(
    ("qualify", "more"),
    [
        ("{against: [rnadom]}", ""),
        ("{against: [random], games: 3}", ""),
        ("{against: [random], score: 50}", ""),
        ("{against: []}", ""),
        ("{against: random}", ""),
        ("{against: [3]}", ""),
        ("{against: [random, random]}", ""),
        ("{agianst: [random]}", ""),
        ("{against: [r, simple@d2, greedy]}", ""),
        ("{against: [r, r]}", ""),
        ("{against: [{type: greedy, name: r}]}", ""),
        ("{against: [{type: greedy, depth: 99}]}", ""),
        ("{against: [greedy, random], guests: [rnadom]}", ""),
        ("{against: [random]}", "format: {type: swiss, rounds: 3}\n"),
        ("{against: [random]}", "format: match\n"),
        ("{against: [simple@d1]}", "sprt: {elo0: 0, elo1: 10}\n"),
    ],
)
def test_a_wrong_qualify_is_an_error_at_its_place(tmp_path: Path, qualify: str, more: str, words: Words) -> None:
    path = tmp_path / "q.yaml"
    path.write_text(
        f"name: q\nvariant: english\n{more}qualify: {qualify}\n"
        "players: [{name: r, type: random}, simple@d2, {name: greedy, type: greedy}]\n"
    )
    with pytest.raises(ConfigError) as caught:
        load(path)
    words([line.removeprefix(f"{tmp_path}/") for line in str(caught.value).splitlines()])


def test_openings_must_suffice_to_qualify() -> None:
    experiment = configured({"qualify": {"against": ["random"], "games": 10}, "openings": {"count": 4}})
    with pytest.raises(ConfigError, match="with 10 games against each, 'qualify' needs 5 openings, not 4"):
        prepare(experiment)


QUALIFIED = (
    "qualify: {against: [{name: r, type: random}], games: 4, score: 0.5}\n"
    "players:\n  - {name: a, type: greedy}\n  - {name: b, type: random}\n"
    "  - {name: c, type: random}\n  - {name: d, type: greedy, evaluation: cis300}\n"
)


@pytest.mark.parametrize("format", ["round-robin", "knockout"])
def test_a_run_that_was_stopped_has_the_same_games_and_says_who_qualified(tmp_path: Path, format: str) -> None:
    text = f"format: {format}\n" + QUALIFIED
    whole = run(tmp_path, "whole", text)
    parts = run(tmp_path, "parts", text, stops=(3, 20))
    columns = ["game", "pair", "round", "white", "black", "opening", "result", "plies"]
    assert whole.games[columns].equals(parts.games[columns])
    table = whole.qualifying
    assert set(table["player"]) == set("abcd") and set(table["games"]) == {4}
    for row in table.to_dict("records"):
        own = whole.games[whole.games["game"] <= 16]
        won = own[(own["white"] == row["player"]) & (own["result"] == "1-0")]
        won_black = own[(own["black"] == row["player"]) & (own["result"] == "0-1")]
        played = own[(own["white"] == row["player"]) | (own["black"] == row["player"])]
        draws = (played["result"] == "1/2-1/2").sum()
        assert row["points"] == len(won) + len(won_black) + draws / 2
        assert row["qualified"] == (row["points"] >= 2) and row["score"] == row["points"] / 4
    qualified = set(table[table["qualified"].astype(bool)]["player"])
    later = whole.games[whole.games["game"] > 16]
    assert set(later["white"]) | set(later["black"]) == qualified if len(qualified) > 1 else later.empty
    assert set(whole.players) == {"a", "b", "c", "d", "r"}
    [sentence] = qualification(whole)
    assert sentence == f"{len(qualified)} of 4 players qualified (50 % of 4 games against r)."
    assert ("## Not qualified" in markdown(whole)) == (len(qualified) < 4)


def test_a_run_that_nobody_qualifies_for_ends_with_a_sentence(tmp_path: Path) -> None:
    text = QUALIFIED.replace("score: 0.5", "score: 1.0").replace("type: random}]", "type: negamax, depth: 3}]")
    ended = run(tmp_path, "none", text)
    assert ended.data.order == [] and len(ended.games) == 16
    assert qualification(ended) == [
        "0 of 4 players qualified (100 % of 4 games against r), too few for the format round-robin: "
        "no further games were played."
    ]
