"""One game of a run, read back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import nan
from typing import Any

import pandas as pd

from arena.base.files import OURS
from arena.base.number import known
from arena.ledger.ledger import StoreError
from arena.ledger.read import RunData
from arena.ledger.record import MOVE_COLUMNS, short_id
from arena.rules.game import ADJUDICATED, FORFEITS, Termination
from arena.rules.pdn.write import pdn_game, time_control
from arena.rules.played import PlayedGame, replayed
from arena.rules.result import points_text

_TERMINATIONS = (
    dict.fromkeys((*ADJUDICATED, Termination.MAX_PLIES), "adjudication")
    | dict.fromkeys(FORFEITS, "rules infraction")
    | {Termination.TIME: "time forfeit"}
)
"""The words of PGN 9.8.1 for the ends of games that are not "normal"."""
_MISSING = {"plies_to_win": 0.0}
"""What stands for a missing value of an answer, elsewhere nan."""


def played_game(data: RunData, game: int | str) -> PlayedGame:
    """A game of a run by its number or id, as `played_games` gives it. Raises StoreError if there is none."""
    every, text = pd.concat([data.games, data.void_games]), str(game)
    found = every[every["game"].astype(str) == text]
    if not len(found):
        found = every[[short_id(key, max(len(text), 6)) == text for key in every["key"]]]
    if not len(found):
        last = f"its last one is game {every['game'].max()}" if len(every) else "it has none yet"
        raise StoreError(f"the run has no game {game}: {last}")
    return next(played_games(data, found["game"].head(1)))


def played_games(data: RunData, numbers: Iterable[int]) -> Iterator[PlayedGame]:
    """Games of a run by their numbers, in this order, with their movers' answers; an illegal move is a problem.

    Their moves are read at once, and replayed one game after the other.
    """
    wanted = [*numbers]
    every = pd.concat([data.games, data.void_games]) if len(data.void_games) else data.games
    rows = every[every["game"].isin(wanted)]
    moves = pd.concat(data.moves(pd.Index(rows["game"])))
    answers = {name: moves[name].to_numpy(float, na_value=_MISSING.get(name, nan)) for name, _ in MOVE_COLUMNS}
    texts, count = moves["move"].tolist(), int(every["game"].max() if len(every) else 0)
    ends = zip(rows.to_dict("records"), rows["plies"].cumsum().tolist(), strict=True)
    found = {row["game"]: (row, slice(end - row["plies"], end)) for row, end in ends}
    for row, own in (found[number] for number in wanted if number in found):
        game = replayed(
            data.experiment.rule_set,
            row["opening_fen"],
            texts[own],
            result=row["result"],
            tags=_tags(data, row),
            number=row["game"],
            count=count,
            answers={name: column[own] for name, column in answers.items()},
            men=(data.info.players[row["white"]].man_value, data.info.players[row["black"]].man_value),
        )
        vars(game)["texts"] = texts[own][: len(game.moves)]  # to write them anew takes longer
        yield game


def row_pdn(
    data: RunData,
    row: Mapping[str, Any],
    texts: Sequence[str],
    comments: Iterable[str],
    marks: Mapping[int, str] | None = None,
) -> str:
    """A game as PDN, by the columns of a ledger, its moves, the comment after each, and marks of errors by ply.

    The points of a game that they decided are a comment after its last move.
    """
    noted = {ply: comment for ply, comment in enumerate(comments, start=1) if comment}
    if known(row["white_points"]):
        points = points_text((row["white_points"], row["black_points"]))
        noted[len(texts)] = ", ".join(filter(None, [noted.get(len(texts)), points]))
    opening, result = str(row["opening_fen"]), str(row["result"])
    variant, tags = data.experiment.rule_set, _tags(data, row)
    return pdn_game(variant, opening, tags, texts, result, comments=noted, marks=marks)


def _tags(data: RunData, row: Mapping[Any, Any]) -> dict[str, str]:
    """The tags of a game; `Termination` has the words of PGN, `TerminationDetails` the arena's."""
    version = data.info.versions.get(OURS)
    limits = {spec.name: spec.limit._asdict() for spec in data.experiment.players}
    white, black = (time_control(limits.get(row[colour], {})) for colour in ("white", "black"))
    both = {"TimeControl": white} if white == black else {"TimeControlWhite": white, "TimeControlBlack": black}
    return {
        "Event": data.experiment.name,
        "Site": f"draughts-arena {version}" if version else "draughts-arena",
        "Date": f"{row['began']:%Y.%m.%d}",
        "Round": f"{row['round']}.{row['game']}",
        "GameId": str(row["id"]),
        "White": str(row["white"]),
        "Black": str(row["black"]),
        "Result": str(row["result"]),
        **{name: control for name, control in both.items() if control},
        "PlyCount": str(row["plies"]),
        "Termination": _TERMINATIONS.get(row["termination"], "normal"),
        "TerminationDetails": str(row["termination"]),
    }
