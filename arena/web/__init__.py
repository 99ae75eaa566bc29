"""A local server with a page: games at a board, and runs to watch."""
