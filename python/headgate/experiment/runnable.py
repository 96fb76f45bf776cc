"""What can be run, analysed and reported: a shipped study, or an experiment of one's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, overload

from headgate.base.marks import Mark
from headgate.base.strict import Strict
from headgate.claims.claim import Claim
from headgate.claims.verdicts import Estimate
from headgate.experiment.runs import Key, Runs, Setup

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from headgate.data.tables import Table
    from headgate.engine.api import Result
    from headgate.figures.analysis.roles import Roles
    from headgate.lab.jobs import Job


class Source(Strict):
    """Where a setting's value comes from, and how well that is known."""

    mark: Mark
    source: str


@dataclass(frozen=True)
class Picture:
    """A figure of the report, with what it shows in a sentence."""

    name: str
    title: str
    caption: str
    figure: Figure


class PicturesLater(Sequence[Picture]):
    """Pictures that are drawn when the first of them is asked for: a report may need none anew."""

    def __init__(self, draw: Callable[[], tuple[Picture, ...]]) -> None:
        self._draw = draw

    @cached_property
    def _drawn(self) -> tuple[Picture, ...]:
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
    """A table of the report, with what it shows in a sentence."""

    title: str
    caption: str
    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


@dataclass(frozen=True)
class Analysis:
    """What a study's analysis gives back."""

    findings: Mapping[str, Estimate] = field(default_factory=dict)
    sentences: tuple[str, ...] = ()
    pictures: Sequence[Picture] = ()
    tables: tuple[Listing, ...] = ()
    data: tuple[Table, ...] = ()
    roles: Roles | None = None
    """What the columns of the first table of `data` are, if it is to be analysed as a whole."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Texts that are written beside the report, by name, such as a design for the next study."""


class Runnable(Protocol):
    """What the runner asks of whatever it runs."""

    @property
    def name(self) -> str:
        """What it is called in commands and folders."""

    @property
    def title(self) -> str:
        """Its title, for people."""

    @property
    def question(self) -> str:
        """What it is to answer."""

    @property
    def sources(self) -> Mapping[str, Source]:
        """Where the values of settings come from, by their names."""

    @property
    def claims(self) -> Sequence[Claim]:
        """The claims that it judges."""

    @property
    def files(self) -> Mapping[str, bytes]:
        """What is kept beside its runs, by name: what it was made of."""

    @property
    def code(self) -> Sequence[Path]:
        """The files that say how its runs are made and read."""

    @property
    def jobs(self) -> Callable[[Setup], Mapping[Key, Job]]:
        """The function that makes every run, by key."""

    @property
    def keep(self) -> Callable[[Result], Result] | None:
        """The function that makes little of a finished run before it is stored, if there is one."""

    def has_all(self, result: Result) -> bool:
        """Say whether a stored run has what the analysis asks; if not, it is made again."""

    def trim(self, result: Result) -> Result:
        """Leave out what the analysis does not ask of a stored run, of which there may be many."""

    @property
    def analyse(self) -> Callable[[Runs], Analysis]:
        """The function that turns finished runs into findings and figures."""

    @property
    def find(self) -> Callable[[Runs], Mapping[str, Estimate]] | None:
        """The function that finds what claims ask of finished runs, and draws nothing.

        None if what is asked may change at any time: then runs are stored with all they have kept.
        """
