"""Claims of a source, estimates with intervals, and verdicts.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.claims.claim import Claim
    from headgate.claims.verdicts import Estimate, Sample, Verdict, judge, lies_within
    from headgate.experiment.estimates import (
        compute_relative_error,
        estimate_mean,
        estimate_mean_ratio,
        estimate_share,
        find_largest,
        find_least,
        format_values,
    )
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.claims.claim": ("Claim",),
            "headgate.claims.verdicts": ("Estimate", "Sample", "Verdict", "judge", "lies_within"),
            "headgate.experiment.estimates": (
                "compute_relative_error",
                "estimate_mean",
                "estimate_mean_ratio",
                "estimate_share",
                "find_largest",
                "find_least",
                "format_values",
            ),
        },
    )

__all__ = [
    "Claim",
    "Estimate",
    "Sample",
    "Verdict",
    "compute_relative_error",
    "estimate_mean",
    "estimate_mean_ratio",
    "estimate_share",
    "find_largest",
    "find_least",
    "format_values",
    "judge",
    "lies_within",
]
