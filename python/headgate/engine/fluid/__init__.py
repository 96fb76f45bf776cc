"""Fluid models: a network's equations, solved in milliseconds.

>>> import headgate
>>> result = headgate.fluid.solve("tcp-red", duration="50 s")  # doctest: +SKIP
"""

from __future__ import annotations

from headgate.engine.fluid.completion import (
    compute_processor_sharing,
    compute_slow_start,
    compute_slow_start_ns2,
    serve_equally,
    serve_shortest_first,
)
from headgate.engine.fluid.equilibrium import Equilibrium, find_equilibrium
from headgate.engine.fluid.fast import Convergence, iterate_fast_map, measure_convergence
from headgate.engine.fluid.settings import RK4, Adaptive, Euler, Method, Past
from headgate.engine.fluid.solve import solve, sweep
from headgate.engine.fluid.stability import (
    Stability,
    analyse_stability,
    find_stability_boundary,
    simulate_growth,
)
from headgate.engine.fluid.validity import compute_least_window

__all__ = [
    "RK4", "Adaptive", "Convergence", "Equilibrium", "Euler", "Method", "Past", "Stability",
    "analyse_stability", "compute_least_window", "compute_processor_sharing", "compute_slow_start",
    "compute_slow_start_ns2", "find_equilibrium", "find_stability_boundary", "iterate_fast_map",
    "measure_convergence", "serve_equally", "serve_shortest_first", "simulate_growth", "solve",
    "sweep",
]  # fmt: skip
