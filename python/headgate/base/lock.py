"""Locks in folders that many share: one holder at a time; a lock is free once its owner has died.

The kernel holds a lock for as long as its owner lives, on this machine and, over a network file
system, on its server: what a dead owner left behind is only the file, which names who had it.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from headgate.base.process import dead, here

#: What a file system says that knows no locks.
NO_LOCKS = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL)
#: How long to wait for a lock, and the time between two tries.
WAIT_S, RETRY_S = 10.0, 0.05


class HeldError(Exception):
    """Another has the lock; the text is what it says of itself."""


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Wait for a lock and hold it; where the file system has no locks, continue without.

    Raises HeldError if another holds it for longer than WAIT_S: its process may be stopped.
    """
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
    """Hold a lock that says whose it is. Raises HeldError if another has it, and OSError."""
    with _open_lock(path) as handle:
        try:
            by_kernel = _lock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise HeldError(_read_owner(handle)) from None
        gone = not _is_at(handle, path)  # its last owner has removed it since it was opened
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
    """Have the kernel lock a file; say no if its file system knows no locks."""
    try:
        fcntl.flock(handle, how)
    except OSError as error:
        if error.errno not in NO_LOCKS:
            raise
        return False
    return True


def _free(handle: int) -> bool:
    """Say whether no process is named, or one that is known to be dead."""
    name = _text(handle).partition("\n")[0]
    return not name or dead(name)


def _is_at(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _read_owner(handle: int) -> str:
    return _text(handle).partition("\n")[2] or "it does not say which"


def _text(handle: int) -> str:
    return os.pread(handle, 4096, 0).decode(errors="replace").strip()
