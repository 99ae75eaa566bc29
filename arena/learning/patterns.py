"""Learning the tables of `patterns`, from results and the search's scores of quiet positions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal

import pandas as pd
from pydantic import Field

from arena.base.files import replace
from arena.experiment.model import entry_of
from arena.experiment.yaml.values import yaml_text
from arena.learning.driver import LearningError, Play
from arena.learning.games import Terms, play_scored
from arena.learning.method import TUNED, BuildTrial, Fitting, Method, Step, StepRun, TuningFindings
from arena.learning.pattern_fit import fit_tables, held_out_loss, samples
from arena.learning.samples import FitError
from arena.learning.store import GameStore
from arena.learning.terms import EvaluationField, evaluation_name
from arena.ratings.types import Floats
from players.evaluation.patterns import save_weights

WEIGHTS = "weights.npz"


class Patterns(Method):
    """Rounds of games of the tables with themselves, each followed by a fit of the games of all rounds."""

    method: Literal["patterns"]
    start: EvaluationField = Field(default="strong", description="The evaluation that plays the first round.")
    games: int = Field(default=4000, ge=20, description="Games of a round; every 20th is held out of the fit.")
    rounds: int = Field(default=4, ge=1, description="Rounds: play with the tables so far, then fit all games.")
    results: float = Field(
        default=0.2, ge=0, le=1, description="Weight of results against scores, which get the rest."
    )
    epochs: int = Field(default=10, ge=1, description="Passes of a fit over its positions.")
    penalty: float = Field(default=1e-4, ge=0, description="Strength of the ridge penalty, per position.")

    noun: ClassVar[str] = "round"

    @property
    def step_count(self) -> int:
        return self.rounds

    @property
    def step_games(self) -> int:
        return self.games

    @property
    def subject(self) -> str:
        return "The learned tables"

    @property
    def start_name(self) -> str:
        return f"the start, {evaluation_name(self.start)}"

    def trials(self, terms: Terms) -> Iterator[BuildTrial]:
        for key, evaluation in (("start", self.start), ("against", self.against)):
            yield BuildTrial((key,), {"evaluation": evaluation}, ("evaluation",))

    def first(self, terms: Terms) -> dict[str, Any]:
        return {"evaluation": self.start}

    def step(self, terms: Terms, play: Play, store: GameStore, before: Sequence[Step]) -> StepRun:
        number, folder = len(before) + 1, store.folder
        stage, player = f"round {number}", terms.player("tables", **self._tables(folder, len(before)))
        jobs = [terms.job(stage, game, player, player, game) for game in range(1, self.games + 1)]
        if not (yield from play(stage, jobs, play_scored)):
            return None
        rounds = [store.games(f"round {one}") for one in range(1, number + 1)]
        try:
            data = samples(rounds, self.results)
            yield Fitting(number, len(data.positions))
            tables = fit_tables(terms.variant, data, self.epochs, self.penalty, [terms.seed, number])
            write_tables(tables_file(folder, number), tables)
            specs = [terms.player("tables", **self._tables(folder, one)) for one in range(number + 1)]
            losses = [held_out_loss(terms.variant, data, spec.options["evaluation"]) for spec in specs]
        except FitError as error:
            raise LearningError(str(error)) from None
        positions = sum(len(game.scored()) for game in rounds[-1])
        return Step(number, [], [], len(jobs), positions, losses[-1], losses)

    def found(self, terms: Terms, step: Step, folder: Path) -> dict[str, Any]:
        return self._tables(folder, step.number)

    def step_text(self, terms: Terms, step: Step) -> str:
        losses = " -> ".join(f"{loss:.4f}" for loss in step.losses)
        return f"{self.place(step.number)}: loss held out {losses}"

    def losses(self, steps: Sequence[Step]) -> list[float | None]:
        """Of the positions held out from all rounds."""
        return list(steps[-1].losses)

    def tuned_file(self, name: str, terms: Terms, steps: Sequence[Step], folder: Path) -> tuple[str, bytes]:
        return WEIGHTS, tables_file(folder, len(steps)).read_bytes()

    def findings(self, terms: Terms, steps: Sequence[Step], folder: Path) -> TuningFindings:
        names = (evaluation_name(self.start), *(f"round {step.number}" for step in steps))
        losses = [f"{loss:.4f}" for loss in steps[-1].losses]
        table = pd.DataFrame({"evaluation": names, "loss held out, nats": losses})
        file = str(folder / WEIGHTS)
        note = f"The tables are in {file}, for any player of {terms.variant.name}'s rules."
        entry = yaml_text([entry_of(terms.entry(TUNED, {"evaluation": file}))])
        title = "Loss on games held out of the fit"
        return TuningFindings("Tables", note, table, self._description(steps), entry, title)

    def _description(self, steps: Sequence[Step]) -> str:
        positions = sum(step.positions for step in steps)
        plural = "s" if self.rounds > 1 else ""
        return (
            f"Logistic regression: {self.rounds} round{plural} of {self.games} games, each played with the "
            f"tables so far and fitted with all before it; {positions:,} quiet positions in all. Their targets "
            f"are {100 * self.results:g} % result and the rest the search's score; {self.epochs} epochs, penalty "
            f"{self.penalty:g}. Every 20th game was held out: the loss is the cross-entropy of its targets, each "
            "evaluation in the unit that suits it best. A constant 1/2 has 0.6931."
        )

    def _tables(self, folder: Path, number: int) -> dict[str, Any]:
        return {"evaluation": str(tables_file(folder, number).resolve()) if number else self.start}


def tables_file(folder: Path, number: int) -> Path:
    """The file of the tables of a round."""
    return folder / f"round_{number}.npz"


def write_tables(path: Path, tables: Floats) -> None:
    """Write tables to a file that is there in full or not at all. Raises OSError."""

    def fill(temporary: Path) -> None:
        named = temporary.with_suffix(".npz")  # numpy adds .npz to other names
        save_weights(named, tables)
        named.replace(temporary)

    replace(path, fill)
