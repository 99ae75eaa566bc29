"""Record: the games of persons at the board, kept as a run, so that a person has an Elo."""

from __future__ import annotations

import math
import os
import platform
import re
import time
from dataclasses import replace
from pathlib import Path
from weakref import WeakKeyDictionary

from arena.base.number import with_error
from arena.base.wording import cut
from arena.experiment.formats.base import Pairing
from arena.experiment.formats.fixed import Free
from arena.experiment.model import Experiment
from arena.experiment.yaml.messages import FOLDER
from arena.experiment.yaml.section import validated
from arena.experiment.yaml.values import Source
from arena.hosting.held import Answer
from arena.ledger.ledger import FILE, Facts, Ledger, experiment_and_facts
from arena.ledger.manifest import Manifest, manifest_of, save, session, stored_manifest
from arena.ledger.record import GameRecord, packed
from arena.ledger.repair import documents
from arena.ledger.store import StoreError, reading
from arena.play.match import REASON_CHARACTERS, Moves
from arena.rules.custom import build_variant, is_named
from arena.rules.game import Game, Termination
from arena.rules.notation import fen
from arena.rules.position import BLACK
from arena.rules.result import WHITE_POINTS, Colour
from arena.rules.variants import Variant
from arena.sitting.counting import uncounted
from arena.sitting.sides import person_spec
from arena.sitting.sitting import Sitting
from arena.sitting.turn import Turn
from arena.watch.elo import EloScale, estimates, tells_elo
from players.loading import fingerprints
from players.player import HUMAN, NAME_CHARACTERS, Choice, Limit, PlayerSpec

MOST_PLIES = 100_000
"""The run's limit of plies, which stands for none."""
_NOT_COUNTED = "the game does not count: "


class Record:
    """The run in a folder that a person's games are added to, open for writing; one thread at a time may use it.

    Its format is `free`: each game is a pair, a round and so a cluster of its own. Its players are the persons, of
    the type HUMAN, and whoever they met, by the entries of a configuration; Elo 0 is whoever was met first.
    """

    repaired: str
    """The damage found on opening the run, in one line; empty if there was none. Damaged games are lost."""

    def __init__(self, folder: Path, person: str, variant: Variant) -> None:
        """Open the run in `folder`, or begin one.

        Raises ValueError for what can be no person's name, or no variant of a run. Raises StoreError if the folder
        holds a tournament, or games of another variant or of another version of the arena, if another process uses
        it, it cannot be written to, or is too damaged to be read. Either is one line.
        """
        if not is_named(variant):
            raise ValueError(f"{variant.name} is no rule set that a run can name")
        self.folder, self.person, self.variant = folder, person, variant
        own = person_spec(person)
        found = _stored(folder, variant)
        self._experiment, self._facts = found or (_experiment(folder, variant, own), _facts(variant))
        if any(spec.name == person and spec.type != HUMAN for spec in self._experiment.players):
            raise ValueError(f"{person} is the name of a player of {folder}: a person needs another one")
        self._ledger = Ledger(folder, self._experiment, self._facts)
        self.repaired = self._ledger.repaired.replace("what is missing is done again", "what is missing is lost")
        self._added: WeakKeyDictionary[Sitting, int] = WeakKeyDictionary()
        """The numbers of the games that were added."""
        try:
            self._begin(own)
        except BaseException:
            self._ledger.close()
            raise

    def add(self, sitting: Sitting) -> str:
        """Store a finished game of this person against a player; returns what became of it, in one line.

        Such as `game 3 counts: me −34 ± 240 Elo (level 4 = 0); kept in reports/me`, or why it does not count: it
        is of other rules, `uncounted`, or of a player whose files have changed. One that was added before is not
        added again. Raises StoreError if it cannot be stored.
        """
        if sitting not in self._added:
            if refusal := self._refusal(sitting):
                return _NOT_COUNTED + refusal
            self._added[sitting] = self._store(sitting)
        return f"game {self._added[sitting]} counts: {self._standing()}; kept in {self.folder}"

    def close(self) -> None:
        """Close the run and release its folder."""
        self._ledger.close()

    def __enter__(self) -> Record:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _store(self, sitting: Sitting) -> int:
        (colour,) = (place for place, side in enumerate(sitting.sides) if side.is_person)
        spec = self._opponent(sitting)
        if spec not in self._experiment.players:
            self._admit(spec)
        self._learn_man(sitting, spec)
        number = max(self._ledger.finished(), default=0) + 1
        names = [self.person, spec.name][:: -1 if colour else 1]
        places = [[spec.name for spec in self._experiment.players].index(name) for name in names]
        pairing = Pairing(number, number, number, places[0], places[1], opening=0)
        self._ledger.add(game_record(sitting, pairing), names[0], names[1], self._facts.start_fen)
        return number

    def _begin(self, own: PlayerSpec) -> None:
        stored = stored_manifest(self._ledger)
        self._manifest = stored or manifest_of(self._experiment, self._facts.files, {own.name: None}, {})
        if own not in self._experiment.players:
            self._admit(own)
        now = session(len(self._ledger.finished()), 1, {})
        self._save(self._manifest._replace(sessions=[*self._manifest.sessions, now]))

    def _admit(self, spec: PlayerSpec) -> None:
        anchor = self._experiment.anchor or (None if spec.type == HUMAN else spec.name)
        players = (*self._experiment.players, spec)
        experiment = self._experiment.model_copy(update={"players": players, "anchor": anchor})
        facts = self._facts._replace(files=self._facts.files | fingerprints(spec))
        signatures, sessions = {**self._manifest.signatures, spec.name: None}, self._manifest.sessions
        made_of = manifest_of(experiment, facts.files, signatures, self._manifest.men)
        self._ledger.describe(experiment, facts)
        self._save(made_of._replace(sessions=sessions))
        self._experiment, self._facts = experiment, facts

    def _learn_man(self, sitting: Sitting, spec: PlayerSpec) -> None:
        man = next((turn.thought.man for turn in sitting.turns if turn.thought is not None), None)
        if man is not None and self._manifest.men.get(spec.name) is None:
            self._save(self._manifest._replace(men={**self._manifest.men, spec.name: man}))

    def _save(self, manifest: Manifest) -> None:
        save(self._ledger, manifest)
        self._manifest = manifest

    def _refusal(self, sitting: Sitting) -> str:
        if sitting.variant != self.variant:
            return f"{self.folder} is of {self.variant.name}"
        if why := uncounted(sitting):
            return why
        spec = self._opponent(sitting)
        changed = [name for name, now in fingerprints(spec).items() if self._facts.files.get(name, now) != now]
        return f"{changed[0]} has changed since {self.folder} began" if changed else ""

    def _opponent(self, sitting: Sitting) -> PlayerSpec:
        """The entry of a sitting's player: the run's, if it has one that is set alike, by its name there.

        Where the player's time is limited, the game's clock is among its limits.
        """
        (spec,) = (side.spec for side in sitting.sides if side.spec is not None)
        if sitting.clock is not None and spec.limit.longest is not None:
            clock, increment = sitting.clock
            spec = replace(spec, limit=spec.limit._replace(clock=clock, increment=increment or None))
        known = {own.name: own for own in self._experiment.players}
        alike = [name for name, own in known.items() if own == replace(spec, name=name)]
        if alike:
            return known[spec.name if spec.name in alike else alike[0]]
        name, number = spec.name, 1
        while name in known:
            number += 1
            name = f"{spec.name[: NAME_CHARACTERS - 1 - len(str(number))]} {number}"
        return replace(spec, name=name)

    def _standing(self) -> str:
        """`me −34 ± 240 Elo (level 4 = 0)`, or what there is of it where results say nothing of an Elo yet."""
        results = self._ledger.scores()
        points, games = 0.0, 0
        for (white, black, result), count in results.items():
            if self.person in (white, black):
                won = WHITE_POINTS[result]
                points += count * (won if self.person == white else 1 - won)
                games += count
        if not tells_elo(points, games):
            return f"{self.person} has {points:g} of {games}, which says too little for an Elo"
        scale = EloScale(self._facts.first, self._experiment.anchor, self._experiment.rating.model)
        own = estimates(results, scale)[self.person]
        return f"{self.person} {with_error(own.elo, own.error)} Elo ({scale.anchor} = 0)"


def _stored(folder: Path, variant: Variant) -> tuple[Experiment, Facts] | None:
    path = folder / FILE
    if not path.exists():
        return None
    with reading(path) as connection:
        stored = documents(connection)
    _, facts = experiment_and_facts(stored, path)
    experiment = validated(Experiment, stored["experiment"], Source(path), ())
    if not isinstance(experiment.format, Free):
        raise StoreError(f"{folder} holds a tournament, and no games at the board: they need another folder")
    if build_variant(experiment.variant) != variant:
        raise StoreError(f"{folder} holds games of {experiment.variant}, not of {variant.name}")
    return experiment, facts


def _experiment(folder: Path, variant: Variant, own: PlayerSpec) -> Experiment:
    name = folder.resolve().name
    data = {
        "name": name if re.match(FOLDER, name) else "games",
        "variant": variant.name,
        "openings": {"random_plies": 0, "balanced": False},
        "format": "free",
        "max_plies": MOST_PLIES,
        "players": [{"name": own.name, "type": own.type}],
    }
    return validated(Experiment, data, Source(folder / FILE), ())


def _facts(variant: Variant) -> Facts:
    first: Colour = "black" if variant.first == BLACK else "white"
    return Facts(first, variant.gametype, fen(variant, variant.start), 0, True, {})


def game_record(sitting: Sitting, pairing: Pairing) -> GameRecord:
    """The record of a sitting's game, which is over, and ended just now.

    A person's moves have seconds alone. Processor time is not known, and the game's time is that of its moves.
    """
    outcome = sitting.outcome
    assert outcome is not None
    seconds = math.fsum(turn.seconds for turn in sitting.turns)
    made = _moves(sitting)
    plies, moves = packed(made.columns())
    error = ""
    if outcome.termination == Termination.ERROR:
        error = f"{cut(sitting.failure, REASON_CHARACTERS)} at ply {plies + 1}"
    return GameRecord(
        pairing,
        outcome.result,
        str(outcome.termination),
        seconds,
        error,
        plies,
        moves,
        began=time.time() - seconds,
        worker=os.getpid(),
        machine=platform.node(),
        points=outcome.points,
        extras=made.extras(),
    )


def _moves(sitting: Sitting) -> Moves:
    """What is recorded of a game's moves; processor time is not known."""
    game, moves = Game(sitting.variant, sitting.game.start), Moves()
    for turn in sitting.turns:
        limit = _limit(sitting, turn, game.turn)
        choice = Choice(turn.move) if turn.thought is None else turn.thought.choice
        answer = Answer(choice, turn.seconds, math.nan)
        moves.add(game, answer, limit.clock_after(turn.seconds), limit.overrun(turn.seconds))
        game.push(turn.move)
    return moves


def _limit(sitting: Sitting, turn: Turn, colour: int) -> Limit:
    spec = sitting.sides[colour].spec
    limit = Limit() if spec is None else spec.limit
    if sitting.clock is None or turn.clocks is None:
        return limit
    return limit._replace(clock=turn.clocks[colour], increment=sitting.clock.increment)
