"""Tools for every room: processes, files replaced whole, wording, numbers as text."""
