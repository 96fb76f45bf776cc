"""What is wrong with a command line, in one sentence: the parser would print a box."""

from __future__ import annotations

import re
from typing import Any, cast

import typer

from headgate.base.messages import also

#: What the parser raises. Typer names this base of `BadParameter` in some of its versions only.
UsageError = cast("type[Exception]", typer.BadParameter.__base__)

_NO_COMMAND = re.compile(r"No such command '(.*?)'\.")
_EXTRA = re.compile(r"Got unexpected extra arguments?(?:\(s\))? \((.*)\)")


def explain_usage(error: Any) -> str:
    """Say what is wrong, with the command that it is said of and what would be right.

    `error` is a `UsageError`. Nothing is left to say where the help was shown instead.
    """
    context = error.ctx
    if context is None:  # the parser knows no more than the option
        return re.sub(r"Option '(.*?)'", r"\1", str(error.format_message())).rstrip(".")
    if type(error).__name__ == "NoArgsIsHelpError":  # which has printed the help
        return ""
    command = context.command_path.partition(" ")[2]
    return f"{command}: {_explain(error, context)}" if command else _explain(error, context)


def _explain(error: Any, context: Any) -> str:
    message = str(error.format_message())
    if found := _NO_COMMAND.match(message):
        known = list(context.command.commands)
        return f"{found[1]!r} is not a command{also(found[1], known) or _list('commands', known)}"
    if hasattr(error, "possibilities"):
        known = [name for param in _params(context) for name in param.opts if name[0] == "-"]
        name = error.option_name
        return f"there is no option {name}{also(name, known) or _list('options', known)}"
    usage = context.command.get_usage(context).removeprefix("Usage: ").strip()
    if found := _EXTRA.match(message):
        return f"{found[1]!r} is more than it takes; write {usage}"
    if hasattr(error, "param_type"):
        return f"{_name(message)} is missing; write {usage}"
    if getattr(error, "param", None) is not None:
        return f"{_name(message)}: {_explain_value(error)}"
    return f"{message.rstrip('.')}; write {usage}"


def _params(context: Any) -> Any:
    return context.command.get_params(context)


def _name(message: str) -> str:
    """Return the option or argument that a message has in quotes."""
    return message.split("'")[1]


def _list(what: str, names: list[str]) -> str:
    return f"; {what}: {', '.join(names)}"


def _explain_value(error: Any) -> str:
    """Say what is wrong with the value of an option, with the value."""
    problems = getattr(error.__cause__, "errors", None)  # pydantic's
    if problems is None:
        return str(error.message).rstrip(".")
    first = problems()[0]
    says = first["msg"].partition(",")[0].replace("Input should", "it must")
    return f"{first['input']!r} is not allowed; {says}"
