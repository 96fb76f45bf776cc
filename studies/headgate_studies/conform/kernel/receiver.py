"""Takes connections and all that comes over them; says "ready" when it listens. Needs Python alone.

An optional argument names a congestion control algorithm that needs its own receiver.
"""

import select
import socket
import sys

from headgate_studies.conform.kernel.router import write_line
from headgate_studies.conform.kernel.sender import PORT

_PIECE_BYTES = 1 << 18
#: Bytes that arrive before they are read: a call for each segment costs more than the network.
_LOW_WATER_BYTES = 1 << 16


def listen(cca: str = "") -> socket.socket:
    """Open the port, under an algorithm if it is named."""
    server = socket.create_server(("", PORT), backlog=64)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, _LOW_WATER_BYTES)
    if cca:
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, cca.encode())
    return server


def main() -> None:
    """Serve until it is ended."""
    server = listen(*sys.argv[2:3])
    ends: set[socket.socket] = {server}
    write_line("ready")
    while True:
        for end in select.select(ends, [], [])[0]:
            if end is server:
                ends.add(server.accept()[0])
            elif not end.recv(_PIECE_BYTES):
                ends.remove(end)
                end.close()
