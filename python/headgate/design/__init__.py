"""Designs of experiments: factors and their conditions.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.design.factor import Factor
    from headgate.design.factorial import Design, make_factorial
    from headgate.design.file import DesignFile, FactorTable
    from headgate.design.generate import MadeDesign, load_design
    from headgate.design.optimal import make_d_optimal
    from headgate.design.response_surface import (
        make_box_behnken,
        make_central_composite,
        make_definitive_screening,
    )
    from headgate.design.sensitivity import make_morris, make_saltelli
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.design.factor": ("Factor",),
            "headgate.design.factorial": ("Design", "make_factorial"),
            "headgate.design.file": ("DesignFile", "FactorTable"),
            "headgate.design.generate": ("MadeDesign", "load_design"),
            "headgate.design.optimal": ("make_d_optimal",),
            "headgate.design.response_surface": (
                "make_box_behnken",
                "make_central_composite",
                "make_definitive_screening",
            ),
            "headgate.design.sensitivity": ("make_morris", "make_saltelli"),
        },
    )

__all__ = [
    "Design",
    "DesignFile",
    "Factor",
    "FactorTable",
    "MadeDesign",
    "load_design",
    "make_box_behnken",
    "make_central_composite",
    "make_d_optimal",
    "make_definitive_screening",
    "make_factorial",
    "make_morris",
    "make_saltelli",
]
