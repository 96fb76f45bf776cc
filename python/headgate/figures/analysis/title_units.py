"""The unit at the end of a title, in parentheses: `delay (ms)`."""

from __future__ import annotations

import re

from headgate.base.units import UNITS

#: Words of other units that tables write behind the name of a column.
_WORDS = UNITS | frozenset((
    "1", "%", "n", "ratio", "relative", "bit", "bits", "byte", "bytes", "packet", "packets",
    "segment", "segments", "frame", "frames", "flow", "flows", "hop", "hops", "run", "runs", "user",
    "users", "request", "requests", "retransmissions", "event", "events", "MSS", "BDP", "Hz", "kHz",
    "MHz", "GHz", "CPU", "interval", "intervals", "second", "seconds", "minute", "minutes", "hour",
    "hours", "day", "days", "dB", "dBm", "W", "mW", "J", "m", "km", "points",
))  # fmt: skip
_UNIT = re.compile(r"\s*\(([^()]+)\)$")


def split_unit(title: str) -> tuple[str, str]:
    """Split a title into a name and the unit in parentheses at its end; "" if there is none.

    `delay (ms)` ends with a unit. `delay (p99)` does not: its parentheses belong to the name.
    """
    match = _UNIT.search(title)
    if match is None or not (
        match[1] in _WORDS or _WORDS.issuperset(re.split(r"[\s/]+", match[1]))
    ):
        return title, ""
    return title[: match.start()], match[1]
