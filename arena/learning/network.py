"""A network for `evaluation:`, learned from a player's own games, from runs and from PDN files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Annotated, ClassVar, Literal, TypeAlias

import numpy as np
import pandas as pd
from pydantic import Field

from arena.base.files import replace
from arena.base.wording import message_of, not_installed
from arena.experiment.yaml.errors import Keys
from arena.learning.games import Job, job_of
from arena.learning.logistic import COIN, Loss
from arena.learning.method import AGAINST, BuildTrial, LearningFindings, LearningSession, Method, Options, Step
from arena.learning.samples import SOURCE, Samples, games_of_run, samples_of_pdn, samples_of_searches
from arena.learning.terms import EvaluationField, LearningError, Terms
from arena.rules.pdn.result import Winner
from players.evaluation.neural import LANES, NetworkFile

_GAMES = "games"
"""The stage of the first round's games."""
NETWORK_FILE = "network.npz"
"""The file of the network that is learned in the end."""
DEFAULT_EVALUATION = "simple"
"""The player's evaluation where none is given."""

Width: TypeAlias = Literal[64, 128, 256]
"""Numbers of a network's first layer."""


class Network(Method):
    """A network for `evaluation:`, fitted by PyTorch to positions, their results and their scores.

    Positions of all sources are learned together. Of several rounds of games each makes the network that plays the
    next one; only the last round's games are learned from in the end.
    """

    method: Literal["network"]
    games: int = Field(default=4000, ge=0, description="Games that the player plays with itself.")
    earlier: tuple[Annotated[int, Field(ge=20)], ...] = Field(
        default=(),
        strict=False,
        description="Games of rounds before; each round makes the network that plays the next one.",
    )
    random_moves: float = Field(
        default=0.01, ge=0, lt=1, description="Share of their moves that are drawn at random."
    )
    runs: tuple[str, ...] = Field(
        default=(), strict=False, description="Folders of runs: positions that were searched with a score."
    )
    pdn: tuple[str, ...] = Field(
        default=(), strict=False, description="PDN files: positions of their games, with the results."
    )
    pdn_results: Winner = Field(
        default="first", description="Whose win `1-0` is in them: that of the side that moves first, or White's."
    )
    width: Width = Field(default=64, description="Numbers of the network's first layer.")
    results: float = Field(
        default=0.2, ge=0, le=1, description="Weight of results against scores, which get the rest."
    )
    epochs: int = Field(default=15, ge=1, description="Passes over the positions.")
    batch: int = Field(default=4096, ge=1, description="Positions of a step of the descent.")
    rate: float = Field(default=0.004, gt=0, description="Learning rate at first; falls to 0 along a cosine.")
    against: EvaluationField = Field(
        default="material", description="The evaluation that the network meets in the end."
    )
    check: int = Field(default=100, ge=1, description="Pairs of games of the match in the end.")

    noun: ClassVar[str] = "round"
    subject: ClassVar[str] = "network"
    unit: ClassVar[str] = "epoch"

    @property
    def schedule(self) -> Sequence[int]:
        return (*self.earlier, self.games)

    def problems(self, terms: Terms) -> Iterator[tuple[Keys, str]]:
        if not (self.games or self.runs or self.pdn):
            yield ("learn", "games"), "there are no positions to learn: give games, runs or pdn"
        if self.earlier and not self.games:
            yield ("learn", "earlier"), "the last round has no games: give games"
        for key, noun, names in (("runs", "run", self.runs), ("pdn", "file", self.pdn)):
            for name in names:
                if not _place(terms, name).exists():
                    yield ("learn", key), f"there is no {noun} {name}"
        if lack := _lack_of_torch():
            yield ("learn", "method"), lack

    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        yield BuildTrial((), self.first_options(terms))
        yield BuildTrial(("against",), {"evaluation": self.against}, ("evaluation",))

    def first_options(self, terms: Terms) -> Options:
        return {"evaluation": terms.player.options.get("evaluation", DEFAULT_EVALUATION)}

    def opponents(self, terms: Terms) -> dict[str, Options]:
        return {AGAINST: {"evaluation": self.against}}

    def stage(self, number: int) -> str:
        return _GAMES if number == 1 else f"{_GAMES} {number}"

    def is_kept(self, step: Step, folder: Path) -> bool:
        return self.file(step.number, folder).exists()

    def file(self, number: int, folder: Path) -> Path:
        """The file of the network that learns from the games of a round."""
        return folder / (NETWORK_FILE if number == len(self.schedule) else f"network-{number}.npz")

    def options(self, terms: Terms, step: Step, folder: Path) -> Options:
        return {"evaluation": str(self.file(step.number, folder))}

    def jobs(self, session: LearningSession, steps: Sequence[Step]) -> list[Job]:
        terms, number = session.terms, len(steps) + 1
        folder = session.store.folder.resolve()
        options = self.options(terms, steps[-1], folder) if steps else self.first_options(terms)
        player = terms.spec("player", options)
        return [
            job_of(terms, self.stage(number), game, game, player, player, random_moves=self.random_moves)
            for game in range(1, self.schedule[number - 1] + 1)
        ]

    def fit(self, session: LearningSession, steps: Sequence[Step]) -> Step | None:
        """Fit a network to the games of a round and to all other sources, and write its file.

        Beside that is the checkpoint of the last finished epoch. A network that only plays the next round has the
        least width, which is the fastest.
        """
        from arena.learning.fit import Fit, unit_of, views_of  # PyTorch takes seconds to import

        number, variant, folder = len(steps) + 1, session.terms.rule_set, session.store.folder
        file = self.file(number, folder)
        checkpoint, notes = file.with_suffix(".pt"), list[str]()
        width = self.width if number == len(self.schedule) else LANES
        fit = Fit(
            variant.rules,
            session.terms.seed,
            width=width,
            epochs=self.epochs,
            batch=self.batch,
            rate=self.rate,
        )
        with TemporaryFile(dir=folder) as boards:
            learned, judged, digest = views_of(variant, self.samples(session, number, notes), boards)
            if not (len(learned.rows) and len(judged.rows)):
                raise LearningError("too few games to learn from some and to be judged by others; give more")
            fit.resume(checkpoint, digest)
            done = f", after {len(fit.epochs)} epochs" if fit.epochs else ""
            counts = f"learning from {len(learned.rows)} positions, judged by {len(judged.rows)}"
            session.observer.say("\n".join([*notes, f"{file.stem}: {counts}{done}"]))
            with session.observer.working("epochs", self.epochs) as stopping:
                while len(fit.epochs) < self.epochs:
                    if stopping():
                        return None
                    epoch = fit.descend(learned, judged)
                    replace(checkpoint, partial(fit.save, digest))
                    figures = f"loss {epoch.loss:.4f}, held out {Loss(epoch.held_out, epoch.error)}"
                    session.observer.say(f"epoch {epoch.number}/{self.epochs}: {figures}")
                    session.observer.done(epoch.number)
                if stopping():
                    return None
        network = fit.network.whole_numbers()
        replace(file, NetworkFile(network, unit_of(variant, network)).save)
        games = sum(len(np.unique(views.games)) for views in (learned, judged))
        positions, held_out, last = len(learned.rows), len(judged.rows), fit.epochs[-1]
        losses = last.loss, (last.held_out, last.error)
        return Step(number, games, positions, *losses, judged=held_out, epochs=fit.epochs)

    def samples(self, session: LearningSession, number: int, notes: list[str]) -> Iterator[Samples]:
        """The positions that the network of a round learns from, part by part.

        Each player's scores are put on the scale of its results. What is wrong with PDN files is added to the
        notes. Raises LearningError if nothing can be learned from them, StoreError for a run that cannot be read.
        """
        terms, variant = session.terms, session.terms.rule_set
        own = {f"round {number}": session.store.games(self.stage(number))} if self.schedule[number - 1] else {}
        sources = [own] if own else []
        for name in self.runs:
            lists = games_of_run(_place(terms, name), variant)
            sources.append({f"{name}, player {games[0].stage}": games for games in lists})
        players = [(source, *named) for source, lists in enumerate(sources) for named in lists.items()]
        for source, whose, games in players:
            for samples in samples_of_searches(whose, games, self.results):
                yield samples._replace(games=samples.games + source * SOURCE)
        for source, name in enumerate(self.pdn, len(sources)):
            samples, wrong = samples_of_pdn(_place(terms, name), variant, self.pdn_results)
            notes += wrong
            yield samples._replace(games=samples.games + source * SOURCE)

    def findings(self, terms: Terms, step: Step, folder: Path) -> LearningFindings:
        file = self.file(step.number, folder)
        note = f"The network is in `{file}`, for any player of rules on a board of this size."
        return LearningFindings("Network", note, pd.DataFrame())

    def path(self, terms: Terms, steps: Sequence[Step]) -> pd.DataFrame:
        epochs = [(step, loss, held_out) for step in steps for _, loss, held_out, _ in step.epochs]
        rows = [
            (step.number, number, step.games, loss, held_out)
            for number, (step, loss, held_out) in enumerate(epochs, 1)
        ]
        return pd.DataFrame(rows, columns=["round", "step", "games", "loss", "held_out"])

    def description(self, steps: Sequence[Step]) -> str:
        last = steps[-1]
        sources = [f"{self.games} games of the player with itself"] if self.games else []
        if self.earlier:
            counts = " and ".join(map(str, self.earlier))
            sources[0] += f", after rounds of {counts}, each of which made the network that played the next"
        sources += [f"the run {name}" for name in self.runs] + [f"the file {name}" for name in self.pdn]
        assert last.held_out is not None
        return (
            f"It learned from {last.positions:,} quiet positions of {', '.join(sources)}, and was judged by "
            f"{last.judged:,} of every 20th game. Targets are {self.results:g} of the game's result and "
            f"{1 - self.results:g} of what the search's score makes expect; of PDN files, results. "
            f"After {self.epochs} epochs the loss was {last.loss:.4f} nats on the way, "
            f"{Loss(*last.held_out)} of the positions held out; a coin's is {COIN:.4f}."
        )


def _lack_of_torch() -> str:
    """Why PyTorch cannot be used; "" if it can."""
    try:
        import arena.learning.fit  # noqa: F401  PyTorch takes seconds to import
    except (ImportError, OSError) as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "torch":
            return not_installed("a network", "PyTorch", "train")
        return f"a network needs PyTorch, which does not load: {message_of(error)}"
    return ""


def _place(terms: Terms, name: str) -> Path:
    """A file or folder that the configuration names: beside it, or in the working directory."""
    beside = terms.path.parent / name
    return beside if beside.exists() else Path(name)
