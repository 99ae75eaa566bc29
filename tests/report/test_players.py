"""Pages of players inside a report, sheets of a class, and the teacher's table of submissions."""

import json
import random
import re
import unicodedata
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from arena.ledger.info import Entrant, RunInfo
from arena.ledger.record import failures_of
from arena.report.markup import anchor
from arena.report.page.player import PlayerPages, player_sections
from arena.report.page.sections import RunPage
from arena.report.page.standings import standings_grid
from arena.report.run import Run
from arena.report.sentences.cautions import faulty, withdrawals
from arena.report.sheets import file_names, opponents, write_sheets
from arena.report.viewer import RunGames
from arena.report.write import files_of
from arena.rules.notation import fen
from arena.rules.played import replayed
from arena.rules.result import NO_RESULT
from players.loading import SAME_FILE, UNBUILT, Finding
from tests.helpers.command_line import invoke, refused
from tests.helpers.report_data import (
    MISSING_WORD,
    changed,
    data_of,
    experiment,
    found_before,
    frames,
    plain,
    player,
    run_of,
    synthetic,
    write_quickly,
)
from tests.helpers.web_browser import page_of

NAMES = ["a b", "a%20b", "q\"<i>'&x=y#", "対局/ü", "plain", "plain:2"]


# pages of players


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    players = [player(name, 1 + place) for place, name in enumerate(NAMES)]
    return synthetic(tmp_path_factory.mktemp("players"), players, 2, plies=20)


def test_the_numbers_of_a_page_are_those_of_the_tables(run):
    pages = PlayerPages(run, run.placed)
    for row in run.standings.to_dict("records"):
        page = pages.page(row["player"])
        assert len(page["opponents"].rows) == len(NAMES) - 1
        against = [float(points.text.removesuffix("/4")) for _, points, *_ in page["opponents"].rows]
        assert sum(against) == row["wins"] + row["draws"] / 2
        assert page["results"] == tuple(row[count] for count in ("wins", "draws", "losses"))
    text = plain(pages.html(run.placed[0], "", linked=True))
    assert "No failure in 20 games." in text and not MISSING_WORD.search(text)


@pytest.mark.parametrize(("termination", "ply", "before"), [("time", 3, 2), ("time", 4, 3), ("error", 4, 3)])
def test_a_failure_has_what_was_written_and_the_position_before_the_move_also_where_a_late_one_was_played(
    run, tmp_path, termination, ply, before
):
    games = run.games.assign(error="")
    loser, result = (games["black"][0], "white") if ply % 2 else (games["white"][0], "black")
    fields: dict[str, Any] = {"result": result, "termination": termination, "plies": 3}
    fields |= {"error": f"{loser} failed at ply {ply}", "traceback": "bot.py, line 7", "output": "thinking\nstill"}
    for column, value in fields.items():
        games.loc[0, column] = value
    start = f"B:W{','.join(map(str, range(21, 33)))}:B{','.join(map(str, range(1, 13)))}"
    played = replayed(run.experiment.rule_set, start, ["11-15", "23-19", "8-11"])
    pages = PlayerPages(changed(run, tmp_path, games=games), [loser])
    vars(pages)["_replayed"] = {int(games["game"][0]): played}
    text = pages.html(loser, "")
    assert f"<code>{fen(played.variant, played.positions[before])}</code>" in text
    assert "Failures in 1 game" in text and "bot.py, line 7" in text and "thinking\nstill" in text


def test_who_is_left_out_reads_each_mistake_once(run):
    found = tuple(Finding("error", where="gone", detail=f"mistake {n}", place="W:W1:B32") for n in "ab")
    of_gone = changed(run, info=found_before(run.info, found, {"gone": "gone.py"}))
    text = PlayerPages(of_gone, ["gone"]).html("gone", "")
    assert [text.count(f"mistake {n}") for n in "ab"] == [1, 1] and text.count("W:W1:B32") == 2


@pytest.mark.parametrize(("plies", "ply"), [(0, 1), (46, 47), (47, 47)])
def test_a_failure_without_words_has_the_ply_that_failed(plies, ply):
    """White, who begins, is to move after an even number of plies; after an odd one its last move was late."""
    game = {"game": 1, "white": "a", "black": "b", "result": "black", "termination": "time", "plies": plies}
    texts = {"id": "00000a", "opening_fen": "W:W1:B32", "error": "", "traceback": "", "output": ""}
    (failure,) = failures_of([game | texts])
    assert failure.ply == ply and f"ply {ply}" in failure.words


def test_players_that_do_not_fit_into_the_page_are_left_out_from_the_end(run):
    text, names = player_sections(run)
    assert names == run.placed and text.count("<section") == len(NAMES)
    some, fitting = player_sections(run, characters=len(text) // 2)
    assert fitting == names[: len(fitting)] and 0 < len(fitting) < len(NAMES) and len(some) <= len(text) // 2


@pytest.mark.full
def test_every_name_has_a_page_that_its_address_opens(browser, run):
    write_quickly(run)
    with page_of(browser) as page:
        page.goto(f"file://{run.folder}/report.html")
        assert page.locator("section.player:visible").count() == 0
        for name in NAMES:
            page.evaluate("name => { location.hash = name; }", anchor(name))
            assert page.locator("section.player:visible h1").all_inner_texts() == [name]
            assert not page.locator("main").is_visible()
        page.locator("section.player:visible .back a").click()
        assert page.locator("main").is_visible()
        page.locator("main a[href^='#player=']").first.click()
        assert page.locator("section.player:visible h1").all_inner_texts() == run.placed[:1]


# submissions


def class_of(folder: Path) -> Run:
    """Submissions: `bad` is withdrawn, `fails` loses games, `gone` was left out; `own` is built in."""
    players = [player("own", 3), *(player(name, type=f"work/{name}.py:Bot") for name in ("good", "fails", "bad"))]
    games, moves = frames(players, 3, plies=4)
    games["error"] = ""
    of_bad = (games["white"] == "bad") | (games["black"] == "bad")
    failures = ["result", "termination", "error"]
    lost = games.index[~of_bad & (games["black"] == "fails")][:2]
    games.loc[lost[0], failures] = ["white", "error", "fails raised KeyError: 3 at ply 4"]
    games.loc[lost[1], failures] = ["white", "time", ""]
    games.loc[of_bad, failures[1:]] = ["illegal_move", "bad returned None at ply 2"]
    games.loc[of_bad, "result"] = np.where(games["white"] == "bad", "black", "white")[of_bad]
    of_both = games.index[of_bad & (games["white"] == "fails")][0]
    games.loc[of_both, failures] = ["black", "error", "fails raised KeyError: 4 at ply 4"]
    cannot = Finding("error", where="gone", detail="cannot be built: line 2")
    run = run_of(folder, experiment(players), games, moves)
    return changed(
        run,
        games=run.games[~of_bad].reset_index(drop=True),
        moves=moves[~moves["game"].isin(games.loc[of_bad, "game"])],
        void_games=run.games[of_bad].assign(result=NO_RESULT).reset_index(drop=True),
        withdrawn={"bad": "it failed in its first 3 games"},
        info=found_before(run.info, (cannot, Finding("warning", "is slow", "good")), {"gone": "work/gone.py"}),
        failures=run.data.failures,
    )


def test_the_table_has_every_submission_with_its_failures_in_words(tmp_path):
    run = class_of(tmp_path)
    table: Any = run.submissions.set_index("player")
    ranks: Any = run.standings.set_index("player")
    assert set(table.index[:2]) == {"good", "fails"} and [*table.index[2:]] == ["bad", "gone"]
    assert table["place"].dropna().to_dict() == {"good": 1, "fails": 1}, "equal; own is built in and takes none"
    wins = np.where(run.games["white"] == "good", "white", np.where(run.games["black"] == "good", "black", "draw"))
    apart = changed(run, games=run.games.assign(result=wins), failures=run.data.failures).submissions
    assert apart.set_index("player")["place"].dropna().to_dict() == {"good": 1, "fails": 2}
    assert table["file"].to_dict() == {name: f"work/{name}.py" for name in table.index}
    assert table["failures"].dropna().to_dict() == {"good": 0, "fails": 2, "bad": 17}
    assert table.loc["good", "points"] == ranks.loc["good", "wins"] + ranks.loc["good", "draws"] / 2
    own = run.moves[run.moves["player"] == "good"]
    assert table.loc["good", "seconds_longest"] == own["seconds"].max()
    first, void = run.games[run.games["error"] != ""]["id"].iloc[0], run.void_games["id"].iloc[0]
    for name, parts in {
        "good": ["is slow"],
        "fails": ["1 on time", "1 by errors", f"game {first}: raised KeyError: 3 at ply 4"],
        "bad": ["it failed in its first 3 games", f"game {void}: returned None at ply 2"],
        "gone": ["cannot be built: line 2"],
    }.items():
        assert all(part in table["reasons"][name] for part in parts), name
    assert [*map(str, withdrawals(run))] == [f"bad was {table.loc['bad', 'reasons']}."]
    assert [*map(str, faulty(run))] == [f"gone was {table.loc['gone', 'reasons']}."]


@pytest.mark.parametrize("order", [[], ["fails", "bad", "own", "good"]])
def test_who_is_withdrawn_stands_last_with_the_reason(tmp_path, order):
    last_match = {"round": 1, "opponent": "own", "points": 2.0, "conceded": 0.0, "decided": "points"}
    run = changed(class_of(tmp_path), order=[(name, last_match) for name in order])
    last = run.standings.iloc[-1]
    assert (last["player"], last["games"]) == ("bad", 0) and last[["rank", "elo", "score"]].isna().all()
    assert run.standings["rank"].tolist()[:-1] == [1, 2, 3]
    assert run.standings["player"].tolist()[:-1] == ([name for name in order if name != "bad"] or run.players)
    name, reason = filter(None, standings_grid(run).texts().iloc[-1])
    assert name == "bad" and "it failed in its first 3 games" in reason


def test_two_files_are_no_class_unless_one_was_left_out(tmp_path):
    run = class_of(tmp_path)
    players = tuple(spec for spec in run.data.experiment.players if spec.name != "bad")
    few = changed(run, experiment=run.data.experiment.model_copy(update={"players": players}), withdrawn={})
    assert [*few.submissions["player"]] == ["fails", "good", "gone"]
    assert changed(few, info=found_before(run.info, (), {})).submissions.empty


@pytest.mark.parametrize(("count", "sentences"), [(3, 3), (9, 4)])
def test_of_more_than_three_players_left_out_the_notes_say_how_many(tmp_path, count, sentences):
    run = class_of(tmp_path)
    found = tuple(Finding("error", "cannot be built", f"gone {n}") for n in range(count))
    said = faulty(changed(run, info=found_before(run.info, found, {one.where: "x.py" for one in found})))
    assert len(said) == sentences and said[2].player == "gone 2"
    assert count == 3 or str(count - 3) in said[3].words


def test_submissions_are_a_file_and_a_table_of_the_page_where_somebody_wrote_code(tmp_path, no_pictures):
    run = class_of(tmp_path)
    page = RunPage(run).html
    assert '<h2 id="submissions">' in page and "1 on time and 1 by errors" in page
    assert page.count('<p class="failed"><a href="#player=') == 2  # bad and gone, which no standings name
    files_of(run)["submissions.csv"](tmp_path / "sheet.csv")
    assert (tmp_path / "sheet.csv").read_text(encoding="utf-8").startswith("\ufeff")
    built_in = [player(name, 3) for name in "ab"]
    assert "submissions.csv" not in files_of(run_of(tmp_path, experiment(built_in), *frames(built_in, 2, plies=4)))


# sheets

COMMON = ["is", "ply", "illegal", "a", "A", "a-1", "é", "e\u0301", "the file", "error", "place", "bot", "bot 2"]
"""Names that are words of reports, or that differ little."""
LETTERS = "ждщюяђѣѫҗ"
"""Letters of no word of a report."""
FAILED = "returned the illegal move 12345 at ply 8"
PLAYER = """\
from arena import Choice


class BexleyError(Exception):
    pass


class {name}Bot:
    def __init__(self, variant, author=""):
        self.author = author

    def choose(self, game, limit, rng):
        if {fails} and len(game.moves) > 4:
            raise BexleyError(f"{{self.author}} of Quillfield has not written this")
        return Choice(game.legal_moves[0], extra={{"{name}_count": 1.0}})
"""
EVALUATION = """\
from arena import evaluator


@evaluator
def carlotta_value(position, rules):
    return 0
"""


def made_up(rng: random.Random, taken: set[str]) -> str:
    """A name of one to six LETTERS that is not taken."""
    while (name := "".join(rng.choices(LETTERS, k=rng.randint(1, 6)))) in taken:
        pass
    taken.add(name)
    return name


def class_named(folder: Path, names: list[str], words: list[str]) -> Run:
    """A class whose players, files and classes have these names and words; the first is left out."""
    gone, *others = names
    types = {name: f"work/{words[2 * i]}.py:{words[2 * i + 1]}" for i, name in enumerate(names)}
    modules = {others[-1]: f"work.{words[-1]}:{words[-2]}"}
    players = [player("built", 3), *(player(name, type=(types | modules)[name]) for name in others)]
    games, moves = frames(players, 1, plies=4)
    games["error"] = ""
    for name in others:
        row = games.index[games["white"] == name][0]
        games.loc[row, ["result", "termination", "error"]] = ["black", "illegal_move", f"{name} {FAILED}"]
    found = (
        Finding("error", where=gone, detail=f"{types[gone]} cannot be built: {gone} {words[0]}", kind=UNBUILT),
        Finding("error", "its evaluation is faulty, which is that of", where=gone, others=(others[0],)),
        Finding("warning", "has the same file as", where=others[0], kind=SAME_FILE, others=(others[1], gone)),
    )
    run = run_of(folder, experiment(players, anchor=others[-1]), games, moves)
    return changed(run, info=found_before(run.info, found, {gone: types[gone].partition(":")[0]}))


def words_of(page: str) -> set[str]:
    """The words of a page's text, in the letters that LETTERS are of."""
    return set(re.findall(f"[{LETTERS}]+", unescape(page).lower()))


def all_differ(names: list[str]) -> bool:
    """Whether names are different files, also where case and the way to write an accent do not count."""
    return len({unicodedata.normalize("NFC", name).casefold() for name in names}) == len(names)


@pytest.mark.parametrize(
    "names", [COMMON, ["a", "A", "a-1"], ["a-2", "a", "A"], ["", ".", "..", "/"], ["x", "X"] * 9]
)
def test_every_name_has_a_file_of_its_own(names):
    files = file_names(names)
    assert len(files) == len(names) and all_differ(files)
    assert all(re.fullmatch(r"[\w-][\w.-]*\.html", file) for file in files)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.full) for seed in range(1, 9))])
def test_no_sheet_has_a_name_of_another_player(tmp_path, seed):
    rng, taken = random.Random(seed), set[str]()
    words = [made_up(rng, taken) for _ in range(16)]
    names = [*rng.sample(COMMON, 2), *(made_up(rng, taken) for _ in range(4))]
    rng.shuffle(names)
    run = class_named(tmp_path, names, words)
    paths = write_sheets(run, RunGames(run))
    assert len(paths) == len(names) and all_differ([path.name for path in paths])
    own = {name: {name, *words[2 * i : 2 * i + 2]} for i, name in enumerate(names)}
    own[names[-1]] |= {words[-1], words[-2]}
    for name, path in zip([*names[1:], names[0]], paths, strict=True):
        page = path.read_text(encoding="utf-8")
        games = json.dumps(data_of(page)["listed"], ensure_ascii=False) if "data-games" in page else ""
        assert words_of(page) | words_of(games) <= own[name], name
        assert name in unescape(page).replace("<wbr>", "")
        assert (FAILED in page) == (name != names[0])


def test_failures_are_those_of_the_player_who_lost_however_another_one_is_called(tmp_path):
    run = class_named(tmp_path, ["gone", "bot 2", "bot", "b"], [f"w{n}" for n in range(10)])
    failures = run.submissions.set_index("player")["failures"]
    assert failures.dropna().to_dict() == {"bot 2": 1, "bot": 1, "b": 1} and pd.isna(failures["gone"])


def test_a_finding_is_read_back_as_it_was_stored():
    finding = Finding("warning", "has the same file as", where="anna", kind=SAME_FILE, others=("bob",))
    info = RunInfo({"anna": Entrant("hash", findings=(finding,))})
    assert RunInfo.parsed(json.loads(json.dumps(info.as_dict()))) == info


def test_older_sheets_are_removed_and_a_file_of_the_users_own_stays(tmp_path):
    run = class_named(tmp_path, ["ann", "bo", "cy", "di"], [f"word{number}" for number in range(12)])
    sheets = write_sheets(run, RunGames(run))
    own = sheets[0].with_name("mine.html")
    own.write_text("<p>What I say to the class.")
    sheets[0].rename(own.with_name("older.html"))
    assert write_sheets(run, RunGames(run)) == sheets and {*own.parent.iterdir()} == {*sheets, own}


@pytest.mark.full
def test_a_sheet_has_its_own_player_and_nothing_of_the_others(tmp_path):
    """Of a run whose submissions are a class that fails, one in a folder with a name, and an evaluation."""
    (tmp_path / "bexley").mkdir()
    (tmp_path / "anneliese_smythe.py").write_text(PLAYER.format(name="Anneli", fails=False))
    (tmp_path / "bexley" / "bot.py").write_text(PLAYER.format(name="Bexley", fails=True))
    (tmp_path / "carlotta.py").write_text(EVALUATION)
    own = {"author": "Bexley O'Dowd"}
    document = {
        "name": "homework",
        "variant": "english",
        "openings": {"random_plies": 4, "count": 3},
        "max_plies": 40,
        "failures": {"withdraw_after": 0},
        "anchor": "Anneliese Smythe",
        "players": [
            {"name": "Anneliese Smythe", "type": "anneliese_smythe.py:AnneliBot", **own},
            {"name": "bexley", "type": "bexley/bot.py:BexleyBot", **own},
            {"name": "carlotta", "type": "greedy", "evaluation": "carlotta.py:carlotta_value"},
            {"name": "random", "type": "random"},
        ],
    }
    (tmp_path / "bot.yaml").write_text(json.dumps(document), encoding="utf-8")
    folder = tmp_path / "homework"
    done = invoke("run", tmp_path / "bot.yaml", "--out", folder, "--workers", 1, "--no-report")
    assert done.exit_code == 3, done.output
    done = invoke("report", folder, "--sheets")
    assert done.exit_code == 0 and str(folder / "sheets") in done.stdout
    found = {path.name: path.read_text(encoding="utf-8").lower() for path in (folder / "sheets").iterdir()}
    secrets = {"Anneliese_Smythe.html": "anneliese", "bexley.html": "quillfield", "carlotta.html": "carlotta"}
    assert set(found) == set(secrets)
    for name, text in found.items():
        assert {other for other, word in secrets.items() if word in text} == {name}
        assert ("opponent 1" in text or "opponent 2" in text) and "random" in text


def test_a_run_without_submissions_has_no_sheets(tmp_path):
    text = "name: t\nvariant: english\nopenings: {random_plies: 4, count: 1}\nmax_plies: 4\n"
    (tmp_path / "t.yaml").write_text(f"{text}players: [random, greedy]\nreport: [sheets]\n")
    assert "no submissions" in refused("run", tmp_path / "t.yaml", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_numbers_follow_neither_the_order_of_the_file_nor_that_of_names(tmp_path):
    players = [player(f"s{number:02}", type=f"work/s{number:02}.py:Bot") for number in range(20)]
    run = run_of(tmp_path, experiment(players), *frames(players[:2], 1, plies=4))
    one, again, other = (
        opponents(changed(run, info=run.info._replace(players={"s00": Entrant(mark)}))) for mark in ("a", "a", "b")
    )
    assert one == again != other and list(one) not in (sorted(one), sorted(one, reverse=True))
    assert sorted(one.values()) == sorted(f"opponent {number}" for number in range(1, 21))
