"""The runs: the source's simulations by its program and exactly, and one by packets."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from headgate import Scenario, dumbbell, fluid
from headgate.lab import Job, Key, Runs, Setup, key_by_labels
from headgate_studies.tcp_red.working_points import Trace

MODEL = "tcp-red"
#: The source's two simulations, what its argument about them really gives, and its last remedy.
FIRST, SECOND, THIRD, REMEDY = SIMULATIONS = ("1", "2", "3", "remedy")
NAMES = {
    FIRST: "simulation 1",
    SECOND: "simulation 2",
    THIRD: "simulation 3",
    REMEDY: "once a round trip",
}
#: The model's own, as its card has them: slow-start threshold, packets; rate, packets/s.
SSTHRESH, RATE = 10.0, 30.0
#: The average queue from which RED drops all.
MAX_PACKETS = 60.0
#: Q* = D C, packets.
VIRTUAL_QUEUE = 0.2 * RATE


#: By then the losses of the slow start by packets are over.
PACKETS_FROM_S = 40.0


class Simulations(Runs):
    """Traces of the simulations: `program` by the source's steps, `exact` by adaptive ones."""

    @cached_property
    def program(self) -> dict[str, Trace]:
        """The simulations as the source's program solves them."""
        own = self.setup.settings["program"]
        past: fluid.Past = own["past"]
        lags = {name: own[name] for name in ("p_lag_s", "first_ack_s")}
        return self._solve(fluid.Euler(own["step"], past), **lags)

    @cached_property
    def exact(self) -> dict[str, Trace]:
        """The solutions of the equations."""
        return self._solve(fluid.Adaptive(self.setup.settings["exact"]["tolerance"]))

    @cached_property
    def finer(self) -> dict[str, Trace]:
        """The same with half the tolerance."""
        return self._solve(fluid.Adaptive(self.setup.settings["exact"]["tolerance"] / 2))

    @cached_property
    def packets(self) -> dict[str, Trace]:
        """The simulations by packets; the remedy is DCTCP over a threshold of marks."""
        made = {}
        for name in SIMULATIONS:
            result = self[name, self.setup.seeds[0]]
            flow, link = (str(result.flows["traffic"][0]), str(result.ports["link"][0]))
            made[name] = Trace.of(result.series, flow, link).after(PACKETS_FROM_S)
        return made

    def _solve(self, method: fluid.Method, **more: float) -> dict[str, Trace]:
        settings = self.setup.settings
        every = None if isinstance(method, fluid.Euler) else settings["exact"]["every"]
        made = {}
        for name, params in settings["simulations"].items():
            result = fluid.solve(
                MODEL, {**params, **more}, duration=settings["duration"], method=method, every=every
            )
            made[name] = Trace.of(result.series, "flow", "link", SSTHRESH)
        return made


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make the runs by packets: each simulation with one flow over the same link."""
    return key_by_labels(
        Job(_scenario(setup, name).model_copy(update={"seed": seed}), {"run": name, "seed": seed})
        for seed in setup.seeds
        for name in SIMULATIONS
    )


def _scenario(setup: Setup, name: str) -> Scenario:
    own = setup.settings["packets"]
    return dumbbell(
        rate=own["rate"],
        rtt=own["rtt"],
        buffer=own["buffer"],
        queue=_queue(setup, name),
        access="direct",
        flows=["dctcp" if name == REMEDY else "reno"],
        transport={"segment": "1460 B", "header": "40 B", "ecn": name == REMEDY},
        measure={"series": {"interval": "100 ms"}},
        duration=own["duration"],
    )


def _queue(setup: Setup, name: str) -> dict[str, Any]:
    """Return RED with the profile of a simulation; what the remedy needs are marks."""
    own = setup.settings["simulations"][name]
    if name == REMEDY:
        return {"name": "threshold", "mark_packets": own["min_packets"]}
    by_mean = own["red"] == "mean"
    return {
        "name": "red",
        "min_packets": own["min_packets"],
        "max_packets": MAX_PACKETS,
        "max_p": 1.0,
        "gentle": "off",
        "weight": setup.settings["packets"]["weight"] if by_mean else 1.0,
    }
