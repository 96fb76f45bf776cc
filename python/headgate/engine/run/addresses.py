"""Addresses that captures give to hosts, which have numbers only."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

#: The first address of 10.0.0.0/8 (RFC 1918), and the bits below that prefix.
PRIVATE, BITS = 10 << 24, 24
#: The first port of senders, above those that are well known, and how many there are from it on.
FIRST_PORT, PORTS = 1024, 2**16 - 1024
#: All receivers have one port, that of iperf.
RECEIVER_PORT = 5001


def assign_addresses(routers: NDArray[Any], hosts: NDArray[Any], of: int) -> NDArray[np.uint32]:
    """Return IPv4 addresses, as numbers, of hosts at `routers`, whose numbers are below `of`.

    10.0.0.0/8 is divided evenly over the routers. A host has its number + 2 there; the router
    itself, which a missing host means, has 1. More hosts than fit begin again.
    """
    host_bits = BITS - max(1, (of - 1).bit_length())
    own = np.where(np.isnan(hosts), 1, np.nan_to_num(hosts) + 2).astype(np.uint32)
    network = np.asarray(routers, np.uint32) << np.uint32(host_bits)
    return np.asarray(PRIVATE | network | own % (1 << host_bits), np.uint32)


def assign_ports(slots: NDArray[Any]) -> NDArray[np.uint64]:
    """Return the TCP ports of senders by their places among those at their router."""
    return np.asarray(slots, np.uint64) % PORTS + FIRST_PORT


def write_address(address: int) -> str:
    """Write an IPv4 address."""
    return ".".join(str(address >> shift & 255) for shift in (24, 16, 8, 0))
