"""Processes of this program: their command, and that they end with the one that started them."""

from __future__ import annotations

import os
import signal
import sys

#: `prctl`: a process is sent a signal when its parent ends.
_PR_SET_PDEATHSIG = 1
#: Python reads whether it is there; the value says who set it.
_SAFE_PATH, _BY_HEADGATE = "PYTHONSAFEPATH", "by headgate"


def end_with_parent(parent: int) -> None:
    """Have this process be killed when its parent ends, and end it if that is over by now.

    Linux only. Between the start of a process and this call its parent may have been killed, of
    which the kernel then sends no signal.
    """
    import ctypes

    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(1)


def python_command(*words: str) -> list[str]:
    """Return the command of a Python process that imports nothing from the working folder.

    That folder may be a stranger's, with a `json.py` in it; `-c` and `-m` alone would import it.
    """
    return [sys.executable, "-P", *words]


def keep_working_folder_out() -> None:
    """Have every Python process that this one starts import nothing from the working folder."""
    os.environ.setdefault(_SAFE_PATH, _BY_HEADGATE)


def user_environment() -> dict[str, str]:
    """Return the environment for a program of the user's: as it was when this program began."""
    ours = os.environ.get(_SAFE_PATH) == _BY_HEADGATE
    return {key: value for key, value in os.environ.items() if not (ours and key == _SAFE_PATH)}
