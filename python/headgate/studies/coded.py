"""A study with Python: what it runs and claims is data where it can be, functions where it must.

Its module `analysis` has `analyse(runs)`, which gives sentences, pictures and tables. What it runs
is said by `[sweeps]` (see `sweeps`), or made by its function `jobs(setup)`. A claim's `value` names
a function of its module `findings`, or is SQL over the tables of `analyse`, or else `analyse` gives
the finding itself. `prepare(runs)`, if there, makes of the runs what all these work with. `keep`,
if there, is for studies whose runs are too large to be stored as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.campaign.jobs import Job
from headgate.claims import Estimate
from headgate.experiment import toml_extends
from headgate.experiment.estimates import add_interval_by_seed, make_estimates
from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Key, Runs, Setup, by_labels
from headgate.studies.claims import CLAIMS, StudyClaim
from headgate.studies.functions import Functions
from headgate.studies.sweeps import Sweeps
from headgate.studies.values import Tables, estimate, require_tables
from headgate.tables import Table

if TYPE_CHECKING:
    from headgate.api import Result

Make = Callable[[Runs], Estimate]


@dataclass(frozen=True)
class Coded:
    """The part of a study that Python and its files make together."""

    folder: Path
    sweeps: Mapping[str, Mapping[str, Any]]
    claims: Sequence[StudyClaim]

    @cached_property
    def module(self) -> Any:
        """Its module `analysis`."""
        return import_module(f"headgate.studies.{self.folder.name}.analysis")

    def jobs(self, setup: Setup) -> Mapping[Key, Job]:
        """Make every run, once claims are known to be askable. Raises HeadgateError."""
        dict(self._called())
        if self.sweeps:
            return by_labels(Sweeps(self.folder, self.sweeps).jobs(setup))
        made: Mapping[Key, Job] = self.module.jobs(setup)
        return made

    @property
    def keep(self) -> Callable[[Result], Result] | None:
        """The function that makes little of a finished run, if there is one."""
        found: Callable[[Result], Result] | None = getattr(self.module, "keep", None)
        return found

    @property
    def settable(self) -> frozenset[str] | None:
        """What a user's design may vary, if the module says it."""
        found: frozenset[str] | None = getattr(self.module, "SETTINGS", None)
        return found

    def analyse(self, runs: Runs) -> Analysis:
        """Turn finished runs into sentences, pictures and findings. Raises HeadgateError."""
        prepare = getattr(self.module, "prepare", None)
        ready: Runs = prepare(runs) if prepare else runs
        analysis: Analysis = self.module.analyse(ready)
        return replace(analysis, findings={**analysis.findings, **self.find(ready, analysis.data)})

    def find(self, ready: Runs, data: Sequence[Table] = ()) -> dict[str, Estimate]:
        """Find what claims ask of runs that are prepared, and of their tables."""
        tables = {table.name: table for table in data}
        return make_estimates({**dict(self._called()), **dict(self._asked(tables))}, ready)

    def _called(self) -> Iterator[tuple[str, Make]]:
        """Give what makes the finding of each claim that names a function."""
        files = toml_extends.files(self.folder / CLAIMS)
        folders = dict.fromkeys(path.parent.resolve() for path in files)
        functions = Functions(tuple(folders), "findings", "Estimate")
        for claim in self.claims:
            if claim.call:
                arguments = claim.call.arguments
                function = functions.check(claim.call.function, arguments, f"claims.{claim.id}")
                make: Make = partial(function, **arguments)
                yield claim.id, partial(add_interval_by_seed, make) if claim.interval else make

    def _asked(self, tables: Tables) -> Iterator[tuple[str, Make]]:
        """Give what makes the finding of each claim that asks the tables."""
        return ((one.id, partial(_ask, one, tables)) for one in self.claims if one.value)


def _ask(claim: StudyClaim, tables: Tables, runs: Runs) -> Estimate:
    return estimate(claim, require_tables(claim, tables), "seed", runs.setup.seeds)
