"""Child processes that make calls: if a call kills its process, the caller learns why.

Caller and child share a private pipe; calls and results are pickled, as everywhere in
`multiprocessing`. A child ends when its caller does, because the pipe closes.
"""

from __future__ import annotations

import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from queue import SimpleQueue
from subprocess import Popen, TimeoutExpired
from threading import Thread
from typing import Any, TypeVar

from headgate.base.errors import HeadgateError
from headgate.base.process import here, python_command
from headgate.engine.run.memory import peak_bytes

Value = TypeVar("Value")
IsStuck = Callable[[str], bool]

#: If memory is short, the system kills a run and not its campaign (proc_pid_oom_score_adj(5)).
OOM_SCORE = "500"
#: A child whose pipe is closed ends within this time, or is killed.
LINGERS_S = 5.0
#: Greatest time for a child to start.
START_S = 300.0
#: Wall time between two checks of a busy child.
POLL_S = 1.0
CAUSES: dict[int, str] = {
    signal.SIGKILL: " (by the system, if memory was short, or by somebody)",
    signal.SIGABRT: " (as where memory cannot be had)",
}


class DiedError(Exception):
    """A child died during a call, with its name and the cause."""

    def __init__(self, child: str, cause: str) -> None:
        self.child, self.cause = child, cause
        super().__init__(cause)


class Child:
    """A process that makes one call after another. Raises HeadgateError if it does not start."""

    def __init__(self) -> None:
        self._pipe, theirs = Pipe()
        with theirs:
            handle = theirs.fileno()
            code = f"from headgate.lab.child import serve; serve({handle})"
            self._process = Popen(python_command("-c", code), pass_fds=[handle])
        try:
            self._pipe.send(sys.path)
            if not self._pipe.poll(START_S):
                self.close()
                raise HeadgateError(
                    f"a process for runs has not started in {START_S:.0f} s: this machine has too"
                    " much else to do, or its disk does not answer; try again later"
                )
            self.name: str = self._pipe.recv()
        except (EOFError, OSError):
            raise HeadgateError(
                f"a process for runs cannot be started: it {self._cause()}"
            ) from None

    def call(
        self, function: Callable[..., Value], *args: Any, is_stuck: IsStuck = lambda _: False
    ) -> Value:
        """Call a function in the child. Raises DiedError, HeadgateError.

        `is_stuck` is called each second with the child's name; a stuck child is killed.
        """
        try:
            self._pipe.send((function, args))
            while not self._pipe.poll(POLL_S):
                if is_stuck(self.name):
                    self.close()
                    raise DiedError(self.name, "showed no sign of life and was ended")
            answer: _Answer = self._pipe.recv()
        except (EOFError, ConnectionError):
            raise DiedError(self.name, self._cause()) from None
        made: Value = answer.take()
        return made

    def peak_bytes(self) -> int:
        """Return the child's memory peak."""
        return peak_bytes(self._process.pid)

    def close(self) -> None:
        """Kill the child."""
        self._process.kill()
        self._process.wait()
        self._pipe.close()

    def _cause(self) -> str:
        try:
            code = self._process.wait(LINGERS_S)
        except TimeoutExpired:
            self.close()
            return "closed its pipe to the campaign"
        if code >= 0:
            return f"ended with exit code {code}"
        known = {one.value: one.name for one in signal.Signals}
        name = known.get(-code, f"signal {-code}")
        return f"was killed by {name}{CAUSES.get(-code, '')}"


class Children:
    """Children that are reused between calls; several threads may call at the same time."""

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._closed = False
        #: Greatest memory peak of a child by the end of a call.
        self.peak_bytes = 0

    def call(
        self, function: Callable[..., Value], *args: Any, is_stuck: IsStuck = lambda _: False
    ) -> Value:
        """Call a function in an idle child. Raises DiedError, HeadgateError."""
        child = self._free()
        try:
            made = child.call(function, *args, is_stuck=is_stuck)
        except HeadgateError:
            self._keep(child)
            raise
        except BaseException:
            child.close()
            raise
        self._keep(child)
        return made

    def close(self) -> None:
        """Kill idle children now, and the others as soon as they are idle."""
        self._closed = True
        with suppress(IndexError):
            while True:
                self._idle.pop().close()

    def _keep(self, child: Child) -> None:
        self.peak_bytes = max(self.peak_bytes, child.peak_bytes())
        self._idle.append(child)
        if self._closed:
            self.close()

    def _free(self) -> Child:
        try:
            return self._idle.pop()
        except IndexError:
            return Child()


class _Answer:
    def __init__(self, value: Any = None, wrong: str = "", fault: str = "") -> None:
        self.value, self.wrong, self.fault = value, wrong, fault

    def take(self) -> Any:
        if self.wrong:
            raise HeadgateError(self.wrong)
        if self.fault:
            raise RuntimeError(self.fault)
        return self.value


def serve(handle: int) -> None:
    """Answer calls one by one until the pipe closes."""
    for sent in (signal.SIGINT, signal.SIGTERM):  # of a terminal or a batch system: the caller has
        signal.signal(sent, signal.SIG_IGN)  # it too, and ends this process
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(OOM_SCORE, encoding="ascii")
    pipe = Connection(handle)
    sys.path[:] = pipe.recv()
    pipe.send(here())
    calls: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_listen, args=(pipe, calls), daemon=True).start()
    with suppress(BrokenPipeError):  # the caller was killed, and needs no answer
        while True:
            pipe.send(_answer(calls.get()))


def _listen(pipe: Connection, calls: SimpleQueue[bytes]) -> None:
    """Queue calls; end the process with its caller, also during a call."""
    while True:
        try:
            calls.put(pipe.recv_bytes())
        except (EOFError, OSError):
            os._exit(0)


def _answer(call: bytes) -> _Answer:
    try:
        function, args = pickle.loads(call)
        return _Answer(function(*args))
    except HeadgateError as error:
        return _Answer(wrong=str(error))
    except Exception:
        return _Answer(fault=traceback.format_exc())
