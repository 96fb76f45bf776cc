"""Takes one connection and notes when each burst has arrived.

python kernel_receiver.py BURST_BYTES BURSTS
"""

import json
import socket
import sys
import time


def main() -> None:
    burst_bytes, bursts = int(sys.argv[1]), int(sys.argv[2])
    server = socket.create_server(("", 5001))
    sock, _ = server.accept()
    arrived_s: list[float] = []
    count = 0
    while len(arrived_s) < bursts:
        got = len(sock.recv(1 << 20))
        if not got:
            break
        count += got
        while count >= burst_bytes * (len(arrived_s) + 1):
            arrived_s.append(time.monotonic())
    print(json.dumps(arrived_s))


main()
