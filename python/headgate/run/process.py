"""Which process on which machine: names for drafts and claims in a folder that many share."""

from __future__ import annotations

import os
import socket
import threading


def here() -> str:
    """Name this thread among all machines: host, process, thread."""
    return f"{_host()}:{os.getpid()}:{threading.get_ident()}"


def dead(name: str) -> bool:
    """Say whether what `here` named is known to be gone; of another machine it is never known."""
    host, _, rest = name.partition(":")
    number = rest.partition(":")[0]
    return host == _host() and number.isdigit() and not _alive(int(number))


def _host() -> str:
    return socket.gethostname()


def _alive(process_id: int) -> bool:
    try:
        os.kill(process_id, 0)
    except ProcessLookupError:
        return False
    except OSError:  # it is another user's
        return True
    return True
