"""Applications that pause or write in bursts, and single events of a sender."""

from __future__ import annotations

from math import inf

import numpy as np

from headgate import HeadgateError
from headgate_studies.conform.bbr.track import HALF, MIN_PIPE_CWND, Track
from headgate_studies.conform.case import Observation, Subject, together, within
from headgate_studies.conform.quiche.flight import (
    count_packets,
    feed,
    look_at,
    name_state,
)
from headgate_studies.conform.quiche.network import MIB, PACKET, PAYLOAD, Feeder, Topology
from headgate_studies.conform.quiche.suite import Quiche, exactly

#: The test cases of this module.
CASES = Quiche()
#: Bytes of a small burst, and the time between two of them.
BURST, PAUSE_S = 512, 3.0
#: Data of a transfer that leaves STARTUP, and its longest time.
DRIVE, DRIVE_S = MIB, 15.0


def drive_out(sender: Feeder) -> Observation:
    """Send 1 MiB in 15 s, which has to leave STARTUP with the bandwidth known to 2 %."""
    began_s = sender.now_s
    sender.offer(count_packets(DRIVE))
    took_s = sender.finish(began_s + DRIVE_S) - began_s
    flight = look_at(sender)
    return together(
        within(took_s, 0, DRIVE_S, "s of 1 MiB"), flight.ends_steady(), flight.finds(0.02)
    )


def send_bursts(sender: Feeder, count: int, size: float, pause_s: float) -> Observation:
    """Send that many bursts of some bytes; all have to be sent by the next one."""
    unsent = 0.0
    for _ in range(count):
        sender.offer(count_packets(size))
        sender.advance(sender.now_s + pause_s)
        unsent = max(unsent, sender.left)
    sender.advance(sender.now_s + pause_s)
    return exactly(unsent, 0, "packets of a burst not sent before the next one")


def _limited_now(sender: Feeder, expected: bool) -> Observation:
    limited = sender.samples[-1].app_limited
    words = ("not limited", "limited")
    text = f"the last sample is {words[expected]} by the application"
    return Observation(limited == expected, text, words[limited])


def _start(cca: Subject) -> Feeder:
    return feed(cca, Topology().path())


@CASES.add("bursts-later", "ApplicationLimitedBursts")
def _bursts_later(cca: Subject) -> Observation:
    """1 MiB, then 20 bursts of 512 B each 3 s: the bandwidth remains (1 %)."""
    sender = _start(cca)
    drive = drive_out(sender)
    before = _limited_now(sender, expected=False)
    bursts = send_bursts(sender, 20, BURST, PAUSE_S)
    after = _limited_now(sender, expected=True)
    return together(drive, before, bursts, after, look_at(sender).finds(0.01))


@CASES.add("bursts-first", "ApplicationLimitedBurstsWithoutPrior")
def _bursts_first(cca: Subject) -> Observation:
    """40 bursts of 512 B each 3 s, then 1 MiB finds the bandwidth (1 %)."""
    sender = _start(cca)
    bursts = send_bursts(sender, 40, BURST, PAUSE_S)
    limited = _limited_now(sender, expected=True)
    drive = drive_out(sender)
    unlimited = _limited_now(sender, expected=False)
    return together(bursts, limited, drive, unlimited, look_at(sender).finds(0.01))


def _find_refill(cca: Subject) -> float:
    """Return when the first PROBE_REFILL begins, if there is always data to send."""
    sender = _start(cca)
    sender.offer(inf)
    track = sender.run(12.0)
    up = next((p for p in track.phases if name_state(p.gain) == "UP"), None)
    if up is None:
        raise HeadgateError("there was no PROBE_UP")
    return float(track.t_s[track.round_start(up.start)])


def _run_to(cca: Subject, until_s: float) -> Feeder:
    """Send without a pause, until the application has nothing left at that time."""
    sender = _start(cca)
    sender.offer(inf)
    sender.advance(until_s)
    sender.left = 0.0
    sender.resume(0)
    return sender


@CASES.add("gain-cycling", "InFlightAwareGainCycling")
def _cycles(cca: Subject) -> Observation:
    """PROBE_UP lasts while the application writes a tenth of the rate; 1.4 BDP end it and DOWN."""
    topology = Topology()
    sender = _run_to(cca, _find_refill(cca))
    tenth = 0.1 * topology.bottleneck_bps * 0.3 / 8
    seen: list[Observation] = []
    for half in ("middle", "end"):
        bursts = send_bursts(sender, 5, tenth, 0.3)
        flight = look_at(sender)
        up = Observation(flight.state == "UP", f"UP in the {half}", flight.state)
        seen += [bursts, up, flight.finds(0.02)]
    sender.offer(count_packets(1.4 * topology.bdp * PAYLOAD / PACKET))
    down = _wait_for(sender, "DOWN", 5.0)
    sender.advance(sender.now_s + 0.75 * sender.min_rtt_s)
    state = name_state(sender.gain)
    cruise = Observation("CRUISE" in state, "CRUISE 0.75 min_rtt later", state)
    return together(*seen, down, cruise)


def _wait_for(sender: Feeder, state: str, most_s: float) -> Observation:
    """Run until the sender is in a state; hold if that takes no longer than a time."""
    began_s = sender.now_s
    while name_state(sender.gain) != state and sender.now_s < began_s + most_s and sender.events:
        sender.advance(max(sender.now_s, sender.events[0][0]))
    now = name_state(sender.gain)
    return Observation(now == state, f"{state} in {most_s:g} s", now)


@CASES.add("loss-only", "LossOnlyCongestionEvent")
def _loses_only(cca: Subject) -> Observation:
    """A loss without an ACK leaves the bandwidth (1 %) as it is."""
    sender = _start(cca)
    drive = drive_out(sender)
    bursts = send_bursts(sender, 20, BURST, PAUSE_S)
    sender.offer(count_packets(50 * MIB))
    limit_s = sender.now_s + 5
    while not sender.in_flight and sender.now_s < limit_s:
        sender.advance(sender.now_s + 0.001)
    in_flight = within(sender.in_flight, 1, inf, "in flight")
    before = look_at(sender)
    found = before.estimates(0.01)
    sender.lose_oldest()
    after = look_at(sender).mbps()
    same = Observation(after == before.mbps(), "the same after the loss", f"{after:.4g} Mbit/s")
    return together(drive, bursts, in_flight, found, same)


def _find_probe_rtt(track: Track, min_rtt_s: float) -> int:
    """Return the first sample after 3 s whose window is that of PROBE_RTT, half a BDP.

    Raises HeadgateError if there is none.
    """
    small = np.maximum(HALF * track.bw * min_rtt_s, MIN_PIPE_CWND) + 1
    [inside] = np.nonzero((track.cwnd <= small) & (track.t_s > 3))
    if not len(inside):
        raise HeadgateError("there was no PROBE_RTT")
    return int(inside[0])


@CASES.add("probe-rtt-quiescence", "ProbeRttAfterQuiescenceImmediatelyExits")
def _leaves_probe_rtt(cca: Subject) -> Observation:
    """PROBE_RTT begins in 15 s; the first packet after a pause of 5 s in it ends it."""
    sender = _start(cca)
    sender.offer(inf)
    track = sender.run(DRIVE_S)
    at = _find_probe_rtt(track, sender.min_rtt_s)
    entered_s, before = float(track.t_s[at]), float(track.cwnd[at - 1])
    paused = _run_to(cca, entered_s + 1e-6)
    paused.advance(entered_s + 1)
    inside = paused.window.cwnd
    quiet = exactly(paused.in_flight, 0, "in flight during the pause")
    paused.advance(entered_s + 6)
    still = within(paused.window.cwnd, 0, inside, "segments of window until the end of the pause")
    paused.offer(1)
    return together(
        within(entered_s, 0, DRIVE_S, "s: PROBE_RTT"),
        within(inside, 0, 0.6 * before, "segments of window in it"),
        quiet,
        still,
        within(paused.window.cwnd, before, inf, "segments with the first packet"),
    )
