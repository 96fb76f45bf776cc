"""Typed forms: values with units, congestion control algorithms, and readable errors.

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes

if TYPE_CHECKING:
    from headgate.base.marks import Mark
    from headgate.base.parameters import write_number
    from headgate.base.strict import fit_model, read_toml
    from headgate.base.units import Amount, parse_buffer, parse_packets
    from headgate.experiment.extensions import (
        BaseParameter,
        ExperimentBase,
        ResponseSet,
        TemplateRequest,
    )
    from headgate.experiment.measures import Measure
    from headgate.plugin.code_files import name_by_hand
    from headgate.scenario.base import Buffer, FileSize, Model, Packets, Time
    from headgate.scenario.base import at as make_key_error
    from headgate.scenario.cca import CcaChoice, OneCca, OwnCca
    from headgate.scenario.networks.four_tier import FourTier, Shares
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.base.marks": ("Mark",),
            "headgate.base.parameters": ("write_number",),
            "headgate.base.strict": ("fit_model", "read_toml"),
            "headgate.base.units": ("Amount", "parse_buffer", "parse_packets"),
            "headgate.experiment.extensions": (
                "BaseParameter",
                "ExperimentBase",
                "ResponseSet",
                "TemplateRequest",
            ),
            "headgate.experiment.measures": ("Measure",),
            "headgate.plugin.code_files": ("name_by_hand",),
            "headgate.scenario.base": (
                "Buffer",
                "FileSize",
                "Model",
                "Packets",
                "Time",
                "make_key_error=at",
            ),
            "headgate.scenario.cca": ("CcaChoice", "OneCca", "OwnCca"),
            "headgate.scenario.networks.four_tier": ("FourTier", "Shares"),
        },
    )

__all__ = [
    "Amount",
    "BaseParameter",
    "Buffer",
    "CcaChoice",
    "ExperimentBase",
    "FileSize",
    "FourTier",
    "Mark",
    "Measure",
    "Model",
    "OneCca",
    "OwnCca",
    "Packets",
    "ResponseSet",
    "Shares",
    "TemplateRequest",
    "Time",
    "fit_model",
    "make_key_error",
    "name_by_hand",
    "parse_buffer",
    "parse_packets",
    "read_toml",
    "write_number",
]
