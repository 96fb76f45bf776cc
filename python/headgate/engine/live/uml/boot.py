"""Starts a user-mode Linux in the namespaces of its host."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress

#: Where it keeps its files: memory, process number, socket. What is inside has a folder of its own.
FOLDER = "/run"

#: The highest of ordinary priorities.
BEFORE_OTHERS = -20

_CLONE_NEWNS = 0x20000


def hide_files() -> None:
    """Have its files in a file system that it alone sees, and that ends with it."""
    libc = ctypes.CDLL(None, use_errno=True)
    failed = libc.unshare(_CLONE_NEWNS) or libc.mount(b"none", FOLDER.encode(), b"tmpfs", 0, None)
    if failed:
        sys.exit(f"no file system for the kernel's files: {os.strerror(ctypes.get_errno())}")


def main() -> None:
    """Become the kernel of the command line; it comes before other processes where it may.

    It has no real-time priority: two busy kernels would leave two processors to nobody else.
    """
    hide_files()
    with suppress(PermissionError):
        os.setpriority(os.PRIO_PROCESS, 0, BEFORE_OTHERS)
    os.execve(sys.argv[2], sys.argv[2:], {**os.environ, "TMPDIR": FOLDER})
