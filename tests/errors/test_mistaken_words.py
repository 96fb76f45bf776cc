"""Words and units that mean something else here: each error says the right one."""

from typing import Any

import pytest

from headgate import Scenario
from headgate.base.errors import HeadgateError
from headgate.design.factor import Factor, make_scenarios
from headgate.design.file import FactorTable
from headgate.engine.run.prepare import check_plan

GRAPH: dict[str, Any] = {
    "kind": "graph",
    "rate": "10 Mbit/s",
    "delay": "1 ms",
    "routers": [{"name": name} for name in "abc"],
}
SCENARIO: dict[str, Any] = {
    "network": {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms"},
    "traffic": [{"kind": "flows", "cca": "reno"}],
}
OF_MEDIA = "is a rate controller of media, not a congestion control algorithm; write it as"


def check(key: str, value: Any) -> None:
    changed = Scenario.from_dict(SCENARIO).replaced({key: value})
    check_plan(*changed.plan(), changed)


def refuse(key: str, value: Any) -> str:
    with pytest.raises(HeadgateError) as error:
        check(key, value)
    return str(error.value)


@pytest.mark.parametrize(
    ("key", "value", "says"),
    [
        ("transport.receive_window", "64 kB", "takes packets, such as '10 packets', or 'infinite'"),
        ("transport.receive_window", "44", "write a window such as '10 packets', or 'infinite'"),
        ("transport.initial_ssthresh", "10", "write a window such as '10 packets', or 'infinite'"),
        ("network.buffer", "100 kbit", "a byte is 8 bits, so write '12500 B'"),
        ("traffic.0.size", "1 Mbit", "a byte is 8 bits, so write '125 kB'"),
        ("network.rate", "5 MB/s", "a byte is 8 bits, so write '40 Mbit/s'"),
        ("network.rate", "5 Mb/s", "did you mean 'Mbit/s'?"),
        ("network.rtt", "1 h", "network.rtt: the delay of a link follows from it: 1080 is not"),
        ("network.reverse.delay", "1 h", "network.reverse.delay: 3600 is not allowed"),
        ("traffic.0.rtt", "3 h", "traffic[0].rtt: the delay of a link follows from it: 2699.99"),
        ("traffic.0.cca", "scream", f"'scream' {OF_MEDIA}"),
        ("traffic.0.cca", {"name": "gcc"}, f"'gcc' {OF_MEDIA}"),
        ("traffic.0.cca", {"gcc": 0.5, "reno": 0.5}, f"'gcc' {OF_MEDIA}"),
        ("share.gcc", 0.5, f"'gcc' {OF_MEDIA}"),
        ("network.queue", "fifo", "did you mean 'drop_tail'?"),
        ("network.queue", "pfifo", "did you mean 'drop_tail'?"),
        ("network.queue", "taildrop", "did you mean 'drop_tail'?"),
        (
            "network",
            {**GRAPH, "links": [{"ends": ["a", "b", "c"]}]},
            "ends: ['a', 'b', 'c'] is not allowed; at most 2 items are, and these are 3",
        ),
        ("network", {**GRAPH, "links": [{"ends": ["a"]}]}, "ends[1]: the list is too short"),
    ],
)
def test_the_error_says_what_is_meant_here(key: str, value: Any, says: str) -> None:
    assert says in refuse(key, value)


def test_bits_are_not_suggested_for_bytes() -> None:
    for unit in ("kb", "Mb", "Gb"):
        assert "did you mean" not in refuse("network.buffer", f"1 {unit}")


def test_several_tables_are_several_settings() -> None:
    factor = Factor("a", "", "loss", 0, 0.1)
    with pytest.raises(HeadgateError) as error:
        make_scenarios([factor], [], Scenario.from_dict(SCENARIO))
    assert 'write setting = "network.loss"' in str(error.value)
    factor = Factor("a", "", "rtt", "1 ms", "2 ms")
    with pytest.raises(HeadgateError) as error:
        make_scenarios([factor], [], Scenario.from_dict(SCENARIO))
    assert str(error.value).count('"') % 2 == 0
    assert '" or ' not in str(error.value) or ' or setting = "' in str(error.value)


@pytest.mark.parametrize("levels", [[], ["40 ms"]])
def test_a_factor_with_too_few_levels(levels: list[str]) -> None:
    with pytest.raises(ValueError, match="a factor needs at least two levels"):
        FactorTable.model_validate(levels)
