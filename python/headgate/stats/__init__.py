"""Statistics: effects, changes, outliers and confidence intervals.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.stats.changes import Change, compute_change, compute_mean_ratio_change
    from headgate.stats.comparisons import Comparison, compare_groups
    from headgate.stats.effects import Effect, compute_main_effect, compute_psi
    from headgate.stats.intervals import (
        LEVEL,
        compute_difference_interval,
        compute_grouped_interval,
        compute_mean_interval,
        compute_open_mean_interval,
        compute_share_interval,
    )
    from headgate.stats.outliers import (
        Outlier,
        Residuals,
        compute_critical_value,
        compute_residuals,
        find_outlier,
    )
    from headgate.stats.power import compute_power, find_detectable, find_replicates
    from headgate.stats.sensitivity import (
        MorrisResult,
        SobolResult,
        compute_morris,
        compute_sobol,
    )
    from headgate.stats.surface import Surface
    from headgate.stats.terms import TermModel
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.stats.comparisons": ("Comparison", "compare_groups"),
            "headgate.stats.power": ("compute_power", "find_detectable", "find_replicates"),
            "headgate.stats.sensitivity": (
                "MorrisResult",
                "SobolResult",
                "compute_morris",
                "compute_sobol",
            ),
            "headgate.stats.surface": ("Surface",),
            "headgate.stats.terms": ("TermModel",),
            "headgate.stats.changes": ("Change", "compute_change", "compute_mean_ratio_change"),
            "headgate.stats.effects": ("Effect", "compute_main_effect", "compute_psi"),
            "headgate.stats.intervals": (
                "LEVEL",
                "compute_difference_interval",
                "compute_grouped_interval",
                "compute_mean_interval",
                "compute_open_mean_interval",
                "compute_share_interval",
            ),
            "headgate.stats.outliers": (
                "Outlier",
                "Residuals",
                "compute_critical_value",
                "compute_residuals",
                "find_outlier",
            ),
        },
    )

__all__ = [
    "LEVEL",
    "Change",
    "Comparison",
    "Effect",
    "MorrisResult",
    "Outlier",
    "Residuals",
    "SobolResult",
    "Surface",
    "TermModel",
    "compare_groups",
    "compute_change",
    "compute_critical_value",
    "compute_difference_interval",
    "compute_grouped_interval",
    "compute_main_effect",
    "compute_mean_interval",
    "compute_mean_ratio_change",
    "compute_morris",
    "compute_open_mean_interval",
    "compute_power",
    "compute_psi",
    "compute_residuals",
    "compute_share_interval",
    "compute_sobol",
    "find_detectable",
    "find_outlier",
    "find_replicates",
]
