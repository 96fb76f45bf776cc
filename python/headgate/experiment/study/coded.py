"""A study with Python: what it runs and claims is data where it can be, functions where it must.

Its functions stand in modules that are called as they are, or in `analysis`. `sentences`,
`pictures`, `tables` and, in that module too, `data` are asked of finished runs; where it has other
things to give, `analyse` gives them all. What it runs is said by `[sweeps]` (see `sweeps`), or made
by `jobs(setup)`. A claim's `value` names a function of module `findings`, or is SQL over `data`.
`prepare(runs)`, if there, makes of the runs what all these work with. `keep`, if there, is for
studies whose runs are too large to be stored as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.claims.verdicts import Estimate
from headgate.data.tables import Table
from headgate.experiment import toml_extends
from headgate.experiment.estimates import add_interval_by_seed, make_estimates
from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Key, Runs, Setup, key_by_labels
from headgate.experiment.study.claims import CLAIMS, StudyClaim
from headgate.experiment.study.functions import Functions
from headgate.experiment.study.sweeps import Sweeps
from headgate.experiment.study.values import Tables, estimate, require_tables
from headgate.lab.jobs import Job

if TYPE_CHECKING:
    from headgate.engine.api import Result

Make = Callable[[Runs], Estimate]


@dataclass(frozen=True)
class Coded:
    """The part of a study that Python and its files make together."""

    package: str
    folder: Path
    sweeps: Mapping[str, Mapping[str, Any]]
    claims: Sequence[StudyClaim]

    def own(self, name: str, module: str = "") -> Any:
        """Return what `analysis` has of a name, else what the module of that name has, or None."""
        for each in ("analysis", module or name):
            place = f"{self.package}.{self.folder.name}.{each}"
            found = getattr(import_module(place), name, None) if find_spec(place) else None
            if found is not None:
                return found
        return None

    def jobs(self, setup: Setup) -> Mapping[Key, Job]:
        """Make every run, once claims are known to be askable. Raises HeadgateError."""
        dict(self._called())
        if self.sweeps:
            return key_by_labels(Sweeps(self.package, self.folder, self.sweeps).jobs(setup))
        made: Mapping[Key, Job] = self.own("jobs")(setup)
        return made

    @property
    def keep(self) -> Callable[[Result], Result] | None:
        """The function that makes little of a finished run, if there is one."""
        found: Callable[[Result], Result] | None = self.own("keep")
        return found

    @property
    def settable(self) -> frozenset[str] | None:
        """What a user's design may vary, if the study says it."""
        found: frozenset[str] | None = self.own("SETTINGS")
        return found

    def analyse(self, runs: Runs) -> Analysis:
        """Turn finished runs into sentences, pictures and findings. Raises HeadgateError."""
        prepare = self.own("prepare")
        ready: Runs = prepare(runs) if prepare else runs
        analysis: Analysis = (self.own("analyse") or self._tell)(ready)
        return replace(analysis, findings={**analysis.findings, **self.find(ready, analysis.data)})

    def find_in(self, runs: Runs) -> dict[str, Estimate]:
        """Find what claims ask of finished runs, and draw nothing. Raises HeadgateError."""
        prepare = self.own("prepare")
        ready: Runs = prepare(runs) if prepare else runs
        data = self.own("data", "tables") if any(claim.value for claim in self.claims) else None
        return self.find(ready, data(ready) if data else ())

    def _tell(self, ready: Runs) -> Analysis:
        return Analysis(
            sentences=self.own("sentences")(ready),
            pictures=self.own("pictures")(ready),
            tables=self.own("tables")(ready),
            data=self.own("data", "tables")(ready),
        )

    def find(self, ready: Runs, data: Sequence[Table] = ()) -> dict[str, Estimate]:
        """Find what claims ask of runs that are prepared, and of their tables."""
        tables = {table.name: table for table in data}
        return make_estimates({**dict(self._called()), **dict(self._asked(tables))}, ready)

    def _called(self) -> Iterator[tuple[str, Make]]:
        """Give what makes the finding of each claim that names a function."""
        files = toml_extends.files(self.folder / CLAIMS)
        folders = dict.fromkeys(path.parent.resolve() for path in files)
        functions = Functions(self.package, tuple(folders), "findings", "Estimate")
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
