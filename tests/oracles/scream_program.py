"""SCReAMv2 as the pseudocode of its draft, line by line, for comparison with the engine.

It shares no code with the engine. `python -m tests.oracles.scream_program` writes the windows and
rates that `crates/headgate-algos/src/media/scream/tests.rs` compares. Names are those of
draft-johansson-ccwg-rfc8298bis-screamv2 (working copy of version 07, commit 00d8f51).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

PROGRAM = (
    Path(__file__).parents[2]
    / "crates"
    / "headgate-algos"
    / "src"
    / "media"
    / "scream"
    / "program.txt"
)
MSS, FRAME_PERIOD, START_BPS = 1200.0, 0.02, 2.4e6
TARGET_BITRATE_MIN, TARGET_BITRATE_MAX = 1e5, 1e8
QDELAY_TARGET, VIRTUAL_RTT = 0.06, 0.025


@dataclass
class Unit:
    """A data unit of a report: lost, or its one-way delay and whether it is marked."""

    is_lost: bool
    is_marked: bool
    delay_s: float
    rtt_s: float


@dataclass
class Sender:
    """The variables of the draft."""

    is_l4s: bool = True
    has_dev_norm: bool = True
    ref_wnd: float = 0.0
    ref_wnd_i: float = 1.0
    s_rtt: float = 0.0
    l4s_alpha: float = 0.0
    qdelay: float = 0.0
    qdelay_avg: float = 0.0
    qdelay_dev_norm: float = 0.0
    qdelay_dev_norm_th: float = 0.1
    delivered: int = 0
    marked: int = 0
    loss_detected: bool = False
    data_units_marked: bool = False
    rate_adjust_factor: float = 0.0
    frame_size_dev: float = 0.0
    max_bytes_in_flight: float = 0.0
    max_bytes_in_flight_prev: float = 0.0
    target_bitrate: float = START_BPS
    pace_bitrate: float = 0.0
    send_window: float = 0.0
    start_s: float = 1.0
    times: dict[str, float] = field(default_factory=dict)
    minutes: dict[int, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Begin all times at the start of the stream."""
        names = ("alpha", "qdelay_avg", "congestion", "reaction", "ref_wnd_i", "rtt")
        self.times = dict.fromkeys(names, self.start_s)

    def frame(self, media_qdelay: float, frame_size: float) -> None:
        """Section "Media Rate Control", for each new media frame."""
        error = (media_qdelay - FRAME_PERIOD / 4) / FRAME_PERIOD
        self.rate_adjust_factor = min(0.5, max(0.0, self.rate_adjust_factor + error * 1 / 16))
        nominal = self.target_bitrate * FRAME_PERIOD / 8
        deviation = max(0.0, (frame_size - nominal) / nominal)
        self.frame_size_dev = min(0.2, (1 - 1 / 64) * self.frame_size_dev + 1 / 64 * deviation)
        if self.s_rtt > 0:
            self.set_rates()

    def note_flight(self, now: float, bytes_in_flight: float) -> None:
        """Keep the greatest bytes in flight of this and of the previous round trip."""
        if now - self.times["rtt"] > self.s_rtt:
            self.max_bytes_in_flight_prev = self.max_bytes_in_flight
            self.max_bytes_in_flight = 0.0
            self.times["rtt"] = now
        self.max_bytes_in_flight = max(self.max_bytes_in_flight, bytes_in_flight)

    def feedback(self, now: float, units: list[Unit], before: float, after: float) -> None:
        """Handle a report."""
        arrived = [unit for unit in units if not unit.is_lost]
        minute = int(now // 60)
        for unit in arrived:
            self.minutes[minute] = min(self.minutes.get(minute, unit.delay_s), unit.delay_s)
        if arrived:
            last = arrived[-1]
            kept = sorted(self.minutes)[-10:]
            self.qdelay = last.delay_s - min(self.minutes[key] for key in kept)
            first = self.s_rtt == 0
            self.s_rtt = last.rtt_s if first else 7 / 8 * self.s_rtt + 1 / 8 * last.rtt_s
        if self.s_rtt == 0:
            return
        if self.ref_wnd == 0:
            self.ref_wnd = max(3000.0, START_BPS * self.s_rtt / 8)
        self.note_flight(now, before)
        self.detect(now, arrived, lost=len(arrived) < len(units))
        ratio = min(1.0, MSS / self.ref_wnd)
        self.update_qdelay_avg(now, ratio)
        scl_t = self.reduce(now)
        acked_ce = MSS * sum(unit.is_marked for unit in arrived)
        self.increase(now, max(0.0, before - after - acked_ce), scl_t)
        self.set_rates()

    def detect(self, now: float, arrived: list[Unit], *, lost: bool) -> None:
        """Count lost and marked data units, and update l4s_alpha."""
        self.loss_detected = self.loss_detected or lost
        self.data_units_marked = self.data_units_marked or any(u.is_marked for u in arrived)
        self.delivered += len(arrived)
        self.marked += sum(unit.is_marked for unit in arrived)
        if now - self.times["alpha"] >= min(0.01, self.s_rtt) and self.delivered > 0:
            fraction_marked_t = self.marked / self.delivered
            if fraction_marked_t >= self.l4s_alpha:
                self.l4s_alpha = 1 / 8 * fraction_marked_t + (1 - 1 / 8) * self.l4s_alpha
            else:
                self.l4s_alpha = (1 - 1 / 128) * self.l4s_alpha
            self.times["alpha"], self.delivered, self.marked = now, 0, 0

    def update_qdelay_avg(self, now: float, ratio: float) -> None:
        """Section "Detecting Increased Queue Delay"."""
        if now - self.times["qdelay_avg"] < min(VIRTUAL_RTT, self.s_rtt):
            return
        if self.qdelay < self.qdelay_avg:
            self.qdelay_avg = self.qdelay
        else:
            self.qdelay_avg = 1 / 4 * self.qdelay + (1 - 1 / 4) * self.qdelay_avg
        self.qdelay_dev_norm_th = max(0.05, 0.1 * (1 - ratio / 0.1))
        tmp = max(0.0, min(self.qdelay_dev_norm_th * 1.5, (self.qdelay - 0.025 / 4) / 0.025))
        self.qdelay_dev_norm = (1 - 1 / 64) * self.qdelay_dev_norm + 1 / 64 * tmp
        self.times["qdelay_avg"] = now

    def calm(self) -> float:
        """Return the factor by qdelay_dev_norm; 1 without the optional code."""
        th = self.qdelay_dev_norm_th
        return (th - self.qdelay_dev_norm) / th if self.has_dev_norm else 1.0

    def reduce(self, now: float) -> float:
        """Section "Reference Window Reduction"; return scl_t."""
        scl_t = (8 * (self.ref_wnd - self.ref_wnd_i) / self.ref_wnd_i) ** 2
        scl_t = max(0.1, min(1.0, scl_t))
        if self.loss_detected or self.data_units_marked:
            self.times["congestion"] = now
        if now - self.times["reaction"] < min(VIRTUAL_RTT, self.s_rtt):
            return scl_t
        is_loss_t = self.loss_detected
        is_ce_t = not is_loss_t and self.data_units_marked
        is_virtual_ce_t = not is_loss_t and not is_ce_t and self.qdelay_avg > QDELAY_TARGET / 2
        if not (is_loss_t or is_ce_t or is_virtual_ce_t):
            return scl_t
        if now - self.times["ref_wnd_i"] > 10 * self.s_rtt:
            self.times["ref_wnd_i"], self.ref_wnd_i = now, self.ref_wnd
        if is_loss_t:
            self.ref_wnd *= 0.7
        if is_ce_t and self.is_l4s:
            self.back_off_l4s(now, scl_t)
        elif is_ce_t:
            self.ref_wnd *= 0.8
        if is_virtual_ce_t:
            half = QDELAY_TARGET / 2
            l4s_alpha_v_t = min(1.0, max(0.0, (self.qdelay_avg - half) / half))
            self.ref_wnd *= 1 - l4s_alpha_v_t / 2 / max(1.0, self.s_rtt / VIRTUAL_RTT)
        self.ref_wnd = max(3000.0, self.ref_wnd)
        self.times["reaction"] = now
        self.loss_detected = self.data_units_marked = False
        return scl_t

    def back_off_l4s(self, now: float, scl_t: float) -> None:
        """React to marks in L4S mode."""
        backoff_t = self.l4s_alpha / 2
        backoff_t /= max(1.0, self.s_rtt / VIRTUAL_RTT)
        if self.qdelay < QDELAY_TARGET * 0.25:
            backoff_t *= max(0.25, scl_t)
            backoff_t *= max(0.1, self.calm())
        if now - self.times["reaction"] > 100 * max(VIRTUAL_RTT, self.s_rtt):
            self.ref_wnd = min(self.ref_wnd, self.max_bytes_in_flight_prev)
        self.ref_wnd *= 1 - backoff_t

    def increase(self, now: float, newly_acked: float, scl_t: float) -> None:
        """Section "Reference Window Increase"."""
        span = 100 * max(VIRTUAL_RTT, self.s_rtt)
        post_congestion_scale_t = max(0.0, min(1.0, (now - self.times["congestion"]) / span))
        increment_t = newly_acked * min(1.0, MSS / self.ref_wnd)
        increment_t *= min(1.0, self.s_rtt / VIRTUAL_RTT)
        increment_t *= max(0.25, scl_t)
        increment_t *= max(0.1, self.calm())
        tmp_t = 1.0 + (0.02 * self.ref_wnd) / MSS
        increment_t *= 1.0 + (tmp_t - 1.0) * post_congestion_scale_t * scl_t
        greatest = max(self.max_bytes_in_flight, self.max_bytes_in_flight_prev)
        max_allowed_t = MSS + greatest * 1.5
        ref_wnd_t = self.ref_wnd + increment_t
        if ref_wnd_t <= max_allowed_t and self.target_bitrate < TARGET_BITRATE_MAX:
            self.ref_wnd = ref_wnd_t

    def set_rates(self) -> None:
        """Sections "Media Rate Control", "Packet Pacing" and "Send Window Calculation"."""
        tmp_t = 1.0 - min(0.2, max(0.0, min(1.0, MSS / self.ref_wnd) - 0.1))
        tmp_t *= MSS / (MSS + 20)
        tmp_t /= 1.2 + self.rate_adjust_factor + self.frame_size_dev
        target = tmp_t * 8 * self.ref_wnd / self.s_rtt
        self.target_bitrate = min(TARGET_BITRATE_MAX, max(TARGET_BITRATE_MIN, target))
        nominal_rate_t = self.target_bitrate / TARGET_BITRATE_MAX
        pace_rate_scale_t = min(1.0, (nominal_rate_t - 0.8) / (1.0 - 0.8))
        pace_rate_scale_t = min(1.0, max(1.0 / 4.0, 1.0 - pace_rate_scale_t))
        self.pace_bitrate = max(50_000.0, self.target_bitrate) * 1.5 / pace_rate_scale_t
        self.send_window = self.ref_wnd * (1.5 + (3.0 - 1.5) * max(0.0, self.calm()))


class Lcg:
    """The linear congruential generator of Knuth's MMIX."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def draw(self) -> float:
        """Return a number of [0, 1)."""
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return float(self.state >> 33) / 2**31


def drive(seed: int, sender: Sender) -> list[tuple[float, float, float, float]]:
    """Return window, target, pacing and send window after every 100 of 1000 random steps."""
    lcg, now, kept = Lcg(seed), 1.0, []
    for step in range(1, 1001):
        now += 0.001 + 0.019 * lcg.draw()
        queue_delay = 0.03 * lcg.draw()
        sender.frame(queue_delay, sender.target_bitrate * FRAME_PERIOD / 8 * (0.5 + lcg.draw()))
        packets = 1 + int(8.0 * lcg.draw())
        in_flight = 1200.0 * packets * (1.0 + 20.0 * lcg.draw())
        sender.note_flight(now, in_flight)
        queueing = (0.002 if step % 400 < 200 else 0.08) * lcg.draw()
        units = []
        for _ in range(packets):
            is_lost, is_marked = lcg.draw() < 0.002, lcg.draw() < 0.05
            sent = now - 0.03 - queueing
            units.append(Unit(is_lost, is_marked, now - 0.015 - sent, now - sent))
        sender.feedback(now, units, in_flight, in_flight - 1200.0 * packets)
        if step % 100 == 0:
            rates = (sender.target_bitrate, sender.pace_bitrate, sender.send_window)
            kept.append((sender.ref_wnd, *rates))
    return kept


def run() -> str:
    """Return the lines of all variants."""
    senders = [Sender(), Sender(is_l4s=False), Sender(has_dev_norm=False)]
    rows = [row for seed, sender in enumerate(senders, 1) for row in drive(seed, sender)]
    return "".join(" ".join(map(repr, row)) + "\n" for row in rows)


if __name__ == "__main__":
    PROGRAM.write_text(run(), encoding="utf-8")
