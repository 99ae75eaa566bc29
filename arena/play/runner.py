"""run: a tournament played from Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.experiment.load import load
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError
from arena.play import tournament
from arena.report.load import load as load_run
from arena.report.run import Run
from arena.report.sentences.cautions import failures
from arena.watch.display import Display
from arena.watch.observer import Observer


def run(
    config: str | os.PathLike[str] | Mapping[str, Any] | Experiment,
    out: str | os.PathLike[str] | None = None,
    *,
    workers: int | str | None = None,
    report: bool = False,
    quiet: bool = False,
    force: bool = False,
) -> Run:
    """Play a tournament, or what is missing of it, and return it as `arena.load` does.

    `config` is a YAML file, a mapping with the keys of one, or an experiment, as `run.experiment` of another run;
    files that a mapping names are looked for in the working directory. `out` is the folder of the run
    [reports/<name>]; `workers` are processes or the address of a Dask scheduler [those of the configuration, else
    one a core].
    What `arena run` prints goes to stderr unless `quiet`; with `report` the page, tables and charts are written.
    `force` resumes a run although it began with other versions of packages. Ctrl-C stops, and the same call
    resumes. A UserWarning says that players failed in games, or were found faulty.

    Raises ValueError, in one line, for a configuration or workers that are wrong; StoreError for a folder that
    holds another run or cannot be written to; RunPaused for a player that is not reachable or a budget that is
    spent; ArenaError for what else keeps the run from going on: other versions, an `oracle` that cannot grade it,
    lost workers. What was finished is kept.
    """
    observer = Observer() if quiet else Display()
    try:
        experiment = config if isinstance(config, Experiment) else load(config)
        folder = Path("reports") / experiment.name if out is None else Path(out)
        outcome = tournament.run(experiment, folder, observer, workers=workers, force=force)
    except ConfigError as error:
        raise ValueError("; ".join(str(error).splitlines())) from None
    played = load_run(folder)
    if report:
        from arena.report.write import write

        write(played)
        for line in played.faults.lines():
            warnings.warn(f"{folder}: {line}", stacklevel=2)
    if outcome.failed:
        warnings.warn(f"{folder}: {' '.join(failures(played))}", stacklevel=2)
    return played
