"""Test whether two replicates agree, for a minute of MesoNet 1a's heaviest condition.

    python examples/12_replicates.py [size] [folder]

The size is at most 1. The minute is divided into twelve periods. A response gets a star if the
means of both replicates differ by more than their spread over the periods explains (Welch's test,
5 %). With independent periods, one response in twenty would get a star by chance. Flows longer than
five seconds make the periods dependent. At size 1 a replicate takes less than 1 GB and about half
an hour, and the same command resumes a stopped run.
"""

import sys
from pathlib import Path

import numpy as np
from scipy import stats

import headgate
from headgate_studies.mesonet import MesoNet

size = float(sys.argv[1]) if len(sys.argv) > 1 else 0.002
folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None

heaviest = MesoNet.from_dict(
    {
        "experiment": "1a",
        "size": size,
        "cca": "hstcp",
        "duration": "100 s",
        "buffer_provisioning": "1 BDP",
        "source_distribution": "peer-to-peer",
        "spatiotemporal_congestion": 0.0,
    }
).scenario()
measure = {"warmup": "40 s", "periods": 12, "flows": "none", "series": "none"}
minute = heaviest.replaced({"measure": measure})


def replicate(seed: int) -> headgate.Result:
    """Run the replicate, resume it, or read its stored result."""
    out = folder / str(seed) if folder else None
    return minute.run(seed=seed, out=out)


one, other = replicate(1), replicate(2)
apart = 0
for name in (f"y{number}" for number in range(1, 23)):
    a, b = (np.asarray(result.responses[name], dtype=float) for result in (one, other))
    if not (a.any() or b.any()):
        continue  # no connection fails here
    p = stats.ttest_ind(a, b, equal_var=False, nan_policy="omit").pvalue
    star = "*" if p < 0.05 else ""
    apart += bool(star)
    print(f"{name:>4} {np.nanmean(a):12.5g} {np.nanmean(b):12.5g}  p = {p:.2f} {star}")
for result in (one, other):
    hops, cpu_s = result.meta["packet_hops"], result.meta["cpu_s"]
    print(f"{hops:.4g} packet-hops, {hops / cpu_s / 1e6:.1f} million a CPU second")
print(f"{apart} responses differ at the 5 % level")
