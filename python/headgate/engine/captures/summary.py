"""What was taken of a capture and what was not, in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from headgate.base.units import readable
from headgate.engine.captures.clock import warn_of_clock
from headgate.engine.captures.read import Capture, Count
from headgate.engine.captures.rtts import keep_plausible

#: Kinds of packets that are not taken, by the engine's names.
NOT_TAKEN = {
    "quic": "QUIC (UDP port 443)",
    "udp": "other UDP",
    "icmp": "ICMP",
    "other_ip": "other IP, tunnels too",
    "not_ip": "no IP (ARP and others)",
    "fragment": "later IP fragments",
    "cut_tcp": "TCP cut before its flags",
    "damaged": "damaged or cut headers",
    "other_link": "unread kinds of link",
    "timeless": "no known time",
}
IDLE = "TCP without data"
TAKEN = "TCP with data"


@dataclass(frozen=True)
class Share:
    """A kind of packets of a capture."""

    name: str
    count: Count
    is_taken: bool


def shares(capture: Capture) -> list[Share]:
    """Return the kinds of packets in it: what is taken, then the rest, most bytes first."""
    rest = [Share(name, capture.counts[kind], False) for kind, name in NOT_TAKEN.items()]
    rest.append(Share(IDLE, capture.idle, False))
    there = sorted((share for share in rest if share.count.packets), key=lambda s: -s.count.bytes)
    return [Share(TAKEN, capture.taken, True), *there]


def describe(capture: Capture, flows: int) -> str:
    """Say in one sentence what was taken and what was not."""
    connections = len(capture.connections)
    payload = int(sum(capture.connections[f"{end}_bytes"].sum() for end in ("client", "server")))
    taken = (
        f"{count(flows, 'flow')} of {count(connections, 'TCP connection')}, {_bytes(payload)} of "
        f"payload within {capture.span_s:,.3f} s"
    )
    rest = [share for share in shares(capture) if not share.is_taken]
    if not rest:
        return f"taken: {taken}; nothing was left out"
    lost = sum((share.count for share in rest), Count(0, 0))
    share = lost.bytes / max(capture.all.bytes, 1)
    listed = ", ".join(f"{count(each.count.packets, 'packet')} of {each.name}" for each in rest)
    return f"taken: {taken}; not taken: {listed}; {format_percent(share)} of all bytes"


def warnings(capture: Capture) -> Iterator[str]:
    """Yield warnings about the flows that were taken, and about the file."""
    yield from _of_file(capture)
    yield from warn_of_clock(capture)
    found = capture.connections
    late, endless = int((found["has_syn"] == 0).sum()), _count_endless(capture)
    if late:
        yield (
            f"{count(late, 'connection')} began before the capture: their sizes leave out what "
            "came before it, and the end with the higher port is taken for the client"
        )
    if endless:
        yield (
            f"{count(endless, 'connection')} had not ended when the capture did: their sizes leave "
            "out what came after it"
        )
    unmeasured = int(np.isnan(keep_plausible(found["rtt_s"])).sum())
    if unmeasured:
        yield (
            f"{count(unmeasured, 'connection')} gave no round trip (the handshake was not "
            "captured, was retransmitted, or has impossible times): their flows have that of the"
            " network"
        )


def _count_endless(capture: Capture) -> int:
    found = capture.connections
    return int(((found["has_fin"] == 0) & (found["has_rst"] == 0)).sum())


def _of_file(capture: Capture) -> Iterator[str]:
    if capture.is_cut:
        yield "the file ends within a packet; it was read up to there"
    if capture.damaged_at is not None:
        yield (
            f"the file is damaged at byte {capture.damaged_at:,}, where no packet begins; it was "
            "read up to there"
        )
    if capture.other_links:
        links = ", ".join(map(str, sorted(capture.other_links)))
        yield (
            f"packets of link type {links} were skipped; Ethernet (1), Linux cooked (113, 276), "
            "raw IP (101) and loopback (0, 108) are read"
        )
    if capture.strays:
        yield (
            f"{count(capture.strays, 'TCP packet')} have sequence numbers outside every window "
            "of their connection; they do not count toward its size"
        )
    if capture.forgotten:
        yield (
            f"{count(capture.forgotten, 'connection')} that had been silent longest were closed "
            "early to save memory; their later packets count as further connections"
        )


def count(number: int, what: str) -> str:
    """Write a number of things."""
    return f"{number:,} {what}{'s' * (number != 1)}"


def _bytes(number: int) -> str:
    scale, unit = readable("B", float(number))
    return f"{number * scale:.3g} {unit}"


def format_percent(share: float) -> str:
    """Write a share."""
    percent = 100 * share
    return "under 0.1 %" if 0 < percent < 0.1 else f"{percent:.3g} %"
