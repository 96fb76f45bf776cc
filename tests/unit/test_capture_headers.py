"""Headers between the frame and IP: they do not change the flows of a TCP connection."""

import struct
from dataclasses import replace
from pathlib import Path

import pytest

from headgate.engine.captures.read import SIDES, Capture, list_flows, read_capture
from headgate.engine.captures.summary import warnings

from .capture_file import Frame, exchange, write

MACS = bytes.fromhex("020000000001 020000000002")
IPV4, MPLS, MPLS_MULTICAST = b"\x08\x00", b"\x88\x47", b"\x88\x48"
VLAN = b"\x81\x00\x00\x07"
LABEL, LAST_LABEL = struct.pack(">I", 16 << 12 | 64), struct.pack(">I", 17 << 12 | 1 << 8 | 64)
SESSION = b"\x11\x00\x00\x01\x00\x00"
PPPOE = b"\x88\x64" + SESSION
SNAP = b"\x00\x00\xaa\xaa\x03\x00\x00\x00"

HEADERS = {
    "pppoe": MACS + PPPOE + b"\x00\x21",
    "pppoe in a vlan": MACS + VLAN + PPPOE + b"\x00\x21",
    "pppoe in two vlans": MACS + b"\x88\xa8\x00\x01" + VLAN + PPPOE + b"\x00\x21",
    "pppoe, protocol of one byte": MACS + PPPOE + b"\x21",
    "mpls": MACS + MPLS + LAST_LABEL,
    "mpls, three labels": MACS + MPLS + LABEL + LABEL + LAST_LABEL,
    "mpls in a vlan": MACS + VLAN + MPLS + LAST_LABEL,
    "mpls for many": MACS + MPLS_MULTICAST + LAST_LABEL,
    "mpls in pppoe": MACS + PPPOE + b"\x02\x81" + LAST_LABEL,
    "llc and snap": MACS + SNAP + IPV4,
}
#: Frames of other links, by the link's type.
LINKS = {9: b"\xff\x03\x00\x21", 50: b"\xff\x03\x00\x21", 51: SESSION + b"\x00\x21"}


def wrap(frames: list[Frame], header: bytes) -> list[Frame]:
    """Put other headers in the place of Ethernet's 14 bytes."""
    longer = len(header) - 14
    return [
        replace(frame, data=header + frame.data[14:], wire=frame.wire + longer) for frame in frames
    ]


def rows(capture: Capture) -> dict[str, list[object]]:
    flows = list_flows(capture, SIDES)
    return {name: flows[name].tolist() for name in flows}


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[object]]:
    found = rows(read_capture(write(tmp_path_factory.mktemp("plain") / "a.pcap", exchange())))
    assert found["size_bytes"] == [100, 3000]
    return found


@pytest.mark.parametrize("header", HEADERS.values(), ids=HEADERS)
def test_flows_are_those_without_the_header(
    header: bytes, plain: dict[str, list[object]], tmp_path: Path
) -> None:
    capture = read_capture(write(tmp_path / "a.pcap", wrap(exchange(), header)))
    assert rows(capture) == plain
    assert capture.counts["not_ip"].packets == 0


@pytest.mark.parametrize("link", LINKS)
def test_frames_of_ppp(link: int, plain: dict[str, list[object]], tmp_path: Path) -> None:
    frames = wrap(exchange(), LINKS[link])
    assert rows(read_capture(write(tmp_path / "a.pcap", frames, link))) == plain


@pytest.mark.parametrize(
    ("header", "kind"),
    [
        (MACS + b"\x88\x63" + SESSION, "not_ip"),  # discovery of PPPoE
        (MACS + PPPOE + b"\xc0\x21", "not_ip"),  # PPP's own link control
        (MACS + MPLS + LABEL + LAST_LABEL + b"\x00", "not_ip"),  # a pseudowire
        (MACS + b"\x00\x26\x42\x42\x03", "not_ip"),  # spanning tree
    ],
)
def test_frames_without_ip_are_counted(header: bytes, kind: str, tmp_path: Path) -> None:
    frames = wrap(exchange(), header)
    capture = read_capture(write(tmp_path / "a.pcap", frames))
    assert capture.counts[kind].packets == len(frames)


@pytest.mark.parametrize("header", [MACS + MPLS + LABEL, MACS + PPPOE, MACS + MPLS + LAST_LABEL])
def test_headers_that_are_cut_are_damaged(header: bytes, tmp_path: Path) -> None:
    frames = [Frame(0.0, header, 1000)]
    capture = read_capture(write(tmp_path / "a.pcap", [*frames, *exchange(1.0)]))
    assert capture.counts["damaged"].packets == 1


def test_a_clock_that_was_set_back_is_reported(tmp_path: Path) -> None:
    first, second = (
        write(tmp_path / name, exchange(begin_s)) for name, begin_s in (("a", 100.0), ("b", 40.0))
    )
    behind = tmp_path / "behind.pcap"
    behind.write_bytes(first.read_bytes() + second.read_bytes()[24:])
    said = " ".join(warnings(read_capture(behind)))
    assert "the time stamps go back by more than 1 s in 1 place" in said
    assert "the time stamps go back" not in " ".join(warnings(read_capture(first)))
