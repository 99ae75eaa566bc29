"""The table of formats."""

from __future__ import annotations

from typing import TypeAlias, get_args

from arena.formats.adaptive import Adaptive
from arena.formats.gauntlet import Gauntlet
from arena.formats.knockout import Knockout
from arena.formats.ladder import Ladder
from arena.formats.match import Match
from arena.formats.round_robin import RoundRobin
from arena.formats.swiss import Swiss
from arena.yaml.section import Section

Format: TypeAlias = RoundRobin | Match | Gauntlet | Swiss | Knockout | Ladder | Adaptive
"""`most_games` is the most that a number of players and openings can lead to, exact for the first four;
`openings_needed` how many openings are the least."""
FORMATS: dict[str, type[Section]] = {
    get_args(model.model_fields["type"].annotation)[0]: model for model in get_args(Format)
}
STATIC = ("round-robin", "match", "gauntlet")
"""Formats whose games are known before the first is played."""
TESTED = ("round-robin", "match")
"""Formats that a sequential test may end."""
