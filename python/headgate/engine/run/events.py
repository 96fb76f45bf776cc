"""Events and connections of a run as tables: what the engine noted, with names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.names import each_name
from headgate.data.columns import CONNECTIONS, EVENTS
from headgate.data.measures.formula import form
from headgate.data.tables import Table, Words
from headgate.engine.run.addresses import (
    RECEIVER_PORT,
    assign_addresses,
    assign_ports,
    write_address,
)

Facts = Mapping[str, NDArray[Any]]
NO_NUMBER, NO_INDEX = 2**32 - 1, 2**8 - 1
"""In the place of a number, and of a state or kind of packet: there is none."""

#: Flags of a packet's head, from its third bit on. On data the bit of `ece` means `psh`.
FLAGS = ("ect", "ce", "ece", "cwr", "psh")
DATA, ECE, PSH = 2, 1 << FLAGS.index("ece"), 1 << FLAGS.index("psh")


class EventTables:
    """Makes tables of a plan's events."""

    def __init__(self, plan: Mapping[str, Any]) -> None:
        self._flows = list(each_name(plan["traffic"]))
        self._links = [link["name"] for link in plan["links"]]
        self._routers = [node["name"] for node in plan["nodes"]]
        self._profiles = [profile["name"] for profile in plan["transports"]]

    def make_events(self, facts: Facts, labels: Mapping[str, Sequence[str]]) -> Table:
        """Return the table of events."""
        words = {
            "event": Words(facts["event"], labels["event"]),
            "state": _words_or_none(facts["state"], labels["state"], NO_INDEX),
            "packet": _words_or_none(facts["packet"], labels["packet"], NO_INDEX),
            "flags": Words(_flags(facts), _flag_words()),
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


def _flags(facts: Facts) -> NDArray[Any]:
    flags = facts["flags"].astype(np.int64) >> 2
    pushes = (facts["packet"] == DATA) & (flags & ECE > 0)
    return np.where(pushes, flags - ECE + PSH, flags)


def _flag_words() -> list[str]:
    sets = range(2 ** len(FLAGS))
    return [" ".join(flag for bit, flag in enumerate(FLAGS) if s >> bit & 1) for s in sets]


def _words_or_none(numbers: NDArray[Any], words: Sequence[str], none: int = NO_NUMBER) -> Words:
    """Name what has a number, and leave the others empty."""
    return Words(np.where(numbers == none, len(words), numbers), [*words, ""])
