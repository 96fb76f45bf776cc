"""One endless flow of a real kernel, watched by TCP_INFO and the counters of its host.

python kernel_sender.py HOST CCA EVENT_S KEPT_FROM_S KEPT_UNTIL_S AFTER_S UNTIL_S
"""

import json
import socket
import struct
import sys
import time

STEP_S = 0.002
#: Offsets in struct tcp_info (linux/tcp.h).
SND_CWND, TOTAL_RETRANS = 80, 100
COUNTERS = (
    "TCPTimeouts",
    "TCPLossProbes",
    "TCPDSACKRecv",
    "TCPDSACKUndo",
    "TCPFullUndo",
    "TCPPartialUndo",
    "TCPLossUndo",
    "TCPSpuriousRTOs",
    "TCPSackRecovery",
)


def counters() -> dict[str, int]:
    """Read the counters of this host (/proc/net/netstat)."""
    with open("/proc/net/netstat") as file:
        lines = file.read().splitlines()
    found: dict[str, int] = {}
    for names, values in zip(lines[::2], lines[1::2], strict=True):
        found |= dict(zip(names.split()[1:], map(int, values.split()[1:]), strict=True))
    return {name: found.get(name, 0) for name in COUNTERS}


def main() -> None:
    host, cca = sys.argv[1:3]
    event_s, kept_from_s, kept_until_s, after_s, until_s = map(float, sys.argv[3:8])
    sock = socket.socket()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cca.encode())
    sock.connect((host, 5001))
    sock.setblocking(False)
    begun_s, data = time.monotonic(), bytes(1 << 20)
    before: list[int] = []
    kept: list[int] = []
    after: list[int] = []
    info = b""
    while (now_s := time.monotonic() - begun_s) < until_s:
        try:
            sock.send(data)
        except BlockingIOError:
            time.sleep(STEP_S)
        except ConnectionError:
            break  # the receiver has counted long enough
        info = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 104)
        (cwnd,) = struct.unpack_from("=I", info, SND_CWND)
        if event_s - 1 <= now_s < event_s:
            before.append(cwnd)
        elif kept_from_s <= now_s < kept_until_s:
            kept.append(cwnd)
        elif after_s - 1 <= now_s < after_s:
            after.append(cwnd)
    (retransmissions,) = struct.unpack_from("=I", info, TOTAL_RETRANS)
    windows = {"cwnd_before": median(before), "cwnd_kept": max(kept), "cwnd_after": median(after)}
    print(json.dumps({"retransmissions": retransmissions} | windows | counters()))


def median(values: list[int]) -> int:
    return sorted(values)[len(values) // 2] if values else 0


main()
