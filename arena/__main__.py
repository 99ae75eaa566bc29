"""`python -m arena` is the `arena` command."""

import os
import sys

if sys.path[0] == os.getcwd() != os.path.dirname(os.path.dirname(__file__)):  # noqa: PTH109, PTH120
    sys.path.append(sys.path.pop(0))  # no file in the working folder hides a module of Python's

from arena.commands.cli import main

main()
