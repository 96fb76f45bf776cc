"""Findings: in which combinations of what is not known a finding of the source holds."""

from __future__ import annotations

import numpy as np

from headgate.claims import Estimate
from headgate_studies.nist_unknowns.combinations import Combinations

#: One run a combination: a ratio this near to a bound, in parts of it, may lie on either side.
CHANCE = 0.01


def hold(
    of: Combinations, *, response: str, bound: float = 1.0, sign: int = 1, law: str = "fast"
) -> Estimate:
    """Count the combinations in which a law's response over the others' is beyond a bound."""
    ratios = of.ratios(response, law)
    beyond = sign * (ratios - bound)
    held, near = beyond > 0, np.abs(beyond) <= CHANCE * bound
    note = f"{of.describe(held)}; {ratios.min():.3g} to {ratios.max():.3g}"
    if near.any():
        note += f"; {near.sum()} within {CHANCE:.0%} of the bound"
    ends = float((held & ~near).mean()), float((held | near).mean())
    return Estimate(ours=float(held.mean()), ci=ends, note=note)
