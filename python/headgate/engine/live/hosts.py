"""Live hosts of a scenario: their names and kernels, and how a program starts in one."""

from __future__ import annotations

import errno
import os
import re
import shlex
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.messages import hint
from headgate.base.process import user_environment

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

Command = str | Sequence[str]
"""A line for the shell, or a program and its arguments."""

#: Variables that a shell line sets before its program.
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
#: Characters that the shell expands.
_EXPANDED = frozenset("$`*?[~(){}<>|;&!#")
#: Message if a scenario lacks a live host.
NO_HOSTS = 'there are no live hosts; add [[traffic]] with kind = "live"'

#: Message if the processes that hold the hosts were killed, at whatever moment.
HOSTS_KILLED = (
    "the hosts' processes were killed, by the system if memory was short, or by somebody; the run"
    " has no result: begin it again"
)


class EmulationError(HeadgateError):
    """A run in real time that cannot begin or continue."""


def host_names(plan: Mapping[str, Any]) -> list[str]:
    """Return the names of the live hosts of a plan. Raises ScenarioError if it has none."""
    names = [name for item in plan["traffic"] for name in item.get("hosts", ())]
    if not names:
        raise ScenarioError("traffic", NO_HOSTS)
    twice = next((name for n, name in enumerate(names) if name in names[:n]), None)
    if twice is not None:
        raise ScenarioError("traffic", f"'{twice}' names two live hosts; names must differ")
    return names


def find_host(names: Sequence[str], name: str) -> int:
    """Return the number of a host. Raises ScenarioError for an unknown name."""
    if name not in names:
        says = hint(name, names, f"hosts: {', '.join(names)}")
        raise ScenarioError("host", f"there is no live host {name!r} in this scenario; {says}")
    return names.index(name)


def refuse_bad_command(host: str, command: str) -> None:
    """Raise EmulationError for a line with a syntax error or without its program."""
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
    """Return the program at the start of a line; empty if only the shell can determine it."""
    words = shlex.shlex(command, posix=True, punctuation_chars=True)
    words.whitespace_split = True
    first = next((word for word in words if not _ASSIGNMENT.match(word)), "")
    return "" if set(first) & _EXPANDED else first


def write_names(names: Sequence[str], addresses: Sequence[tuple[str, ...]]) -> str:
    """Return the hosts' /etc/hosts, so that `curl http://b/` works."""
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
    with open(reads, "rb") as failure, open(writes, "wb") as report:
        try:
            enter = partial(_enter, entry, report.fileno())
            return subprocess.Popen(arguments, preexec_fn=enter, **given)  # noqa: PLW1509
        except (OSError, subprocess.SubprocessError) as error:
            report.close()
            number = failure.read().decode()
            if number and int(number) == errno.ENOMEM:  # fork(2): the first process there has ended
                raise EmulationError(HOSTS_KILLED) from None
            why = f"the host cannot be entered ({os.strerror(int(number))})" if number else error
            what = command if shell else arguments[0]
            raise EmulationError(f"host {host}: {what!r} cannot be started: {why}") from None


def _enter(entry: tuple[int, int, int, int], report: int) -> None:
    """Enter a host before exec; report the error number if that fails."""
    from headgate._native import enter_host

    try:
        enter_host(*entry)
    except OSError as error:
        os.write(report, str(error).encode())  # the number of the error
        raise


def end_programs(programs: Sequence[subprocess.Popen[Any]], patience_s: float = 2.0) -> None:
    """Terminate programs that still run, and kill those that do not end."""
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


HOST, UML = "host", "uml"
#: This machine's kernel, and one that runs as a process.
KERNELS = (HOST, UML)

KernelChoice = str | Mapping[str, str] | None


def choose_kernels(
    choice: KernelChoice, hosts: Sequence[str], sources: Sequence[str]
) -> dict[str, str]:
    """Return the kernel of every host.

    One word selects the kernel of the hosts at the source; a mapping names hosts. Raises
    EmulationError, ScenarioError.
    """
    given = dict.fromkeys(sources, choice) if isinstance(choice, str) else dict(choice or {})
    for host, kernel in given.items():
        find_host(hosts, host)
        if kernel not in KERNELS:
            raise EmulationError(
                f"kernel: {kernel!r} is not allowed; it must be {' or '.join(KERNELS)}"
            )
    return {host: given.get(host, HOST) for host in hosts}


def parse_kernels(texts: Sequence[str]) -> KernelChoice:
    """Read `uml` or repeated `HOST=uml`. Raises EmulationError for a mixture."""
    pairs = [text.partition("=") for text in texts]
    named = {host: kernel for host, sign, kernel in pairs if sign}
    alone = [text for text in texts if "=" not in text]
    if len(alone) > 1 or (alone and named):
        raise EmulationError("--kernel: give one kernel, or HOST=KERNEL for each host")
    return alone[0] if alone else named


def source_hosts(scenario: Scenario) -> list[str]:
    """Return the names of the live hosts at the source."""
    return [name for item in scenario.traffic for name in getattr(item, "source_names", ())]
