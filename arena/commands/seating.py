"""The game of a command: its options, and the sitting that they mean."""

from __future__ import annotations

import getpass
import re
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.base.errors import ArenaError
from arena.base.wording import cut, message_of
from arena.board.game import BoardGame, Clock
from arena.board.pdn import entries_of, saved_game
from arena.board.sides import (
    Side,
    entry_named,
    level_of,
    side_of,
    usual_entry,
    usual_opponent,
)
from arena.commands.common import described_variant
from arena.commands.output import say
from arena.experiment.load import player_spec
from arena.rules.custom import build_variant, without_draws
from arena.rules.game import Termination
from arena.rules.notation import parse_fen
from arena.rules.played import PlayedGame
from arena.rules.position import COLOURS
from arena.rules.result import result_text
from arena.rules.variants import Variant
from players.loading import PlayerError
from players.player import HUMAN

_USUAL = "english"
"""The variant where none is given."""


class Seating(NamedTuple):
    """The options of a command that sits down to a game, as they were given."""

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

    @property
    def person(self) -> str:
        """The name of the person at the board, that of the account unless one is given."""
        if self.name is not None:
            return self.name
        try:
            return getpass.getuser()
        except (ImportError, KeyError, OSError):
            return "human"


class Seated(NamedTuple):
    """The two sides, White first."""

    sides: tuple[Side, Side]
    entries: tuple[str, str]
    """The words that say so, as behind `--white` and `--black`."""

    def swapped(self) -> Seated:
        """The two, each with the other colour."""
        return Seated(self.sides[::-1], self.entries[::-1])

    def replaced(self, colour: int, side: Side, entry: str) -> Seated:
        """Another one plays a colour."""
        sides, entries = [*self.sides], [*self.entries]
        sides[colour], entries[colour] = side, entry
        return Seated((sides[0], sides[1]), (entries[0], entries[1]))


class ClockType(click.ParamType):
    """Minutes for the game, and seconds more a move."""

    name = "clock"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        return "MINUTES+SECONDS"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Clock:
        match = re.fullmatch(r"([0-9]{1,4}(?:\.[0-9]{1,3})?)(?:\+([0-9]{1,4}(?:\.[0-9]{1,3})?))?", str(value))
        if not match or not float(match[1]):
            self.fail(f"{value!r} is no clock, as 5+3 is: 5 minutes, and 3 seconds more a move", param, ctx)
        return Clock(60 * float(match[1]), float(match[2] or 0))


def seating_options(command: Any) -> Any:
    """The options of a command that become a Seating, its fields by their names, but for `variant`."""
    for decorator in (
        click.option("--name", help="Your name [that of your account]."),
        click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of all chance."),
        click.option("--no-draws", is_flag=True, help="No draws by repetition or by counting moves."),
        click.option("--clock", type=ClockType(), help="Time for the game, and seconds more a move, as 5+3."),
        click.option("--game", type=click.IntRange(1), help="Which game of the file [the last]."),
        click.option("--from", "from_file", type=click.Path(path_type=Path), help="Continue a game of a PDN."),
        click.option("--fen", help="Begin from this position."),
        click.option("--level", metavar="N", help="Play against this level of cis300, 1 to 12."),
        click.option("--black", metavar="PLAYER", help="Who plays Black, in the same words."),
        click.option(
            "--white", metavar="PLAYER", help="Who plays White: human, level 4, simple@d6, file.py:Class or YAML."
        ),
    ):
        command = decorator(command)
    return command


def sitting_of(options: Seating) -> BoardGame:
    """The sitting that is meant, its players not yet built; exits where something is wrong with it."""
    if options.fen is not None and options.from_file is not None:
        raise ArenaError("--fen and --from both set the start: give only one of them")
    if options.game is not None and options.from_file is None:
        raise ArenaError("--game needs --from FILE")
    try:
        variant = _variant(options)
        if options.from_file is not None:
            pdn = saved_game(options.from_file, variant, options.game)
            saved = _as_saved(options, pdn)
            sides = _sides(saved, pdn.variant)
            sitting = BoardGame.of(pdn, sides, clock=options.clock, seed=options.seed)
            _say_what_is_opened(options.from_file, pdn, sitting)
            if saved is not options:
                _say_who_is_unknown(saved, pdn, sides)
            return sitting
        assert variant is not None
        start = None if options.fen is None else parse_fen(variant, options.fen)
        return BoardGame(variant, _sides(options, variant), start, clock=options.clock, seed=options.seed)
    except ValueError as error:
        raise ArenaError(str(error)) from None


def prepare(sitting: BoardGame) -> None:
    """Build the players of a sitting; exits for one that cannot be built."""
    try:
        sitting.prepare()
    except Exception as error:
        raise ArenaError(not_built(error)) from None


def can_begin(sitting: BoardGame, options: Seating) -> bool:
    """Whether the board need not wait for the players: a person moves first, against one that surely builds."""
    usual = all(given is None or given.startswith(("human", "level")) for given in (options.white, options.black))
    return usual and sitting.outcome is None and sitting.side.is_person and sitting.clock is None


def not_built(error: Exception) -> str:
    """Why a player of a sitting could not be built, in one line."""
    words = message_of(error)
    return words if isinstance(error, PlayerError) else f"a player raised {type(error).__name__}: {words}"


def seated_of(options: Seating, sitting: BoardGame) -> Seated:
    """The sides of a sitting that was begun with those options."""
    usual = usual_entry(sitting.variant)
    white, black = (
        given or (HUMAN if side.is_person else entry_named(side.name, sitting.variant) or usual)
        for given, side in zip((options.white, options.black), sitting.sides, strict=True)
    )
    return Seated(sitting.sides, (white, black))


def words_of(options: Seating, sitting: BoardGame) -> list[str]:
    """The words of a command line that sit down to the same game, but for its sides."""
    words = [options.variant or sitting.variant.unchanged]
    words += ["--no-draws"] if options.no_draws else []
    if options.clock is not None:
        words += ["--clock", f"{options.clock.seconds / 60:.9g}+{options.clock.increment:.9g}"]
    words += ["--seed", str(options.seed)] if options.seed else []
    return words + (["--name", options.name] if options.name is not None else [])


def _variant(options: Seating) -> Variant | None:
    if options.variant is None and options.from_file is not None and not options.no_draws:
        return None
    variant = build_variant(described_variant(options.variant or _USUAL))
    return without_draws(variant) if options.no_draws else variant


def _as_saved(options: Seating, pdn: PlayedGame) -> Seating:
    if options.white is not None or options.black is not None or options.level is not None:
        return options
    white, black = entries_of(pdn)
    return options._replace(white=white, black=black)


def _say_what_is_opened(path: Path, pdn: PlayedGame, sitting: BoardGame) -> None:
    words = f"game {pdn.number} of {pdn.count} of {path}"
    if pdn.result != "*" and sitting.outcome is None:
        last = pdn.tags.get("Termination") or pdn.comments.get(len(pdn.moves), "").rpartition(" ")[2]
        why = f" ({last.replace('_', ' ')})" if last in list(Termination) else ""
        words += f" ended: {result_text(pdn.result)}{why}; it is played on from its last position"
    say(words)


def _say_who_is_unknown(saved: Seating, pdn: PlayedGame, sides: tuple[Side, Side]) -> None:
    for colour, entry, side in zip(COLOURS, (saved.white, saved.black), sides, strict=True):
        name, kind = (pdn.tags.get(f"{colour.capitalize()}{tag}", "") for tag in ("", "Type"))
        if entry is None and name.strip("? ") and (kind == "program" or not side.is_person):
            say(
                f"{cut(name)} is not known from the file: {side.name} plays {colour.capitalize()}; "
                f"--{colour} names another one"
            )


def _sides(options: Seating, variant: Variant) -> tuple[Side, Side]:
    given = {
        colour: side_of(entry, f"--{name}")
        for colour, (name, entry) in enumerate((("white", options.white), ("black", options.black)))
        if entry is not None
    }
    players = [side for side in given.values() if not side.is_person]
    if options.level is not None and (len(given) == 2 or players):
        raise ArenaError("--level sets a person's opponent: leave out the other player")
    opponent = usual_opponent(variant) if options.level is None else level_of(options.level)
    if not given:
        given = {variant.first: Side(HUMAN)}
    for colour in (0, 1):
        if colour not in given:
            given[colour] = opponent if given[1 - colour].is_person else Side(HUMAN)
    if [side.is_person for side in given.values()].count(True) == 1:
        person = Side(player_spec({"name": options.person, "type": HUMAN}, "--name").name)
        given = {colour: person if side.is_person else side for colour, side in given.items()}
    return given[0], given[1]
