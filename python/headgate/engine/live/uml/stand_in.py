"""The stand-in of a program that runs inside: its pipes, its signals, its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from types import FrameType
from typing import Any

from headgate.engine.live.uml import devices
from headgate.engine.live.uml.wire import DEVICE, INSIDE, OUTSIDE, PORT, PREFIX, Kind, receive, send

#: Signals that are handed on.
SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
#: Time that a kernel has to come up, and between two looks at it.
BOOT_S, EVERY_S = 60.0, 0.02
_PIECE_BYTES = 65536


def connect() -> socket.socket:
    """Reach the first process inside, which may still be coming up. Raises OSError."""
    until_s = time.monotonic() + BOOT_S
    while True:
        try:
            devices.set_address(DEVICE, OUTSIDE, PREFIX)
            devices.bring_up(DEVICE)
            return socket.create_connection((INSIDE, PORT), timeout=1)
        except OSError:
            if time.monotonic() > until_s:
                raise
            time.sleep(EVERY_S)


def ask(request: dict[str, Any]) -> bytes:
    """Ask for something that is answered by one frame."""
    with connect() as peer:
        send(peer, Kind.REQUEST, json.dumps(request).encode())
        frame = receive(peer)
    return b"" if frame is None else frame[1]


def run(words: list[str]) -> int:
    """Run a program inside; give its exit code, or the negative number of its signal."""
    with socket.create_connection((INSIDE, PORT)) as peer:
        reads = _has_input()
        request = {"words": words, "env": dict(os.environ), "folder": os.getcwd(), "input": reads}
        send(peer, Kind.REQUEST, json.dumps(request).encode())
        lock = threading.Lock()

        def hand_on(number: int, _frame: FrameType | None) -> None:
            with lock:
                send(peer, Kind.SIGNAL, str(number).encode())

        for name in SIGNALS:
            signal.signal(getattr(signal, name), hand_on)
        if reads:
            threading.Thread(target=_pump, args=(peer, lock), daemon=True).start()
        return _listen(peer)


def _has_input() -> bool:
    """Tell whether the standard input is more than /dev/null."""
    with suppress(OSError):
        return os.fstat(0).st_rdev != os.stat(os.devnull).st_rdev
    return False


def _pump(peer: socket.socket, lock: threading.Lock) -> None:
    while piece := os.read(0, _PIECE_BYTES):
        with lock:
            send(peer, Kind.INPUT, piece)
    with lock:
        send(peer, Kind.INPUT)


def _listen(peer: socket.socket) -> int:
    while (frame := receive(peer)) is not None:
        kind, data = frame
        if kind is Kind.ENDED:
            return int(data)
        _write_all(2 if kind is Kind.ERRORS else 1, data)
    _write_all(2, b"the kernel of this host has stopped\n")
    return -signal.SIGKILL


def _write_all(fd: int, data: bytes) -> None:
    while data:
        try:
            data = data[os.write(fd, data) :]
        except OSError:  # nobody reads it any more
            return


def main() -> None:
    """Run the words of the command line inside, and end as the program does."""
    code = run(sys.argv[2:])
    if code < 0:
        with suppress(OSError):  # SIGKILL has no other
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
        time.sleep(1)
    os._exit(code % 256)
