"""One endless flow, watched: sends until it is stopped, counts its recoveries by TCP_INFO.

python reno_sender.py HOST CCA FROM_S UNTIL_S
"""

import json
import socket
import sys
import time

STEP_S = 0.005
CA_RECOVERY = 3
CA_STATE = 1
"""Offset of tcpi_ca_state in struct tcp_info."""


def main() -> None:
    host, cca, from_s, until_s = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
    sock = socket.socket()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cca.encode())
    sock.connect((host, 5001))
    sock.setblocking(False)
    begun_s, data, recoveries, recovering = time.monotonic(), bytes(1 << 20), 0, False
    while (now_s := time.monotonic() - begun_s) < until_s:
        try:
            sock.send(data)
        except BlockingIOError:
            time.sleep(STEP_S)
        state = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 8)[CA_STATE]
        recoveries += now_s >= from_s and state >= CA_RECOVERY and not recovering
        recovering = state >= CA_RECOVERY
    print(json.dumps({"recoveries": recoveries}))


main()
