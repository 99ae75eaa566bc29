"""The pools that ship: played, and written beside their configuration.

python -m tests.helpers.pools NAME [FOLDER]

Plays arena/experiment/pools/NAME.yaml in FOLDER (reports/NAME), or what is missing of it, and writes NAME.json.
"""

from __future__ import annotations

import json
import sys
from typing import Any

import arena
from arena.experiment.openings.sources import set_openings
from arena.experiment.pools import FOLDER, UNPLAYED
from arena.report.run import Run
from arena.rules.custom import build_variant
from arena.rules.notation import fen
from arena.rules.result import WHITE_POINTS


def document(run: Run) -> dict[str, dict[str, Any]]:
    """What ships of a pool's run: see `arena.experiment.pools`."""
    variant = build_variant(run.experiment.variant)
    names = [player.name for player in run.experiment.players]
    openings = set_openings(variant, str(run.experiment.openings.set))
    number = {fen(variant, opening.position): place for place, opening in enumerate(openings)}
    points: dict[str, dict[str, list[str]]] = {}
    for (_, opening), pair in run.games.groupby(["pair", "opening_fen"], sort=False):
        player, opponent = sorted(pair["white"], key=names.index)
        digits = points.setdefault(player, {}).setdefault(opponent, [2 * UNPLAYED] * len(openings))
        won = dict(zip(pair["white"], pair["result"].map(WHITE_POINTS), strict=True))
        digits[number[str(opening)]] = f"{2 * won[player]:.0f}{2 - 2 * won[opponent]:.0f}"
    strings = {one: {other: "".join(digits) for other, digits in of.items()} for one, of in points.items()}
    return {"points": strings}


def main(name: str, folder: str = "") -> None:
    run = arena.run(FOLDER / f"{name}.yaml", folder or None, workers=1)
    write(name, document(run))


def write(name: str, document: dict[str, dict[str, Any]]) -> None:
    """Write the JSON of a pool, a line for each player of each section."""
    sections = []
    for section, rows in document.items():
        lines = ",\n".join(f"  {json.dumps(player)}: {json.dumps(row)}" for player, row in rows.items())
        sections.append(f" {json.dumps(section)}: {{\n{lines}\n }}")
    (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(sections) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
