"""A port fed by a Poisson stream of equal packets is the queue M/D/1.

The customers are the SYNs of flows of one packet. They leave hosts that sit directly on the router,
so they reach its port at the very instants of the Poisson process. They are made large (20 kB, one
millisecond of the line) and all else small: the data packet that follows each of them a round trip
later weighs 2 B, an ACK 1 B, and only the way forward is loaded.
"""

import pytest

from headgate import Result, dumbbell

from .replicates import replicate

SERVICE_S = 1e-3
SYN_BYTES, DATA_BYTES = 20_000, 2
RATE_BPS = 160e6
RTT_S = 0.1
WARMUP_S = 20.0

#: Load -> customers in a replicate, and replicates. The mean wait of n customers scatters by about
#: 1 / ((1 - load) sqrt(n)) of itself, so high loads need more of both.
SIZES = {0.3: (50_000, 10), 0.5: (80_000, 10), 0.7: (150_000, 10), 0.9: (400_000, 16)}

#: The greatest width of an interval, as a share of the wait: a wider one would prove nothing.
WIDEST = 0.03


def run(load: float, customers: int, seed: int) -> Result:
    per_s = load / SERVICE_S
    scenario = dumbbell(
        rate="160 Mbit/s",
        rtt="100 ms",
        buffer="infinite",
        access="direct",
        duration=f"{customers / per_s + WARMUP_S} s",
        transport={
            "syn": f"{SYN_BYTES} B",
            "segment": "1 B",
            "header": "1 B",
            "ack": "1 B",
            "syn_timeout": "10 s",  # no SYN waits that long, so none is sent twice
        },
        flows=[
            {
                "kind": "poisson",
                "cca": "reno",
                "arrivals": f"{per_s} flows/s",
                "size": "1 packets",
            }
        ],
        measure={"warmup": f"{WARMUP_S} s", "flows": "none", "series": "none"},
    )
    return scenario.run(seed=seed)


def mean_wait_s(load: float) -> float:
    """Pollaczek and Khinchine over both kinds of packet: lambda E[S^2] / (2 (1 - load)).

    A data packet comes a round trip of 100 services after its SYN was served, when the queue has
    forgotten that SYN; so it meets the queue as a stranger does, and both kinds wait alike. Its
    own 100 ns of service change load and wait by one part in 10^4.
    """
    per_s = load / SERVICE_S
    services_s = [8 * size / RATE_BPS for size in (SYN_BYTES, DATA_BYTES)]
    offered = per_s * sum(services_s)
    return per_s * sum(s * s for s in services_s) / (2 * (1 - offered))


def test_the_closed_form_is_that_of_md1() -> None:
    for load in SIZES:
        textbook_s = load * SERVICE_S / (2 * (1 - load))
        assert mean_wait_s(load) == pytest.approx(textbook_s, rel=2e-3)


@pytest.mark.parametrize("load", SIZES)
def test_packets_wait_as_long_as_in_md1(load: float) -> None:
    # It fails if the port serves at another rate, counts the packet in service as waiting (one
    # service more, at load 0.3 five times the wait), or if arrivals are no Poisson process: with
    # exponential services, M/M/1, the wait is twice as long; with a regular stream there is none.
    customers, seeds = SIZES[load]
    wait_s = replicate(
        lambda seed: float(run(load, customers, seed).ports["mean_wait_s"][0]), seeds
    )
    expected_s = mean_wait_s(load)
    assert wait_s.half_width < WIDEST * expected_s
    assert wait_s.misses(expected_s) == 0


def test_queue_and_wait_obey_littles_law() -> None:
    # mean_queue is the sum of waits over time, max_queue is counted at arrivals: were either wrong
    # by the packet in service, the mean would be off by the load and the least queue would be 1.
    ports = run(0.5, 80_000, seed=1).ports
    arrival_rate = ports["arrivals"][0] / ports["elapsed_s"][0]
    assert ports["mean_queue_packets"][0] == pytest.approx(
        arrival_rate * ports["mean_wait_s"][0], rel=1e-3
    )
    assert ports["drops"][0] == 0


def test_a_line_behind_another_of_the_same_rate_has_no_queue_of_customers() -> None:
    # Departures of M/D/1 are spaced by a service at least, so the SYN-ACKs that answer find their
    # line free; only 1 B ACKs wait there, each less than one service. With half the packets ACKs,
    # the mean wait is below half a service at any load; on the way forward it is 4.5 of them at
    # load 0.9.
    ports = run(0.9, 50_000, seed=1).ports
    assert ports["mean_wait_s"][1] < SERVICE_S / 2
    assert ports["mean_wait_s"][0] > 4 * SERVICE_S
