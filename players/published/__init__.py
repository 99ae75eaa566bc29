"""The searchers of published programs, under the names of the rule sets that they came with.

Each has its program's evaluation and search, repaired where these err, and counts what the program printed;
`as_printed` plays with the error. Limits in the configuration are kept as well; without any, the program's own
setting holds. Where the text of a program leaves open in which order moves are searched, it is the generator's.
"""

from typing import Any

from players.published.checkers_ai import CheckersAI
from players.published.cis300 import Cis300
from players.published.game3 import Game3
from players.published.simplified import Simplified

PUBLISHED: dict[str, type[Any]] = {
    "game3": Game3,
    "checkers-ai": CheckersAI,
    "simplified": Simplified,
    "cis300": Cis300,
}
