"""Fluid models: a network's equations, solved in milliseconds.

>>> import headgate
>>> result = headgate.fluid.solve("tcp-red", duration="50 s")  # doctest: +SKIP
"""

from __future__ import annotations

from headgate.engine.fluid.completion import (
    processor_sharing,
    serve_equally,
    serve_shortest_first,
    slow_start,
    slow_start_ns2,
)
from headgate.engine.fluid.equilibrium import Equilibrium, equilibrium
from headgate.engine.fluid.fast import Convergence, convergence, fast_map
from headgate.engine.fluid.methods import RK4, Adaptive, Euler
from headgate.engine.fluid.solve import solve, sweep
from headgate.engine.fluid.stability import (
    Stability,
    simulated_growth,
    stability,
    stability_boundary,
)

__all__ = [
    "RK4",
    "Adaptive",
    "Convergence",
    "Equilibrium",
    "Euler",
    "Stability",
    "convergence",
    "equilibrium",
    "fast_map",
    "processor_sharing",
    "serve_equally",
    "serve_shortest_first",
    "simulated_growth",
    "slow_start",
    "slow_start_ns2",
    "solve",
    "stability",
    "stability_boundary",
    "sweep",
]
