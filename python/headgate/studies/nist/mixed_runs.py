"""A mixed deployment as a whole: its table, its throughputs, and those at the other ssthresh."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from headgate.result import Result
from headgate.studies.designed import Designed
from headgate.studies.nist.competing import Rates, columns
from headgate.studies.nist.downloads import HEAVY_CORNER, LIGHT_CORNER, corner
from headgate.studies.nist.mixed_roles import roles
from headgate.studies.nist.summary import Experiment
from headgate.studies.runs import Key, NotRunError, Runs

DESIGNED = 3
"""Labels of a run of the design: condition, law, seed; others have the ssthresh too."""


class Mixed(Runs):
    """Finished runs of an experiment in which some sources have TCP."""

    @cached_property
    def designed(self) -> Designed:
        """The runs of the design."""
        return Designed(self.setup, self._of_length(DESIGNED))

    @cached_property
    def experiment(self) -> Experiment:
        """The same with their table and analyses."""
        table = self.designed.tidy(columns)
        return Experiment(self.designed, roles(self.setup.design, table), columns)

    def _of_length(self, count: int) -> Mapping[Key, Result]:
        return {key: one for key, one in self.results.items() if len(key) == count}

    @property
    def laws(self) -> Sequence[str]:
        """The replacements."""
        return self.setup.laws

    @property
    def conditions(self) -> Sequence[str]:
        """The label of every condition."""
        return self.designed.conditions

    @cached_property
    def light(self) -> Sequence[str]:
        """The least congested quarter of the conditions."""
        return self.experiment.light

    @cached_property
    def heavy(self) -> Sequence[str]:
        """The most congested quarter of the conditions."""
        return self.experiment.heavy

    def corner(self, levels: Mapping[str, int]) -> list[str]:
        """Return the conditions of a corner of the design."""
        return corner(self.setup.design, levels)

    @cached_property
    def rates(self) -> Rates:
        """Throughputs at the experiment's own initial ssthresh."""
        return Rates.of(self.designed.results, self.conditions, self.laws)

    @cached_property
    def high(self) -> Rates:
        """Throughputs in the corners at the other one; raises NotRunError where it was not run."""
        other = self._of_length(DESIGNED + 1)
        if not other:
            raise NotRunError("runs with the other initial ssthresh are not part of this study")
        names = self.corner(LIGHT_CORNER) + self.corner(HEAVY_CORNER)
        return Rates.of(other, names, self.laws)
