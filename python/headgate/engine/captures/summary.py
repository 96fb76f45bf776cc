"""A capture in words: the traffic that is replayed, the rest, and warnings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.base.units import readable
from headgate.engine.captures.read import Capture, Count, keep_plausible

#: Labels of packets that are not replayed, by the engine's name of their kind.
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
    """One kind of packets in a capture."""

    name: str
    count: Count
    is_taken: bool


def shares(capture: Capture) -> list[Share]:
    """Return the kinds of packets: the replayed ones, then the others by their bytes."""
    rest = [Share(name, capture.counts[kind], False) for kind, name in NOT_TAKEN.items()]
    rest.append(Share(IDLE, capture.idle, False))
    there = sorted((share for share in rest if share.count.packets), key=lambda s: -s.count.bytes)
    return [Share(TAKEN, capture.taken, True), *there]


def describe(capture: Capture, flows: int) -> str:
    """Return one sentence about the packets that are replayed and those that are not."""
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
    """Yield warnings about the replayed flows and about the file."""
    yield from _of_file(capture)
    yield from warn_of_clock(capture)
    found = capture.connections
    late = int((found["has_syn"] == 0).sum())
    endless = int(((found["has_fin"] == 0) & (found["has_rst"] == 0)).sum())
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


def count(number: int, noun: str) -> str:
    """Write a number with its noun."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def _bytes(number: int) -> str:
    scale, unit = readable("B", float(number))
    return f"{number * scale:.3g} {unit}"


def format_percent(share: float) -> str:
    """Write a share in percent."""
    percent = 100 * share
    return "under 0.1 %" if 0 < percent < 0.1 else f"{percent:.3g} %"


#: The engine simulates no longer run; a replay adds some seconds to the span of its capture.
LONGEST_SPAN_S = 99 * 86_400.0
#: Longer gaps are reported: captures were merged, or a clock was set.
LONGEST_GAP_S = 3600.0


@dataclass(frozen=True)
class Gap:
    """An interval without packets, in seconds since the first packet."""

    begin_s: float
    end_s: float
    is_rest_larger: bool
    """Whether more bytes follow the gap than precede it."""


def find_gap(capture: Capture) -> Gap | None:
    """Return the longest interval without packets, if no traffic explains it."""
    rates = capture.rates
    if len(rates.begin_s) < 2:
        return None
    ends_s = rates.begin_s[:-1] + rates.width_s
    gaps_s = rates.begin_s[1:] - ends_s
    place = int(np.argmax(gaps_s))
    if gaps_s[place] <= LONGEST_GAP_S:
        return None
    bytes_of_each = rates.to_clients + rates.to_servers + rates.other
    before, after = bytes_of_each[: place + 1].sum(), bytes_of_each[place + 1 :].sum()
    return Gap(float(ends_s[place]), float(rates.begin_s[place + 1]), bool(after > before))


def warn_of_clock(capture: Capture) -> Iterator[str]:
    """Yield warnings about time stamps that go back, and about a gap."""
    if capture.steps_back:
        places = count(capture.steps_back, "place")
        yield (
            f"the time stamps go back by more than 1 s in {places}: if a clock was set or captures"
            " were put behind one another, starts and round trips of the connections under way"
            " are wrong"
        )
    gap = find_gap(capture)
    if gap is not None:
        yield (
            f"{_describe_gap(capture, gap)}; if a clock was set or captures were merged, keep one"
            f" part: {_cut(capture, gap)}"
        )


def check_clock(capture: Capture) -> None:
    """Raise HeadgateError if the capture spans more time than a run can last."""
    if capture.span_s <= LONGEST_SPAN_S:
        return
    says = (
        f"{capture.path}: its packets span {_duration(capture.span_s)}, and a replay lasts at most"
        f" {_duration(LONGEST_SPAN_S)}"
    )
    gap = find_gap(capture)
    if gap is not None:
        says += f"; {_describe_gap(capture, gap)}, so keep one part: {_cut(capture, gap)}"
    raise HeadgateError(says)


def _describe_gap(capture: Capture, gap: Gap) -> str:
    begin, end = (_date(capture, time_s) for time_s in (gap.begin_s, gap.end_s))
    return f"there is no packet for {_duration(gap.end_s - gap.begin_s)}, from {begin} to {end}"


def _cut(capture: Capture, gap: Gap) -> str:
    side = ["-A", _date(capture, gap.end_s)]
    if not gap.is_rest_larger:
        side = ["-B", _date(capture, gap.begin_s)]
    return shlex.join(["editcap", *side, str(capture.path), "part.pcapng"])


def _date(capture: Capture, time_s: float) -> str:
    """Write a time since the first packet as a date, or as seconds if it exceeds the calendar."""
    since_1970_s = capture.begin_s + time_s
    try:
        date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(since_1970_s))
    except OverflowError:
        return f"{since_1970_s:.0f}"
    return f"{date:%Y-%m-%dT%H:%M:%S}Z"


def _duration(seconds: float) -> str:
    if seconds >= 2 * 86_400:
        return f"{seconds / 86_400:,.0f} days"
    return f"{seconds / 3600:.1f} hours"
