"""Traces of delivery opportunities, in mahimahi's format, for links that follow one."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from headgate.base.errors import ScenarioError, explain_os
from headgate.base.regular_file import require_file
from headgate.scenario.links.file import FileOrName
from headgate.scenario.links.synthetic import TRACES, make_trace

#: Bytes that an opportunity carries.
OPPORTUNITY_BYTES = 1500
_PS_PER_MS = 10**9
#: Two hours at 1 Gbit/s; more opportunities would take more memory than the run.
_MOST = 600_000_000
#: The longest run, 100 days, in ms: the engine counts picoseconds in 64 bits, which are 213 days.
_LATEST_MS = 100 * 86_400_000


@dataclass(frozen=True)
class Opportunities:
    """Instants at which a link carries 1500 bytes each."""

    name: str
    """By which the plan knows them."""
    times_ps: NDArray[np.uint64]
    """In order; one for each opportunity, so that a time may stand there several times."""
    period_ps: int | None
    """After which all begins anew; None = they come once."""

    @property
    def rate_bps(self) -> int:
        """The mean rate, from the start to the last opportunity."""
        bits = 8 * OPPORTUNITY_BYTES * len(self.times_ps)
        return max(1, round(bits * 1e12 / int(self.times_ps[-1])))


class Trace(FileOrName):
    """What a link carries, when: a file of mahimahi's `mm-link`, or a synthetic trace."""

    names: ClassVar[tuple[str, ...]] = TRACES

    file: str | None = Field(
        None,
        description="One line for each opportunity to send 1500 B: milliseconds since the start.",
    )
    name: str | None = Field(None, description=f"A synthetic trace: {', '.join(TRACES)}.")

    def read(self, place: str) -> Opportunities:
        """Return the opportunities. Raises ScenarioError for a file that is not a trace."""
        if self.name is not None:
            times_ms, label = make_trace(self.name, self.seed), f"{self.name} {self.seed}"
        else:
            times_ms, label = read_trace(str(self.file), place), str(self.file)
        period_ms = int(times_ms[-1])
        # what comes at once at the start comes at the end of each round too, and nothing waits yet
        times_ms = np.concatenate(
            [times_ms[times_ms > 0], np.full((times_ms == 0).sum(), period_ms)]
        )
        period = period_ms * _PS_PER_MS if self.repeat else None
        return Opportunities(
            f"trace {label}", times_ms.astype(np.uint64) * np.uint64(_PS_PER_MS), period
        )


def read_trace(path: str, place: str) -> NDArray[np.int64]:
    """Read a trace of mahimahi's format; return its times (ms), shape (opportunities,)."""
    try:
        require_file(Path(path))
        text = Path(path).read_text(encoding="ascii")
    except UnicodeDecodeError:
        raise ScenarioError(
            place, f"{path!r} is not a trace; it must be text, one number per line"
        ) from None
    except OSError as error:
        raise ScenarioError(place, f"{path!r} cannot be read: {explain_os(error)}") from None
    words = text.split()
    if not words:
        raise ScenarioError(place, f"{path!r} is empty; a trace must have one time (ms) per line")
    if len(words) > _MOST:
        raise ScenarioError(
            place, f"{path!r} has {len(words):,} times; it may have at most {_MOST:,}"
        )
    wrong = next((index for index, word in enumerate(words) if not _is_time(word)), None)
    if wrong is not None:
        allowed = f"it must be a whole number of ms, at most {_LATEST_MS} (100 days)"
        says = f"{_where(text, wrong)} is {words[wrong][:40]!r}; {allowed}"
        raise ScenarioError(place, f"{path!r}: {says}")
    times = np.array(words, dtype=np.int64)
    late = np.flatnonzero(np.diff(times) < 0)
    if len(late):
        index = int(late[0]) + 1
        says = (
            f"{_where(text, index)} goes back to {times[index]} ms; the times of a trace must rise"
        )
        raise ScenarioError(place, f"{path!r}: {says}")
    if times[-1] == 0:
        raise ScenarioError(place, f"{path!r} ends at 0 ms; its last time must be above 0")
    return times


def _where(text: str, index: int) -> str:
    """Return the line of the word of that index, blank lines counted."""
    words = 0
    for number, line in enumerate(text.split("\n"), 1):
        words += len(line.split())
        if words > index:
            return f"line {number}"
    return "the end"


def _is_time(word: str) -> bool:
    return word.isdecimal() and len(word) < 12 and int(word) <= _LATEST_MS
