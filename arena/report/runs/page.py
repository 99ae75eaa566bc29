"""The page that lists runs, those in a folder or published, and players from run to run: one HTML file."""

from __future__ import annotations

import json
import os
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple
from urllib.parse import quote

import pandas as pd

from arena.base.files import INDEX, REPORT, replace
from arena.base.number import known
from arena.ledger.ledger import FILE
from arena.ledger.read import read
from arena.report.charts.picture import svg
from arena.report.charts.runs import plot_runs
from arena.report.files import write_text
from arena.report.load import is_joint
from arena.report.page import Plot, plot_of
from arena.report.run import Run
from arena.report.sentences.facts import headline
from arena.report.template import page
from arena.report.write import write
from arena.watch.elo import EloEstimate, estimates
from arena.watch.entry import Entry, as_document, from_document, read_entry

MAX_PLAYERS = 6
"""Players of a chart, at most: those of most runs."""
MAX_CHARTS = 4
"""Charts, at most: those of most runs."""


class Overlay(NamedTuple):
    """Runs of one rule set laid over one another."""

    variant: str
    reference: str
    """The player that the others are measured against: it is in all of these runs."""
    unchanged: bool
    """Whether it played the same from fixed positions in all of them."""
    table: pd.DataFrame
    """A row per run and player, in order of date: run, date, player, elo, elo_low, elo_high, relative to the
    reference, and games, those of the player."""
    left_out: int
    """Players that share runs with the reference, too, but are too many to be shown."""


def overlays(runs: Sequence[Entry]) -> list[Overlay]:
    """Runs of one rule set that share players, two or more; the most runs first.

    Runs without the reference of the first of a rule set may have one of their own. Elo is that of each run's
    results, fitted without their pairs and openings.
    """
    by_variant: dict[str, list[Entry]] = defaultdict(list)
    for entry in sorted(runs, key=lambda entry: (entry.began, entry.name)):
        if entry.results:
            by_variant[entry.variant].append(entry)
    found: list[Overlay] = []
    for of_one in by_variant.values():
        rest = of_one
        while (overlay := _overlay(rest)) is not None:
            found.append(overlay)
            rest = [entry for entry in rest if overlay.reference not in entry.elo]
    return sorted(found, key=lambda overlay: -overlay.table["run"].nunique())[:MAX_CHARTS]


def _overlay(runs: Sequence[Entry]) -> Overlay | None:
    reference = _reference(runs)
    if reference is None:
        return None
    runs = [entry for entry in runs if reference in entry.elo]
    rows = []
    for entry in runs:
        games = Counter[str]()
        for (white, black, _), count in entry.results.items():
            games.update({white: count, black: count})
        elo = estimates(entry.results, entry.scale._replace(anchor=reference))
        rows += [
            (entry.name, entry.date, player, *found, games[player])
            for player, found in elo.items()
            if player != reference
        ]
    table = pd.DataFrame(rows, columns=["run", "date", "player", "elo", "elo_low", "elo_high", "games"])
    shared = table["player"].value_counts(sort=False)
    shared = shared[shared > 1].sort_values(ascending=False, kind="stable")
    if shared.empty:
        return None
    kept = table[table["player"].isin(shared.index[:MAX_PLAYERS])].reset_index(drop=True)
    left_out = max(len(shared) - MAX_PLAYERS, 0)
    return Overlay(runs[0].variant, reference, _unchanged(runs, reference), kept, left_out)


def _reference(runs: Sequence[Entry]) -> str | None:
    """The player that shares most runs with others that are in several; one that stays the same counts twice.

    Of equals it is the anchor of most runs, then the strongest.
    """
    shared = Counter(player for entry in runs for player in entry.elo)
    meetings = Counter[str]()
    for entry in runs:
        common = [player for player in entry.elo if shared[player] > 1]
        meetings.update(common if len(common) > 1 else [])
    anchors = Counter(entry.scale.anchor for entry in runs)

    def worth(player: str) -> tuple[float, ...]:
        strength = mean(entry.elo[player].elo for entry in runs if player in entry.elo)
        return meetings[player] * (1 + _unchanged(runs, player)), anchors[player], strength

    return max(meetings, key=worth, default=None)


def _unchanged(runs: Sequence[Entry], player: str) -> bool:
    found = [entry.signatures.get(player) for entry in runs if player in entry.elo]
    return None not in found and all(signature == found[0] for signature in found)


ENTRY = "entry.json"
"""Name of the entry of a published run, in its folder."""
_GENERATOR = "arena report --publish"
"""Marks an index that may be replaced."""


class PublishError(Exception):
    """A folder that runs cannot be published in, in one line."""


def write_index(runs: Sequence[Entry], root: Path) -> Path:
    """Write INDEX into the folder that the runs are below; returns its path."""
    text = html(runs, root)
    return replace(root / INDEX, lambda path: write_text(text, path))


def publish(folders: Sequence[Path], site: Path, *, anonymous: bool = False, **wanted: Any) -> Iterator[Path]:
    """Write the reports of runs, and the list of all runs published so far, for any web server; yields the pages.

    `site` gets INDEX, and for each run a folder with the name of the run's, as `arena.report.write` fills it,
    which takes what is `wanted`, for others to read: without absolute paths, names of machines and ledger, and
    with `anonymous` without names of persons and submissions. A published run of that name is replaced; all other
    files stay. Raises StoreError, OSError, and PublishError, before anything is written, where a file that is not
    the arena's would be lost.
    """
    _check_site(folders, site)
    for folder in folders:
        yield _publish(Run(folder, read(folder, public=True, anonymous=anonymous)), site, wanted)


def _publish(run: Run, site: Path, wanted: Mapping[str, Any]) -> Path:
    target = site / _published_name(run.folder)
    target.mkdir(parents=True, exist_ok=True)
    entry = json.dumps(as_document(_public_entry(run, target)), ensure_ascii=False) + "\n"
    replace(target / ENTRY, lambda path: write_text(entry, path))  # first: it marks the folder as replaceable
    write(run, target, runs=f"../{INDEX}", **wanted)
    text = html(published(site), site, public=True)
    replace(site / INDEX, lambda path: write_text(text, path))
    return target / INDEX


def _published_name(folder: Path) -> str:
    """The name of a run's folder; of one of several behind that of the folder that has them."""
    whole = folder.resolve()
    return f"{whole.parent.name}-{whole.name}" if is_joint(whole.parent) else whole.name


def _check_site(folders: Sequence[Path], site: Path) -> None:
    names = [_published_name(folder) for folder in folders]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise PublishError(f"two of the runs are in folders named {twice}: publish one, or rename its folder")
    if site.exists() and not site.is_dir():
        raise PublishError(f"{site} is not a folder")
    if (site / FILE).exists():
        raise PublishError(f"{site} is the folder of a run: choose another one")
    index = site / INDEX
    if index.exists() and _GENERATOR not in index.read_text(encoding="utf-8", errors="replace"):
        raise PublishError(f"{index} was not written by '{_GENERATOR}': choose another folder")
    for target in (site / name for name in names):
        if target.exists() and not (target / ENTRY).is_file() and not _is_empty(target):
            raise PublishError(f"{target} exists and is not a published run: choose another folder")


def published(site: Path) -> list[Entry]:
    """The runs that are published in a folder, the latest first."""
    found = [_published(path) for path in site.glob(f"*/{ENTRY}")]
    return sorted(found, key=lambda entry: (entry.began, entry.name), reverse=True)


def _published(path: Path) -> Entry:
    try:
        return from_document(json.loads(path.read_text(encoding="utf-8")), path.parent)
    except (TypeError, ValueError, KeyError, AttributeError):
        return Entry(path.parent, path.parent.name, "cannot be read: publish it again")


def _public_entry(run: Run, target: Path) -> Entry:
    results = Counter(run.games[["white", "black", "result"]].itertuples(index=False, name=None))
    columns = (run.standings[name] for name in ("player", "elo", "elo_low", "elo_high"))
    elo = {player: EloEstimate(*figures) for player, *figures in zip(*columns, strict=True)}
    manifest, anchor = run.data.manifest, run.experiment.anchor
    entry = read_entry(run.folder, run.folder.parent)
    return entry._replace(
        folder=target,
        state=entry.state if entry.state == "complete" or entry.open else "not complete",
        elo={player: found for player, found in elo.items() if known(found.elo)},
        results={} if run.data.pseudonyms else results,  # "player 1" of another run is somebody else
        scale=entry.scale._replace(anchor=anchor),
        signatures=manifest.signatures if manifest else {},
        answer=next(iter(headline(run)), ""),
    )


def _is_empty(folder: Path) -> bool:
    return folder.is_dir() and not any(folder.iterdir())


def html(runs: Sequence[Entry], root: Path, *, public: bool = False) -> str:
    """The page: a row for each run, and a chart for each rule set of which runs share players."""
    return page(
        "runs/index.html",
        title="Tournaments" if public else f"Runs in {root.resolve().name}",
        generator=_GENERATOR if public else "",
        counts=counts(runs),
        states=not public or any(entry.state != "complete" for entry in runs),
        runs=runs,
        links={entry.name: _link(entry.folder / (INDEX if public else REPORT), root) for entry in runs},
        charts=[_plot(number, overlay) for number, overlay in enumerate(overlays(runs))],
    )


def counts(runs: Sequence[Entry]) -> str:
    """`13 runs: 10 complete, 1 at the board, 1 not complete, 1 cannot be read.`"""
    complete = sum(entry.state == "complete" for entry in runs)
    at_board = sum(entry.open for entry in runs)
    unreadable = sum(not entry.readable for entry in runs)
    parts = {
        "complete": complete,
        "at the board": at_board,
        "not complete": len(runs) - complete - at_board - unreadable,
        "cannot be read": unreadable,
    }
    listed = ", ".join(f"{number} {what}" for what, number in parts.items() if number)
    return f"{len(runs)} run{'' if len(runs) == 1 else 's'}: {listed}."


def _link(file: Path, root: Path) -> str:
    return quote(Path(os.path.relpath(file, root)).as_posix()) if file.is_file() else ""


def _plot(number: int, overlay: Overlay) -> Plot:
    name = f"runs-{number}"
    drawn = svg(plot_runs(overlay.table, reference=overlay.reference))
    same = "which plays the same in all of them" if overlay.unchanged else "whose play is not known to be the same"
    caption = (
        f"{overlay.variant}: players that several runs share, relative to {overlay.reference}, {same}. "
        "Fitted from each run's results, without pairs and openings: a report may differ a little."
    )
    if overlay.left_out:
        caption += f" {overlay.left_out} more players share runs."
    return plot_of(name, caption, drawn)
