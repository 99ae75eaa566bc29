"""An evaluation of one's own: change the function, name it in a configuration as "my_heuristic.py:advance"."""

from arena import evaluator, features


@evaluator
def advance(position, rules):
    """The value of a position from the side to move's view, in a unit of one's own."""
    value = 0.0
    for side, sign in ((position.turn, 1), (1 - position.turn, -1)):
        value += sign * 10 * features.men(position, rules, side)
        value += sign * 15 * features.kings(position, rules, side)
        value += sign * features.advancement(position, rules, side)
    return value
