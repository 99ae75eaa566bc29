"""The store of a training: its games in `training.sqlite`, and beside it the checkpoint of its fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.learning.tuning.store import GameStore

FILE = "training.sqlite"
CHECKPOINT = "checkpoint.pt"


class TrainingStore(GameStore):
    """The games of one training."""

    def __init__(self, folder: Path, description: Mapping[str, Any]) -> None:
        """See `GameStore`."""
        super().__init__(folder / FILE, "training", description)

    @property
    def checkpoint(self) -> Path:
        """The file of the fit's last finished epoch."""
        return self.folder / CHECKPOINT
