"""STARTUP and DRAIN: round trips, losses, and the queue that they leave."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from headgate import HeadgateError
from headgate_studies.conform.bbr.made import MadeSender
from headgate_studies.conform.bbr.track import GROWTH
from headgate_studies.conform.case import Observation, Subject, near, together, within
from headgate_studies.conform.quiche.flight import (
    STEADY,
    Flight,
    feed,
    fly,
    look_at,
    name_state,
)
from headgate_studies.conform.quiche.network import MIB, PACKET, Feeder, SwitchPath, Topology
from headgate_studies.conform.quiche.suite import Quiche, exactly

#: The test cases of this module.
CASES = Quiche()
SIZE = 12 * MIB
#: In quiche, DRAIN paces at the reciprocal of the gain of STARTUP.
DRAIN_GAIN = 1 / 2.885


@dataclass
class Exit:
    """The end of STARTUP: the ACK with which the pace falls below the bandwidth."""

    sender: Feeder
    flight: Flight

    @property
    def rounds(self) -> list[int]:
        """The round trip, from 0, of each ACK until the last (draft, §5.5.1)."""
        number, next_round, rounds = 0, 0.0, []
        for rate in self.sender.samples:
            if rate.prior >= next_round:
                next_round, number = rate.delivered, number + 1
            rounds.append(number)
        return rounds

    def count_since(self, growth: float) -> int:
        """Return the round trips since the bandwidth last grew by more than that factor."""
        largest, since = 0.0, 0
        for at, bw in enumerate(self.flight.track.bw):
            if bw > growth * largest:
                largest, since = float(bw), at
        rounds = self.rounds[-len(self.flight.track.bw) :]
        return rounds[-1] - rounds[since]

    def count_flat(self) -> int:
        """Count the last round trips without a growth of 25 %."""
        bw, rounds = self.flight.track.bw, self.rounds
        ends = [at for at in range(1, len(bw)) if rounds[at] != rounds[at - 1]]
        base, flat = 0.0, 0
        for at in ends:
            grows = bw[at] >= GROWTH * base
            base, flat = (float(bw[at]), 0) if grows else (base, flat + 1)
        return flat

    def enters_drain(self) -> Observation:
        """Hold if DRAIN follows."""
        return Observation(self.flight.state == "DRAIN", "then DRAIN", self.flight.state)


def leave(cca: Subject, topology: Topology, most_s: float = 5.0) -> Exit:
    """Send until STARTUP ends. Raises HeadgateError if it does not in that time."""
    sender = feed(cca, topology.path(), SIZE)
    while sender.gain >= 1 or not sender.rows:
        if sender.now_s >= most_s or (sender.number and not sender.events):
            raise HeadgateError("STARTUP never ended")
        sender.advance(sender.events[0][0] if sender.events else sender.now_s)
    return Exit(sender, look_at(sender))


def _normal(cca: Subject) -> Observation:
    """STARTUP ends with no loss and the bandwidth (1 %) after three round trips without growth."""
    left = leave(cca, Topology())
    return together(
        left.enters_drain(),
        exactly(left.count_flat(), 3, "round trips with less than 25 % of growth"),
        left.flight.loses(0),
        left.flight.finds(0.01),
    )


CASES.add("startup", "NormalStartup")(_normal)


@CASES.add("startup-rounds", "NormalStartup")
def _rounds(cca: Subject) -> Observation:
    """STARTUP ends three round trips after the bandwidth last grew by 0.1 %."""
    return exactly(leave(cca, Topology()).count_since(1.001), 3, "round trips since growth")


#: By option: factor of growth, round trips since then, round trips with less than 25 %.
QUICK = {
    "B207": (1.0, 1, 1, "a persistent queue ends STARTUP"),
    "B207andB205": (1.0, 1, 2, "the same, and the window of STARTUP contains the aggregation"),
    "BB2S": (1.001, 2, 2, "the least data in flight of two round trips ends STARTUP"),
}


def _register_quick() -> None:
    for option, (growth, since, flat, meaning) in QUICK.items():

        def check(
            cca: Subject, growth: float = growth, since: int = since, flat: int = flat
        ) -> Observation:
            left = leave(cca, Topology())
            return together(
                left.enters_drain(),
                exactly(left.count_since(growth), since, "round trips since growth"),
                exactly(left.count_flat(), flat, "with less than 25 % of it"),
                left.flight.finds(0.01),
                left.flight.loses(0),
            )

        CASES.add(
            f"startup-{option.lower()}",
            f"NormalStartup{option}",
            f"STARTUP ends {since} round trips after the last growth; option {option}: {meaning}",
        )(check)


_register_quick()


def _on_loss(cca: Subject) -> tuple[Observation, ...]:
    left = leave(cca, Topology(queue_bdp=0.5))
    return (
        left.enters_drain(),
        within(left.count_since(1.0), 0, 2, "round trips since growth"),
        exactly(left.count_flat(), 1, "with less than 25 % of it"),
        within(left.sender.lost, 1, inf, "lost"),
    )


def find_long(cca: Subject) -> float:
    """Return inflight_longterm after STARTUP, in the test's BDP: the window in the first REFILL.

    The window is min(2 BDP + extra_acked, inflight_longterm), so that of an unbounded flow is 2.
    """
    flight = fly(cca, Topology(queue_bdp=0.5), SIZE, 6.0)
    up = next((p for p in flight.track.phases if name_state(p.gain) == "UP"), None)
    if up is None:
        raise HeadgateError("there was no PROBE_UP")
    return float(flight.track.cwnd[up.start - 1]) * PACKET / flight.topology.bdp


@CASES.add("startup-loss", "ExitStartupDueToLoss")
def _leaves_on_loss(cca: Subject) -> Observation:
    """With half a BDP of buffer losses end STARTUP; inflight_hi is more than 1.2 BDP."""
    long = within(find_long(cca), 1.2, inf, "BDP of inflight_hi")
    return together(*_on_loss(cca), long)


@CASES.add("startup-loss-b2sl", "ExitStartupDueToLossB2SL")
def _leaves_on_loss_b2sl(cca: Subject) -> Observation:
    """The same; option B2SL: inflight_hi is the BDP (10 %), not what was delivered."""
    return together(*_on_loss(cca), near(find_long(cca), 1.0, 0.1, "BDP of inflight_hi"))


@CASES.add("startup-loss-b2ne", "ExitStartupDueToLossB2NE")
def _leaves_at_once(cca: Subject) -> Observation:
    """If any loss is too much, STARTUP ends in the round trip of the first one; option B2NE."""
    left = leave(cca.having(loss_threshold=0.0), Topology(queue_bdp=0.5))
    return together(
        left.enters_drain(),
        exactly(left.count_since(1.0), 0, "round trips since growth"),
        exactly(left.count_flat(), 0, "with less than 25 % of it"),
        within(left.sender.lost, 1, inf, "lost"),
    )


def _queue_of(sender: MadeSender) -> int:
    """Return the bytes that wait at the switch now."""
    path = sender.path
    assert isinstance(path, SwitchPath)
    return PACKET * sum(start > sender.now_s for start in path.starts)


@CASES.add("drain-pace", "Drain")
def _drain_pace(cca: Subject) -> Observation:
    """DRAIN paces at the reciprocal of the gain of STARTUP, 1/2.885 of the bandwidth (1 %)."""
    sender = leave(cca, Topology()).sender
    return near(sender.window.pace / sender.cca.gauge, DRAIN_GAIN, 0.01, "of the bandwidth")


@CASES.add("drain", "Drain")
def _drain(cca: Subject) -> Observation:
    """STARTUP fills 0.95 BDP of queue, DRAIN leaves at most one, and later srtt is the RTT."""
    topology = Topology()
    sender = leave(cca, topology).sender
    filled = _queue_of(sender)
    waits_s = filled * 8 / topology.test.bps
    rtt_s = sender.samples[-1].rtt_s
    seen: list[tuple[float, int, float]] = []
    sender.after_ack = lambda s: seen.append((s.gain, _queue_of(s), s.srtt_s))
    started = len(sender.rows)
    track = sender.run(12.0)
    over = next(at for at, (gain, _, _) in enumerate(seen) if name_state(gain) != "DRAIN")
    ups = [p for p in track.phases if name_state(p.gain) == "UP"]
    offset = len(sender.rows) - len(track.t_s)
    refills = [track.round_start(up.start) + offset - started for up in ups]
    drained = started + over - offset
    late = [at for at in refills if len(track.round_ends(drained, at + drained - over)) >= 4]
    if not late:
        raise HeadgateError("there was no PROBE_REFILL after four round trips")
    return together(
        within(filled / topology.bdp, 0.95, inf, "BDP of queue after STARTUP"),
        near(rtt_s * 1e3, (topology.rtt_s + waits_s) * 1e3, 0.1, "ms as RTT"),
        Observation(
            name_state(seen[over][0]) in STEADY, "then PROBE_BW", name_state(seen[over][0])
        ),
        within(seen[over][1] / topology.bdp, 0, 1, "BDP of queue after DRAIN"),
        near(float(np.array(seen)[late[0], 2]) * 1e3, topology.rtt_s * 1e3, 0.1, "ms as srtt"),
    )
