"""The negamax player: its switches, and the compiled search that they set."""
