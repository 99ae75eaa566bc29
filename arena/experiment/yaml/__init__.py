"""YAML with the place of every value, and errors that name it."""
