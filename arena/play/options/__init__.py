"""What a run may have beside its games: a module for each option, and a row in one list."""

from __future__ import annotations

from collections.abc import Sequence

from arena.play.options.disqualification import Disqualification
from arena.play.options.grading import Grades
from arena.play.options.logs import Logs
from arena.play.options.option import Option
from arena.play.options.sandbox import Sandbox
from arena.play.options.suites import Suites
from arena.play.options.trials import Trials

OPTIONS: Sequence[type[Option]] = (
    Sandbox,
    Trials,
    Grades,
    Suites,
    Disqualification,
    Logs,
)
"""All options, in the order in which they hear what happens. The core runs without any of them."""
