"""Google congestion control on a link: bounds that follow by hand from its rules.

An over-use leads to 0.85 of the rate that arrives, which is the link's, less 5 kbit/s. The rate
then rises by half a packet per RTT + 100 ms. The detector reports an over-use as soon as the delay
grows steadily. The tolerances were set before the runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from headgate import Result, dumbbell

WARMUP_S = 30


def call(
    rate_mbps: float,
    rtt_ms: float,
    beside: list[dict[str, Any]] | None = None,
    *,
    seconds: int = 150,
    stream: dict[str, Any] | None = None,
    **more: Any,
) -> Result:
    """Run one call, alone or beside other flows, on a link whose buffer holds 500 ms."""
    media = {"kind": "media", "rate_controller": "gcc", "start_rate": "300 kbit/s"} | (stream or {})
    given = {"buffer": "500 ms"} | more
    return dumbbell(
        rate=f"{rate_mbps:g} Mbit/s",
        rtt=f"{rtt_ms:g} ms",
        flows=[media, *(beside or [])],
        access="direct",
        duration=f"{seconds} s",
        measure={"warmup": f"{WARMUP_S} s", "series": {"interval": "100 ms"}},
        **given,
    ).run(seed=1)


def share(result: Result, rate_mbps: float) -> float:
    """Return the share of the link that the stream receives."""
    return float(result.tables["media"]["received_bps"][0]) / (rate_mbps * 1e6)


def targets(result: Result) -> tuple[np.ndarray, np.ndarray]:
    """Return the times and the target rates, Mbit/s."""
    series = result.tables["media_series"]
    return np.asarray(series["t_s"]), np.asarray(series["target_bps"]) / 1e6


@pytest.mark.parametrize("rtt_ms", [50, 100])
@pytest.mark.parametrize("variant", ["webrtc", "draft"])
def test_a_call_alone_fills_its_link_and_hardly_queues(variant: str, rtt_ms: int) -> None:
    # The mean of a saw tooth from 0.85 to 1 is 0.92 of the link. `webrtc` may grow to 1.05 before
    # the slope of 20 groups exceeds the threshold, and may hold a lower rate after under-use.
    # An excess of 5 % for a second queues 50 ms; the frame itself queues 2.5 - 1 frames, 20 ms.
    rate = {"name": "gcc", "variant": variant}
    result = call(2, rtt_ms, stream={"rate_controller": rate})
    assert 0.8 <= share(result, 2) <= 1.0
    assert float(result.tables["media"]["packet_delay_p95_s"][0]) <= rtt_ms / 2e3 + 0.15
    assert float(result.tables["media"]["packets_lost"][0]) == 0


def test_probes_reach_the_link_at_once_and_growth_alone_does_not() -> None:
    # Six times 300 kbit/s is 1.8 Mbit/s. Without probes 1.08^t reaches 1.6 Mbit/s after 21.8 s.
    def reached_s(probes: str) -> float:
        rate = {"name": "gcc", "probes": probes}
        times, rates = targets(call(2, 50, seconds=60, stream={"rate_controller": rate}))
        return float(times[rates >= 1.6][0])

    assert reached_s("on") <= 2.0
    assert 18 <= reached_s("off") <= 30


def test_a_call_beside_cubic_is_starved_in_a_fifo_and_not_in_fq_codel() -> None:
    # CUBIC fills the buffer of 500 ms: over seconds the delay grows, so that over-use is detected.
    # Two flows that both want more share a fair queue evenly; the call takes 0.85 to 1 of its half.
    cubic = {"cca": "cubic", "start": "10 s"}
    fifo = call(4, 50, [cubic])
    fair = call(4, 50, [cubic], queue="fq-codel")
    assert share(fifo, 4) <= 0.35
    assert 0.5 * 0.75 <= share(fair, 4) <= 0.5 * 1.05
    assert float(fair.tables["media"]["packet_delay_p95_s"][0]) < float(
        fifo.tables["media"]["packet_delay_p95_s"][0]
    )


def test_a_source_of_10_mbps_on_5_mbps_does_not_fill_the_queue() -> None:
    # moq-dev/moq#2432: 5 Mbit/s, 100 ms, a queue of 500 ms; a good algorithm delivers nearly
    # 5 Mbit/s at a round trip near 100 ms. A bound of 0.15 s for the queue, set before the run,
    # proved wrong. The rate grows by half a packet (4.6 kbit) per 0.22 s, 21 kbit/s per second. An
    # excess x of the link's rate is reached x 5000/21 s after the link is full, with a queue of
    # half of x times that time. The detector tolerates a slope of 12.5/240, 5 %: 0.31 s.
    result = call(5, 100, stream={"max_rate": "10 Mbit/s"})
    assert 0.8 <= share(result, 5) <= 1.0
    assert float(result.tables["media"]["packet_delay_p95_s"][0]) <= 0.05 + 0.31
    assert float(result.tables["media"]["mean_packet_delay_s"][0]) <= 0.05 + 0.31 / 2


def test_two_calls_share_a_link() -> None:
    # The draft's aim (section 5.4) is fairness within the protocol; 1/4 to 3/4 allows for saw teeth
    # that differ by the factor of a decrease, and for the late start of the second.
    media = {"kind": "media", "rate_controller": "gcc", "start": "20 s", "start_rate": "300 kbit/s"}
    result = call(4, 50, [media | {"name": "second"}], seconds=300)
    rates = np.asarray(result.tables["media"]["received_bps"])
    assert 0.8 * 4e6 <= rates.sum() <= 4e6
    assert rates.min() >= 0.25 * rates.sum()


def test_random_losses_of_two_percent_cost_little() -> None:
    # Up to 5 % + 100 kbit/s over the limit count as losses of any rate.
    result = call(2, 50, seconds=90, loss=0.02)
    assert share(result, 2) >= 0.7
