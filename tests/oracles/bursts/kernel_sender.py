"""Bursts of a real kernel over one connection, watched by TCP_INFO.

python kernel_sender.py HOST CCA BURST_BYTES BURSTS PAUSE_S
"""

import json
import socket
import struct
import sys
import time

STEP_S = 0.0002
#: Offsets in struct tcp_info (linux/tcp.h).
RTO, UNACKED, SSTHRESH, CWND, TOTAL_RETRANS, NOTSENT = 8, 24, 76, 80, 100, 144


def main() -> None:
    host, cca = sys.argv[1:3]
    burst_bytes, bursts, pause_s = int(sys.argv[3]), int(sys.argv[4]), float(sys.argv[5])
    sock = socket.socket()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cca.encode())
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.connect((host, 5001))

    def info(*offsets: int) -> list[int]:
        found = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 256)
        return [struct.unpack_from("=I", found, offset)[0] for offset in offsets]

    rows = []
    time.sleep(0.1)
    for number in range(bursts):
        before = info(CWND, SSTHRESH, RTO)
        begun_s = time.monotonic()
        sock.sendall(bytes(burst_bytes))
        after = info(CWND, SSTHRESH)
        while any(info(UNACKED, NOTSENT)):
            time.sleep(STEP_S)
        acked_s = time.monotonic()
        rows.append(
            {
                "burst": number + 1,
                "begun_s": begun_s,
                "sender_ms": 1e3 * (acked_s - begun_s),
                "cwnd_before": before[0],
                "ssthresh_before": before[1],
                "rto_ms": before[2] / 1e3,
                "cwnd_begin": after[0],
                "ssthresh_begin": after[1],
                "cwnd_end": info(CWND)[0],
                "retransmissions": info(TOTAL_RETRANS)[0],
            }
        )
        time.sleep(pause_s)
    print(json.dumps(rows))


main()
