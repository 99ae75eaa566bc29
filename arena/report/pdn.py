"""The games of a run as PDN, for any draughts program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from arena.report.run import Run
from arena.rules.pdn.write import pdn_game
from arena.store.ledger import Facts


def write_pdn(run: Run, path: Path) -> None:
    """Write all games into one file, an empty line between them."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for number, text in enumerate(pdn_games(run)):
            file.write(("\n" if number else "") + text.rstrip("\n") + "\n")


def pdn_games(run: Run) -> Iterator[str]:
    """Each game as PDN, in the order of the games table."""
    columns = [str(name) for name in run.games.columns]
    for row, moves in zip(run.games.itertuples(index=False, name=None), _texts(run), strict=True):
        yield stored_pdn(run.name, run.facts, dict(zip(columns, row, strict=True)), moves)


def stored_pdn(event: str, facts: Facts, game: Mapping[str, Any], moves: Sequence[str]) -> str:
    """A game, by the columns of a ledger, with its moves; without a GameType it names its start position."""
    tags = {
        "Event": event,
        "Site": "draughts-arena",
        "Round": f"{game['round']}.{game['game']}",
        "White": str(game["white"]),
        "Black": str(game["black"]),
        "Result": str(game["result"]),
    }
    if facts.gametype:
        tags["GameType"] = facts.gametype
    tags["Termination"] = str(game["termination"])
    fen = str(game["opening_fen"])
    opening = None if fen == facts.start_fen and facts.gametype else fen
    return pdn_game(tags, moves, tags["Result"], facts.first, opening)


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
