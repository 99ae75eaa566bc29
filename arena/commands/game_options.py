"""The game at the board that the options of `arena play` mean."""

from __future__ import annotations

import getpass
import re
from pathlib import Path
from typing import NamedTuple

from arena.base.errors import ArenaError
from arena.base.wording import cut
from arena.board.game import BoardGame, Clock
from arena.board.pdn import entries_of, saved_game
from arena.board.sides import Side, side_of, usual_entry
from arena.commands.output import say
from arena.experiment.load import player_spec
from arena.experiment.yaml.values import inline
from arena.rules.custom import build_variant, without_draws
from arena.rules.game import Termination
from arena.rules.played import PlayedGame
from arena.rules.position import COLOURS
from arena.rules.result import result_text
from arena.rules.variants import Variant
from players.player import HUMAN


class GameOptions(NamedTuple):
    """The options of `arena play` that say which game, as they were given."""

    variant: str | None
    white: str | None
    black: str | None
    level: str | None
    fen: str | None
    from_file: Path | None
    game: int | None
    clock: Clock | None
    no_draws: bool
    seed: int
    name: str | None


def clock(word: str) -> Clock:
    """The clock of `5+3`: minutes for the game, and seconds more a move."""
    match = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)(?:\+([0-9]{1,4}(?:\.[0-9]{1,3})?))?", word)
    if not match or not float(match[1]):
        raise ValueError(f"{word!r} is no clock, as 5+3 is: 5 minutes, and 3 seconds more a move")
    return Clock(60 * float(match[1]), float(match[2] or 0))


def board_game(options: GameOptions) -> tuple[BoardGame, tuple[str, str]]:
    """The game that the options mean, its players not yet built, and White's and Black's entries.

    Raises ArenaError where something is wrong with them.
    """
    if options.fen is not None and options.from_file is not None:
        raise ArenaError("--fen and --from both set the start: give only one of them")
    if options.game is not None and options.from_file is None:
        raise ArenaError("--game needs --from FILE")
    variant = None
    if options.variant is not None or options.from_file is None or options.no_draws:
        variant = build_variant(inline(options.variant or "english", "VARIANT"))
        variant = without_draws(variant) if options.no_draws else variant
    if options.from_file is not None:
        return _game_of_file(options, options.from_file, variant)
    assert variant is not None
    entries = entries_for(options, variant)
    sides = sides_for(entries, options.name)
    return BoardGame(variant, sides, options.fen, clock=options.clock, seed=options.seed), entries


def entries_for(options: GameOptions, variant: Variant) -> tuple[str, str]:
    """White's and Black's entry: a person has the colour that moves first, against the usual opponent."""
    entries = {0: options.white, 1: options.black}
    entries = {colour: entry for colour, entry in entries.items() if entry is not None}
    players = [entry for entry in entries.values() if entry != HUMAN]
    if options.level is not None and (len(entries) == 2 or players):
        raise ArenaError("--level sets a person's opponent: leave out the other player")
    opponent = usual_entry(variant)
    if options.level is not None:
        opponent = side_of(f"level {options.level}", "--level").name
    entries = entries or {variant.first: HUMAN}
    white, black = (
        entries.get(colour) or (opponent if entries[1 - colour] == HUMAN else HUMAN) for colour in (0, 1)
    )
    return white, black


def sides_for(entries: tuple[str, str], name: str | None = None) -> tuple[Side, Side]:
    """The sides of two entries; a person who plays against a program has a name, that of the account if None."""
    white, black = (side_of(entry, f"--{colour}") for entry, colour in zip(entries, COLOURS, strict=True))
    if white.is_person == black.is_person:
        return white, black
    person = Side(player_spec({"name": _account() if name is None else name, "type": HUMAN}, "--name").name)
    return (person, black) if white.is_person else (white, person)


def begin_first_turn(game: BoardGame, entries: tuple[str, str]) -> bool:
    """Begin the first turn; whether the players are still to be built.

    The board need not wait for them where a person moves first, without a clock, against one that surely builds.
    """
    surely = (HUMAN, usual_entry(game.variant))
    builds = all(entry in surely or entry.startswith("level") for entry in entries)
    legal = game.game.legal_moves  # compiles the rules
    if builds and legal and game.outcome is None and game.side.is_person and game.clock is None:
        game.begin_turn()
        return True
    game.prepare()
    return False


def _game_of_file(options: GameOptions, path: Path, variant: Variant | None) -> tuple[BoardGame, tuple[str, str]]:
    pdn = saved_game(path, variant, options.game)
    is_named = options.white is not None or options.black is not None or options.level is not None
    saved = (options.white, options.black) if is_named else entries_of(pdn)
    entries = entries_for(options._replace(white=saved[0], black=saved[1]), pdn.variant)
    sides = sides_for(entries, options.name)
    game = BoardGame.of(pdn, sides, clock=options.clock, seed=options.seed)
    words = f"game {pdn.number} of {pdn.count} of {path}"
    if pdn.result != "*" and game.outcome is None:
        words += f" ended: {result_text(pdn.result)}{_reason(pdn)}; it is played on from its last position"
    say(words)
    for colour, entry, side in zip(COLOURS, saved, sides, strict=True):
        name, kind = (pdn.tags.get(f"{colour.capitalize()}{tag}", "") for tag in ("", "Type"))
        if not is_named and entry is None and name.strip("? ") and (kind == "program" or not side.is_person):
            say(
                f"{cut(name)} is not known from the file: {side.name} plays {colour.capitalize()}; "
                f"--{colour} names another one"
            )
    return game, entries


def _reason(pdn: PlayedGame) -> str:
    last = pdn.tags.get("TerminationDetails") or pdn.comments.get(len(pdn.moves), "").rpartition(" ")[2]
    return f" ({last.replace('_', ' ')})" if last in list(Termination) else ""


def _account() -> str:
    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):
        return HUMAN
