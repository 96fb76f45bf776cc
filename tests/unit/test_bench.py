"""The bench networks are those that its numbers are quoted for."""

import json

import pytest

from headgate.base.errors import HeadgateError
from headgate.engine.bench import NETWORKS, Timing, dumbbell, flows, measure, measure_here, names

FIELDS = {
    "name", "threads", "packet_hops", "cpu_s", "wall_s", "setup_cpu_s", "packet_hops_per_cpu_s",
    "peak_memory_bytes",
    "bytes_per_flow", "sim_s_per_wall_s",
}  # fmt: skip


def test_dumbbell_is_the_timing_script_of_ns2() -> None:
    plan, _ = NETWORKS["dumbbell-100"]().plan()
    bottleneck = plan["links"][0]
    assert (bottleneck["rate_bps"], bottleneck["delay_ps"]) == (10**9, 12 * 10**9)
    assert bottleneck["buffer"] == {"packets": 3334}
    (edge,) = plan["edges"]
    assert (edge["rate_bps"], edge["delay_ps"]) == (10**10, 4 * 10**9)
    (transport,) = plan["transports"]
    assert transport["receive_window"] == 6668
    assert (transport["segment_bytes"], transport["header_bytes"], transport["ack_bytes"]) == (
        1460, 40, 40,
    )  # fmt: skip
    (group,) = plan["traffic"]
    assert (group["count"], group["start_ps"], group["stagger_ps"]) == (100, 0, 10**10)
    assert plan["duration_ps"] == 40 * 10**12


@pytest.mark.parametrize(
    ("name", "count"),
    [
        ("dumbbell-100", 100),
        ("dumbbell-2000", 2000),
        ("abilene-27800", 27_800),
        ("abilene-278000", 278_000),
    ],
)
def test_sizes(name: str, count: int) -> None:
    assert flows(NETWORKS[name]()) == count


def test_a_timing_has_every_field(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(NETWORKS, "small", lambda: dumbbell(2, "500 ms"))
    timing = measure_here("small")
    assert isinstance(timing, Timing)
    assert set(json.loads(json.dumps(vars(timing)))) == FIELDS
    assert timing.packet_hops > 0
    assert timing.packet_hops_per_cpu_s == timing.packet_hops / timing.cpu_s


def test_unknown_names_are_one_sentence() -> None:
    with pytest.raises(HeadgateError, match=names()[0]):
        measure("dumbbell-3")
