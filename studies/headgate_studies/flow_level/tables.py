"""The tables of the report, and the data behind it."""

from __future__ import annotations

import numpy as np

from headgate import Result, Table
from headgate.lab import Listing, make_possible
from headgate_studies.flow_level import fits, measures, networks, theory
from headgate_studies.flow_level.findings_rests import KINDS, points
from headgate_studies.flow_level.jobs import DELAYED, LOSSY, NAMES
from headgate_studies.flow_level.solutions import Solutions
from headgate_studies.paths import MBPS, PACKET_BITS, utilisation
from headgate_studies.tidy_table import tidy


def tables(made: Solutions) -> tuple[Listing, ...]:
    """Return every table of the report; one whose runs this scale lacks is left out."""
    listed = (_exponents, _windows, _shares, _convergence)
    return make_possible(listed, made)


def data(made: Solutions) -> tuple[Table, ...]:
    """Return the measures of every run by packets, one table a part."""
    return tidy(made, {"utilisation": utilisation, "rate_packets_s": _rate, "wait_s": _wait})


def _rate(result: Result) -> float:
    return float(measures.rates(result).mean())


def _wait(result: Result) -> float:
    return float(result.ports["mean_wait_s"][0])


def _exponents(made: Solutions) -> Listing:
    rows = []
    for law in (*LOSSY, *DELAYED):
        for kind in ("solution", *(KINDS if law in LOSSY else ("packets",))):
            fit = fits.power(*points(made, law, kind))
            printed = theory.PRINTED.get(law, (1.0, 0.0))[0]
            interval = f"{fit.low:.4f} … {fit.high:.4f}"
            rows.append((NAMES[law], kind, f"{printed:g}", f"{fit.exponent:.4f}", interval))
    return Listing(
        "Exponents",
        "Least squares through logarithms of price and window (of delays: rate). Windows by packets"
        " are mean rate times round trip, without a queue and without delayed ACKs.",
        ("law", "by", "printed", "exponent", "95 % interval"),
        rows,
    )


def _windows(made: Solutions) -> Listing:
    rows = []
    for law in LOSSY:
        for kind in KINDS:
            for p, ours in measures.means(made, kind, law).items():
                derived = theory.mean_window(law, p, random=kind == "random")
                printed = theory.printed_window(law, p)
                cells = (f"{value:.4g}" for value in (p, printed, derived, ours))
                rows.append((NAMES[law], kind, *cells, f"{100 * (ours / derived - 1):+.1f} %"))
    return Listing(
        "Windows under loss",
        "Packets. Derived: a cycle of growth, cut and one round trip of recovery, round by round.",
        ("law", "losses", "p", "printed", "derived", "by packets", "off"),
        rows,
    )


def _shares(made: Solutions) -> Listing:
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
