"""QUIC (RFC 9002) by hand, by formulas, and against a slow program made from its text."""

from __future__ import annotations

import heapq
import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.traced import run_traced

from headgate import Result, Scenario, Trace
from headgate.base.errors import InterruptedRunError
from headgate.data.tables import Table
from headgate.engine.api import simulate
from headgate.engine.run.options import RunOptions
from headgate.engine.run.progress import Progress, StopRunError

from .quic_program import PS, Range, Receiver, Sender, ps

RTT_S = 0.1
#: A packet lasts 0.12 ms, and a window of ten 1.2 ms.
PACKET_S = 0.12e-3
#: The first packet of a connection carries no data.
FIRST = 1
NETWORK = {
    "kind": "dumbbell",
    "rate": "100 Mbit/s",
    "rtt": "100 ms",
    "buffer": "infinite",
    "access": "direct",
}
FLOWS = Trace(flows=["all"])


def scenario(
    size: str | None,
    cca: Any = "reno",
    duration: str = "30 s",
    count: int = 1,
    transport: dict[str, Any] | None = None,
    **network: Any,
) -> Scenario:
    flows: dict[str, Any] = {"kind": "flows", "cca": cca, "name": "bulk", "count": count}
    return Scenario.from_dict(
        {
            "duration": duration,
            "measure": {"warmup": "0 s"},
            "transport": {"preset": "quic"} | (transport or {}),
            "network": NETWORK | network,
            "traffic": [flows | ({"size": size} if size else {})],
        }
    )


def completion_s(result: Result) -> float:
    return float(result.flows["fct_receiver_s"][0])


def counts(result: Result) -> list[int]:
    return [int(result.flows[name][0]) for name in ("retransmissions", "recoveries", "timeouts")]


def test_a_first_window_takes_one_and_a_half_round_trips() -> None:
    result = scenario("10 packets").run(seed=1)
    assert completion_s(result) == pytest.approx(1.5 * RTT_S + 10 * PACKET_S, abs=3 * PACKET_S)


@pytest.mark.parametrize(("packets", "rounds"), [(30, 2), (70, 3), (150, 4)])
def test_windows_double_and_are_paced(packets: int, rounds: int) -> None:
    """A window of w packets leaves within w / (1.25 w / rtt) = 0.8 RTT, ten of them at once."""
    result = scenario(f"{packets} packets").run(seed=1)
    least = (rounds + 0.5) * RTT_S
    assert least < completion_s(result) < least + 0.8 * RTT_S + packets * PACKET_S
    assert counts(result) == [0, 0, 0]


def test_a_lost_packet_is_repaired_in_a_round_trip() -> None:
    """The eighth packet reveals the loss of the fifth, which soon leaves again."""
    whole = completion_s(scenario("10 packets").run(seed=1))
    result = scenario("10 packets", lose=[FIRST + 5]).run(seed=1)
    assert counts(result) == [1, 1, 0]
    assert completion_s(result) == pytest.approx(whole + RTT_S, abs=10 * PACKET_S)


def test_the_last_packet_is_repaired_after_a_probe_timeout() -> None:
    """A probe leaves one timeout after the last packet; its ACK reveals the loss.

    Both probes repeat the only segment in flight.
    Each sample is about 100 ms: the first leaves rttvar at 50 ms, and each later one takes off a
    quarter. Of ten packets nine arrive. Four ACKs answer two each, the last one waits 25 ms.
    """
    result = scenario("10 packets", lose=[FIRST + 10]).run(seed=1)
    rttvar_s = RTT_S / 2 * 0.75**5
    timeout_s = RTT_S + 4 * rttvar_s + 0.025
    assert completion_s(result) == pytest.approx(
        RTT_S + timeout_s + RTT_S / 2 + 10 * PACKET_S, abs=0.005
    )
    assert counts(result) == [2, 1, 1]


def test_a_lost_probe_doubles_the_timeout() -> None:
    one = completion_s(scenario("10 packets", lose=[FIRST + 10]).run(seed=1))
    both_probes = scenario("10 packets", lose=[FIRST + n for n in (10, 11, 12)]).run(seed=1)
    rttvar_s = RTT_S / 2 * 0.75**5
    timeout_s = RTT_S + 4 * rttvar_s + 0.025
    assert completion_s(both_probes) == pytest.approx(one + 2 * timeout_s, abs=0.005)


def test_a_lost_first_packet_is_repeated_after_999_ms() -> None:
    """Section 6.2.2: 333 ms, and four times half of it. The window stays at ten."""
    whole = completion_s(scenario("10 packets").run(seed=1))
    late = scenario("10 packets", lose=[FIRST]).run(seed=1)
    assert completion_s(late) == pytest.approx(whole + 0.999, abs=1e-6)


def mean_window(loss: float, seed: int, packets: float) -> float:
    """Return the packets of a round trip under random loss, over about `packets` packets."""
    duration_s = round(packets / (1.22 / math.sqrt(loss)) * RTT_S)
    result = scenario(None, duration=f"{duration_s} s", loss=loss).run(seed=seed)
    return float(result.flows["delivered_packets"][0]) * RTT_S / duration_s


def test_the_rate_under_rare_losses_follows_the_square_root() -> None:
    """Windows are 1.31/p^0.5 for independent losses (Ott et al. 1996), 1.22/p^0.5 for periodic.

    Each loss costs half a window until the flight has fallen to the new window, and 2.5 round trips
    without growth. At a window of 40 with a loss every 26 round trips these are some percent.
    """
    window = mean_window(0.001, seed=1, packets=3e6)
    assert 0.9 * 1.31 / math.sqrt(0.001) < window < 1.31 / math.sqrt(0.001)


def test_the_rate_under_frequent_losses_is_that_of_the_program() -> None:
    """The program uses the same path and other random numbers; 2000 losses err by 1 to 2 %."""
    measured = np.mean([mean_window(0.01, seed, 4e5) for seed in (1, 2, 3)])
    assert measured == pytest.approx(simulate_program(0.01, 2000), rel=0.04)


def simulate_program(loss: float, duration_s: int, seed: int = 7) -> float:
    """Return the packets of a round trip of the program on a path with random loss."""
    chance = np.random.default_rng(seed)
    sender, receiver, one_way = Sender(10**9), Receiver(), ps(RTT_S / 2)
    arrivals: list[tuple[int, int, bool, Any]] = []
    sender.establish(2 * one_way, 2 * one_way)
    sent, acked, count = 0, 0, itertools.count()
    while True:
        for at, number, _ in sender.sent[sent:]:
            if chance.random() >= loss:
                heapq.heappush(arrivals, (at + one_way, next(count), False, number))
        sent = len(sender.sent)
        for ack in receiver.acks[acked:]:
            heapq.heappush(arrivals, (ack.at + one_way, next(count), True, ack))
        acked = len(receiver.acks)
        timers = [t for t in (receiver.due_at, sender.next_timer()) if t is not None]
        now = min([*timers, *(entry[0] for entry in arrivals[:1])])
        if now > duration_s * PS:
            return len(sender.delivered) * RTT_S / duration_s
        if arrivals and arrivals[0][0] == now:
            _, _, is_ack, packet = heapq.heappop(arrivals)
            if is_ack:
                sender.acknowledge(now, packet.ranges, packet.delay)
            else:
                receiver.receive(now, packet)
        else:
            receiver.wait(now + 1)
            sender.wait(now + 1)


# --- digests ---


def busy() -> Scenario:
    return Scenario.from_dict(
        {
            "duration": "3 s",
            "measure": {"warmup": "0.5 s"},
            "network": {"kind": "abilene", "rate": "0.05 Gbit/s", "buffer": "10 packets"},
            "transport": {"preset": "quic", "ecn": True},
            "traffic": [
                {"kind": "web", "cca": cca, "users": 300, "think": "1 s", "size": "60 packets"}
                for cca in ("reno", "cubic", "bbr3", "vegas")
            ],
        }
    )


def test_any_number_of_threads_gives_the_same_digest() -> None:
    results = [busy().run(seed=2, threads=threads) for threads in (1, 2, 3)]
    assert results[0].ports["drops"].sum() > 100
    digests = {result.digest for result in results}
    assert len(digests) == 1


def test_a_resumed_run_has_the_same_digest(tmp_path: Path) -> None:
    def stop(now: Progress) -> None:
        if now.time_s > 1.0:
            raise StopRunError

    with pytest.raises(InterruptedRunError):
        simulate(busy(), tmp_path, stop, options=RunOptions(threads=3))
    resumed = simulate(busy(), tmp_path, options=RunOptions(threads=2))
    assert resumed.meta["resumed"]
    assert resumed.meta["digest"] == busy().run().meta["digest"]


# --- ECN ---


@pytest.mark.parametrize("cca", ["reno", "cubic", "dctcp", "prague"])
def test_marks_replace_losses(cca: str) -> None:
    transport = {"ecn": True}
    made = scenario(
        None, cca, "20 s", 2, transport, rate="20 Mbit/s", rtt="40 ms", queue="threshold",
        buffer="4 BDP",
    )  # fmt: skip
    result = made.run(seed=1)
    assert result.ports["drops"].sum() == 0
    assert result.ports["marks"][0] > 100
    arrived = int(result.responses["segments_marked"][0])
    known = float(result.flows["marked_total_packets"].sum())
    assert 0 <= arrived - known <= 100  # ACKs on their way, of a path of 67 packets
    assert result.flows["goodput_bps"].sum() > 0.8 * 20e6 * 1437 / 1500


def test_a_path_that_bleaches_disables_ecn() -> None:
    made = scenario(
        None, "reno", "10 s", 1, {"ecn": True}, rate="20 Mbit/s", rtt="40 ms", queue="threshold",
        buffer="4 BDP", impairments=["ecn-bleach"],
    )  # fmt: skip
    result = made.run(seed=1)
    assert result.ports["drops"][0] > 0
    assert result.ports["marks"][0] < 20


# --- the program ---


def compare_with_program(made: Scenario, folder: Path) -> list[Sender]:
    """Compare ACKs and packets of each flow with the program: times, numbers, segments."""
    events = run_traced(made, folder, FLOWS)[2]
    profile = made.transport.resolved
    senders = []
    for flow in np.unique(events["flow"]).tolist():
        mine = Table("events", {name: events[name][events["flow"] == flow] for name in events})
        acks = follow_receiver(mine, profile)
        senders.append(follow_sender(mine, acks, int(profile["max_ack_delay"])))
    return senders


def ranges_of(row: dict[str, Any]) -> list[Range]:
    found = [(int(row["stamp"]), int(row["seq"]) - 1)]
    for number in (1, 2, 3):
        if not math.isnan(row[f"sack{number}_to"]):
            first = row[f"sack{number}_from"]  # which is missing if it is 0
            found.append((int(np.nan_to_num(first)), int(row[f"sack{number}_to"]) - 1))
    return found


def rows(events: Table) -> list[dict[str, Any]]:
    names = (
        "t_s",
        "event",
        "seq",
        "stamp",
        *(f"sack{n}_{e}" for n in "123" for e in ("from", "to")),
    )
    columns = [events[name].tolist() for name in names]
    return [dict(zip(names, values, strict=True)) for values in zip(*columns, strict=True)]


def follow_receiver(
    events: Table, profile: dict[str, Any]
) -> dict[tuple[int, tuple[Range, ...]], int]:
    """Check the ACKs that leave. Return the delay of each, by the time at which it left."""
    receiver = Receiver(
        int(profile["max_ack_delay"]), profile["ack_every"], profile["ack_reordering"]
    )
    left = []
    for row in rows(events):
        if row["event"] == "received":
            receiver.receive(ps(row["t_s"]), int(row["seq"]))
        elif row["event"] == "ack_sent":
            left.append((ps(row["t_s"]), ranges_of(row)))
    receiver.wait(ps(events["t_s"].max()))
    expected = [(ack.at, ack.ranges) for ack in receiver.acks]
    for ours, theirs in zip(expected, left, strict=False):
        assert ours[1] == theirs[1]
        assert abs(ours[0] - theirs[0]) < 10
    assert abs(len(expected) - len(left)) <= 1
    return {tuple(ack.ranges): ack.delay for ack in receiver.acks}


def follow_sender(events: Table, delays: dict[Any, int], max_ack_delay: int) -> Sender:
    """Check the packets that leave."""
    sender = Sender(10**9, max_ack_delay)
    opened, sent, last = 0, [], 0
    for row in rows(events):
        at = ps(row["t_s"])
        match row["event"]:
            case "syn_sent":
                opened = at
            case "established":
                sender.establish(at, at - opened)
            case "acknowledged":
                ranges = ranges_of(row)
                sender.acknowledge(at, ranges, delays[tuple(ranges)])
            case "sent" | "retransmitted":
                sent.append((at, int(row["seq"]), int(row["stamp"])))
                last = at
    sender.wait(last + 1)
    expected = [packet for packet in sender.sent if packet[0] <= last + 5]
    for number, (ours, theirs) in enumerate(zip(expected, sent, strict=False)):
        assert ours[1:] == theirs[1:], number
        assert abs(ours[0] - theirs[0]) < 10, number
    assert len(expected) == len(sent) > 50
    return sender


LOSSY: dict[str, Any] = {"rate": "20 Mbit/s", "rtt": "40 ms", "buffer": "0.5 BDP"}


@pytest.mark.parametrize(
    ("transport", "network"),
    [
        ({}, {}),
        ({}, {"loss": 0.02}),
        ({}, {"loss": 0.1, "reverse": {"loss": 0.1}}),
        ({"ack_every": 10, "ack_reordering": 3}, {"loss": 0.02, "reverse": {"loss": 0.2}}),
        ({"ack_every": 4, "ack_reordering": 0, "max_ack_delay": "100 ms"}, {"loss": 0.02}),
        ({}, {"impairments": [{"name": "jitter", "mean_s": 0.01, "order": "free"}]}),
    ],
)
def test_the_program_of_the_rfc_agrees(
    tmp_path: Path, transport: dict[str, Any], network: dict[str, Any]
) -> None:
    made = scenario(None, "reno", "5 s", 2, transport, **LOSSY, **network)
    senders = compare_with_program(made, tmp_path / "out")
    assert sum(sender.recoveries for sender in senders) > 0


def test_the_program_of_the_rfc_agrees_over_outages(tmp_path: Path) -> None:
    """Long rows of losses make persistent congestion."""
    bursts = {"name": "gilbert-elliott", "to_bad": 0.001, "to_good": 0.05}
    made = scenario(None, "reno", "20 s", 2, **LOSSY, impairments=[bursts])
    senders = compare_with_program(made, tmp_path / "out")
    assert sum(sender.collapses for sender in senders) > 0
