"""The live hosts of a scenario: their names, and how a program gets into one."""

from __future__ import annotations

import errno
import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.messages import hint
from headgate.base.process import user_environment

Command = str | Sequence[str]
"""A line for the shell, or a program and its arguments."""

#: Variables that a line of the shell sets before its program.
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
#: What the shell makes something else of.
_EXPANDED = frozenset("$`*?[~(){}<>|;&!#")
#: What a live run needs of its plan, said of the scenario.
NO_HOSTS = 'there are no live hosts; add [[traffic]] with kind = "live"'

#: What a run says that lost the processes which hold its hosts, whatever it does at that moment.
HOSTS_KILLED = (
    "the hosts' processes were killed, by the system if memory was short, or by somebody; the run"
    " has no result: begin it again"
)


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


def refuse_bad_command(host: str, command: str) -> None:
    """Raise EmulationError for a line that the shell cannot run: its syntax, or no such program."""
    checked = _ask_shell("-n", "-c", command)
    if checked.returncode:
        says = checked.stderr.strip().rpartition(": ")[2] or "the shell cannot read it"
        raise EmulationError(f"host {host}: {command!r} is no command: {says}")
    program = _first_word(command)
    if program and _ask_shell("-c", 'command -v "$1"', "sh", program).returncode:
        raise EmulationError(
            f"host {host}: {command!r}: there is no program {program!r}; install it, or write its"
            " path"
        )


def _ask_shell(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", *words], capture_output=True, text=True, check=False, env=user_environment()
    )


def _first_word(command: str) -> str:
    """Return the program that a line begins with; nothing where only the shell can tell."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    first = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    return "" if set(first) & _EXPANDED else first


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
            number = told.read().decode()
            if number and int(number) == errno.ENOMEM:  # fork(2): the first process there has ended
                raise EmulationError(HOSTS_KILLED) from None
            why = f"the host cannot be entered ({os.strerror(int(number))})" if number else error
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
