"""An evaluation of one's own: copy this file, change the function, name it in a configuration."""

from players import evaluator
from players.evaluation.features import advancement, kings, men


@evaluator
def advance(position, rules):
    own, other = position.turn, 1 - position.turn
    material = men(position, rules, own) - men(position, rules, other)
    material += 1.5 * (kings(position, rules, own) - kings(position, rules, other))
    return 10 * material + advancement(position, rules, own) - advancement(position, rules, other)
