"""A capture of 1 GB is read within 1 GB of memory, at a good speed."""

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

#: A packet cut to its headers (54 bytes), as small as any: the most packets in a file.
RECORD = np.dtype(
    [
        *(("s", "<u4"), ("us", "<u4"), ("captured", "<u4"), ("wire", "<u4"), ("link", "S14")),
        *(("ip", "S2"), ("length", ">u2"), ("rest", "S8"), ("from", ">u4"), ("to", ">u4")),
        *(("port", ">u2"), ("toport", ">u2"), ("seq", ">u4"), ("ack", ">u4"), ("offset", "u1")),
        *(("flags", "u1"), ("window", ">u2"), ("sums", "S4")),
    ]
)
#: Packets of a connection: SYN, then full segments one way, as many as are under way at once.
SEGMENTS, UNDER_WAY = 39, 1000
BYTES = 1460
GB = 1_000_000_000


def write_large(path: Path, size: int) -> tuple[int, int]:
    """Write a pcap file of about this size; give its connections and packets."""
    header = np.array([0xA1B2C3D4, 4 << 16 | 2, 0, 0, 96, 1], "<u4").tobytes()
    per_block = UNDER_WAY * (SEGMENTS + 1)
    blocks = -(-size // (per_block * RECORD.itemsize))
    packet = np.arange(per_block)
    number, of = np.divmod(packet, UNDER_WAY)
    frames = np.zeros(per_block, RECORD)
    frames["captured"], frames["wire"] = 54, 54 + BYTES * (number > 0)
    frames["link"] = b"\x02" + bytes(11) + b"\x08\x00"
    frames["ip"], frames["length"] = b"\x45", 40 + BYTES * (number > 0)
    frames["rest"] = b"\0\0\x40\0\x40\x06\0\0"
    frames["to"], frames["port"], frames["toport"] = 0xC0000207, 40_000, 443
    frames["seq"] = np.where(number > 0, 1 + (number - 1) * BYTES, 0)
    frames["offset"], frames["flags"] = 0x50, np.where(number > 0, 16, 2)
    with path.open("wb") as file:
        file.write(header)
        for block in range(blocks):
            time_us = block * 1_000_000 + packet * 1_000_000 // per_block
            frames["s"], frames["us"] = np.divmod(time_us, 1_000_000)
            frames["from"] = 0x0A000000 + block * UNDER_WAY + of
            file.write(frames.tobytes())
    return blocks * UNDER_WAY, blocks * per_block


def test_the_large_file_matches_its_description(tmp_path: Path) -> None:
    from headgate.engine.captures.read import read_capture

    connections, packets = write_large(tmp_path / "large.pcap", 1_000_000)
    found = read_capture(tmp_path / "large.pcap")
    assert (len(found.connections), found.all.packets) == (connections, packets)
    assert set(found.connections["client_bytes"].tolist()) == {SEGMENTS * BYTES}


@pytest.mark.slow
def test_one_gigabyte_is_read_within_one_gigabyte(tmp_path: Path) -> None:
    path = tmp_path / "large.pcap"
    connections, packets = write_large(path, GB)
    assert path.stat().st_size >= GB
    command = [sys.executable, "-m", "headgate", "replay", str(path), "--out", "out", "--json"]
    begin_s = time.monotonic()
    child = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, env={**os.environ})
    said, _ = child.communicate()
    took_s = time.monotonic() - begin_s
    most_bytes = 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    print(f"{packets:,} packets, {connections:,} connections: {took_s:.1f} s, {most_bytes:,} B")
    found = json.loads(said)
    assert (found["connections"], found["flows"]) == (connections, connections)
    assert found["packets"]["TCP with data"]["packets"] == packets
    assert most_bytes < GB
    assert took_s < 120
