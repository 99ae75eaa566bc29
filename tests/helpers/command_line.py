"""The command line, called in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from arena.commands.cli import main


def invoke(*arguments: object) -> Result:
    """What `arena ...` ends with; an exception that it lets through is the test's failure."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def error_line(stderr: str) -> str:
    """The one line that a command printed of an error, beside what it may have said of work that takes long."""
    [line] = [
        line
        for line in stderr.splitlines()
        if not line.startswith(("compiling ", "compiled ", "still looking at "))
    ]
    return line


def refused(*arguments: object) -> str:
    """The one line with which `arena ...` ends with exit code 2."""
    result = invoke(*arguments)
    assert result.exit_code == 2, result.output
    return error_line(result.stderr)


def one_line(*messages: object) -> None:
    """Assert that each message is one line of text."""
    for message in messages:
        assert len(str(message).strip().splitlines()) == 1, message
