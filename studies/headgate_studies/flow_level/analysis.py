"""The sentences, the tables and the data of the report."""

import numpy as np

from headgate import Result, Table
from headgate.claims import format_values
from headgate.lab import Listing, Runs, make_possible
from headgate_studies.designed import tidy
from headgate_studies.flow_level import measures, networks, theory
from headgate_studies.flow_level.findings import KINDS, points
from headgate_studies.flow_level.jobs import DELAYED, LOSSY, NAMES
from headgate_studies.flow_level.solutions import Solutions
from headgate_studies.paths import MBPS, PACKET_BITS, utilisation


def prepare(runs: Runs) -> Solutions:
    """Put the solutions beside the runs by packets; they are made here."""
    return Solutions(runs.setup, runs.results)


def sentences(made: Solutions) -> tuple[str, ...]:
    """State the results; sentences without runs at this scale are left out."""
    listed = (_exponents, _alphas, _shares, _reno, _theorem, _packets)
    return make_possible(listed, made)


def _exponents(made: Solutions) -> str:
    own = [f"{NAMES[cca]} {_both(made, cca)}" for cca in (*LOSSY, *DELAYED)]
    return f"Exponents of the price at rest, by solution and by packets: {', '.join(own)}."


def _both(made: Solutions, cca: str) -> str:
    kinds = ("solution", "periodic" if cca in LOSSY else "packets")
    found = [theory.power(*points(made, cca, kind)).exponent for kind in kinds]
    return f"{found[0]:.3f} and {found[1]:.3f}"


def _alphas(made: Solutions) -> str:
    own = []
    for cca in LOSSY:
        exponent, printed = theory.PRINTED[cca]
        kinds = ("solution", "periodic", "random")
        found = [theory.constant(*points(made, cca, kind), exponent) for kind in kinds]
        each = ", ".join(f"{alpha:.4g}" for alpha in found)
        own.append(f"{NAMES[cca]} {each} (printed {printed:g})")
    return f"Alpha by solution, with periodic and with random losses: {'; '.join(own)}."


def _shares(made: Solutions) -> str:
    off = [
        np.abs(measures.by_class(made, name, "fast") / made.fairest[name] - 1).max()
        for name in networks.ROWS
    ]
    return (
        f"Over several bottlenecks FAST's rates by packets are within {100 * max(off):.2g} % of"
        " those with the greatest sum of alpha log x, for all round trips."
    )


def _reno(made: Solutions) -> str:
    reno, fast = (
        float(np.mean(measures.ratio(made, cca, "near", "far"))) for cca in ("reno", "fast")
    )
    return (
        f"Of two flows over one path a round trip of 30 ms gets {fast:.2f} times what one of 120 ms"
        f" gets with FAST, {reno:.1f} times with Reno."
    )


def _theorem(made: Solutions) -> str:
    worst = {
        networks.EVERY[name].title: float(found.worst_ratio.max())
        for name, found in made.convergence.items()
    }
    starts = made.setup.settings["theorem"]["starts"]
    return (
        f"From {starts} starts each update of FAST's map brings windows nearer to rest; greatest"
        f" ratios of distances: {format_values(worst)}."
    )


def _packets(made: Solutions) -> str:
    return (
        f"By packets, four flows that began with windows from 10 to 1000 packets draw together by a"
        f" factor of {measures.factor(made):.3f} an update; linear theory has"
        f" {measures.derived_factor(made.setup):.4f}."
    )


def tables(made: Solutions) -> tuple[Listing, ...]:
    """Return every table of the report; one whose runs this scale lacks is left out."""
    listed = (_list_exponents, _windows, _list_shares, _convergence)
    return make_possible(listed, made)


def data(made: Solutions) -> tuple[Table, ...]:
    """Return the measures of every run by packets, one table a part."""
    return tidy(made, {"utilisation": utilisation, "rate_packets_s": _rate, "wait_s": _wait})


def _rate(result: Result) -> float:
    return float(measures.rates(result).mean())


def _wait(result: Result) -> float:
    return float(result.ports["mean_wait_s"][0])


def _list_exponents(made: Solutions) -> Listing:
    rows = []
    for cca in (*LOSSY, *DELAYED):
        for kind in ("solution", *(KINDS if cca in LOSSY else ("packets",))):
            fit = theory.power(*points(made, cca, kind))
            printed = theory.PRINTED.get(cca, (1.0, 0.0))[0]
            interval = f"{fit.low:.4f} … {fit.high:.4f}"
            rows.append((NAMES[cca], kind, f"{printed:g}", f"{fit.exponent:.4f}", interval))
    return Listing(
        "Exponents",
        "Least squares through logarithms of price and window (of delays: rate). Windows by packets"
        " are mean rate times round trip, without a queue and without delayed ACKs.",
        ("cca", "by", "printed", "exponent", "95 % interval"),
        rows,
    )


def _windows(made: Solutions) -> Listing:
    rows = []
    for cca in LOSSY:
        for kind in KINDS:
            for p, ours in measures.means(made, kind, cca).items():
                derived = theory.mean_window(cca, p, random=kind == "random")
                printed = theory.printed_window(cca, p)
                cells = (f"{value:.4g}" for value in (p, printed, derived, ours))
                rows.append((NAMES[cca], kind, *cells, f"{100 * (ours / derived - 1):+.1f} %"))
    return Listing(
        "Windows under loss",
        "Packets. Derived: a cycle of growth, cut and one round trip of recovery, round by round.",
        ("cca", "losses", "p", "printed", "derived", "by packets", "off"),
        rows,
    )


def _list_shares(made: Solutions) -> Listing:
    rows = []
    for name, row in networks.ROWS.items():
        each = (
            made.fairest[name],
            made.settled[name],
            measures.by_class(made, name, "fast"),
            measures.by_class(made, name, "reno"),
        )
        for index, (cls, one) in enumerate(row.classes.items()):
            hops = f"{one.first + 1} to {one.last}" if one.last > one.first + 1 else one.last
            mbps = (f"{rates[index] * PACKET_BITS / MBPS:.3f}" for rates in each)
            rows.append((row.title, cls, hops, f"{one.rtt_ms:g}", f"{one.alpha:g}", *mbps))
    return Listing(
        "Rates over several bottlenecks",
        "Mbit/s of one flow of each class.",
        (
            "network",
            "class",
            "links",
            "RTT (ms)",
            "alpha",
            "greatest utility",
            "solved",
            "FAST by packets",
            "Reno by packets",
        ),
        rows,
    )


def _convergence(made: Solutions) -> Listing:
    rows = []
    for name, found in made.convergence.items():
        rate = float(np.nanmax(found.rate))
        rows.append(
            (
                networks.EVERY[name].title,
                len(found.distance),
                found.distance.shape[1] - 1,
                f"{found.worst_ratio.max():.4f}",
                f"{rate:.4f}",
                f"{found.linear_rate:.4f}",
                f"{found.linear_bound:.4f}",
            )
        )
    return Listing(
        "FAST's map from many starts",
        "Updates until all starts are within 1e-9 of rest; the greatest ratio of two distances that"
        " follow one another; the slowest factor near rest, and what linear theory has for it.",
        ("network", "starts", "updates", "greatest ratio", "near rest", "linear", "its bound"),
        rows,
    )
