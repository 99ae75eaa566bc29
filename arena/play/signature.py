"""Signatures: what players play from fixed positions, which identify one among others of the same name."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.base.wording import listed
from arena.experiment.formats.adaptive import Placing
from arena.experiment.formats.base import Format, Pairing
from arena.experiment.openings.lines import random_line
from arena.experiment.pools import pool_named
from arena.hosting.player_process import close_held
from arena.ledger.ledger import Ledger
from arena.ledger.manifest import (
    Diagnosis,
    SignedGame,
    manifest_of,
    save,
    session,
    stored_manifest,
    versions,
    working_tree,
)
from arena.ledger.record import GameRecord, Task
from arena.play.match import play
from arena.play.plan import Plan
from arena.rules.notation import fen
from arena.rules.position import BLACK
from arena.rules.variants import Variant
from players.loading import with_one_thread
from players.player import Allowance, Limit, PlayerSpec

LIMIT = Limit(depth=4, nodes=2000)
"""Limit of a move, whatever a player's own is: no time, so that the moves are always the same."""
PLIES = (0, 9, 18, 27)
"""Random plies from the start to each of the positions; at an odd number the player has the other colour."""
MOVES = 3
"""Moves of the player from each position, at most."""
SECONDS = 0.5
"""Seconds after which no game is begun: a slow player's signature is of fewer positions."""
_SEED = 1


class PlayerChanged(Exception):
    """A player of a run plays differently now than at the start of the run; one line says how."""


def begin(
    plan: Plan,
    ledger: Ledger,
    workers: int | str,
    *,
    force: bool = False,
    found: Sequence[Diagnosis] = (),
    left_out: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Record in the run's manifest that it begins, or resumes, with `workers` workers.

    When it begins, what was `found` of players, and who was `left_out`, is recorded, too.

    Returns by player what differs from its signature when the run began: nothing, unless `force` is true. Raises
    else PlayerChanged for such a player, or, in any case, for one of a pool, and StoreError if the
    manifest cannot be read or written.
    """
    tree = working_tree(plan.experiment.path)
    manifest = stored_manifest(ledger)
    signed = signatures(plan)
    check_pool(plan.experiment.format, signed)
    games = sum(ledger.scores().values())
    if manifest is None:
        first = manifest_of(plan.experiment, plan.facts.files, signed, plan.men)
        first = first._replace(found=tuple(found), left_out=left_out or {})
        save(ledger, first._replace(sessions=[session(games, workers, {}, tree)]))
        return {}
    changed: dict[str, str] = {}
    for player, now in signed.items():
        then = manifest.signatures.get(player)
        words = difference(then, now) if then is not None and now is not None else ""
        if words:
            changed[player] = words
    if changed and not force:
        raise PlayerChanged(_refusal(ledger, manifest.sessions[0].versions, changed))
    sessions = [*manifest.sessions, session(games, workers, changed, tree)]
    save(ledger, manifest._replace(file=str(plan.experiment.path.resolve()), sessions=sessions))
    return changed


def check_pool(format: Format, signed: Mapping[str, list[SignedGame] | None]) -> None:
    """Raise PlayerChanged if one of the players in whose pool a newcomer is placed plays differently here."""
    if not isinstance(format, Placing):
        return
    for player, games in pool_named(format.pool).signatures.items():
        then, now = [SignedGame(fen, list(moves)) for fen, moves in games or ()], signed[player]
        if not then:
            continue
        words = "it fails, or not always plays the same" if now is None else difference(then, now)
        if words:
            raise PlayerChanged(
                f"{player} plays differently here than in the games of {format.pool} ({words}): its scale does "
                "not hold"
            )


def signatures(plan: Plan) -> dict[str, list[SignedGame] | None]:
    """The signature of every player, by its name; players that differ in their limit alone have the same.

    A player whose answers cost money has none.
    Seats that this process has are closed, as they would be kept for nothing if others play the games.
    """
    known: dict[tuple[str, str], list[SignedGame] | None] = {}
    for spec in plan.players:
        key = spec.type, repr(spec.options)
        if key not in known:
            costs = spec.name in plan.costly
            known[key] = None if costs else signature(spec, plan.variant, plan.experiment.allowance)
    close_held()
    return {spec.name: known[spec.type, repr(spec.options)] for spec in plan.players}


def signature(spec: PlayerSpec, variant: Variant, allowance: Allowance) -> list[SignedGame] | None:
    """A player's moves, with one thread, from fixed positions under LIMIT against one that moves at random.

    None for a player that fails, or that does not play the same moves twice.
    """
    began = time.perf_counter()
    records: list[GameRecord] = []
    tasks = _tasks(
        replace(with_one_thread(spec), limit=LIMIT), variant, allowance._replace(attempts=1, unreachable=1)
    )
    for task in tasks:
        if records and time.perf_counter() - began > SECONDS:
            break
        records.append(play(task))
        if records[-1].error:
            return None
    played = [_signed(task, record) for task, record in zip(tasks, records, strict=False)]
    again = [_signed(task, play(task)) for task, _ in zip(tasks, records, strict=False)]
    return played if played == again else None


def difference(then: list[SignedGame], now: list[SignedGame]) -> str:
    """The first difference of two signatures in words, as far as both go; empty if there is none."""
    for before, after in zip(then, now, strict=False):
        if before.fen != after.fen:
            return f"other positions: {before.fen} then, {after.fen} now"
        for number, (old, new) in enumerate(zip(before.moves, after.moves, strict=False), start=1):
            if old != new:
                return f"move {number} from {before.fen}: {old} then, {new} now"
        if len(before.moves) != len(after.moves):
            return f"{len(before.moves)} moves from {before.fen} then, {len(after.moves)} now"
    return ""


def _tasks(spec: PlayerSpec, variant: Variant, allowance: Allowance) -> list[Task]:
    opponent = PlayerSpec("opponent", "random")
    tasks = []
    for number, plies in enumerate(PLIES, start=1):
        position = random_line(variant, plies, random.Random(f"signature {plies}")).position
        sides = (opponent, spec) if position.turn == BLACK else (spec, opponent)
        pairing = Pairing(number, number, number, 0, 1, 0)
        tasks.append(Task(pairing, variant, position, *sides, _SEED, 2 * MOVES - 1, allowance))
    return tasks


def _signed(task: Task, record: GameRecord) -> SignedGame:
    own = record.table()[::2]
    moves = [_move_in_words(*move) for move in own[["move", "nodes", "score"]]]
    return SignedGame(fen(task.variant, task.opening), moves)


def _move_in_words(move: bytes, nodes: int, score: float) -> str:
    """A move with its nodes and its score, this to six digits, which no machine's way of rounding changes."""
    valued = "" if math.isnan(score) else f", score {score + 0:.6g}"
    return f"{move.decode()} ({nodes} nodes{valued})"


def _refusal(ledger: Ledger, before: dict[str, str | None], changed: dict[str, str]) -> str:
    player, words = next(iter(changed.items()))
    others = list(changed)[1:]
    also = f", and so {'do' if len(others) > 1 else 'does'} {listed(others)}" if others else ""
    updates = [
        f"; {name} {before.get(name)} then, {now} now"
        for name, now in versions().items()
        if before.get(name) != now
    ]
    return (
        f"{ledger.path.parent}: {player} plays differently now than at the start of the run "
        f"({words}{also}{''.join(updates)}); "
        "--force resumes it all the same; or give this run another name or --out, or delete that folder"
    )
