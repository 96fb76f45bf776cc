"""`headgate man`: the manual page, made from the help of all commands."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from headgate.base.terminal import echo
from headgate.base.version import __version__

#: Sections of the manual page that are not part of the help.
_NAME = "headgate \\- a laboratory for congestion control"
_EXIT_CODES = (
    ("0", "Done."),
    ("1", "Stopped, a run or a test case failed, or --fail-on names the verdict of a claim."),
    ("2", "An error to correct, which a sentence on standard error describes."),
)


def man(
    context: typer.Context,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the page to this file.")
    ] = None,
) -> None:
    """Print the manual page: every command with its arguments and options.

    Example: headgate man | man -l -
    """
    from headgate.base.files import write_bytes

    text = make_page(context.find_root().command)
    if out is None:
        echo(*text.splitlines())
    else:
        write_bytes(out, text.encode(), durable=False)
        echo(str(out))


def make_page(program: Any) -> str:
    """Return the manual page of the program in the macros of man(7)."""
    return "\n".join(_page(program)) + "\n"


def _page(program: Any) -> Iterator[str]:
    yield f'.TH HEADGATE 1 "" "headgate {__version__}" "User Commands"'
    yield from (".SH NAME", _NAME)
    yield from (".SH SYNOPSIS", ".B headgate", "[OPTIONS] COMMAND [ARGUMENTS]")
    yield from (".SH DESCRIPTION", *_paragraphs(program.help))
    yield from (".SH OPTIONS", *_parameters(program))
    yield ".SH COMMANDS"
    for name, command in sorted(each_command(program.commands)):
        yield f'.SS "headgate {_escape(_usage(name, command))}"'
        yield from (*_paragraphs(command.help), *_parameters(command))
    yield ".SH EXIT STATUS"
    for code, meaning in _EXIT_CODES:
        yield from (".TP", f".B {code}", meaning)


def each_command(commands: dict[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every command by its name, such as `run` or `design new`."""
    for name, command in commands.items():
        below = getattr(command, "commands", None)
        if below is None:
            yield above + name, command
        else:
            yield from each_command(below, f"{above}{name} ")


def _usage(name: str, command: Any) -> str:
    given = [_metavar(one) for one in command.params if one.param_type_name == "argument"]
    return " ".join([name, "[OPTIONS]", *given])


def _parameters(command: Any) -> Iterator[str]:
    for one in command.params:
        if not getattr(one, "hidden", False):
            yield from (".TP", _head(one), _escape(" ".join((one.help or "").split())))


def _head(parameter: Any) -> str:
    """Write an option's names in bold, and its value in italics."""
    value = f"\\fI{_escape(_metavar(parameter))}\\fR"
    if parameter.param_type_name == "argument":
        return value
    options = (*parameter.opts, *parameter.secondary_opts)
    names = ", ".join(f"\\fB{_escape(option)}\\fR" for option in options)
    return names if parameter.is_flag else f"{names} {value}"


def _metavar(parameter: Any) -> str:
    return str(parameter.metavar or parameter.name.upper())


def _paragraphs(text: str | None) -> Iterator[str]:
    for number, paragraph in enumerate((text or "").replace("\b", "").split("\n\n")):
        if number:
            yield ".PP"
        yield _escape(" ".join(paragraph.split()))


def _escape(text: str) -> str:
    """Escape the syntax of man: backslashes, hyphens, and a dot at the start of a line."""
    plain = text.replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
