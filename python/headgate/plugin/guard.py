"""Protects a command from user-defined code that fails, hangs or ends the process."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NoReturn

from headgate.base.errors import CcaError, InterruptedRunError
from headgate.base.process import end_with_parent
from headgate.plugin.interface import Interface, PreparedCode
from headgate.plugin.python_class import locate_error

if TYPE_CHECKING:
    from headgate import _native

#: The engine's message for a callback that numba compiled and that raised an exception.
RAISED = "it returned 1"
#: How long a callback may take to return after Ctrl-C before the interrupt is raised inside it.
GRACE_S = 1.0

_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGCHLD)
#: How often to check the child itself: its SIGCHLD may have reached a thread that ignores it.
_POLL_S = 0.2
#: `si_code` of a signal that the terminal sent to every process in its foreground.
_SI_KERNEL = 0x80


class StuckCcaError(KeyboardInterrupt):
    """Ctrl-C while a callback did not return; its state so far is not kept."""


@contextmanager
def defer_interrupts(own: Sequence[PreparedCode]) -> Iterator[Callable[[], None]]:
    """Raise Ctrl-C when the run polls, between two slices, and not inside user-defined code.

    It is still raised in an interpreted callback that has not returned after a second.
    """
    handler = signal.getsignal(signal.SIGINT)
    is_main = threading.current_thread() is threading.main_thread()
    if not (own and is_main and handler is signal.default_int_handler):
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
    """Raise StuckCcaError in a thread at its next bytecode."""
    error = ctypes.py_object(StuckCcaError)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), error)


def own_error(fault: _native.OwnFaultError, own: Sequence[PreparedCode]) -> CcaError:
    """Return the error of user-defined code that failed: with file and line, if it raised one."""
    label, place, says, call = fault.args
    prepared = next((one for one in own if one.code.label == label), None)
    cause = fault.__cause__
    if isinstance(cause, StuckCcaError):
        raise cause
    if cause is None and says == RAISED and prepared is not None and call is not None:
        cause = _raise_again(prepared, *call)
        says = "it raised an exception"
    if cause is None or prepared is None:
        return CcaError(label, f"{place}: {says}")
    return CcaError(*locate_error(cause, prepared.code.file, f"{prepared.code.name}.{place}"))


def _raise_again(
    prepared: PreparedCode, callback: str, arguments: tuple[Any, Any, Any], state: bytes
) -> BaseException | None:
    """Repeat a compiled call in the interpreter, which knows the line; return the exception."""
    code = prepared.code
    if code.cls is None:
        return None
    from headgate.plugin.numba_class import object_of

    made = object_of(code.interface, code.cls, prepared.params, state)
    try:
        getattr(made, callback)(*arguments)
    except Exception as error:
        return error
    return None


@contextmanager
def run_watched(own: Sequence[tuple[str, Interface]]) -> Iterator[None]:
    """Run the body, and everything after it, in a child process if there is user-defined code.

    User-defined code may end its process, by `os._exit` or a crash, or never return. The parent
    calls none of it and reports what happened: it raises SystemExit with the child's status,
    CcaError if the code ended the child, InterruptedRunError if the child had to be killed.

    Only on Linux, and if this process is the whole program: elsewhere, and if a program with
    another standard output calls the command as a function, the body runs in this process.
    """
    if not own or sys.platform != "linux" or sys.stdout is not sys.__stdout__:
        yield
        return
    done, report_done = os.pipe()
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    parent, child = os.getpid(), os.fork()
    if child:
        os.close(report_done)
        os.set_blocking(done, False)  # a process that the code left behind may hold the other end
        _wait(child, done, " or ".join({of.noun: None for _, of in own}))
    os.close(done)
    end_with_parent(parent)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    try:
        yield
    finally:
        os.write(report_done, b".")


def _wait(child: int, done: int, noun: str) -> NoReturn:
    """Forward signals until the child ends; end with its status."""
    interrupts = 0
    while True:
        received = signal.sigtimedwait(_SIGNALS, _POLL_S)
        if received is None or received.si_signo == signal.SIGCHLD:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                _end(os.waitstatus_to_exitcode(status), noun, is_done=_is_done(done))
            continue
        interrupts += 1
        if interrupts > 1:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise InterruptedRunError("stopped at once; the last saved state, if any, is kept")
        if received.si_code != _SI_KERNEL:
            os.kill(child, received.si_signo)


def _is_done(done: int) -> bool:
    try:
        return bool(os.read(done, 1))
    except BlockingIOError:
        return False


def describe_end(code: int) -> str:
    """Say how a process ended that was to return."""
    return (
        f"crashed ({signal.Signals(-code).name})" if code < 0 else f"ended the process with {code}"
    )


def _end(code: int, noun: str, *, is_done: bool) -> NoReturn:
    if is_done and code >= 0:
        sys.exit(code)
    says = f"a user-defined {noun} {describe_end(code)}; `headgate check` finds the call"
    raise CcaError("own code", says)
