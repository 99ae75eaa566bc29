"""The files of a report beside its page and charts: a file is one row. The page lists them, `write` fills them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from arena.report import latex
from arena.report.columns import rounded
from arena.report.markdown import markdown
from arena.report.pdn import write_pdn
from arena.report.run import Run

MATRIX = 200
"""Players above which no matrix of likelihoods of superiority is written."""


class File(NamedTuple):
    """A file of a report."""

    name: str
    holds: str
    """What it holds, as the page's list of files has it."""
    table: Callable[[Run], pd.DataFrame] | None = None
    """Of a CSV file, what is written; its columns are those of `arena.report.columns`."""
    parts: Callable[[Run], Iterable[pd.DataFrame]] | None = None
    """Of a CSV file that may be larger than memory, the same in parts."""
    applies: Callable[[Run], bool] = lambda run: True
    """Whether a run has it."""
    fill: Callable[[Run, Path], object] | None = None
    """Of another file, what writes it."""
    of_moves: bool = False
    """Whether it holds all moves, so that a large run has it only when asked for."""
    of_latex: bool = False
    """Whether it is a table for papers, which a run has only when asked for."""


def _rows(name: str, holds: str, table: Callable[[Run], pd.DataFrame], *, of_few: bool = True) -> File:
    """A CSV file that a run has if its table has rows; one of few games (`Run.small`) only if `of_few`."""
    return File(name, holds, table, applies=lambda run: (of_few or not run.small) and len(table(run)) > 0)


def _tex(name: str, holds: str, table: Callable[[Run], str], applies: Callable[[Run], bool]) -> File:
    """A table of `arena.report.latex`."""
    return File(
        name,
        f"{holds} as a LaTeX table",
        applies=applies,
        fill=lambda run, path: write_text(table(run), path),
        of_latex=True,
    )


def _every_game(run: Run) -> pd.DataFrame:
    """The games, those that do not count among them."""
    if not len(run.annulled):
        return run.games
    return pd.concat([run.games, run.annulled]).sort_values("game").reset_index(drop=True)


FILES = (
    File("standings.csv", "standings", lambda run: run.standings),
    File("crosstable.csv", "points of row against column", lambda run: run.crosstable),
    File("search.csv", "nodes, leaves and time per move by player", lambda run: run.search),
    File(
        "telemetry.csv", "depths, cutoffs, table hits and time over the limit by player", lambda run: run.telemetry
    ),
    File("games.csv", "one row per game; of those annulled the result is *", _every_game),
    File("moves.csv", "one row per move", lambda run: run.moves, lambda run: run.data.moves(), of_moves=True),
    File("games.pdn", "all games, for any draughts program", fill=write_pdn, of_moves=True),
    File("summary.md", "this report in Markdown", fill=lambda run, path: write_text(markdown(run), path)),
    File(
        "los.csv",
        "likelihood of superiority of row over column",
        lambda run: run.los,
        applies=lambda run: 2 <= len(run.players) <= MATRIX and not run.small,
    ),
    _rows(
        "residuals.csv",
        "score of each pairing against what the ratings expect",
        lambda run: run.residuals,
        of_few=False,
    ),
    _rows("cycles.csv", "players of whom a beats b, b beats c and c beats a", lambda run: run.cycles),
    _rows("comparisons.csv", "Elo of one setting against another at equal terms", lambda run: run.comparisons),
    _rows("equal_terms.csv", "standings of the players with the same limit", lambda run: run.equal_terms),
    _rows("gains.csv", "Elo per doubling of depth and of nodes, by family", lambda run: run.gains),
    _rows("elo_by_depth.csv", "Elo against depth, by family", lambda run: run.elo_by_depth),
    _rows("elo_by_nodes.csv", "Elo against nodes per move, by family", lambda run: run.elo_by_nodes),
    _rows("convergence.csv", "ratings after growing parts of the schedule", lambda run: run.convergence),
    _rows(
        "phases.csv",
        "when winner and loser saw the result, by tenths of the game",
        lambda run: run.phases,
        of_few=False,
    ),
    _rows("openings.csv", "score of the first mover by opening", lambda run: run.openings),
    _rows("ablation.csv", "cost to a fixed depth and Elo against the reference", lambda run: run.ablation),
    _rows("probes.csv", "one row per search to a fixed depth", lambda run: run.probes),
    _rows("sprt.csv", "the sequential test pair by pair", lambda run: run.sprt),
    _rows("order.csv", "the final order of the format", lambda run: run.order),
    _tex("standings.tex", "standings", latex.standings, lambda run: True),
    _tex("crosstable.tex", "crosstable", latex.crosstable, lambda run: len(run.players) <= latex.LARGEST),
    _tex("comparisons.tex", "comparisons of settings", latex.comparisons, lambda run: len(run.comparisons) > 0),
    _tex("search.tex", "nodes, leaves and time per move", latex.search, lambda run: len(run.search) > 0),
    _tex("ablation.tex", "cost to a fixed depth", latex.ablation, lambda run: len(run.ablation) > 0),
)
"""Every file, in the order of the page's list."""


def files_of(run: Run, moves: bool = False, latex: bool = False) -> list[File]:
    """The files that a run has, in the order of the page's list.

    Those of all moves of a large run only if `moves`, tables for papers only if `latex`.
    """
    asked = [
        file for file in FILES if (latex or not file.of_latex) and (moves or not (file.of_moves and run.large))
    ]
    return [file for file in asked if file.applies(run)]


def parts_of(file: File, run: Run) -> Iterable[pd.DataFrame]:
    """The table of a CSV file in parts, one as a rule."""
    assert file.table is not None
    return file.parts(run) if file.parts else [file.table(run)]


def write_file(file: File, run: Run, path: Path) -> None:
    """Write a file of a run to `path`."""
    if file.table is None:
        assert file.fill is not None
        file.fill(run, path)
        return
    with path.open("w", encoding="utf-8", newline="") as output:
        for number, part in enumerate(parts_of(file, run)):
            table = rounded(part, file.name)
            # A matrix has its players in a named index.
            table.to_csv(output, index=table.index.name is not None, header=not number, lineterminator="\n")


def write_text(text: str, path: Path) -> None:
    """Write a text as it is, whatever the system's line ends."""
    path.write_text(text, encoding="utf-8", newline="\n")
