"""Sends the flows of a case and watches them; runs inside the kernel under test.

It says "ready" and its process number, waits for a line, sends, and prints what it saw as JSON.
Behind a router it takes its end of the wire at the first line, and sends at the second. It needs
Python alone.
"""

import json
import os
import select
import socket
import struct
import sys
import time
from typing import Any

from headgate_studies.conform.kernel.router import enter_own_network, join_wire, write_line

#: Offsets of fields of `struct tcp_info`, bytes.
_STATE, _SSTHRESH, _CWND, _RETRANSMISSIONS, _ACKED, _INFO_BYTES = 1, 76, 80, 100, 120, 128
SEGMENT_BYTES = 1448
PORT = 5001
_PIECE = memoryview(bytes(1 << 17))
_WORD, _LONG = struct.Struct("=I"), struct.Struct("=Q")

#: Columns of a sample.
COLUMNS = ("t_s", "state", "ssthresh", "cwnd", "retransmissions", "acked_bytes")


class Flow:
    """One connection."""

    def __init__(self, given: dict[str, Any], address: str) -> None:
        self.start_s: float = given["start_s"]
        self.left: int | None = given["segments"] * SEGMENT_BYTES or None
        self.is_over = False
        self.samples: list[tuple[float, ...]] = []
        self._cca, self._address = given["cca"], address
        self.socket = socket.socket()

    def begin(self) -> None:
        """Send the SYN."""
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, self._cca.encode())
        self.socket.setblocking(False)
        self.socket.connect_ex((self._address, PORT))

    def fill(self) -> None:
        """Hand over what the kernel takes; at the end say so, and wait for the receiver to."""
        try:
            while self.left is None or self.left > 0:
                sent = self.socket.send(_PIECE[: self.left])
                self.left = None if self.left is None else self.left - sent
        except BlockingIOError:
            return
        self.socket.shutdown(socket.SHUT_WR)

    def sample(self, now_s: float) -> None:
        """Note what the kernel says of it."""
        info = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _INFO_BYTES)
        words = (_WORD.unpack_from(info, at)[0] for at in (_SSTHRESH, _CWND, _RETRANSMISSIONS))
        acked = _LONG.unpack_from(info, _ACKED)[0]
        self.samples.append((round(now_s, 4), info[_STATE], *words, acked))


class Sending:
    """All flows, in one loop."""

    def __init__(self, given: dict[str, Any]) -> None:
        self._flows = [Flow(one, given["address"]) for one in given["flows"]]
        self._until_s, self._every_s = given["until_s"], given["every_s"]
        self._poll = select.poll()
        self._open: dict[int, Flow] = {}
        self._waiting = sorted(self._flows, key=lambda flow: flow.start_s)

    def run(self) -> list[dict[str, Any]]:
        """Send until the time ends or all flows end; return the samples of each flow."""
        begun_s, next_s = time.monotonic(), 0.0
        while (now_s := time.monotonic() - begun_s) < self._until_s and not self._is_over():
            self._begin(now_s)
            if now_s >= next_s:
                for flow in self._open.values():
                    flow.sample(now_s)
                next_s += self._every_s
            self._serve(max(0.0, next_s - now_s))
        return [
            {"samples": flow.samples, "port": flow.socket.getsockname()[1]} for flow in self._flows
        ]

    def _is_over(self) -> bool:
        return all(flow.is_over for flow in self._flows)

    def _begin(self, now_s: float) -> None:
        while self._waiting and self._waiting[0].start_s <= now_s:
            flow = self._waiting.pop(0)
            flow.begin()
            self._open[flow.socket.fileno()] = flow
            self._poll.register(flow.socket, select.POLLOUT)

    def _serve(self, wait_s: float) -> None:
        for number, event in self._poll.poll(1e3 * wait_s):
            flow = self._open[number]
            if flow.left == 0 or event & (select.POLLERR | select.POLLHUP):
                flow.is_over = True
                self._poll.unregister(number)
                del self._open[number]
                continue
            flow.fill()
            if flow.left == 0:
                self._poll.modify(number, select.POLLIN)


def main() -> None:
    """Send what the command line says."""
    given = json.loads(sys.argv[2])
    if given["behind_router"]:
        enter_own_network()
    write_line(f"ready {os.getpid()}")
    sys.stdin.readline()
    if given["behind_router"]:
        join_wire(given["behind_router"])
        write_line("joined")
        sys.stdin.readline()
    write_line(json.dumps(Sending(given).run()))
