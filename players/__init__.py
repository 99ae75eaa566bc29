"""The player contract, and the players."""
