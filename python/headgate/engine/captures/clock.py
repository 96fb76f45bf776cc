"""Whether a capture's time stamps can be those of one measurement, or its clock jumped."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.engine.captures.read import Capture

#: The engine simulates no more; a replay adds some seconds to the span of its capture.
LONGEST_SPAN_S = 99 * 86_400.0
#: A silence that is longer is reported: captures have been merged, or a clock was set.
LONGEST_GAP_S = 3600.0


@dataclass(frozen=True)
class Gap:
    """A span without a packet, in seconds since the first packet."""

    begin_s: float
    end_s: float
    is_rest_larger: bool
    """Whether more bytes come after it than before."""


def find_gap(capture: Capture) -> Gap | None:
    """Return the longest span without a packet if no traffic explains it."""
    rates = capture.rates
    if len(rates.begin_s) < 2:
        return None
    ends_s = rates.begin_s[:-1] + rates.width_s
    gaps_s = rates.begin_s[1:] - ends_s
    place = int(np.argmax(gaps_s))
    if gaps_s[place] <= LONGEST_GAP_S:
        return None
    bytes_of_each = rates.to_clients + rates.to_servers + rates.other
    before, after = bytes_of_each[: place + 1].sum(), bytes_of_each[place + 1 :].sum()
    return Gap(float(ends_s[place]), float(rates.begin_s[place + 1]), bool(after > before))


def warn_of_clock(capture: Capture) -> Iterator[str]:
    """Yield warnings about time stamps that go back, and about a gap, with a command that cuts."""
    if capture.steps_back:
        places = _count_places(capture.steps_back)
        yield (
            f"the time stamps go back by more than 1 s in {places}: if a clock was set or captures"
            " were put behind one another, starts and round trips of the connections under way"
            " are wrong"
        )
    gap = find_gap(capture)
    if gap is not None:
        yield (
            f"{_describe(capture, gap)}; if a clock was set or captures were merged, keep one part:"
            f" {_cut(capture, gap)}"
        )


def check_clock(capture: Capture) -> None:
    """Raise HeadgateError for a capture that spans more than a run can last."""
    if capture.span_s <= LONGEST_SPAN_S:
        return
    says = (
        f"{capture.path}: its packets span {_duration(capture.span_s)}, and a replay lasts at most"
        f" {_duration(LONGEST_SPAN_S)}"
    )
    gap = find_gap(capture)
    if gap is not None:
        says += f"; {_describe(capture, gap)}, so keep one part: {_cut(capture, gap)}"
    raise HeadgateError(says)


def _describe(capture: Capture, gap: Gap) -> str:
    begin, end = (_date(capture, time_s) for time_s in (gap.begin_s, gap.end_s))
    return f"there is no packet for {_duration(gap.end_s - gap.begin_s)}, from {begin} to {end}"


def _cut(capture: Capture, gap: Gap) -> str:
    """Write the command that keeps the larger part."""
    side = ["-A", _date(capture, gap.end_s)]
    if not gap.is_rest_larger:
        side = ["-B", _date(capture, gap.begin_s)]
    return shlex.join(["editcap", *side, str(capture.path), "part.pcapng"])


def _date(capture: Capture, time_s: float) -> str:
    """Write a time since the first packet as a date; what no calendar has, as seconds."""
    since_1970_s = capture.begin_s + time_s
    try:
        date = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=int(since_1970_s))
    except OverflowError:
        return f"{since_1970_s:.0f}"
    return f"{date:%Y-%m-%dT%H:%M:%S}Z"


def _count_places(number: int) -> str:
    return f"{number:,} place{'s' * (number != 1)}"


def _duration(seconds: float) -> str:
    if seconds >= 2 * 86_400:
        return f"{seconds / 86_400:,.0f} days"
    return f"{seconds / 3600:.1f} hours"
