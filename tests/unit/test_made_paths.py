"""Synthetic paths, and the measurements of the conformance suite's sender on them."""

import numpy as np
import pytest

from headgate.plugin import Builtin, builtin
from headgate_studies.conform.bbr.made import Bucket, MadePath, MadeSender


class Fixed:
    """An algorithm that leaves the window as it is."""

    gauge = 1.0

    def __init__(self) -> None:
        self.lost = 0

    def on_start(self, _now_s: float, _path: object, window: object) -> None:
        window.pace = 200.0  # type: ignore[attr-defined]

    def on_ack(self, *_: object) -> None: ...

    def on_recovery_ack(self, *_: object) -> None: ...

    def on_segment_lost(self, *_: object) -> None:
        self.lost += 1

    def on_congestion(self, *_: object) -> None: ...

    def on_restart(self, *_: object) -> None: ...


def sender(path: MadePath) -> MadeSender:
    return MadeSender(Fixed(), path)  # type: ignore[arg-type]


def test_ten_in_flight_are_delivered_in_a_round_trip() -> None:
    flow = sender(MadePath(rate=1000.0))
    track = flow.run(10.0)
    # a window of 10 each 101 ms, 0.1 s and a segment's time; paced at 200/s it is spread over half
    assert track.delivered[-1] / 10 == pytest.approx(10 / 0.101, rel=0.02)
    rates = [rate.per_s for rate in flow.samples[50:]]
    assert np.mean(rates) == pytest.approx(10 / 0.101, rel=0.1)
    assert max(rates) <= 200.0  # capped by the rate of sending


def test_a_queue_serves_at_the_new_rate_from_the_change_on() -> None:
    flow = sender(MadePath(rate=100.0))
    flow.run(5.0)
    before = flow.delivered
    flow.change_rate(10.0)
    flow.run(15.0)
    # a round trip of what was on its way at the old rate, then 10 a second
    assert before + 0.1 * 100 + 9.9 * 10 == pytest.approx(flow.delivered, abs=3)


def test_a_policer_passes_its_burst_and_then_its_rate() -> None:
    bucket = Bucket(rate=10.0, burst=5.0)
    passed = [bucket.passes(0.01 * tick) for tick in range(106)]
    assert sum(passed) == 5 + 10  # the burst, and the tokens of 1.05 s
    assert all(passed[:5])


def test_every_lost_segment_is_reported_once() -> None:
    lost = iter([False] * 50 + [True, False, True] + [False] * 10_000)
    flow = sender(MadePath(rate=1000.0, lose=lambda _: next(lost)))
    flow.run(3.0)
    assert flow.cca.lost == flow.path.dropped == 2  # type: ignore[attr-defined]
    assert [since for _, since in flow.losses] == [1.0, 2.0]


def test_samples_after_a_pause_are_limited_by_the_application() -> None:
    flow = sender(MadePath(rate=1000.0))
    flow.run(1.0)
    flow.resume(0)
    flow.run(3.0)
    assert flow.in_flight == 0
    before = len(flow.samples)
    flow.resume(np.inf)
    flow.run(5.0)
    limited = [rate.app_limited for rate in flow.samples[before:]]
    assert limited[0]
    assert not any(limited[10:])  # only the segments sent before the first ACK


def test_slots_bring_acks_together() -> None:
    flow = sender(MadePath(rate=1000.0, slot_s=0.05))
    track = flow.run(3.0)
    assert np.allclose(track.t_s / 0.05, np.round(track.t_s / 0.05))
    assert max(rate.newly for rate in flow.samples) > 3


def test_an_algorithm_of_the_catalogue_is_an_object() -> None:
    cca = builtin("bbr3", variant="linux-v3", probe_wait_s=3.0)
    assert isinstance(cca, Builtin)
    with pytest.raises(ValueError, match="parameters"):
        Builtin(0, [])
