"""The dictionary of a run's data: which tables it has, and what each of their columns means."""

from __future__ import annotations

from arena.report.columns import COLUMNS, OF_PLAYERS, Column, column

OTHERS = "a player"
"""What the columns of OF_PLAYERS are called."""

_INTRODUCTION = """\
# Columns

Every table of a run: what `arena.load(...)` has as an attribute, and most of it as a CSV file of the same name.
`help(arena.Run)` says the same. An empty cell is a value that does not exist; no table holds an infinity. `_low`
and `_high` are the ends of 95 % intervals."""
_SEARCH = (
    "depth deepest nodes leaves seconds cpu_seconds score wins_in cutoffs_max cutoffs_min cutoffs_first tt_probes "
    "tt_hits tree said_ms"
)
_GAMES = (
    "game pair round white black opening opening_fen result termination plies seconds cpu_seconds began worker "
    "machine error"
)
_MOVES = "game ply player colour move legal_moves pieces phase " + _SEARCH.replace("wins_in", "score_men wins_in")
_EFFORT = (
    "player moves legal_moves nodes_per_move leaves_per_move seconds_per_move depth nodes_at_depth "
    "seconds_at_depth family branching_factor"
)
TABLES: dict[str, tuple[str, ...]] = {
    name: tuple(" ".join(columns).split())
    for name, columns in {
        "games": (_GAMES,),
        "annulled": (_GAMES,),
        "moves": (_MOVES, "clock overrun pondered_seconds"),
        "positions": (_MOVES, "clock overrun pondered_seconds fen"),
        "probes": ("player position fen", _SEARCH, "error"),
        "standings": (
            "rank player elo elo_low elo_high games wins draws losses score los nodes_per_move seconds_per_move",
            "score_elo",
        ),
        "crosstable": ("player",),
        "score_matrix": ("player",),
        "los": ("player",),
        "residuals": ("player opponent games score expected difference z",),
        "cycles": ("a b c z",),
        "search": (_EFFORT,),
        "time_to_depth": (_EFFORT,),
        "search_time": ("player moves mean p05 p25 p50 p75 p95",),
        "telemetry": (
            "player nodes_per_second nodes_per_wall_second cpu_seconds_per_move mean_depth deepest",
            "first_move_cutoffs tt_hits",
            "time_used overrun_p99 overrun_max time_losses",
        ),
        "outcomes": ("player colour games wins draws losses",),
        "terminations": ("termination games share",),
        "comparisons": (
            "setting value reference baseline terms at pairs time_used",
            "elo_difference elo_difference_low elo_difference_high los",
        ),
        "equal_terms": (
            "terms at rank player reference elo elo_low elo_high los nodes_per_move seconds_per_move time_used",
        ),
        "gains": ("family per players x_low x_high gain gain_low gain_high elo_at_1 misfit",),
        "elo_by_depth": ("family depth player elo elo_low elo_high",),
        "elo_by_nodes": ("family player nodes_per_move elo elo_low elo_high",),
        "convergence": ("games player elo elo_low elo_high",),
        "phases": ("tenth role pairs moves share share_low share_high legal_moves",),
        "openings": ("opening opening_fen pairs score score_low score_high",),
        "ablation": (
            "player depth positions nodes seconds branching_factor node_ratio node_ratio_low node_ratio_high",
            "time_ratio time_ratio_low time_ratio_high elo_difference elo_difference_low elo_difference_high",
        ),
        "sprt": ("pair llr lower upper",),
        "order": ("place player points buchholz sonneborn_berger round opponent conceded decided",),
        "rated_games": (_GAMES, "line"),
    }.items()
}
"""The columns of each table of a `Run`, by its name; a table's file has the same name. Those
of OF_PLAYERS go on with a column for each player."""


def described(table: str) -> list[tuple[str, Column]]:
    """The names and descriptions of the columns of one of TABLES; OTHERS stands for those of all players."""
    file = f"{table}.csv"
    found = [(name, COLUMNS["player"] if file in OF_PLAYERS else column(file, name)) for name in TABLES[table]]
    return [*found, (OTHERS, OF_PLAYERS[file])] if file in OF_PLAYERS else found


def dictionary() -> str:
    """The columns of all TABLES as Markdown: `reports/columns.md`."""
    parts = [_INTRODUCTION]
    for table in TABLES:
        rows = [
            f"| {name if name == OTHERS else f'`{name}`'} | {of.meaning} | {of.unit} |"
            for name, of in described(table)
        ]
        parts.append("\n".join([f"| column of `{table}` | meaning | unit |", "| --- | --- | --- |", *rows]))
    return "\n\n".join(parts)
