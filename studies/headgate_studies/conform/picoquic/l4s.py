"""Transfers of 4 MB through picoquic's DualQ: time, losses, and the variation of the round trip."""

from __future__ import annotations

import warnings
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from headgate import HeadgateWarning, Scenario, StoredTrace, Trace
from headgate_studies.conform.case import FlowRun, Observation, Subject, together, within
from headgate_studies.conform.picoquic.compete import SIZE, dualq
from headgate_studies.conform.picoquic.suite import (
    L4S,
    MORE_S,
    PACKET,
    STORED,
    Link,
    Picoquic,
    judge_time,
    make_scenario,
    write_rate,
)

#: The test cases of this module.
CASES = Picoquic(L4S)
LINK = Link()
#: Bytes in both queues: 10 ms at 10 Mbit/s, by which the buffer of 20 ms exceeds the delay of 10 ms
#: (`dualq_params_init`; a byte takes 0.839 us there).
LIMIT = 11_920
#: Requests after the first, each of which takes a round trip.
REQUESTS = 3
#: Weight of a sample in the variation of the round trip (RFC 9002 section 5.3), and in its mean.
OF_VARIATION, OF_MEAN = 1 / 4, 1 / 8
#: At 2 Mbit/s from 1 to 3 s.
UP_AND_DOWN = [
    {"at": "1 s", "rate": write_rate(2_000_000)},
    {"at": "3 s", "rate": write_rate(10_000_000)},
]


def measure_variation(samples_s: list[float]) -> float:
    """Return the variation of the round trip after samples in order (RFC 9002 section 5.3)."""
    mean_s, variation_s = samples_s[0], samples_s[0] / 2
    for sample_s in samples_s[1:]:
        variation_s += OF_VARIATION * (abs(mean_s - sample_s) - variation_s)
        mean_s += OF_MEAN * (sample_s - mean_s)
    return variation_s


def _run(scenario: Scenario) -> tuple[FlowRun, float]:
    """Run a scenario. Returns it and the last variation of the first flow's round trip."""
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore", HeadgateWarning)
        run = FlowRun(scenario.run(out=folder, trace=Trace(flows=["main"])))
        parts = list(StoredTrace(folder).parts())
    samples = np.concatenate([part["rtt_s"][part["event"] == "rtt_sample"] for part in parts])
    return run, measure_variation([float(sample) for sample in samples])


def _transfer(
    cca: Subject, most_s: float, most_lost: int, variation_ms: float, **keys: Any
) -> Observation:
    flow = LINK.flow("main", dict(cca.keys), SIZE)
    queue = {"buffer": f"{LIMIT // PACKET} packets", "queue": dualq(variation_ms)}
    given = make_scenario([flow], LINK.network(**queue, **keys), most_s + MORE_S)
    given["transport"] = {**given["transport"], "ecn": "on"}
    run, found_s = _run(Scenario.from_dict(given))
    lost = run.count("retransmissions")["retransmissions"]
    return together(
        judge_time(run, most_s, REQUESTS * 2 * LINK.delay_us / 1e6),
        within(lost, 0, most_lost, "sent again"),
        within(found_s * 1e3, 0, variation_ms, "ms of variation in the end"),
    )


@CASES.add("l4s-reno", "l4s_reno_test", of="reno")
def _reno(cca: Subject) -> Observation:
    """4 MB at 10 Mbit/s, 20 ms, DualQ: complete in 5.6 s, 45 sent again, a variation of 3 ms."""
    return _transfer(cca, 5.6, 45, 3)


@CASES.add("l4s-prague", "l4s_prague_test", of="prague")
def _prague(cca: Subject) -> Observation:
    """4 MB at 10 Mbit/s, 20 ms, DualQ: complete in 4.1 s, 9 sent again, a variation of 4.5 ms."""
    return _transfer(cca, 4.1, 9, 4.5)


@CASES.add("l4s-bbr", "l4s_bbr_test", of="bbr3")
def _bbr(cca: Subject) -> Observation:
    """4 MB at 10 Mbit/s, 20 ms, DualQ: complete in 3.8 s, 21 sent again, a variation of 3 ms."""
    return _transfer(cca, 3.8, 21, 3)


@CASES.add("l4s-prague-updown", "l4s_prague_updown_test", of="prague")
def _prague_updown(cca: Subject) -> Observation:
    """The same, 2 Mbit/s from 1 to 3 s: in 6.3 s, 55 sent again, a variation of 6 ms."""
    return _transfer(cca, 6.3, 55, 6, changes=UP_AND_DOWN, **STORED)


@CASES.add("l4s-bbr-updown", "l4s_bbr_updown_test", of="bbr3")
def _bbr_updown(cca: Subject) -> Observation:
    """The same, 2 Mbit/s from 1 to 3 s: in 5.8 s, 69 sent again, a variation of 3 ms."""
    return _transfer(cca, 5.8, 69, 3, changes=UP_AND_DOWN, **STORED)
