"""run and run_all: tournaments played from Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from arena.experiment.load import load, load_all
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError
from arena.play import tournament
from arena.report.load import list_runs
from arena.report.load import load as load_run
from arena.report.run import Run
from arena.report.sentences.cautions import failures
from arena.watch.display import Display
from arena.watch.observer import Observer

Config: TypeAlias = str | os.PathLike[str] | Mapping[str, Any]
"""A YAML file, or a mapping with the keys of one."""


def run(
    config: Config | Experiment,
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | str | None = None,
    report: bool = False,
    quiet: bool = False,
    force: bool = False,
) -> Run:
    """Play a tournament, or what is missing of it, and return it as `arena.load` does.

    `config` is a YAML file, a mapping with the keys of one, or an experiment, as `run.experiment` of another run;
    files that a mapping names are looked for in the working directory. `run_all` plays the several runs that one
    with `variants` or `limits` makes. `out` is the folder of the run [reports/<name>]; `workers` are processes or
    the address of a Dask scheduler [those of the configuration, else one a core].
    What `arena run` prints goes to stderr unless `quiet`; with `report` the page, tables and charts are written.
    `force` resumes a run although it began with other versions of packages. Ctrl-C stops, and the same call
    resumes. A UserWarning says that players failed in games, or were found faulty.

    Raises ValueError, in one line, for a configuration or workers that are wrong; StoreError for a folder that
    holds another run or cannot be written to; RunPaused for a player that is not reachable or a budget that is
    spent; ArenaError for what else keeps the run from going on: other versions, an `oracle` that cannot grade it,
    lost workers. What was finished is kept.
    """
    try:
        experiment = config if isinstance(config, Experiment) else load(config)
    except ConfigError as error:
        raise ValueError(_in_a_line(error)) from None
    folder = Path("reports") / experiment.name if out is None else Path(out)
    return _played(experiment, folder, workers, report=report, quiet=quiet, force=force)


def run_all(
    config: Config,
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | str | None = None,
    report: bool = False,
    quiet: bool = False,
    force: bool = False,
) -> dict[str, Run]:
    """Play all runs that `variants` and `limits` of a configuration make, one after the other, as `run` does each.

    Each is kept in a folder of its name in `out` [reports/<name>], and returned by its name: `english-d4`. With
    `report` their joint page is written, too.
    """
    try:
        experiments = load_all(config)
    except ConfigError as error:
        raise ValueError(_in_a_line(error)) from None
    name = next(iter(experiments.values())).name
    folder = Path("reports") / name if out is None else Path(out)
    if len(experiments) > 1:
        list_runs(folder, name, list(experiments))
    runs = {
        name: _played(experiment, folder / name, workers, report=report, quiet=quiet, force=force)
        for name, experiment in experiments.items()
    }
    if report and len(runs) > 1:
        from arena.report.runs.joint import load_joint, write_joint

        write_joint(load_joint(folder))
    return runs


def _played(
    experiment: Experiment,
    folder: Path,
    workers: int | str | None,
    *,
    report: bool,
    quiet: bool,
    force: bool,
) -> Run:
    observer = Observer() if quiet else Display()
    try:
        outcome = tournament.run(experiment, folder, observer, workers=workers, force=force)
    except ConfigError as error:
        raise ValueError(_in_a_line(error)) from None
    played = load_run(folder)
    if report:
        from arena.report.write import write

        write(played)
        for line in played.faults.lines():
            warnings.warn(f"{folder}: {line}", stacklevel=2)
    if outcome.failed:
        warnings.warn(f"{folder}: {' '.join(failures(played))}", stacklevel=3)
    return played


def _in_a_line(error: ConfigError) -> str:
    return "; ".join(str(error).splitlines())
