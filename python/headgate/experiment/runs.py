"""What a study runs at one scale, and what came of it: jobs and results by key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from headgate.base.errors import HeadgateError
from headgate.design.factorial import Design
from headgate.engine.api import Result
from headgate.lab.jobs import Job

Key = tuple[str | int | float, ...]
"""What an analysis calls a run by: the labels of its job, in their order."""


class NotRunError(HeadgateError):
    """An analysis asked for a run that this scale, or this registry of laws, does not have."""


@dataclass(frozen=True)
class Setup:
    """What one scale of a study has to work with; a study without factors has an empty design."""

    laws: tuple[str, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, Any]
    design: Design
    source: str = "full factorial"
    """How the design came about, where it is no fraction."""
    own: tuple[str, ...] = ()
    """Laws of the user's own among `laws`, as file and name: no claim is about them."""

    def has(self, *laws: str) -> tuple[str, ...]:
        """Return `laws` if all are run, else raise NotRunError with the first that is not."""
        for law in laws:
            if law not in self.laws:
                raise NotRunError(f"there is no law {law!r} in the registry")
        return laws


@dataclass(frozen=True)
class Runs:
    """The finished runs of a study, by key."""

    setup: Setup
    results: Mapping[Key, Result]

    def __getitem__(self, key: Key) -> Result:
        if key not in self.results:
            raise NotRunError(f"the run {' '.join(map(str, key))} is not part of this scale")
        return self.results[key]

    def replicates(self, *key: str | float) -> list[Result]:
        """Return the runs that differ from one another in their seed only, the last of the key."""
        return [self[*key, seed] for seed in self.setup.seeds]

    def only(self, seed: int) -> Self:
        """Return the same runs with one seed of the replicates."""
        return replace(self, setup=replace(self.setup, seeds=(seed,)))

    def without(self, seed: int) -> Self:
        """Return the same runs without one seed of the replicates."""
        seeds = tuple(one for one in self.setup.seeds if one != seed)
        return replace(self, setup=replace(self.setup, seeds=seeds))

    def without_own(self) -> Self:
        """Return the same runs without those of the user's own laws."""
        own = set(self.setup.own)
        laws = tuple(law for law in self.setup.laws if law not in own)
        kept = {key: one for key, one in self.results.items() if own.isdisjoint(map(str, key))}
        return replace(self, setup=replace(self.setup, laws=laws, own=()), results=kept)


def key_by_labels(jobs: Iterable[Job]) -> dict[Key, Job]:
    """Return jobs by key."""
    return {tuple(job.labels.values()): job for job in jobs}
