"""What a mixed deployment says in plain sentences beside its analyses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from headgate.studies.nist.competing import COLUMNS
from headgate.studies.nist.fairness import LARGE, by_law
from headgate.studies.nist.mixed_runs import Mixed


def sentences(of: Mixed) -> tuple[str, ...]:
    """Say how congested it is, who gains for large files, and how many throughputs are known."""
    experiment = of.experiment
    resent = [
        float(np.mean([experiment.others("y10", name) for name in names]))
        for names in (of.light, of.heavy)
    ]
    gains = [_gains(of, names) for names in (of.light, of.heavy)]
    table = experiment.table
    known = np.mean([np.isfinite(np.asarray(table[name], dtype=float)) for name in COLUMNS])
    return (
        f"Without FAST and FAST-AT, {100 * resent[0]:.2g} % of the packets are sent again in the"
        f" least congested quarter of the conditions and {100 * resent[1]:.2g} % in the most"
        " congested one.",
        "Service packs and movies get, over what TCP flows beside them get, without congestion:"
        f" {gains[0]}; under heavy congestion: {gains[1]}.",
        f"Of all throughputs by kind of file, path, interface and side, {100 * known:.0f} % are"
        " known; the rest had no flow.",
    )


def _gains(of: Mixed, names: Sequence[str]) -> str:
    logs = by_law(of.rates.only(names, LARGE))
    ranked = sorted(logs, key=logs.__getitem__, reverse=True)
    return ", ".join(f"{law} {np.exp(logs[law]):.2f}" for law in ranked)
