"""run: a tournament played from Python."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Any

from arena.experiment.load import load as load_experiment
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError
from arena.ledger.ledger import Ledger
from arena.play.doctor import taking_part
from arena.play.grading import arranged, grade
from arena.play.plan import prepare
from arena.play.tournament import begin, conduct, solve, unanswered
from arena.play.workers import usual_workers
from arena.report.load import load as load_run
from arena.report.run import Run
from arena.report.write import write
from arena.rules.endgame.tables import make
from arena.watch.display import Display


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

    `config` is a YAML file, a mapping with the keys of one, or the `experiment` of another run; files that a
    mapping names are looked for in the working directory. `out` is the folder of the run [reports/<name>];
    `workers` are processes or the address of a Dask scheduler [those of the configuration, else one a core, or for
    the cores that a game uses].
    Progress goes to stderr unless `quiet`; with `report` the page, tables and charts are written. `force` resumes
    a run although it began with other versions of packages. Ctrl-C stops, and the same call resumes.

    Raises ValueError, in one line, for a configuration that is wrong; StoreError for a folder that holds another
    run or cannot be written to; GradingError and EndgameError for one that cannot be graded as its `oracle` says;
    VersionsChanged; RunStopped for a failure with `failures: {game: stop}`, RunPaused for a player that is not
    reachable or a budget that is spent; WorkerDied for a game that ends its process, EngineError for lost workers.
    What was finished is kept.
    """
    try:
        every = load_experiment(config.as_dict() if isinstance(config, Experiment) else config)
        folder = Path("reports") / every.name if out is None else Path(out)
        taking = taking_part(every, folder, (lambda _: None) if quiet else partial(print, file=sys.stderr))
        plan = prepare(taking.experiment)
    except ConfigError as error:
        raise ValueError("; ".join(str(error).splitlines())) from None
    experiment = plan.experiment
    used = workers or experiment.workers or usual_workers()
    with Ledger(folder, experiment, plan.facts) as ledger:
        if not ledger.complete or unanswered(plan, ledger):
            begin(plan, ledger, used, force=force, found=taking.found or (), left_out=taking.left_out)
        if not ledger.complete:
            with nullcontext() if quiet else Display(folder) as display:
                for _ in conduct(plan, ledger, used):
                    if display is not None:
                        display.tick()
        if (oracle := experiment.oracle) is not None:
            grading = arranged(experiment, oracle.pieces, oracle.judge, experiment.path.parent)
            if grading.endgame_pieces:
                make(grading.variant, grading.endgame_pieces)
            for _ in grade(grading, ledger, used):
                pass
        for _ in solve(plan, ledger, used):
            pass
    played = load_run(folder)
    if report:
        write(played)
    return played
