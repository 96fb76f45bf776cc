"""Headgate, a laboratory for congestion control.

>>> import headgate
>>> scenario = headgate.dumbbell(rate="100 Mbit/s", rtt="40 ms", flows=["reno", "fast"])
>>> result = scenario.run("60 s", seed=1)  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from headgate.base.version import __version__

if TYPE_CHECKING:
    from headgate.base import catalog
    from headgate.base.errors import HeadgateError
    from headgate.engine import fluid
    from headgate.engine.api import Result, Scenario
    from headgate.engine.build import abilene, dumbbell, graph, load, parking_lot, read
    from headgate.engine.live.emulation import emulate
    from headgate.engine.run.trace import Trace
    from headgate.experiment.experiment import Experiment
    from headgate.plugin.law_records import jit

__all__ = [
    "Experiment",
    "HeadgateError",
    "Result",
    "Scenario",
    "Trace",
    "__version__",
    "abilene",
    "catalog",
    "dumbbell",
    "emulate",
    "fluid",
    "graph",
    "jit",
    "load",
    "parking_lot",
    "read",
]

#: Modules that `import headgate` gives beside names.
_MODULES = {"catalog": "headgate.base.catalog", "fluid": "headgate.engine.fluid"}
_HOME = {
    "Experiment": "headgate.experiment.experiment",
    "HeadgateError": "headgate.base.errors",
    "emulate": "headgate.engine.live.emulation",
    "jit": "headgate.plugin.law_records",
    "Result": "headgate.engine.api",
    "Scenario": "headgate.engine.api",
    "Trace": "headgate.engine.run.trace",
}


def __getattr__(name: str) -> Any:
    """Import on first use, so that `headgate --help` starts at once."""
    if name not in __all__:
        raise AttributeError(f"module 'headgate' has no attribute {name!r}")
    if name in _MODULES:
        return import_module(_MODULES[name])
    return getattr(import_module(_HOME.get(name, "headgate.engine.build")), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
