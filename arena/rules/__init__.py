"""The rules core: positions, moves, notation and games of every variant. Imports nothing of ours but arena.wording."""
