"""Transfers of 4 MB beside a transfer of 10 MB, and on links that change."""

from __future__ import annotations

from typing import Any

from headgate_studies.conform.case import Observation, Subject
from headgate_studies.conform.picoquic.suite import (
    COMPETE,
    STORED,
    Link,
    Picoquic,
    complete_in,
    write_rate,
)

#: The test cases of this module.
CASES = Picoquic(COMPETE)
#: Bytes of the transfer under test, and of the one beside it.
SIZE, BESIDE = 4_000_000, 10_000_000
#: A link that suspends keeps its packets.
SUSPENDED = {"queue": "keep", "in_flight": "deliver"}
#: The low-latency queue of picoquic marks from 0.8 ms on, and every packet at `l4s_max`, 15 ms. The
#: gains follow RFC 9332 appendix A.1 for an update every 15 ms (`dualq_params_init`).
DUALQ: dict[str, Any] = {
    "name": "dualpi2",
    "variant": "rfc",
    "target": "15 ms",
    "tupdate": "15 ms",
    "alpha_hz": 0.15,
    "beta_hz": 3.0,
    "coupling": 2.0,
    "ramp_start": "0.8 ms",
    "min_packets": 2.0,
}


def dualq(l4s_max_ms: float) -> dict[str, Any]:
    """Return picoquic's DualQ that marks every packet of L from this wait on."""
    return DUALQ | {"ramp": f"{l4s_max_ms - 0.8:.4g} ms"}


def _alone(cca: Subject, link: Link, most_s: float, **keys: Any) -> Observation:
    flow = link.flow("main", dict(cca.keys), SIZE)
    return complete_in([flow], link.network(**keys), most_s)[1]


def _beside_itself(cca: Subject, link: Link, most_s: float, **keys: Any) -> Observation:
    flows = [
        link.flow("main", dict(cca.keys), SIZE),
        link.flow("background", dict(cca.keys), BESIDE),
    ]
    return complete_in(flows, link.network(**keys), most_s)[1]


@CASES.add("cubic-beside-itself", "cc_compete_cubic2_test", of="cubic")
def _cubic2(cca: Subject) -> Observation:
    """4 MB beside 10 MB, both at once, 10 Mbit/s, 20 ms, 40 ms of buffer: complete in 8.5 s."""
    return _beside_itself(cca, Link(wait_us=40_000), 8.5)


@CASES.add("prague-beside-itself", "cc_compete_prague2_test", of="prague")
def _prague2(cca: Subject) -> Observation:
    """4 MB beside 10 MB, both at once, 50 Mbit/s, 50 ms, DualQ: complete in 5 s."""
    return _beside_itself(cca, Link(50_000_000, 25_000), 5.0, queue=dualq(15))


@CASES.add("asymmetric", "cc_ns_asym_test", of="cubic")
def _asymmetric(cca: Subject) -> Observation:
    """4 MB at 10 Mbit/s, 1 Mbit/s back, 600 ms, 600 ms of buffer: complete in 7.5 s."""
    link = Link(delay_us=300_000, wait_us=600_000)
    back = Link(1_000_000, wait_us=600_000)
    reverse = {"rate": write_rate(back.bps), "buffer": f"{back.packets} packets"}
    return _alone(cca, link, 7.5, reverse=reverse)


@CASES.add("black-hole", "cc_ns_blackhole_test", of="cubic")
def _black_hole(cca: Subject) -> Observation:
    """4 MB at 10 Mbit/s, 80 ms, 80 ms of buffer; nothing is sent from 2 to 4 s: in 6 s."""
    outage = {"start": "2 s", "duration": "2 s", **SUSPENDED}
    return _alone(cca, Link(delay_us=40_000, wait_us=80_000), 6.0, outages=[outage])


@CASES.add("drop-and-back", "cc_ns_drop_and_back_test", of="cubic")
def _drop_and_back(cca: Subject) -> Observation:
    """4 MB at 10 Mbit/s, 80 ms, 80 ms of buffer; half the rate from 1.5 to 3.5 s: in 5 s."""
    link = Link(delay_us=40_000, wait_us=80_000)
    changes = [
        {"at": "1.5 s", "rate": write_rate(link.bps / 2)},
        {"at": "3.5 s", "rate": write_rate(link.bps)},
    ]
    return _alone(cca, link, 5.0, changes=changes, **STORED)


@CASES.add("low-and-up", "cc_ns_low_and_up_test", of="cubic")
def _low_and_up(cca: Subject) -> Observation:
    """4 MB at 5 Mbit/s and from 2.5 s on 10 Mbit/s, 80 ms, 80 ms of buffer: in 5.5 s."""
    link = Link(5_000_000, 40_000, 80_000)
    changes = [{"at": "2.5 s", "rate": write_rate(2 * link.bps)}]
    return _alone(cca, link, 5.5, changes=changes, **STORED)


@CASES.add("suspension", "cc_ns_wifi_suspension_test", of="bbr3")
def _suspension(cca: Subject) -> Observation:
    """4 MB at 10 Mbit/s, 10 ms, 15 ms of buffer; 0.2 s of each 2 s nothing is sent: in 4 s."""
    outage = {"start": "1.8 s", "duration": "0.2 s", "every": "2 s", **SUSPENDED}
    return _alone(cca, Link(delay_us=5_000, wait_us=15_000), 4.0, outages=[outage])
