"""Processes on the host side of a user-mode Linux: boot, requests, and proxies of programs."""

from __future__ import annotations

import ctypes
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

from headgate.engine.live.uml.control import (
    DEVICE,
    INSIDE,
    OUTSIDE,
    PORT,
    PREFIX,
    Kind,
    bring_up,
    receive,
    send,
    set_address,
)

#: Signals that a proxy forwards.
SIGNALS = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
#: Time for a kernel to boot, and between two attempts to reach it.
BOOT_S, EVERY_S = 60.0, 0.02
_PIECE_BYTES = 65536


def connect() -> socket.socket:
    """Connect to the first process of the guest, which may still be booting. Raises OSError."""
    until_s = time.monotonic() + BOOT_S
    while True:
        try:
            set_address(DEVICE, OUTSIDE, PREFIX)
            bring_up(DEVICE)
            return socket.create_connection((INSIDE, PORT), timeout=1)
        except OSError:
            if time.monotonic() > until_s:
                raise
            time.sleep(EVERY_S)


def request(message: dict[str, Any]) -> bytes:
    """Send a request that one frame answers."""
    with connect() as peer:
        send(peer, Kind.REQUEST, json.dumps(message).encode())
        frame = receive(peer)
    return b"" if frame is None else frame[1]


def run_inside(words: list[str]) -> int:
    """Run a program in the guest; return its exit code, or the negative number of its signal."""
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


def run_program() -> None:
    """Run the command line's program in the guest, and end as the program does."""
    code = run_inside(sys.argv[2:])
    if code < 0:
        with suppress(OSError):  # SIGKILL has no other
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
        time.sleep(1)
    os._exit(code % 256)


def print_answer() -> None:
    """Print the answer to a request: the kernel's identity, or nothing for a halt."""
    sys.stdout.write(request({"asks": sys.argv[2]}).decode())


#: Folder of the kernel's memory, process number and socket. The guest uses a separate one.
FOLDER = "/run"

#: The highest ordinary priority.
BEFORE_OTHERS = -20

_CLONE_NEWNS = 0x20000


def hide_files() -> None:
    """Mount a private file system for the kernel's files, which ends with it."""
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.unshare(_CLONE_NEWNS) or libc.mount(b"none", FOLDER.encode(), b"tmpfs", 0, None)
    if failed:
        sys.exit(f"no file system for the kernel's files: {os.strerror(ctypes.get_errno())}")


def boot() -> None:
    """Execute the kernel of the command line, with the highest ordinary priority if allowed.

    It runs without real-time priority: two busy kernels would leave no processor to others.
    """
    hide_files()
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, BEFORE_OTHERS)
    os.execve(sys.argv[2], sys.argv[2:], {**os.environ, "TMPDIR": FOLDER})
