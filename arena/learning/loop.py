"""A learning run from its configuration to its outcome: steps of games and a fit, then matches that check it.

Everything that chance decides follows from the seed and a game's number, and a stage's games are read in order, so
that the number of workers and interruptions change nothing.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import Any, NamedTuple

from arena.base.wording import counted
from arena.experiment.model import Experiment, entry_of
from arena.experiment.openings import MAX_OPENINGS
from arena.experiment.openings.sources import OpeningsError
from arena.experiment.yaml.errors import ConfigError, Mistake
from arena.hosting.handle import PlayerFailure
from arena.hosting.player_process import begin_game, close_players
from arena.learning.config import Learning
from arena.learning.games import GameStore, Job, job_of, points_of_pairs
from arena.learning.method import LEARNED, START, LearningSession, Method, Step
from arena.learning.terms import evaluation_name
from arena.ledger.store import FILES
from arena.play.workers import Workers
from arena.ratings.match import Summary, match_summary
from arena.rules.position import Position
from arena.rules.result import pentanomial
from arena.rules.variants import Variant
from arena.watch.observer import Observer
from players.identity import Files
from players.loading import PlayerError, files_of
from players.player import Allowance, PlayerSpec


class Plan(NamedTuple):
    """A configuration made ready: everything that a learning run needs, checked and built once."""

    terms: Learning
    openings: tuple[Position, ...]
    """Openings of the last matches."""
    description: dict[str, Any]
    """The run as the store keeps it: the configuration, and the user's own files."""

    @property
    def method(self) -> Method:
        """How the player learns."""
        return self.terms.learn

    @property
    def start(self) -> PlayerSpec:
        """The player of the first step."""
        return self.terms.spec(START, self.method.first_options(self.terms))

    @property
    def opponents(self) -> list[PlayerSpec]:
        """Players that the learned player meets in the end; each has the name of its stage."""
        return [self.terms.spec(stage, options) for stage, options in self.method.opponents(self.terms).items()]

    def met(self, stage: str) -> str:
        """Whom the learned player meets in a stage, in sentences."""
        options = self.method.opponents(self.terms)[stage]
        return "the start" if stage == START else evaluation_name(options["evaluation"])


class Learned(NamedTuple):
    """The findings of a finished learning run."""

    steps: list[Step]
    matches: dict[str, Summary]
    """The learned player against each of the opponents, by the stage."""


def prepare_learning(config: Learning) -> Plan:
    """Build the players once, which also compiles what they need, and draw the openings of the last matches.

    Raises ConfigError, at the keys to blame, for settings and files, all at once, or for all players and openings
    that cannot be had.
    """
    method, problems = config.learn, list[Mistake]()
    try:
        for keys, message in method.problems(config):
            problems += config.error(keys, message).problems
    except PlayerError as error:
        problems += config.error(("player", *error.keys), str(error)).problems
    if problems:
        raise ConfigError(problems)
    messages, openings, files = set[str](), list[Position](), dict[str, str]()
    for setting, options, above in method.trials(config):
        try:
            files |= _try_out(config.spec(START, options), config.rule_set)
        except PlayerError as error:
            is_setting = bool(above) and error.keys[:1] == above[:1]
            if str(error) in messages or (problems and not is_setting):
                continue  # what the trials have in common is told once
            messages.add(str(error))
            blamed = ("learn", *setting, *error.keys[len(above) :]) if is_setting else ("player", *error.keys)
            problems += config.error(blamed, str(error)).problems
    try:
        openings = config.openings.draw_for_matches(config.rule_set, method.check, config.seed)
    except OpeningsError as error:
        problems += config.error(("openings", "random_plies"), str(error)).problems
    if problems:
        raise ConfigError(problems)
    plan = Plan(config, tuple(openings), {})
    for spec in (plan.start, *plan.opponents):
        files |= {path: mark for path, mark in files_of(spec).items() if path not in files}
    return plan._replace(description=config.as_dict() | {FILES: config.record(files)})


def _try_out(spec: PlayerSpec, variant: Variant) -> Files:
    """Build a player once, which also compiles what it needs, as in games; the files that it is loaded from.

    Raises PlayerError.
    """
    try:
        return begin_game(spec, variant, variant.start, "0", Allowance()).files
    except PlayerFailure as error:
        raise PlayerError(f"{spec.type} {error}", "type") from None
    finally:
        close_players()


class Rehearsal(NamedTuple):
    """Checks before the first game whether a learning run can be done, and how long its games take."""

    experiment: Experiment
    """A match of its players as a tournament."""
    games: int
    """Games that the whole run has."""
    parts: str
    """What these are."""


def rehearsal(plan: Plan) -> Rehearsal:
    """The match of the start against the other opponent, if there is one, or itself, and the games of a run."""
    config, method, opponents = plan.terms, plan.method, plan.opponents
    matches, pairs = len(opponents), 2 * method.check
    other = opponents[-1]
    players = [plan.start, replace(other, name=LEARNED) if other.name == START else other]
    openings = {"random_plies": config.openings.random_plies, "count": min(method.check, MAX_OPENINGS)}
    terms = {key: getattr(config, key) for key in ("name", "variant", "seed", "max_plies")}
    data = {**terms, "openings": openings, "players": list(map(entry_of, players))}
    games = sum(method.schedule)
    parts = [f"{games} in {counted(len(method.schedule), method.noun)}"] if games else []
    parts.append(f"{f'{matches} matches' if matches > 1 else 'a match'} of {pairs} games")
    return Rehearsal(config.beside(Experiment, data), games + matches * pairs, ", and ".join(parts))


def learn(plan: Plan, store: GameStore, workers: Workers, observer: Observer) -> Learned | None:
    """Do what the store lacks, storing each game and step at once; None if the observer stopped it.

    Raises LearningError for a game that cannot be played and EngineError for one that ends its process.
    """
    method, terms = plan.method, plan.terms
    session, steps, planned = (
        LearningSession(terms, store, workers, observer),
        _kept(plan, store),
        len(method.schedule),
    )
    while len(steps) < planned:
        what = f"games of {method.noun} {len(steps) + 1}/{planned}"
        if not session.play(what, method.jobs(session, steps)):
            return None
        step = method.fit(session, steps)
        if step is None:
            return None
        store.add_step(step.number, step._asdict())
        steps.append(step)
        if line := method.told(terms, step):
            observer.say(line)
    learned = terms.spec(LEARNED, method.options(terms, steps[-1], store.folder.resolve()))
    matches = {}
    for opponent in plan.opponents:
        if not session.play(f"games against {plan.met(opponent.name)}", _match(plan, learned, opponent)):
            return None
        points = points_of_pairs(store.games(opponent.name))
        matches[opponent.name] = match_summary(pentanomial(points))
    return Learned(steps, matches)


def _kept(plan: Plan, store: GameStore) -> list[Step]:
    """The steps that are stored, before the first of which a file is gone."""
    steps = [Step(**document) for document in store.steps()]
    return list(takewhile(lambda step: plan.method.is_kept(step, store.folder), steps))


def _match(plan: Plan, learned: PlayerSpec, opponent: PlayerSpec) -> list[Job]:
    """Pairs of games of the learned player against an opponent, whose name is that of the stage."""
    jobs = []
    for pair, opening in enumerate(plan.openings, start=1):
        for game, white, black in ((2 * pair - 1, learned, opponent), (2 * pair, opponent, learned)):
            jobs.append(job_of(plan.terms, opponent.name, game, pair, white, black, opening=opening))
    return jobs
