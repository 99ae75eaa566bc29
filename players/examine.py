"""Examinations of evaluations: what is checked of one, on positions of all phases, and what is found."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

import numpy as np
from numba.core.runtime import _nrt_python, rtsys  # type: ignore[attr-defined]
from numpy.typing import NDArray

from arena.base.work import Lost, Stage, run_in_subprocess
from arena.rules.jit.kernel import is_compiling, native_errors
from arena.rules.moves import turned
from arena.rules.notation import fen
from arena.rules.position import BLACK, WHITE, Position
from arena.rules.variants import Variant
from players.evaluation.build import build_evaluation
from players.evaluation.evaluator import Evaluation
from players.evaluation.sample import positions_of, rises
from players.loading import Finding, PlayerError, blame, load_object
from players.negamax.score import LIMIT

COMPILE_SECONDS = 300.0
"""Seconds that it may take to compile the arena's own kernels, for rules that were never played."""
BUILD_SECONDS, CALL_SECONDS = 60.0, 5.0
"""Seconds that an evaluation may take to be loaded and compiled, and for one position and those made of it."""
_MIDDLE = 1.3  # pieces of a position of the middle, for each man that a side has at the start
_TIMED_SECONDS = 0.05
_TIMED_COPIES = 30  # of all positions in one call of a kernel, so that the call itself takes no time
_SAME = 1e-9  # the part of the largest value by which values that should be equal may differ, as sums are rounded
_NEARLY = 0.2
"""The part of a man's worth by which the values of a position and of its mirror image may differ, as tables are
learned."""
_IMAGE = "the same on a position and its mirror image (board turned, colours swapped)"
_MOSTLY = 0.9
"""The part of the positions that differ which must have the opposite value to say that the view is White's."""


class Valued(NamedTuple):
    """A position and its value from the side to move's view."""

    position: Position
    value: float


class Examination(NamedTuple):
    """The result of examining an evaluation; it has only findings if the examination did not finish."""

    findings: tuple[Finding, ...]
    nanoseconds: float | None = None
    """Of one call within a compiled loop; None where it was not timed, or raises exceptions."""
    simple: float | None = None  # the same for the evaluation `simple`
    samples: tuple[Valued, ...] = ()  # the start, a position of the middle and an ending


class _Values(NamedTuple):
    value: float
    again: float
    mirrored: float
    rise: float  # the average rise of the value when the other side lacks a man; nan if it has none to spare
    raised: str  # the exception of the first call, else empty


def examine(
    description: str | Mapping[str, Any],
    variant: Variant,
    build_seconds: float = BUILD_SECONDS,
    *,
    is_timed: bool = True,
) -> Examination:
    """Examine an evaluation, see `examination_stages`, in a process of its own: one that crashes or hangs is a
    finding. Raises PlayerError for one that cannot be built."""
    positions_of(variant)  # which the process has, too, with the kernels that draw them
    try:
        for message in run_in_subprocess(examination_stages, description, variant, build_seconds, is_timed):
            if isinstance(message, PlayerError):
                raise message
            if isinstance(message, Examination):
                return message
    except Lost as lost:
        hint = " (is an index out of bounds?)" if "SIGSEGV" in str(lost) else ""
        return Examination((Finding("error", detail=f"{name_of(description)} {lost}{hint}"),))
    return Examination(())


def examination_stages(
    description: str | Mapping[str, Any],
    variant: Variant,
    build_seconds: float = BUILD_SECONDS,
    is_timed: bool = True,
) -> Iterator[Stage | PlayerError | Examination]:
    """Stages, and at last the examination of an evaluation on `players.evaluation.sample`, or the PlayerError for
    which it cannot be built.

    It is an error if a value is not finite, looks like a win, or is another when asked again; if it falls when the
    other side lacks a man (not where losing wins); if it is from White's view. It is a warning if values say
    nothing of men, or are not the same on a position's mirror image.
    """
    yield Stage("positions were being drawn for it", COMPILE_SECONDS)
    positions = positions_of(variant)
    if not positions:
        yield Examination((Finding("warning", "cannot be examined, as nobody can move at the start"),))
        return
    simple = build_evaluation("simple", variant)
    if is_timed:
        simple.values(variant.rules, positions)
    yield Stage("it was being loaded and compiled", build_seconds)
    try:
        evaluation = build_evaluation(description, variant)
    except PlayerError as error:
        yield error
        return
    values: list[_Values] = []
    for position in positions:
        yield Stage(f"valuing {fen(variant, position)}", CALL_SECONDS)
        values.append(_values_of(evaluation, variant, position, name_of(description)))
    raising = any(value.raised for value in values)
    yield Stage("being timed", CALL_SECONDS)
    pieces = [(position.white | position.black).bit_count() for position in positions]
    middle = min(range(len(positions)), key=lambda i: abs(pieces[i] - _MIDDLE * variant.men))
    yield Examination(
        findings=(
            *_Checks(variant, positions, values).findings(),
            *(() if raising else _of_memory(description, evaluation, variant)),
        ),
        nanoseconds=_nanoseconds(evaluation, variant, positions) if is_timed and not raising else None,
        simple=_nanoseconds(simple, variant, positions) if is_timed else None,
        samples=tuple(Valued(positions[i], values[i].value) for i in (0, middle, len(positions) - 1)),
    )


def name_of(description: str | Mapping[str, Any]) -> str:
    """How messages name an evaluation."""
    return description if isinstance(description, str) else json.dumps(description)


def _values_of(evaluation: Evaluation, variant: Variant, position: Position, name: str) -> _Values:
    """The values of a position and of those made of it; what is raised in native code counts as the value 0."""
    with native_errors() as raised:
        [value] = evaluation.values(variant.rules, [position]).tolist()
    reason = _exception_text(raised[0], name, variant, position) if raised else ""
    with native_errors():
        both = [position, turned(variant.rules, position)]
        again, of_turned = evaluation.values(variant.rules, both).tolist()
        changes = rises(evaluation, variant, position)
    rise = fmean(changes) if changes and all(map(math.isfinite, changes)) else math.nan
    return _Values(value, again, of_turned, rise, reason)


def _exception_text(error: BaseException, name: str, variant: Variant, position: Position) -> str:
    """The exception of a user's evaluation with its line, which native divisions lack: Python then repeats it."""
    source = name.rpartition(":")[0]
    if not source:
        return f"{type(error).__name__}: {error}"
    if isinstance(error, ZeroDivisionError):
        try:
            load_object(name, "evaluation", callable)(position, variant.rules)
        except Exception as repeated:
            error = repeated
    return blame(error, source)


def _of_memory(
    description: str | Mapping[str, Any], evaluation: Evaluation, variant: Variant
) -> Iterator[Finding]:
    """Warn of a user's function that takes memory at every call, as lists, dicts and text do."""
    if not isinstance(description, str) or ":" not in description or not is_compiling():
        return
    _nrt_python.memsys_enable_stats()
    counts = [rtsys.get_allocation_stats().alloc]
    for calls in (1, 2):
        evaluation.values(variant.rules, calls * [variant.start])
        counts.append(rtsys.get_allocation_stats().alloc)
    if counts[2] - counts[1] > counts[1] - counts[0]:
        message = "takes memory at every call, as lists, dicts and text do, which is slow: use numbers or a tuple"
        yield Finding("warning", message)


class _Checks:
    def __init__(self, variant: Variant, positions: Sequence[Position], values: Sequence[_Values]) -> None:
        self.variant, self.positions, self.values = variant, positions, values
        self.numbers = np.array([value[:4] for value in values])
        self.value, self.again, self.mirrored, self.rise = self.numbers.T
        with np.errstate(invalid="ignore"):
            self.unlike = np.abs(self.value - self.mirrored)
            self.unlike_opposite = np.abs(self.value + self.mirrored)
        self.sound = np.isfinite(self.value) & np.isfinite(self.mirrored)
        self.largest = float(np.abs(self.value[self.sound]).max(initial=0.0))
        self.man_value = float(np.median(np.abs(self.rise[np.isfinite(self.rise)]))) if self.sound.any() else 0.0

    def findings(self) -> Iterator[Finding]:
        """All findings, the gravest first; none that only follow from a graver one."""
        raised = np.array([bool(value.raised) for value in self.values])
        if raised.any():
            reason = next(value.raised for value in self.values if value.raised)
            message = f"raises an exception, after which its value is 0, {self._share(raised)}"
            yield Finding("error", message, detail=reason)
            return
        yield from self._of_numbers()
        if not self.sound.any():
            return
        changes = self.sound & (self.value != self.again)
        if changes.any():
            yield Finding("error", f"has another value when it is asked again {self._share(changes)}")
            return
        if np.ptp(self.value[self.sound]) <= _SAME * self.largest:
            yield Finding("warning", f"is {self.value[self.sound][0]:g} in all positions: it says nothing of any")
            return
        view = self._of_view()
        of_men = [] if self.variant.rules.losing_wins or view.level == "error" else [self._of_men()]
        finite = np.isfinite(self.value).all()
        yield from (finding for finding in (*of_men, view) if finite or finding.level == "error")

    def _of_numbers(self) -> Iterator[Finding]:
        endless = ~np.isfinite(self.value)
        if endless.any():
            value = self.value[endless][0]
            yield Finding("error", f"is {value:g}, not a finite number, {self._share(endless)}")
        else:
            yield Finding("ok", f"finite in all of {len(self.values)} positions")
        high = self.sound & (np.abs(self.value) >= LIMIT)
        if high.any():
            share = self._share(high)
            message = f"reaches {self.largest:g} {share}; from {LIMIT:g} on a value is taken for a won game's"
            yield Finding("error", message)
        else:
            yield Finding("ok", f"{self.largest:g} at most, below the scores of won games")

    def _of_men(self) -> Finding:
        rises = self.rise[np.isfinite(self.rise)]
        near = _SAME * self.largest
        fallen, risen = int((rises < -near).sum()), int((rises > near).sum())
        there = f"of {len(rises)} positions when the opponent lacks a man"
        if all(self._falls(colour) for colour in (WHITE, BLACK)):
            return Finding("error", f"falls in {fallen} {there} (is the sign right?)")
        if 2 * (fallen + risen) < len(rises):
            return Finding("warning", f"stays the same in {len(rises) - fallen - risen} {there}")
        return Finding("ok", f"rises in {risen} {there}")

    def _of_view(self) -> Finding:
        differ = self.sound & (self.unlike > max(_SAME * self.largest, _NEARLY * self.man_value))
        if not differ.any():
            most = float(self.unlike[self.sound].max())
            but = f", but for {most:.3g} at most, where a man is worth {self.man_value:.3g}"
            return Finding("ok", f"{_IMAGE}{but if most > _SAME * self.largest else ''}")
        opposite = differ & (self.unlike_opposite <= _SAME * self.largest)
        message = f"is not {_IMAGE} {self._share(differ)}"
        if opposite.sum() >= _MOSTLY * differ.sum() or self._falls(WHITE) != self._falls(BLACK):
            view = "Black" if self._falls(WHITE) else "White"
            return Finding("error", f"{message} (is it from {view}'s view, not from the side to move's?)")
        here, there = self.value[differ][0], self.mirrored[differ][0]
        return Finding("warning", f"{message}, {here:g} and {there:g} (is it from the side to move's view?)")

    def _falls(self, colour: int) -> bool:
        turns = np.array([position.turn for position in self.positions])
        rises = self.rise[np.isfinite(self.rise) & (turns == colour)]
        return bool(2 * (rises < -_SAME * self.largest).sum() > len(rises))

    def _share(self, there: NDArray[np.bool_]) -> str:
        first = fen(self.variant, self.positions[int(there.argmax())])
        return f"in {there.sum()} of {len(there)} positions ({first})"


def _nanoseconds(evaluation: Evaluation, variant: Variant, positions: Sequence[Position]) -> float:
    """Nanoseconds of one call, the best of several rounds over all positions."""
    asked, best = np.tile(np.array(positions, np.int64), (_TIMED_COPIES, 1)), math.inf
    end = time.perf_counter() + _TIMED_SECONDS
    while time.perf_counter() < end or best == math.inf:
        began = time.perf_counter()
        evaluation.values(variant.rules, asked)
        best = min(best, (time.perf_counter() - began) / len(asked))
    return 1e9 * best
