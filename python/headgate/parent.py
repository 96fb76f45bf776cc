"""A process that ends with the one that started it, however that ends."""

from __future__ import annotations

import ctypes
import os
import signal

#: `prctl`: a process is sent a signal when its parent ends.
_PR_SET_PDEATHSIG = 1


def end_with(parent: int) -> None:
    """Have this process be killed when its parent ends, and end it if that is over by now.

    Linux only. Between the start of a process and this call its parent may have been killed, of
    which the kernel then sends no signal.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)
