"""The command line, called in this process."""

from click.testing import CliRunner, Result

from arena.commands.cli import main


def invoke(*arguments: object) -> Result:
    """What `arena ...` ends with; an exception that it lets through is the test's failure."""
    result = CliRunner().invoke(main, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def printed_lines(text: str) -> list[str]:
    """The lines that a command printed, without those of work that takes long, which kept kernels spare."""
    return [
        line
        for line in text.splitlines()
        if line and not line.startswith(("compiling ", "compiled ", "still looking at "))
    ]


def error_line(stderr: str) -> str:
    """The one line that a command printed of an error."""
    [line] = printed_lines(stderr)
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
