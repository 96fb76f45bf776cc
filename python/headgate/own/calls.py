"""What a run minds while it calls laws that the interpreter runs: Ctrl-C, and exceptions."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from headgate.errors import LawError
from headgate.own.python_class import told

if TYPE_CHECKING:
    from headgate import _native


#: What the engine says of a callback that numba compiled and that raised.
RAISED = "it returned 1"


@contextmanager
def deferred(own: Sequence[_native.OwnLaw]) -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C out of the laws: it is raised where the run looks, between two slices."""
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not (own and main and handler is signal.default_int_handler):
        yield lambda: None
        return
    pressed = threading.Event()

    def look() -> None:
        if pressed.is_set():
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, lambda *_: pressed.set())
    try:
        yield look
    finally:
        signal.signal(signal.SIGINT, handler)


def law_error(fault: _native.LawFaultError) -> LawError:
    """Make the sentence of a law that failed: with file and line, if it raised an exception."""
    label, place, says = fault.args
    if fault.__cause__ is None:
        if ".py:" in label and says == RAISED:
            says = "it raised an exception; without @jit the same run names the line"
        return LawError(label, f"{place}: {says}")
    file, _, name = label.rpartition(":")
    return LawError(*told(fault.__cause__, file, f"{name}.{place}"))
