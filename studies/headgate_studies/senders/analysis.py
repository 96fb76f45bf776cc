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
    order = sorted(values, key=lambda cca: values[cca])
    listed = [f"{cca} {text.format(values[cca])}" for cca in order]
    if len(listed) <= 2 * NAMED:
        return ", ".join(listed)
    return f"{', '.join(listed[:NAMED])} ... {', '.join(listed[-NAMED:])}"


def _alone(runs: Runs) -> str:
    part = runs.setup.settings["alone"]
    place = (part["rates"][-1], part["rtts_ms"][-1], 0.25)
    used = {cca: 100 * utilisation(runs["alone", cca, *place]) for cca in runs.setup.ccas}
    return (
        f"Alone on {place[0]} and {place[1]} ms with a quarter of a BDP of buffer, for"
        f" {part['durations'][-1]}, utilisation is {_rank(used, '{:.0f} %')}."
    )


def _start(runs: Runs) -> str:
    high, low = (
        {cca: measures.full_rate_s(runs, cca, kind) for cca in runs.setup.ccas}
        for kind in ("high", "low")
    )
    return (
        f"With an infinite first threshold TCP reaches 100 Mbit/s at 100 ms in {high[TCP]:.1f} s;"
        f" with one of 100 packets in {low[TCP]:.0f} s, the others in {_rank(low, '{:.1f} s')}."
    )


def _loss(runs: Runs) -> str:
    kept = {cca: 100 * measures.share_kept(runs, cca) for cca in runs.setup.ccas}
    back = {cca: measures.recovery_s(runs, cca) for cca in runs.setup.ccas}
    return (
        "Share of the window that an algorithm keeps after one lost packet:"
        f" {_rank(kept, '{:.0f} %')}; it reaches the rate again after {_rank(back, '{:.1f} s')}."
    )


def _lossy(runs: Runs) -> str:
    rate, loss = "100 Mbit/s", 1e-3
    used = {
        cca: 100 * float(np.mean(measures.lossy(runs, rate, cca, loss))) for cca in runs.setup.ccas
    }
    return f"At a random loss of 0.1 % on {rate} and 100 ms: {_rank(used, '{:.0f} %')}."


def _beside(runs: Runs) -> str:
    left = {cca: 100 * float(np.mean(measures.tcp_share(runs, cca))) for cca in runs.setup.ccas}
    return (
        "Goodput of a TCP flow beside another algorithm, over its goodput beside another TCP flow:"
        f" {_rank(left, '{:.0f} %')}."
    )


def _newcomer(runs: Runs) -> str:
    shares = {
        cca: 100 * float(np.mean(measures.newcomer_share(runs, cca, cca)))
        for cca in runs.setup.ccas
    }
    listed = _rank(shares, "{:.0f} %")
    return f"A newcomer's share of its first minute beside its own algorithm: {listed}."


def _describe_crowded(runs: Runs) -> str:
    again = {
        cca: 100 * mean_of(measures.share_resent, measures.crowded_runs(runs, cca, "high"))
        for cca in runs.setup.ccas
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
            cca,
            measures.full_rate_s(runs, cca, "high"),
            measures.full_rate_s(runs, cca, "low"),
            measures.share_kept(runs, cca),
            measures.recovery_s(runs, cca),
            *measures.halved_times_s(runs, cca),
            float(np.mean(measures.tcp_share(runs, cca))),
        )
        for cca in runs.setup.ccas
    ]
    return Listing(
        "Every algorithm in a row",
        "Seconds to 95 % of 100 Mbit/s at 100 ms with an infinite first threshold and with 100"
        " packets; window kept after one lost packet; seconds until it reaches the rate again;"
        " once the path is halved, seconds until its last fall below 95 % of the new rate; once it"
        " is whole again, seconds to 95 % of it; goodput left to TCP (1 = as much as TCP itself).",
        (
            "cca",
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
    rows = [(cca, *(_cell(runs, rate, cca, loss) for loss in losses)) for cca in runs.setup.ccas]
    return Listing(
        f"Utilisation under random loss, {rate}",
        "Ours; in brackets what the round-by-round model gives (for Westwood+ a bound), with a star"
        " if ours differs from it by more than the tolerance.",
        ("cca", *(f"p = {loss:g}" for loss in losses)),
        rows,
    )


def _cell(runs: Runs, rate: str, cca: str, loss: float) -> str:
    ours = float(np.mean(measures.lossy(runs, rate, cca, loss)))
    expected = theory.RANDOM_LOSS[rate].get(cca, {}).get(loss)
    if expected is None:
        return f"{ours:.3g}"
    far = compute_relative_error(ours, expected) > theory.tolerance(loss) and not (
        cca == "westwood" and ours < expected
    )
    return f"{ours:.3g} ({expected:g}){'*' if far else ''}"


def _newcomers(runs: Runs) -> Listing:
    rows, longest_s = [], measures.watch_time_s(runs)
    for cca in runs.setup.ccas:
        times = measures.fair_after(runs, cca)
        known = [time for time in times if np.isfinite(time)]
        said = f"{np.mean(known):.0f}" if len(known) == len(times) else f"over {longest_s:.0f}"
        rows.append((cca, float(np.mean(measures.newcomer_share(runs, cca, cca))), said))
    return Listing(
        "A newcomer beside an established flow of the same algorithm",
        "Share in its first minute, and seconds until its share over ten seconds is between 0.4 and"
        " 0.6 (100 Mbit/s, 40 ms, half a BDP).",
        ("cca", "share of the first minute", "fair after (s)"),
        rows,
    )
