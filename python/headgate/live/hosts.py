"""The live hosts of a scenario: their names, and how a program gets into one."""

from __future__ import annotations

import errno
import os
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from headgate.errors import HeadgateError, ScenarioError
from headgate.parent import user_environment
from headgate.suggest import hint

Command = str | Sequence[str]
"""A line for the shell, or a program and its arguments."""

#: What a live run needs of its plan, said of the scenario.
NO_HOSTS = 'there are no live hosts; add [[traffic]] with kind = "live"'


class EmulationError(HeadgateError):
    """A run in real time that cannot begin or continue."""


def host_names(plan: Mapping[str, Any]) -> list[str]:
    """Name the live hosts of a plan, in its order. Raises ScenarioError if it has none."""
    names = [name for item in plan["traffic"] for name in item.get("hosts", ())]
    if not names:
        raise ScenarioError("traffic", NO_HOSTS)
    twice = next((name for n, name in enumerate(names) if name in names[:n]), None)
    if twice is not None:
        raise ScenarioError("traffic", f"'{twice}' names two live hosts; names must differ")
    return names


def find_host(names: Sequence[str], name: str) -> int:
    """Return the number of a host. Raises ScenarioError if there is none of that name."""
    if name not in names:
        says = hint(name, names, f"hosts: {', '.join(names)}")
        raise ScenarioError("host", f"there is no live host {name!r} in this scenario; {says}")
    return names.index(name)


def write_names(names: Sequence[str], addresses: Sequence[tuple[str, ...]]) -> str:
    """Write the content of /etc/hosts there, so that `curl http://b/` works."""
    lines = ["127.0.0.1 localhost", "::1 localhost"]
    for name, own in zip(names, addresses, strict=True):
        lines += [f"{address} {name}" for address in own]
    return "\n".join(lines) + "\n"


def start_program(
    entry: tuple[int, int, int, int], host: str, command: Command, options: Mapping[str, Any]
) -> subprocess.Popen[Any]:
    """Start a program in a host. Raises EmulationError if it cannot be started."""
    shell = isinstance(command, str)
    arguments = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
    env = user_environment() if options.get("env") is None else dict(options["env"])
    given = {**options, "env": {**env, "HEADGATE_HOST": host}}
    given.setdefault("start_new_session", True)
    given.setdefault("stdin", subprocess.DEVNULL)
    reads, writes = os.pipe()
    with open(reads, "rb") as told, open(writes, "wb") as tell:
        try:
            enter = partial(_enter, entry, tell.fileno())
            return subprocess.Popen(arguments, preexec_fn=enter, **given)  # noqa: PLW1509
        except (OSError, subprocess.SubprocessError) as error:
            tell.close()
            why = _explain(told.read().decode(), error)
            what = command if shell else arguments[0]
            raise EmulationError(f"host {host}: {what!r} cannot be started: {why}") from None


def _enter(entry: tuple[int, int, int, int], tell: int) -> None:
    """Enter a host, in a process that is to be a program there; write down why that fails."""
    from headgate._native import enter_host

    try:
        enter_host(*entry)
    except OSError as error:
        os.write(tell, str(error).encode())  # the number of the error
        raise


def _explain(number: str, error: Exception) -> str:
    if not number:
        return str(error)
    if int(number) == errno.ENOMEM:  # fork(2), if the first process there has ended
        return "the host's processes were killed, or memory ran out; begin the run again"
    return f"the host cannot be entered ({os.strerror(int(number))})"


def end_programs(programs: Sequence[subprocess.Popen[Any]], patience_s: float = 2.0) -> None:
    """Ask those that still run to end, and kill those that do not."""
    running = [program for program in programs if program.poll() is None]
    for program in running:
        with suppress(ProcessLookupError):
            program.terminate()
    for program in running:
        try:
            program.wait(patience_s)
        except subprocess.TimeoutExpired:
            program.kill()
            program.wait()
