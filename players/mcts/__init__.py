"""Monte-Carlo tree search: its tree, its compiled search, and the players `mcts` and `hybrid`."""
