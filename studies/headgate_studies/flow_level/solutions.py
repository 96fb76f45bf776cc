"""The same by equations: solved in time, by greatest utility, and FAST's map."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headgate import Result, fluid
from headgate.lab import Runs
from headgate_studies.flow_level import measures, networks
from headgate_studies.flow_level.jobs import (
    DELAYED,
    GAMMA,
    LOSSY,
    cases,
    delay_params,
    first_windows,
)
from headgate_studies.flow_level.theory import printed_window
from headgate_studies.paths import PACKET_BITS, course, in_seconds, seconds

Numbers = NDArray[np.float64]
Points = tuple[list[float], list[float]]
Course = tuple[Numbers, Numbers]
#: Tolerance of the solutions; they end when no value changes by more.
METHOD = fluid.Adaptive(1e-10)
#: Far longer than any algorithm needs to reach equilibrium.
LONG_S = 4000.0
SLOWER = 1000.0


class Solutions(Runs):
    """The runs by packets, and the solutions beside them."""

    @cached_property
    def rests(self) -> dict[str, Points]:
        """Prices and what is there at rest: windows over losses, rates over queueing delays."""
        own = {cca: self._windows(cca) for cca in LOSSY}
        return own | {cca: self._delays(cca) for cca in DELAYED}

    def _windows(self, cca: str) -> Points:
        """Solve for the window at each loss; the link is never full."""
        losses = measures.periodic(self.setup)
        ends = [self._window(cca, p, printed_window(cca, p), LONG_S)[1][-1] for p in losses]
        return losses, [float(end) for end in ends]

    def _window(self, cca: str, loss: float, first: float, duration_s: float) -> Course:
        """Solve for the course of the window, with a round trip `SLOWER` times as long.

        That stretches time and changes nothing else, but lets the loss with which the model's link
        begins, and which it forgets within seconds, count for nothing.
        """
        own = self.setup.settings["path"]
        rtt = seconds(SLOWER * in_seconds(own["rtt"]))
        network = _one_link(own["rate"], {"rtt": rtt})
        params = {"loss": loss, "initial_window": first}
        duration = seconds(SLOWER * duration_s)
        run = _solve(cca, params, network, duration)
        t_s, window = course(run, "one", "cwnd_packets")
        return t_s / SLOWER, window

    def _delays(self, cca: str) -> Points:
        rtt, params = self.setup.settings["delay"]["rtt"], delay_params(self.setup, cca)
        found = [self._delay(cca, rtt, params, n, rate) for n, rate in cases(self.setup)]
        return [wait for wait, _ in found], [rate for _, rate in found]

    def _delay(
        self, cca: str, rtt: str, params: dict[str, float], flows: int, rate_mbps: float
    ) -> tuple[float, float]:
        network = _one_link(f"{rate_mbps} Mbit/s", {"flows": flows, "rtt": rtt})
        run = _solve(cca, params, network, "2000 s")
        _, rtt_s = course(run, "one", "srtt_s")
        _, bps = course(run, "one", "throughput_bps")
        return float(rtt_s[-1]) - in_seconds(rtt), float(bps[-1]) / PACKET_BITS

    @cached_property
    def approaches(self) -> dict[tuple[str, float], Course]:
        """The mean windows of many flows, as the dynamics have them."""
        part = self.setup.settings["approach"]
        duration_s = part["rounds"] * in_seconds(self.setup.settings["path"]["rtt"])
        return {
            (cca, first): self._window(cca, part["loss"], first, duration_s)
            for cca in LOSSY
            for first in first_windows(self.setup, cca)
        }

    @cached_property
    def alone(self) -> dict[str, Course]:
        """The window of one FAST flow, by how increases leave: from the first windows of those."""
        own = self.setup.settings["alone"]
        network = _one_link(own["rate"], {"rtt": own["rtt"]})
        made = {}
        for burstiness, first in own["first"].items():
            params = {"alpha": own["alpha"], "gamma": GAMMA, "initial_window": float(first)}
            run = _solve("fast", params, network, own["duration"])
            made[burstiness] = course(run, "one", "cwnd_packets")
        return made

    @cached_property
    def fairest(self) -> dict[str, Numbers]:
        """Rates of greatest utility of each network, packets/s."""
        return {
            name: fluid.find_equilibrium("fast", network=row.fluid()).rate_packets_s
            for name, row in networks.ROWS.items()
        }

    @cached_property
    def reno(self) -> dict[str, Numbers]:
        """The same of Reno, whose links have losses and no queue."""
        return {
            name: fluid.find_equilibrium("reno", network=row.fluid(weighted=False)).rate_packets_s
            for name, row in networks.ROWS.items()
        }

    @cached_property
    def settled(self) -> dict[str, Numbers]:
        """Rates of FAST, solved in time, packets/s."""
        return {name: _final_state(row) for name, row in networks.ROWS.items()}

    @cached_property
    def convergence(self) -> dict[str, fluid.Convergence]:
        """FAST's map from many starts."""
        starts = self.setup.settings["theorem"]["starts"]
        return {
            name: fluid.measure_convergence(row.fluid(), {"gamma": GAMMA}, starts=starts)
            for name, row in networks.EVERY.items()
        }

    @cached_property
    def filling(self) -> list[Course]:
        """Utilisation of the one link over the updates, from starts below it, and the windows."""
        own, row = self.setup.settings["theorem"], networks.ONE
        rest = self.convergence["one"].rest_packets
        parts = np.geomspace(1e-3, 0.5, own["shown"])
        return [_fill_course(row, part * rest, own["updates"]) for part in parts]


def _solve(
    model: str, params: Mapping[str, float], network: Mapping[str, Any], duration: str
) -> Result:
    return fluid.solve(model, params, network=network, duration=duration, method=METHOD)


def _one_link(rate: str, own: Mapping[str, Any]) -> dict[str, Any]:
    """Return a network of one link and one class; `own`: keys of the class."""
    return {"links": {"link": {"rate": rate}}, "classes": {"one": {**own, "path": ["link"]}}}


def _final_state(row: networks.Row) -> Numbers:
    run = _solve("fast", {}, row.fluid(), "2000 s")
    return np.array([_last(run, name) for name in row.names])


def _last(run: Result, name: str) -> float:
    return float(course(run, name, "throughput_bps")[1][-1]) / PACKET_BITS


def _fill_course(row: networks.Row, first: Numbers, updates: int) -> Course:
    network = row.fluid()
    for part, window in zip(network["classes"].values(), first, strict=True):
        part["params"] = part["params"] | {"initial_window": float(window)}
    rows = fluid.iterate_fast_map(network, {"gamma": GAMMA}, updates=updates)
    return rows["rate_packets_s"].sum(axis=1) / row.rates()[0], rows["window_packets"]
