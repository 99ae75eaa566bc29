"""A run that is watched."""

from __future__ import annotations

NAMES = ("<b>bold</b>", "plain")

DOCUMENT = {
    "name": "watched",
    "variant": "english",
    "seed": 3,
    "openings": {"random_plies": 3, "count": 2},
    "max_plies": 60,
    "players": [{"name": NAMES[0], "type": "negamax", "depth": 2}, {"name": NAMES[1], "type": "random"}],
}
