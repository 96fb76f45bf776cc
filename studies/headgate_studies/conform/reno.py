"""Test cases of Reno: the congestion control of RFC 5681."""

import numpy as np

from headgate_studies.conform.case import RTT_S, SYN, Cases, Observation, Subject, near, within

#: The test cases of this module.
CASES = Cases()


@CASES.add("reno-halves", "RFC 5681 §3.1, equation (4)", only=("reno",))
def _reno_halves(cca: Subject) -> Observation:
    """On a loss the threshold is half of what was in flight."""
    run = cca.run_flow(3, lose=[SYN + 200], interval_s=0.001)
    return near(run.first_threshold() / run.in_flight_at_loss(), 0.5, 0.02, "of the data in flight")


@CASES.add("reno-timeout", "RFC 5681 §3.1, equation (4)", only=("reno",))
def _reno_timeout(cca: Subject) -> Observation:
    # All segments from 150 to 900 are lost, so no duplicate ACK reports the loss.
    """After a time-out the threshold is half of what was in flight."""
    run = cca.run_flow(6, lose=list(range(SYN + 150, SYN + 900)), interval_s=0.002)
    return near(run.first_threshold() / run.in_flight_at_loss(), 0.5, 0.03, "of the data in flight")


@CASES.add("reno-avoidance", "RFC 5681 §3.1, equation (3)", only=("reno",))
def _reno_avoidance(cca: Subject) -> Observation:
    """Congestion avoidance adds one segment per round trip."""
    run = cca.run_flow(8, lose=[SYN + 200])
    # one second after the loss the recovery has ended
    at = [int(np.searchsorted(run.t_s, run.t_s[run.loss_at()] + after_s)) for after_s in (1.0, 6.0)]
    grown, rounds = run.cwnd[at[1]] - run.cwnd[at[0]], 5.0 / RTT_S
    return near(float(grown / rounds), 1.0, 0.05, "segments per round trip")


@CASES.add("reno-slow-start", "RFC 5681 §3.1, equation (2)", only=("reno",))
def _reno_slow_start(cca: Subject) -> Observation:
    """Slow start adds a segment for each that is acknowledged: the window doubles."""
    run = cca.run_flow(0.9, rate="10 Gbit/s", interval_s=RTT_S / 10)
    step = 10  # samples in a round trip
    ratio = run.cwnd[3 * step :: step] / run.cwnd[2 * step : -step : step]
    return within(float(np.min(ratio)), 1.9, 2.0 + 1e-9, "times the window of a round trip before")
