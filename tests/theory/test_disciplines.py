"""Queue disciplines against what follows from their equations.

If a controller sums its error up, the mean queue is the reference by construction; RED's queue
is the fixed point of its line and of Reno's response; shares follow from who is served when.
"""

import numpy as np
import pytest

from headgate import Result, Scenario

RATE_BPS, PACKET_BITS = 10**7, 12_000
PACKETS_PER_S = RATE_BPS / PACKET_BITS
PACKET_S = 1 / PACKETS_PER_S


def run(
    queue: object, traffic: list[dict[str, object]], span: tuple[str, str], **given: object
) -> Result:
    """Run over 10 Mbit/s; `span` is the warm-up and the whole; `given` are keys of the network."""
    network = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "50 ms", "buffer": "500 packets"}
    transport = given.pop("transport", "default")
    return Scenario.from_dict(
        {
            "seed": given.pop("seed", 1),
            "duration": span[1],
            "network": {**network, "queue": queue, **given},
            "transport": transport,
            "traffic": [{"kind": "flows", **part} for part in traffic],
            "measure": {"warmup": span[0], "series": {"interval": "20 ms"}},
        }
    ).run()


def port(result: Result, column: str) -> float:
    return float(result.ports[column][result.ports["link"] == "bottleneck"][0])


def waits(result: Result, after_s: float) -> np.ndarray:
    """Seconds that a packet would wait: those before it, and half of the one in service."""
    series = result.series
    rows = (series["name"] == "bottleneck") & (series["t_s"] > after_s)
    return (series["queue_packets"][rows] + 0.5) * PACKET_S


def red_fixed_point(flows: int, rtt_s: float, low: float, high: float, max_p: float) -> float:
    """Give the queue at which RED's drops hold Reno to the line.

    Gaps between drops are uniform from 1/p to 2/p, so one in 1.5/p is dropped; windows of
    sqrt(1.5/p) fill path and queue.
    """
    queues = np.linspace(low, high, 100_001)[1:]
    dropped = max_p * (queues - low) / (high - low) / 1.5
    over = flows * np.sqrt(1.5 / dropped) - PACKETS_PER_S * rtt_s - queues
    return float(queues[np.argmax(over < 0)])


def test_reds_mean_queue_is_the_fixed_point_of_its_line_and_renos_response() -> None:
    queue = {"name": "red", "min": "10 packets", "max": "90 packets", "weight": 0.002}
    result = run(queue, [{"cca": "reno", "count": 10}], ("30 s", "150 s"), rtt="100 ms")
    due = red_fixed_point(10, 0.1, 10, 90, 0.1)
    # sqrt(1.5/p) holds for regular losses; 10 % of the window are 20 % of p and of the queue
    assert port(result, "mean_queue_packets") == pytest.approx(due, rel=0.2)
    assert port(result, "utilisation") > 0.95


def test_pie_holds_the_wait_at_its_target() -> None:
    ccas = [{"cca": "reno", "count": 6}]
    means = [np.mean(waits(run("pie", ccas, ("50 s", "150 s"), seed=s), 50)) for s in range(1, 5)]
    # 6667 updates add 0.125/2 (wait - 15 ms) each and p moves by less than 0.02: the mean error is
    # below 0.05 ms, but for times when p is below 0.01 and errors count a quarter
    assert float(np.mean(means)) == pytest.approx(0.015, rel=0.1)


def test_pi_holds_the_queue_at_its_reference() -> None:
    result = run("pi", [{"cca": "reno", "count": 6}], ("200 s", "500 s"))
    # 51 000 updates add 6e-8 (q - 50) each, and p moves by some thousandths: one packet or two
    assert port(result, "mean_queue_packets") == pytest.approx(50, abs=5)


def test_adaptive_red_holds_its_queue_within_the_middle_of_its_band() -> None:
    queue = {"name": "ared", "min": "20 packets", "max": "60 packets"}
    for count in (4, 16):
        result = run(queue, [{"cca": "reno", "count": count}], ("50 s", "150 s"))
        # max_p rests while the mean is within 36 and 44; steps overshoot by about as much
        assert 30 < port(result, "mean_queue_packets") < 50, count


def test_codel_keeps_the_standing_queue_near_its_target() -> None:
    result = run("codel", [{"cca": "reno", "count": 4}], ("10 s", "60 s"))
    held = waits(result, 10)
    least = held[: held.size // 5 * 5].reshape(-1, 5).min(axis=1)  # over intervals of 100 ms
    # drops begin when the least wait of an interval is above, and four flows of 50 ms add some
    # eight packets (9.6 ms) in the next one before they feel it
    assert float(np.median(least)) < 0.005 + 0.0096
    plain = run("drop_tail", [{"cca": "reno", "count": 4}], ("10 s", "60 s"), buffer="500 packets")
    assert float(np.median(held)) < float(np.median(waits(plain, 10))) / 5


def shares(queue: object, flows: list[dict[str, object]], **given: object) -> list[float]:
    result = run(queue, flows, ("10 s", "60 s"), **given)
    return [float(rate) / RATE_BPS for rate in result.flows["goodput_bps"]]


def round_trips_s(queue: object) -> float:
    """Time a window of 20 packets takes if 300 come the other way and 260 of them wait."""
    windows = [{"receive_window": "20 packets"}, {"receive_window": "300 packets"}]
    flows: list[dict[str, object]] = [
        {"cca": "reno", "reverse": back, "transport": window} for back, window in enumerate(windows)
    ]
    result = run(queue, flows, ("10 s", "40 s"), access="direct")
    return 20 * 8 * 1460 / float(result.flows["goodput_bps"][0])


def test_acks_with_priority_wait_for_the_packet_in_service_alone() -> None:
    # 50 ms, 1.2 ms for the data, 0.03 ms for the ACK; the packet in service takes another 0 to
    # 1.2 ms, and ACKs of a burst that wait together leave one after the other
    assert 0.05123 <= round_trips_s("ack-priority") <= 0.05123 + PACKET_S + 20 * 32e-6
    # in one queue it waits for all of them as well: 300 less 42 under way
    assert round_trips_s("drop_tail") == pytest.approx(0.05123 + 258 * PACKET_S, rel=0.05)


def test_processor_sharing_gives_two_flows_equal_shares() -> None:
    windows = {"buffer": "infinite", "transport": {"receive_window": "300 packets"}}
    flows: list[dict[str, object]] = [
        {"cca": "reno", "rtt": "10 ms"},
        {"cca": "reno", "rtt": "200 ms"},
    ]
    # both always have packets here: 300 less than 200 ms of half the line; 40 B of 1500 are headers
    near, far = shares("ps", flows, rtt="10 ms", **windows)
    assert near == pytest.approx(0.5 * 1460 / 1500, rel=0.002)
    assert far == pytest.approx(near, rel=0.002)
    # by arrival each gets as much as its window over its round trip
    near, far = shares("drop_tail", flows, rtt="10 ms", **windows)
    assert near > 1.2 * far


def first_packets(queue: str) -> float:
    """Mean time until flows of one packet are there, beside four endless ones."""
    short = {"kind": "poisson", "cca": "reno", "size": "1 packets", "arrivals": "5 flows/s"}
    result = run(queue, [{"cca": "reno", "count": 4}, short], ("10 s", "60 s"))
    times = result.flows["fct_receiver_s"][result.flows["size_packets"] == 1]
    return float(np.nanmean(times))


@pytest.mark.parametrize("queue", ["cake", "cnq-codel-af", "fq-codel", "fq-pie"])
def test_fair_queues_let_flows_that_just_began_pass_by(queue: str) -> None:
    # a round trip for the handshake, half a one for the packet and its own 1.2 ms; either way the
    # packet in service is waited for (0.6 ms), seldom another short flow, and a turn of an old one
    # never
    assert 0.0762 <= first_packets(queue) < 0.0762 + 2 * PACKET_S
    assert first_packets("drop_tail") > 0.2


@pytest.mark.parametrize("queue", ["cake", "fq-codel", "fq-pie"])
def test_fair_queues_share_equally_among_algorithms(queue: str) -> None:
    reno, scalable = shares(queue, [{"cca": "reno"}, {"cca": "scalable"}])
    # each uses a separate queue and its control; Reno, halved from a full pipe, loses a quarter at
    # most
    assert reno > 0.75 * 0.5
    assert scalable < 0.6


def test_red_with_ecn_marks_and_nothing_is_sent_again() -> None:
    queue = {"name": "red", "min": "10 packets", "max": "90 packets", "weight": 0.002, "ecn": "on"}
    flows: list[dict[str, object]] = [{"cca": "reno", "count": 5}]
    gently = {"initial_ssthresh": "10 packets"}  # the mean shall not overshoot, as RED drops then
    result = run(queue, flows, ("20 s", "80 s"), transport={"ecn": True, **gently})
    assert port(result, "marks") > 50
    assert port(result, "drops") == 0
    assert result.flows["retransmissions"].sum() == 0
    plain = run({**queue, "ecn": "off"}, flows, ("20 s", "80 s"), transport=gently)
    # a mark and a drop are the same to the window (RFC 3168): the same queue, within its spread
    drops, marks = port(plain, "drops"), port(result, "marks")
    assert marks == pytest.approx(drops, rel=0.2)


def test_a_sender_answers_once_a_window_however_many_marks_there_are() -> None:
    everything = {"name": "threshold", "mark": "20 packets"}
    flows: list[dict[str, object]] = [{"cca": "reno"}]
    result = run(everything, flows, ("10 s", "60 s"), transport={"ecn": True})
    # a queue above 20 marks most of a window at once; answered one by one the window would be two
    # segments and the line would rest, answered once it halves from 42 + 20 packets
    assert port(result, "marks") > 50
    assert float(result.flows["mean_cwnd_packets"][0]) > 0.7 * (PACKETS_PER_S * 0.05 + 20)


@pytest.mark.parametrize("capable", [False, True])
def test_acks_are_marked_by_choice(capable: bool) -> None:
    # 833 ACKs of 40 B a second meet a line for 625
    links = [
        {"ends": ["left", "right"], "rate": "20 Mbit/s"},
        {"ends": ["right", "left"], "rate": "200 kbit/s"},
    ]
    given = {
        "duration": "10 s",
        "network": {
            "kind": "graph",
            "directed": True,
            "delay": "20 ms",
            "buffer": "100 packets",
            "routers": [{"name": "left"}, {"name": "right"}],
            "links": links,
            "queue": {"name": "threshold", "mark": "5 packets"},
        },
        "transport": {"ecn": True, "ecn_acks": capable},
        "traffic": [{"kind": "flows", "cca": "reno", "source": "left", "receiver": "right"}],
    }
    ports = Scenario.from_dict(given).run().ports
    marks = {str(name): int(n) for name, n in zip(ports["from"], ports["marks"], strict=True)}
    assert (marks["right"] > 0) == capable
