"""A local server with a page: games at a board."""
