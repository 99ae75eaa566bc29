"""The report of a run for people: report.html and summary.md, from the same sentences and tables."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from arena.report import plots, sprt
from arena.report.ablation import findings, reference_of, times
from arena.report.answers import answers, lead, probability
from arena.report.tables import quantity, signed
from arena.report.transitivity import sentences

if TYPE_CHECKING:
    from arena.report.run import Run

CAPTIONS = {
    "sprt": "Log-likelihood ratio of H1 to H0 after each pair of the schedule, with the bounds at which it ends.",
    "ablation": "Nodes and time to one depth, and Elo in the games, against the reference, with 95 % intervals.",
    "elo": "Joint rating of all players with 95 % intervals.",
    "elo_by_depth": "What a deeper search is worth: players that differ in depth only, with 95 % intervals, and "
    "the line Elo = a + b log2(depth) fitted with the covariance of the ratings; b is the worth of a doubling.",
    "elo_by_nodes": "Elo against measured nodes per move, with 95 % intervals, and the line "
    "Elo = a + b log2(nodes) fitted in the same way.",
    "comparisons": "Players that differ in one setting, at equal limits: difference of their Elo, with 95 % "
    "intervals from the covariance of the ratings; means where there are several limits of one kind.",
    "time_to_depth": "Mean time per move of players that differ in depth only; any move has a fixed cost.",
    "convergence": "All games up to a round of the schedule, rated again, with 95 % bands.",
    "phases": "Decisive games: share of the moves at which a player's own score favours the later winner, level "
    "counting half. It shows when the searches saw the result, not when it was decided.",
    "openings": "Score of the colour that moves first, over pairs of games with colours swapped, so that the "
    "players' strengths cancel; 95 % intervals, the spread pooled over openings: one in twenty misses by chance.",
    "crosstable": "Score of the row player against the column player in per cent; columns numbered as rows.",
    "outcomes": "Wins, draws and losses of each player, as White in the upper and as Black in the lower bar.",
    "nodes": "Mean nodes per move. The effective branching factor is the geometric mean, per ply, of the "
    "ratios of mean nodes at successive depths, for players that differ in depth only.",
    "time": "Time per move over all moves: median, quartiles (box), 5th and 95th percentile (whiskers).",
    "terminations": "Reasons for the end of the game, with their share of all games.",
}

TELEMETRY_NOTE = (
    "Over all moves. First-move cutoffs: share of the beta cutoffs that the first move tried gave. TT hits: share "
    "of the lookups that found the position. Over limit: time beyond the limit, 99th percentile and worst move."
)

LOS_NOTE = "LOS: likelihood of superiority over the next player in the table."

MATRIX = 200
"""Players above which no matrix of likelihoods of superiority is written."""

WIDE = 560
"""Points (1/72 inch) above which a chart gets a row of its own."""

FILES = {
    "standings.csv": "standings",
    "crosstable.csv": "points of row against column",
    "search.csv": "nodes, leaves and time per move by player",
    "telemetry.csv": "depths, cutoffs, table hits and time over the limit by player",
    "games.csv": "one row per game",
    "moves.csv": "one row per move",
    "games.pdn": "all games, for any draughts program",
    "summary.md": "this report in Markdown",
}

PROBE_FILES = {
    "ablation.csv": "cost to a fixed depth and Elo against the reference",
    "probes.csv": "one row per search to a fixed depth",
}
"""Besides FILES, where the run has a probe."""

LOS_FILES = {"los.csv": "likelihood of superiority of row over column"}
RATING_FILES = {
    "residuals.csv": "score of each pairing against what the ratings expect",
    "cycles.csv": "players of whom a beats b, b beats c and c beats a",
}
"""Besides FILES, those that have rows."""

SWEEP_FILES = {
    "comparisons.csv": "Elo of one setting against another at equal terms",
    "gains.csv": "Elo per doubling of depth and of nodes, by family",
    "elo_by_depth.csv": "Elo against depth, by family",
    "elo_by_nodes.csv": "Elo against nodes per move, by family",
    "convergence.csv": "ratings after growing parts of the schedule",
    "phases.csv": "when winner and loser saw the result, by tenths of the game",
    "openings.csv": "score of the first mover by opening",
}
"""Besides FILES, those that have rows."""
SPRT_FILES = {"sprt.csv": "the sequential test pair by pair"}
ORDER_FILES = {"order.csv": "the final order of the format"}


def headline(run: Run) -> list[str]:
    """What the run decided, its answers and who leads, as plain sentences; without games only the first."""
    said = decisions(run)
    return [*said, *answers(run), *lead(run.standings)] if len(run.games) else said


def facts(run: Run) -> list[str]:
    """How many games were played, what moving first was worth and how many were drawn, in plain text."""
    played = len(run.games)
    said = [_progress(run)]
    if played:
        ratings, first = run.ratings, str(run.config["first"]).capitalize()
        if _known(ratings.advantage) and _known(ratings.advantage_error):
            worth = f"{signed(ratings.advantage)} ± {ratings.advantage_error:.0f} Elo"
            said.append(f"Moving first ({first}) was worth {worth}.")
        draws = int((run.games["result"].astype(str) == "1/2-1/2").sum())
        said.append(f"{_count(draws, 'game')} of {played} ({100 * draws / played:.1f} %) ended in a draw.")
    return said


def decisions(run: Run) -> list[str]:
    """What the sequential test and the format decided, as sentences."""
    said = [sprt.sentence(run.sprt, run.config)] if run.config.get("sprt") else []
    if len(run.order):
        first = [f"{row.place}. {row.player} ({row.reason})" for row in run.order.head(3).itertuples()]
        said.append(f"Final order ({run.config['format']['type']}): {'; '.join(first)}.")
    return said


def notes(run: Run) -> list[str]:
    """What a reader must know about the data, as sentences.

    Of the rating, repeated games, pairings and cycles that the ratings do not tell, unmeasured players.
    """
    said = [*run.ratings.notes, *sentences(run.residuals, run.cycles)] if len(run.games) else []
    if sprt.verdict(run.sprt) != "continue":
        said.append(
            "The match ended when the test was decided, which on average lets the difference in Elo look larger "
            "than it is."
        )
    return said + _unmeasured(run)


def ablation_heading(run: Run) -> str:
    """What the findings compare, as a phrase."""
    count = run.probes["position"].nunique()
    return f"Compared with {reference_of(run.config)}, on {_count(count, 'position')} and in the games"


def ablation_text(table: pd.DataFrame) -> pd.DataFrame:
    """Cost to a fixed depth and Elo difference with every cell as text for people."""
    columns = {
        "Player": table["player"].astype(str),
        "Positions": [str(count) if count else "" for count in table["positions"]],
        "Nodes": [_quantity(v) for v in table["nodes"]],
        "Nodes ratio (95 %)": _estimates(table, "node_ratio", times),
        "Time": [_quantity(v, "s") for v in table["seconds"]],
        "Time ratio (95 %)": _estimates(table, "time_ratio", times),
        "Branching factor": [_format(v, "{:.2f}") for v in table["branching_factor"]],
        "Elo difference (95 %)": _estimates(table, "elo_difference", signed),
    }
    return pd.DataFrame(columns)


def ablation_note(run: Run) -> str:
    """How the table of the ablation is to be read."""
    depth, reference = run.config["probe"]["depth"], reference_of(run.config)
    return (
        f"Geometric means over the positions that the player searched to depth {depth} in full; ratios to "
        f"{reference}, position by position, with Student's interval on their logarithms. Branching factor: nodes "
        f"to the power 1/{depth}. Times are measured with as many searches at once as the run has workers."
    )


def standings_text(standings: pd.DataFrame) -> pd.DataFrame:
    """The standings with every cell as text for people, "" where there is no value.

    Nodes and time a move are left out where the standings have no such columns.
    """
    columns = {
        "#": standings["rank"].map(str),
        "Player": standings["player"].astype(str),
        "Elo": [signed(v) if _known(v) else "" for v in standings["elo"]],
        "95 % interval": [
            _interval(low, high) for low, high in zip(standings["elo_low"], standings["elo_high"], strict=True)
        ],
        "Games": standings["games"].map(str),
        "Won": standings["wins"].map(str),
        "Drawn": standings["draws"].map(str),
        "Lost": standings["losses"].map(str),
        "Score": [_share(v) for v in standings["score"]],
        "LOS": [probability(v) for v in standings["los"]],
    }
    if "nodes_per_move" in standings:
        columns["Nodes/move"] = [_quantity(v) for v in standings["nodes_per_move"]]
        columns["Time/move"] = [_quantity(v, "s") for v in standings["seconds_per_move"]]
    return pd.DataFrame(columns)


def crosstable_text(crosstable: pd.DataFrame) -> pd.DataFrame:
    """The crosstable with numbered columns, the row numbers and names first."""
    names = [str(name) for name in crosstable.index]
    table = pd.DataFrame({"#": [str(i + 1) for i in range(len(names))], "Player": names})
    for i in range(len(names)):
        table[str(i + 1)] = crosstable.iloc[:, i].to_numpy()
    return table


def search_text(search: pd.DataFrame) -> pd.DataFrame:
    """Search effort with every cell as text for people."""
    return pd.DataFrame(
        {
            "Player": search["player"].astype(str),
            "Depth": [str(depth) if depth else "" for depth in search["depth"]],
            "Nodes/move": [_quantity(v) for v in search["nodes_per_move"]],
            "Leaves/move": [_quantity(v) for v in search["leaves_per_move"]],
            "Time/move": [_quantity(v, "s") for v in search["seconds_per_move"]],
            "Nodes/s": [_quantity(v) for v in search["nodes_per_second"]],
            "Branching factor": [_format(v, "{:.2f}") for v in search["branching_factor"]],
        }
    )


def telemetry_text(telemetry: pd.DataFrame) -> pd.DataFrame:
    """Telemetry with every cell as text for people: the columns and players that have any."""
    columns = {
        "Nodes/s": [_quantity(v) for v in telemetry["nodes_per_second"]],
        "Mean depth": [_format(v, "{:.1f}") for v in telemetry["mean_depth"]],
        "Deepest": [_format(v, "{:.0f}") for v in telemetry["deepest"]],
        "First-move cutoffs": [_share(v) for v in telemetry["first_move_cutoffs"]],
        "TT hits": [_share(v) for v in telemetry["tt_hits"]],
        "Over limit, 99 %": [_quantity(v, "s") for v in telemetry["overrun_p99"]],
        "Over limit, worst": [_quantity(v, "s") for v in telemetry["overrun_max"]],
        "Lost on time": [_format(v, "{:.0f}") for v in telemetry["time_losses"]],
    }
    table = pd.DataFrame({name: cells for name, cells in columns.items() if any(cells)}, index=telemetry.index)
    table.insert(0, "Player", telemetry["player"].astype(str))
    return table[(table.drop(columns="Player") != "").any(axis=1)]


def markdown(run: Run) -> str:
    """The report as Markdown: sentences, standings, crosstable, search effort and telemetry."""
    paragraphs = [" ".join(map(_escaped, said)) for said in (headline(run), facts(run)) if said]
    parts = [f"# {_escaped(run.name)}", *paragraphs]
    if len(run.ablation):
        parts += [f"{_escaped(ablation_heading(run))}:", _bullets(findings(run.ablation, run.config))]
    if notes(run):
        parts.append(_bullets(f"Note: {text}" for text in notes(run)))
    parts += ["## Standings", _pipe_table(standings_text(run.standings)), LOS_NOTE]
    if len(run.ablation):
        title = f"## To depth {run.config['probe']['depth']}"
        parts += [title, _pipe_table(ablation_text(run.ablation)), _escaped(ablation_note(run))]
    parts += ["## Crosstable", _pipe_table(crosstable_text(run.crosstable))]
    telemetry = telemetry_text(run.telemetry)
    if len(telemetry):
        parts += ["## Search effort"]
        if len(run.search):
            parts += [_pipe_table(search_text(run.search)), CAPTIONS["nodes"]]
        parts += [_pipe_table(telemetry), TELEMETRY_NOTE]
    return "\n\n".join(parts) + "\n"


def has_los(run: Run) -> bool:
    """Whether the run has a file with the likelihood of superiority of any two players."""
    return 2 <= len(run.players) <= MATRIX


def html(run: Run, charts: Mapping[str, str]) -> str:
    """The report as one self-contained page; `charts` are SVG texts by name (see `plots.draw`)."""
    template = files("arena.report").joinpath("page.html").read_text(encoding="utf-8")
    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    return (
        environment.from_string(template).render(
            title=run.name,
            headline=headline(run),
            facts=facts(run),
            notes=notes(run),
            standings=standings_text(run.standings),
            crosstable=crosstable_text(run.crosstable),
            search=search_text(run.search),
            telemetry=telemetry_text(run.telemetry),
            los_note=LOS_NOTE,
            telemetry_note=TELEMETRY_NOTE,
            ablation=_ablation_section(run) if len(run.ablation) else None,
            charts=[(name, CAPTIONS[name], inline_svg(name, text), _wide(text)) for name, text in charts.items()],
            config=json.dumps(run.config, indent=2, ensure_ascii=False, default=str),
            files=FILES
            | (LOS_FILES if has_los(run) else {})
            | {name: RATING_FILES[name] for name in run.rating_tables}
            | {name: SWEEP_FILES[name] for name in run.sweep_tables}
            | (PROBE_FILES if len(run.probes) else {})
            | (SPRT_FILES if len(run.sprt) else {})
            | (ORDER_FILES if len(run.order) else {}),
        )
        + "\n"
    )


def inline_svg(name: str, svg: str) -> Markup:
    """An SVG file as an element of a page: ids made unique, theme colours as CSS variables, size by CSS."""
    text = svg[svg.index("<svg") :]
    text = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text, flags=re.DOTALL)
    text = re.sub(r'\bid="', f'id="{name}-', text)
    text = re.sub(r'(href="|url\()#', rf"\g<1>#{name}-", text)
    for colour, variable in ((plots.INK, "ink"), (plots.MUTED, "muted"), (plots.GRID, "grid")):
        text = text.replace(colour, f"var(--{variable})")
    text = text.replace(plots.PAPER, "none")
    head = f'<svg role="img" aria-label="{Markup.escape(CAPTIONS[name])}"'
    return Markup(text.replace("<svg", head, 1).strip())


def _ablation_section(run: Run) -> dict[str, Any]:
    return {
        "heading": ablation_heading(run),
        "findings": findings(run.ablation, run.config),
        "title": f"To depth {run.config['probe']['depth']}",
        "table": ablation_text(run.ablation),
        "note": ablation_note(run),
    }


def _unmeasured(run: Run) -> list[str]:
    """A sentence for each player that the probe could not, or not everywhere, search to its depth."""
    said = []
    for row in run.ablation.to_dict("records"):
        of_player = run.probes[run.probes["player"] == row["player"]]
        errors = of_player.loc[of_player["error"] != "", "error"]
        if row["positions"] < len(of_player):
            reason = f" ({errors.iloc[0]})" if len(errors) else ""
            said.append(
                f"{row['player']} searched {row['positions']} of {_count(len(of_player), 'position')} to depth "
                f"{row['depth']}{reason}."
            )
    return said


def _estimates(table: pd.DataFrame, name: str, form: Callable[[float], str]) -> list[str]:
    """Values with their intervals, as far as they are known: "3.10 (2.84 to 3.41)"."""
    cells = []
    for value, low, high in zip(table[name], table[f"{name}_low"], table[f"{name}_high"], strict=True):
        interval = f" ({form(low)} to {form(high)})" if _known(low) and _known(high) else ""
        cells.append(form(value) + interval if _known(value) else "")
    return cells


def _wide(svg: str) -> bool:
    """Whether a chart needs the page's full width to be read."""
    width = re.search(r'<svg[^>]* width="([\d.]+)pt"', svg)
    return width is not None and float(width[1]) > WIDE


def _progress(run: Run) -> str:
    planned = int(run.config.get("games_planned") or 0)
    exact = run.config.get("games_exact", True)
    of = f" of {'' if exact else 'at most '}{planned} planned" if planned else ""
    end = "" if exact else ", complete" if "order" in run.config else ", not complete"
    return f"{_count(len(run.config['players']), 'player')}, {_count(len(run.games), 'game')} played{of}{end}."


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" + ("" if n == 1 else "s")


def _known(value: Any) -> bool:
    return value is not None and not pd.isna(value) and bool(np.isfinite(float(value)))


def _format(value: Any, form: str) -> str:
    return form.format(float(value)) if _known(value) else ""


def _share(value: Any) -> str:
    return _format(value, "{:.1%}").replace("%", " %")


def _interval(low: Any, high: Any) -> str:
    if not (_known(low) and _known(high)):
        return ""
    return f"{signed(low)} to {signed(high)}" if low < high else "anchor"


def _quantity(value: Any, unit: str = "") -> str:
    return quantity(float(value), unit) if _known(value) else ""


def _escaped(text: str) -> str:
    """Text that Markdown shows as it is, HTML included."""
    text = text.replace("&", "&amp;").replace("<", "&lt;")
    return re.sub(r"([\\`*_\[\]|~])", r"\\\1", text)


def _bullets(texts: Iterable[str]) -> str:
    return "\n".join(f"- {_escaped(text)}" for text in texts)


def _pipe_table(table: pd.DataFrame) -> str:
    """A table of text as a Markdown table, all but the player's name aligned right."""

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(cells) + " |"

    rule = [":--" if name == "Player" else "--:" for name in table.columns]
    rows = [line([_escaped(str(cell)) for cell in row]) for row in table.itertuples(index=False)]
    return "\n".join([line([str(name) for name in table.columns]), line(rule), *rows])
