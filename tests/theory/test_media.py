"""Streams of media against times and rates that were computed by hand."""

from typing import Any

import numpy as np
import pytest

from headgate import Result, Scenario
from headgate.base.errors import ScenarioError

#: Pacing rate of the rate controllers over their target rate.
HEADROOM = 1.5


def run(
    network: dict[str, Any], *traffic: dict[str, Any], duration: str = "20 s", **more: Any
) -> Result:
    path = {"kind": "dumbbell", "rtt": "20 ms", "buffer": "infinite"}
    scenario = {
        "duration": duration,
        "network": path | network,
        "traffic": list(traffic),
        **({"measure": more} if more else {}),
    }
    return Scenario.from_dict(scenario).run(seed=1)


def media(controller: Any, **keys: Any) -> dict[str, Any]:
    return {"kind": "media", "rate_controller": controller, **keys}


def only(result: Result) -> dict[str, Any]:
    table = result.tables["media"]
    assert len(table) == 1
    return {name: table[name][0] for name in table}


def fixed(**keys: Any) -> dict[str, Any]:
    return media("fixed-rate", start_rate="4 Mbit/s", frame_rate=25, **keys)


def test_a_fixed_rate_has_the_delays_of_pacing_and_of_the_path() -> None:
    found = only(run({"rate": "10 Mbit/s"}, fixed()))
    # 4 Mbit/s and 25 frames/s: 20,000 B, 16 packets of 1200 B and one of 800 B, 1.6 ms apart
    assert found["frames"] == 500
    assert found["packets_sent"] == 500 * 17
    assert found["bytes_sent"] == 500 * 20_000
    # up to the last packet of the last frame, which leaves 25.6 ms after its capture at 19.96 s
    assert found["bytes_received"] == 500 * 20_000
    path_s = 0.010
    # the bottleneck, and two host links of ten times its rate
    full_s, last_s = (size * 8 / 10e6 * 1.2 for size in (1200, 800))
    mean_s = path_s + (16 * full_s + last_s) / 17
    assert found["mean_packet_delay_s"] == pytest.approx(mean_s, abs=1e-9)
    frame_s = 16 * 1200 * 8 / 6e6 + last_s + path_s
    assert found["mean_frame_delay_s"] == pytest.approx(frame_s, abs=1e-9)
    assert found["frame_delay_p99_s"] == pytest.approx(frame_s, rel=0.01)
    waits_s = np.arange(17) * 1200 * 8 / 6e6
    assert found["mean_queue_wait_s"] == pytest.approx(waits_s.mean(), abs=1e-9)
    assert found["target_bps"] == 4e6


def test_packets_within_a_burst_leave_together() -> None:
    found = only(run({"rate": "10 Mbit/s"}, fixed(pacing_burst="2 ms")))
    # 1.6 ms apart: two leave at once, then each 1.6 ms before its time
    waits_s = np.maximum(np.arange(17) * 0.0016 - 0.002, 0)
    assert found["mean_queue_wait_s"] == pytest.approx(waits_s.mean(), abs=1e-7)


def test_lost_packets_are_found_and_their_frames_are_lost() -> None:
    lost = [1, 100, 101, 1000]  # the second and third belong to one frame of 17 packets
    found = only(run({"rate": "10 Mbit/s", "lose": lost}, fixed()))
    assert found["packets_lost"] == 4
    assert found["frames_lost"] == 3
    assert found["packets_sent"] - found["packets_received"] == 4
    assert found["frames"] - found["frames_complete"] == 3


def test_frames_after_their_deadline_are_late() -> None:
    # 3 Mbit/s: the frames of 20,000 B take 53.3 ms each and follow each other every 40 ms. Frame n
    # is complete at 10 ms + 53.3 ms (n + 1), 10 + 53.3 + 13.3 n ms after its capture: late from
    # n = 7 on if the deadline is 150 ms.
    found = only(run({"rate": "3 Mbit/s"}, fixed(stop="800 ms"), duration="3 s"))
    assert (found["frames"], found["frames_complete"]) == (20, 20)
    assert found["frames_late"] == 20 - 7


def test_a_late_reaction_of_the_encoder_delays_the_rate() -> None:
    streams = [
        media("scream", max_rate="5 Mbit/s", encoder_delay=delay) for delay in ("0 s", "500 ms")
    ]
    sent = [only(run({"rate": "100 Mbit/s"}, one, duration="3 s"))["bytes_sent"] for one in streams]
    assert sent[1] < 0.9 * sent[0]


def test_the_greatest_rate_is_reached_and_kept_on_a_free_link() -> None:
    found = only(run({"rate": "100 Mbit/s"}, media("scream", max_rate="5 Mbit/s"), warmup="10 s"))
    assert found["received_bps"] == pytest.approx(5e6, rel=0.005)
    assert found["frames_lost"] == found["frames_late"] == found["packets_lost"] == 0


@pytest.mark.parametrize("rate_mbps", [10, 40])
def test_scream_alone_in_dualpi2_paces_at_the_rate_of_the_link(rate_mbps: int) -> None:
    # The L queue marks beyond 1 ms. Below 2/3 of the link, packets are paced more slowly than the
    # link sends them and none is marked: the window grows. Above it, each frame builds a queue.
    stream = media("scream", max_rate=f"{2 * rate_mbps} Mbit/s", frame_rate=50)
    network = {"rate": f"{rate_mbps} Mbit/s", "queue": "dualpi2"}
    found = only(run(network, stream, duration="40 s", warmup="20 s"))
    assert found["received_bps"] * HEADROOM == pytest.approx(rate_mbps * 1e6, rel=0.15)
    assert 0 < found["marked_share"] < 0.1
    queue_s = found["packet_delay_p99_s"] - 0.010 - 1200 * 8 / (rate_mbps * 1e6)
    assert queue_s < 0.003


def test_scream_without_marks_keeps_the_queue_below_half_of_its_target() -> None:
    # The reaction to delay begins at a mean of half of 60 ms.
    stream = media({"name": "scream", "marks": "none"}, max_rate="20 Mbit/s", frame_rate=50)
    found = only(run({"rate": "10 Mbit/s"}, stream, duration="60 s", warmup="20 s"))
    assert found["received_bps"] > 0.6 * 10e6
    assert found["mean_packet_delay_s"] < 0.010 + 0.030
    assert found["packets_lost"] == 0


def test_threads_change_nothing() -> None:
    spec = Scenario.from_dict(
        {
            "duration": "3 s",
            "network": {
                "kind": "dumbbell",
                "rate": "20 Mbit/s",
                "rtt": "20 ms",
                "queue": "dualpi2",
            },
            "transport": {"ecn": True},
            "traffic": [
                media(
                    "scream", size_deviation=0.5, key_frame_every=10, key_frame_factor=3, count=2
                ),
                {"kind": "flows", "cca": "prague"},
            ],
            "measure": {"series": {"interval": "100 ms"}},
        }
    )
    runs = [spec.run(seed=1, threads=threads) for threads in (1, 2, 3)]
    for table in ("media", "media_series", "flows", "ports"):
        columns = [{name: one.tables[table][name] for name in one.tables[table]} for one in runs]
        for other in columns[1:]:
            for name, column in columns[0].items():
                np.testing.assert_array_equal(column, other[name], err_msg=f"{table}.{name}")


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"cca": "reno"}, "media uses a rate controller instead"),
        ({"rate_controller": "screem"}, "'screem' is not a rate controller"),
        ({"min_rate": "20 Mbit/s"}, "max_rate: it may not be below 'min_rate'"),
        ({"start_rate": "50 Mbit/s"}, "start_rate: it must be from 'min_rate' to 'max_rate'"),
        ({"key_frame_factor": 2}, "it requires 'key_frame_every'"),
        ({"key_frame_every": 2, "key_frame_factor": 3}, "may not be above 'key_frame_every'"),
        ({"header_size": "1200 B"}, "header_size: it must be below 'packet_size'"),
        ({"packet_size": "20 B", "header_size": "0 B"}, "packet_size: 20 is not allowed"),
        ({"stop": "0 s"}, "each stream must stop after it starts"),
        ({"frame_rate": 0}, "frame_rate"),
    ],
)
def test_wrong_keys_are_refused_by_name(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(ScenarioError, match=says):
        run({"rate": "10 Mbit/s"}, media("scream") | keys, duration="1 s")
