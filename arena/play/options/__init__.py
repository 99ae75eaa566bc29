"""What a run may have beside its games: a module for each option, and a row in one list."""

from __future__ import annotations

from collections.abc import Sequence

from arena.play.options.budget import Budget
from arena.play.options.bundles import Bundles
from arena.play.options.disqualification import Disqualification
from arena.play.options.grading import Grades
from arena.play.options.option import Option
from arena.play.options.sandbox import Sandbox
from arena.play.options.suites import Suites
from arena.play.options.trials import Trials
from arena.play.options.unreachable import Services

OPTIONS: Sequence[type[Option]] = (
    Sandbox,
    Trials,
    Grades,
    Suites,
    Disqualification,
    Services,
    Budget,
    Bundles,
)
"""All options, in the order in which they hear what happens. The core runs without any of them."""
