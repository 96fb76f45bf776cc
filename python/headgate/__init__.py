"""Headgate, a laboratory for congestion control.

>>> import headgate
>>> scenario = headgate.dumbbell(rate="100 Mbit/s", rtt="40 ms", flows=["reno", "fast"])
>>> result = scenario.run("60 s", seed=1)  # doctest: +SKIP

Names are imported on first use. The reference page "Public interface" describes each name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headgate.base.lazy import lazy_attributes
from headgate.base.version import __version__

if TYPE_CHECKING:
    from headgate import claims, design, figures, forms, lab, plugin, stats
    from headgate.base import catalog
    from headgate.base.errors import (
        AnalysisError,
        CatalogError,
        CcaError,
        HeadgateError,
        HeadgateWarning,
        MissingLibraryError,
        ScenarioError,
        SchemeWarning,
        StoreError,
        UnitError,
    )
    from headgate.base.units import (
        format_rate,
        format_time_ps,
        parse_rate,
        parse_size,
        parse_time_ps,
    )
    from headgate.data.tables import Table, Words
    from headgate.engine import fluid
    from headgate.engine.api import Result, Scenario
    from headgate.engine.build import Flow, abilene, dumbbell, graph, load, parking_lot, read
    from headgate.engine.live.emulation import Emulation, emulate
    from headgate.engine.live.hosts import EmulationError
    from headgate.engine.run.trace import Trace
    from headgate.engine.traces.stored import StoredTrace
    from headgate.experiment.design_findings import DesignFindings, analyse_design
    from headgate.experiment.experiment import Experiment
    from headgate.plugin.cca_records import jit
else:
    __getattr__ = lazy_attributes(
        __name__,
        {
            "headgate.engine.traces.stored": ("StoredTrace",),
            "headgate.base.catalog": ("catalog=",),
            "headgate.base.errors": (
                "AnalysisError",
                "CatalogError",
                "HeadgateError",
                "HeadgateWarning",
                "CcaError",
                "MissingLibraryError",
                "ScenarioError",
                "SchemeWarning",
                "StoreError",
                "UnitError",
            ),
            "headgate.base.units": (
                "format_rate",
                "format_time_ps",
                "parse_rate",
                "parse_size",
                "parse_time_ps",
            ),
            "headgate.data.tables": ("Table", "Words"),
            "headgate.engine.api": ("Result", "Scenario"),
            "headgate.engine.build": (
                "Flow",
                "abilene",
                "dumbbell",
                "graph",
                "load",
                "parking_lot",
                "read",
            ),
            "headgate.engine.fluid": ("fluid=",),
            "headgate.engine.live.emulation": ("Emulation", "emulate"),
            "headgate.engine.live.hosts": ("EmulationError",),
            "headgate.engine.run.trace": ("Trace",),
            "headgate.experiment.design_findings": ("DesignFindings", "analyse_design"),
            "headgate.experiment.experiment": ("Experiment",),
            "headgate.plugin.cca_records": ("jit",),
            "headgate.claims": ("claims=",),
            "headgate.design": ("design=",),
            "headgate.figures": ("figures=",),
            "headgate.forms": ("forms=",),
            "headgate.lab": ("lab=",),
            "headgate.plugin": ("plugin=",),
            "headgate.stats": ("stats=",),
        },
    )

__all__ = [
    "AnalysisError",
    "CatalogError",
    "CcaError",
    "DesignFindings",
    "Emulation",
    "EmulationError",
    "Experiment",
    "Flow",
    "HeadgateError",
    "HeadgateWarning",
    "MissingLibraryError",
    "Result",
    "Scenario",
    "ScenarioError",
    "SchemeWarning",
    "StoreError",
    "StoredTrace",
    "Table",
    "Trace",
    "UnitError",
    "Words",
    "__version__",
    "abilene",
    "analyse_design",
    "catalog",
    "claims",
    "design",
    "dumbbell",
    "emulate",
    "figures",
    "fluid",
    "format_rate",
    "format_time_ps",
    "forms",
    "graph",
    "jit",
    "lab",
    "load",
    "parking_lot",
    "parse_rate",
    "parse_size",
    "parse_time_ps",
    "plugin",
    "read",
    "stats",
]


def __dir__() -> list[str]:
    return sorted(__all__)
