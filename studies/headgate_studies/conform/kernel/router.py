"""Puts a router with a discipline of the kernel before the host's device, and watches its queue.

The sender runs in a separate network namespace behind it, because it would throttle itself in a
queue of the same host (TCP small queues). The program prints "ready", samples, and prints JSON.
"""

import ctypes
import fcntl
import json
import select
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

DEVICE, OUTER, INNER = "headgate", "outer", "inner"
#: Both ends of the wire use the same hardware address, so ARP is not needed.
_WIRE = "address 02:00:00:00:72:01 gso_max_segs 1 txqueuelen 10000"
_ETHERNET_BYTES = 14
_GET_HARDWARE, _ETHERNET = 0x8927, 1
_NEW_NETWORK = 0x40000000
#: Of rtnetlink (linux/rtnetlink.h, linux/gen_stats.h).
_GET_QDISC, _REQUEST, _DUMP, _DONE, _ERROR = 38, 0x1, 0x300, 3, 2
_STATS2, _STATS_QUEUE = 7, 3
_ROOT = 0xFFFFFFFF
_HEADER, _TC, _ATTRIBUTE = struct.Struct("=IHHII"), struct.Struct("=B3xiIII"), struct.Struct("=HH")
_QUEUE = struct.Struct("=II")
_BUFFER_BYTES = 1 << 16


def write_line(line: str) -> None:
    """Say something to whoever started this."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def build(given: dict[str, Any]) -> None:
    """Make the wire to the sender's network, the routes, and the disciplines. Raises OSError."""
    address, process = given["address"], given["sender"]
    child = f"tc qdisc add dev {DEVICE} parent 1:1 handle 10: {given['qdisc']}"
    commands = [
        f"ip link add {OUTER} {_WIRE} type veth peer name {INNER} {_WIRE}",
        f"ip link set {INNER} netns {process}",
        f"ip link set {OUTER} arp off up",
        f"ip route add {given['peer']}/32 dev {DEVICE}",
        f"ip addr del {address}/{given['prefix']} dev {DEVICE}",
        f"ip route replace {given['peer']}/32 dev {DEVICE}",
        f"ip route add {address}/32 dev {OUTER}",
        "sysctl -qw net.ipv4.ip_forward=1",
        f"tc qdisc replace dev {DEVICE} root handle 1: {_overhead()} tbf rate {given['rate']}"
        " burst 3000 limit 10000000",
        child,
    ]
    for command in commands:
        subprocess.run(command.split(), check=True, stderr=subprocess.PIPE)


def _overhead() -> str:
    """Exclude the Ethernet header from the byte count if the device counts it."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        asked = fcntl.ioctl(control, _GET_HARDWARE, DEVICE.encode().ljust(40, b"\0"))
    kind = int.from_bytes(asked[16:18], sys.byteorder)
    return f"stab overhead -{_ETHERNET_BYTES}" if kind == _ETHERNET else ""


def enter_own_network() -> None:
    """Move to a new network namespace. Raises OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(_NEW_NETWORK):
        raise OSError(ctypes.get_errno(), "new network namespace")


def join_wire(address: str) -> None:
    """Take the inner end of the wire, in the sender's network. Raises OSError."""
    commands = [
        "ip link set lo up",
        f"ip addr add {address}/32 dev {INNER}",
        f"ip link set {INNER} arp off up",
        f"ip route add default dev {INNER}",
    ]
    for command in commands:
        subprocess.run(command.split(), check=True, stderr=subprocess.PIPE)


class Watch:
    """The length of a device's queue, asked of the kernel."""

    def __init__(self, device: str) -> None:
        self._index = socket.if_nametoindex(device)
        self._socket = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)

    def packets(self) -> int:
        """Return how many packets are in it, the one that is sent next among them."""
        body = _TC.pack(0, self._index, 0, 0, 0)
        size = _HEADER.size + len(body)
        self._socket.send(_HEADER.pack(size, _GET_QDISC, _REQUEST | _DUMP, 1, 0) + body)
        found = 0
        while True:
            for kind, message in _messages(self._socket.recv(_BUFFER_BYTES)):
                if kind in (_DONE, _ERROR):
                    return found
                found = self._read(message, found)

    def _read(self, message: bytes, found: int) -> int:
        _, index, _, parent, _ = _TC.unpack_from(message)
        if index != self._index or parent != _ROOT:
            return found
        stats = dict(_attributes(message[_TC.size :])).get(_STATS2, b"")
        queue = dict(_attributes(stats)).get(_STATS_QUEUE)
        return int(_QUEUE.unpack_from(queue)[0]) if queue else found


def _messages(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at < len(data):
        size, kind, *_ = _HEADER.unpack_from(data, at)
        yield kind, data[at + _HEADER.size : at + size]
        at += size + -size % 4


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    at = 0
    while at + _ATTRIBUTE.size <= len(data):
        size, kind = _ATTRIBUTE.unpack_from(data, at)
        yield kind & 0x3FFF, data[at + _ATTRIBUTE.size : at + size]
        at += max(size, _ATTRIBUTE.size) + -size % 4


def watch(every_s: float, until_s: float) -> list[tuple[float, int]]:
    """Sample the queue from a line of the input on."""
    sys.stdin.readline()
    queue, samples, begun_s = Watch(DEVICE), [], time.monotonic()
    while (now_s := time.monotonic() - begun_s) < until_s:
        samples.append((round(now_s, 4), queue.packets()))
        select.select([], [], [], max(0.0, begun_s + len(samples) * every_s - time.monotonic()))
    return samples


def main() -> None:
    """Build the router of the command line, and watch it."""
    given = json.loads(sys.argv[2])
    try:
        build(given)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd)}: {error.stderr.decode().strip()}")
    write_line("ready")
    write_line(json.dumps(watch(given["every_s"], given["until_s"])))
