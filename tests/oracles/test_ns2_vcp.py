"""VCP beside its author's agent and queue in ns-2.35: the released code, and a later revision."""

from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from headgate import Result

from .oracle import rows, run

TRANSPORT = {"preset": "ns2", "segment": "960 B", "recovery": "reno"}
CODE = {"name": "vcp", "gamma": 0.95, "rounding": "per-cent"}
#: Algorithm and router by the tag of the row; the later revision lacks the moving target, caps and
#: sixteenth.
LATER = ({"name": "vcp", "variant": "code"}, CODE)
RELEASED = (
    {"name": "vcp", "variant": "released"},
    CODE | {"target": "moving", "average": "sixteenth"},
)
#: Runs of one FIFO differ from one another by as much as those of ns-2 do.
SEEDS, SEEDS_OF_FIFO = range(1, 3), range(1, 7)
#: How near shares of the line are, queues (relative, or in packets), and loss rates (relative).
USE, QUEUE, PACKETS, LOSS, TIME = 0.02, 0.15, 5.0, 0.20, 0.20
FLOWS, APART_S = 5, 100


class Case(NamedTuple):
    """The common fields of rows that only differ by seed and link."""

    tag: str
    rate_mbps: float
    rtt_ms: float
    forth: int
    back: int
    cross: int
    hops: int
    ack_priority: bool
    limit: int
    duration_s: int
    warmup_s: int

    @classmethod
    def of(cls, row: dict[str, str]) -> "Case":
        """Read a row's case."""
        return cls(
            row["tag"],
            rate_mbps=float(row["bw_Mbps"]),
            rtt_ms=float(row["rtt_ms"]),
            forth=int(row["fwd_flows"]),
            back=int(row["rev_flows"]),
            cross=int(row["cross_flows_per_hop"]),
            hops=int(row["hops"]),
            ack_priority=row["ack_priority"] == "1",
            limit=int(row["limit_pkts"]),
            duration_s=int(row["T_s"]),
            warmup_s=int(row["warm_s"]),
        )

    @property
    def label(self) -> str:
        """Return the name of a test."""
        order = "ACKs first" if self.ack_priority else "one FIFO"
        flows = f"{self.forth} + {self.back}"
        return f"{self.tag}, {self.rate_mbps:g} Mbit/s, {self.rtt_ms:g} ms, {flows}, {order}"

    @property
    def is_long(self) -> bool:
        """Whether its runs take more than some seconds."""
        return not self.ack_priority or self.hops > 1 or self.duration_s > 60

    def network(self) -> dict[str, Any]:
        """Build the chain: 80 % of the round trip on its links, hosts at twice their rate."""
        routers = [{"name": f"r{at}"} for at in range(self.hops + 1)]
        made = {
            "kind": "graph",
            "routers": routers,
            "links": [{"ends": [f"r{at}", f"r{at + 1}"]} for at in range(self.hops)],
            "rate": f"{self.rate_mbps} Mbit/s",
            "delay": f"{0.4 * self.rtt_ms / self.hops:.9f} ms",
            "buffer": f"{self.limit - 1} packets",
            "host_rate": f"{2 * self.rate_mbps} Mbit/s",
            "host_delay": f"{0.05 * self.rtt_ms:.9f} ms",
            "feedback": self.variant[1],
        }
        return made | {"queue": "ack-priority"} if self.ack_priority else made

    @property
    def variant(self) -> tuple[dict[str, Any], dict[str, Any]]:
        return LATER if self.tag.startswith("fixed95") else RELEASED

    def ends(self) -> Iterator[tuple[int, int]]:
        """Routers between which its flows run."""
        yield from [(0, self.hops)] * self.forth + [(self.hops, 0)] * self.back
        for hop in range(self.hops):
            yield from [(hop, hop + 1)] * self.cross


def cases() -> list[Any]:
    """Give each case but that of flows that join one another."""
    found = dict.fromkeys(Case.of(row) for row in rows("ns2/vcp.csv") if row["tag"] != "join")
    slow = pytest.mark.slow
    return [
        pytest.param(case, id=case.label, marks=[slow] if case.is_long else []) for case in found
    ]


def theirs(case: Case, key: str) -> list[float]:
    return [float(row[key]) for row in rows("ns2/vcp.csv") if Case.of(row) == case]


def simulate(case: Case, begun: list[float], seed: int, series: Any) -> Result:
    cca = case.variant[0]
    traffic = [
        {
            "kind": "flows",
            "cca": cca,
            "name": f"flow {at}",
            "source": f"r{one}",
            "receiver": f"r{other}",
            "start": f"{begun[at]:.6f} s",
        }
        for at, (one, other) in enumerate(case.ends())
    ]
    return run(
        seed=seed,
        duration=f"{case.duration_s} s",
        network=case.network(),
        transport=TRANSPORT,
        traffic=traffic,
        measure={"warmup": f"{case.warmup_s} s", "series": series},
    )


@cache
def ours(case: Case) -> list[Result]:
    """Give runs whose flows start within a second."""
    count, seeds = len(list(case.ends())), SEEDS if case.ack_priority else SEEDS_OF_FIFO
    draws = [list(np.random.default_rng(seed).uniform(0, 1, count)) for seed in seeds]
    return [simulate(case, draw, seed, "none") for seed, draw in zip(seeds, draws, strict=True)]


def of_links(case: Case, key: str) -> list[float]:
    """Give a figure of the chain's links, forward, over all runs."""
    names = [f"r{at}-r{at + 1}" for at in range(case.hops)]
    return [
        float(result.ports[key][result.ports["link"] == name][0])
        for result in ours(case)
        for name in names
    ]


def near(mine: list[float], other: list[float], allowed: float) -> bool:
    return abs(float(np.mean(mine)) - float(np.mean(other))) <= allowed


def overlap(mine: list[float], other: list[float]) -> bool:
    return max(min(mine), min(other)) <= min(max(mine), max(other))


def agree(mine: list[float], other: list[float], allowed: float, case: Case) -> bool:
    """Compare means; of one FIFO runs may overlap, if the agent's differ by more than allowed."""
    chaotic = not case.ack_priority and max(other) - min(other) > allowed
    return near(mine, other, allowed) or (chaotic and overlap(mine, other))


@pytest.mark.parametrize("case", cases())
def test_port_of_every_case(case: Case) -> None:
    use, queue, loss = (
        (of_links(case, mine), theirs(case, other))
        for mine, other in (
            ("utilisation", "utilisation"),
            ("mean_queue_packets", "mean_queue_pkts"),
            ("loss_rate", "loss_rate"),
        )
    )
    assert agree(*use, USE, case), use
    assert agree(*loss, LOSS * float(np.mean(loss[1])), case), loss
    allowed = max(PACKETS, QUEUE * float(np.mean(queue[1])))
    assert near(*queue, allowed) or (overlap(*queue) and not case.ack_priority), queue


def fair_after_s(times_s: NDArray[np.float64], rates: NDArray[np.float64]) -> list[float]:
    """Give seconds from each join until Jain's index of the flows is 0.95 for the first time."""
    found = []
    for joined in range(1, FLOWS):
        since = times_s > APART_S * joined
        now = rates[since, : joined + 1]
        index = now.sum(axis=1) ** 2 / ((joined + 1) * (now**2).sum(axis=1))
        found.append(float(times_s[since][index >= 0.95][0]) - APART_S * joined)
    return found


def test_flows_that_join_one_another_are_fair_as_soon() -> None:
    measured = rows("ns2/vcp_join.csv")
    times_s = np.array([float(row["time_s"]) for row in measured])
    rates = [[float(row[f"rate{at}_Mbps"]) for at in range(FLOWS)] for row in measured]
    due = fair_after_s(times_s, np.array(rates))
    [row] = [row for row in rows("ns2/vcp.csv") if row["tag"] == "join"]
    result = simulate(
        Case.of(row), [float(APART_S * at) for at in range(FLOWS)], 1, {"interval": "1 s"}
    )
    series = result.series
    times_s = series["t_s"][series["name"] == "flow 0"]
    mine = np.zeros((times_s.size, FLOWS))
    for at in range(FLOWS):
        rate = np.nan_to_num(series["throughput_bps"][series["name"] == f"flow {at}"])
        mine[times_s.size - rate.size :, at] = rate
    seen = fair_after_s(times_s, mine)
    assert all(abs(one / other - 1) <= TIME for one, other in zip(seen, due, strict=True)), seen
    use, queue = (
        float(result.ports[key][result.ports["link"] == "r0-r1"][0])
        for key in ("utilisation", "mean_queue_packets")
    )
    assert abs(use - float(row["utilisation"])) <= USE
    assert abs(queue - float(row["mean_queue_pkts"])) <= PACKETS
    assert result.ports["drops"].sum() == 0


#: The agents never time out on these paths, which drop nothing.
LONG_RTT_MS, MOST_TIMEOUTS = 500.0, 5


@pytest.mark.parametrize("tag", ["base", "fixed95_notable"])
def test_a_long_round_trip_times_out_no_more_often(tag: str) -> None:
    at_80_ms = next(Case.of(row) for row in rows("ns2/vcp.csv") if row["tag"] == tag)
    packets = int(at_80_ms.rate_mbps * LONG_RTT_MS * 1e3 / 8000)
    case = at_80_ms._replace(rtt_ms=LONG_RTT_MS, ack_priority=True, limit=packets, duration_s=30)
    result = simulate(case, list(np.random.default_rng(1).uniform(0, 1, 100)), 1, "none")
    assert result.ports["drops"].sum() == 0
    assert result.flows["timeouts"].sum() <= MOST_TIMEOUTS


def test_the_released_rules_keep_the_queue_short_where_one_fifo_does_not() -> None:
    first, fifo = (
        Case.of(row) for row in rows("ns2/vcp.csv") if row["tag"] == "base" and row["seed"] == "1"
    )
    assert of_links(first, "mean_queue_packets")[0] < 0.1 * min(theirs(fifo, "mean_queue_pkts"))
