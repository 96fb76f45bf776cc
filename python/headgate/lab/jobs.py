"""Jobs: runs to make, and their identities."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from importlib import util
from pathlib import Path
from typing import Any

from headgate.base.version import __version__
from headgate.engine.api import Scenario
from headgate.scenario.group import Arrays
from headgate.scenario.plan import identity_of

ID_LENGTH = 16
#: The largest plan that processes keep for later runs, and the size of a link in it.
SMALL_BYTES, LINK_BYTES = 1_000_000, 2_000


@dataclass(frozen=True)
class SharedPlan:
    """The plan of scenarios that differ only in their seed; planning takes most of a start."""

    scenario: Scenario

    @cached_property
    def _planned(self) -> tuple[dict[str, Any], Arrays]:
        return self.scenario.plan()

    def with_seed(self, seed: int) -> tuple[dict[str, Any], Arrays]:
        """Return the plan of the scenario with a seed, and its arrays. Raises ScenarioError."""
        plan, arrays = self._planned
        return {**plan, "seed": seed}, arrays

    def resolved(self, seed: int) -> dict[str, Any]:
        """Return the scenario with a seed, and every default filled in."""
        return {**self._resolved, "seed": seed}

    @cached_property
    def _resolved(self) -> dict[str, Any]:
        return self.scenario.to_dict(resolved=True)

    @property
    def is_small(self) -> bool:
        """Whether processes may keep the plan for later runs."""
        plan, arrays = self._planned
        arrays_bytes = sum(array.nbytes for array in arrays.values())
        return arrays_bytes + LINK_BYTES * len(plan["links"]) <= SMALL_BYTES

    @cached_property
    def _pickled(self) -> bytes:
        return pickle.dumps(self.scenario)

    def __reduce__(self) -> tuple[Callable[[bytes], SharedPlan], tuple[bytes]]:
        return _share, (self._pickled,)


@lru_cache(maxsize=128)
def _share(pickled: bytes) -> SharedPlan:
    """Return the plan of a scenario, which replicates share in this process too."""
    return SharedPlan(pickle.loads(pickled))


@dataclass(frozen=True)
class Job:
    """One run of a study: a scenario with its seed, and the labels for the analysis."""

    scenario: Scenario
    labels: Mapping[str, str | int | float] = field(default_factory=dict)
    plan: SharedPlan | None = field(default=None, compare=False, repr=False)
    """The plan that replicates share in each process."""

    def __getstate__(self) -> dict[str, Any]:
        shared = self.plan is not None and self.plan.is_small
        return {**self.__dict__, "plan": self.plan if shared else None}

    @property
    def planned(self) -> tuple[dict[str, Any], Arrays] | None:
        """The plan with the seed of this run, if replicates share it. Raises ScenarioError."""
        return None if self.plan is None else self.plan.with_seed(self.scenario.seed)

    @property
    def resolved(self) -> dict[str, Any] | None:
        """The scenario with every default filled in, if replicates share it."""
        return None if self.plan is None else self.plan.resolved(self.scenario.seed)

    @cached_property
    def identity(self) -> str:
        """Hash of the resolved scenario and its seed, the input of the engine."""
        planned = self.planned
        return self.scenario.identity() if planned is None else identity_of(*planned)

    @cached_property
    def id(self) -> str:
        """Hash of the resolved scenario, its seed and the program: equal id, equal result."""
        identity = f"{self.identity} {program()}"
        return hashlib.sha256(identity.encode()).hexdigest()[:ID_LENGTH]


def without_seed(job: Job) -> tuple[tuple[str, str | int | float], ...]:
    """Return the labels that replicates share: all but the seed."""
    labels = tuple((name, value) for name, value in job.labels.items() if name != "seed")
    return labels or (("run", job.id),)


@cache
def program() -> str:
    """Return the version and the hash of the engine, so that results of two builds never mix."""
    spec = util.find_spec("headgate._native")
    engine = Path(spec.origin).read_bytes() if spec and spec.origin else b""
    return f"{__version__}+{hashlib.sha256(engine).hexdigest()[:8]}"
