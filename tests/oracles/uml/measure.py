"""Measures all that is stored of the booted kernel: `python -m tests.oracles.uml.measure OUT`.

Each batch runs `REPEATS` times for a minute. `OUT` gets `runs.csv`, `joins.csv` and `buckets.csv`,
and a folder of samples for each batch; one that is there already is not run again.
"""

import sys
from pathlib import Path

from .boot import Run, boot
from .figures import of_batch, write

REPEATS = 3
SECONDS, INTERVAL_MS = 60, 10
FIFO = {buffer: f"netem rate 20mbit -14 limit {buffer + 1}" for buffer in (33, 67, 201)}
BUCKET_BYTES = 3000
RED = "red limit 300000 min 30000 max 90000 avpkt 1500 burst 34 bandwidth 20Mbit probability 0.1"
MARKING = "red limit 101000 min 15000 max 16500 avpkt 1500 burst 10 bandwidth 20Mbit"
QDISCS = {
    "codel": "codel",
    "fqcodel": "fq_codel",
    "pie": "pie",
    "red": f"{RED} adaptive",
    "dctcp": f"{MARKING} probability 1.0 ecn",
    "cake": "cake unlimited besteffort",
    "fqcodelstep": "fq_codel ce_threshold 1ms",
}
#: CAKE shapes by itself. `overhead 0` counts packets without the header of Ethernet.
SHAPER = "cake bandwidth 20mbit besteffort overhead 0"
DELAY_MS = 40.0
Flows = tuple[tuple[str, float], ...]


def alone(cca: str, buffer: int, sender_qdisc: str = "none") -> Run:
    """One flow over a FIFO in which this number of packets waits."""
    name = f"{cca}-{buffer}" + ("" if sender_qdisc == "none" else f"-{sender_qdisc}")
    return Run(name, DELAY_MS, FIFO[buffer], ((cca, 0.0),), sender_qdisc)


def queued(qdisc: str, flows: int) -> Run:
    """Flows over a queue discipline below a token bucket."""
    return Run(f"{qdisc}{flows}", DELAY_MS, *below_bucket(qdisc, flows))


def below_bucket(qdisc: str, flows: int, burst: int = BUCKET_BYTES) -> tuple[str, Flows]:
    """A token bucket of some bytes with the discipline below it, and the flows."""
    cca = "dctcp" if qdisc in ("dctcp", "fqcodelstep") else "cubic"
    bucket = f"tbf rate 20mbit burst {burst} limit 10000000"
    return f"{bucket} | {QDISCS[qdisc]}", ((cca, 0.0),) * flows


def in_bucket(burst: int, flows: int) -> Run:
    """Flows that are marked at 1 ms below a bucket of another size."""
    return Run(f"burst{burst}-{flows}", DELAY_MS, *below_bucket("fqcodelstep", flows, burst))


def shaped(flows: int) -> Run:
    """Flows over CAKE's shaper, without a bucket."""
    return Run(f"cakeshaper{flows}", DELAY_MS, SHAPER, (("cubic", 0.0),) * flows)


def joining(beside: str, start_s: float) -> Run:
    """A cubic flow that begins beside another."""
    flows = ((beside, 0.0), ("cubic", start_s))
    return Run(f"join-{beside}-{start_s:g}", DELAY_MS, FIFO[67], flows)


BATCHES = {
    "A": [alone(cca, 67) for cca in ("highspeed", "scalable", "yeah", "vegas")],
    "B": [alone("westwood", 67), alone("cubic", 67), alone("cubic", 33), alone("reno", 33)],
    "C": [queued(qdisc, 1) for qdisc in ("codel", "fqcodel", "pie", "red")],
    "D": [queued(qdisc, 4) for qdisc in ("codel", "fqcodel", "pie", "red")],
    "E": [queued(qdisc, 16) for qdisc in ("codel", "fqcodel")],
    "F": [alone("highspeed", 33), alone("bbr", 67), alone("bbr", 33), alone("vegas", 33)],
    "G": [queued(qdisc, 16) for qdisc in ("pie", "red")],
    "H": [alone(cca, 67) for cca in ("bic", "illinois", "htcp", "reno")],
    "L": [joining(beside, start_s) for beside in ("cubic", "reno") for start_s in (20, 20.3)],
    "P": [alone("cubic", 67, "fq"), alone("cubic", 201, "fq"), alone("reno", 67, "fq")],
    "T": [queued("dctcp", flows) for flows in (1, 4)],
    "U": [*(queued("cake", flows) for flows in (1, 4)), *(shaped(flows) for flows in (1, 4))],
    "V": [queued("cake", 16)],
    "W": [shaped(16)],
    "X": [queued("fqcodelstep", flows) for flows in (1, 4)],
    "Y": [in_bucket(burst, flows) for burst in (1500, 3000, 6000) for flows in (1, 4)],
}
#: Tables of the batches that are not in `runs`, and the column each table is sorted by.
TABLES = {"L": "joins", "Y": "buckets"}
SORTED_BY = {"runs": "run", "joins": "beside", "buckets": "run"}


def main() -> None:
    """Run what is missing, and write the tables."""
    out = Path(sys.argv[1])
    tables: dict[str, list[dict[str, object]]] = {name: [] for name in SORTED_BY}
    for repeat in range(1, REPEATS + 1):
        for batch, runs in BATCHES.items():
            folder = out / f"{batch}{repeat}"
            if not (folder / "queues.csv").exists():
                boot(runs, folder, SECONDS, INTERVAL_MS)
            rows = of_batch(runs, folder)
            print(folder.name, "kept" if rows else "left out: the machine did not keep time")
            named = [row | {"batch": f"{batch}{repeat}.{at}"} for at, row in enumerate(rows)]
            tables[TABLES.get(batch, "runs")] += named
    for name, key in SORTED_BY.items():
        write(sorted(tables[name], key=lambda row: str(row[key])), out / f"{name}.csv")


if __name__ == "__main__":
    main()
