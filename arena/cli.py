"""The `arena` command: parse, wire, print. Heavy modules are imported by the commands that need them."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

if TYPE_CHECKING:
    from arena.bench import Row
    from arena.clusters import Colour
    from arena.davidson import RatingModel
    from arena.ledger import Ledger
    from arena.pilot import Expectation
    from arena.ratings import Ratings
    from arena.report import Run
    from arena.rules.variants import Variant
    from arena.tournament import Plan
    from arena.tuning import Plan as TuningPlan


BENCHES = ("all", "rules", "search", "games", "rivals", "time", "engines")


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="draughts-arena")
def main() -> None:
    """Tournaments, benchmarks and Elo ratings for checkers and draughts programs."""


@main.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the run [reports/<name>].")
@click.option("--workers", type=click.IntRange(1), help="Processes that play games [one a core].")
def run(config: Path, out: Path | None, workers: int | None) -> None:
    """Play the tournament that CONFIG describes and write its report.

    A run that was stopped goes on where it stopped when the same command is given again.
    """
    prepared = _prepared(config)
    folder = out or Path("reports") / prepared.experiment.name
    complete = _play(prepared, folder, workers or os.cpu_count() or 1)
    from arena import report as reports

    finished = reports.load(folder)
    _write(finished, folder)
    _print_standings(finished)
    click.echo(f"report: {folder / 'report.html'}")
    if not complete:
        click.echo("stopped; the same command goes on from here")
        sys.exit(130)


@main.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--pilot", "games", type=click.IntRange(1), help="Games to play [some seconds of them].")
@click.option("--workers", type=click.IntRange(1), help="Processes that will play games [one a core].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def plan(config: Path, games: int | None, workers: int | None, as_json: bool) -> None:
    """Say how long the tournament of CONFIG will take and what differences in Elo it can resolve.

    A short pilot measures time and draws; its games are not kept.
    """
    from arena.pilot import expectation, pilot

    prepared, processes = _prepared(config), workers or os.cpu_count() or 1
    if prepared.games == 0:
        fail(f"{config}: one player alone has no games to plan")
    expected = expectation(prepared, pilot(prepared, games), processes)
    if as_json:
        document = {"name": prepared.experiment.name, "format": prepared.experiment.format.type}
        click.echo(json.dumps(document | {"workers": processes} | expected._asdict()))
        return
    _print_plan(prepared, expected, processes)


def _prepared(config: Path) -> Plan:
    """The tournament that a file describes, ready to play; exits with what is wrong."""
    from arena.config import ConfigError, load

    try:
        experiment = load(config)
        from arena.tournament import prepare

        return prepare(experiment)
    except ConfigError as error:
        fail(str(error))


def _play(plan: Plan, folder: Path, workers: int) -> bool:
    """Play what is missing, with progress shown; whether the tournament is complete."""
    from arena.executor import WorkerDied
    from arena.ledger import LedgerError, open_ledger
    from arena.progress import Progress
    from arena.tournament import play

    names = [spec.name for spec in plan.players]
    try:
        with open_ledger(folder, plan.description()) as ledger:
            if not _measure(plan, ledger, workers):
                return False
            with Progress(plan.games, exact=plan.exact) as progress:
                progress.resume(ledger.scores())
                faults: dict[str, int] = {}
                with _interruptible(progress.say) as interrupts:
                    for record in play(plan, ledger, workers, lambda: bool(interrupts)):
                        progress.add(names[record.pairing.white], names[record.pairing.black], record.result)
                        if record.error:
                            _report_fault(record.error, record.pairing.game, faults, progress.say)
                progress.end(ledger.scores(), ledger.complete)
            return ledger.complete
    except LedgerError as error:
        fail(str(error))
    except WorkerDied as error:
        fail(f"{error} ends the process that plays it; all that is finished is kept in {folder}")


def _measure(plan: Plan, ledger: Ledger, workers: int) -> bool:
    """Make the searches of the probe that are missing; whether none is missing any more."""
    from arena.progress import PLAIN_SECONDS
    from arena.tournament import measure

    def say(text: str) -> None:
        click.echo(text, err=True)

    done = len(ledger.probed())
    if done == plan.searches:
        return True
    faults: dict[str, str] = {}
    spoke = time.monotonic()
    with _interruptible(say) as interrupts:
        for record in measure(plan, ledger, workers, lambda: bool(interrupts)):
            done += 1
            if record.error and faults.setdefault(record.player, record.error) is record.error:
                say(f"{record.player} cannot be measured at position {record.position}: {record.error}")
            if done == plan.searches or time.monotonic() - spoke >= PLAIN_SECONDS:
                spoke = time.monotonic()
                say(f"{done}/{plan.searches} searches to a fixed depth")
    return done == plan.searches


def _report_fault(error: str, game: int, faults: dict[str, int], say: Any) -> None:
    """Say once per player that games are lost by its fault."""
    player = error.split(" r")[0]
    faults[player] = faults.get(player, 0) + 1
    if faults[player] == 1:
        say(f"game {game}: {error} (it loses; later faults of it are in games.csv)")


@contextmanager
def _interruptible(say: Any) -> Iterator[list[int]]:
    """Collect Ctrl-C and SIGTERM: the first lets what is under way finish, the second stops at once."""
    received: list[int] = []

    def handle(number: int, _frame: Any) -> None:
        received.append(number)
        if len(received) > 1:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            os.kill(os.getpid(), signal.SIGTERM)
        say("finishing what is under way; once more to stop now")

    before = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@main.command()
@click.argument("config", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="Folder of the tuning [reports/<name>].")
@click.option("--workers", type=click.IntRange(1), help="Processes that play games [one a core].")
def tune(config: Path, out: Path | None, workers: int | None) -> None:
    """Find weights of an evaluation as CONFIG describes, and check them in a match.

    A tuning that was stopped goes on where it stopped when the same command is given again.
    """
    from arena.config import ConfigError
    from arena.executor import WorkerDied
    from arena.tuning_config import load_tuning
    from arena.tuning_store import StoreError, open_store

    try:
        settings = load_tuning(config)
        from arena import tuning, tuning_report

        plan = tuning.prepare(settings)
    except ConfigError as error:
        fail(str(error))
    folder = out or Path("reports") / settings.name
    try:
        with open_store(folder, plan.description()) as store:
            with _interruptible(_say) as interrupts:
                _follow(plan, tuning.tune(plan, store, workers or os.cpu_count() or 1, lambda: bool(interrupts)))
            found = tuning.result(plan, store)
        if found is None:
            _say("stopped; the same command goes on from here")
            sys.exit(130)
        weights = tuning_report.write(plan, found, folder)[0]
    except (StoreError, tuning.TuningError) as error:
        fail(str(error))
    except WorkerDied as error:
        fail(f"{error} ends the process that plays it; all that is finished is kept in {folder}")
    except OSError as error:
        fail(f"the report cannot be written to {folder}: {error.strerror}")
    click.echo(tuning_report.answer(plan, found))
    click.echo(f"weights: {weights}, report: {folder / 'summary.md'}")


def _follow(plan: TuningPlan, events: Iterable[Any]) -> None:
    """Say how far a tuning is every few seconds, at the end of each stage of games and after each step."""
    from arena.progress import PLAIN_SECONDS
    from arena.tuning import Fitting, Step
    from arena.tuning_report import fitting_text, stage_text, step_text

    began = spoke = time.monotonic()
    stage, before = "", 0
    for event in events:
        now = time.monotonic()
        if isinstance(event, Step):
            _say(step_text(plan, event))
            continue
        if isinstance(event, Fitting):
            _say(fitting_text(plan, event))
            continue
        if event.stage != stage:
            stage, before, began = event.stage, event.games - 1, now
        if event.games == event.planned or now - spoke >= PLAIN_SECONDS:
            spoke = now
            rate = (event.games - before) / max(now - began, 1e-9)
            rated = f", {rate:.3g} games/s" if now - began > 1 else ""
            _say(f"{stage_text(plan, stage)}: {event.games}/{event.planned} games{rated}")


def _say(text: str) -> None:
    click.echo(text, err=True)


@main.command()
@click.argument("folder", type=click.Path(path_type=Path))
def report(folder: Path) -> None:
    """Write the tables, charts and the page of the run in FOLDER again."""
    from arena import report as reports
    from arena.ledger import LedgerError

    try:
        finished = reports.load(folder)
    except LedgerError as error:
        fail(str(error))
    _write(finished, folder)
    _print_standings(finished)
    click.echo(f"report: {folder / 'report.html'}")


@main.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--model", type=click.Choice(["davidson", "bradley-terry"]), default="davidson", show_default=True)
@click.option("--advantage/--no-advantage", default=True, help="Fit the advantage of moving first, or take none.")
@click.option("--prior", type=click.FloatRange(0), default=0.5, show_default=True, help="Virtual draws a player.")
@click.option("--anchor", help="The player whose Elo is 0 [the mean is].")
@click.option(
    "--first", type=click.Choice(["white", "black"]), help="Who moves first [as the run says, else white]."
)
@click.option("--bootstrap", type=click.IntRange(100), help="Intervals from so many resamples of the pairs.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def rate(
    files: tuple[Path, ...],
    model: RatingModel,
    advantage: bool,
    prior: float,
    anchor: str | None,
    first: Colour | None,
    bootstrap: int | None,
    as_json: bool,
) -> None:
    """Rate the players of all FILES together: PDN of any program, CSV, or folders of runs.

    A CSV has the columns white, black, result, or white, black, wins, draws, losses from White's side, and
    may have pair, the same for games that belong together.
    """
    from arena.ratings import rate as rate_games
    from arena.results import ResultsError, read_results

    try:
        found = read_results(files, first)
        ratings = rate_games(
            found.games,
            first=found.first,
            anchor=anchor,
            model=model,
            advantage=advantage,
            prior=prior,
            intervals="bootstrap" if bootstrap else "sandwich",
            resamples=bootstrap or 1000,
        )
    except (ResultsError, ValueError) as error:
        fail(str(error))
    notes = list(ratings.notes)
    if found.skipped:
        notes.append(_passed_over(found.skipped))
    if as_json:
        click.echo(json.dumps(_ratings_document(ratings, notes), ensure_ascii=False))
        return
    _print_ratings(ratings)
    if advantage:
        worth = f"{ratings.advantage:+.0f} ± {ratings.advantage_error:.0f} Elo"
        click.echo(f"Moving first ({found.first.capitalize()}) was worth {worth}.")
    if model == "davidson":
        click.echo(f"Equal players draw {ratings.draw_rate:.0%} of their games.")
    for note in notes:
        click.echo(note)


@main.command()
@click.argument("a", type=click.Path(path_type=Path))
@click.argument("b", type=click.Path(path_type=Path))
@click.option("--first", type=click.Choice(["white", "black"]), help="Who moves first in files [white].")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def compare(a: Path, b: Path, first: Colour | None, as_json: bool) -> None:
    """Set two runs, folders or files as `arena rate` reads, side by side, and say what changed from A to B.

    Elo is relative to the mean of the players of both.
    """
    from arena.compare import compare as compare_sources
    from arena.compare import comparison_text, read_source
    from arena.results import ResultsError

    try:
        sources = [read_source(path, first) for path in (a, b)]
    except ResultsError as error:
        fail(str(error))
    found = compare_sources(*sources)
    if as_json:
        players = [
            {key: None if value != value else value for key, value in row.items()}
            for row in found.table.astype(object).where(found.table.notna(), None).to_dict("records")
        ]
        document = {"a": str(a), "b": str(b), "players": players, "changes": found.changes, "notes": found.notes}
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    click.echo(f"a: {a}\nb: {b}\n")
    click.echo(comparison_text(found.table).to_string(index=False))
    for sentence in (*found.changes, *found.notes):
        click.echo(sentence)


@main.command()
@click.argument("variant")
@click.option("--depth", type=click.IntRange(1, 30), default=6, show_default=True, help="Plies.")
@click.option("--fen", help="Position to count from [the start position].")
@click.option("--divide", is_flag=True, help="Count each move of the position by itself.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def perft(variant: str, depth: int, fen: str | None, divide: bool, as_json: bool) -> None:
    """Count the move tree of VARIANT, the test of a move generator."""
    chosen = _variant(variant)
    from arena.rules.movegen import legal_moves
    from arena.rules.notation import NotationError, move_text, parse_fen
    from arena.rules.notation import fen as fen_of
    from arena.rules.perft import divide as divide_perft
    from arena.rules.perft import perft as count_perft

    try:
        position = parse_fen(chosen, fen) if fen else chosen.start
    except NotationError as error:
        fail(str(error))
    if divide:
        legal = legal_moves(chosen.constants, position)
        counts = {
            move_text(chosen, position, move, legal): nodes
            for move, nodes in divide_perft(chosen, position, depth).items()
        }
        if as_json:
            click.echo(json.dumps({"variant": variant, "fen": fen_of(chosen, position), "divide": counts}))
        else:
            for text, nodes in counts.items():
                click.echo(f"{text:>12}  {nodes:>14,}")
            click.echo(f"{'total':>12}  {sum(counts.values()):>14,}")
        return
    count_perft(chosen, position, 2)
    began = time.perf_counter()
    totals: list[int] = []
    for plies in range(1, depth + 1):
        before = time.perf_counter()
        totals.append(count_perft(chosen, position, plies))
        seconds = time.perf_counter() - before
        if not as_json:
            rate = totals[-1] / seconds / 1e6 if seconds > 1e-3 else 0
            speed = f"{rate:8.1f} million/s" if rate else ""
            click.echo(f"{plies:>3}  {totals[-1]:>16,}  {seconds:9.3f} s {speed}")
    if as_json:
        seconds = time.perf_counter() - began
        document = {"variant": variant, "fen": fen_of(chosen, position), "nodes": totals, "seconds": seconds}
        click.echo(json.dumps(document))


@main.command()
@click.argument("variant")
@click.option("--fen", help="Position to evaluate [the start position].")
@click.option("--evaluation", help="Only this: a name, file.py:function, or YAML, as '{linear: {man: 100}}'.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def evaluate(variant: str, fen: str | None, evaluation: str | None, as_json: bool) -> None:
    """Print what a position of VARIANT is worth to the side to move under every evaluation.

    Of `linear` each feature's counts and share are shown, with the weights of `strong` if none are given.
    """
    chosen = _variant(variant)
    from arena.config import ConfigError, inline
    from arena.rules.notation import NotationError, parse_fen
    from arena.rules.notation import fen as fen_of
    from players import PlayerError
    from players.evaluators import appraise

    try:
        position = parse_fen(chosen, fen) if fen else chosen.start
        described = inline(evaluation, "--evaluation") if evaluation and "{" in evaluation else evaluation
        values, features = appraise(chosen, position, described)
    except (NotationError, ConfigError, PlayerError) as error:
        fail(str(error))
    if as_json:
        document = {
            "fen": fen_of(chosen, position),
            "values": {name: _whole(value) for name, value in values.items()},
            "features": {
                name: {key: _whole(number) for key, number in share._asdict().items()}
                for name, share in features.items()
            },
        }
        click.echo(json.dumps(document))
        return
    click.echo(f"{fen_of(chosen, position)}  (values for the side to move)")
    for name, value in values.items():
        click.echo(f"{name:14} {value:>10.6g}")
    if features:
        click.echo(f"\n{'linear':14} {'own':>6} {'other':>6} {'weight':>8} {'share':>8}")
    for name, share in features.items():
        click.echo(f"{name:14} {share.own:>6} {share.other:>6} {share.weight:>8.4g} {share.value:>8.4g}")


def _whole(number: float) -> float | int:
    """A number for JSON: an integer if it is whole."""
    return int(number) if number == int(number) else number


@main.command()
def players() -> None:
    """List the players, their options, the evaluations and the features of `linear`."""
    import inspect

    from players import EVALUATORS, PLAYERS
    from players.linear import VOCABULARY

    for name, maker in PLAYERS.items():
        parameters = list(inspect.signature(maker).parameters.values())[1:]
        options = ", ".join(p.name if p.default is None else f"{p.name} [{p.default}]" for p in parameters)
        click.echo(f"{name:12} {_first_line(maker.__doc__)}")
        click.echo(f"{'':12} options: {options or 'none'}")
    click.echo("\nevaluations (from the side to move's view):")
    for name, evaluation in EVALUATORS.items():
        click.echo(f"{name:14} {_first_line(evaluation.__doc__)}")
    click.echo("\nfeatures of linear, own minus other; a weight is a number or a pair [opening, ending]:")
    for name, feature in VOCABULARY.items():
        click.echo(f"{name:14} {_first_line(feature.__doc__)}")
    click.echo("\nyour own: type: path/to/file.py:Class, evaluation: path/to/file.py:function")


@main.command()
def variants() -> None:
    """List the variants and their rules."""
    from arena.rules.table import HEADER, variant_rows

    rows = [HEADER, *variant_rows()]
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADER))]
    for row in rows:
        click.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


@main.command()
@click.argument("variant")
@click.option("--ballots", type=click.Choice(["2", "3"]), help="The 2-move or 3-move ballots (English).")
@click.option("--file", type=click.Path(path_type=Path), help="Those in a file of FENs or a PDN.")
@click.option("--random-plies", type=click.IntRange(0), default=4, show_default=True, help="Plies.")
@click.option("--count", type=click.IntRange(1), help="How many [20 random ones, else all].")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--unbalanced", is_flag=True, help="Keep random openings in which material is won.")
def openings(
    variant: str,
    ballots: str | None,
    file: Path | None,
    random_plies: int,
    count: int | None,
    seed: int,
    unbalanced: bool,
) -> None:
    """List or draw openings of VARIANT: a FEN, then its moves and mark where they are known."""
    from arena import openings as sources
    from arena.rules.notation import fen

    chosen = _variant(variant)
    try:
        if file is not None:
            found = sources.drawn(sources.file_openings(chosen, file), count, seed)
        elif ballots is not None:
            found = sources.drawn(sources.ballot_openings(chosen, int(ballots), barred=True), count, seed)
        else:
            found = sources.random_openings(chosen, random_plies, count or 20, seed, not unbalanced)
    except sources.OpeningsError as error:
        fail(str(error))
    for opening in found:
        notes = "; ".join(filter(None, (opening.name, opening.mark)))
        click.echo(fen(chosen, opening.position) + (f"  {{{notes}}}" if notes else ""))


@main.command()
def schema() -> None:
    """Print the JSON schema of configuration files, for editors."""
    from arena.config import schema as config_schema

    click.echo(json.dumps(config_schema(), indent=2))


@main.command()
@click.argument("what", type=click.Choice(BENCHES), default="all")
@click.option("--variant", "names", multiple=True, help="Only this variant; may be given again.")
def bench(what: str, names: tuple[str, ...]) -> None:
    """Measure node rates: move generation, search, whole games, and other programs that are installed.

    Not in `all`: `time` measures how well negamax keeps to 20 ms a move while every core is busy, and `engines`
    plays a match against dame-rs on the international board, where that is installed.
    """
    from arena import bench as benches
    from arena.bench_engines import against_dame_rs
    from arena.bench_time import kept_time
    from arena.rules.variants import VARIANTS

    chosen = [_variant(name).name for name in names]
    measured: Iterable[Row]
    if what == "time":
        measured = map(kept_time, chosen or ["english"])
    elif what == "engines":
        measured = [against_dame_rs()]
    else:
        measured = benches.rows(what, chosen or list(VARIANTS))
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")


def fail(message: str) -> NoReturn:
    """Print what is wrong and exit with code 2."""
    click.echo(message, err=True)
    sys.exit(2)


def _variant(name: str) -> Variant:
    import difflib

    from arena.rules.variants import VARIANTS

    if name not in VARIANTS:
        near = difflib.get_close_matches(name, VARIANTS, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        fail(f"unknown variant {name!r}{hint} (choices: {', '.join(VARIANTS)})")
    return VARIANTS[name]


def _write(finished: Run, folder: Path) -> None:
    from arena import report as reports

    try:
        reports.write(finished)
    except OSError as error:
        fail(f"the report cannot be written to {folder}: {error.strerror}")


def _print_plan(plan: Plan, expected: Expectation, workers: int) -> None:
    from arena.progress import duration

    experiment, most = plan.experiment, "" if plan.exact else "at most "
    click.echo(f"{experiment.name}: {experiment.format.type}, {plan.variant.name}, {len(plan.players)} players")
    click.echo(f"  {most}{plan.games} games, {most}{expected.games_per_pairing} of any two players")
    error = 1.96 * expected.seconds_per_game_error / expected.seconds_per_game * expected.seconds
    pilot = f"{expected.pilot_games} games, {100 * expected.draw_rate:.0f} % draws"
    click.echo(f"  {most}{duration(expected.seconds)} ± {duration(error)} on {workers} processes (pilot: {pilot})")
    if experiment.probe is not None:
        depth = experiment.probe.depth
        click.echo(f"  before them, every player searches {len(plan.probes)} positions to depth {depth}")
    click.echo(f"  the games of one pairing resolve {expected.pairing_elo:.0f} Elo between equal players (95 %)")
    if expected.joint_elo is not None:
        click.echo(f"  the joint rating resolves {expected.joint_elo:.0f} Elo between any two players")
    needed = ", ".join(f"{count} for ±{elo} Elo" for elo, count in expected.games_needed.items())
    click.echo(f"  games that one pairing needs: {needed}")


def _print_standings(finished: Run) -> None:
    from arena.report.page import decisions, standings_text

    for sentence in decisions(finished):
        click.echo(sentence)
    click.echo(standings_text(finished.standings).to_string(index=False))


def _print_ratings(ratings: Ratings) -> None:
    from arena.report.page import standings_text
    from arena.report.tables import rated

    click.echo(standings_text(rated(ratings.table, ratings.groups)).to_string(index=False))


def _ratings_document(ratings: Ratings, notes: list[str]) -> dict[str, Any]:
    """A joint rating for JSON; `error`: half width of the 95 % interval; `los`: null for the last of a group."""
    last = {group[-1] for group in ratings.groups}
    players = []
    for row in ratings.table.to_dict("records"):
        los = None if row["player"] in last else row["los"]
        error = (row["elo_high"] - row["elo_low"]) / 2
        players.append({"player": row["player"], "elo": row["elo"], "error": error, **row, "los": los})
    return {
        "players": players,
        "advantage": ratings.advantage,
        "advantage_error": ratings.advantage_error,
        "draw_rate": ratings.draw_rate,
        "notes": notes,
    }


def _passed_over(games: int) -> str:
    return f"{games} game{'s' * (games > 1)} without a result {'were' if games > 1 else 'was'} passed over."


def _first_line(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())
