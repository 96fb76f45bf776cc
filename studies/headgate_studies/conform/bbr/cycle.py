"""Appendix A of draft-ietf-ccwg-bbr: the cycle of PROBE_BW, and faults in its PROBE_UP phases."""

from collections.abc import Callable
from itertools import pairwise
from math import ceil, floor, inf, log

import numpy as np

from headgate import HeadgateError
from headgate_studies.conform.bbr.made import MadePath, MadeSender, by_hand
from headgate_studies.conform.bbr.startup import at_full_pipe
from headgate_studies.conform.bbr.track import (
    BDP,
    BETA,
    CLOSE,
    CRUISE,
    DOWN,
    HEADROOM,
    LEAST_WAIT_S,
    LONGEST_WAIT_S,
    LOSS_THRESH,
    MIN_PIPE_CWND,
    NEVER,
    PACED,
    PACKET_BITS,
    RATE,
    ROUND_S,
    UP,
    Draft,
    Phase,
    Track,
)
from headgate_studies.conform.case import RTT_S, Observation, Subject, near, together, within

#: The test cases of this module.
CASES = Draft()

PHASES = "version 1 cycles through eight phases of fixed length instead"


class Burst:
    """Loses as few segments sent in chosen PROBE_UPs as are more than 2 % of what is in flight."""

    def __init__(self, *chosen: int) -> None:
        self.chosen, self.ups, self.left = chosen, 0, 0
        self.was_up = self.done = False

    def lose(self, _: float) -> bool:
        """Say whether this one is lost."""
        lost = self.left > 0
        self.left -= lost
        return lost

    def after_ack(self, sender: MadeSender) -> None:
        """Count PROBE_UPs; in a chosen one begin once there is more than a BDP in flight."""
        up = sender.gain == UP
        if up and not self.was_up:
            self.ups, self.done = self.ups + 1, False
        self.was_up = up
        ready = up and self.ups in self.chosen and sender.in_flight > BDP + 2
        if ready and not self.done:
            self.left, self.done = floor(LOSS_THRESH * (sender.in_flight + 1)) + 1, True


class LimitedLoss:
    """Limits the application in the first PROBE_UP; two round trips later one in ten is lost."""

    def __init__(self) -> None:
        self.up_s = inf
        self.now_s, self.sent, self.over = 0.0, 0, False

    def lose(self, now_s: float) -> bool:
        """Say whether this one is lost."""
        self.sent += 1
        return not self.over and now_s > self.up_s + 2 * ROUND_S and self.sent % 10 == 0

    def after_ack(self, sender: MadeSender) -> None:
        """Limit the application while the first PROBE_UP lasts."""
        if sender.gain == UP and self.up_s == inf:
            self.up_s = sender.now_s
            sender.resume(0.4 * RATE)
        elif sender.gain != UP and self.up_s < inf and not self.over:
            self.over = True
            sender.resume(inf)


def _fly(
    cca: Subject, seconds: float, path: MadePath, after_ack: Callable[[MadeSender], None]
) -> tuple[MadeSender, Track]:
    sender = MadeSender(by_hand(cca, **NEVER[cca.name]), path, after_ack)
    return sender, sender.run(seconds)


def _one_round(track: Track, start: int, end: int, what: str) -> Observation:
    return within(len(track.round_ends(start, end + 1)), 1, 1, f"round trips {what}")


@CASES.add("bbr-up-plateau", "A.5", not_in_1=PHASES)
def _up_ends_on_plateau(cca: Subject) -> Observation:
    """Exiting PROBE_UP on Bandwidth Plateau."""
    sender, track = _fly(cca, 12, MadePath(RATE), lambda _: None)
    ends = list(track.find(UP))
    if not ends:
        raise HeadgateError("there was no PROBE_UP")
    found = [at_full_pipe(sender, down.start, "UP", up.start) for up, down in ends]
    return together(*found, *(_then(down, DOWN) for _, down in ends))


def _then(phase: Phase, gain: float) -> Observation:
    return Observation(phase.gain == gain, f"then gain {gain:g}", f"{phase.gain:g}")


@CASES.add("bbr-up-loss-app-limited", "A.6", not_in_1=PHASES)
def _up_ends_on_limited_loss(cca: Subject) -> Observation:
    """Exiting PROBE_UP on Loss When Application-Limited."""
    limit = LimitedLoss()
    sender, track = _fly(cca, 12, MadePath(RATE, lose=limit.lose), limit.after_ack)
    _, down = track.first(UP)
    # one lost of 40 in flight is more than 2 %; HandleInflightTooHigh() (§5.5.10.2) leaves
    # inflight_longterm alone for samples that the application limited: a later UP reaches 2 BDP
    second, _ = track.first(UP, float(track.t_s[down.start]))
    in_flight, lost = sender.losses[0]
    return together(
        Observation(
            down.gain in (DOWN, CRUISE),
            f"then gain {DOWN}, or {CRUISE:g} at once with less than a BDP in flight",
            f"{down.gain:g}",
        ),
        within(_losses_by(sender, down.start), 1, 1, f"lost of {in_flight:g} at its end"),
        within(lost / in_flight, LOSS_THRESH, 1, "of them"),
        within(float(np.max(track.cwnd[second.start : second.end])) / BDP, 2, 3, "BDP in later UP"),
    )


def _losses_by(sender: MadeSender, at: int) -> float:
    """Return how many segments were known to be lost at an ACK."""
    return float(sum(rate.newly_lost for rate in sender.samples[: at + 1]))


def _long_after(sender: MadeSender, at: int, cwnd: float) -> float:
    """Return BBR.inflight_longterm as HandleInflightTooHigh() sets it at an ACK (§5.5.10.2)."""
    in_flight, lost = sender.losses[int(_losses_by(sender, at)) - 1]
    prefix = (LOSS_THRESH * (in_flight - 1) - (lost - 1)) / (1 - LOSS_THRESH)
    return max(in_flight - 1 + prefix, BETA * min(BDP, cwnd))


@CASES.add("bbr-down-inflight", "A.8", not_in_1=PHASES)
def _down_ends_on_inflight(cca: Subject) -> Observation:
    """Exiting PROBE_DOWN on Inflight."""
    return together(_down_of(cca, Burst()), _down_of(cca, Burst(1)))


def _down_of(cca: Subject, burst: Burst) -> Observation:
    sender, track = _fly(cca, 6, MadePath(RATE, lose=burst.lose), burst.after_ack)
    up, down = track.first(UP)
    _, cruise = track.first(DOWN, float(track.t_s[up.start]))
    at, limits = cruise.start, [float(BDP)] * 2
    if burst.chosen:
        long = _long_after(sender, down.start, float(track.cwnd[up.end - 1]))
        longs = [long, *(_raise_inflight(long, sender, down.start, end) for end in (at, at + 1))]
        limits = [min(BDP, max(x - max(1, HEADROOM * x), MIN_PIPE_CWND)) for x in longs[1:]]
    word = "with" if burst.chosen else "without"
    return together(
        Observation(down.gain == DOWN, f"gain {DOWN} {word} losses", f"{down.gain:g}"),
        within(float(track.in_flight[at]), 0, limits[1], "in flight at its end"),
        within(float(track.in_flight[at - 1]), limits[0], inf, "just before"),
        _then(cruise, CRUISE),
    )


def _raise_inflight(long: float, sender: MadeSender, start: int, end: int) -> float:
    """Raise inflight_longterm by the samples that lost no more than 2 % (AdaptLongTermModel())."""
    for rate in sender.samples[start:end]:
        if rate.lost_since <= LOSS_THRESH * rate.then_in_flight:
            long = max(long, rate.then_in_flight)
    return long


@CASES.add("bbr-down-time", "A.9", not_in_1=PHASES)
def _down_ends_on_time(cca: Subject) -> Observation:
    """Exiting PROBE_DOWN After Max Time."""

    def slow_down(sender: MadeSender) -> None:
        if sender.gain == DOWN and sender.path.rate == RATE:
            sender.change_rate(0.9 * RATE)

    _, track = _fly(cca, 9, MadePath(RATE), slow_down)
    down, refill = track.first(DOWN)
    _, up = track.first(CRUISE, float(track.t_s[down.start]))
    seconds = float(track.t_s[refill.start] - track.t_s[down.start])
    return together(
        # it is looked at with each ACK: one more of 1/900 s
        within(seconds, LEAST_WAIT_S, LONGEST_WAIT_S + 1 / (0.9 * RATE), "s of PROBE_DOWN"),
        within(float(track.in_flight[refill.start]), BDP, inf, "in flight at its end"),
        _one_round(track, refill.start, up.start, "at gain 1"),
        _then(up, UP),
    )


@CASES.add("bbr-rate-up", "A.15")
def _ten_times_the_rate(cca: Subject) -> Observation:
    # a buffer that a probe overflows sets inflight_longterm first
    """Increasing Bandwidth 10x and Ensuring Full Bandwidth is Reached."""
    run = cca.having(**NEVER[cca.name]).run_flow(
        30,
        rate="10 Mbit/s",
        buffer="0.3 BDP" if cca.name == "bbr3" else "infinite",
        changes=[{"at": "10 s", "rate": "100 Mbit/s"}],
        interval_s=0.002,
    )
    track = Track.of(run)
    full = np.flatnonzero(track.bw > (1 - CLOSE) * 1e8 / PACKET_BITS)
    if not len(full):
        raise HeadgateError(f"no more than {track.bw.max() * PACKET_BITS / 1e6:.0f} Mbit/s found")
    if cca.name == "bbr":
        # an eighth of the time at 1.25, measured a cycle later
        cycles = log(10) / log(UP * PACED)
        rounds = float(track.t_s[full[0]] - 10) / RTT_S
        return within(rounds, 0, 8 * (ceil(cycles) + 2), "round trips to 100 Mbit/s")
    return _check_track(track, int(full[0]))


def _check_track(track: Track, full: int) -> Observation:
    up = next(phase for phase in reversed(track.phases) if phase.start <= full and phase.gain == UP)
    ends = [up.start, *track.round_ends(up.start, full + 1)]
    # Pacing at 1.25 * 0.99 of the measured rate grows by e^z per round trip, with
    # 1.2375 (e^-z - e^-2z)/z = 1: by 15 %. Steps of 1, 2, 4 ... make the window the limit until one
    # is more than that of the old BDP; from then on 15 % a round trip make up the factor of ten.
    growth, old = 0.1436, 1e7 * RTT_S / PACKET_BITS
    doubling = floor(log(growth * old, 2))
    # they sum to 2^k - 1; the round trips counted here and the algorithm's may be one apart
    filled = int(np.argmax(track.in_flight[up.start :] >= track.cwnd[up.start :])) + up.start
    limited = track.round_ends(filled, full)[:doubling]
    steps = [float(track.cwnd[at] - track.cwnd[filled]) for at in limited]
    offs = [log(1 + step, 2) - k for k, step in enumerate(steps, 1)]
    # a round trip each until the first step counts, until the last is in flight and is measured
    most = doubling + 1 + ceil(log(10) / growth) + 3
    return together(
        within(max(offs, key=abs), -1, 1, f"off steps of 1, 2, 4 ... in {doubling} round trips"),
        within(len(ends), 1, most, "round trips of UP to 100 Mbit/s"),
    )


@CASES.add("bbr-up-loss", "A.21", not_in_1="version 1 lacks inflight_longterm")
def _loss_in_up(cca: Subject) -> Observation:
    """Handling Loss During PROBE_UP After inflight_longterm is Set."""
    burst = Burst(1, 3)
    sender, track = _fly(cca, 12, MadePath(RATE, lose=burst.lose), burst.after_ack)
    ups = [pair for pair in pairwise(track.phases) if pair[0].gain == UP]
    if len(ups) < 3:
        raise HeadgateError("there were not three PROBE_UPs")
    up, down = ups[2]
    before = float(track.cwnd[up.end - 1])
    long = floor(_long_after(sender, down.start, before))
    in_flight, lost = sender.losses[int(_losses_by(sender, down.start)) - 1]
    return together(
        _then(down, DOWN),
        within(lost / in_flight, LOSS_THRESH, LOSS_THRESH + 1 / in_flight, "lost by then"),
        near(float(track.cwnd[down.end - 1]), long, 0, "segments of inflight_longterm"),
        within(long, BETA * BDP, before, "segments, less than before"),
    )


@CASES.add("bbr-refill-app-limited", "A.22", not_in_1="version 1 lacks PROBE_REFILL")
def _paused_refill(cca: Subject) -> Observation:
    """Handling Application-Limited Sending During PROBE_REFILL."""
    plain = MadeSender(by_hand(cca, **NEVER[cca.name]), MadePath(RATE)).run(8)
    up, _ = plain.first(UP)
    refill_s = float(plain.t_s[plain.round_start(up.start)])
    sender = MadeSender(by_hand(cca, **NEVER[cca.name]), MadePath(RATE))
    sender.run(refill_s)
    sender.resume(0)
    sender.run(refill_s + ROUND_S)
    sender.resume(inf)
    track = sender.run(12)
    paused = track.t_s > refill_s
    probe, after = track.first(UP, refill_s)
    first = int(np.flatnonzero(paused)[0])
    samples = sender.samples[first : after.start]
    low = [rate.per_s for rate in samples if rate.app_limited and rate.per_s > 0]
    return together(
        within(min(low, default=inf) / RATE, 0, 0.9, "of the rate in limited samples"),
        within(float(np.min(track.bw[paused])) / RATE, 0.98, 1.02, "of it as estimate"),
        _one_round(track, first - 1, probe.start, "of REFILL"),
        _then(after, DOWN),
    )
