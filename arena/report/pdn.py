"""The games of a run as PDN, for any draughts program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from arena.report.run import Run
from arena.rules.pdn.write import pdn_game


def write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table; without a GameType all name their start position."""
    facts = run.facts
    for game, moves in zip(run.games.itertuples(index=False), _texts(run), strict=True):
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
        opening = None if fen == facts.start_fen and facts.gametype else fen
        yield pdn_game(tags, moves, tags["Result"], facts.first, opening)


def _texts(run: Run) -> Iterator[list[str]]:
    """The moves of each game."""
    plies = iter(run.games["plies"].tolist())
    for part in run.data.moves():
        texts = part["move"].tolist()
        start = 0
        while start < len(texts):
            count = next(plies)
            yield texts[start : start + count]
            start += count
    yield from ([] for _ in plies)
