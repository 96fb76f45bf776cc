"""Cases of picoquic's tests: their names, their link and transport, and the judgement of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, isnan
from typing import Any

from headgate_studies.conform.case import (
    Cases,
    Check,
    FlowRun,
    Observation,
    cannot_run,
    run_scenario,
    within,
)

SOURCE = "private-octopus/picoquic"
COMPETE, L4S = "cc_compete_test.c", "l4s_test.c"
#: The variant of BBR that picoquic's follows.
VARIANTS = {"bbr3": ("draft",)}
OTHER_PROGRAMS = (
    "the limits are those of picoquic's programs, whose differences are known only here"
)
#: Bytes of a packet, and of the data in it: a short header with a connection ID of 8 B, a packet
#: number, a STREAM frame and the tag of the encryption take 34 B.
PACKET, PAYLOAD = 1440, 1406
#: Bytes of an ACK (ours), and of a first packet (`PICOQUIC_INITIAL_MTU_IPV4`).
ACK, FIRST = 50, 1252
TRANSPORT: dict[str, Any] = {
    "preset": "quic",
    "segment": f"{PAYLOAD} B",
    "header": f"{PACKET - PAYLOAD} B",
    "ack": f"{ACK} B",
    "syn": f"{FIRST} B",
    "initial_window": "10 packets",
}
#: How long a transfer may run on after its limit.
MORE_S = 20.0
#: Packets of a link with an impairment leave at its new rate, also those that wait.
STORED: dict[str, Any] = {"impairments": [{"name": "duplicate", "share": 0.0}]}


class Picoquic(Cases):
    """Tests of one file; a section is the name of the test there."""

    def __init__(self, file: str) -> None:
        super().__init__()
        self.file = file

    def add(
        self, name: str, source: str, statement: str = "", *, of: str = "", **limits: Any
    ) -> Callable[[Check], Check]:
        """Return a decorator that adds a check of an algorithm by the test with this name."""
        own = {"only": (of,), "variants": VARIANTS.get(of, ()), "built_in_only": OTHER_PROGRAMS}
        limits = own | limits
        place = f"{SOURCE} {self.file} {source}"
        return super().add(f"picoquic-{name}", place, statement, **limits)

    def leave_out(self, name: str, source: str, statement: str, why: str, of: str) -> None:
        """List a test that cannot be checked."""
        self.add(name, source, statement, of=of, left_out=why, variants=())(cannot_run)


@dataclass(frozen=True)
class Link:
    """The only link, in both directions: bits/s, and the delay each way in microseconds."""

    bps: int = 10_000_000
    delay_us: int = 10_000
    wait_us: int = 0
    """Longest wait in the queue; 0 = no limit."""

    @property
    def packets(self) -> int:
        """Packets that wait so long."""
        return ceil(self.wait_us / 1e6 * self.bps / 8 / PACKET)

    def network(self, **keys: Any) -> dict[str, Any]:
        """Return the network of a scenario with this link and other keys of it."""
        return {
            "kind": "dumbbell",
            "access": "direct",
            "rate": write_rate(self.bps),
            "rtt": f"{2 * self.delay_us} us",
            "buffer": f"{self.packets} packets" if self.wait_us else "infinite",
            **keys,
        }

    def flow(self, name: str, keys: dict[str, Any], size: int) -> dict[str, Any]:
        """Return a transfer that a client requests at 0 s."""
        start = f"{self.delay_us} us"
        return {"kind": "flows", "name": name, "size": f"{size} B", "start": start, **keys}


def write_rate(bps: float) -> str:
    """Write a rate for a scenario."""
    return f"{bps / 1e3:g} kbit/s"


def make_scenario(
    flows: list[dict[str, Any]], network: dict[str, Any], duration_s: float
) -> dict[str, Any]:
    """Return the scenario of a test; its first flow is the one under test."""
    return {
        "seed": 1,
        "duration": f"{duration_s} s",
        "network": network,
        "transport": TRANSPORT,
        "traffic": flows,
        "measure": {"series": "none"},
    }


def complete_in(
    flows: list[dict[str, Any]], network: dict[str, Any], most_s: float
) -> tuple[FlowRun, Observation]:
    """Run a test, and hold if all data of its first flow have arrived within a time."""
    run = run_scenario(make_scenario(flows, network, most_s + MORE_S))
    return run, judge_time(run, most_s)


def judge_time(run: FlowRun, most_s: float, more_s: float = 0.0) -> Observation:
    """Hold if all data of the first flow have arrived within a time, with `more_s` added."""
    counts = run.count("start_s", "fct_receiver_s")
    last_s = sum(counts.values()) + more_s
    if isnan(last_s):
        return Observation(False, f"0 to {most_s:.4g} s", "not complete")
    return within(last_s, 0, most_s, "s")
