"""The games of a run as PDN, for any draughts program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from arena.report.run import Run
from arena.rules.pdn.write import pdn_game


def write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    moves, facts = run.moves.sort_values(["game", "ply"], kind="stable"), run.facts
    texts = moves["move"].astype(str).to_numpy(dtype=object)
    numbers = moves["game"].to_numpy()
    start = np.searchsorted(numbers, run.games["game"].to_numpy(), side="left")
    stop = np.searchsorted(numbers, run.games["game"].to_numpy(), side="right")
    for game, first, last in zip(run.games.itertuples(index=False), start, stop, strict=True):
        tags = {
            "Event": run.name,
            "Site": "draughts-arena",
            "Round": f"{game.round}.{game.game}",
            "White": str(game.white),
            "Black": str(game.black),
            "Result": str(game.result),
        }
        if facts.gametype:
            tags["GameType"] = facts.gametype
        tags["Termination"] = str(game.termination)
        fen = str(game.opening_fen)
        opening = None if fen == facts.start_fen else fen
        yield pdn_game(tags, texts[first:last].tolist(), tags["Result"], facts.first, opening)
