"""What a run minds while it calls own code that the interpreter runs: Ctrl-C, and exceptions."""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from headgate.base.errors import LawError
from headgate.plugin.own_code import Ready
from headgate.plugin.python_class import locate_error

if TYPE_CHECKING:
    from headgate import _native


#: What the engine says of a callback that numba compiled and that raised.
RAISED = "it returned 1"


#: How long a law may take to come back after Ctrl-C, before it is raised in the law itself.
GRACE_S = 1.0


class StuckLawError(KeyboardInterrupt):
    """Ctrl-C while a law did not come back: what the law has done by then is no state to keep."""


@contextmanager
def defer_interrupts(own: Sequence[Ready]) -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C out of the laws: it is raised where the run looks, between two slices.

    A law that the interpreter runs and that has not come back a second later meets it all the same.
    """
    handler = signal.getsignal(signal.SIGINT)
    main = threading.current_thread() is threading.main_thread()
    if not (own and main and handler is signal.default_int_handler):
        yield lambda: None
        return
    pressed = threading.Event()
    late = threading.Timer(GRACE_S, _raise_in, [threading.get_ident()])
    late.daemon = True

    def press(*_: object) -> None:
        if not pressed.is_set():
            pressed.set()
            late.start()

    def poll() -> None:
        if pressed.is_set():
            late.cancel()
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, press)
    try:
        yield poll
    finally:
        late.cancel()
        signal.signal(signal.SIGINT, handler)


def _raise_in(thread: int) -> None:
    """Raise StuckLawError in a thread at its next bytecode."""
    error = ctypes.py_object(StuckLawError)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


def own_error(fault: _native.OwnFaultError, own: Sequence[Ready]) -> LawError:
    """Make the sentence of own code that failed: with file and line, if it raised an exception."""
    label, place, says, call = fault.args
    ready = next((one for one in own if one.code.label == label), None)
    cause = fault.__cause__
    if isinstance(cause, StuckLawError):
        raise cause
    if cause is None and says == RAISED and ready is not None and call is not None:
        cause = _raise_again(ready, call)
        says = "it raised an exception"
    if cause is None or ready is None:
        return LawError(label, f"{place}: {says}")
    return LawError(*locate_error(cause, ready.code.file, f"{ready.code.name}.{place}"))


def _raise_again(
    ready: Ready, call: tuple[str, tuple[Any, Any, Any], bytes]
) -> BaseException | None:
    """Make a compiled class's call in the interpreter, which knows the line; give the exception."""
    code = ready.code
    if code.cls is None:
        return None
    from headgate.plugin import numba_class as jit

    callback, arguments, state = call
    made = jit.object_of(code.interface, code.cls, ready.params, state)
    try:
        getattr(made, callback)(*arguments)
    except Exception as error:
        return error
    return None
