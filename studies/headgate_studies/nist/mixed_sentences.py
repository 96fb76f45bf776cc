"""What a mixed deployment says in plain sentences beside its analyses."""

from __future__ import annotations

import numpy as np

from headgate.lab import make_possible
from headgate_studies.nist.competing import COLUMNS, Rates
from headgate_studies.nist.findings_movies import movies
from headgate_studies.nist.mixed_estimates import LARGE
from headgate_studies.nist.mixed_runs import Mixed
from headgate_studies.nist.sentences import balance
from headgate_studies.nist.size import describe_preserved


def sentences(of: Mixed) -> tuple[str, ...]:
    """Say how congested it is, who gains for large files, how much is known, and what adds up."""
    said = make_possible((_congestion, _large_files, _uncongested, _known_answers, _balance), of)
    return (*said, *describe_preserved(of.setup.settings))


def _congestion(of: Mixed) -> str:
    light, heavy = map(of.experiment.sent_again, (of.light, of.heavy))
    return (
        f"With TCP in the law's place, {light} of the packets are retransmitted in the"
        f" least congested quarter of the conditions and {heavy} in the most congested one."
    )


def _large_files(of: Mixed) -> str:
    light, heavy = (_gains(of.rates.only(names, LARGE)) for names in (of.light, of.heavy))
    return (
        "Service packs and movies get, over what TCP flows beside them get, and over the same with"
        f" TCP in the law's place, in the least congested quarter: {light}; in the most congested"
        f" one: {heavy}."
    )


def _uncongested(of: Mixed) -> str:
    return (
        "Movies get, over what TCP's get that begin beside them, and over the same with TCP in the"
        " law's place, over very fast paths in the uncongested corner:"
        f" {_gains(movies(of))}."
    )


def _known_answers(of: Mixed) -> str:
    table = of.experiment.table
    known = np.mean([np.isfinite(np.asarray(table[name], dtype=float)) for name in COLUMNS])
    return (
        f"Of all throughputs by kind of file, path, interface and side, {100 * known:.0f} % are"
        " known; the rest had no flow."
    )


def _balance(of: Mixed) -> str:
    return balance(of.results.values())


def _gains(rates: Rates) -> str:
    logs = dict(zip(rates.laws, np.nanmean(rates.ahead(), axis=0).tolist(), strict=True))
    ranked = sorted(logs, key=logs.__getitem__, reverse=True)
    return ", ".join(f"{law} {np.exp(logs[law]):.2f}" for law in ranked)
