"""A study with Python: data defines its runs and claims as far as possible, functions the rest.

Its functions are in modules of the same names, or in `analysis`. `sentences`, `pictures`, `tables`
and `data` take finished runs; a study with other results defines `analyse` instead. Its
runs are defined by `[sweeps]` (see `sweeps`), or by `jobs(setup)`. A claim's `value` names a
function of the module `findings`, or is SQL over `data`. The optional `prepare(runs)` converts the
runs for all of these functions. The optional `keep` reduces runs that are too large to store.
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
from headgate.experiment.estimates import add_interval_by_seed, make_estimates
from headgate.experiment.runs import (
    Analysis,
    Key,
    PicturesLater,
    Runs,
    Setup,
    key_by_labels,
)
from headgate.experiment.study.claims import (
    CLAIMS,
    StudyClaim,
    Tables,
    estimate,
    replicates_in,
    require_tables,
)
from headgate.experiment.study.files import list_files
from headgate.experiment.study.sweeps import Functions, Sweeps
from headgate.lab.jobs import Job

if TYPE_CHECKING:
    from headgate.engine.api import Result

Make = Callable[[Runs], Estimate]


@dataclass(frozen=True)
class Coded:
    """The runs and the analysis of a study with Python."""

    package: str
    folder: Path
    sweeps: Mapping[str, Mapping[str, Any]]
    claims: Sequence[StudyClaim]

    def own(self, name: str, module: str = "") -> Any:
        """Return an object of `analysis`, or of the module of its name; None if there is none."""
        for each in ("analysis", module or name):
            place = f"{self.package}.{self.folder.name}.{each}"
            found = getattr(import_module(place), name, None) if find_spec(place) else None
            if found is not None:
                return found
        return None

    def jobs(self, setup: Setup) -> Mapping[Key, Job]:
        """Make every run, after a check of the functions of claims. Raises HeadgateError."""
        dict(self._called())
        if self.sweeps:
            return key_by_labels(Sweeps(self.package, self.folder, self.sweeps).jobs(setup))
        made: Mapping[Key, Job] = self.own("jobs")(setup)
        return made

    @property
    def keep(self) -> Callable[[Result], Result] | None:
        """The function that reduces a finished run, if there is one."""
        found: Callable[[Result], Result] | None = self.own("keep")
        return found

    @property
    def settable(self) -> frozenset[str] | None:
        """The settings that a user's design may vary, if the study lists them."""
        found: frozenset[str] | None = self.own("SETTINGS")
        return found

    def analyse(self, runs: Runs) -> Analysis:
        """Turn finished runs into sentences, pictures and findings. Raises HeadgateError."""
        ready = self._prepare(runs)
        analysis: Analysis = (self.own("analyse") or self._collect)(ready)
        return replace(analysis, findings={**analysis.findings, **self.find(ready, analysis.data)})

    def find_in(self, runs: Runs) -> dict[str, Estimate]:
        """Compute the values of claims, without pictures. Raises HeadgateError."""
        ready = self._prepare(runs)
        data = self.own("data", "tables") if any(claim.value for claim in self.claims) else None
        return self.find(ready, data(ready) if data else ())

    def _prepare(self, runs: Runs) -> Runs:
        prepare = self.own("prepare")
        ready: Runs = prepare(runs) if prepare else runs
        return ready

    def _collect(self, ready: Runs) -> Analysis:
        return Analysis(
            sentences=self.own("sentences")(ready),
            pictures=PicturesLater(partial(self.own("pictures"), ready)),
            tables=self.own("tables")(ready),
            data=self.own("data", "tables")(ready),
        )

    def find(self, ready: Runs, data: Sequence[Table] = ()) -> dict[str, Estimate]:
        """Compute the values of claims from prepared runs, and from their tables."""
        tables = {table.name: table for table in data}
        asked: dict[str, Make] = {
            one.id: partial(_ask, one, tables) for one in self.claims if one.value
        }
        return make_estimates({**dict(self._called()), **asked}, ready)

    def _called(self) -> Iterator[tuple[str, Make]]:
        """Yield the id and the function of each claim that names one."""
        files = list_files(self.folder / CLAIMS)
        folders = dict.fromkeys(path.parent.resolve() for path in files)
        functions = Functions(self.package, tuple(folders), "findings", "Estimate")
        for claim in self.claims:
            if claim.call:
                arguments = claim.call.arguments
                function = functions.check(claim.call.function, arguments, f"claims.{claim.id}")
                make: Make = partial(function, **arguments)
                yield claim.id, partial(add_interval_by_seed, make) if claim.interval else make


def _ask(claim: StudyClaim, tables: Tables, runs: Runs) -> Estimate:
    found = require_tables(claim, tables)
    return estimate(claim, found, "seed", replicates_in(claim, found, "seed") or runs.setup.seeds)
