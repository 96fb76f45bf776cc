"""The interface of studies and experiments: settings, jobs and results by key, and the analysis."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, overload

from headgate.base.errors import FluidWarning, HeadgateError
from headgate.base.marks import Mark
from headgate.base.strict import Strict
from headgate.claims.claim import Claim
from headgate.claims.verdicts import Estimate
from headgate.design.factorial import Design
from headgate.engine.api import Result
from headgate.lab.jobs import Job

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headgate.data.tables import Table
    from headgate.figures.analysis.roles import Roles

Key = tuple[str | int | float, ...]
"""The key of a run in an analysis: the labels of its job, in order."""


class NotRunError(HeadgateError):
    """An analysis asks for a run that this scale, or this registry, does not contain."""


@dataclass(frozen=True)
class Setup:
    """The settings of a study at one scale; without factors its design is empty."""

    ccas: tuple[str, ...]
    seeds: tuple[int, ...]
    settings: Mapping[str, Any]
    design: Design
    source: str = "full factorial"
    """How the design was made, if it is not a fraction."""
    own: tuple[str, ...] = ()
    """User-defined algorithms among `ccas`, as file and name; no claim is about them."""

    def has(self, *ccas: str) -> tuple[str, ...]:
        """Return `ccas` if all are run, else raise NotRunError with the first missing one."""
        for cca in ccas:
            if cca not in self.ccas:
                raise NotRunError(f"there is no algorithm {cca!r} in the registry")
        return ccas


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
        """Return the runs whose keys differ in the seed only, which is the last label.

        A part may have fewer replicates than the scale. Raises NotRunError if there is none.
        """
        seeds = [seed for seed in self.setup.seeds if (*key, seed) in self.results]
        return [self[*key, seed] for seed in seeds or self.setup.seeds]

    def only(self, seed: int) -> Self:
        """Return the same runs with one seed of the replicates."""
        return replace(self, setup=replace(self.setup, seeds=(seed,)))

    def without(self, seed: int) -> Self:
        """Return the same runs without one seed of the replicates."""
        seeds = tuple(one for one in self.setup.seeds if one != seed)
        return replace(self, setup=replace(self.setup, seeds=seeds))

    def without_own(self) -> Self:
        """Return the same runs without those of user-defined algorithms."""
        own = set(self.setup.own)
        ccas = tuple(cca for cca in self.setup.ccas if cca not in own)
        kept = {key: one for key, one in self.results.items() if own.isdisjoint(map(str, key))}
        return replace(self, setup=replace(self.setup, ccas=ccas, own=()), results=kept)


def key_by_labels(jobs: Iterable[Job]) -> dict[Key, Job]:
    """Return jobs by key."""
    return {tuple(job.labels.values()): job for job in jobs}


def scale_name(text: str) -> str:
    """Return the name of a scale in claims: a fraction counts as full."""
    return "full" if text[:1].isdigit() or text.startswith(".") else text


class Source(Strict):
    """The source of a setting's value, and the mark of its quality."""

    mark: Mark
    source: str


@dataclass(frozen=True)
class Picture:
    """A figure of the report, with a caption."""

    name: str
    title: str
    caption: str
    figure: Figure


class PicturesLater(Sequence[Picture]):
    """Pictures that are drawn when the first one is used, as a current report needs none."""

    def __init__(self, draw: Callable[[], tuple[Picture, ...]]) -> None:
        self._draw = draw

    @cached_property
    def _drawn(self) -> tuple[Picture, ...]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FluidWarning)  # the study reports them itself
            return self._draw()

    def __len__(self) -> int:
        return len(self._drawn)

    @overload
    def __getitem__(self, place: int) -> Picture: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Picture, ...]: ...
    def __getitem__(self, place: int | slice) -> Picture | tuple[Picture, ...]:
        return self._drawn[place]


@dataclass(frozen=True)
class Listing:
    """A table of the report, with a caption."""

    title: str
    caption: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Analysis:
    """The results of a study's analysis."""

    findings: Mapping[str, Estimate] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    pictures: Sequence[Picture] = ()
    tables: tuple[Listing, ...] = ()
    data: tuple[Table, ...] = ()
    roles: Roles | None = None
    """The roles of the columns of the first table of `data`, if the report analyses that table."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts to write next to the report, by name, such as a design for the next study."""


class Runnable(Protocol):
    """The interface that the runner requires of a study or an experiment."""

    @property
    def name(self) -> str:
        """The name in commands and folders."""

    @property
    def title(self) -> str:
        """The title for people."""

    @property
    def question(self) -> str:
        """The question that the runs answer."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources of the values of settings, by the names of these."""

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims that the runs judge."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """The files to keep next to the runs, by name."""

    @property
    def code(self) -> Sequence[Path]:
        """The files that define how runs are made and read."""

    @property
    def jobs(self) -> Callable[[Setup], Mapping[Key, Job]]:
        """The function that makes every run, by key."""

    def inputs(self, setup: Setup, identities: Iterable[str]) -> Iterable[str]:
        """Return texts that change with everything that decides the runs and their analysis.

        The program and the stored runs are excluded. `identities` are those of the runs, computed
        one by one, for a study whose files do not decide its runs alone.
        """

    @property
    def keep(self) -> Callable[[Result], Result] | None:
        """The function that reduces a finished run before it is stored, if there is one."""

    def has_all(self, result: Result) -> bool:
        """Return whether a stored run contains all data of the analysis; if not, it is rerun."""

    def trim(self, result: Result) -> Result:
        """Remove the data of a stored run that the analysis does not read, to save memory."""

    @property
    def analyse(self) -> Callable[[Runs], Analysis]:
        """The function that turns finished runs into findings and figures."""

    @property
    def find(self) -> Callable[[Runs], Mapping[str, Estimate]] | None:
        """The function that computes the values of claims from finished runs, without pictures.

        None if later questions may differ: then runs are stored with all their tables.
        """
