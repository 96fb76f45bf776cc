"""A declared study: data defines its sweeps, responses and claims; Python may add pictures only.

`study.toml` contains `[responses]`, which are measured of every run, and `[sweeps.NAME]` with the
keys of an experiment's file: scenario, factors, `where`, `derived`. A setting in `[fixed]` or the
scale replaces `"$name"` in a sweep. A claim's `value` is SQL over tables with the names of the
sweeps, one row per run. The function `show(found)` of an optional module `analysis` returns
sentences that replace those of the framework, and pictures that precede the others. The study's
algorithm is that of all traffic. For several algorithms, as with a user-defined one, `cca`
becomes a factor, which the framework's sentences and pictures include.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import Estimate
from headgate.data.tables import Table
from headgate.experiment import findings, report_roles
from headgate.experiment.conditions import Label
from headgate.experiment.definition import Definition
from headgate.experiment.experiment import Experiment
from headgate.experiment.form import DESIGNED, ExperimentFile, ResponseTable
from headgate.experiment.responses import Measuring, Response, answers, by_period, keep
from headgate.experiment.runs import (
    Analysis,
    Key,
    Picture,
    PicturesLater,
    Runs,
    Setup,
    key_by_labels,
)
from headgate.experiment.study.claims import StudyClaim, Tables, estimate
from headgate.experiment.study.files import fill
from headgate.experiment.tables import MeasuredRuns
from headgate.lab.jobs import Job
from headgate.scenario.keys import EVERY_CCA, set_cca
from headgate.scenario.toml import read_toml

if TYPE_CHECKING:
    from collections.abc import Callable

    from headgate.engine.api import Result

    Shown = tuple[Sequence[str], Sequence[Picture]]
    Show = Callable[[Mapping[str, MeasuredRuns]], Shown]


@dataclass(frozen=True)
class Declared:
    """The runs and the analysis of a declared study."""

    folder: Path
    responses: Mapping[str, ResponseTable]
    sweeps: Mapping[str, Mapping[str, Any]]
    claims: Sequence[StudyClaim]
    show: Show | None = None

    def jobs(self, setup: Setup) -> dict[Key, Job]:
        """Make every run; the first label is its sweep. Raises HeadgateError."""
        sweeps = self.experiments(setup)
        for response in self._responses():
            response.check()
        self._count_periods()
        for claim in self.claims:
            if claim.call:
                raise HeadgateError(f"claims.{claim.id}: a declared study has SQL as value only")
        self._ask({name: _name(s.definition.first_rows(), name) for name, s in sweeps.items()})
        return key_by_labels(
            replace(job, labels={"sweep": name, **_put_cca_first(job.labels, sweep, setup)})
            for name, sweep in sweeps.items()
            for job in sweep.jobs(_limit_seeds(sweep, setup)).values()
        )

    def experiments(self, setup: Setup) -> dict[str, Experiment]:
        """Return every sweep at a scale as an experiment. Raises HeadgateError."""
        return {name: self._experiment(name, setup) for name in self.sweeps}

    def _experiment(self, name: str, setup: Setup) -> Experiment:
        data = fill(self.sweeps[name], setup.settings, f"sweeps.{name}")
        # A share of the full size is a share of the replicates.
        replicates = max(1, round(len(setup.seeds) * float(setup.settings["size"])))
        data |= {"title": name, "responses": dict(self.responses), "replicates": replicates}
        base = data.get("scenario")
        if isinstance(base, str):
            data["scenario"] = read_toml((self.folder / base).resolve())
        elif not isinstance(base, dict):
            raise HeadgateError(
                f'sweeps.{name}: it names no scenario; write scenario = "base.toml" or'
                f" [sweeps.{name}.scenario]"
            )
        set_cca(data["scenario"], setup.ccas[0])
        _add_ccas(data, setup)
        file = ExperimentFile.from_dict(data, f"sweeps.{name}")
        path = self.folder / f"{name}.toml"
        return Experiment.of(Definition(file, path, file.make_responses()))

    @property
    def keep(self) -> Measuring:
        """The reduction of each finished run."""
        return keep(self._asked(), "large")

    def has_all(self, result: Result) -> bool:
        """Return whether a stored run contains the values of all responses."""
        return answers(self._asked(), result)

    def _asked(self) -> tuple[Response, ...]:
        return by_period(self._responses(), self._count_periods())

    def _count_periods(self) -> int:
        """Return the number of periods in which responses are measured, the same in all sweeps."""
        counts = {name: len(sweep.get("periods", ())) for name, sweep in self.sweeps.items()}
        if len(set(counts.values())) > 1:
            said = ", ".join(f"{name} {count}" for name, count in counts.items())
            raise HeadgateError(
                f"sweeps: the number of periods is the same in all sweeps of a study, not {said}"
            )
        return next(iter(counts.values()), 0)

    def _responses(self) -> tuple[Response, ...]:
        periods = bool(self._count_periods())
        return tuple(
            table.response(name, by_period=periods) for name, table in self.responses.items()
        )

    def analyse(self, runs: Runs) -> Analysis:
        """Measure every sweep, compute the values of claims, and draw. Raises HeadgateError."""
        found = self._measure(runs)
        show = None if runs.setup.own else self.show
        plain = [
            f"{n}: {text}"
            for n, one in found.items()
            for text in (*report_roles.compare(one), *findings.sentences(one))
        ]
        compared = next((n for n, one in found.items() if _is_comparison(one)), "")
        order = sorted(found, key=lambda name: name != compared)
        sentences, drawn = show(found) if show else (plain, ())
        return Analysis(
            findings=self._findings(found),
            sentences=tuple(sentences),
            pictures=PicturesLater(lambda: (*drawn, *_pictures(found))),
            tables=tuple(
                replace(listing, title=f"{listing.title}: {name}")
                for name, one in found.items()
                for listing in findings.listings(one)
            ),
            data=tuple(_name(found[name].asked, name) for name in order),
            roles=report_roles.roles(found[compared]) if compared else None,
        )

    def find_in(self, runs: Runs) -> dict[str, Estimate]:
        """Compute the values of claims, without pictures. Raises HeadgateError."""
        return self._findings(self._measure(runs))

    def _measure(self, runs: Runs) -> dict[str, MeasuredRuns]:
        sweeps = self.experiments(runs.setup)
        return {name: sweep.measure(_select(runs, name, sweep)) for name, sweep in sweeps.items()}

    def _findings(self, found: Mapping[str, MeasuredRuns]) -> dict[str, Estimate]:
        return self._ask({name: _name(one.asked, name) for name, one in found.items()})

    def _ask(self, tables: Tables) -> dict[str, Estimate]:
        count = max(int(table["replicate"].max()) for table in tables.values())
        replicates = range(1, count + 1)
        return {
            claim.id: estimate(claim, tables, "replicate", replicates)
            for claim in self.claims
            if claim.value
        }


def _limit_seeds(sweep: Experiment, setup: Setup) -> Setup:
    """Return the setup of a sweep, with as many seeds as it has replicates."""
    return replace(setup, seeds=setup.seeds[: sweep.definition.file.replicates])


def _is_comparison(found: MeasuredRuns) -> bool:
    return found.roles is not None and found.roles.is_comparison


def _add_ccas(data: dict[str, Any], setup: Setup) -> None:
    """Make the algorithms of the study a factor; a sweep with algorithms gets the user's only."""
    for table in (data["factors"], data.get("crossed", {})):
        if EVERY_CCA in table:
            table[EVERY_CCA] = [*table[EVERY_CCA], *setup.own]
            return
    if len(setup.ccas) < 2:
        return
    grid = data.get("kind", "grid") == "grid" and not data.keys() & {*DESIGNED}
    place = "factors" if grid else "crossed"
    data[place] = {EVERY_CCA: list(setup.ccas), **data.get(place, {})}


def _ccas(sweep: Experiment, setup: Setup) -> dict[Label, str]:
    """Return the algorithms of a sweep by their labels in tables; a user-defined one by place."""
    if EVERY_CCA not in sweep.definition.levels:
        return {setup.ccas[0]: setup.ccas[0]}
    levels = sweep.definition.levels[EVERY_CCA]
    if len(levels) == len(setup.ccas):
        return dict(zip(levels, setup.ccas, strict=True))
    own = dict(zip(levels[len(levels) - len(setup.own) :], setup.own, strict=True))
    return {label: own.get(label, str(label)) for label in levels}


def _put_cca_first(labels: Mapping[str, Any], sweep: Experiment, setup: Setup) -> dict[str, Any]:
    """Return the labels of a run with its algorithm first; a user-defined one by its place."""
    rest = {name: label for name, label in labels.items() if name != EVERY_CCA}
    return {EVERY_CCA: _ccas(sweep, setup)[labels.get(EVERY_CCA, setup.ccas[0])], **rest}


def _select(runs: Runs, name: str, sweep: Experiment) -> Runs:
    """Return the runs of a sweep, by their keys in the sweep."""
    named = {cca: label for label, cca in _ccas(sweep, runs.setup).items()}
    names = list(sweep.definition.levels)
    place = names.index(EVERY_CCA) if EVERY_CCA in names else None
    results = {}
    for (part, cca, *rest), result in runs.results.items():
        if part == name and (place is None or str(cca) in named):
            own = [] if place is None else [named[str(cca)]]
            results[*rest[: place or 0], *own, *rest[place or 0 :]] = result
    return Runs(_limit_seeds(sweep, runs.setup), results)


def _name(table: Table, name: str) -> Table:
    return table.extended(name, {})


def _pictures(found: Mapping[str, MeasuredRuns]) -> tuple[Picture, ...]:
    """Draw the means of every sweep; the name of the sweep is part of the picture's name."""
    return tuple(
        replace(picture, name=f"{name}-{picture.name}", title=f"{picture.title}: {name}")
        for name, one in found.items()
        for picture in findings.pictures(one)
        if picture.name.startswith("means-")
    )
