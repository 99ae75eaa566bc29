"""The rules core: positions, moves, notation and games of every variant."""
