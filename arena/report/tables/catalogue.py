"""The list of all tables with their columns, and how people read these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial

from arena.base.number import fixed, percent, probability, quantity, signed, times
from arena.ratings.interval import Interval
from arena.report.tables import views
from arena.report.tables.forms import (
    count,
    decided_by,
    elo,
    estimate,
    figure,
    interval_text,
    mean_of,
    plain,
    points_in_100,
    seconds,
    share,
    share_of,
    signed_percent,
    whole,
)
from arena.report.tables.table import Column, Table

DECIMALS = {"Elo": 1, "0 to 1": 4, "up to 1": 4, "points": 4}
"""Decimals in a CSV file, by unit. Other fractions have six significant digits."""

HEADINGS: dict[str, tuple[str, Callable[..., str]]] = {
    "player": ("Player", str),
    "rank": ("#", str),
    "place": ("#", plain),
    "elo": ("Elo", elo),
    "elo_low": ("95 % interval", interval_text),
    "games": ("Games", str),
    "wins": ("Won", str),
    "draws": ("Drawn", str),
    "losses": ("Lost", str),
    "score": ("Score", percent),
    "score_elo": ("Elo of score", elo),
    "los": ("LOS", probability),
    "best": ("Best", probability),
    "nodes_per_move": ("Nodes/move", quantity),
    "seconds_per_move": ("Time/move", seconds),
    "points": ("Points", plain),
    "buchholz": ("Buchholz", plain),
    "sonneborn_berger": ("Sonneborn-Berger", plain),
    "byes": ("Byes", count),
    "void_rounds": ("Void rounds", count),
    "status": ("Status", str),
    "expected": ("Expected", percent),
    "excess": ("Beyond ratings", points_in_100),
    "chance": ("Chance", probability),
    "round": ("Round", plain),
    "opponent": ("Against", plain),
    "conceded": ("Conceded", plain),
    "decided": ("Decided by", decided_by),
    "file": ("File", str),
    "failures": ("Failures", whole),
    "reasons": ("Reasons", str),
    "seconds_longest": ("Longest move", seconds),
    "nodes_per_second": ("Nodes/s", quantity),
    "mean_depth": ("Mean depth", partial(fixed, decimals=1)),
    "deepest": ("Deepest", whole),
    "nodes_at_depth": ("Nodes at depth", quantity),
    "branching_factor": ("Branching factor", partial(fixed, decimals=2)),
    "first_move_cutoffs": ("First-move cutoffs", percent),
    "tt_hits": ("Table hits", percent),
    "time_used": ("Time used", percent),
    "overrun_max": ("Worst overrun", seconds),
    "time_losses": ("Lost on time", whole),
    "extra": ("Own number", str),
    "sum": ("Sum", figure),
    "per_move": ("Per move", figure),
    "per_game": ("Per game", figure),
    "moves": ("Moves", str),
    "positions": ("Positions", count),
    "nodes": ("Nodes", quantity),
    "seconds": ("Time", seconds),
    "node_ratio": ("Nodes ratio (95 %)", estimate(times)),
    "time_ratio": ("Time ratio (95 %)", estimate(times)),
    "elo_difference": ("Elo difference (95 %)", estimate(signed)),
    "decisions": ("Decisions", str),
    "error_rate": ("Errors", share),
    "skill": ("Skill", signed_percent),
    "lost_per_game": ("Lost/game", partial(fixed, decimals=3)),
    "win_to_draw": ("W→D", str),
    "draw_to_loss": ("D→L", str),
    "win_to_loss": ("W→L", str),
    "converted": ("Converted", share_of),
    "held": ("Held", share_of),
    "extra_plies": ("Extra plies", mean_of),
}
"""How people read a column: its heading, and the form of its values."""
READ_TOGETHER = {
    "elo_low": ("elo_low", "elo_high"),
    "converted": ("converted", "won_endings"),
    "held": ("held", "drawn_endings"),
    "extra_plies": ("extra_plies", "kept_wins"),
} | {
    name: Interval.columns_of(name)
    for name in ("node_ratio", "time_ratio", "elo_difference", "error_rate", "excess")
}
"""The columns whose values the form of a column takes, if not that one's alone."""


VIEWS = {
    "crosstable": views.crosstable,
    "comparisons": views.comparisons,
    "judged_losses": views.judged_losses,
    "suites": views.suites,
}
"""The cells of the tables that people read in other rows and columns than their files have."""
OTHERS = {
    "moves": Column("extra_*", "a number of the player's own, as `extra_tokens`; empty where it gave none"),
    "standings": Column("a setting", "the value of a setting in which players differ who are else alike"),
    "crosstable": Column("a player", 'points out of games against that player, such as "12.5/20"', "points"),
}
"""The columns that stand behind those of a table: one for each player, or for each number of the players' own."""

SHARED_COLUMNS = """
player: name of the player
family: players that differ only in name and one limit, by their other options
elo [Elo] ±: rating in the joint fit of all games, 0 at the anchor or the mean
games [games]: games played
wins [games]: games won
draws [games]: games drawn
losses [games]: games lost
los [0 to 1]: likelihood of superiority
nodes_per_move [nodes]: mean positions entered for a move
seconds_per_move [s]: mean processor time of a move, wall time where that is not known of all moves
branching_factor: effective branching factor, by which nodes grow with each ply of depth
time_used: mean `seconds_per_move` of moves that searched, over the limit; of several players the greatest
game: number of the game in the schedule, from 1
ply [plies]: ply within the game, from 1
colour: white or black
legal_moves [moves]: legal moves to choose from
pieces [pieces]: pieces on the board before the move
opening: number of the opening, from 1
opening_fen: position after the opening, as FEN
buchholz [points]: sum of the points of the opponents
sonneborn_berger [points]: sum of the opponents' points, each times the share won against it
byes [rounds]: rounds of a Swiss without an opponent, which count as won
void_rounds [rounds]: rounds against a player whose games are void, which count as the mean of the others
fen: the position, as FEN
termination: why the game ended
depth [plies]: depth searched in full
deepest [plies]: plies from the root to the deepest position entered
nodes [nodes]: positions entered
leaves [leaves]: calls of the evaluation
seconds [s]: wall time of the move or search
cpu_seconds [s]: processor time of the player; far below the wall time where others used the processor
score [unit of the evaluation]: value that the search gave the position; empty where there is none
plies_to_win [plies]: plies to a win that the search holds for certain, less than 0 to a loss
cutoffs_max [cutoffs]: beta cutoffs where the player itself is to move
cutoffs_min [cutoffs]: beta cutoffs where the opponent is to move
cutoffs_first [cutoffs]: beta cutoffs by the first move tried
tt_probes [lookups]: lookups in the transposition table
tt_hits [lookups]: lookups that found the position
error: what went wrong with a player, empty if nothing did
judge: tables, or the player that graded the move
decisions [decisions]: decisions that the row rests on
suite: name of the suite
elo_difference [Elo] ±: Elo minus that of the reference
"""
"""The columns that several tables have. One that means something else in a table stands with it.

A line is `name [unit]: meaning`; `name [unit] ±: meaning` is a value with the ends of its 95 % interval, the
columns `name_low` and `name_high`.
"""
COLUMNS = """
## games
game
pair: number of the pair: two games from one opening with colours swapped
round: round of the schedule, from 1
white: player of the white pieces
black: player of the black pieces
opening opening_fen
result: who won: white, draw or black; * in the file for a void game
termination
white_points [points]: White's points, where they decided the game; empty elsewhere
black_points [points]: Black's points, where they decided the game; empty elsewhere
plies [plies]: plies played after the opening
verdict: result by adjudication of a game that was played on to verify it
verdict_by: how adjudication would have ended the game
verdict_plies [plies]: plies played before that
seconds [s]: wall time of the whole game
cpu_seconds [s]: processor time of both players' moves
began [UTC]: when the game was begun, as ISO 8601; empty, as the next ones, if nobody played it
worker: process that played the game, by its number on the machine
machine: name of that machine
error

## moves
game ply player colour
move: the move, in the notation of the rules
legal_moves pieces
phase: opening (over two thirds of the start's pieces are on the board), middle (over one third), ending
depth deepest nodes leaves seconds cpu_seconds score
score_men [men]: score over what a man is worth to the evaluation; empty for certain wins, or if unknown
plies_to_win cutoffs_max cutoffs_min cutoffs_first tt_probes tt_hits
clock [s]: what the player's clock shows after the move; empty without a clock
overrun [s]: time beyond the limit; empty without a time limit
pondered_seconds [s]: processor time in the opponent's time before the move; only of players with a process
fen: the position before the move, as FEN; in the file with --fen

## probes
player
position: number of the position, from 1
fen depth deepest nodes leaves seconds cpu_seconds score plies_to_win cutoffs_max cutoffs_min
cutoffs_first tt_probes tt_hits error

## standings
rank: place in the joint rating, from 1
player elo elo_low elo_high games wins draws losses
score [0 to 1]: points per game
los [0 to 1]: likelihood of superiority over the next player of the table
best [0 to 1]: probability of being the best of all players connected through games, where there are three or more
nodes_per_move seconds_per_move
score_elo [Elo]: Elo of the score alone over the other player, where there are two
shown: rank player elo elo_low games wins draws losses score score_elo los best nodes_per_move
shown: seconds_per_move

## order
place: place in the final order of the format, from 1
player
points [points]: points of all games, byes and void rounds; in a knockout those of the last pairing
buchholz sonneborn_berger byes void_rounds
round: round of the player's last pairing
opponent: name of the player it met there
conceded [points]: points of the opponent in the last pairing
decided: what decided the last pairing: points or, of a drawn one, seed
elo elo_low elo_high games wins draws losses nodes_per_move seconds_per_move
shown: place player round opponent points conceded buchholz sonneborn_berger decided elo elo_low | byes void_rounds
shown: games wins draws losses nodes_per_move seconds_per_move

## submissions
file: file, module or program that plays
player
status: played, disqualified or left out
place: place in the standings; empty for a player left out or disqualified
elo elo_low elo_high
points [points]: points of all games, byes and void rounds; empty for a player left out or disqualified
games byes void_rounds buchholz sonneborn_berger
failures [games]: games in which it failed, those that do not count among them; empty for a player left out
reasons: in words, why it was left out or disqualified, and how it failed
seconds_per_move
seconds_longest [s]: longest time of a move
shown: place player file status failures seconds_longest | reasons

## crosstable
player

## residuals
player: the better rated player; empty in the first row, which is of all pairings together
opponent: the other one
games [games]: games played, those that repeat others counted once
score [0 to 1]: points a game of the first player
expected [0 to 1]: points a game that the joint fit expects of it in the same games
excess [points] ±: score less expected; in the first row its root mean square beyond chance
chance [0 to 1]: chance of so great an excess where ratings tell all, for all pairings together
shown: player opponent games score expected excess chance

## effort
player family
depth_limit [plies]: depth that limits the player; empty without such a limit
moves [moves]: moves that the row rests on
nodes_per_move seconds_per_move
wall_seconds_per_move [s]: mean wall time of a move, with handing the position to the process of own code
seconds_p05 [s]: time that 5 % of the moves took at most
seconds_p25 [s]: time that 25 % of the moves took at most
seconds_p50 [s]: time that 50 % of the moves took at most
seconds_p75 [s]: time that 75 % of the moves took at most
seconds_p95 [s]: time that 95 % of the moves took at most
nodes_per_second [nodes/s]: positions entered a second of moves that searched, by processor time if known
mean_depth [plies]: mean depth of the moves that searched
deepest
nodes_at_depth [nodes]: mean positions entered for a move searched to the depth limit in full
branching_factor
first_move_cutoffs [0 to 1]: beta cutoffs that the first move tried gave, of all
tt_hits [0 to 1]: lookups that found the position, of all lookups
time_used
overrun_p99 [s]: time beyond the limit, 99th percentile of the moves that had one
overrun_max [s]: time beyond the limit, worst move
time_losses [games]: games lost on time
shown: player | nodes_per_move seconds_per_move nodes_per_second mean_depth deepest nodes_at_depth
shown: branching_factor first_move_cutoffs tt_hits time_used overrun_max time_losses

## extras
player
extra: name of the number
sum: sum over all moves that have it
per_move: mean over these moves
per_game: mean over the games with such a move
moves [moves]: moves that have it
games [games]: games with such a move
shown: player extra sum per_move per_game moves games

## adjudications
termination
games [games]: games that ended so
verified [games]: games that would have, but were played to their end
wrong [games]: of these, games that ended with another result
wrong_share [0 to 1] ±: of those verified, by Wilson

## openings
opening opening_fen
pairs [pairs]: pairs of games with colours swapped
score [0 to 1] ±: score of the colour that moves first

## comparisons
setting: key of the configuration in which the players differ; player where two differ in several
value: its value, in words
reference: the value that it is compared with, in words
baseline: whether all other values are compared with this reference, too: True or False
terms: kind of limit that the compared players have in common
at: least and greatest limit of that kind
pairs [pairs]: pairs of players that the row rests on
time_used elo_difference elo_difference_low elo_difference_high los

## gains
family
per: what is doubled: depth or nodes
players [players]: players of the family
x_low [plies or nodes]: least depth, or nodes per move, of the family
x_high [plies or nodes]: greatest depth, or nodes per move, of the family
gain [Elo] ±: what a doubling is worth
elo_at_1 [Elo]: Elo of the fitted line at depth 1, or at one node
misfit [Elo]: root mean square distance of the ratings from the line
fits: whether the line describes the ratings: True or False

## sweeps
per: what the players differ in: depth or nodes
family
x [plies or nodes]: depth limit, or measured nodes per move
player elo elo_low elo_high

## convergence
games [games]: games rated: the head of the schedule
player elo elo_low elo_high

## ablation
player
depth [plies]: depth of the probe
positions [positions]: positions that the player searched to the depth in full
nodes [nodes]: geometric mean of the nodes over these positions
seconds [s]: geometric mean of the processor time, wall time if that is not known
branching_factor
node_ratio ±: nodes to the depth, relative to the reference
time_ratio ±: time to the depth, relative to the reference
elo_difference elo_difference_low elo_difference_high
shown: player positions nodes node_ratio seconds time_ratio branching_factor elo_difference

## sprt
pair: number of the pair of the match, from 1
llr [nats]: log-likelihood ratio of H1 to H0
lower [nats]: bound at or below which H0 is accepted
upper [nats]: bound at or above which H1 is accepted

## grades
game ply player colour
phase: phase of the game, as in `moves`
judge pieces legal_moves
best_move: a best move; the played one where none is better
best [0 to 1]: points of the mover to expect after the best move
played [0 to 1]: the same after the played move
lost [points]: best less played, 0 where the played move is better
mark: ?!, ? or ?? by the points lost; empty of other moves
chance_errors [0 to 1]: share of the legal moves that lose value; empty for another judge
chance_loss [points]: points that random choice loses on average; empty for another judge
best_plies [plies]: plies to the certain end after the best move; empty where none is certain
played_plies [plies]: the same after the played move
best_men [men]: the judge's score after the best move; empty of certain values and tables
played_men [men]: the same after the played move

## judges
judge: the player that graded
k [per man] ±: scale of s = 1 / (1 + exp(-k men)), fitted on the results of this run
decisions [decisions]: graded decisions that it is fitted on
games [games]: games that they are from

## endgame_errors
player family
depth_limit [plies]: depth that limits the player; empty without such a limit
nodes_limit [nodes]: nodes that limit the player; empty without such a limit
endgame_pieces [pieces]: most pieces of an ending that the tables have
decisions
errors [decisions]: decisions that threw away half a point or more
error_rate [0 to 1] ±: errors over decisions
skill [up to 1] ±: 1 less errors over those of random choice in the same positions
games [games]: graded games of the player
lost_per_game [points] ±: points thrown away in a game
win_to_draw [decisions]: wins turned into draws
draw_to_loss [decisions]: draws turned into losses
win_to_loss [decisions]: wins turned into losses
won_endings [games]: games won for the player in the first position of the tables
converted [0 to 1] ±: those that it won
drawn_endings [games]: games drawn in the first position of the tables
held [0 to 1] ±: those that it did not lose
kept_wins [decisions]: decisions in won positions that kept the win
extra_plies [plies] ±: plies beyond the quickest win that such a decision cost
shown: player decisions error_rate skill lost_per_game win_to_draw draw_to_loss win_to_loss |
shown: converted held extra_plies

## judged_losses
player
judge: the player that graded
phase: phase of the game, as in `moves`, or all
decisions
lost_per_move [points] ±: points lost by a move, on average
agreement [0 to 1] ±: moves than which the judge knows none better
inaccuracies [moves]: moves that lost 0.05 points or more (?!)
mistakes [moves]: moves that lost 0.1 or more (?)
blunders [moves]: moves that lost 0.15 or more (??)
blunder_rate [0 to 1] ±: blunders over decisions

## suites
suite player family elo elo_low elo_high
limit: kind of the player's limit: depth, nodes or seconds; empty if it has none of them
at: that limit
stratum: stratum of the positions, or all
positions [positions]: positions that the player was asked for its move in
solved [positions]: those in which it played a best move; of random choice, on average
share [0 to 1] ±: solved over positions (Wilson's interval)
nodes [nodes]: mean positions entered for a move
seconds [s]: mean time of a move
failures [positions]: positions in which the player failed

## suite_answers
suite
position: number of the position in its suite, from 1
fen
stratum: stratum of the position
player legal_moves
best_moves [moves]: moves that solve the position
best: those moves
move: the move played, empty where the player failed
solved: whether it is one of them, played in time
depth nodes seconds error
"""
"""The columns of each table, those of SHARED_COLUMNS by their names alone.

`shown` are the columns that people read, in their order; those behind "|" only if a cell is not empty. Of the
standings and the final order these are LaTeX and `arena rate`: `arena.report.page.standings` makes the rest.
"""


def _columns(text: str, shared: dict[str, Column]) -> Iterator[Column]:
    """The columns that lines describe, as in SHARED_COLUMNS, or name."""
    for line in text.strip().splitlines():
        described = re.fullmatch(r"(\w+)(?: \[([^]]+)\])?( ±)?: (.+)", line)
        if described is None:
            yield from (shared[name] for name in line.split())
            continue
        name, unit, interval, meaning = described.groups(default="")
        yield _column(name, meaning, unit)
        for end, side in (("low", "lower"), ("high", "upper")) if interval else ():
            yield _column(f"{name}_{end}", f"{side} end of the 95 % interval of {name}", unit)


def _column(name: str, meaning: str, unit: str) -> Column:
    heading, form = HEADINGS.get(name, ("", str))
    return Column(name, meaning, unit, heading, form, DECIMALS.get(unit), READ_TOGETHER.get(name, (name,)))


def _tables() -> Iterator[Table]:
    for part in COLUMNS.split("\n## ")[1:]:
        name, _, text = part.partition("\n")
        columns = re.sub(r"^shown: .*$\n?", "", text, flags=re.MULTILINE)
        shown = " ".join(re.findall(r"^shown: (.*)$", text, flags=re.MULTILINE))
        yield Table(name, tuple(_columns(columns, SHARED)), shown, VIEWS.get(name), OTHERS.get(name))


SHARED: dict[str, Column] = {column.name: column for column in _columns(SHARED_COLUMNS, {})}
"""The columns of SHARED_COLUMNS by name."""
TABLES: dict[str, Table] = {table.name: table for table in _tables()}
"""Every table of a run that has a CSV file, by its name, in the order of the files."""
