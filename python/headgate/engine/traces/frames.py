"""TCP/IP headers of traced packets, as blocks of a pcapng file.

A segment becomes the profile's full payload in bytes. Fields that the engine's TCP lacks are 0: a
receiver's time stamp, the echo in a data segment, and the payload, which is cut off. A FIN goes
with the last segment of a flow that ends, and its ACK counts it; the receiver sends none.

All packets with the same options are made at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.data.tables import Table
from headgate.engine.run.events import RECEIVER_PORT

FIN, SYN, PSH, ACK, ECE, CWR = 0x01, 0x02, 0x08, 0x10, 0x40, 0x80
#: The lowest bit of the byte before (RFC 9768 section 3.1.1).
AE = 0x01
CODEPOINTS = {"ect1": 1, "ect0": 2, "ce": 3}
ETHERNET_BYTES, IP_BYTES = 14, 20
IPV4, LOCAL = 0x0800, 0x0200
"""The content type of Ethernet frames, and the first half of locally administered addresses."""
#: The largest scaled window (RFC 7323 section 2.2).
MOST_SCALE, MOST_WINDOW = 14, 65535
INBOUND, OUTBOUND = 1, 2
#: Multipliers that spread initial sequence numbers over their range.
SENDER_ISN, RECEIVER_ISN = 2_654_435_761, 2_246_822_519
NO_STAMP = 2**32 - 1
ENHANCED_PACKET, PACKET_FLAGS = 6, 2

Numbers = NDArray[Any]


@dataclass(frozen=True)
class ConnectionFacts:
    """Properties of the connection of each packet."""

    ends: tuple[Numbers, Numbers]
    """IPv4 addresses of sender and receiver."""
    port: Numbers
    size: Numbers
    name: Numbers
    mss: Numbers
    window: Numbers
    scale: Numbers
    sack: Numbers
    stamps: Numbers
    accurate: Numbers
    """Whether data carry an ACE field: accurate feedback is asked for and supported."""


def find_connections(
    table: Table, rows: Numbers, profiles: Mapping[str, Mapping[str, Any]]
) -> ConnectionFacts:
    """Return the connections of packets, given their rows in the table."""
    each = list(profiles.values())
    of = table.translate("transport", list(profiles).index)[rows]

    def by_profile(values: list[Any]) -> Numbers:
        found: Numbers = np.array(values)[of]
        return found

    scales = [max(0, (_window(p) // (MOST_WINDOW + 1)).bit_length()) for p in each]
    return ConnectionFacts(
        ends=(
            table.translate("source_ip", _read_address)[rows],
            table.translate("receiver_ip", _read_address)[rows],
        ),
        port=table["source_port"][rows],
        size=table["size_packets"][rows],
        name=table["connection"][rows],
        mss=by_profile([profile["segment_bytes"] for profile in each]),
        window=by_profile([_window(p) >> s for p, s in zip(each, scales, strict=True)]),
        scale=by_profile(scales),
        sack=by_profile([profile["recovery"].startswith("sack") for profile in each]),
        stamps=by_profile([profile["rtt"] == "timestamps" for profile in each]),
        accurate=by_profile(list(map(_is_accurate, each))) & (table["ecn"][rows] > 0),
    )


def _window(profile: Mapping[str, Any]) -> int:
    packets = profile["receive_window"]
    most = MOST_WINDOW << MOST_SCALE
    return most if packets is None else min(packets * profile["segment_bytes"], most)


def _is_accurate(profile: Mapping[str, Any]) -> bool:
    asked = profile.get("ecn_feedback") == "accurate"
    return asked and profile.get("ecn_receiver", "any") == "any"


def _read_address(address: str) -> int:
    return int.from_bytes(bytes(map(int, address.split("."))))


def make_packet_blocks(
    events: Table, known: ConnectionFacts, interfaces: Numbers, directions: Numbers
) -> bytes:
    """Return an enhanced packet block for each event, in their order."""
    kind = events["packet"]
    is_syn = (kind == "syn") | (kind == "syn-ack")
    blocks = sum((~np.isnan(events[f"sack{n}_to"])).astype(int) for n in (1, 2, 3))
    blocks = np.where(known.sack & ~is_syn, blocks, 0)
    shapes = np.stack([is_syn, known.sack & is_syn, known.stamps, blocks])
    few, of = np.unique(shapes, axis=1, return_inverse=True)
    made = []
    for number, shape in enumerate(few.T):
        rows = np.flatnonzero(of == number)
        packets = _PacketGroup(events.where(rows), _only(known, rows))
        frame = packets.make_frames(*map(int, shape))
        blocks = _make_blocks(frame, packets, interfaces[rows], directions[rows])
        made.append((rows, blocks))
    return _interleave(made, len(kind))


def _only(known: ConnectionFacts, rows: Numbers) -> ConnectionFacts:
    fields = {name: value for name, value in vars(known).items() if name != "ends"}
    ends = (known.ends[0][rows], known.ends[1][rows])
    return ConnectionFacts(ends=ends, **{name: value[rows] for name, value in fields.items()})


def _interleave(made: list[tuple[Numbers, Numbers]], count: int) -> bytes:
    """Join blocks of several lengths in the order of their rows."""
    lengths = np.zeros(count, np.int64)
    for rows, blocks in made:
        lengths[rows] = blocks.shape[1]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    out = np.zeros(starts[-1], np.uint8)
    for rows, blocks in made:
        out[starts[rows, None] + np.arange(blocks.shape[1])] = blocks
    return out.tobytes()


class _PacketGroup:
    def __init__(self, events: Table, known: ConnectionFacts) -> None:
        self.events, self.known = events, known
        self.kind = events["packet"]
        self.seq = np.nan_to_num(events["seq"]).astype(np.uint64)
        self.forward = (self.kind == "syn") | (self.kind == "data")

    def has(self, flag: str) -> Numbers:
        return self.events.translate("flags", lambda flags: flag in flags.split())

    def make_frames(self, is_syn: int, sack: int, stamps: int, blocks: int) -> Numbers:
        options = self._syn_options(sack, stamps) if is_syn else self._options(stamps, blocks)
        names = [(f"o{n}", width) for n, (width, _) in enumerate(options)]
        frame = np.zeros(len(self.kind), np.dtype([*_FRAME, *names]))
        for n, (_, value) in enumerate(options):
            frame[f"o{n}"] = value
        self._fill(frame)
        return frame

    def lengths(self, frame: Numbers) -> Numbers:
        payload: Numbers = np.where(self.kind == "data", self.known.mss, 0)
        return payload + frame.dtype.itemsize

    def times_ns(self) -> Numbers:
        return np.rint(self.events["t_s"] * 1e9).astype(np.uint64)

    def _fill(self, frame: Numbers) -> None:
        length = self.lengths(frame) - ETHERNET_BYTES
        if (length > 2**16 - 1).any():
            raise HeadgateError(
                f"packets of {length.max():,} bytes exceed the 65,535 bytes of an IPv4 "
                "header; export this trace as qlog and CSV"
            )
        frame["version"], frame["total_length"], frame["fragment_offset"] = 0x45, length, 0x4000
        frame["ttl"], frame["protocol"] = 64, 6
        frame["tos"] = sum(codepoint * self.has(word) for word, codepoint in CODEPOINTS.items())
        sender, receiver = self.known.ends
        frame["type"], frame["destination_local"], frame["source_local"] = IPV4, LOCAL, LOCAL
        frame["source"] = np.where(self.forward, sender, receiver)
        frame["destination"] = np.where(self.forward, receiver, sender)
        frame["destination_mac"], frame["source_mac"] = frame["destination"], frame["source"]
        frame["source_port"] = np.where(self.forward, self.known.port, RECEIVER_PORT)
        frame["destination_port"] = np.where(self.forward, RECEIVER_PORT, self.known.port)
        frame["seq"], frame["ack"] = self._sequence()
        header_bytes = frame.dtype.itemsize - ETHERNET_BYTES - IP_BYTES
        frame["data_offset"] = header_bytes // 4 << 4 | self._has_ae()
        frame["flags"] = self._flags()
        unscaled = np.minimum(self.known.window << self.known.scale, MOST_WINDOW)
        frame["window"] = np.where(self._is("syn", "syn-ack"), unscaled, self.known.window)
        _add_checksums(frame, length)

    def _is(self, *kinds: str) -> Numbers:
        return np.isin(self.kind, kinds)

    def _sequence(self) -> tuple[Numbers, Numbers]:
        name = self.known.name.astype(np.uint64) + np.uint64(1)
        sender, receiver = name * np.uint64(SENDER_ISN), name * np.uint64(RECEIVER_ISN)
        one = np.uint64(1)
        at = sender + one + self.seq * self.known.mss.astype(np.uint64)
        fin = (self.seq >= self.known.size).astype(np.uint64)
        seq = np.select([self._is("syn"), self._is("data"), self._is("syn-ack")],
                        [sender, at, receiver], receiver + one)  # fmt: skip
        ack = np.select([self._is("syn"), self._is("data"), self._is("syn-ack")],
                        [np.uint64(0), receiver + one, sender + one], at + fin)  # fmt: skip
        return seq & np.uint64(2**32 - 1), ack & np.uint64(2**32 - 1)

    def _flags(self) -> Numbers:
        last = self._is("data") & (self.seq + np.uint64(1) >= self.known.size)
        flags = np.select([self._is("syn"), self._is("syn-ack")], [SYN, SYN | ACK], ACK)
        flags |= np.where(last, FIN | PSH, 0)
        flags |= np.where(self._is("syn") & self.has("ece"), ECE | CWR, 0)
        flags |= np.where(self._is("syn-ack", "ack") & self.has("ece"), ECE, 0)
        flags |= CWR * (self._is("syn-ack", "ack") & self.has("cwr"))
        flags |= ECE * (self._is("data") & self.known.accurate)
        flags |= np.where(self.has("psh"), PSH, 0)
        return flags | np.where(self._is("data") & self.has("cwr"), CWR, 0)

    def _has_ae(self) -> Numbers:
        """Return AE. On data it is part of the first count of marks, 5, as receivers send no data.

        The engine grants the exact echo by AE and ECE, a real server by ECE alone.
        """
        exact = self._is("syn-ack") & self.has("ece") & ~self.has("cwr")
        return (self.has("ae") & ~exact) | (self._is("data") & self.known.accurate)

    def _stamp(self) -> list[tuple[str, Any]]:
        """Return the time stamp option (RFC 7323): on data, and echoed by ACKs."""
        stamp = np.nan_to_num(self.events["stamp"], nan=NO_STAMP)
        value = np.where(self._is("data"), stamp, 0)
        return [(">u2", 0x080A), (">u4", value), (">u4", np.where(self._is("ack"), stamp, 0))]

    def _syn_options(self, sack: int, stamps: int) -> list[tuple[str, Any]]:
        """MSS, SACK permitted, time stamps, window scale, as Linux orders them."""
        options: list[tuple[str, Any]] = [(">u2", 0x0204), (">u2", self.known.mss)]
        if sack or stamps:
            options += [(">u2", 0x0402 if sack else 0x0101)]
        if sack and not stamps:
            options += [(">u2", 0x0101)]
        if stamps:
            options += self._stamp()
        return [*options, (">u2", 0x0103), ("u1", 3), ("u1", self.known.scale)]

    def _options(self, stamps: int, blocks: int) -> list[tuple[str, Any]]:
        options: list[tuple[str, Any]] = []
        if stamps:
            options += [(">u2", 0x0101), *self._stamp()]
        if blocks:
            options += [(">u2", 0x0101), ("u1", 5), ("u1", 2 + 8 * blocks)]
        for number in range(1, blocks + 1):
            options += [(">u4", self._edge(number, "from")), (">u4", self._edge(number, "to"))]
        return options

    def _edge(self, number: int, end: str) -> Numbers:
        first = (self.known.name.astype(np.uint64) + np.uint64(1)) * np.uint64(SENDER_ISN)
        segment = np.nan_to_num(self.events[f"sack{number}_{end}"]).astype(np.uint64)
        fin = (segment >= self.known.size).astype(np.uint64)
        edge = first + np.uint64(1) + segment * self.known.mss.astype(np.uint64) + fin
        return np.asarray(edge & np.uint64(2**32 - 1))


#: Ethernet, then IPv4 (RFC 791) and TCP (RFC 9293), with their field names.
_FRAME = [
    *(("destination_local", ">u2"), ("destination_mac", ">u4")),
    *(("source_local", ">u2"), ("source_mac", ">u4"), ("type", ">u2")),
    *(("version", "u1"), ("tos", "u1"), ("total_length", ">u2"), ("identification", ">u2")),
    *(("fragment_offset", ">u2"), ("ttl", "u1"), ("protocol", "u1"), ("header_checksum", ">u2")),
    *(("source", ">u4"), ("destination", ">u4")),
    *(("source_port", ">u2"), ("destination_port", ">u2"), ("seq", ">u4"), ("ack", ">u4")),
    *(("data_offset", "u1"), ("flags", "u1"), ("window", ">u2"), ("checksum", ">u2")),
    ("urgent_pointer", ">u2"),
]  # fmt: skip


def _add_checksums(frame: Numbers, length: Numbers) -> None:
    """Write the checksums (RFC 1071) of IP, and of TCP with its pseudo header and zeros as data."""
    words = frame.view(np.uint8).reshape(len(frame), -1).view(">u2").astype(np.uint64)
    ip, tcp = np.split(words[:, ETHERNET_BYTES // 2 :], [IP_BYTES // 2], axis=1)
    pseudo = ip[:, 6:].sum(axis=1) + np.uint64(6) + (length - IP_BYTES).astype(np.uint64)
    frame["header_checksum"] = _fold(ip.sum(axis=1))
    frame["checksum"] = _fold(tcp.sum(axis=1) + pseudo)


def _fold(sums: Numbers) -> Numbers:
    for _ in range(3):
        sums = (sums & np.uint64(0xFFFF)) + (sums >> np.uint64(16))
    return np.asarray(~sums & np.uint64(0xFFFF))


def _make_blocks(
    frame: Numbers, packets: _PacketGroup, interfaces: Numbers, ways: Numbers
) -> Numbers:
    size, time_ns = frame.dtype.itemsize, packets.times_ns()
    head = ("type", "bytes", "interface", "high", "low", "kept", "length")
    tail = ("code", "option_bytes", "way", "end", "again")
    widths = ("<u2", "<u2", "<u4", "<u4", "<u4")
    body = [("frame", np.void, size), ("padding", np.void, -size % 4)]
    block = np.zeros(
        len(frame), [*((name, "<u4") for name in head), *body, *zip(tail, widths, strict=True)]
    )
    block["type"], block["interface"] = ENHANCED_PACKET, interfaces
    block["bytes"] = block["again"] = block.dtype.itemsize
    block["high"], block["low"] = time_ns >> np.uint64(32), time_ns & np.uint64(2**32 - 1)
    block["kept"], block["length"] = size, packets.lengths(frame)
    block["frame"] = frame.view(np.uint8).reshape(len(frame), size).view(f"V{size}")[:, 0]
    block["code"], block["option_bytes"], block["way"] = PACKET_FLAGS, 4, ways
    return block.view(np.uint8).reshape(len(frame), -1)
