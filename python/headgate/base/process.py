"""Which process on which machine: names for drafts, leases and locks in shared folders."""

from __future__ import annotations

import hashlib
import os
import secrets
import socket
import threading
from functools import lru_cache
from pathlib import Path

#: What a name has for processes that cannot be distinguished from others of the same number.
UNKNOWN = "0"
#: States of a process that runs no more (proc_pid_stat(5)).
OVER = ("Z", "X", "x")


def here() -> str:
    """Name this thread among all machines: host, process, its start, its space, a token, thread.

    Two processes never share a name, also where host names and process numbers are equal: a space
    is one boot of one kernel and a namespace of process numbers in it, and the token is random.
    """
    return f"{name_process(os.getpid())}:{_token(os.getpid())}:{threading.get_ident()}"


def name_process(process_id: int) -> str:
    """Name a process of this space, without its token."""
    return f"{socket.gethostname()}:{process_id}:{_start(process_id) or UNKNOWN}:{_space()}"


def dead(name: str) -> bool:
    """Say whether the process that `here` named is known to be dead; in other spaces never."""
    number, start, space = [*name.split(":"), "", "", ""][1:4]
    if space != _space() or not number.isdigit() or not int(number):
        return False
    return not _exists(int(number)) or _start(int(number)) not in (start, UNKNOWN)


def _exists(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # it is another user's
        return True
    return True


def _start(process_id: int) -> str:
    """Return when a process began, in ticks since boot; nothing for one that runs no more."""
    try:
        text = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # hidden from us, or no such system
        return UNKNOWN
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in OVER else fields[19]


@lru_cache
def _space() -> str:
    """Name the space of process numbers: this boot of this kernel, and the namespace in it."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        numbers = os.readlink("/proc/self/ns/pid")
    except OSError:
        boot, numbers = socket.gethostname(), ""
    return hashlib.sha256(f"{boot}{numbers}".encode()).hexdigest()[:12]


@lru_cache
def _token(process_id: int) -> str:
    del process_id  # a fork is another process, with a token of its own
    return secrets.token_hex(4)
