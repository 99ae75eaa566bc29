"""One configuration by several rule sets: what it becomes, how it is played, and the joint table."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from arena.experiment.load import load, load_all
from arena.ratings.interval import Z95, Interval
from arena.ratings.joint import Ratings, rate
from arena.ratings.several import JOINT, Across, Fit, across, differing, gains_by_run, mean
from arena.report.joint import Joint, conclusion, write_joint
from arena.report.run import Run
from arena.report.together import fits
from players.player import Limit
from tests.helpers.command_line import invoke, refused
from tests.helpers.report_data import changed, experiment, frames, player, run_of

TWO = """\
players:
  - {name: a, type: random}
  - {name: b, type: greedy}
"""


def written(folder: Path, head: str, players: str = TWO) -> Path:
    (folder / "games.yaml").write_text(f"name: games\n{head}\n{players}")
    return folder / "games.yaml"


def test_each_rule_set_is_the_experiment_that_the_file_with_it_alone_is(tmp_path):
    found = load_all(written(tmp_path, "variants: [english, russian]\nseed: 3"))
    assert list(found) == ["english", "russian"]
    for name, one in found.items():
        assert one.as_dict() == load(written(tmp_path, f"variant: {name}\nseed: 3")).as_dict()


LIMITS = "limits: {d2: {depth: 2}, fast: {clock: 60, increment: 1}}"
LACKING = """players:
  - {name: a, type: random}
  - {name: b, type: negamax, depth: 5}
  - {name: c, type: negamax, preset: full%s}
"""


def test_each_limit_is_the_experiment_that_the_file_with_it_in_the_players_without_one_is(tmp_path):
    found = load_all(written(tmp_path, f"variant: english\n{LIMITS}", LACKING % ""))
    assert list(found) == ["d2", "fast"]
    for name, limit in (("d2", "depth: 2"), ("fast", "clock: 60, increment: 1")):
        alone = load(written(tmp_path, "variant: english", LACKING % f", {limit}"))
        assert found[name].as_dict() == alone.as_dict()


def test_rule_sets_of_ones_own_at_limits_make_a_run_of_each_with_its_openings(tmp_path):
    head = (
        "variants: {usual: english, free: {base: russian, flying: false}, wide: international}\n"
        "openings: {count: {usual: 5, free: 7, wide: 9}, random_plies: 6, set: {free: russian-table}, "
        "file: {wide: wide.pdn}}"
    )
    found = load_all(written(tmp_path, f"{head}\n{LIMITS}", LACKING % ""))
    assert [(name, one.variant, one.players[2].limit.depth) for name, one in found.items()] == [
        ("usual-d2", "english", 2),
        ("usual-fast", "english", None),
        ("free-d2", "{base: russian, flying: false}", 2),
        ("free-fast", "{base: russian, flying: false}", None),
        ("wide-d2", "international", 2),
        ("wide-fast", "international", None),
    ]
    openings = [one.openings for one in found.values()]
    drawn = [(own.count, own.random_plies, own.set, own.file) for own in openings]
    expected = [(5, 6, None, None), (7, 4, "russian-table", None), (9, 4, None, "wide.pdn")]
    assert drawn == [own for own in expected for _ in range(2)]


def test_short_forms_and_sweeps_without_a_limit_have_each_and_keep_their_names(tmp_path):
    sweep = "{type: negamax, sweep: {evaluation: [strong, cis300]}}"
    players = f"players: [simple, simple@d5, mcts, greedy, {sweep}]\n"
    found = load_all(written(tmp_path, f"variant: english\n{LIMITS}", players))
    for name, limit in (("d2", Limit(depth=2)), ("fast", Limit(clock=60, increment=1))):
        limits = {one.name: one.limit for one in found[name].players}
        assert limits.pop("simple d5") == Limit(depth=5) and limits.pop("greedy") == Limit()
        assert limits == dict.fromkeys(("simple", "mcts", "strong", "cis300"), limit)


def results(wins: int, draws: int, losses: int, *names: str) -> pd.DataFrame:
    """Games of two players, each with either colour as often."""
    one, other = names
    rows = []
    for result, count in (("white", wins), ("draw", draws), ("black", losses)):
        back = {"white": "black", "black": "white"}.get(result, result)
        rows += [(one, other, result), (other, one, back)] * count
    return pd.DataFrame(rows, columns=["white", "black", "result"])


def fit(ratings: Ratings) -> Fit:
    return ratings, {name: name for name in ratings.table["player"]}


def test_the_joint_table_is_what_hand_arithmetic_makes_of_two_matches():
    """a scores 60 % of 200 games in one rule set, 75 % of 100 in the other; without a prior Elo is the scores'."""
    first, second = results(50, 20, 30, "a", "b"), results(35, 5, 10, "a", "b")
    found = across({"x": fit(rate(first, prior=0)), "y": fit(rate(second, prior=0))})
    assert found is not None
    gain = [400 * math.log10(s / (1 - s)) for s in (0.6, 0.75)]  # 70.4 and 190.8
    assert gain == pytest.approx([70.437, 190.849], abs=0.001)
    # A game's score varies by mean square - square of mean; Elo by that over its slope, squared, over the games.
    slope = [s * (1 - s) * math.log(10) / 400 for s in (0.6, 0.75)]
    error = [
        math.sqrt((share - s * s) / games) / k
        for share, s, games, k in zip((0.55, 0.725), (0.6, 0.75), (200, 100), slope, strict=True)
    ]
    table = gains_by_run(found, "b")
    assert table["run"].tolist() == ["x", "y", JOINT]
    assert table["gain"].tolist() == pytest.approx([*gain, sum(gain) / 2], abs=0.01)
    halves = ((table["gain_high"] - table["gain_low"]) / 2).tolist()
    # The fit's own errors are those of few observations, 1.7 % more at 100 games.
    assert halves[:2] == pytest.approx([Z95 * each for each in error], rel=0.02)
    assert halves[2] == pytest.approx(math.hypot(*halves[:2]) / 2)
    joint = mean(found).table
    assert joint["player"].tolist() == ["a", "b"]
    assert joint["elo"].tolist() == pytest.approx([sum(gain) / 4, -sum(gain) / 4], abs=0.01)
    assert joint["elo_high"][0] - joint["elo"][0] == pytest.approx(math.hypot(*halves[:2]) / 4)


def drawn(rng: np.random.Generator, mean: np.ndarray, spreads: list[np.ndarray], anchor: str | None) -> Across:
    """The ratings of rule sets whose errors are drawn from their covariances."""
    names = [f"p{number}" for number in range(len(mean))]
    elo = {f"v{v}": rng.multivariate_normal(mean, spread, method="cholesky") for v, spread in enumerate(spreads)}
    rated = {
        name: fit(
            Ratings(
                table=pd.DataFrame({"player": names, "elo": values, "games": 1}),
                covariance=pd.DataFrame(spread, index=names, columns=names),
                advantage=Interval(0, 0, 0),
                groups=(tuple(names),),
                notes={},
            )
        )
        for (name, values), spread in zip(elo.items(), spreads, strict=True)
    }
    found = across(rated, anchor)
    assert found is not None
    return found


@pytest.mark.full
def test_a_gain_that_differs_from_run_to_run_is_found_and_by_chance_in_one_of_twenty():
    rng = np.random.default_rng(4)
    elo = np.array([120.0, 30.0, -10.0, -140.0])
    roots = [rng.normal(size=(4, 4)) * scale for scale in (20, 40, 60)]
    spreads = [root @ root.T + 400 * np.eye(4) for root in roots]
    least = [min(differing(drawn(rng, elo, spreads, None), "p2").values()) for _ in range(400)]
    assert 0.02 < np.mean(np.array(least) < 0.05) < 0.07
    found = drawn(rng, elo, spreads, None)
    place = found.players.index("p3")
    error = math.sqrt(found.covariance[0, place, 0, place])
    moved = found._replace(elo=found.elo + np.outer([8 * error, 0, 0], np.arange(4) == place))
    player, chance = next(iter(differing(moved, "p2").items()))
    assert player == "p3" and chance < 0.05


def test_a_claim_says_whose_gain_differs_from_run_to_run_or_that_none_is_shown_to(tmp_path):
    players = [player("a", 3), player("b", 3)]
    games, moves = frames(players, 40, plies=4)
    wins = games.assign(result=np.where((games["white"] == "a") ^ (games["game"] % 9 == 0), "white", "black"))
    for results, differ in ((games, False), (wins, True)):
        runs = {
            variant: run_of(tmp_path / variant, experiment(players, variant=variant), *of)
            for variant, of in {"english": (games, moves), "brazilian": (results, moves)}.items()
        }
        (claim,) = conclusion(Joint(tmp_path, "games", tuple(runs), runs))
        assert (claim.interval is None) == differ, "a mean is said only where the runs agree"
        assert all(f"in {run}" in claim.words for run in runs) == differ


def test_a_player_without_a_rating_in_some_rule_set_is_left_out_of_the_joint_table_which_needs_two():
    three = pd.concat([results(5, 5, 3, "a", "b"), results(4, 5, 3, "b", "c")])
    found = across({"x": fit(rate(three)), "y": fit(rate(results(5, 5, 3, "a", "b"), ["a", "b", "c"]))})
    assert found is not None
    assert (found.players, found.left_out) == (("a", "b"), ("c",))
    assert found.elo.sum(axis=1) == pytest.approx([0, 0])
    two = {name: fit(rate(results(5, 5, 3, *name))) for name in ("ab", "ac")}
    assert across(two) is None


def test_a_player_that_is_the_same_at_two_limits_is_one_and_its_games_with_such_count_once(tmp_path):
    def at(depth: int) -> Run:
        players = [player("a", depth), player("c", 3), player("d", 4)]
        games, moves = frames(players, 30, plies=4)
        won = games["white"].where(games["game"] % 4 > 0, "nobody").map({"c": "white", "d": "black"})
        own = games["white"].eq("a") | games["black"].eq("a")
        games = games.assign(result=np.where(own, games["result"], won.fillna("draw")))
        run = run_of(tmp_path / f"d{depth}", experiment(players), games, moves)
        return changed(run, games=run.games.assign(id=run.games["id"].where(~own, f"{depth}" + run.games["id"])))

    runs = {"d1": at(1), "d2": at(2)}
    fitted = fits(runs)
    ratings, named = fitted["d1"]
    assert fitted["d2"][0] is ratings and named == {"a": "a (d1)", "c": "c", "d": "d"}
    counts = ratings.table.set_index("player")["games"].to_dict()
    assert counts == {"a (d1)": 120, "a (d2)": 120, "c": 180, "d": 180}
    rated = across(fitted)
    assert rated is not None
    gains, spread = rated.gain("c", "d")
    assert gains[0] == pytest.approx(gains[1])
    assert spread[0, 1] == pytest.approx(spread[0, 0]), "one difference, not two"


HEAD = """variants: [english, international]
seed: 2
openings: {random_plies: 2, count: 3, balanced: false}
max_plies: 40"""


@pytest.mark.full
@pytest.mark.usefixtures("no_pictures")
def test_a_run_by_two_rule_sets_is_two_runs_and_a_page_of_those_played_and_resumes(tmp_path):
    config, out = written(tmp_path, HEAD), tmp_path / "out"
    alone = tmp_path / "alone.yaml"
    alone.write_text(config.read_text().replace("variants: [english, international]", "variant: english"))
    assert invoke("run", alone, "--out", out / "english", "--workers", 1).exit_code == 0
    (out / "runs.json").write_text(json.dumps({"name": "games", "runs": ["english", "international"]}))
    result = invoke("report", out)
    assert "There is nothing to compare before two runs have games" in result.stdout
    assert "No games yet: international." in result.stdout and not (out / "joint.csv").exists()
    result = invoke("run", config, "--out", out, "--workers", 1)
    assert result.exit_code == 0 and result.stderr.count("nothing is played") == 1
    links = set(re.findall(r'href="([^"]*)"', (out / "report.html").read_text()))
    for name in ("english", "international"):
        assert {f"{name}/report.html", f"{name}/report.html#player=a"} <= links
        assert (out / name / "standings.csv").is_file()
    table = pd.read_csv(out / "joint.csv")
    assert set(table["run"]) == {"english", "international", JOINT}
    joint, by_run = table[table["run"] == JOINT], table[table["run"] != JOINT]
    for name in ("elo", "gain"):
        means = by_run.groupby("player")[name].mean().dropna()
        assert joint.set_index("player")[name].dropna().to_dict() == pytest.approx(means.to_dict(), abs=0.11)
    assert joint["games"].tolist() == [12, 12] and by_run["games"].tolist() == [6] * 4
    summed_up = (out / "summary.md").read_text()
    assert all(f"| {player} |" in summed_up for player in joint["player"]) and "(joint_elo.svg)" in summed_up
    (out / "joint.csv").unlink()
    assert invoke("report", out).exit_code == 0
    assert pd.read_csv(out / "joint.csv").equals(table)


def test_the_page_of_several_runs_counts_games_that_players_failed_in(tmp_path):
    players = [player(name, 3) for name in "ab"]
    games, moves = frames(players, 2, plies=4)
    games["error"] = ""
    failure = ["white", "error", f"{games['black'][0]} raised KeyError: 3"]
    games.loc[0, ["result", "termination", "error"]] = failure
    run = run_of(tmp_path / "one", experiment(players), games, moves)
    write_joint(Joint(tmp_path, "games", ("one",), {"one": run}))
    assert "1 of 4 games was lost because a player failed" in (tmp_path / "summary.md").read_text()


@pytest.mark.full
def test_a_player_that_cannot_play_one_rule_set_is_refused_before_the_first_game(tmp_path):
    players = TWO + "  - {name: n, type: greedy, evaluation: neural}\n"
    config = written(tmp_path, "variants: [english, english-6x6]", players)
    line = refused("run", config, "--out", tmp_path / "out")
    assert line.startswith(f"{tmp_path}/games.yaml:6:") and ": english-6x6: " in line
    assert not (tmp_path / "out").exists()


def test_a_folder_holds_one_run_or_several(tmp_path):
    for name in ("english", "russian"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "ledger.sqlite").touch()
    assert refused("status", tmp_path).endswith("english, russian")
    assert "is the folder of one run" in refused("run", written(tmp_path, HEAD), "--out", tmp_path / "english")


@pytest.mark.full
@pytest.mark.usefixtures("no_pictures")
def test_what_stops_the_run_begins_no_further_rule_set(tmp_path):
    (tmp_path / "far.py").write_text(
        "from arena import Pause\n\nclass Far:\n    costs = True\n    def __init__(self, variant): ...\n"
        "    def choose(self, game, limit, rng): raise Pause('nobody answers')\n"
    )
    players = TWO + '  - {name: c, type: "far.py:Far"}\n'
    out = tmp_path / "out"
    config = written(tmp_path, HEAD, players)
    result = invoke("run", config, "--out", out, "--workers", 1)
    assert result.exit_code == 2, result.output
    assert "c paused the run: nobody answers; all that is finished is kept" in result.stderr.splitlines()[-1]
    assert (out / "english" / "ledger.sqlite").exists()
    assert not (out / "international" / "ledger.sqlite").exists()
