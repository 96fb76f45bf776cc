"""Runs every case in Headgate, ns-3 and ns-2, and writes what they measured as CSV."""

import csv
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from headgate import Scenario

from .cases import LONG, SHORT, Case

HERE = Path(__file__).parent
#: Linux acknowledges each segment at once while the receiver's window grows: about this many
#: segments in the kernels' runs (docs/reference/validation.md).
QUICK_ACKS = {"uml/runs.csv": 2950}
QUICK_ACKS_ELSEWHERE = 1550
#: TCP/Linux of ns-2.35 has no BBR, and ns-2.35 has no CoDel.
NS2_CCAS, NS2_QUEUES = {"reno", "cubic"}, {"fifo"}
COLUMNS = ("case", "program", "repeat", "flow", "goodput_mbps", "mean_queue")
COLUMNS += ("retransmissions", "finished_ms")
Row = dict[str, str | int | float]


def run_headgate(case: Case, repeat: int) -> Iterator[Row]:
    """Run a case with the preset `linux`."""
    half, at_once = f"{case.rtt_ms / 2} ms", "1 Tbit/s"
    queue = {"codel": "codel", "fqcodel": "fq-codel"}.get(case.queue)
    bottleneck = {"rate": "20 Mbit/s", "buffer": f"{case.buffer} packets"}
    links: list[dict[str, Any]] = [
        {"ends": ["senders", "queue"], "rate": at_once, "delay": "0 s", "loss": case.loss},
        {"ends": ["queue", "receivers"], "delay": half}
        | bottleneck
        | ({"queue": {"name": queue}} if queue else {}),
        {"ends": ["receivers", "queue"], "rate": at_once, "delay": half},
        {"ends": ["queue", "senders"], "rate": at_once, "delay": "0 s"},
    ]
    quick = QUICK_ACKS.get(case.source[0], QUICK_ACKS_ELSEWHERE)
    scenario = {
        "seed": repeat,
        "duration": f"{case.until_s} s",
        "network": {
            "kind": "graph",
            "directed": True,
            "routers": [{"name": name} for name in ("senders", "queue", "receivers")],
            "links": links,
        },
        "transport": {"preset": "linux", "quick_acks": quick},
        "traffic": [
            {"kind": "flows", "cca": cca, "start": f"{start} ms"}
            | {"source": "senders", "receiver": "receivers"}
            | ({"size": f"{case.segments} packets"} if case.segments else {})
            for cca, start in zip(case.ccas, case.starts_ms(repeat), strict=True)
        ],
        "measure": {"warmup": f"{case.from_s} s", "series": "none"},
    }
    result = Scenario.from_dict(scenario).run()
    port = result.ports["link"] == "queue-receivers"
    for flow in range(len(case.ccas)):
        yield {
            "flow": flow,
            "goodput_mbps": float(result.flows["goodput_bps"][flow]) / 1e6,
            "mean_queue": float(result.ports["mean_queue_packets"][port][0]),
            "retransmissions": int(result.flows["retransmissions_total"][flow]),
            "finished_ms": float(result.flows["fct_receiver_s"][flow]) * 1e3,
        }


def run_ns3(program: Path) -> Callable[[Case, int], Iterator[Row]]:
    """Give what runs a case in ns-3."""

    def run(case: Case, repeat: int) -> Iterator[Row]:
        return _read(
            str(program),
            f"--ccas={','.join(case.ccas)}",
            f"--starts={_list(case.starts_ms(repeat))}",
            f"--queue={case.queue}",
            f"--rtt={case.rtt_ms}",
            f"--loss={case.loss}",
            f"--from={case.from_s}",
            f"--until={case.until_s}",
            f"--buffer={case.buffer}",
            f"--segments={case.segments}",
            f"--seed={repeat}",
            # With delayed ACKs, TcpBbr of ns-3.37 stalls after a loss.
            *(["--ns3::TcpSocket::DelAckCount=1"] if "bbr" in case.ccas else []),
        )

    return run


def run_ns2(case: Case, repeat: int) -> Iterator[Row]:
    """Run a case in ns-2, if it has the algorithms and the queue."""
    if not (set(case.ccas) <= NS2_CCAS and case.queue in NS2_QUEUES):
        return iter(())
    numbers = (case.rtt_ms, case.buffer, case.loss, case.from_s, case.until_s)
    return _read(
        "ns",
        str(HERE / "ns2_agree.tcl"),
        ",".join(case.ccas),
        _list(case.starts_ms(repeat)),
        *(str(number) for number in (*numbers, case.segments, repeat)),
    )


def _list(numbers: list[float]) -> str:
    return ",".join(f"{number:g}" for number in numbers)


def _read(*command: str) -> Iterator[Row]:
    """Run a program and read its lines: one for each flow, then the mean queue."""
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    lines = [
        dict(word.split("=") for word in line.split())
        for line in done.stdout.splitlines()
        if line.startswith(("flow=", "mean_queue="))
    ]
    for flow in lines[:-1]:
        again = int(flow["retransmissions_first"]) + int(flow["retransmissions"])
        yield {
            "flow": int(flow["flow"]),
            "goodput_mbps": float(flow["goodput_mbps"]),
            "mean_queue": float(lines[-1]["mean_queue"]),
            "retransmissions": again,
            "finished_ms": float(flow["finished_ms"]),
        }


def _one(job: tuple[str, Callable[[Case, int], Iterator[Row]], Case, int]) -> list[Row]:
    program, run, case, repeat = job
    named: Row = {"case": case.name, "program": program, "repeat": repeat}
    return [named | _relevant(case, row) for row in run(case, repeat)]


def _relevant(case: Case, row: Row) -> Row:
    """Keep the completion time of a sized flow, and all else of an endless one."""
    kept = {"flow", "finished_ms"} if case.segments else set(COLUMNS) - {"finished_ms"}
    rounded = {name: round(value, 4) for name, value in row.items() if isinstance(value, float)}
    return {name: value for name, value in (row | rounded).items() if name in kept}


def measure(ns3: Path, out: Path, workers: int) -> None:
    """Run all cases in all programs and write a line for each flow of each repeat."""
    programs = {"headgate": run_headgate, "ns-3": run_ns3(ns3), "ns-2": run_ns2}
    jobs = [
        (name, run, case, repeat)
        for case in (*LONG, *SHORT)
        for name, run in programs.items()
        for repeat in range(1, case.repeats + 1)
    ]
    with ThreadPoolExecutor(workers) as pool, out.open("w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        for rows in pool.map(_one, jobs):
            writer.writerows(rows)
            file.flush()
