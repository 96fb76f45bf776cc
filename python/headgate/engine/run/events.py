"""Events and connections of a run as tables, with the addresses that captures show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.names import each_name
from headgate.data.columns import CONNECTIONS, EVENTS
from headgate.data.measures.formula import form
from headgate.data.tables import Table, Words

#: The first address of 10.0.0.0/8 (RFC 1918), and the bits below that prefix.
PRIVATE, BITS = 10 << 24, 24
#: The first port of senders, above the well-known ones, and the number of ports.
FIRST_PORT, PORTS = 1024, 2**16 - 1024
#: The port of all receivers, that of iperf.
RECEIVER_PORT = 5001


def assign_addresses(routers: NDArray[Any], hosts: NDArray[Any], of: int) -> NDArray[np.uint32]:
    """Return IPv4 addresses, as numbers, of hosts at `routers`, whose numbers are below `of`.

    10.0.0.0/8 is divided evenly over the routers. A host's address is its number + 2, and a
    router's (a missing host) is 1. The numbers wrap around if there are more hosts than addresses.
    """
    host_bits = BITS - max(1, (of - 1).bit_length())
    own = np.where(np.isnan(hosts), 1, np.nan_to_num(hosts) + 2).astype(np.uint32)
    network = np.asarray(routers, np.uint32) << np.uint32(host_bits)
    return np.asarray(PRIVATE | network | own % (1 << host_bits), np.uint32)


def assign_ports(slots: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the TCP ports of senders from their places at their router."""
    return np.asarray(slots, np.uint64) % PORTS + FIRST_PORT


def write_address(address: int) -> str:
    """Write an IPv4 address."""
    return ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))


Facts = Mapping[str, NDArray[Any]]
NO_NUMBER, NO_INDEX = 2**32 - 1, 2**8 - 1
"""Codes of a missing number, and of a missing state or packet kind."""

#: The ECN field, in two bits of a packet's head from the third one on, and the flags behind it. On
#: data the bit of `ece` means `psh`.
FIELDS, FLAGS = ("", "ect1", "ect0", "ce"), ("ece", "cwr", "ae", "psh")
DATA, ECE, PSH = 2, len(FIELDS), len(FIELDS) << FLAGS.index("psh")


class EventTables:
    """Tables of the events of a plan."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._flows = list(each_name(plan["traffic"]))
        self._links = [link["name"] for link in plan["links"]]
        self._routers = [node["name"] for node in plan["nodes"]]
        self._profiles = [profile["name"] for profile in plan["transports"]]

    def make_events(self, facts: Facts, labels: Mapping[str, Sequence[str]]) -> Table:
        """Return the table of events."""
        flags = facts["flags"].astype(np.int64) >> 2
        pushes = (facts["packet"] == DATA) & (flags & ECE > 0)
        flags = np.where(pushes, flags - ECE + PSH, flags)
        words = {
            "event": Words(facts["event"], labels["event"]),
            "state": _words_or_none(facts["state"], labels["state"], NO_INDEX),
            "packet": _words_or_none(facts["packet"], labels["packet"], NO_INDEX),
            "flags": Words(flags, _list_flags()),
            "flow": _words_or_none(facts["flow"], self._flows),
            "link": _words_or_none(facts["link"], self._links),
        }
        return Table("events", form(EVENTS, {**facts, **words}))

    def make_connections(self, facts: Facts) -> Table:
        """Return the table of connections, with the addresses that captures give them."""
        named = {
            "flow": _words_or_none(facts["flow"], self._flows),
            "source": Words(facts["source"], self._routers),
            "receiver": Words(facts["receiver"], self._routers),
            "transport": Words(facts["profile"], self._profiles),
            "source_ip": self._dotted(facts["source"], facts["source_host"]),
            "receiver_ip": self._dotted(facts["receiver"], facts["receiver_host"]),
            "source_port": assign_ports(facts["slot"]),
            "receiver_port": np.full(len(facts["slot"]), RECEIVER_PORT, np.uint64),
        }
        return Table("connections", form(CONNECTIONS, {**facts, **named}))

    def _dotted(self, routers: NDArray[Any], hosts: NDArray[Any]) -> Words:
        numbers = assign_addresses(routers, hosts, len(self._routers))
        few, codes = np.unique(numbers, return_inverse=True)
        return Words(codes, [write_address(int(number)) for number in few])


def _list_flags() -> list[str]:
    """Return the words of each ECN field with each set of flags, by their bits."""
    sets = [
        [flag for bit, flag in enumerate(FLAGS) if number >> bit & 1]
        for number in range(2 ** len(FLAGS))
    ]
    return [" ".join(filter(None, [field, *flags])) for flags in sets for field in FIELDS]


def _words_or_none(numbers: NDArray[Any], words: Sequence[str], none: int = NO_NUMBER) -> Words:
    """Return the names of numbers, empty for the code of a missing one."""
    return Words(np.where(numbers == none, len(words), numbers), [*words, ""])
