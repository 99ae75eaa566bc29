"""`python -m arena` is the `arena` command."""

from arena.commands.cli import main

main()
