"""A case of the kernel beside ours: figures, and whether they agree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import mean
from typing import Any

from headgate_studies.conform.kernel.cases import KernelCase
from headgate_studies.conform.kernel.figures import FIGURES, Outcome, figures_of

#: How near means are to one another; where they are not, ranges of repeats may overlap.
RELATIVE = {
    "goodput": 0.02,
    "queue": 0.15,
    "recoveries": 0.20,
    "back-off": 0.20,
    "completion": 0.02,
    "share": 0.0,
}
#: What they may differ by all the same: half a packet, one cut, a twentieth of the line.
ABSOLUTE = {"queue": 0.5, "recoveries": 1.0, "share": 0.05}
#: A machine whose packets are later than this, in one of 1000, says nothing of its kernel.
LATE_S = 0.002


@dataclass(frozen=True)
class Comparison:
    """Runs of one case: the kernel's and ours. `obstacle` says why there are none."""

    case: KernelCase
    theirs: tuple[Outcome, ...] = ()
    ours: tuple[Outcome, ...] = ()
    obstacle: str = ""

    def figures(self, name: str) -> tuple[list[float], list[float]]:
        """Return a figure of each run, the kernel's and ours; none where it does not exist."""
        both = (self.theirs, self.ours)
        found = ([figures_of(run, self.case)[name] for run in runs] for runs in both)
        theirs, ours = ([value for value in values if value == value] for values in found)  # noqa: PLR0124
        return theirs, ours

    def agrees(self, name: str) -> bool | None:
        """Tell whether a figure agrees; None if it is missing on either side."""
        theirs, ours = self.figures(name)
        return agree(name, theirs, ours) if theirs and ours else None

    @property
    def lateness_s(self) -> float:
        """How late 999 in 1000 packets were at most, in the worst run."""
        return max((run.lateness_s for run in self.theirs), default=0.0)

    @property
    def is_disturbed(self) -> bool:
        """Whether the machine was too busy for the kernel's runs to count."""
        return self.lateness_s > LATE_S

    def record(self) -> dict[str, Any]:
        """Return all that is compared, for JSON."""
        return {
            "case": self.case.name,
            "laws": [sender.law for sender in self.case.senders],
            "obstacle": self.obstacle,
            "lateness_p99_9_s": self.lateness_s,
            "figures": {name: self._record(name) for name in FIGURES if any(self.figures(name))},
        }

    def _record(self, name: str) -> Mapping[str, Any]:
        theirs, ours = self.figures(name)
        return {"kernel": theirs, "headgate": ours, "agrees": self.agrees(name)}


def agree(name: str, theirs: Sequence[float], ours: Sequence[float]) -> bool:
    """Tell whether means are near one another, or ranges of repeats overlap."""
    allowed = max(RELATIVE[name] * abs(mean(theirs)), ABSOLUTE.get(name, 0.0))
    near = abs(mean(ours) - mean(theirs)) <= allowed
    several = len(theirs) > 1
    return near or (several and min(ours) <= max(theirs) and min(theirs) <= max(ours))
