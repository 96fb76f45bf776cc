"""The bench networks are those that its numbers are quoted for."""

import json
from dataclasses import replace

import pytest

from headgate.base.errors import HeadgateError
from headgate.cli.bench import bench
from headgate.cli.run import print_result
from headgate.engine.bench import (
    NETWORKS,
    Timing,
    check_digests,
    dumbbell,
    flows,
    measure,
    measure_here,
    names,
)

FIELDS = {
    "name", "threads", "packet_hops", "cpu_s", "wall_s", "setup_cpu_s", "packet_hops_per_cpu_s",
    "peak_memory_bytes",
    "bytes_per_flow", "sim_s_per_wall_s", "digest",
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
        ("abilene-2780000", 2_780_000),
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


def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a small dumbbell the only network, measured in this process."""
    monkeypatch.setattr("headgate.engine.bench.NETWORKS", {"small": lambda: dumbbell(2, "300 ms")})
    monkeypatch.setattr(
        "headgate.engine.bench.measure", lambda name, threads: measure_here(name, threads=threads)
    )


def test_each_number_of_threads_has_a_row_with_its_digest(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small(monkeypatch)
    bench(threads="1,2", as_json=True)
    one, two = json.loads(capsys.readouterr().out)
    assert [one["threads"], two["threads"]] == [1, 2]
    assert one["digest"] == two["digest"] == dumbbell(2, "300 ms").run().digest
    bench("small", "2", as_json=True)
    assert json.loads(capsys.readouterr().out)["threads"] == 2
    bench("small", "1,2")
    assert capsys.readouterr().out.count(one["digest"]) == 2


def test_a_network_with_two_digests_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    small(monkeypatch)
    one = measure_here("small")
    check_digests([one, one])
    with pytest.raises(HeadgateError, match="0000 on 3; this is an error of the engine"):
        check_digests([one, replace(one, threads=3, digest="0000")])


@pytest.mark.parametrize("text", ["0", "1,", "two", "1;2", "-1"])
def test_numbers_of_threads_are_checked(text: str) -> None:
    with pytest.raises(HeadgateError, match="such as 1,2,4"):
        bench("dumbbell-100", text)


def test_the_largest_network_is_measured_only_by_name() -> None:
    assert set(NETWORKS) - set(names()) == {"abilene-2780000"}


def test_the_last_line_of_a_run_is_its_digest(capsys: pytest.CaptureFixture[str]) -> None:
    result = dumbbell(2, "300 ms").run()
    print_result(result, None, as_json=False)
    assert capsys.readouterr().out.splitlines()[-1] == f"Digest: {result.digest}"


def test_unknown_names_are_one_sentence() -> None:
    with pytest.raises(HeadgateError, match=names()[0]):
        measure("dumbbell-3")
