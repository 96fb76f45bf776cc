"""Files that other files name: a pipe without a writer, or a device, would be read for ever."""

from __future__ import annotations

import errno
import stat
from pathlib import Path


def require_file(path: Path) -> None:
    """Raise OSError, with words for a user, unless the path is that of a regular file."""
    mode = path.stat().st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "it is a folder", str(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", str(path))


def read_file(path: Path) -> bytes:
    """Read a regular file. Raises OSError."""
    require_file(path)
    return path.read_bytes()
