"""Designs of experiments: factors, and the conditions that they make.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.design.factor import Factor
    from headgate.design.factorial import Design, make_factorial
    from headgate.design.file import DesignFile, FactorTable
    from headgate.design.made import MadeDesign, load_design
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.design.factor": ("Factor",),
            "headgate.design.factorial": ("Design", "make_factorial"),
            "headgate.design.file": ("DesignFile", "FactorTable"),
            "headgate.design.made": ("MadeDesign", "load_design"),
        },
    )

__all__ = [
    "Design",
    "DesignFile",
    "Factor",
    "FactorTable",
    "MadeDesign",
    "load_design",
    "make_factorial",
]
