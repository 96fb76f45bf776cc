"""A command that calls own code of the user's, watched by a process that calls none.

Own code may end the process it runs in, by `os._exit` or by a crash, or never return. Then the
command would end without a word, or not end. So it runs in a child, and the parent says what became
of it.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NoReturn

from headgate.base.errors import InterruptedRunError, LawError
from headgate.base.parent import end_with_parent
from headgate.plugin.interface import Interface

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
#: How often to look for the child itself: its SIGCHLD may have gone to a thread that ignores it.
_LOOK_S = 0.2
#: `si_code` of a signal that the terminal sent, to every process in its foreground.
_SI_KERNEL = 0x80


@contextmanager
def run_watched(own: Sequence[tuple[str, Interface]]) -> Iterator[None]:
    """Do what follows, and all that comes after, in a child if there is own code, by its source.

    Only on Linux, and where this process is the whole program: elsewhere, and where a program with
    a standard output of its own calls the command as a function, it does the work itself. In the
    parent this raises SystemExit with the child's status, LawError if own code ended it,
    InterruptedRunError if it had to be killed.
    """
    if not own or sys.platform != "linux" or sys.stdout is not sys.__stdout__:
        yield
        return
    done, says_done = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    parent, child = os.getpid(), os.fork()
    if child:
        os.close(says_done)
        os.set_blocking(done, False)  # a process that own code left behind may hold its other end
        _wait(child, done, " or ".join({of.noun: None for _, of in own}))
    os.close(done)
    end_with_parent(parent)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    try:
        yield
    finally:
        os.write(says_done, b".")


def _wait(child: int, done: int, what: str) -> NoReturn:
    """Pass signals on until the child ends; end as it did."""
    interrupts = 0
    while True:
        came = signal.sigtimedwait(_SIGNALS, _LOOK_S)
        if came is None or came.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                _end(os.waitstatus_to_exitcode(status), what, told=_was_told(done))
            continue
        interrupts += 1
        if interrupts > 1:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise InterruptedRunError("stopped at once; the last saved state is kept")
        if came.si_code != _SI_KERNEL:
            os.kill(child, came.si_signo)


def _was_told(done: int) -> bool:
    try:
        return bool(os.read(done, 1))
    except BlockingIOError:
        return False


def _end(code: int, what: str, *, told: bool) -> NoReturn:
    if told and code >= 0:
        sys.exit(code)
    how = (
        f"crashed ({signal.Signals(-code).name})" if code < 0 else f"ended the process with {code}"
    )
    raise LawError("own code", f"a {what} of your own {how}; headgate check looks for where")
