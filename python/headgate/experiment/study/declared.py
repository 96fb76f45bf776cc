"""A study that is declared: sweeps, responses and claims as data, pictures of its own at most.

`study.toml` has `[responses]`, which are measured of every run, and `[sweeps.NAME]`, each what an
experiment's file is: scenario, factors, `where`, `derived`. `"$name"` in a sweep stands for the
setting of that name in `[fixed]` or in the scale's. A claim's `value` is SQL over tables that are
called as the sweeps are, a row a run. Where the folder has a module `analysis`, its function
`show(found)` gives sentences in the place of the framework's, and pictures that go before its own.
The study's law is that of all traffic. Where there are several, as with one of the user's own,
`law` is a factor more, and the framework's sentences and pictures have it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import Estimate
from headgate.data.tables import Table
from headgate.experiment import findings
from headgate.experiment.check import first_rows
from headgate.experiment.conditions import Label
from headgate.experiment.definition import Definition
from headgate.experiment.experiment import Experiment
from headgate.experiment.form import ExperimentFile, ResponseTable
from headgate.experiment.responses import Measuring, Response, answers, keep
from headgate.experiment.runnable import Analysis, Picture
from headgate.experiment.runs import Key, Runs, Setup, key_by_labels
from headgate.experiment.study.claims import StudyClaim
from headgate.experiment.study.fill import fill
from headgate.experiment.study.values import Tables, estimate
from headgate.experiment.tables import MeasuredRuns
from headgate.lab.jobs import Job
from headgate.scenario.toml import EVERY_LAW, read_toml, set_law

if TYPE_CHECKING:
    from collections.abc import Callable

    from headgate.engine.api import Result

    Shown = tuple[Sequence[str], Sequence[Picture]]
    Show = Callable[[Mapping[str, MeasuredRuns]], Shown]


@dataclass(frozen=True)
class Declared:
    """The declared part of a study."""

    folder: Path
    responses: Mapping[str, ResponseTable]
    sweeps: Mapping[str, Mapping[str, Any]]
    claims: Sequence[StudyClaim]
    show: Show | None = None

    def jobs(self, setup: Setup) -> dict[Key, Job]:
        """Make every run; the first label says of which sweep it is. Raises HeadgateError."""
        sweeps = self.experiments(setup)
        self._check(sweeps)
        return key_by_labels(
            replace(job, labels={"sweep": name, **_say_law(job.labels, sweep, setup)})
            for name, sweep in sweeps.items()
            for job in sweep.jobs(_of(sweep, setup)).values()
        )

    def _check(self, sweeps: Mapping[str, Experiment]) -> None:
        """Hold responses and claims to the tables that there will be. Raises HeadgateError."""
        for response in self._measured():
            response.check()
        tables = {name: _called(first_rows(s.definition), name) for name, s in sweeps.items()}
        for claim in self.claims:
            if claim.call:
                raise HeadgateError(f"claims.{claim.id}: a declared study has SQL as value only")
        self._ask(tables)

    def experiments(self, setup: Setup) -> dict[str, Experiment]:
        """Give every sweep at a scale as an experiment of its own. Raises HeadgateError."""
        return {name: self._experiment(name, setup) for name in self.sweeps}

    def _experiment(self, name: str, setup: Setup) -> Experiment:
        data = fill(self.sweeps[name], setup.settings, f"sweeps.{name}")
        data |= {"title": name, "responses": dict(self.responses), "replicates": _replicates(setup)}
        data["scenario"] = self._read_base(name, data.get("scenario"))
        set_law(data["scenario"], setup.laws[0])
        if len(setup.laws) > 1:
            data["factors"] = {EVERY_LAW: list(setup.laws), **data["factors"]}
        file = ExperimentFile.from_dict(data, f"sweeps.{name}")
        made = Experiment.__new__(Experiment)
        made.definition = Definition(file, self.folder / f"{name}.toml", file.make_responses())
        return made

    def _read_base(self, name: str, base: Any) -> dict[str, Any]:
        """Return the scenario of a sweep, of a file beside the study or as it is written there."""
        if isinstance(base, str):
            return read_toml((self.folder / base).resolve())
        if not isinstance(base, dict):
            raise HeadgateError(
                f'sweeps.{name}: it names no scenario; write scenario = "base.toml" or'
                f" [sweeps.{name}.scenario]"
            )
        return base

    @property
    def keep(self) -> Measuring:
        """What measures each run where it is made."""
        return keep(self._measured(), "large")

    def has_all(self, result: Result) -> bool:
        """Say whether a stored run can tell what is asked now."""
        return answers(self._measured(), result)

    def _measured(self) -> tuple[Response, ...]:
        return tuple(table.response(name) for name, table in self.responses.items())

    def analyse(self, runs: Runs) -> Analysis:
        """Measure every sweep, ask the claims, and draw. Raises HeadgateError."""
        sweeps = self.experiments(runs.setup)
        found = {name: sweep.measure(_part(runs, name, sweep)) for name, sweep in sweeps.items()}
        show = None if runs.setup.own else self.show
        said, drawn = show(found) if show else (_sentences(found), ())
        return Analysis(
            findings=self._findings(found),
            sentences=tuple(said),
            pictures=(*drawn, *_pictures(found)),
            tables=tuple(
                replace(listing, title=f"{listing.title}: {name}")
                for name, one in found.items()
                for listing in findings.listings(one)
            ),
            data=tuple(_called(m.asked, n) for n, m in found.items()),
        )

    def find_in(self, runs: Runs) -> dict[str, Estimate]:
        """Find what claims ask of finished runs, and draw nothing. Raises HeadgateError."""
        sweeps = self.experiments(runs.setup)
        return self._findings(
            {name: sweep.measure(_part(runs, name, sweep)) for name, sweep in sweeps.items()}
        )

    def _findings(self, found: Mapping[str, MeasuredRuns]) -> dict[str, Estimate]:
        return self._ask({name: _called(one.asked, name) for name, one in found.items()})

    def _ask(self, tables: Tables) -> dict[str, Estimate]:
        count = max(int(table["replicate"].max()) for table in tables.values())
        replicates = range(1, count + 1)
        return {
            claim.id: estimate(claim, tables, "replicate", replicates)
            for claim in self.claims
            if claim.value
        }


def _replicates(setup: Setup) -> int:
    """Say how many replicates there are: the share of the full size is a share of these."""
    return max(1, round(len(setup.seeds) * float(setup.settings["size"])))


def _of(sweep: Experiment, setup: Setup) -> Setup:
    """Give a sweep the seeds that it has at this scale."""
    return replace(setup, seeds=setup.seeds[: sweep.definition.file.replicates])


def _laws(sweep: Experiment, setup: Setup) -> dict[Label, str]:
    """Return the laws of a study by what tables call them; one of the user's own by its name."""
    if len(setup.laws) == 1:
        return {setup.laws[0]: setup.laws[0]}
    levels = sweep.definition.levels[EVERY_LAW]
    return dict(zip(levels, setup.laws, strict=True))


def _say_law(labels: Mapping[str, Any], sweep: Experiment, setup: Setup) -> dict[str, Any]:
    """Return the labels of a run with its law first, by file and name if it is the user's own."""
    rest = {name: label for name, label in labels.items() if name != EVERY_LAW}
    return {EVERY_LAW: _laws(sweep, setup)[labels.get(EVERY_LAW, setup.laws[0])], **rest}


def _part(runs: Runs, name: str, sweep: Experiment) -> Runs:
    """Return the runs of a sweep by the keys that they have there."""
    named = {law: label for label, law in _laws(sweep, runs.setup).items()}
    several = len(runs.setup.laws) > 1
    results = {
        (*([named[str(law)]] if several else []), *rest): result
        for (part, law, *rest), result in runs.results.items()
        if part == name
    }
    return Runs(_of(sweep, runs.setup), results)


def _called(table: Table, name: str) -> Table:
    return table.extended(name, {})


def _sentences(found: Mapping[str, MeasuredRuns]) -> list[str]:
    return [f"{name}: {said}" for name, one in found.items() for said in findings.sentences(one)]


def _pictures(found: Mapping[str, MeasuredRuns]) -> tuple[Picture, ...]:
    """Draw the means of every sweep, with the sweep in their names."""
    return tuple(
        replace(picture, name=f"{name}-{picture.name}", title=f"{picture.title}: {name}")
        for name, one in found.items()
        for picture in findings.pictures(one)
        if picture.name.startswith("means-")
    )
