"""Claims of a source, and the verdicts on them."""

from headgate.claims.claim import Claim, Correction, Whose, bounds
from headgate.claims.verdicts import Estimate, Judged, Sample, Verdict, judge

__all__ = [
    "Claim",
    "Correction",
    "Estimate",
    "Judged",
    "Sample",
    "Verdict",
    "Whose",
    "bounds",
    "judge",
]
