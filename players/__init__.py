"""What a player is, and the players."""
