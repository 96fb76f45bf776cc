"""A rate that falls or rises a hundred times during a transfer."""

from functools import partial
from math import nan

from headgate_studies.conform.case import Observation, Subject, near, together
from headgate_studies.conform.quiche.flight import Flight, feed, fly, look_at
from headgate_studies.conform.quiche.network import MIB, PACKET_BITS, Link, Topology
from headgate_studies.conform.quiche.suite import Quiche

#: The test cases of this module.
CASES = Quiche()
SLOW_BPS, FAST_BPS = 100_000, 10_000_000
LOCAL = Link(15_000_000, 2_000)
#: When the rate rises, and how long the rest of the transfer may take.
AT_S, REST_S = 15.0, 50.0
#: By option: MiB, tolerance before, largest loss rate before, tolerance at the end.
PLAIN = {
    "": (10, 0.1, 0.30, 0.02),
    "B203": (20, 0.1, 0.30, 0.02),
    "BBQ0": (10, 0.1, 0.30, 0.02),
    "B202": (10, 0.1, 0.30, 0.1),
    "BBHI": (10, 0.1, 0.30, 0.02),
    "B204": (10, 0.1, 0.25, 0.02),
    "B205": (10, 0.1, 0.10, 0.1),
    "BB2U": (10, 0.1, 0.25, 0.1),
}
BUNDLED = {
    "": (2, 0.60, 0.35, 0.91),
    "BBQ0": (2, 0.60, 0.35, 0.90),
    "B202": (2, 0.60, 0.35, 0.92),
    "BBHI": (2, 0.60, 0.35, 0.90),
    "BBHI_B202": (2, 0.60, 0.35, 0.85),
    "B204": (2, 0.60, 0.35, 0.95),
    "B205": (2, 0.45, 0.15, 0.9),
    "BB2U": (5, 0.45, 0.30, 0.85),
    "BB2UandBBHI": (5, 0.45, 0.30, 0.85),
}
#: Effects of the options in BBRv2.
MEANINGS = {
    "B203": "UP heeds inflight_hi",
    "BBQ0": "UP also counts ACKs after the window was the limit",
    "B202": "UP does not end for want of a queue",
    "BBHI": "inflight_hi grows in UP if it was the limit at any time in a round trip",
    "BBHI_B202": "both",
    "B204": "aggregation shrinks as the bandwidth grows; its bound in bytes is not observed",
    "B205": "the window of STARTUP contains the aggregation",
    "BB2U": "UP ends by the least data in flight of two round trips",
    "BB2UandBBHI": "both",
}


@CASES.add("rate-down", "BandwidthDecrease")
def _falls(cca: Subject) -> Observation:
    """20 MiB: 10 Mbit/s (10 %) without a loss in 10 s; at a hundredth complete 800 s later."""
    topology = Topology(LOCAL, Link(FAST_BPS, 30_000))
    before = fly(cca, topology, 20 * MIB, 10)
    after = fly(cca, topology, 20 * MIB, 820, {10.0: SLOW_BPS})
    return together(
        before.ends_steady(), before.estimates(0.1), before.loses(0), after.takes(10 + 800)
    )


def _check_before(before: Flight, off: float, most_lost: float) -> Observation:
    return together(before.ends_steady(), before.estimates(off), before.loses(most_lost))


def _check_after(after: Flight, off: float) -> Observation:
    found = near(after.largest_mbps, FAST_BPS / 1e6, off, "Mbit/s found")
    return together(after.takes(AT_S + REST_S), found)


def _slow() -> Topology:
    return Topology(LOCAL, Link(SLOW_BPS, 30_000))


def _rises(cca: Subject, option: str) -> Observation:
    mebibytes, off, most_lost, off_after = PLAIN[option]
    before = fly(cca, _slow(), mebibytes * MIB, AT_S)
    end_s = AT_S + REST_S + 1
    after = fly(cca, _slow(), mebibytes * MIB, end_s, {AT_S: FAST_BPS})
    return together(_check_before(before, off, most_lost), _check_after(after, off_after))


def _rises_bundled(cca: Subject, option: str) -> Observation:
    mebibytes, off, most_lost, off_after = BUNDLED[option]
    topology = _slow()
    changes = ((AT_S, FAST_BPS / PACKET_BITS),)
    path = topology.path(bundle_s=2 * topology.rtt_s, changes=changes)
    sender = feed(cca, path, mebibytes * MIB)
    sender.advance(AT_S)
    before = look_at(sender)
    end_s = sender.finish(AT_S + REST_S)
    after = look_at(sender, end_s if end_s < AT_S + REST_S else nan)
    return together(_check_before(before, off, most_lost), _check_after(after, off_after))


def _register() -> None:
    for options, check, word in ((PLAIN, _rises, ""), (BUNDLED, _rises_bundled, "Aggregation")):
        for option, (mebibytes, off, most_lost, off_after) in options.items():
            name = "-".join(["rate-up", *filter(None, [option.lower(), word.lower()])])
            bundles = ", ACKs in bundles of two round trips" if word else ""
            said = f"; option {option}: {MEANINGS[option]}" if option else ""
            statement = (
                f"{mebibytes} MiB{bundles}: 100 kbit/s ({off:.0%}) with at most {most_lost:.0%}"
                f" lost in 15 s, then complete in 50 s of 10 Mbit/s ({off_after:.0%}){said}"
            )
            test = f"BandwidthIncrease{option}{word}"
            CASES.add(name.replace("_", "-"), test, statement)(partial(check, option=option))


_register()
