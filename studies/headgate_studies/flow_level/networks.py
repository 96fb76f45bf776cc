"""Networks of several bottlenecks in a row, for packets and for the fluid alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from headgate import Scenario
from headgate_studies.paths import MBPS, PACKET_BITS, flow, seconds

ALPHA = 50.0
LINK_DELAY, HOST_DELAY, HOST_RATE = "2 ms", "1 ms", "10 Gbit/s"


@dataclass(frozen=True)
class Class:
    """One flow, from a router of the row to another."""

    rtt_ms: float
    first: int
    last: int
    alpha: float = ALPHA


@dataclass(frozen=True)
class Row:
    """Bottlenecks in a row, and who passes them."""

    title: str
    rates_mbps: tuple[float, ...]
    classes: Mapping[str, Class]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of classes."""
        return tuple(self.classes)

    def rates(self) -> list[float]:
        """Return the rate of each link in packets/s."""
        return [rate * MBPS / PACKET_BITS for rate in self.rates_mbps]

    def fluid(self, *, weighted: bool = True) -> dict[str, Any]:
        """Return the network of a fluid model; `weighted`: each class with its alpha."""
        return {
            "links": {f"hop{i}": {"rate": f"{r} Mbit/s"} for i, r in enumerate(self.rates_mbps)},
            "classes": {name: _fluid(one, weighted) for name, one in self.classes.items()},
        }

    def scenario(
        self, cca: str, starts_s: Sequence[float], times: tuple[str, str], link: Mapping[str, Any]
    ) -> Scenario:
        """Return the run by packets; `link`: keys of all links of the row."""
        own = zip(self.classes.items(), starts_s, strict=True)
        duration, warmup = times
        return Scenario.from_dict(
            {
                "network": self._routers() | dict(link),
                "traffic": [_traffic(name, one, cca, start_s) for (name, one), start_s in own],
                "transport": {"min_rto": "1 s"},
                "duration": duration,
                "measure": {"warmup": warmup, "series": "none"},
            }
        )

    def _routers(self) -> dict[str, Any]:
        links = [
            {"ends": (f"r{i}", f"r{i + 1}"), "rate": f"{rate} Mbit/s"}
            for i, rate in enumerate(self.rates_mbps)
        ]
        return {
            "kind": "graph",
            "routers": [{"name": f"r{i}"} for i in range(len(links) + 1)],
            "links": links,
            "delay": LINK_DELAY,
            "host_rate": HOST_RATE,
            "host_delay": HOST_DELAY,
        }


def _fluid(one: Class, weighted: bool) -> dict[str, Any]:
    path = [f"hop{i}" for i in range(one.first, one.last)]
    made: dict[str, Any] = {"rtt": f"{one.rtt_ms} ms", "path": path}
    return made | {"params": {"alpha": one.alpha}} if weighted else made


def _traffic(name: str, one: Class, cca: str, start_s: float) -> dict[str, Any]:
    params = {"alpha": one.alpha} if cca == "fast" else {}
    ends = {"source": f"r{one.first}", "receiver": f"r{one.last}"}
    obeys = flow(cca, start_s, params=params)
    return {"kind": "flows", "name": name, **obeys, **ends, "rtt": seconds(one.rtt_ms / 1e3)}


#: Three equal links: a long flow beside one of each link.
EVEN = Row(
    "three equal links",
    (50, 50, 50),
    {
        "long": Class(120, 0, 3),
        "hop 1": Class(30, 0, 1),
        "hop 2": Class(60, 1, 2),
        "hop 3": Class(90, 2, 3),
    },
)
#: Three unequal links: two flows that differ in their round trip, and two that differ in alpha.
UNEVEN = Row(
    "three unequal links",
    (40, 60, 80),
    {
        "long": Class(120, 0, 3),
        "near": Class(30, 0, 1),
        "far": Class(120, 0, 1),
        "middle": Class(60, 1, 2),
        "double": Class(60, 1, 2, 2 * ALPHA),
        "last": Class(60, 2, 3),
        "two hops": Class(90, 1, 3, 2 * ALPHA),
    },
)
ROWS = {"even": EVEN, "uneven": UNEVEN}
#: One link, round trips from 20 to 160 ms.
ONE = Row("one link", (100,), {f"{rtt} ms": Class(rtt, 0, 1) for rtt in (20, 40, 80, 160)})
EVERY = {"one": ONE, **ROWS}
