"""Jobs: runs to make, and their identities."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib import util
from pathlib import Path
from typing import Any

from headgate.base.version import __version__
from headgate.engine.api import Scenario
from headgate.scenario.group import Arrays
from headgate.scenario.plan import identity_of

ID_LENGTH = 16


@dataclass(frozen=True)
class SharedPlan:
    """The plan of scenarios that differ only in their seed; planning takes most of a start."""

    scenario: Scenario

    @cached_property
    def _planned(self) -> tuple[dict[str, Any], Arrays]:
        return self.scenario.plan()

    def identity(self, seed: int) -> str:
        """Return the identity of the scenario with a seed. Raises ScenarioError."""
        plan, arrays = self._planned
        return identity_of({**plan, "seed": seed}, arrays)


@dataclass(frozen=True)
class Job:
    """One run of a study: a scenario with its seed, and the labels for the analysis."""

    scenario: Scenario
    labels: Mapping[str, str | int | float] = field(default_factory=dict)
    plan: SharedPlan | None = field(default=None, compare=False, repr=False)
    """The plan that replicates share in this process."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "plan": None}

    @cached_property
    def identity(self) -> str:
        """Hash of the resolved scenario and its seed, the input of the engine."""
        if self.plan is None:
            return self.scenario.identity()
        return self.plan.identity(self.scenario.seed)

    @cached_property
    def id(self) -> str:
        """Hash of the resolved scenario, its seed and the program: equal id, equal result."""
        identity = f"{self.identity} {program()}"
        return hashlib.sha256(identity.encode()).hexdigest()[:ID_LENGTH]


@cache
def program() -> str:
    """Return the version and the hash of the engine, so that results of two builds never mix."""
    spec = util.find_spec("headgate._native")
    engine = Path(spec.origin).read_bytes() if spec and spec.origin else b""
    return f"{__version__}+{hashlib.sha256(engine).hexdigest()[:8]}"
