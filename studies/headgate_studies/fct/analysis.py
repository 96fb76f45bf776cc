"""The sentences, the tables and the data of the report."""

import numpy as np

from headgate import Table, Words
from headgate.lab import Listing, Runs, make_possible
from headgate_studies.fct.jobs import BASE, DATA_CENTRE, cases, levels, protocols
from headgate_studies.fct.measures import (
    PARTS,
    SHOWN,
    Times,
    bins,
    gap_s,
    mean_port,
    mean_total,
    of_bin,
    parts_s,
    total,
)
from headgate_studies.fct.pictures import NAMES


def sentences(runs: Runs) -> tuple[str, ...]:
    """State the results; sentences without runs at this scale are left out."""
    made = (_answer, _tcp, _xcp, _gap, _steady, _loads, _ideal, _data_centre)
    return make_possible(made, runs)


def _answer(runs: Runs) -> str:
    listed = []
    for low, high in ((5, 50), (500, SHOWN)):
        of = [
            f"{NAMES[p]} {Times.of(runs, BASE, p).mean('sender_s', low, high):.3g} s"
            for p in protocols(runs.setup, BASE)
            if p in NAMES
        ]
        times = Times.of(runs, BASE, protocols(runs.setup, BASE)[0])
        formula = times.expect(times.formula_s, "sender_s", low, high)
        listed.append(
            f"{low} to {high:,} packets: {', '.join(of)}, processor sharing {formula:.3g}"
        )
    return f"Average completion times, {'; '.join(listed)} s."


def _gap(runs: Runs) -> str:
    times = Times.of(runs, BASE, "rcp")
    parts = [parts_s(times, *each) for each in bins(200, SHOWN)]
    mean = {name: 1e3 * float(np.mean([part[name] for part in parts])) for name in PARTS}
    said = ", ".join(f"{name} {value:+.0f} ms" for name, value in mean.items())
    return (
        f"To the sender's last ACK RCP takes {1e3 * gap_s(times):.0f} ms longer than processor"
        f" sharing; from 200 to 2,000 packets that is made of: {said}."
    )


def _loads(runs: Runs) -> str:
    protocol = protocols(runs.setup, BASE)[0]
    loads = [total(run, "offered_load") for run in runs.replicates(BASE, protocol)]
    exact = Times.of(runs, BASE, protocol)
    return (
        f"The flows of a run offer {min(loads):.2f} to {max(loads):.2f} of the link, not"
        f" {exact.load:g}; exact processor sharing of these flows takes"
        f" {exact.over_sharing('sharing_s', 500, SHOWN):.2f} of the formula at 500 to 2,000 packets"
        f" and {exact.over_sharing('sharing_s', 5_000, 10_000):.2f} at 5,000 to 10,000."
    )


def _steady(runs: Runs) -> str:
    shapes, trips = (_over(runs, factor) for factor in ("shape", "rtt"))
    return (
        "To the receiver's last packet RCP takes nearly as long as processor sharing, for every"
        f" shape of the sizes ({shapes}) and every round trip ({trips})."
    )


def _over(runs: Runs, factor: str) -> str:
    """Say within which bounds RCP is, over processor sharing, of flows up to 2,000 packets."""
    cases = levels(runs.setup, factor)
    times = [Times.of(runs, case, "rcp") for case in cases.values()]
    ratios = [one.over_sharing("receiver_s", *b) for one in times for b in ((1, 200), (500, SHOWN))]
    first, *_, last = cases
    return f"{first} to {last}: {min(ratios):.2f} to {max(ratios):.2f} times"


def _tcp(runs: Runs) -> str:
    times, rcp = Times.of(runs, BASE, "tcp"), Times.of(runs, BASE, "rcp")
    ratio = times.mean("sender_s", 500, SHOWN) / rcp.mean("sender_s", 500, SHOWN)
    drops = mean_port(runs, BASE, "tcp", "drops")
    timeouts = mean_total(runs, BASE, "tcp", "timeouts")
    return (
        f"TCP takes {ratio:.1f} times as long as RCP from 500 to 2,000 packets; a run drops"
        f" {drops:,.0f} packets and has {timeouts:,.0f} time-outs."
    )


def _xcp(runs: Runs) -> str:
    xcp, tcp = Times.of(runs, BASE, "xcp"), Times.of(runs, BASE, "tcp")
    ratios = [xcp.mean("sender_s", *b) / tcp.mean("sender_s", *b) for b in bins(10, 500)]
    return (
        f"XCP takes {min(ratios):.2f} to {max(ratios):.2f} times as long as TCP for flows of 10 to"
        " 500 packets."
    )


def _ideal(runs: Runs) -> str:
    protocol = protocols(runs.setup, BASE)[0]
    sharing, shortest = (
        1e3 * mean_total(runs, BASE, protocol, name) for name in ("sharing_s", "shortest_first_s")
    )
    return (
        f"A flow spends {sharing:.2f} ms in the link under processor sharing in the mean, and"
        f" {shortest:.2f} ms with the shortest remaining first: processor sharing can be"
        " outperformed, but beside the round trips of the handshake it hardly shows."
    )


def _data_centre(runs: Runs) -> str:
    listed = ", ".join(
        f"{NAMES[p]} {1e3 * Times.of(runs, DATA_CENTRE, p).mean('sender_s'):.3g} ms"
        for p in protocols(runs.setup, DATA_CENTRE)
    )
    return f"In a data centre (10 Gbit/s, 100 us) a flow takes in the mean: {listed}."


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_list_times(runs), _list_links(runs))


def _list_times(runs: Runs) -> Listing:
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


def _list_links(runs: Runs) -> Listing:
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
