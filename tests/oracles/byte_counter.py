"""Takes one connection and counts what arrives in a span of time.

python byte_counter.py FROM_S UNTIL_S
"""

import json
import socket
import sys
import time


def main() -> None:
    from_s, until_s = float(sys.argv[1]), float(sys.argv[2])
    server = socket.create_server(("", 5001))
    sock, _ = server.accept()
    sock.settimeout(0.05)
    begun_s, count, before = time.monotonic(), 0, 0
    while (now_s := time.monotonic() - begun_s) < until_s:
        if now_s < from_s:
            before = count
        try:
            got = len(sock.recv(1 << 20))
        except TimeoutError:
            continue
        if not got:
            break
        count += got
    print(json.dumps({"bytes": count - before, "span_s": now_s - from_s}))


main()
