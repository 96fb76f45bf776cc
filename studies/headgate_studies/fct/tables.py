"""The tables of the report, and the data behind it."""

from __future__ import annotations

import numpy as np

from headgate import Table, Words
from headgate.lab import Listing, Runs
from headgate_studies.fct.jobs import BASE, cases, protocols
from headgate_studies.fct.measures import Times, bins, mean_port, mean_total, of_bin


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_times(runs), _links(runs))


def _times(runs: Runs) -> Listing:
    names = protocols(runs.setup, BASE)
    done = {name: Times.of(runs, BASE, name) for name in names}
    rows = []
    for each in bins(1, 100_000):
        times = next(iter(done.values()))
        formula = times.expect(times.formula_s, "sharing_s", *each)
        exact = times.mean("sharing_s", *each)
        row = [f"{one.mean('sender_s', *each):.3f}" for one in done.values()]
        rows.append((of_bin(*each), *row, f"{exact:.3f}", f"{formula:.3f}"))
    return Listing(
        "Average completion times (s)",
        "The base, to the sender's last ACK, by size in packets; PS is processor sharing, to the"
        " receiver's last packet: of the same flows exactly, and by the formula.",
        ("packets", *names, "PS, exact", "PS, formula"),
        rows,
    )


def _links(runs: Runs) -> Listing:
    rows = []
    for case in cases(runs.setup):
        for protocol in protocols(runs.setup, case):
            flows = mean_total(runs, case, protocol, "flows")
            unfinished = flows - mean_total(runs, case, protocol, "finished")
            rows.append(
                (
                    case,
                    protocol,
                    f"{mean_total(runs, case, protocol, 'offered_load'):.3f}",
                    f"{mean_port(runs, case, protocol, 'utilisation'):.3f}",
                    f"{1e3 * mean_port(runs, case, protocol, 'mean_wait_s'):.3g}",
                    f"{mean_port(runs, case, protocol, 'max_queue_packets'):,.0f}",
                    f"{mean_port(runs, case, protocol, 'drops'):,.0f}",
                    f"{mean_total(runs, case, protocol, 'timeouts'):,.0f}",
                    f"{flows:,.0f}",
                    f"{unfinished:,.0f}",
                )
            )
    return Listing(
        "What the link saw",
        "Means over the replicates. The offered load is that of the flows which arrived, up to the"
        " end of the run; the same for every protocol of a case.",
        (
            "case", "protocol", "offered load", "utilisation", "mean wait (ms)",
            "largest queue", "drops", "time-outs", "flows", "unfinished",
        ),
        rows,
    )  # fmt: skip


def data(runs: Runs) -> tuple[Table, ...]:
    """Return completion times by case, protocol and size."""
    parts = [_by_size(runs, c, p) for c in cases(runs.setup) for p in protocols(runs.setup, c)]
    whole = {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    words = {name: Words.of(whole[name]) for name in ("case", "protocol")}
    return (Table("completion_times", {**whole, **words}),)


def _by_size(runs: Runs, case: str, protocol: str) -> dict[str, np.ndarray[tuple[int], np.dtype]]:
    times = Times.of(runs, case, protocol)
    rows = len(times.sizes)
    return {
        "case": np.repeat(case, rows),
        "protocol": np.repeat(protocol, rows),
        "size_packets": times.sizes,
        "flows": times.counts["flows"],
        "finished": times.counts["finished"],
        **{name: times.by_size(name) for name in ("sender_s", "receiver_s", "sharing_s")},
        "formula_s": times.formula_s,
    }
