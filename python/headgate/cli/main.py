"""`headgate`: every command, and the one place where errors become a sentence and an exit code."""

from __future__ import annotations

import inspect
import os
import re
import signal
import sys
from typing import Any

import typer
from typer.core import TyperGroup

from headgate.base.errors import HeadgateError, InterruptedRunError, join_lines
from headgate.base.process import keep_working_folder_out
from headgate.base.terminal import echo
from headgate.base.version import __version__
from headgate.cli import (
    analyse,
    bench,
    catalog,
    check,
    conform,
    describe,
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
    report,
    run,
    schema,
    study,
    trace,
    watch,
)
from headgate.cli.usage import UsageError, explain_usage

#: Controls of a terminal; a setting may hold tabs and ends of lines.
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


class Commands(TyperGroup):
    """Commands that Ctrl-C ends with a sentence; Typer alone would end them without a word."""

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
    "Start with: headgate init. What is there to choose from: headgate catalog. "
    "What a result means: headgate describe.\n\n"
    "Exit codes: 0 done; 1 stopped, or a finding failed; 2 something to put right.",
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
    describe.describe,
    fluid.fluid,
    study.study,
    study.reproduce,
    watch.watch,
    analyse.analyse,
    report.report,
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
# a live host's name is an option: --a CMD
app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})(
    emulate.emulate
)
app.add_typer(design.app, name="design")
app.add_typer(experiment.app, name="experiment")


def _join_lines(of: typer.Typer) -> None:
    """Let the help of every command flow: it would keep the line ends of a docstring."""
    for command in of.registered_commands:
        paragraphs = inspect.cleandoc(getattr(command.callback, "__doc__", "") or "").split("\n\n")
        command.help = "\n\n".join(
            one if one.startswith("\b") else " ".join(one.split()) for one in paragraphs
        )


for group in (app, design.app, experiment.app):
    _join_lines(group)

#: Options that have another name now.
RENAMED = {"--plan": "--design"}


def _refuse_renamed(arguments: list[str]) -> None:
    for argument in arguments:
        name = argument.partition("=")[0]
        if name in RENAMED:
            raise HeadgateError(f"{name} is now {RENAMED[name]}")


def _refuse_controls(arguments: list[str]) -> None:
    """Refuse what no name holds: the parser of the command line repeats arguments as they are."""
    for argument in arguments:
        if CONTROLS.search(argument):
            raise HeadgateError(f"an argument holds a control character: {argument}")


def _stop_at_sigterm() -> None:
    """Have SIGTERM, which batch systems send before they kill, stop a command as Ctrl-C does.

    A command that a shell put in the background ignores Ctrl-C; SIGTERM ends it at once, as ever.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def _limit_algebra_to_one_thread() -> None:
    """Let NumPy's BLAS use one thread, unless the user chose otherwise.

    The matrices here are small: on a busy machine several threads wait for each other far longer
    than they compute. NumPy is imported later and reads the variable then.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def main() -> None:
    """Run the command line; errors that a user can put right end in one sentence on stderr."""
    _stop_at_sigterm()
    _limit_algebra_to_one_thread()
    keep_working_folder_out()
    try:
        _refuse_controls(sys.argv[1:])
        _refuse_renamed(sys.argv[1:])
        sys.exit(app(prog_name="headgate", standalone_mode=False))
    except HeadgateError as error:
        first, *others = error.lines
        echo(f"headgate: {first}", *others, error=True)
        sys.exit(error.exit_code)
    except UsageError as error:
        if said := explain_usage(error):
            echo(f"headgate: {join_lines(said)}", error=True)
        sys.exit(2)
    except KeyboardInterrupt as stopped:
        echo(f"headgate: {stopped or 'stopped'}", error=True)
        sys.exit(1)
    except MemoryError:
        echo("headgate: memory ran out; take a smaller scale, or fewer --workers", error=True)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(0)
