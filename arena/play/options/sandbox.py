"""The sandbox of a run, which a user's own code needs where the configuration says so."""

from __future__ import annotations

from arena.experiment.model import Experiment
from arena.hosting import sandbox
from arena.play.options.option import Option


class Sandbox(Option):
    """The sandbox of a run. `arena.hosting.player_process` begins no process outside one that is asked for."""

    key = "sandbox"

    @staticmethod
    def prepare(experiment: Experiment) -> None:
        """Check that there can be one."""
        if experiment.sandbox and (why := sandbox.unavailable()):
            raise experiment.error(("sandbox",), f"'sandbox' cannot be true: {why}")
