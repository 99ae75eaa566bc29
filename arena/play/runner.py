"""run: tournaments played from Python."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from arena.experiment.load import load_all
from arena.experiment.model import Experiment
from arena.experiment.yaml.values import ConfigError
from arena.play.carry_out import play_runs
from arena.report.load import load_run
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
) -> Run | Any:
    """Play a tournament, or what is missing of it, and return it as `arena.load` does.

    `config` is a YAML file, a mapping with the keys of one, or an experiment, as `run.experiment` of another run;
    files that a mapping names are looked for in the working directory. The several runs that `variants` and
    `limits` make are returned by their names: `english-d4`. `out` is the folder of the run, or that of theirs
    [reports/<name>]; `workers` are processes or the address of a Dask scheduler [those of the
    configuration, else one a core].
    What `arena run` prints goes to stderr unless `quiet`; with `report` the page, tables and charts are written.
    `force` resumes a run although it began with other versions of packages. Ctrl-C stops, and the same call
    resumes. A UserWarning says that players failed in games, or were found faulty.

    Raises ValueError, in one line, for a configuration or workers that are wrong; StoreError for a folder that
    holds another run or cannot be written to; Pause for a player that asks for it; ArenaError for what else keeps
    the run from going on: other versions, grades that cannot be given, lost workers. What was finished is kept.
    """
    runs: dict[str, Run] = {}
    try:
        experiments = {"": config} if isinstance(config, Experiment) else load_all(config)
        folder = Path("reports") / next(iter(experiments.values())).name if out is None else Path(out)
        observer = Observer() if quiet else Display()
        for name, outcome in play_runs(experiments, folder, observer, workers=workers, force=force):
            runs[name] = load_run(folder / name)
            if report:
                from arena.report.write import write

                write(runs[name])
                for line in runs[name].faults.found.values():
                    warnings.warn(f"{folder / name}: {line}", stacklevel=2)
            if outcome.failed:
                warnings.warn(f"{folder / name}: {' '.join(map(str, failures(runs[name])))}", stacklevel=2)
    except ConfigError as error:
        raise ValueError("; ".join(str(error).splitlines())) from None
    if report and len(runs) > 1:
        from arena.report.joint import load_joint, write_joint

        write_joint(load_joint(folder))
    return runs.get("", runs)
