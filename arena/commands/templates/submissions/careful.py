"""An example of a submission: it plays the move after which the opponent can take least."""

from arena import Choice


class Player:
    """Loses as few pieces as it can at the next move."""

    def choose(self, game, limit, rng):
        """Return one of the game's legal moves; equal ones are drawn."""

        def lost(move):
            game.push(move)
            taken = max((len(game.squares(reply).captured) for reply in game.legal_moves), default=0)
            game.pop()
            return taken

        least = min(lost(move) for move in game.legal_moves)
        return Choice(rng.choice([move for move in game.legal_moves if lost(move) == least]))
