"""The pace of a streamed run: how far each update goes, and how fast simulated time may pass."""

from __future__ import annotations

import time
from collections.abc import Callable
from math import inf, isfinite

from headgate.base.errors import ScenarioError

#: Wall time between two updates unless given.
EVERY_S = 0.1
#: Word for a speed without limit.
MAX = "max"
#: A run that is later than this against its speed goes on from the present; it does not catch up.
MOST_LATE_S = 0.5
PS_PER_S = 1e12


class Pace:
    """An update comes after `every_s` of wall time, or after `step_s` of simulated time if given.

    `speed` is the most simulated seconds per second of wall time.
    """

    def __init__(
        self,
        every_s: float = EVERY_S,
        step_s: float | None = None,
        speed: float = inf,
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.every_s, self.step_s, self.speed = every_s, step_s, speed
        self._now, self._sleep = now, sleep
        self._due_s, self._shown_s = -inf, 0.0

    def until_ps(self, number: int) -> int | None:
        """Return the simulated time at which an update ends, counted from 1; None without steps."""
        return None if self.step_s is None else round(number * self.step_s * PS_PER_S)

    def release(self) -> None:
        """Wait no longer."""
        self.speed = inf

    def wait_for(self, time_s: float) -> None:
        """Wait until a simulated time is due, by the wall clock since the first call.

        A reader that pauses for long does not make the run hurry afterwards.
        """
        if not isfinite(self.speed):
            return
        now_s = self._now()
        span_s = (time_s - self._shown_s) / self.speed
        if self._due_s == -inf:
            self._due_s = now_s
        self._due_s = max(self._due_s + span_s, now_s - MOST_LATE_S)
        self._shown_s = time_s
        if self._due_s > now_s:
            self._sleep(self._due_s - now_s)


def make_pace(every_s: float | None, step_s: float | None, speed: float | str | None) -> Pace:
    """Check what a caller gave, and return the pace. Raises ScenarioError."""
    chosen = read_speed(speed)
    if every_s is not None and step_s is not None:
        raise ScenarioError(
            "every_s", "counts wall time, and step_s simulated time; give one of them"
        )
    for name, value in (("every_s", every_s), ("step_s", step_s)):
        if value is not None and not 0 < value < inf:
            raise ScenarioError(name, f"{value} s is not allowed; it must be above 0")
    wall_s = EVERY_S if every_s is None else every_s
    if step_s is None and isfinite(chosen):
        step_s = chosen * wall_s
    if step_s is not None and step_s * PS_PER_S < 1:
        raise ScenarioError("speed", "an update would cover less than a picosecond")
    return Pace(wall_s, step_s, chosen)


def read_speed(speed: float | str | None) -> float:
    """Return a speed as a number, infinite without a limit. Raises ScenarioError."""
    if speed is None or speed == MAX:
        return inf
    try:
        chosen = float(speed)
    except (TypeError, ValueError):
        chosen = float("nan")
    if not chosen > 0:
        raise ScenarioError(
            "speed",
            f"{speed!r} is not allowed; write simulated seconds per second, such as 1 or 0.1, or"
            f" {MAX!r}",
        )
    return chosen
