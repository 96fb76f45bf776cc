"""The cases of the comparison with Linux, chosen before ns-3 or ns-2 had run them."""

import csv
import random
from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from statistics import mean

ORACLES = Path(__file__).parents[2] / "tests" / "oracles" / "data"
#: Runs of a case that depends on chance: random losses, or the starts of several flows.
REPEATS = 5
#: Time between the starts of the four flows that the kernel started together, ms.
APART_MS = 3.0
#: In repeat r, flow k of a pair starts at k * r times this, ms.
PAIR_APART_MS = 100.0
#: Segments of a flow on an idle path.
SIZES = (10, 30, 100, 300, 1000, 3000)


@dataclass(frozen=True)
class Case:
    """Flows over 20 Mbit/s; `source` names the file and rows of the kernel's figures."""

    name: str
    ccas: tuple[str, ...]
    buffer: int
    source: tuple[str, str]
    rtt_ms: int = 40
    queue: str = "fifo"
    loss: float = 0.0
    from_s: int = 10
    until_s: int = 60
    segments: int = 0

    @property
    def repeats(self) -> int:
        """The number of runs by each program."""
        return REPEATS if self.loss or len(self.ccas) > 1 else 1

    def starts_ms(self, repeat: int) -> list[float]:
        """Give when each flow begins in a repeat, the same in every program."""
        if len(self.ccas) == 1:
            return [0.0]
        if len(self.ccas) == 2:
            return [at * repeat * PAIR_APART_MS for at in (1, 2)]
        chance = random.Random(repeat)
        return [round(APART_MS * (at + chance.random()), 3) for at in range(len(self.ccas))]


def _uml(name: str, row: str, *ccas: str, buffer: int, queue: str = "fifo") -> Case:
    return Case(name, ccas, buffer, ("uml/runs.csv", row), queue=queue)


def _tun(row: str, *ccas: str, buffer: int, rtt_ms: int = 40, loss: float = 0.0) -> Case:
    source = ("linux/tun_long.csv", row)
    return Case(row, ccas, buffer, source, rtt_ms, loss=loss, from_s=20, until_s=120)


def _long(name: str, row: str, cca: str, buffer: int) -> Case:
    return Case(name, (cca,), buffer, ("linux/long_flows.csv", row), from_s=20, until_s=120)


LONG = (
    _uml("reno-33", "reno-33", "reno", buffer=33),
    _uml("reno-67", "reno-67", "reno", buffer=67),
    _long("reno-133", "s1_reno_40ms_2bdp", "reno", 133),
    _uml("cubic-33", "cubic-33", "cubic", buffer=33),
    _uml("cubic-67", "cubic-67", "cubic", buffer=67),
    _uml("cubic-codel", "codel1", "cubic", buffer=1000, queue="codel"),
    _uml("cubic-codel-4", "codel4", *["cubic"] * 4, buffer=1000, queue="codel"),
    _uml("cubic-fq-codel-4", "fqcodel4", *["cubic"] * 4, buffer=10240, queue="fqcodel"),
    _long("bbr-67", "s1_bbr_40ms_1bdp", "bbr", 67),
    _tun("bbr-40ms-0.01", "bbr", buffer=67, loss=0.01),
    _tun("bbr-100ms-0.001", "bbr", buffer=167, rtt_ms=100, loss=0.001),
    _tun("bbr-cubic-67", "bbr", "cubic", buffer=67),
)
SHORT = tuple(
    Case(
        f"reno-{size}-segments",
        ("reno",),
        167,
        ("linux/fct_reno.csv", str(size)),
        rtt_ms=100,
        from_s=0,
        until_s=20,
        segments=size,
    )
    for size in SIZES
)


def _mean(rows: list[dict[str, str]], column: str) -> float:
    return mean(float(row[column]) for row in rows)


def _rows(file: str, column: str, value: str) -> list[dict[str, str]]:
    with (ORACLES / file).open() as lines:
        return [row for row in csv.DictReader(lines) if row[column] == value]


@cache
def kernel_figures(case: Case) -> dict[str, float]:
    """Give the kernel's means over its repeats; a pair has a goodput for each flow."""
    file, name = case.source
    if file == "linux/fct_reno.csv":
        [row] = _rows(file, "packets", name)
        return {"finished_ms": float(row["fct_from_syn_ms_median"])}
    if file == "linux/long_flows.csv":
        [row] = _rows(file, "scenario", name)
        return {
            "goodput_mbps": float(row["goodput_after20s_mbps"]),
            "mean_queue": float(row["queue_mean_after20s"]),
            "retransmissions": float(row["flow_pkts_dropped"]),
        }
    if file == "uml/runs.csv":
        rows = _rows(file, "run", name)
        first, later = _mean(rows, "retransmissions_first"), _mean(rows, "retransmissions")
        return {
            "goodput_mbps": _mean(rows, "goodput_mbps"),
            "mean_queue": _mean(rows, "queue_packets"),
            "retransmissions": first + later,
        }
    return _tun_figures(_rows(file, "case", name))


def _tun_figures(rows: list[dict[str, str]]) -> dict[str, float]:
    flows = defaultdict(list)
    for row in rows:
        flows[row["flow"]].append(row)
    goodputs = {
        "goodput_mbps" if len(flows) == 1 else f"goodput_mbps_{flow}": _mean(mine, "goodput_mbps")
        for flow, mine in flows.items()
    }
    again = sum(_mean(mine, "retransmissions") for mine in flows.values())
    return goodputs | {"mean_queue": _mean(rows, "mean_queue"), "retransmissions": again}
