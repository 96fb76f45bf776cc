"""NIST's responses for any experiment: SQL on the tables of a run, directions, five questions.

A response is one value for each period, or the mean over all periods of a run. In a deployment of
two algorithms it is about the flows of both.
"""

from headgate.forms import Measure, ResponseSet
from headgate_studies.nist.responses import (
    LONG_RATES,
    LOSSES,
    MOVING,
    NUMBERED,
    SAFETY,
    WEB,
    WEB_RATES,
    WORSE,
)

_UNITS = {"y3": "packets", "y4": "packets", "y11": "packets", "y15": "s", "y16": "s"}
_MOVING = {
    "connecting": ("SELECT avg(connecting) FROM responses", "1"),
    "swing": ("SELECT avg(swing_relative) FROM ccas", "1"),
    "falls": ("SELECT sum(decreases) FROM classes", "1"),
    "fall": ("SELECT sum(fallen_packets) / nullif(sum(decreases), 0) FROM classes", "packets"),
}


def _make(name: str, sql: str, unit: str, title: str) -> Measure:
    plain = title.partition(" (")[0]
    if name not in WORSE:
        return Measure(sql, unit, plain)
    return Measure(sql, unit, plain, "lower" if WORSE[name] == "more" else "higher")


def _of_period(name: str) -> Measure:
    rate = int(name.removeprefix("y")) >= 17
    unit = "packets/s" if rate else _UNITS.get(name, "1")
    return _make(name, f'SELECT avg("{name}") FROM responses', unit, NUMBERED[name])


def _of_web(name: str) -> Measure:
    _, pair, interface = name.split("_")
    rows = f"file = '{WEB}' AND class = '{pair}' AND interface = '{interface}'"
    packets = "sum(timed_packets) / nullif(sum(fct_sum_s), 0)"
    return _make(name, f"SELECT {packets} FROM classes WHERE {rows}", "packets/s", WEB_RATES[name])


def _of_long(name: str) -> Measure:
    rows = f"file = 'long-lived' AND class = '{name.removeprefix('long_')}'"
    sql = f"SELECT sum(delivered_packets_s) FROM classes WHERE {rows}"
    return _make(name, sql, "packets/s", LONG_RATES[name])


RESPONSES = ResponseSet(
    {
        **{name: _of_period(name) for name in NUMBERED},
        **{name: _make(name, *_MOVING[name], title) for name, title in MOVING.items()},
        **{name: _of_web(name) for name in WEB_RATES},
        **{name: _of_long(name) for name in LONG_RATES},
    },
    {
        "increase": tuple(WEB_RATES),
        "recovery": LOSSES,
        "utility": (*WEB_RATES, *LONG_RATES),
        "safety": SAFETY,
    },
    "y10",
)
