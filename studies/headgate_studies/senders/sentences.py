"""The answer of the study in plain sentences, each with its numbers."""

from __future__ import annotations

import numpy as np

from headgate.lab import Runs, make_possible
from headgate_studies.paths import utilisation
from headgate_studies.senders import measures, together
from headgate_studies.senders.jobs import TCP

NAMED = 4


def sentences(runs: Runs) -> tuple[str, ...]:
    """Say what tells the laws apart; what this scale did not run is left out."""
    return make_possible(
        (_alone, _start, _loss, _lossy, _beside, _newcomer, _describe_crowded), runs
    )


def _rank(values: dict[str, float], text: str = "{:.2f}") -> str:
    """Name the least and the largest few."""
    order = sorted(values, key=lambda law: values[law])
    told = [f"{law} {text.format(values[law])}" for law in order]
    if len(told) <= 2 * NAMED:
        return ", ".join(told)
    return f"{', '.join(told[:NAMED])} ... {', '.join(told[-NAMED:])}"


def _alone(runs: Runs) -> str:
    part = runs.setup.settings["alone"]
    where = (part["rates"][-1], part["rtts_ms"][-1], 0.25)
    used = {law: 100 * utilisation(runs["alone", law, *where]) for law in runs.setup.laws}
    return (
        f"Alone on {where[0]} and {where[1]} ms with a quarter of a BDP of buffer, for"
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
        f"After one lost packet a law keeps so much of its window: {_rank(kept, '{:.0f} %')};"
        f" it has the rate again after {_rank(back, '{:.1f} s')}."
    )


def _lossy(runs: Runs) -> str:
    rate, loss = "100 Mbit/s", 1e-3
    used = {
        law: 100 * float(np.mean(measures.lossy(runs, rate, law, loss))) for law in runs.setup.laws
    }
    return f"At a random loss of 0.1 % on {rate} and 100 ms: {_rank(used, '{:.0f} %')}."


def _beside(runs: Runs) -> str:
    left = {law: 100 * float(np.mean(together.tcp_share(runs, law))) for law in runs.setup.laws}
    return (
        "Of what a TCP flow gets beside another one, it gets so much beside a flow of another law:"
        f" {_rank(left, '{:.0f} %')}."
    )


def _newcomer(runs: Runs) -> str:
    shares = {
        law: 100 * float(np.mean(together.newcomer_share(runs, law, law)))
        for law in runs.setup.laws
    }
    told = _rank(shares, "{:.0f} %")
    return f"A newcomer's share of its first minute beside its own law: {told}."


def _describe_crowded(runs: Runs) -> str:
    again = {
        law: 100
        * float(
            np.mean([measures.share_resent(r) for r in measures.crowded_runs(runs, law, "high")])
        )
        for law in runs.setup.laws
    }
    return f"Forty flows, a packet of buffer each: sent again are {_rank(again, '{:.1f} %')}."
