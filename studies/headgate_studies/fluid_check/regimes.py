"""Speed and error of fluid models by regime, in one table.

`python -m headgate_studies.fluid_check.regimes` makes every run, writes the numbers into
`regimes.json` and prints the table. It takes one to two minutes. Errors are deterministic; speeds
depend on the machine.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from headgate import Result, Scenario, dumbbell, fluid, parse_rate
from headgate.lab import Setup, Study
from headgate_studies.fluid_check.compare import LOOKS, network
from headgate_studies.fluid_check.faces import RED, Cell, Face, faces, make_scenario
from headgate_studies.paths import PACKET_BITS, seconds

Numbers = NDArray[np.float64]
Found = TypeVar("Found")

#: The numbers of the published table.
STORED = Path(__file__).with_name("regimes.json")
#: Times that a fluid model is solved; its CPU time is the least of them.
REPEATS = 5
#: The quantile beside the mean.
TAIL = 0.99
#: Written for a value that a model lacks.
NONE = "none"
#: Packets of a file in the regime of completion times: Pareto.
FILES = {"mean": "25 packets", "shape": 1.5}
COMPLETION_RATE, COMPLETION_RTT_MS, LOADS = "100 Mbit/s", 20, (0.5, 0.9)


@dataclass(frozen=True)
class Regime:
    """A row of the table; None: the model lacks the value.

    Errors of rates and completion times are fluid over packets less one. Those of queues are the
    difference in bandwidth-delay products, that is the error of the round-trip time.
    """

    name: str
    place: str
    #: CPU time by packets over that by fluid.
    faster: float
    #: Whether the fluid model warns.
    is_warned: bool = False
    rate_mean: float | None = None
    rate_p99: float | None = None
    queue_mean: float | None = None
    queue_p99: float | None = None
    completion_mean: float | None = None
    completion_p99: float | None = None


#: Name of a regime -> its algorithms, and its cell.
CELLS: Mapping[str, tuple[tuple[str, ...], Cell]] = {
    "delay-based, large windows": (("fast", "vegas"), Cell("1 Gbit/s", 50, 100, 1.0)),
    "explicit feedback, large windows": (("rcp", "vcp", "xcp"), Cell("1 Gbit/s", 50, 100, 1.0)),
    "Reno over RED": ((RED,), Cell("1 Gbit/s", 50, 100, 1.0)),
    "loss-based, drop-tail, buffer 1 BDP": (
        ("hstcp", "reno", "scalable"), Cell("1 Gbit/s", 50, 100, 1.0),
    ),
    "loss-based, drop-tail, buffer 0.25 BDP": (
        ("hstcp", "reno", "scalable"), Cell("1 Gbit/s", 50, 100, 0.25),
    ),
    "windows of 2 packets": (("fast", "rcp", "reno", "xcp"), Cell("1 Gbit/s", 50, 2000, 1.0)),
}  # fmt: skip


def make_setup() -> Setup:
    """Return the settings of the study, with these runs only."""
    study = Study(Path(__file__).parent, __package__)
    return study.setup(study.scale("quick"))


def measure_all(setup: Setup) -> Iterator[Regime]:
    """Make the runs of every regime."""
    known = {face.name: face for face in faces()}
    for name, (ccas, cell) in CELLS.items():
        for cca in ccas:
            yield compare_cell(setup, name, known[cca], cell)
    for load in LOADS:
        yield compare_completion(load)


def compare_cell(setup: Setup, name: str, face: Face, cell: Cell) -> Regime:
    """Compare rate and queue of the bottleneck, a row per round trip, after the warm-up."""
    times_s = cell.times_s(dict(setup.settings))
    rows = {"interval": seconds(cell.rtt_s), "flows": [], "ports": ["bottleneck"]}
    packets = make_scenario(setup, face, cell, times_s, rows).run()

    def solve() -> Result:
        return fluid.solve(
            face.model,
            face.params(setup, cell),
            network=network(cell),
            duration=seconds(times_s[0]),
            warmup=seconds(times_s[1]),
            every=seconds(cell.rtt_s / LOOKS),
        )

    fluid_s, solved = _time(solve)
    ends = [_of_link(packets, times_s[1]), _of_link(solved, times_s[1])]
    found = Regime(name, f"{face.name}, {cell}", packets.meta["cpu_s"] / fluid_s)
    rate_mean, rate_p99 = _errors(*(end["throughput_bps"] for end in ends))
    found = replace(
        found, is_warned=bool(solved.meta["warnings"]), rate_mean=rate_mean, rate_p99=rate_p99
    )
    if not face.queues:
        return found
    queue_mean, queue_p99 = _apart(cell, *(end["queue_packets"] for end in ends))
    return replace(found, queue_mean=queue_mean, queue_p99=queue_p99)


def compare_completion(load: float) -> Regime:
    """Compare completion times of files under RCP with processor sharing of the same files."""
    result = _files(load).run()
    flows = result.flows
    order = np.argsort(flows["start_s"], kind="stable")
    starts, sizes, times = (
        np.asarray(flows[name], dtype=float)[order]
        for name in ("start_s", "size_packets", "fct_receiver_s")
    )
    done = np.isfinite(times)
    rtt_s = COMPLETION_RTT_MS / 1e3
    rate = parse_rate(COMPLETION_RATE) / PACKET_BITS

    def solve() -> Numbers:
        return 1.5 * rtt_s + fluid.serve_equally(starts, sizes, rate)

    fluid_s, shared = _time(solve)
    mean, tail = _errors(times[done], shared[done])
    place = f"rcp, Pareto files, {COMPLETION_RATE}, {COMPLETION_RTT_MS} ms, load {load:g}"
    return Regime(
        "completion times", place, result.meta["cpu_s"] / fluid_s,
        completion_mean=mean, completion_p99=tail,
    )  # fmt: skip


def _files(load: float) -> Scenario:
    size = {"kind": "pareto", **FILES}
    return dumbbell(
        rate=COMPLETION_RATE,
        rtt=f"{COMPLETION_RTT_MS} ms",
        access="direct",
        buffer="4 BDP",
        feedback={"name": "rcp"},
        flows=[{"kind": "poisson", "cca": "rcp", "load": load, "size": size}],
        measure={"series": "none"},
        duration="60 s",
    )


def _time(solve: Callable[[], Found]) -> tuple[float, Found]:
    """Return the least CPU time of some calls, and the result of the last."""
    least_s = float("inf")
    for _ in range(REPEATS):
        begun = time.process_time()
        found = solve()
        least_s = min(least_s, time.process_time() - begun)
    return least_s, found


def _of_link(result: Result, from_s: float) -> dict[str, Numbers]:
    series = result.series
    own = (series["of"] == "port") & (series["t_s"] > from_s)
    return {
        name: np.asarray(series[name][own], dtype=float)
        for name in ("throughput_bps", "queue_packets")
    }


def _errors(packets: Numbers, by_fluid: Numbers) -> tuple[float, float]:
    """Return the errors of the mean and of the tail."""
    mean = by_fluid.mean() / packets.mean() - 1
    tail = np.quantile(by_fluid, TAIL) / np.quantile(packets, TAIL) - 1
    return float(mean), float(tail)


def _apart(cell: Cell, packets: Numbers, by_fluid: Numbers) -> tuple[float, float]:
    """Return the errors of the mean and the tail of a queue, in bandwidth-delay products."""
    mean = by_fluid.mean() - packets.mean()
    tail = np.quantile(by_fluid, TAIL) - np.quantile(packets, TAIL)
    return float(mean) / cell.bdp_packets, float(tail) / cell.bdp_packets


FIELDS = (
    "rate_mean", "rate_p99", "queue_mean", "queue_p99", "completion_mean", "completion_p99",
)  # fmt: skip


def write_table(regimes: list[Regime]) -> str:
    """Write the table in Markdown: a row per regime, with the largest errors of its algorithms."""
    lines = [
        "| regime | faster | rate: mean, p99 | queue: mean, p99 | completion time: mean, p99"
        " | warns |",
        "| --- " * 6 + "|",
    ]
    for name in dict.fromkeys(regime.name for regime in regimes):
        own = [regime for regime in regimes if regime.name == name]
        ccas = ", ".join(dict.fromkeys(regime.place.split(",")[0] for regime in own))
        errors = [_within([getattr(regime, field) for regime in own]) for field in FIELDS]
        pairs = [_join(errors[first], errors[first + 1]) for first in range(0, len(errors), 2)]
        warned = sum(regime.is_warned for regime in own)
        warns = {0: "no", len(own): "yes"}.get(warned, f"{warned} of {len(own)}")
        cells = (f"{name} ({ccas})", _times(sorted(regime.faster for regime in own)), *pairs, warns)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _join(mean: str, tail: str) -> str:
    return mean if mean == tail == NONE else f"{mean}, {tail}"


def _times(speeds: list[float]) -> str:
    low, high = (float(f"{speed:.1g}") for speed in (speeds[0], speeds[-1]))
    return f"{low:,.0f} times" if low == high else f"{low:,.0f} to {high:,.0f} times"


def _within(errors: list[float | None]) -> str:
    known = [abs(error) for error in errors if error is not None]
    return f"within {100 * max(0.001, *known):.2g} %" if known else NONE


def read_stored() -> list[Regime]:
    """Read the stored numbers."""
    return [Regime(**row) for row in json.loads(STORED.read_text())]


def main() -> None:
    """Make all runs, store their numbers, and print the table."""
    regimes = list(measure_all(make_setup()))
    rows = [{name: _round(value) for name, value in asdict(one).items()} for one in regimes]
    STORED.write_text(json.dumps(rows, indent=1) + "\n")
    sys.stdout.write(write_table(regimes) + "\n")


def _round(value: Any) -> Any:
    return round(value, 6) if isinstance(value, float) else value


if __name__ == "__main__":
    main()
