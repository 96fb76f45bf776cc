"""The sentences, the tables and the data of the report."""

from collections.abc import Callable, Mapping

import numpy as np

from headgate import Result, Table
from headgate.lab import Listing, NotRunError, Runs, make_possible
from headgate_studies.designed import tidy
from headgate_studies.fast.measures import dsl_rtt_s, oc192_utilisation, random_utilisation
from headgate_studies.paths import (
    goodput_bps,
    loss_rate,
    mean_of,
    mean_queue,
    queue_share,
    shares,
    utilisation,
)

PUBLISHED_LONG_FAT = {"reno": (0.19, 0.27)}
PUBLISHED_OC192 = {"reno": (0.30,), "westwood": (0.40,), "bic": (0.50,), "fast": (0.79,)}
MEASURES: Mapping[str, Callable[[Result], float]] = {
    "utilisation": utilisation,
    "goodput_bps": goodput_bps,
    "mean_queue_packets": mean_queue,
    "loss_rate": loss_rate,
}


def sentences(runs: Runs) -> tuple[str, ...]:
    """Describe FAST's results and failures; sentences without runs at this scale are left out."""
    made = (_queue, _latecomers, _reno, _overfull, _long_fat, _kaist, _dsl, _loss)
    return make_possible(made, runs)


def _queue(runs: Runs) -> str:
    rates, rtts = (runs.setup.settings[name] for name in ("rates_mbps", "rtts_s"))
    queues = [mean_queue(runs["capacity", rate, rtt]) for rate in rates for rtt in rtts]
    return (
        f"Two flows with alpha 50 keep {min(queues):.0f} to {max(queues):.0f} packets in the queue"
        f" from {rates[0]} to {rates[-1]} Mbit/s and from"
        f" {1e3 * rtts[0]:g} to {1e3 * rtts[-1]:g} ms: alpha times the number of flows,"
        " on every path."
    )


def _latecomers(runs: Runs) -> str:
    older, newer = shares(runs["latecomers", 2])
    ten = shares(runs["latecomers", 10])
    return (
        f"Equal flows share equally only if each knows its true round trip. Of two that come one"
        f" after the other the first gets {older:.3f}, the second {newer:.3f}; of ten the oldest"
        f" {ten[0]:.3f}, the youngest {ten[-1]:.3f}."
    )


def _reno(runs: Runs) -> str:
    crowded, fair = (
        np.mean([shares(run)[0] for run in runs.replicates("against reno", "doubling", *case)])
        for case in ((1.0, 0.05), (1.0, 0.4))
    )
    return (
        f"Beside one Reno and a buffer of one BDP, FAST gets {100 * crowded:.0f} % with alpha of"
        f" 0.05 BDP and {100 * fair:.0f} % with 0.4 BDP: its share is set by alpha over the buffer."
    )


def _overfull(runs: Runs) -> str:
    lost, kept = (
        mean_of(loss_rate, runs.replicates("overfull", room))
        for room in runs.setup.settings["rooms"]
    )
    return (
        f"With a buffer for half of N alpha, windows swing and {100 * lost:.1f} % of the packets"
        f" are lost; with a buffer for twice N alpha {100 * kept:.1g} %."
    )


def _long_fat(runs: Runs) -> str:
    losses = [p for p in runs.setup.settings["long_fat"]["losses"] if p > 0]
    listed = []
    for loss in (losses[0], losses[-1]):
        fast, reno = (
            mean_of(utilisation, runs.replicates("long fat", cca, loss)) for cca in ("fast", "reno")
        )
        listed.append(f"{100 * fast:.0f} % against {100 * reno:.0f} % at a loss of {loss:g}")
    return f"On 1 Gbit/s and 180 ms FAST uses more than Reno: {', '.join(listed)}."


def _kaist(runs: Runs) -> str:
    full = sorted(
        ((cca, queue_share(runs["kaist", cca])) for cca in runs.setup.ccas), key=lambda x: x[1]
    )
    listed = ", ".join(f"{cca} {100 * share:.0f} %" for cca, share in full)
    return f"Share of the buffer that one flow fills on that path, in the mean: {listed}."


def _dsl(runs: Runs) -> str:
    fast, reno = (1e3 * dsl_rtt_s(runs["dsl", cca, 10]) for cca in ("fast", "reno"))
    return f"A DSL upload makes the round trip {reno:.0f} ms under Reno, {fast:.0f} ms under FAST."


def _loss(runs: Runs) -> str:
    fast, reno = (
        random_utilisation(runs, "100 Mbit/s", sender, 1e-3) for sender in ("doubling", "reno")
    )
    return (
        f"At a random loss of 0.1 % on 100 Mbit/s and 100 ms FAST uses {100 * fast:.0f} % and Reno"
        f" {100 * reno:.0f} %; the model with doubling promises 59 %, which its own bursts prevent."
    )


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_explaining_losses(runs),)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every run, one table a part."""
    return tidy(runs, MEASURES)


def _explaining_losses(runs: Runs) -> Listing:
    """Say which residual loss gives an algorithm its published figure."""
    rows = [
        (path, cca, published, _loss_for(runs, part, cca, published))
        for path, part, all_published in (
            ("1 Gbit/s, 180 ms", "long fat", PUBLISHED_LONG_FAT),
            ("9.5 Gbit/s, 264 ms", "oc192", PUBLISHED_OC192),
        )
        for cca, values in all_published.items()
        for published in values
    ]
    return Listing(
        "The loss that would explain it",
        "Residual loss at which an algorithm reaches the published utilisation, interpolated"
        " between the losses that were run: an assumption that fits, not a claim. If none fits,"
        " duration, hosts or buffers must have set the figure.",
        ("path", "cca", "published", "residual loss"),
        rows,
    )


def _loss_for(runs: Runs, part: str, cca: str, published: float) -> str:
    losses = [p for p in runs.setup.settings[part.replace(" ", "_")]["losses"] if p > 0]
    try:
        used = [_utilisation(runs, part, cca, loss) for loss in losses]
    except NotRunError as reason:
        return str(reason)
    if not min(used) <= published <= max(used):
        return f"none from {losses[0]:g} to {losses[-1]:g} ({max(used):.2f} to {min(used):.2f})"
    log = np.interp(-published, -np.maximum.accumulate(used[::-1])[::-1], np.log10(losses))
    return f"{10**log:.2g}"


def _utilisation(runs: Runs, part: str, cca: str, loss: float) -> float:
    if part == "oc192":
        return oc192_utilisation(runs, cca, loss, 1.0)
    return mean_of(utilisation, runs.replicates(part, cca, loss))
