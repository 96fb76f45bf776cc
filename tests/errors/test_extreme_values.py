"""Every value of a scenario at its extremes: a plan that the engine takes, or one sentence."""

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from headgate import Scenario
from headgate.base.errors import HeadgateError
from headgate.engine.run.prepare import check_plan

SIZE = {"kind": "pareto", "mean": "30 packets", "shape": 1.5}
WEB = {
    "kind": "web", "cca": {"name": "fast", "alpha": 20}, "users": 9, "receivers": 5, "think": "1 s",
    "size": SIZE, "kinds": [{"name": "doc", "share": 0.2, "size": {**SIZE, "mean": "3 kB"}}],
    "patience": {"share": 0.5, "check": "1 s", "floor": "1 Mbit/s"}, "at_once": 0.5,
    "surge": {"share": 0.5, "start": "1 s", "stop": "2 s", "size": "9 packets"},
}  # fmt: skip
POISSON = {"kind": "poisson", "cca": "reno", "load": 0.5, "hosts": 9, "size": SIZE, "start": "1 s"}
ARRIVALS = {
    "kind": "poisson", "cca": "reno", "arrivals": "9 flows/s", "size": "5 packets",
    "stop": "2 s",
}  # fmt: skip
FLOWS = {
    "kind": "flows", "cca": "reno", "count": 3, "size": "40 packets", "start": "1 ms",
    "stagger": "1 ms", "stop": "3 s",
}  # fmt: skip
DUMBBELL = {
    "kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "1 BDP", "lose": [5],
    "changes": [{"at": "1 s", "rate": "5 Mbit/s"}], "loss": 0.01, "host_rate": "1 Gbit/s",
    "queue": {"name": "red", "min": "5 packets", "max_packets": 20},
}  # fmt: skip
LOT = {
    "kind": "parking_lot", "hops": 3, "rate": "10 Mbit/s", "rtt": "40 ms", "buffer": "50 ms",
    "queue": {"name": "threshold", "mark": "0.5 BDP/sqrt(n)"}, "loss": 0.01,
}  # fmt: skip
TIERS = {
    "kind": "abilene", "rate": "1 Gbit/s", "ratios": {"backbone": 80, "N": 1},
    "delay_multiplier": 2.0, "lower_delay": "500 us", "fast_share": 0.5, "fast_rate": "1 Gbit/s",
    "host_buffer": "50 ms", "queue": {"name": "codel", "target": "5 ms"},
}  # fmt: skip
GRAPH = {
    "kind": "graph", "rate": "10 Mbit/s", "delay": "1 ms", "host_rate": "1 Gbit/s",
    "host_delay": "1 ms", "routers": [{"name": "a"}, {"name": "b"}],
    "links": [{"ends": ["a", "b"], "rate": "9 Mbit/s", "delay": "2 ms", "buffer": "64 kB",
               "loss": 0.1, "lose": [1, 7], "changes": []}],
}  # fmt: skip
TRANSPORT = {
    "segment": "1000 B", "header": "40 B", "ack": "40 B", "syn": "40 B",
    "initial_window": "3 packets", "initial_ssthresh": "64 packets", "min_rto": "1 s",
    "rto_tick": "10 ms",
    "receive_window": "999 packets", "rto_margin": "1 ms", "initial_rto": "1 s", "max_rto": "9 s",
    "syn_tries": 3, "syn_timeout": "1 s", "delayed_ack_timeout": "40 ms", "quick_acks": 3,
    "clock": "1 ms", "pacing": {"gain": 1.2},
}  # fmt: skip
MEASURE = {
    "warmup": "1 s", "periods": 2, "interval": "100 ms",
    "series": {"interval": "100 ms", "most": 3},
}  # fmt: skip
PERIODS = {"warmup": "1 s", "periods": [["1 s", "2 s"], ["2 s", "3 s"]]}


def scenarios() -> Iterator[dict[str, Any]]:
    keys: dict[str, Any] = {"seed": 1, "duration": "4 s"}
    yield {**keys, "network": DUMBBELL, "traffic": [FLOWS], "transport": TRANSPORT}
    yield {**keys, "network": LOT, "traffic": [POISSON, ARRIVALS], "measure": MEASURE}
    yield {**keys, "network": TIERS, "traffic": [WEB], "measure": PERIODS}
    between = {"source": "a", "receiver": "b", "rtt": "80 ms", "transport": TRANSPORT}
    yield {**keys, "network": GRAPH, "traffic": [FLOWS | between]}


#: Numbers that a quantity, an integer or a share may be given as.
NUMBERS = (
    "0",
    "1e-300",
    "1e-12",
    "1e9",
    "99999999999999999999",
    "1e30",
    "1e308",
    "-1e308",
    "1e999",
)
BARE = (
    0, -1, 1, 255, 2**31, 2**32, 2**63, 2**64, 10**400, 5e-324, 1e-9, 0.5, 1e18, 1e308, -1e308,
    float("nan"), float("inf"), True, None, "many",
)  # fmt: skip


def leaves(part: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    items = part.items() if isinstance(part, dict) else enumerate(part)
    for key, value in items:
        if isinstance(value, dict | list):
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


def extremes(value: Any) -> Iterator[Any]:
    number, _, unit = value.partition(" ") if isinstance(value, str) else ("", "", "")
    if unit and number[0].isdigit():
        yield from (f"{extreme} {unit}" for extreme in NUMBERS)
    elif isinstance(value, int | float):
        yield from BARE


def changed(given: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    made = copy.deepcopy(given)
    part = made
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    return made


CASES = [(given, path, value) for given in scenarios() for path, value in leaves(given)]


@pytest.mark.parametrize(
    ("given", "path", "value"), CASES, ids=[".".join(map(str, path)) for _, path, _ in CASES]
)
def test_an_extreme_value_is_planned_or_refused(
    given: dict[str, Any], path: tuple[Any, ...], value: Any
) -> None:
    for extreme in extremes(value):
        try:
            scenario = Scenario.from_dict(changed(given, path, extreme))
            plan, arrays = scenario.plan()
            check_plan(plan, arrays, scenario)
        except HeadgateError as refused:
            said = str(refused)
            assert "\n" not in said
            assert (
                said.split(".", maxsplit=1)[0].split("[", maxsplit=1)[0].split(":", maxsplit=1)[0]
                in Scenario.model_fields
            ), said
            place = said.partition(": ")[0]
            assert not place.endswith(("_ps", "_bps", "_bytes", "_s")), said
            assert not said.startswith("plan"), said


def test_the_scenarios_themselves_are_right() -> None:
    for given in scenarios():
        scenario = Scenario.from_dict(given)
        check_plan(*scenario.plan(), scenario)


def test_a_load_beyond_all_bounds_is_one_sentence() -> None:
    given = {"network": DUMBBELL, "traffic": [{**POISSON, "load": 1e308}]}
    with pytest.raises(HeadgateError, match=r"traffic\[0\].load: .* less than or equal to 1000"):
        Scenario.from_dict(given)
