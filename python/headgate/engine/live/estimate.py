"""What a run in real time will ask of this machine, measured beforehand."""

from __future__ import annotations

import time
from dataclasses import dataclass

from headgate.engine.api import Scenario
from headgate.engine.live.hosts import host_names
from headgate.engine.run.memory import refuse_what_does_not_fit
from headgate.engine.run.own import make_own_code
from headgate.engine.run.refusals import translate_refusal
from headgate.scenario.plan import plan_json

#: Wall time that the estimate takes at most, and simulated time that it looks at.
PILOT_S, PILOT_SIMULATED_S = 4.0, 10.0
#: Wall time between two looks at the clock.
SLICE_S = 0.1

#: CPU time of a real packet: read, simulated over a few links, written (docs/reference/emulate.md).
PACKET_S = 6e-6

#: Above this share of real time a simulation falls behind now and then, whatever its mean.
COMFORTABLE = 0.5

PACKET_BYTES = 1500


@dataclass(frozen=True)
class Estimate:
    """What was measured of the simulated part alone."""

    simulated_s: float
    """Simulated time that was looked at."""
    load: float
    """Time that a second of it takes, the busiest part that was seen."""

    @property
    def left_packets_s(self) -> float:
        """Real packets a second for which there is time beside it, in both directions together."""
        return max(0.0, COMFORTABLE - self.load) / PACKET_S

    def says(self) -> str:
        """Say it in one sentence."""
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
    refuse_what_does_not_fit(plan, arrays)
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
