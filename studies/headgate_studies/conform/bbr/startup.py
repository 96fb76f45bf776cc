"""Appendix A of draft-ietf-ccwg-bbr: STARTUP and DRAIN."""

import numpy as np

from headgate import HeadgateError
from headgate_studies.conform.bbr.made import MadePath, MadeSender, by_hand
from headgate_studies.conform.bbr.track import (
    CLOSE,
    CRUISE,
    DOWN,
    DRAIN,
    GROWTH,
    MIN_PIPE_CWND,
    NEVER,
    PACKET_BITS,
    RATE,
    ROUND_S,
    SLOW,
    STARTUP,
    UP,
    Draft,
    Phase,
    Track,
)
from headgate_studies.conform.case import RTT_S, Observation, Subject, near, together, within

#: The test cases of this module.
CASES = Draft()


def drain_of(track: Track) -> Phase:
    """Return the first phase that is slower than the bandwidth: DRAIN comes after STARTUP alone."""
    found = next((phase for phase in track.phases if phase.gain < 1), None)
    if found is None:
        raise HeadgateError("STARTUP never ended")
    return found


@CASES.add("bbr-startup-plateau", "A.1")
def _plateau(cca: Subject) -> Observation:
    """Exiting STARTUP on Bandwidth Plateau."""
    paths = (("10 Mbit/s", "40 ms", 10), ("100 Mbit/s", "100 ms", 100), ("1 Gbit/s", "10 ms", 1000))
    rates = []
    for rate, rtt, expected in paths:
        track = Track.of(cca.run_flow(2.5, rate=rate, rtt=rtt, interval_s=0.001))
        mbps = float(track.bw[drain_of(track).start]) * PACKET_BITS / 1e6
        rates.append(near(mbps, expected, CLOSE, "Mbit/s"))
    sender = MadeSender(by_hand(cca), MadePath(RATE))
    left = drain_of(sender.run(3)).start
    return together(*rates, at_full_pipe(sender, left, "STARTUP"))


def at_full_pipe(sender: MadeSender, left: int, state: str, start: int = 0) -> Observation:
    """Hold if a state that began at an ACK ends when the draft's full-pipe estimator says so."""
    late = left - _full_pipe(sender, start)
    expected = f"{state} ends as BBR.full_bw_count becomes 3"
    return Observation(late == 0, expected, f"{late} ACKs later" if late else "it does")


def _full_pipe(sender: MadeSender, start: int) -> int:
    """Return the ACK at which CheckFullBWReached() (§5.3.1.2) has counted to three.

    A start later than the first ACK is that of PROBE_UP, which sets the baseline (§5.3.3.7).
    """
    next_round, full_bw, count, first = 0.0, 0.0, 0, start
    if start:
        begun, first = sender.samples[start], start + 1
        next_round, full_bw = begun.delivered, begun.per_s
    for at, rate in enumerate(sender.samples[first:], first):
        if rate.per_s <= 0 or rate.prior < next_round:
            continue
        next_round = rate.delivered
        if rate.app_limited:
            continue
        if rate.per_s >= GROWTH * full_bw:
            full_bw, count = rate.per_s, 0
            continue
        count += 1
        if count == 3:
            return at
    raise HeadgateError("the bandwidth never reaches a plateau")


def _fly_limited(cca: Subject, writes: float, seconds: float, lose_from_s: float) -> MadeSender:
    """Run with an application that writes at a rate; from a time on every third segment is lost."""
    sent = 0

    def lose(now_s: float) -> bool:
        nonlocal sent
        sent += 1
        return now_s > lose_from_s and sent % 3 == 0

    sender = MadeSender(by_hand(cca, **NEVER[cca.name]), MadePath(RATE, lose=lose))
    sender.resume(writes)
    sender.run(seconds)
    return sender


@CASES.add(
    "bbr-startup-loss-app-limited", "A.2", not_in_1="version 1 leaves STARTUP on a plateau only"
)
def _leaves_on_loss(cca: Subject) -> Observation:
    # 25 segments in flight: eight places of loss in a round trip; the draft requires six
    """Exiting STARTUP on Loss When Application-Limited."""
    began_s = 1.0
    sender = _fly_limited(cca, SLOW, 2.0, began_s)
    track = sender.run(2.0)
    slow = np.flatnonzero(track.gains < STARTUP)
    after_s = float(track.t_s[slow[0]]) - began_s if len(slow) else float("inf")
    # one round trip until a loss is seen, one in recovery, and the rest of the one that it began in
    soon = within(after_s / ROUND_S, 2, 3, "round trips after the first loss")
    drained = bool(np.isfinite(sender.window.ssthresh))
    drain = Observation(drained, "DRAIN sets the threshold", "set" if drained else "not set")
    share = float(track.bw[-1]) / RATE
    return together(soon, drain, within(share, 0, 0.9, "of the rate, so no plateau of the path"))


@CASES.add(
    "bbr-drain-inflight",
    "A.3",
    not_in_1="version 1 drains at 1/2.885 and counts quanta (Linux tcp_bbr.c)",
)
def _drains(cca: Subject) -> Observation:
    """Exiting DRAIN Based on Inflight."""
    interval_s = 0.0002
    track = Track.of(cca.run_flow(2.5, interval_s=interval_s))
    drain, following = track.first(DRAIN)
    at = following.start
    # BBRInflight(1.0), in whole segments; between two samples the path gives, the sender takes
    bdp = float(np.ceil(track.bw[at] * RTT_S))
    step = float(track.bw[at]) * interval_s + 1
    return together(
        within(float(track.in_flight[at]), 0, bdp + step, "segments in flight at the end"),
        within(float(track.in_flight[at - 1]), bdp - step, np.inf, "just before"),
        _one_of(following, DOWN, CRUISE),
        Observation(drain.gain == DRAIN, f"gain {DRAIN}", f"{drain.gain}"),
    )


def _one_of(phase: Phase, *gains: float) -> Observation:
    words = " or ".join(f"{gain:g}" for gain in gains)
    return Observation(phase.gain in gains, f"then gain {words}", f"{phase.gain:g}")


def _drain_of_so_many_rounds(cca: Subject, kept: float) -> tuple[int, float]:
    """Return how many round trips DRAIN takes if the rate falls with it; in flight over the BDP."""

    def slow_down(sender: MadeSender) -> None:
        if sender.gain == DRAIN and sender.path.rate == RATE:
            sender.change_rate(kept * RATE)

    track = MadeSender(by_hand(cca, **NEVER[cca.name]), MadePath(RATE), slow_down).run(6)
    drain, following = track.first(DRAIN)
    at = following.start
    over = float(track.in_flight[at] / (track.bw[at] * ROUND_S))
    return len(track.round_ends(drain.start, at + 1)), over


@CASES.add("bbr-drain-time", "A.4", not_in_1="version 1 drains without a limit of time")
def _drain_gives_up(cca: Subject) -> Observation:
    # At half of the bandwidth a path that lost 10 % drains as it should, within three round trips;
    # "ensure inflight remains higher" takes a path that falls below that half.
    """Exiting DRAIN Based on Time."""
    rounds, over = _drain_of_so_many_rounds(cca, 0.4)
    mild, mild_over = _drain_of_so_many_rounds(cca, 0.9)
    # the pseudocode asks for a count of more than three: the fourth round trip is the last
    return together(
        within(rounds, 3, 4, "round trips in DRAIN at 0.4 of the rate"),
        within(over, 1, np.inf, "of the BDP still in flight"),
        within(mild, 0, 3, "at 0.9 of the rate"),
        within(mild_over, 0, 1.01, "of the BDP then"),
    )


@CASES.add("bbr-never-exits-app-limited", "A.7")
def _stays(cca: Subject) -> Observation:
    """Never Exiting PROBE_UP (or STARTUP) When Application-Limited With No Loss."""
    track = _fly_limited(cca, SLOW, 20.0, np.inf).run(20.0)
    least = float(np.min(track.gains[track.t_s > 1]))
    startup = within(least, STARTUP, np.inf, "the least gain in 200 round trips of STARTUP")
    if cca.name == "bbr":
        return startup  # its phases of PROBE_BW end by the clock

    def limit(sender: MadeSender) -> None:
        if sender.gain == UP and np.isinf(sender.writes):
            sender.resume(RATE / 2)

    track = MadeSender(by_hand(cca, **NEVER[cca.name]), MadePath(RATE), limit).run(20)
    up = next(phase for phase in track.phases if phase.gain == UP)
    stays = Observation(
        up.end == len(track.t_s),
        "PROBE_UP to the end",
        f"{track.t_s[up.end - 1] - track.t_s[up.start]:.1f} s of it",
    )
    return together(startup, stays)


@CASES.add("bbr-probe-rtt-in-startup", "A.20")
def _probe_rtt_in_startup(cca: Subject) -> Observation:
    # A slow application keeps it in STARTUP; a path that grows longer leaves the RTT as it was.
    """Entering and Exiting PROBE_RTT During STARTUP."""
    params: dict[str, float] = {"min_rtt_window_s": 5.0} if cca.name == "bbr" else {}
    sender = MadeSender(by_hand(cca, **params), MadePath(RATE))
    sender.resume(SLOW)
    sender.run(1)
    sender.path.rtt_s += 0.01
    sender.run(7)
    sender.resume(np.inf)
    track = sender.run(12)
    half = np.maximum(0.5 * track.bw * ROUND_S, MIN_PIPE_CWND) + 1
    [inside] = np.nonzero((track.cwnd <= half) & (track.t_s > 1) & (track.t_s < 7))
    if not len(inside):
        raise HeadgateError("there was no PROBE_RTT")
    entered, left = (float(track.t_s[at]) for at in (inside[0], inside[-1]))
    drain = drain_of(track).start
    # 0.2 s, the round trip until half is in flight and the one that it lasts at least
    return together(
        within(entered, 5, 6 + 2 * ROUND_S, "s: PROBE_RTT"),
        within(left - entered, 0.2, 0.2 + 3 * ROUND_S, "s of it"),
        within(float(track.t_s[drain]), 7, np.inf, "s: STARTUP ends"),
        near(float(track.bw[drain]), RATE, CLOSE, "segments/s found by then"),
    )
