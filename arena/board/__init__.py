"""One game at a board, between persons and players of the arena, in a terminal or in a browser."""
