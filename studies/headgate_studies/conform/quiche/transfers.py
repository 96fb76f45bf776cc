"""Transfers of 12 MiB: bandwidth, losses and round trips at their end."""

from headgate_studies.conform.bbr.made import by_hand
from headgate_studies.conform.case import Observation, Subject, near, together, within
from headgate_studies.conform.quiche.flight import Flight, feed_until_sent, fly
from headgate_studies.conform.quiche.network import (
    MIB,
    PACKET,
    Feeder,
    Topology,
    policed,
)
from headgate_studies.conform.quiche.suite import Quiche

#: The test cases of this module.
CASES = Quiche()
SIZE = 12 * MIB
#: Initial window in bytes, and the round trip that quiche assumes at first.
FIRST_WINDOW, INITIAL_RTT_S = 10 * PACKET, 0.1
#: Longest transfer of most tests, and how long it may run on here.
MOST_S, RUN_S = 35, 40
#: Options whose test is the same transfer, and what they change in BBRv2.
SAME_TRANSFER = {
    "B2RC": "no coexistence with Reno",
    "B206": "fewer losses end STARTUP",
    "B207": "a persistent queue ends STARTUP",
    "BBRB": "aggregation is at most what was sent",
    "BBR4": "the filter of aggregation lasts 20 round trips",
    "BBR5": "the filter of aggregation lasts 40 round trips",
    "BBQ1": "STARTUP paces at 2.773",
}


@CASES.add("transfer", "SimpleTransfer")
def _transfer(cca: Subject) -> Observation:
    """12 MiB in 30 s without a loss; srtt at most twice the round trip."""
    flight = fly(cca, Topology(), SIZE, RUN_S)
    rtt_s = flight.topology.rtt_s
    return together(
        flight.takes(30),
        flight.ends_steady(),
        flight.loses(0),
        near(flight.srtt_s * 1e3, rtt_s * 1e3, 1.0, "ms as srtt"),
    )


@CASES.add("transfer-first-pace", "SimpleTransfer")
def _first_pace(cca: Subject) -> Observation:
    """The first pace is 2.885 initial windows in the assumed round trip of 100 ms."""
    sender = Feeder(by_hand(cca), Topology().path(rtt_s=INITIAL_RTT_S))
    expected = 2.885 * FIRST_WINDOW * 8 / INITIAL_RTT_S / 1e6
    return near(sender.window.pace * PACKET * 8 / 1e6, expected, 0.01, "Mbit/s at first")


def _long_transfer(cca: Subject) -> Observation:
    flight = fly(cca, Topology(), SIZE, RUN_S)
    return together(
        flight.takes(MOST_S),
        flight.ends_steady(),
        flight.finds(0.01),
        flight.loses(0.05),
        flight.measures(4, 0.2),
    )


for _option, _meaning in SAME_TRANSFER.items():
    CASES.add(
        f"transfer-{_option.lower()}",
        f"SimpleTransfer{_option}",
        f"12 MiB in 35 s at 4 Mbit/s (1 %), at most 5 % lost; option {_option}: {_meaning}",
    )(_long_transfer)


def _small_buffer(cca: Subject) -> Observation:
    flight = fly(cca, Topology(queue_bdp=0.5), SIZE, RUN_S)
    return together(flight.takes(30), flight.ends_steady(), flight.finds(0.02))


CASES.add(
    "transfer-small-buffer",
    "SimpleTransferSmallBuffer",
    "12 MiB in 30 s at 4 Mbit/s (2 %) with a buffer of half a BDP",
)(_small_buffer)
CASES.add(
    "transfer-small-buffer-b2h2",
    "SimpleTransferSmallBufferB2H2",
    "12 MiB in 30 s at 4 Mbit/s (2 %) with a buffer of half a BDP; option B2H2: inflight_hi is"
    " at most what was delivered",
)(_small_buffer)


@CASES.add("transfer-aggregation", "SimpleTransfer2RTTAggregationBytes")
def _aggregated(cca: Subject) -> Observation:
    """12 MiB in 35 s at 4 Mbit/s (1 %) without a loss, with ACKs in bundles of two round trips."""
    topology = Topology()
    flight = feed_until_sent(cca, topology.path(bundle_s=2 * topology.rtt_s), SIZE, MOST_S)
    return _check(flight, 0.0, 5, 0.2)


@CASES.add("transfer-ack-decimation", "SimpleTransferAckDecimation")
def _decimated(cca: Subject) -> Observation:
    # the receiver acknowledges after a quarter of the smallest round trip, here in slots of it
    """12 MiB in 35 s at 4 Mbit/s (1 %), at most 0.1 % lost, with few ACKs."""
    topology = Topology()
    flight = feed_until_sent(cca, topology.path(slot_s=topology.rtt_s / 4), SIZE, MOST_S)
    return _check(flight, 0.001, 3, 0.1)


def _check(flight: Flight, most_lost: float, most_srtt: float, off_min: float) -> Observation:
    return together(
        flight.takes(MOST_S),
        flight.ends_steady(),
        flight.finds(0.01),
        flight.loses(most_lost),
        flight.measures(most_srtt, off_min),
    )


@CASES.add("policer", "SenderPoliced")
def _policed(cca: Subject) -> Observation:
    """3 MiB in 30 s past a policer of a quarter of the rate, at most 30 % lost."""
    path = policed(Topology(), 0.25, first=10_000, largest=100_000)
    flight = feed_until_sent(cca, path, 3 * MIB, 30)
    return together(flight.takes(30), flight.ends_steady(), flight.loses(0.30))


def leave_startup(cca: Subject, topology: Topology, most_lost: float) -> Observation:
    """Send 1 MiB in 15 s, which has to leave STARTUP with the bandwidth known to 2 %."""
    flight = fly(cca, topology, MIB, 20)
    return together(
        flight.takes(15),
        flight.ends_steady(),
        flight.finds(0.02),
        flight.loses(most_lost),
    )


#: By option: largest loss rate, and how the option reduces the pace of STARTUP after losses.
SMALL_BUFFER = {
    "": (0.05, ""),
    "BBQ6": (0.0575, "at the end of the round trip"),
    "BBQ7": (0.06, "by what was lost over min_rtt"),
    "BBQ8": (0.065, "by the share of the data in flight that was lost"),
    "BBQ9": (0.065, "by the share of the window that was lost"),
}


def _register_small_buffers() -> None:
    for option, (most, meaning) in SMALL_BUFFER.items():

        def check(cca: Subject, most: float = most) -> Observation:
            return leave_startup(cca, Topology(queue_bdp=0.5), most)

        said = f"; options BBQ2 and {option}: losses reduce the pace {meaning}" if option else ""
        CASES.add(
            f"small-buffer-startup{'-' * bool(option)}{option.lower()}",
            f"PacketLoss{option}{'OnSmallBuffer' if not option else 'SmallBuffer'}Startup",
            f"1 MiB with a buffer of half a BDP: at most {most:.4g} of packets lost{said}",
        )(check)


_register_small_buffers()


@CASES.add("startup-duration", "StartupStats")
def _startup_time(cca: Subject) -> Observation:
    """STARTUP lasts from 0.5 to 1.5 s."""
    flight = fly(cca, Topology(), MIB, 20)
    return together(
        leave_startup(cca, Topology(), 1.0),
        within(flight.slow_start_s, 0.5, 1.5, "s of STARTUP"),
    )
