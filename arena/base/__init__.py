"""Tools for every room: processes, files, words and numbers for people; the error that ends a command."""


class ArenaError(Exception):
    """What a user has to know and mend; as text one line, or one for each problem.

    The command line prints it and exits with code 2.
    """
