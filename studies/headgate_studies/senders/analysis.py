"""The sentences, the tables and the data of the report."""

from collections.abc import Callable, Mapping
from functools import partial

import numpy as np

from headgate import Result, Table
from headgate.claims import compute_relative_error
from headgate.lab import Listing, Runs, make_possible
from headgate_studies.designed import tidy
from headgate_studies.paths import (
    goodput_bps,
    largest_queue,
    loss_rate,
    mean_of,
    mean_queue,
    utilisation,
)
from headgate_studies.senders import measures, theory
from headgate_studies.senders.jobs import TCP

NAMED = 4
MEASURES: Mapping[str, Callable[[Result], float]] = {
    "utilisation": utilisation,
    "goodput_bps": goodput_bps,
    "mean_queue_packets": mean_queue,
    "max_queue_packets": largest_queue,
    "loss_rate": loss_rate,
    "share": measures.named_share,
}


def sentences(runs: Runs) -> tuple[str, ...]:
    """Compare the algorithms; sentences without runs at this scale are left out."""
    return make_possible(
        (_alone, _start, _loss, _lossy, _beside, _newcomer, _describe_crowded), runs
    )


def _rank(values: dict[str, float], text: str = "{:.2f}") -> str:
    order = sorted(values, key=lambda law: values[law])
    listed = [f"{law} {text.format(values[law])}" for law in order]
    if len(listed) <= 2 * NAMED:
        return ", ".join(listed)
    return f"{', '.join(listed[:NAMED])} ... {', '.join(listed[-NAMED:])}"


def _alone(runs: Runs) -> str:
    part = runs.setup.settings["alone"]
    place = (part["rates"][-1], part["rtts_ms"][-1], 0.25)
    used = {law: 100 * utilisation(runs["alone", law, *place]) for law in runs.setup.laws}
    return (
        f"Alone on {place[0]} and {place[1]} ms with a quarter of a BDP of buffer, for"
        f" {part['durations'][-1]}, utilisation is {_rank(used, '{:.0f} %')}."
    )


def _start(runs: Runs) -> str:
    high, low = (
        {law: measures.full_rate_s(runs, law, kind) for law in runs.setup.laws}
        for kind in ("high", "low")
    )
    return (
        f"With an infinite first threshold TCP reaches 100 Mbit/s at 100 ms in {high[TCP]:.1f} s;"
        f" with one of 100 packets in {low[TCP]:.0f} s, the others in {_rank(low, '{:.1f} s')}."
    )


def _loss(runs: Runs) -> str:
    kept = {law: 100 * measures.share_kept(runs, law) for law in runs.setup.laws}
    back = {law: measures.recovery_s(runs, law) for law in runs.setup.laws}
    return (
        f"Share of the window that a law keeps after one lost packet: {_rank(kept, '{:.0f} %')};"
        f" it reaches the rate again after {_rank(back, '{:.1f} s')}."
    )


def _lossy(runs: Runs) -> str:
    rate, loss = "100 Mbit/s", 1e-3
    used = {
        law: 100 * float(np.mean(measures.lossy(runs, rate, law, loss))) for law in runs.setup.laws
    }
    return f"At a random loss of 0.1 % on {rate} and 100 ms: {_rank(used, '{:.0f} %')}."


def _beside(runs: Runs) -> str:
    left = {law: 100 * float(np.mean(measures.tcp_share(runs, law))) for law in runs.setup.laws}
    return (
        "Goodput of a TCP flow beside another law, over its goodput beside another TCP flow:"
        f" {_rank(left, '{:.0f} %')}."
    )


def _newcomer(runs: Runs) -> str:
    shares = {
        law: 100 * float(np.mean(measures.newcomer_share(runs, law, law)))
        for law in runs.setup.laws
    }
    listed = _rank(shares, "{:.0f} %")
    return f"A newcomer's share of its first minute beside its own law: {listed}."


def _describe_crowded(runs: Runs) -> str:
    again = {
        law: 100 * mean_of(measures.share_resent, measures.crowded_runs(runs, law, "high"))
        for law in runs.setup.laws
    }
    return f"Forty flows, a packet of buffer each: sent again are {_rank(again, '{:.1f} %')}."


def tables(runs: Runs) -> tuple[Listing, ...]:
    """Return every table of the report; one whose runs this scale lacks is left out."""
    lossy = [partial(_list_losses, rate) for rate in theory.RANDOM_LOSS]
    return make_possible([_each, *lossy, _newcomers], runs)


def data(runs: Runs) -> tuple[Table, ...]:
    """Return the measures of every run, one table a part."""
    return tidy(runs, MEASURES)


def _each(runs: Runs) -> Listing:
    rows = [
        (
            law,
            measures.full_rate_s(runs, law, "high"),
            measures.full_rate_s(runs, law, "low"),
            measures.share_kept(runs, law),
            measures.recovery_s(runs, law),
            *measures.halved_times_s(runs, law),
            float(np.mean(measures.tcp_share(runs, law))),
        )
        for law in runs.setup.laws
    ]
    return Listing(
        "Every law in a row",
        "Seconds to 95 % of 100 Mbit/s at 100 ms with an infinite first threshold and with 100"
        " packets; window kept after one lost packet; seconds until it reaches the rate again;"
        " once the path is halved, seconds until its last fall below 95 % of the new rate; once it"
        " is whole again, seconds to 95 % of it; goodput left to TCP (1 = as much as TCP itself).",
        (
            "law",
            "start, high",
            "start, low",
            "kept",
            "back",
            "halved",
            "whole again",
            "left to TCP",
        ),
        rows,
    )


def _list_losses(rate: str, runs: Runs) -> Listing:
    losses = measures.losses(runs, rate)
    rows = [(law, *(_cell(runs, rate, law, loss) for loss in losses)) for law in runs.setup.laws]
    return Listing(
        f"Utilisation under random loss, {rate}",
        "Ours; in brackets what the round-by-round model gives (for Westwood+ a bound), with a star"
        " if ours differs from it by more than the tolerance.",
        ("law", *(f"p = {loss:g}" for loss in losses)),
        rows,
    )


def _cell(runs: Runs, rate: str, law: str, loss: float) -> str:
    ours = float(np.mean(measures.lossy(runs, rate, law, loss)))
    expected = theory.RANDOM_LOSS[rate].get(law, {}).get(loss)
    if expected is None:
        return f"{ours:.3g}"
    far = compute_relative_error(ours, expected) > theory.tolerance(loss) and not (
        law == "westwood" and ours < expected
    )
    return f"{ours:.3g} ({expected:g}){'*' if far else ''}"


def _newcomers(runs: Runs) -> Listing:
    rows, longest_s = [], measures.watch_time_s(runs)
    for law in runs.setup.laws:
        times = measures.fair_after(runs, law)
        known = [time for time in times if np.isfinite(time)]
        said = f"{np.mean(known):.0f}" if len(known) == len(times) else f"over {longest_s:.0f}"
        rows.append((law, float(np.mean(measures.newcomer_share(runs, law, law))), said))
    return Listing(
        "A newcomer beside an established flow of the same law",
        "Share in its first minute, and seconds until its share over ten seconds is between 0.4 and"
        " 0.6 (100 Mbit/s, 40 ms, half a BDP).",
        ("law", "share of the first minute", "fair after (s)"),
        rows,
    )
