"""Entrants: the players of a configuration as they are found before its run, and who of them takes part."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Timer
from types import MappingProxyType

from arena.base.wording import first_few, listed
from arena.experiment.model import Experiment
from arena.experiment.yaml.errors import ConfigError, Mistake
from arena.hosting.player_process import compile_for
from arena.ledger.info import RunInfo, player_hash
from arena.play.trials import Entrant, How, Trial, is_own, is_python, try_out
from arena.play.workers import is_here, run
from players.finding import SAME_FILE, Finding
from players.identity import MISSING, now
from players.loading import PlayerError, files_of, from_folder, located, source_of, user_files, without_own_code
from players.player import Limit, PlayerSpec
from players.table import build_player

Entrants = Mapping[str, Entrant]
"""Players as they were found, by name."""
NOBODY: Entrants = MappingProxyType({})
_SLOW_SECONDS = 5.0
"""Seconds after which it is said who is still looked at."""
_COMPILED = PlayerSpec("compiled first", "negamax", Limit(depth=1))
"""A player whose kernels are compiled before the time of a user's own code begins."""
_UNREADABLE = (
    "; in a sandbox it reads only files that its command names and its 'folder': "
    "'process: {readable: [...]}' adds others"
)
_LEAVE_OUT = "; 'failures: {faulty: leave-out}' plays without it"


def look_at(
    experiment: Experiment,
    how: How,
    say: Callable[[str], object],
    workers: int = 1,
    *,
    known: Entrants = NOBODY,
    everyone: bool = False,
    looking: Callable[[Sequence[str]], object] = lambda _: None,
) -> dict[str, Entrant]:
    """Look at the players of an experiment: at built-in types, unless `everyone`, only whether they can be built.

    So at those that are `known`, where no other one has their evaluation; what was found of them stands. Players
    of one evaluation are looked at together, a user's Python by worker processes, so that a process with threads,
    such as a notebook's, is not forked for it. `say` receives who takes long; `looking` those that are left, also
    when none is.
    """
    specs = [located(spec, experiment.path.parent) for spec in experiment.players]
    if how != "built" and any(map(is_own, specs)):
        build_player(_COMPILED, experiment.rule_set)
    found: dict[str, Entrant] = {}
    of_users: list[Trial] = []
    for players in _by_evaluation(specs):
        is_new = everyone or (is_own(players[0]) and not all(spec.name in known for spec in players))
        trial = Trial(tuple(players), experiment, how if is_new else "built")
        if is_python(players[0]):
            _compile_for(trial)
            of_users.append(trial)
        else:
            found |= try_out(trial)

    def left() -> list[str]:
        return [spec.name for spec in specs if spec.name not in found]

    slow = Timer(_SLOW_SECONDS, lambda: say(f"still looking at {listed(left())}") if left() else None)
    slow.daemon = True
    slow.start()
    try:
        looking(left())
        for of_trial in run(try_out, of_users, workers, lambda: False, here=is_here(workers, specs)):
            found |= of_trial
            looking(left())
    finally:
        slow.cancel()
        looking(())
    copies = _copies(specs)
    entrants = {}
    for spec in experiment.players:
        entrant = _as_written(found[spec.name], spec, experiment.path.parent)
        if (before := known.get(spec.name)) is not None:
            version = entrant.version or before.version  # one that cannot be started now says none
            entrant = entrant._replace(findings=before.findings, files=before.files, version=version)
        entrants[spec.name] = entrant._replace(findings=(*entrant.findings, *copies.get(spec.name, ())))
    return entrants


def _by_evaluation(specs: Sequence[PlayerSpec]) -> list[list[PlayerSpec]]:
    """Those of a user's Python that have one evaluation together, any other one alone."""
    groups: dict[tuple[bool, str], list[PlayerSpec]] = {}
    for spec in specs:
        evaluation = spec.options.get("evaluation") if is_python(spec) else None
        groups.setdefault((evaluation is None, str(evaluation or spec.name)), []).append(spec)
    return list(groups.values())


def _compile_for(trial: Trial) -> None:
    """Compile what a user's players are played with, once for all workers."""
    for spec in trial.players:
        with suppress(PlayerError):  # which is found again when the player itself is built
            compile_for(without_own_code(spec), trial.experiment.rule_set)


def _copies(specs: Sequence[PlayerSpec]) -> dict[str, list[Finding]]:
    """A warning for each player whose Python files other files are copies of."""
    files = {spec.name: (user_files(spec), sorted(files_of(spec).values())) for spec in specs if is_python(spec)}
    found: dict[str, list[Finding]] = {}
    for name, (paths, content) in files.items():
        same = tuple(
            other
            for other, (others, its) in files.items()
            if {*content} - {MISSING} and others != paths and its == content
        )
        if same:
            found[name] = [Finding("warning", "has the same file as", kind=SAME_FILE, others=same)]
    return found


def as_written(text: str, spec: PlayerSpec, folder: Path) -> str:
    """A message on a player, with its files as the configuration in `folder` names them, others from there on."""
    for at, path in zip(user_files(located(spec, folder)), user_files(spec), strict=True):
        text = text.replace(str(at), str(path))
    return from_folder(text, str(folder.resolve()))


def _as_written(entrant: Entrant, spec: PlayerSpec, folder: Path) -> Entrant:
    findings = tuple(finding._replace(said=as_written(finding.said, spec, folder)) for finding in entrant.findings)
    error = entrant.error and PlayerError(as_written(str(entrant.error), spec, folder), *entrant.error.keys)
    return entrant._replace(findings=findings, error=error)


def known_before(experiment: Experiment, begun: RunInfo) -> dict[str, Entrant]:
    """The players that are as they were when a run began, by settings and files, and what was found of them then.

    Who was left out is known only if the faulty still are.
    """
    home, hashes = experiment.path.parent, dict(begun.players)
    if experiment.failures.faulty == "leave-out":
        hashes |= begun.left_out_hashes
    known = {}
    for spec in experiment.players:
        files, version = now(begun.files.get(spec.name, {}), home), begun.programs.get(spec.name, "")
        if hashes.get(spec.name) == player_hash(spec, files.values(), version):
            of_player = (finding for finding in begun.found if finding.where == spec.name)
            findings = tuple(finding for finding in of_player if finding.kind != SAME_FILE)
            known[spec.name] = Entrant(findings=findings, files=files, version=version)
    return known


def left_out(experiment: Experiment, entrants: Entrants) -> dict[str, str]:
    """The faulty players that do not take part, if `failures` says so, with their files."""
    if experiment.failures.faulty != "leave-out":
        return {}
    own = [spec for spec in experiment.players if is_own(spec) and spec.name in entrants]
    return {
        spec.name: source_of(spec)
        for spec in own
        if any(finding.level == "error" for finding in entrants[spec.name].problems)
    }


def unguarded(experiment: Experiment) -> str:
    """Say in a line that the user's own Python may do what the user may; empty in a sandbox, or without any."""
    paths = (str(path) for spec in experiment.players for path in user_files(spec) if path.suffix == ".py")
    files = list(dict.fromkeys(paths))
    if experiment.sandbox or not files:
        return ""
    return f"{first_few(files, 1)} can read and write whatever you can; 'sandbox: true' prevents it"


def said_of(experiment: Experiment, entrants: Entrants, out: Collection[str]) -> Iterator[str]:
    """Yield a line on each finding, but only on the first mistake of a player that is left out."""
    new_out, is_warned = 0, False
    for name, entrant in entrants.items():
        mistakes = [finding for finding in entrant.problems if finding.level == "error"]
        for finding in entrant.problems:
            if finding.level != "error" or name not in out:
                is_warned = True
                yield f"{name}: {finding.words}" + ("" if finding.level == "error" else " (warning)")
        if name in out:
            new_out += 1
            yield f"{name} is left out: {mistakes[0].words}"
    if new_out:
        yield f"left out: {len(out)} of {len(experiment.players)} players"
    elif is_warned and experiment.failures.faulty == "stop":
        closer = f"; to look closer:\narena doctor {experiment.path}" if experiment.path.is_file() else ""
        yield f"the run continues{closer}"


def refuse_unbuilt(experiment: Experiment, entrants: Entrants, out: Collection[str]) -> None:
    """Raise ConfigError at the players that take part and cannot be built, unless they are to lose their games."""
    problems: list[Mistake] = []
    for index, spec in enumerate(experiment.players):
        error = entrants[spec.name].error
        if error is None or spec.name in out or (is_own(spec) and experiment.failures.faulty == "forfeit"):
            continue
        advice = _LEAVE_OUT if is_own(spec) and len(experiment.players) > 2 else ""
        why = _UNREADABLE if experiment.sandbox and "command" in error.keys else ""
        problems += experiment.error(("players", index, *error.keys), f"{error}{why}{advice}").problems
    if problems:
        raise ConfigError(problems)
