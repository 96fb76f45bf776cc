"""`headgate`: every command, and the conversion of errors to a sentence and an exit code."""

from __future__ import annotations

import inspect
import os
import re
import signal
import sys
from typing import Any, cast

import typer
from typer.core import TyperGroup

from headgate.base.errors import HeadgateError, InterruptedRunError, join_lines
from headgate.base.messages import also
from headgate.base.process import keep_working_folder_out
from headgate.base.terminal import echo
from headgate.base.version import __version__
from headgate.cli import (
    analyse,
    bench,
    catalog,
    check,
    conform,
    design,
    doctor,
    emulate,
    experiment,
    export,
    fluid,
    init,
    manual,
    plot,
    replay,
    run,
    schema,
    stream,
    study,
    trace,
    watch,
)

#: Control characters of a terminal; a setting may contain tabs and ends of lines.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")

#: The parser's error. Only some versions of Typer name this base of `BadParameter`.
UsageError = cast("type[Exception]", typer.BadParameter.__base__)

_NO_COMMAND = re.compile(r"No such command '(.*?)'\.")
_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")


class Commands(TyperGroup):
    """Commands that Ctrl-C ends with a sentence; Typer alone would end them silently."""

    def invoke(self, ctx: Any) -> Any:
        """Call a command. Raises InterruptedRunError at Ctrl-C."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stopped:
            raise InterruptedRunError(str(stopped) or "stopped") from None


app = typer.Typer(
    name="headgate",
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="A laboratory for congestion control.\n\n"
    "To start: headgate init. To list algorithms and devices: headgate catalog. "
    "To explain results: headgate describe.\n\n"
    "Exit codes: 0 done; 1 stopped, a run or a test case failed, or --fail-on names the verdict "
    "of a claim; 2 an error to correct.",
)


def _print_version(wanted: bool) -> None:
    if wanted:
        echo(f"headgate {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: bool = typer.Option(
        False, "--version", is_eager=True, callback=_print_version, help="Print the version."
    ),
) -> None:
    del version


for command in (
    init.init,
    run.run,
    check.check,
    catalog.catalog,
    catalog.describe,
    fluid.fluid,
    study.study,
    study.reproduce,
    watch.watch,
    stream.stream,
    analyse.analyse,
    plot.report,
    plot.plot,
    trace.trace,
    replay.replay,
    bench.bench,
    conform.conform,
    export.export,
    doctor.doctor,
    schema.schema,
    manual.man,
):
    app.command()(command)
# the name of a live host is an option: --a CMD
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
    emulate.emulate
)
app.add_typer(design.app, name="design")
app.add_typer(experiment.app, name="experiment")


def _join_paragraphs(of: typer.Typer) -> None:
    """Join the lines of each paragraph of a command's docstring, for its help."""
    for command in of.registered_commands:
        paragraphs = inspect.cleandoc(getattr(command.callback, "__doc__", "") or "").split("\n\n")
        command.help = "\n\n".join(
            one if one.startswith("\b") else " ".join(one.split()) for one in paragraphs
        )


for group in (app, design.app, experiment.app):
    _join_paragraphs(group)

#: Renamed options.
RENAMED = {"--plan": "--design", "--law": "--cca", "--control": "--cca"}


def _check_arguments(arguments: list[str]) -> None:
    """Refuse control characters, which the parser would print unchanged, and renamed options."""
    for argument in arguments:
        if CONTROLS.search(argument):
            raise HeadgateError(f"an argument holds a control character: {argument}")
    if arguments[:1] == ["emulate"]:  # its options are names of hosts
        return
    for argument in arguments:
        name = argument.partition("=")[0]
        if name in RENAMED:
            raise HeadgateError(f"{name} is now {RENAMED[name]}")


def _stop_at_sigterm() -> None:
    """Let SIGTERM, which batch systems send first, stop a command like Ctrl-C.

    A command in the background of a shell ignores Ctrl-C; there, SIGTERM ends it at once.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def _explain_usage(error: Any) -> str:
    """Describe a `UsageError` in one sentence, with the command and the right usage.

    The sentence is empty if the help was shown instead.
    """
    context = error.ctx
    if context is None:  # the parser reports the option only
        return re.sub(r"Option '(.*?)'", r"\1", str(error.format_message())).rstrip(".")
    if type(error).__name__ == "NoArgsIsHelpError":  # it printed the help
        return ""
    command = context.command_path.partition(" ")[2]
    return f"{command}: {_explain(error, context)}" if command else _explain(error, context)


def _explain(error: Any, context: Any) -> str:
    message = str(error.format_message())
    if found := _NO_COMMAND.match(message):
        known = list(context.command.commands)
        return f"{found[1]!r} is not a command{also(found[1], known) or _list('commands', known)}"
    if hasattr(error, "possibilities"):
        known = [
            name
            for param in context.command.get_params(context)
            for name in param.opts
            if name[0] == "-"
        ]
        name = error.option_name
        return f"there is no option {name}{also(name, known) or _list('options', known)}"
    usage = context.command.get_usage(context).removeprefix("Usage: ").strip()
    if found := _EXTRA.match(message):
        return f"{found[1]!r} is one argument too many; write {usage}"
    if hasattr(error, "param_type"):
        return f"{_name(message)} is missing; write {usage}"
    if getattr(error, "param", None) is not None:
        return f"{_name(message)}: {_explain_value(error)}"
    return f"{message.rstrip('.')}; write {usage}"


def _name(message: str) -> str:
    """Return the option or argument that a message quotes."""
    return message.split("'")[1]


def _list(what: str, names: list[str]) -> str:
    return f"; {what}: {', '.join(names)}"


def _explain_value(error: Any) -> str:
    """Describe the wrong value of an option."""
    problems = getattr(error.__cause__, "errors", None)  # pydantic's
    if problems is None:
        return str(error.message).rstrip(".")
    first = problems()[0]
    if first["type"] == "value_error":  # its message names the value
        return str(first["msg"]).removeprefix("Value error, ").rstrip(".")
    says = first["msg"].partition(",")[0].replace("Input should", "it must")
    return f"{first['input']!r} is not allowed; {says}"


def main() -> None:
    """Run the command line; an error that a user can correct is one sentence on stderr."""
    _stop_at_sigterm()
    # The matrices are small: on a busy machine, several BLAS threads wait for each other far longer
    # than they compute. NumPy is imported later, and reads the variable then.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    keep_working_folder_out()
    try:
        _check_arguments(sys.argv[1:])
        sys.exit(app(prog_name="headgate", standalone_mode=False))
    except HeadgateError as error:
        first, *others = error.lines
        echo(f"headgate: {first}", *others, error=True)
        sys.exit(error.exit_code)
    except UsageError as error:
        if message := _explain_usage(error):
            echo(f"headgate: {join_lines(message)}", error=True)
        sys.exit(2)
    except KeyboardInterrupt as stopped:
        echo(f"headgate: {stopped or 'stopped'}", error=True)
        sys.exit(1)
    except MemoryError:
        echo("headgate: memory ran out; take a smaller scale, or fewer --workers", error=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(0)
