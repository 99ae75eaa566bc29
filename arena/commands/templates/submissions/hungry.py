"""An example of a submission: it plays the move that captures most."""

from arena import Choice


class Player:
    """Takes as many pieces as it can now."""

    def choose(self, game, limit, rng):
        """Return one of the game's legal moves; equal ones are drawn."""
        taken = {move: len(game.squares(move).captured) for move in game.legal_moves}
        return Choice(rng.choice([move for move in taken if taken[move] == max(taken.values())]))
