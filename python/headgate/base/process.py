"""Processes: their names in shared folders, locks between them, and how Python children start."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import os
import secrets
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

#: Stands for the start time of a process if it is not readable.
UNKNOWN = "0"
#: States of an ended process (proc_pid_stat(5)).
_ENDED = ("Z", "X", "x")


def here() -> str:
    """Name this thread among all machines: host, process, its start, its space, a token, thread.

    Two processes never share a name, even if host names and process numbers are equal: a space is
    one boot of one kernel and a namespace of process numbers in it, and the token is random.
    """
    return f"{_name_this_process(os.getpid())}:{_token(os.getpid())}:{threading.get_ident()}"


@lru_cache(maxsize=1)
def _name_this_process(process_id: int) -> str:
    """Name this process; a fork has another number."""
    return name_process(process_id)


def name_process(process_id: int) -> str:
    """Name a process of this space, without its token."""
    return f"{socket.gethostname()}:{process_id}:{_start(process_id) or UNKNOWN}:{_space()}"


def shorten_name(name: str) -> str:
    """Return host and process number of a name, for messages."""
    return ":".join(name.split(":")[:2])


def is_dead(name: str) -> bool:
    """Return whether the process of a name is known to be dead; never in another space."""
    number, start, space = [*name.split(":"), "", "", ""][1:4]
    if space != _space() or not number.isdigit() or not int(number):
        return False
    return not _exists(int(number)) or _start(int(number)) not in (start, UNKNOWN)


def _exists(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # a process of another user
        pass
    return True


def _start(process_id: int) -> str:
    """Return the start of a process in ticks since boot; empty for an ended one."""
    try:
        text = Path(f"/proc/{process_id}/stat").read_text(encoding="utf-8", errors="replace")
    except OSError:  # hidden, or another system
        return UNKNOWN
    fields = text.rpartition(")")[2].split()
    return "" if fields[0] in _ENDED else fields[19]


@lru_cache
def _space() -> str:
    """Name the space of process numbers: this boot of this kernel, and its namespace."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")
        numbers = os.readlink("/proc/self/ns/pid")
    except OSError:
        boot, numbers = socket.gethostname(), ""
    return hashlib.sha256(f"{boot}{numbers}".encode()).hexdigest()[:12]


@lru_cache
def _token(process_id: int) -> str:
    del process_id  # a fork is another process with another token
    return secrets.token_hex(4)


#: `prctl`: a process is sent a signal when its parent ends.
_PR_SET_PDEATHSIG = 1
#: Python only reads whether it is set; the value records who set it.
_SAFE_PATH, _BY_HEADGATE = "PYTHONSAFEPATH", "by headgate"


def end_with_parent(parent: int) -> None:
    """Kill this process when its parent ends, or at once if it has already ended (Linux only)."""
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def python_command(*words: str) -> list[str]:
    """Return the command of a Python process that imports nothing from the working folder.

    That folder may contain a foreign `json.py`, which `-c` and `-m` alone would import.
    """
    return [sys.executable, "-P", *words]


def keep_working_folder_out() -> None:
    """Keep Python processes that this one starts from importing from the working folder."""
    os.environ.setdefault(_SAFE_PATH, _BY_HEADGATE)


def user_environment() -> dict[str, str]:
    """Return the environment for a program of the user, as it was when this program began."""
    ours = os.environ.get(_SAFE_PATH) == _BY_HEADGATE
    return {key: value for key, value in os.environ.items() if not (ours and key == _SAFE_PATH)}


#: Errors of a file system without locks.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
#: How long to wait for a lock, and the time between two tries.
WAIT_S, RETRY_S = 10.0, 0.05


class HeldError(Exception):
    """Another process holds the lock; the message is its description."""


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait for a lock and hold it; without one if the file system has none. Raises HeldError."""
    with _open_lock(path) as handle:
        ends_s = time.monotonic() + WAIT_S
        while True:
            try:
                _lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() >= ends_s:
                    raise HeldError(_read_owner(handle)) from None
                time.sleep(RETRY_S)
        yield


@contextmanager
def hold_lock(path: Path, owner: str) -> Iterator[None]:
    """Hold a lock with the name of its owner. Raises HeldError if it is held, and OSError."""
    with _open_lock(path) as handle:
        try:
            by_kernel = _lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HeldError(_read_owner(handle)) from None
        gone = not _is_at(handle, path)  # its last owner has removed it in the meantime
        if gone or not (by_kernel or _free(handle)):
            raise HeldError(_read_owner(handle))
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{here()}\n{owner}".encode(), 0)
            os.fsync(handle)
            yield
        finally:
            path.unlink(missing_ok=True)


@contextmanager
def _open_lock(path: Path) -> Iterator[int]:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        yield handle
    finally:
        os.close(handle)


def _lock(handle: int, how: int) -> bool:
    """Lock a file by the kernel; return whether its file system supports locks."""
    try:
        fcntl.flock(handle, how)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        return False
    return True


def _free(handle: int) -> bool:
    """Return whether the owner is unnamed or known to be dead."""
    name = _text(handle).partition("\n")[0]
    return not name or is_dead(name)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _read_owner(handle: int) -> str:
    return _text(handle).partition("\n")[2] or "it does not say which"


def _text(handle: int) -> str:
    return os.pread(handle, 4096, 0).decode(errors="replace").strip()
