"""Estimate of the load of a run in real time, measured in advance."""

from __future__ import annotations

import time
from dataclasses import dataclass

from headgate.engine.api import Scenario
from headgate.engine.live.hosts import host_names
from headgate.engine.run.memory import check_memory
from headgate.engine.run.prepare import make_own_code, translate_refusal
from headgate.scenario.plan import plan_json

#: Greatest wall time of the estimate, and simulated time that it covers.
PILOT_S, PILOT_SIMULATED_S = 4.0, 10.0
#: Wall time between two checks of the clock.
SLICE_S = 0.1

#: CPU time of a real packet: read, simulated over a few links, written (docs/reference/emulate.md).
PACKET_S = 6e-6

#: Above this share of real time a simulation falls behind now and then, whether or not its mean
#: does.
COMFORTABLE = 0.5

PACKET_BYTES = 1500


@dataclass(frozen=True)
class Estimate:
    """Measured load of the simulated part alone."""

    simulated_s: float
    """Simulated time that was covered."""
    load: float
    """Time for one simulated second, in the busiest part."""

    @property
    def left_packets_s(self) -> float:
        """Real packets per second for which time remains, in both directions together."""
        return max(0.0, COMFORTABLE - self.load) / PACKET_S

    def says(self) -> str:
        """Return the estimate in one sentence."""
        share = f"the simulated part takes {self.load:.1%} of real time"
        if self.load >= 1:
            return f"{share}: too much, programs would meet a slower network than the scenario's"
        if self.load >= COMFORTABLE:
            return f"{share}: it would fall behind now and then; fewer flows or lower rates fit"
        rate = self.left_packets_s * PACKET_BYTES * 8 / 1e6
        return (
            f"{share}: it fits, with time for about {self.left_packets_s:,.0f} real packets a"
            f" second ({rate:,.0f} Mbit/s of full ones)"
        )


def estimate(scenario: Scenario) -> Estimate:
    """Measure the simulated part for some seconds. Raises ScenarioError if it cannot run."""
    from headgate._native import Simulation

    plan, arrays = scenario.plan()
    host_names(plan)
    check_memory(plan, arrays)
    own = [ready.native for ready in make_own_code(scenario, plan)]
    try:
        simulation = Simulation(plan_json(plan), arrays, own)
    except ValueError as error:
        raise translate_refusal(str(error), plan, scenario) from None
    begun_s, load, over = time.perf_counter(), 0.0, False
    until_s = min(PILOT_SIMULATED_S, simulation.duration_s)
    while not over and simulation.time_s < until_s and time.perf_counter() - begun_s < PILOT_S:
        before_s, from_s = time.thread_time(), simulation.time_s
        over = simulation.advance(SLICE_S)
        passed_s = simulation.time_s - from_s
        if passed_s > 0:
            load = max(load, (time.thread_time() - before_s) / passed_s)
    return Estimate(simulation.time_s, load)
