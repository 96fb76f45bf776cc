"""A test case, and the run of one flow on one link with chosen packets lost.

Packet 1 on the link is the SYN. The data segment with number k (from 1) is packet k + 1 until a
segment is retransmitted.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate import HeadgateError, HeadgateWarning

if TYPE_CHECKING:
    from headgate import Result
RTT_S = 0.1
LINK: dict[str, Any] = {
    "kind": "dumbbell",
    "rate": "100 Mbit/s",
    "rtt": f"{RTT_S * 1e3:g} ms",
    "buffer": "infinite",
    "access": "direct",
}
SYN = 1
"""Packets before the first data segment."""


@dataclass(frozen=True)
class Subject:
    """The algorithm under test, as a scenario's traffic names it.

    `role` is the algorithm of the catalogue whose cases apply to it; a user-defined algorithm
    without one is tested by the cases for all algorithms.
    """

    name: str
    keys: tuple[tuple[str, Any], ...]
    role: str = ""
    is_user_defined: bool = False

    def having(self, **params: Any) -> Subject:
        """Return the same algorithm with parameters set; it must be of the catalogue."""
        return replace(self, keys=(("cca", {"name": self.name, **self.params, **params}),))

    def following(self, variant: str) -> Subject:
        """Return the variant that follows a text; a user-defined algorithm is its only variant."""
        return self if self.is_user_defined else self.having(variant=variant)

    @property
    def params(self) -> dict[str, Any]:
        """Parameters that were set."""
        chosen = dict(self.keys).get("cca")
        return {k: v for k, v in chosen.items() if k != "name"} if isinstance(chosen, dict) else {}

    def run_flow(
        self,
        duration_s: float = 10.0,
        *,
        size: int | None = None,
        transport: dict[str, Any] | None = None,
        interval_s: float = 0.01,
        **network: Any,
    ) -> FlowRun:
        """Run one flow of `size` segments, or an endless one; the rest are keys of the link."""
        flow: dict[str, Any] = {"kind": "flows", **dict(self.keys)}
        if size is not None:
            flow["size"] = f"{size} packets"
        return run_scenario(
            {
                "seed": 1,
                "duration": f"{duration_s} s",
                "network": LINK | network,
                "transport": transport or {},
                "traffic": [flow],
                "measure": {"series": {"interval": f"{interval_s * 1e3:g} ms"}},
            }
        )


def run_scenario(given: dict[str, Any]) -> FlowRun:
    """Run a scenario. Raises HeadgateError."""
    from headgate import Scenario

    scenario = Scenario.from_dict(given)
    with warnings.catch_warnings():  # RFCs are about what these senders do without a router
        warnings.simplefilter("ignore", HeadgateWarning)
        return FlowRun(scenario.run())


class FlowRun:
    """The measurements of one flow."""

    def __init__(self, result: Result) -> None:
        self.result = result

    def count(self, *names: str) -> dict[str, float]:
        """Return counts of the flow, by column."""
        return {name: float(self.result.flows[name][0]) for name in names}

    @cached_property
    def _of_flow(self) -> NDArray[np.bool_]:
        return np.asarray(self.result.series["of"] == "flow")

    def series(self, column: str) -> NDArray[np.float64]:
        """Return a column of the flow's series."""
        return np.asarray(self.result.series[column][self._of_flow], np.float64)

    @property
    def t_s(self) -> NDArray[np.float64]:
        """Times of the series."""
        return self.series("t_s")

    @property
    def cwnd(self) -> NDArray[np.float64]:
        """Congestion window over time, segments."""
        return self.series("cwnd_packets")

    @property
    def ssthresh(self) -> NDArray[np.float64]:
        """Slow-start threshold over time, segments."""
        return self.series("ssthresh_packets")

    @property
    def drops(self) -> float:
        """Packets that found no room."""
        return float(self.result.ports["drops"].sum())

    def first_threshold(self) -> float:
        """Return the threshold after the first congestion; infinite if there was none."""
        finite = self.ssthresh[np.isfinite(self.ssthresh)]
        return float(finite[0]) if len(finite) else float("inf")

    def loss_at(self) -> int:
        """Return the index of the first sample after the first congestion.

        Raises HeadgateError if there was none.
        """
        return self.list_thresholds(1)[0]

    def list_thresholds(self, least: int) -> list[int]:
        """Return the samples at which the threshold changed, of `least` changes or more.

        Raises HeadgateError if there were fewer.
        """
        before, after = self.ssthresh[:-1], self.ssthresh[1:]
        changed = 1 + np.flatnonzero(np.isfinite(after) & (after != before))
        if len(changed) < least:
            times = f"{len(changed)} time{'s' * (len(changed) != 1)}"
            raise HeadgateError(f"the threshold was set {times}, not {least}")
        return [int(at) for at in changed]

    def in_flight_at_loss(self) -> float:
        """Return the most that was in flight until the first congestion."""
        return float(np.max(self.series("in_flight_packets")[: self.loss_at() + 1]))


@dataclass(frozen=True)
class Observation:
    """One case with one algorithm."""

    holds: bool
    expected: str
    observed: str


Check = Callable[[Subject], Observation]


@dataclass(frozen=True)
class Case:
    """A statement of a standard, and how it is checked."""

    id: str
    source: str
    statement: str
    check: Check
    only: tuple[str, ...] = ()
    """Algorithms that the statement is about; empty = every algorithm."""
    exempt: Mapping[str, str] = field(default_factory=dict)
    """Algorithms whose own specification says otherwise, with the reason."""
    left_out: str = ""
    """Why nothing here can show it, if nothing can; it is listed without being run."""
    built_in_only: str = ""
    """Why a user-defined algorithm cannot be tried, if it cannot."""
    variants: tuple[str, ...] = ()
    """Variants of the algorithm that are tried, each with a verdict; empty = as it is."""

    @property
    def number(self) -> int:
        """The last number of its section."""
        return int(self.source.rpartition(".")[2])

    def concerns(self, cca: Subject) -> bool:
        """Whether the statement is about the algorithm."""
        return cca.role not in self.exempt and (not self.only or cca.role in self.only)

    def find_obstacle(self, cca: Subject) -> str:
        """Return why the case cannot be tried with the algorithm; empty if it can."""
        return self.left_out or (self.built_in_only if cca.is_user_defined else "")

    def applies(self, cca: Subject) -> bool:
        """Whether the algorithm has to hold to it, and can be tried."""
        return self.concerns(cca) and not self.find_obstacle(cca)


class Cases(list[Case]):
    """Test cases, each added by the decorator `add` of its check."""

    def add(
        self, name: str, source: str, statement: str = "", **limits: Any
    ) -> Callable[[Check], Check]:
        """Return a decorator that adds a check; its docstring is the statement unless given."""

        def register(check: Check) -> Check:
            text = statement or str(check.__doc__).removesuffix(".")
            self.append(Case(name, source, text, check, **limits))
            return check

        return register


def cannot_run(_: Subject) -> Observation:
    """Replace the check of a case that is left out."""
    return Observation(False, "", "")


def near(observed: float, expected: float, relative: float, unit: str) -> Observation:
    """Hold if the figure differs from the expected one by at most a relative tolerance."""
    holds = abs(observed - expected) <= relative * abs(expected)
    return Observation(
        holds, f"{expected:.4g} {unit} (to {relative:.0%})", f"{observed:.4g} {unit}"
    )


def within(observed: float, low: float, high: float, what: str) -> Observation:
    """Hold if the figure lies between two others."""
    return Observation(
        low <= observed <= high, f"{low:.4g} to {high:.4g} {what}", f"{observed:.4g}"
    )


def together(*findings: Observation) -> Observation:
    """Hold if all of them do."""
    return Observation(
        all(finding.holds for finding in findings),
        "; ".join(finding.expected for finding in findings),
        "; ".join(finding.observed for finding in findings),
    )


def equal(observed: Mapping[str, float], expected: Mapping[str, float]) -> Observation:
    """Hold if every named count is as expected."""
    return Observation(dict(observed) == dict(expected), _counts(expected), _counts(observed))


def _counts(counts: Mapping[str, float]) -> str:
    return ", ".join(f"{value:g} {name}" for name, value in counts.items())
