"""An example of a submission: it plays the move that goes farthest towards the other side."""

from arena import BLACK, Choice


class Player:
    """Hurries to have kings."""

    def choose(self, game, limit, rng):
        """Return one of the game's legal moves; equal ones are drawn."""
        forward = 1 if game.turn == BLACK else -1  # Black goes to squares with higher numbers

        def way(move):
            squares = game.squares(move)
            return forward * (squares.target - squares.origin)

        farthest = max(map(way, game.legal_moves))
        return Choice(rng.choice([move for move in game.legal_moves if way(move) == farthest]))
