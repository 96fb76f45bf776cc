"""How many runs memory holds at a time: where they are fewer, each has more threads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Condition

from headgate.engine.run.memory import bytes_of, free_bytes
from headgate.lab.jobs import Job

#: Bytes of a process that has not begun a run: the interpreter and what it has loaded.
PROCESS_BYTES = 200_000_000
#: A run's flows at work and its packets come on top of what its plan shows.
GROWTH = 2


def bytes_of_run(job: Job) -> int:
    """Guess what the process of a run takes, from its plan."""
    return PROCESS_BYTES + GROWTH * bytes_of(*job.scenario.plan())


class MemoryLimiter:
    """Lets runs begin while memory has room for what each takes; one may always begin.

    What they take is guessed from their plans until one is over; from then on it is the most that
    any has taken.
    """

    def __init__(self, free: Callable[[], int | None] = free_bytes) -> None:
        self._free = free
        self._changed = Condition()
        self._in_hand: list[int] = []
        self._when_idle: float = 0.0
        self._most = 0
        self._closed = False

    @contextmanager
    def admit(self, guess: Callable[[], int]) -> Iterator[None]:
        """Wait until there is room, and keep it for a run."""
        needs = self._most or guess()
        with self._changed:
            self._changed.wait_for(lambda: self._has_room(needs))
            if not self._in_hand:
                self._when_idle = self._free() or float("inf")
            self._in_hand.append(needs)
        try:
            yield
        finally:
            with self._changed:
                self._in_hand.remove(needs)
                self._changed.notify_all()

    def note_peak(self, peak_bytes: int) -> None:
        """Take in what the process of a run has taken at most."""
        with self._changed:
            self._most = max(self._most, peak_bytes)

    def close(self) -> None:
        """Release all that wait."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _has_room(self, needs: int) -> bool:
        taken = sum(self._in_hand)
        return self._closed or not taken or taken + needs <= self._when_idle
