"""Do two replicates agree? A minute of MesoNet 1a's heaviest condition, at any size up to 1.

    python examples/12_replicates.py [size] [folder]

The minute is cut into twelve periods; where the means of both replicates are apart by more than
their spread over these periods explains (Welch's test, 5 %), a response is starred. One in twenty
would be by chance if periods told nothing of the next; flows that last longer than five seconds do.
At size 1 a replicate takes 3 GB and half an hour, and goes on from where it was stopped.
"""

import sys
from pathlib import Path

import numpy as np
from scipy import stats

import headgate
from headgate.api import simulate
from headgate.mesonet import MesoNet

size = float(sys.argv[1]) if len(sys.argv) > 1 else 0.002
folder = Path(sys.argv[2]) if len(sys.argv) > 2 else None

heaviest = MesoNet.from_dict(
    {
        "experiment": "1a",
        "size": size,
        "law": "hstcp",
        "duration": "100 s",
        "buffer_provisioning": "1 BDP",
        "source_distribution": "peer-to-peer",
        "spatiotemporal_congestion": 0.0,
    }
).scenario()
measure = {"warmup": "40 s", "periods": 12, "flows": "none", "series": "none"}
minute = heaviest.replaced({"measure": measure})


def replicate(seed: int) -> headgate.Result:
    """Run it, or go on with it, or read it."""
    out = folder / str(seed) if folder else None
    return simulate(minute.model_copy(update={"seed": seed}), out)


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
