"""Which kernel each live host has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from headgate.engine.live.hosts import EmulationError, find_host

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

HOST, UML = "host", "uml"
#: This machine's kernel, and one that runs as a process.
KERNELS = (HOST, UML)

Choice = str | Mapping[str, str] | None


def choose_kernels(choice: Choice, hosts: Sequence[str], sources: Sequence[str]) -> dict[str, str]:
    """Return the kernel of every host.

    One word is that of the hosts at the source; a mapping names hosts. Raises EmulationError,
    ScenarioError.
    """
    given = dict.fromkeys(sources, choice) if isinstance(choice, str) else dict(choice or {})
    for host, kernel in given.items():
        find_host(hosts, host)
        if kernel not in KERNELS:
            raise EmulationError(
                f"kernel: {kernel!r} is not allowed; it must be {' or '.join(KERNELS)}"
            )
    return {host: given.get(host, HOST) for host in hosts}


def parse_kernels(texts: Sequence[str]) -> Choice:
    """Read `uml` or `HOST=uml`, which may be repeated. Raises EmulationError if both are there."""
    pairs = [text.partition("=") for text in texts]
    named = {host: kernel for host, sign, kernel in pairs if sign}
    alone = [text for text in texts if "=" not in text]
    if len(alone) > 1 or (alone and named):
        raise EmulationError("--kernel: give one kernel, or HOST=KERNEL for each host")
    return alone[0] if alone else named


def source_hosts(scenario: Scenario) -> list[str]:
    """Name the live hosts at the source."""
    return [name for item in scenario.traffic for name in getattr(item, "source_names", ())]
