"""The command that measures speeds, and an evaluation by a protocol: bench."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from arena.base.number import is_nan, percent
from arena.base.wording import listed
from arena.bench import heuristic
from arena.bench.heuristic import Protocol, Speed
from arena.bench.overhead import overhead
from arena.bench.rates import full_search, random_games, rules, search, tree_search
from arena.bench.timing import Row, kept_time
from arena.commands.cli import SOURCE
from arena.commands.common import VARIANT, announcing_compilation, workers_option, workers_used
from arena.commands.output import STOPPED, echo, fail, say
from arena.commands.tables import tables_made
from arena.commands.waiting import counted_up
from arena.experiment.yaml.errors import ConfigError
from arena.experiment.yaml.values import inline
from arena.ledger import manifest
from arena.play.engine import EngineError
from arena.play.executor import WorkerDied
from arena.play.suite import Suite
from arena.ratings.errors import wilson
from arena.report.tables.suites import ALL, RANDOM, shares, suite_tables
from arena.report.write import write_card
from arena.rules.endgame.tables import refusal as endgame_refusal
from arena.rules.variants import VARIANTS, Variant
from players.evaluation.build import build_evaluation
from players.loading import PlayerError, fingerprints

Benchmark = Callable[[Sequence[Variant]], Iterator[Row]]
"""From variants to rows."""

HEURISTIC = "heuristic"
"""The benchmark of an evaluation, which makes a card."""
PROTOCOL = Protocol()
"""How much a card measures."""
_ALL = list(VARIANTS.values())
"""What is measured where no variant is named; of the slower benchmarks the first alone."""


def rows(what: str, variants: Sequence[Variant] = ()) -> Iterator[Row]:
    """The rows of a benchmark of BENCHMARKS, for all variants if none is named. Raises KeyError."""
    return BENCHMARKS[what](variants)


def _rules(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from rules(variants or _ALL)


def _search(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from search(variants or _ALL)
    yield from full_search(variants or _ALL)
    yield from map(tree_search, variants or _ALL)


def _games(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from map(random_games, variants or _ALL)


def _overhead(variants: Sequence[Variant]) -> Iterator[Row]:
    for variant in variants or _ALL[:1]:
        yield from overhead(variant)


def _time(variants: Sequence[Variant]) -> Iterator[Row]:
    yield from map(kept_time, variants or _ALL[:1])


def _all(variants: Sequence[Variant]) -> Iterator[Row]:
    for benchmark in (_rules, _search, _games, _overhead):
        yield from benchmark(variants)


BENCHMARKS: dict[str, Benchmark] = {
    "all": _all,
    "rules": _rules,
    "search": _search,
    "games": _games,
    "overhead": _overhead,
    "time": _time,
}
"""All benchmarks; `all` leaves out `time`, which keeps every core busy."""


@click.command()
@click.argument("what", type=click.Choice([*BENCHMARKS, HEURISTIC]), default="all")
@click.argument("evaluation", required=False)
@click.option("--variant", "variants", type=VARIANT, multiple=True, help="Only this variant; may be given again.")
@click.option("--out", type=click.Path(path_type=Path), help="With heuristic: the folder of the card [card].")
@workers_option
def bench(
    what: str, evaluation: str | None, variants: tuple[Variant, ...], out: Path | None, workers: int | str | None
) -> None:
    """Measure this machine's rates: move generation, search, whole games, and what surrounds a search.

    Not in `all`: `time` measures how well negamax keeps to 20 ms per move while every core is busy. `heuristic`
    measures an EVALUATION, such as my_heuristic.py:racer, by a fixed protocol, some minutes on two cores: games
    against those that come along at equal depth, nodes and time, suites, errors in endings, speed. It writes a
    card that two people can compare.
    """
    if what != HEURISTIC:
        if evaluation is not None:
            fail(f"{evaluation!r} is one argument too many: only {HEURISTIC} takes an evaluation")
        show_rows(rows(what, variants))
        return
    if evaluation is None or len(variants) > 1:
        fail(f"{HEURISTIC} takes one evaluation, such as my_heuristic.py:racer, and one variant")
    variant = variants[0] if variants else _ALL[0]
    try:
        with announcing_compilation():
            described = inline(evaluation, "EVALUATION") if "{" in evaluation else evaluation
            card = _card(evaluation, described, variant, workers_used(workers), PROTOCOL)
    except (ConfigError, PlayerError) as error:
        fail(str(error))
    except (WorkerDied, EngineError) as error:
        fail(str(error))
    except KeyboardInterrupt:
        say("stopped; there is no card")
        sys.exit(STOPPED)
    echo(card["lead"])
    echo("; ".join(card["footer"]))
    for path in write_card(card, out or Path("card")):
        echo(f"wrote {path}")


def _card(name: str, evaluation: Any, variant: Variant, workers: int | str, protocol: Protocol) -> Any:
    """The card of an evaluation, a JSON document, measured here and now."""
    began = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    build_evaluation(evaluation, variant)
    digests = fingerprints(heuristic.players(evaluation, variant)[0])
    say("speed")
    speed = heuristic.speed(evaluation, variant, protocol)
    endings = _endings(evaluation, variant, workers, protocol)
    games = _scores(evaluation, variant, workers, protocol)
    suites = [
        row
        for suite in heuristic.suites_of(variant, protocol)
        for row in _solved(evaluation, variant, suite, workers, protocol)
    ]
    tree = manifest.working_tree(SOURCE / "arena" / "__init__.py")
    found = {
        "protocol": heuristic.VERSION,
        "evaluation": Path(name).name,
        "player": heuristic.MINE,
        "variant": variant.name,
        "began": began,
        "files": digests,
        "lead": _lead(games, suites, endings, speed, protocol),
        "note": f"Hash of its file: {', '.join(map(' '.join, digests.items()))}." if digests else "",
        "depth": protocol.depth,
        "games": games,
        "suites": suites,
        "endings": endings,
        "speed": dict(
            zip(("move generation (perft)", "search with simple", "search with it"), speed, strict=True)
        ),
        "machine": manifest.machine(),
        "versions": {package: version for package, version in manifest.versions().items() if version},
        "commit": None if tree is None else tree._asdict(),
    }
    return found | {"footer": _footer(found, speed)}


def _scores(evaluation: Any, variant: Variant, workers: int | str, protocol: Protocol) -> list[dict[str, Any]]:
    games: list[dict[str, Any]] = []
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        for number, terms in enumerate(protocol.terms):
            say(f"games at {terms}")
            found = heuristic.scores(evaluation, variant, terms, protocol, Path(folder, str(number)), workers)
            games += [score._asdict() | _share(score.points, score.games, score.games // 2) for score in found]
    return games


def _solved(
    evaluation: Any, variant: Variant, suite: Suite, workers: int | str, protocol: Protocol
) -> list[dict[str, Any]]:
    """The share of a suite that each player solves, and random choice; None where unknown."""
    say(f"{suite.name} at depth {protocol.depth}")
    asked = list(counted_up(*heuristic.solving(evaluation, variant, suite, protocol, workers), "answers"))
    table = shares(suite_tables(heuristic.ordered(asked, evaluation, variant)).answers)
    rows = table[table["stratum"] == ALL].drop(columns=["at", "limit", "stratum"]).to_dict("records")
    return [{str(key): None if is_nan(value) else value for key, value in row.items()} for row in rows]


def _endings(evaluation: Any, variant: Variant, workers: int | str, protocol: Protocol) -> dict[str, Any]:
    """The errors of each player and of random choice in endings, or why there are none."""
    found: dict[str, Any] = {"pieces": protocol.pieces, "players": []}
    if line := endgame_refusal(variant):
        return found | {"refusal": line.partition(" has ")[2]}
    suite = heuristic.endings(variant, tables_made(variant, protocol.pieces), protocol)
    for row in _solved(evaluation, variant, suite, workers, protocol):
        errors = {
            "player": row["player"],
            "decisions": row["positions"],
            "errors": row["positions"] - row["solved"],
            "rate": (row["positions"] - row["solved"]) / row["positions"],
            "rate_low": None if row["share_high"] is None else 1 - row["share_high"],
            "rate_high": None if row["share_low"] is None else 1 - row["share_low"],
        }
        found["players"].append(errors)
    return found


def _footer(card: dict[str, Any], speed: Speed) -> list[str]:
    """Lines of small print: speed, machine, versions."""
    machine, versions, tree = card["machine"], card["versions"], card["commit"]
    commit = f" at commit {tree['commit'][:10]}{'+' * tree['dirty']}" if tree else ""
    return [
        f"million nodes/s: {speed.mine / 1e6:.2f}; simple {speed.simple / 1e6:.2f}; perft {speed.perft / 1e6:.1f}",
        f"machine: {machine['processor']}, {machine['cores']} cores, {machine['platform']}",
        f"arena {versions.get('draughts-arena', '')}{commit}; Python {versions['python']}; "
        f"numba {versions.get('numba', '')}; protocol {card['protocol']}, {card['began']}",
    ]


def _lead(
    games: Sequence[dict[str, Any]],
    suites: Sequence[dict[str, Any]],
    endings: dict[str, Any],
    speed: Speed,
    protocol: Protocol,
) -> str:
    """The result in a few sentences."""
    totals: dict[str, list[float]] = {}
    for row in games:
        points, played = totals.setdefault(row["terms"], [0, 0])
        totals[row["terms"]] = [points + row["points"], played + row["games"]]
    parts = [f"{100 * points / played:.0f} % at {terms}" for terms, (points, played) in totals.items()]
    rivals = len({row["rival"] for row in games})
    text = (
        f"It scores {listed(parts)} against {rivals} evaluations, and searches at {speed.mine / speed.simple:.2f} "
    )
    text += "of the speed of simple."
    done = []
    if mine := [row for row in suites if row["player"] == heuristic.MINE]:
        done.append("solves " + listed([f"{percent(row['share'])} of {row['suite']}" for row in mine]))
    if rates := {row["player"]: percent(row["rate"]) for row in endings["players"]}:
        where = f"errs in {rates[heuristic.MINE]} of decisions in endings of up to {endings['pieces']} pieces"
        done.append(f"{where}, random choice in {rates[RANDOM]}")
    if done:
        text += f" At depth {protocol.depth} it {' and '.join(done)}."
    return text


def _share(points: float, games: int, trials: int) -> dict[str, float]:
    low, high = wilson(points / games, trials)
    return {"share": points / games, "share_low": float(low), "share_high": float(high)}


def show_rows(measured: Iterable[Row]) -> None:
    """Print rows as they are measured, under their headings."""
    click.echo(f"{'what':24} {'variant':14} {'depth':>5} {'nodes':>14} {'seconds':>8} {'rate':>16}  note")
    for row in measured:
        depth = "" if row.depth is None else row.depth
        figures = f"{depth:>5} {row.nodes:>14,} {row.seconds:8.3f} {row.rate:>16}"
        click.echo(f"{row.what:24} {row.variant:14} {figures}  {row.note}")
