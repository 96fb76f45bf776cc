"""Studies and campaigns: jobs, their results by key, and what an analysis gives back.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.base.process import end_with_parent
    from headgate.experiment.estimates import make_possible
    from headgate.experiment.packages import SuiteReport, SuiteRequest
    from headgate.experiment.reporting import describe_condition, describe_shared_levels
    from headgate.experiment.runs import (
        Analysis,
        Key,
        Listing,
        NotRunError,
        Picture,
        PicturesLater,
        Runs,
        Setup,
        key_by_labels,
    )
    from headgate.experiment.study.study import Study
    from headgate.experiment.study.sweeps import Labels
    from headgate.experiment.tables import MeasuredRuns
    from headgate.lab.campaign import Campaign
    from headgate.lab.jobs import Job
    from headgate.lab.store import Store
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.base.process": ("end_with_parent",),
            "headgate.experiment.estimates": ("make_possible",),
            "headgate.experiment.runs": (
                "Analysis",
                "Key",
                "Listing",
                "NotRunError",
                "Picture",
                "PicturesLater",
                "Runs",
                "Setup",
                "key_by_labels",
            ),
            "headgate.experiment.study.study": ("Study",),
            "headgate.experiment.study.sweeps": ("Labels",),
            "headgate.experiment.packages": ("SuiteReport", "SuiteRequest"),
            "headgate.experiment.tables": ("MeasuredRuns",),
            "headgate.experiment.reporting": ("describe_condition", "describe_shared_levels"),
            "headgate.lab.campaign": ("Campaign",),
            "headgate.lab.jobs": ("Job",),
            "headgate.lab.store": ("Store",),
        },
    )

__all__ = [
    "Analysis",
    "Campaign",
    "Job",
    "Key",
    "Labels",
    "Listing",
    "MeasuredRuns",
    "NotRunError",
    "Picture",
    "PicturesLater",
    "Runs",
    "Setup",
    "Store",
    "Study",
    "SuiteReport",
    "SuiteRequest",
    "describe_condition",
    "describe_shared_levels",
    "end_with_parent",
    "key_by_labels",
    "make_possible",
]
