"""A finding on a player or a configuration: a value, whose words are made when it is shown."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

from arena.base.wording import listed

Level: TypeAlias = Literal["ok", "warning", "error"]

UNBUILT, SAME_FILE = "unbuilt", "same file"
"""Kinds of findings: it cannot be built; its files are those of others."""


class Finding(NamedTuple):
    """What a check found: names of players and what a user's code wrote stand in fields of their own."""

    level: Level
    message: str = ""  # the arena's words: no name of a player, a file, or a thing in a user's code
    where: str = ""  # the player, or the key of a configuration, that it is about; empty where that is plain
    detail: str = ""  # what a user's code, or a message about that, says
    kind: str = ""
    others: tuple[str, ...] = ()  # the players that it is about, too
    place: str = ""  # FEN of the position in which a player failed
    traceback: str = ""
    output: str = ""  # the player's last output
    keys: tuple[str | int, ...] = ()  # the keys of the player's entry that are to blame

    @property
    def words(self) -> str:
        """The finding in words, which may go on after the player's name."""
        return ": ".join(filter(None, [f"{self.message} {listed(self.others)}".strip(), self.detail]))
