"""What a law is put through before a run takes it, and what no law may make of a window."""

from __future__ import annotations

import os
from dataclasses import dataclass

from headgate.plugin.events import Event, Window

#: As the engine has it: the largest window that is taken for meant, segments.
MOST_CWND = 1e7


@dataclass(frozen=True)
class Course:
    """What a law is put through: flows, and events of each.

    Unless it is strict it puts right what is wrong and goes on: only a crash counts.
    """

    flows: int
    events: int
    strict: bool = True


def sound(event: Event, before: Window, after: Window, *, keeps_window: bool) -> str:
    """Say what is wrong with what a law made of a window; nothing if it is a window."""
    if after.cwnd != before.cwnd and not 1 <= after.cwnd <= MOST_CWND:
        return f"cwnd became {after.cwnd:g}; it is a number from 1 to {MOST_CWND:g} segments"
    if after.ssthresh != before.ssthresh and not after.ssthresh >= 1:
        return f"ssthresh became {after.ssthresh:g}; it is at least 1 segment"
    if after.pace != before.pace and not after.pace > 0:
        return f"pace became {after.pace:g}; it is above 0 segments/s, or infinite"
    if event.callback == "on_congestion" and not keeps_window and not after.ssthresh <= MOST_CWND:
        return f"ssthresh is {after.ssthresh:g} after on_congestion, which must set it"
    return ""


def write_place(note: int, where: str) -> None:
    """Write where a law is into a file that outlives the process, if there is one."""
    if note >= 0:
        os.pwrite(note, where.ljust(80).encode(), 0)
