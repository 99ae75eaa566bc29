"""What is told of a tuning: lines while it goes on, then weights, their path, its chart and a summary as files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from arena.ratings.match import Summary
from arena.tuning.config import Patterns, Texel
from arena.tuning.run import AGAINST, START, Fitting, Plan, Result, Step, tables_file

if TYPE_CHECKING:
    import pandas as pd


def write(plan: Plan, found: Result, folder: Path) -> list[Path]:
    """Write weights.yaml or, of tables, weights.npz, then path.csv, path.png, path.svg and summary.md.

    Each is replaced whole. Returns the files written, weights first. Raises OSError.
    """
    from arena.report.charts.picture import save_png, svg
    from arena.report.charts.tuning import plot_path

    path = path_table(plan, found)
    axes = plot_path(path, step=_noun(plan))
    if isinstance(plan.config.tuning, Patterns):
        contents = {"weights.npz": tables_file(folder, len(found.steps)).read_bytes()}
    else:
        contents = {"weights.yaml": weights_yaml(plan, found).encode()}
    contents |= {
        "path.csv": path.to_csv(index=False, lineterminator="\n").encode(),
        "path.svg": svg(axes).encode(),
        "summary.md": summary_md(plan, found, folder).encode(),
    }
    for name in (*contents, "path.png"):
        temporary = folder / f".{name}.tmp"
        if name in contents:
            temporary.write_bytes(contents[name])
        else:
            save_png(axes, temporary)
        temporary.replace(folder / name)
    return [folder / name for name in (*contents, "path.png")]


def stage_text(plan: Plan, stage: str) -> str:
    """A stage in words: `round 1/3`, `tuned against simple`."""
    against = {START: "the start", AGAINST: _opponent(plan)}
    return f"tuned against {against[stage]}" if stage in against else f"{stage}/{plan.steps}"


def step_text(plan: Plan, step: Step) -> str:
    """What a step found, in one line; weights in hundredths of a man, `king 150/120` for opening/ending."""
    if isinstance(plan.config.tuning, Patterns):
        return f"round {step.number}/{plan.steps}: loss held out {_path(step)}"
    learned = f" from {step.positions} positions, loss {step.loss:.4f}" if step.loss is not None else ""
    weights = plan.columns.weights(plan.columns.scaled(np.array(step.theta)))
    texts = (f"{name} {'/'.join(map(_whole, np.ravel(weight)))}" for name, weight in weights.items())
    return f"{_noun(plan)} {step.number}/{plan.steps}{learned}: {', '.join(texts)}"


def fitting_text(plan: Plan, fitting: Fitting) -> str:
    """That a fit begins, in one line."""
    return f"round {fitting.number}/{plan.steps}: fitting tables to {fitting.positions} positions"


def answer(plan: Plan, found: Result) -> str:
    """The tuning's outcome in words, one line."""
    start = _verdict(found.against_start)
    against = _verdict(found.against)
    ours, theirs = "The tuned weights", "the weights of the start"
    if isinstance(plan.config.tuning, Patterns):
        ours, theirs = "The learned tables", f"the start, {_evaluation(plan.config.tuning.start)}"
    return f"{ours} {against[0]} {_opponent(plan)} ({against[1]}) and {start[0]} {theirs} ({start[1]})."


def path_table(plan: Plan, found: Result) -> pd.DataFrame:
    """The weights in hundredths of a man at the start (step 0) and after each step, a row for each.

    Columns `step`, `games` (in all, so far), `loss` (missing for the start and SPSA), and the weights: a feature's
    name, with phases `<name> opening` and `<name> ending`. Tables have no columns of weights, and every loss is
    that of the positions held out from all rounds.
    """
    import pandas as pd

    columns = plan.columns
    names = list(columns.features)
    if columns.phases:
        names = [f"{name} {phase}" for phase in ("opening", "ending") for name in names]
    own: list[float | None] = [None, *(step.loss for step in found.steps)]
    losses = found.steps[-1].losses or own
    rows = [(0, 0, losses[0], *columns.scaled(plan.start).tolist())]
    games = 0
    for step in found.steps:
        games += step.games
        rows.append((step.number, games, losses[step.number], *columns.scaled(np.array(step.theta)).tolist()))
    return pd.DataFrame(rows, columns=["step", "games", "loss", *names]).astype({"loss": "Float64"})


def weights_yaml(plan: Plan, found: Result) -> str:
    """The tuned player as an entry of `players:` in a configuration of `arena run`."""
    search = plan.config.player
    limits = {name: value for name, value in (("depth", search.depth), ("nodes", search.nodes)) if value}
    lines = [f"# An entry for `players:`, tuned by {plan.config.name}; weights in hundredths of a man."]
    lines += ["- name: tuned", "  type: negamax"]
    lines += [f"  {name}: {json.dumps(value)}" for name, value in {**limits, **search.options}.items()]
    lines += ["  evaluation:", "    linear:"]
    lines += [f"      {name}: {_number(weight)}" for name, weight in plan.columns.weights(found.theta).items()]
    return "\n".join(lines) + "\n"


def summary_md(plan: Plan, found: Result, folder: Path) -> str:
    """The answer in the first line, then the matches, the weights and how they were found.

    `folder` is where the files are written.
    """
    config, settings = plan.config, plan.config.tuning
    limit = " and ".join(
        f"{value} {unit}"
        for value, unit in ((config.player.nodes, "nodes"), (config.player.depth, "plies"))
        if value
    )
    pairs = f"{settings.check} pairs of games each, colours swapped, from openings that tuning did not use"
    lines = [
        answer(plan, found),
        "",
        f"{plan.variant.name}, {limit} a move; {pairs}. Elo with 95 % intervals.",
        "",
    ]
    lines += ["| tuned against | games | score | Elo | likelihood of being stronger |", "|---|---|---|---|---|"]
    for name, match in ((_opponent(plan), found.against), ("the start", found.against_start)):
        elo = f"{match.elo:+.0f} ± {match.elo_error:.0f}"
        lines.append(f"| {name} | {match.games} | {100 * match.score:.1f} % | {elo} | {_probability(match.los)} |")
    if isinstance(settings, Patterns):
        return "\n".join([*lines, *_tables_lines(plan, found, folder / "weights.npz")])
    lines += [
        "",
        "## Weights",
        "",
        "In hundredths of a man" + _errors_note(found) + ".",
        "",
        *_weight_rows(plan, found),
    ]
    games = sum(step.games for step in found.steps)
    if isinstance(settings, Texel):
        how = (
            f"Logistic regression of results (Texel): {settings.rounds} rounds of {settings.games} games, each "
            f"played with the weights so far; the last fit has {found.steps[-1].positions:,} quiet positions, "
            f"{'of all rounds but the first' if settings.rounds > 1 else 'of that round'}."
        )
    else:
        how = (
            f"SPSA: {settings.steps} steps of {settings.pairs} pairs of games, {games:,} games in all, "
            f"a = {settings.a:g}, c = {settings.c:g}, alpha = {settings.alpha:g}, gamma = {settings.gamma:g}."
        )
    lines += ["", "## Method", "", how, "", "![Weights along the path](path.png)", ""]
    return "\n".join(lines)


def _tables_lines(plan: Plan, found: Result, file: Path) -> list[str]:
    """The rest of the summary if tables were learned."""
    settings = plan.config.tuning
    assert isinstance(settings, Patterns)
    positions = sum(step.positions for step in found.steps)
    plural = "s" if settings.rounds > 1 else ""
    rows = [
        f"| {name} | {loss:.4f} |"
        for name, loss in zip(
            (_evaluation(settings.start), *(f"round {step.number}" for step in found.steps)),
            found.steps[-1].losses,
            strict=True,
        )
    ]
    how = (
        f"Logistic regression: {settings.rounds} round{plural} of {settings.games} games, each played with the "
        f"tables so far and fitted with all before it; {positions:,} quiet positions in all. Their targets are "
        f"{100 * settings.results:g} % result and the rest the search's score; {settings.epochs} epochs, penalty "
        f"{settings.penalty:g}. Every 20th game was held out: the loss is the cross-entropy of its targets, each "
        "evaluation in the unit that suits it best. A constant 1/2 has 0.6931."
    )
    return [
        "",
        "## Tables",
        "",
        f"The tables are in `{file}`, for any player of {plan.variant.name}'s rules:",
        "",
        "```yaml",
        "players:",
        f"  - {{name: tuned, type: negamax, preset: full, evaluation: {file}, nodes: 1000}}",
        "```",
        "",
        "## Method",
        "",
        how,
        "",
        "| evaluation | loss held out, nats |",
        "|---|---|",
        *rows,
        "",
        "![Loss along the path](path.png)",
        "",
    ]


def _weight_rows(plan: Plan, found: Result) -> list[str]:
    errors = np.array(found.steps[-1].errors or np.zeros(len(found.theta)))
    phases = ("opening", "ending") if plan.columns.phases else ("weight",)
    start = plan.columns.scaled(plan.start).reshape(len(phases), -1)
    tuned, errors = found.theta.reshape(len(phases), -1), errors.reshape(len(phases), -1)
    header = ["feature", *(f"{phase}{mark}" for phase in phases for mark in (", start", ""))]
    rows = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    for i, name in enumerate(plan.columns.features):
        cells = [name]
        for phase in range(len(phases)):
            error = f" ± {1.96 * errors[phase, i]:.1f}" if found.steps[-1].errors else ""
            cells += [f"{start[phase, i]:.4g}", f"{tuned[phase, i]:.1f}{error}"]
        rows.append("| " + " | ".join(cells) + " |")
    return rows


def _errors_note(found: Result) -> str:
    if not found.steps[-1].errors:
        return ""
    return ", with the 95 % intervals of the last fit (games independent, the unit taken as exact)"


def _verdict(match: Summary) -> tuple[str, str]:
    low, high = match.elo - match.elo_error, match.elo + match.elo_error
    verb = "beat" if low > 0 else "lose to" if high < 0 else "cannot be told from"
    return verb, f"{match.elo:+.0f} ± {match.elo_error:.0f} Elo in {match.games} games"


def _opponent(plan: Plan) -> str:
    return _evaluation(plan.config.tuning.against)


def _evaluation(name: Any) -> str:
    return {"simple": "+7/+5/+3"}.get(name, name) if isinstance(name, str) else "the given weights"


def _path(step: Step) -> str:
    return " -> ".join(f"{loss:.4f}" for loss in step.losses)


def _probability(share: float) -> str:
    return "> 99.9 %" if share > 0.9995 else "< 0.1 %" if share < 0.0005 else f"{100 * share:.1f} %"


def _noun(plan: Plan) -> str:
    return "round" if isinstance(plan.config.tuning, Texel | Patterns) else "step"


def _whole(weight: float) -> str:
    return str(round(weight))


def _number(weight: float | list[float]) -> str:
    if isinstance(weight, list):
        return f"[{', '.join(map(_number, weight))}]"
    return f"{weight:.2f}".rstrip("0").rstrip(".")
