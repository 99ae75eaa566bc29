"""The configuration of a tuning: its models and `load_tuning`, under the rules of `arena.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, ValidationError, WithJsonSchema

from arena.experiment.model import LIMIT_FIELDS, VariantField
from arena.wording import choices, shown
from arena.yaml.errors import ConfigError, Problem
from arena.yaml.messages import FOLDER, message
from arena.yaml.section import Section
from arena.yaml.values import Source

METHODS = ("texel", "spsa", "patterns")
_TAKEN = {
    "evaluation": "'evaluation' is what is tuned: its weights to begin with are 'start', in 'tuning'",
    "seconds": "'seconds' would make a tuning depend on the machine: give 'nodes' or 'depth'",
    "clock": "'clock' would make a tuning depend on the machine: give 'nodes' or 'depth'",
    "increment": "'increment' would make a tuning depend on the machine: give 'nodes' or 'depth'",
}
"""Keys of a player that have no place in a tuning, and why."""


class RandomOpenings(Section):
    """The openings; each is played once (Texel, patterns) or twice, colours swapped."""

    random_plies: int = Field(default=8, ge=2, description="Random plies from the start position.")
    balanced: bool = Field(default=True, description="Throw out random openings in which material is won.")


class Search(Section):
    """The negamax player whose evaluation is tuned: every other key is one of its options."""

    model_config = ConfigDict(extra="allow")
    depth: Annotated[int | None, LIMIT_FIELDS["depth"]] = None
    nodes: Annotated[int | None, LIMIT_FIELDS["nodes"]] = None

    @property
    def options(self) -> dict[str, Any]:
        """The options, without the limits."""
        return self.model_extra or {}


def _evaluation(value: Any) -> Any:
    if not isinstance(value, str | dict):
        raise ValueError(f"must be an evaluation: a name or a mapping, not {shown(value)}")
    return value


def _weights(value: Any) -> Any:
    if not isinstance(value, dict) or not value:
        raise ValueError(f"must be a mapping of features to weights, not {shown(value)}")
    return value


def _features(names: tuple[str, ...]) -> tuple[str, ...]:
    if len(names) != len(set(names)) or not names:
        raise ValueError("must list at least one feature, and none twice")
    return names


class _Method(Section):
    """What every method is told."""

    against: Annotated[Any, AfterValidator(_evaluation), WithJsonSchema({"type": ["string", "object"]})] = Field(
        default="simple", description="The evaluation that the tuned one meets in the end."
    )
    check: int = Field(default=200, ge=1, description="Pairs of games of each match in the end.")


class _Linear(_Method):
    """What both methods for `linear` are told."""

    features: Annotated[tuple[str, ...], AfterValidator(_features)] | None = Field(
        default=None, strict=False, description="Features to weigh [those of start, else all]."
    )
    start: Annotated[Any, AfterValidator(_weights), WithJsonSchema({"type": "object"})] = Field(
        default=None, validate_default=False, description="Weights to begin with [1 for every feature]."
    )
    phases: bool = Field(default=False, description="Two weights a feature: for the opening and the ending.")


class Texel(_Linear):
    """Logistic regression of results on the features of quiet positions, the first round forgotten later."""

    method: Literal["texel"]
    games: int = Field(default=2000, ge=2, description="Games of a round.")
    rounds: int = Field(default=3, ge=1, description="Rounds: play with the weights so far, then fit.")
    positions: int = Field(default=12, ge=1, description="Positions of a game, at most.")
    penalty: float = Field(default=20.0, gt=0, description="Strength of the ridge penalty.")


class Spsa(_Linear):
    """Simultaneous perturbation stochastic approximation over pairs of games."""

    method: Literal["spsa"]
    steps: int = Field(default=60, ge=1, description="Steps.")
    pairs: int = Field(default=50, ge=1, description="Pairs of games of a step, each with its own perturbation.")
    a: float = Field(default=1.0, gt=0, description="Numerator of the gains, in men.")
    c: float = Field(default=0.15, gt=0, description="Perturbation in the first step, in men.")
    A: float | None = Field(default=None, ge=0, description="Stability of the gains [a tenth of the steps].")
    alpha: float = Field(default=0.602, gt=0, description="Decay of the gains.")
    gamma: float = Field(default=0.101, gt=0, description="Decay of the perturbations.")


class Patterns(_Method):
    """The tables of `patterns`, from results and the search's scores of quiet positions."""

    method: Literal["patterns"]
    start: Annotated[Any, AfterValidator(_evaluation), WithJsonSchema({"type": ["string", "object"]})] = Field(
        default="strong", description="The evaluation that plays the first round."
    )
    games: int = Field(default=4000, ge=20, description="Games of a round; every 20th is held out of the fit.")
    rounds: int = Field(default=4, ge=1, description="Rounds: play with the tables so far, then fit all games.")
    results: float = Field(
        default=0.2, ge=0, le=1, description="Weight of results against scores, which get the rest."
    )
    epochs: int = Field(default=10, ge=1, description="Passes of a fit over its positions.")
    penalty: float = Field(default=1e-4, ge=0, description="Strength of the ridge penalty, per position.")


class Tuning(Section):
    """One tuning: which evaluation of which player, by which method."""

    name: str = Field(max_length=100, pattern=FOLDER, description="The run, kept in reports/<name>/.")
    variant: VariantField = Field(description="The rules: a name, or a base and what is different.")
    seed: int = Field(default=0, ge=0, description="The source of all chance.")
    openings: RandomOpenings = RandomOpenings()
    max_plies: int = Field(default=200, ge=1, description="Plies after which a game is a draw.")
    player: Search = Field(description="The player: a limit of nodes or depth, and options of negamax.")
    tuning: Texel | Spsa | Patterns
    _source: Source

    @property
    def path(self) -> Path:
        """The file that this was loaded from, as given to `load_tuning`."""
        return self._source.path

    def error(self, keys: Iterable[str | int], message: str) -> ConfigError:
        """An error at the key `keys`, or at the nearest enclosing key that the file has."""
        return ConfigError([self._source.problem(tuple(keys), message)])

    def as_dict(self) -> dict[str, Any]:
        """The configuration as JSON types, defaults filled in; equal for equal tunings."""
        return self.model_dump(mode="json")


class _TexelTuning(Tuning):
    tuning: Texel


class _SpsaTuning(Tuning):
    tuning: Spsa


class _PatternsTuning(Tuning):
    tuning: Patterns


_MODELS: dict[str, type[Tuning]] = {"texel": _TexelTuning, "spsa": _SpsaTuning, "patterns": _PatternsTuning}


def load_tuning(path: str | Path) -> Tuning:
    """Read the tuning in the YAML file `path`; raises ConfigError with all the problems that it has."""
    source = Source(Path(path))
    data = source.read()
    problems = [*source.problems, *_problems(source, data)]
    settings = data.get("tuning") if isinstance(data, dict) else None
    method = settings.get("method", "texel") if isinstance(settings, dict) else "texel"
    model = _MODELS.get(method, _TexelTuning) if isinstance(method, str) else _TexelTuning
    try:
        tuning = model.model_validate(data)
    except ValidationError as error:
        new = [e for e in error.errors() if e["loc"] not in source.refused or e["type"] == "extra_forbidden"]
        if method not in METHODS:
            new = [e for e in new if e["loc"][:1] != ("tuning",)]
        raise ConfigError([*problems, *(source.problem(e["loc"], message(e, model)) for e in new)]) from None
    if problems:
        raise ConfigError(problems)
    tuning._source = source
    return tuning


def _problems(source: Source, data: Any) -> Iterator[Problem]:
    """What is wrong between values, and what gets a clearer message than its model has."""
    from arena.rules.custom import VariantError, build_variant

    if not isinstance(data, dict):
        return
    try:
        if isinstance(data.get("variant"), dict):
            build_variant(data["variant"])
    except VariantError as error:
        yield source.problem(("variant", error.key), str(error))
    player, settings = data.get("player"), data.get("tuning")
    for key in player if isinstance(player, dict) else ():
        if key in _TAKEN:
            yield source.problem(("player", key), _TAKEN[key])
    if isinstance(settings, dict) and "method" in settings and settings["method"] not in METHODS:
        word = settings["method"]
        message = f"'method' must be a known method, not {shown(word)}; {choices(str(word), METHODS)}"
        yield source.problem(("tuning", "method"), message)
