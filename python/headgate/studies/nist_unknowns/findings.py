"""Findings: in which combinations of what is not known a finding of the source holds."""

from __future__ import annotations

from headgate.studies.nist_unknowns.combinations import Combinations
from headgate.verdicts import Estimate


def hold(
    of: Combinations, *, response: str, bound: float = 1.0, sign: int = 1, law: str = "fast"
) -> Estimate:
    """Count the combinations in which a law's response over the others' is beyond a bound."""
    ratios = of.ratios(response, law)
    held = sign * (ratios - bound) > 0
    note = f"{of.describe(held)}; {ratios.min():.3g} to {ratios.max():.3g}"
    return Estimate(ours=float(held.mean()), note=note)
