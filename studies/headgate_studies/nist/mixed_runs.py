"""The finished runs of a mixed deployment: table, column roles, throughputs, and variants."""

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from headgate import Result, Table
from headgate.design import Design
from headgate.figures import Pair, Roles
from headgate.lab import Key, NotRunError, Runs
from headgate_studies.designed import Designed
from headgate_studies.nist.competing import (
    AVAILABLE,
    COLUMNS,
    Numbers,
    Rates,
    column,
    columns,
    measure_resent,
    title,
)
from headgate_studies.nist.responses import NUMBERED, PERIODS, WORSE, of_design
from headgate_studies.nist.summary import CONGESTED, Experiment
from headgate_studies.nist.variants import CONTROL, VARIANTS, corner

#: Flows whose throughputs are drawn beside TCP's: those of the source, and the ordinary ones.
PAIRED = (
    ("movie", "very fast", "fast"),
    ("movie", "fast", "normal"),
    ("movie", "typical", "normal"),
    ("service pack", "very fast", "fast"),
    ("service pack", "typical", "normal"),
    ("web object", "typical", "normal"),
)
NUMBERS = tuple(f"y{number}" for number in range(1, 17))
DESIGNED = 3
"""Labels of a run of the design or its control: condition, algorithm, seed; then a variant."""


def roles(design: Design, table: Table) -> Roles:
    """Return the roles of the table of an experiment with TCP flows beside a replacement's.

    A throughput is a response if it is known for every run and period; a miniature lacks some.
    """
    known = [name for name in COLUMNS if np.isfinite(np.asarray(table[name], dtype=float)).all()]
    numbered = {name: f"{name} {NUMBERED[name]}" for name in NUMBERS}
    worse = {name: way for name, way in WORSE.items() if name in NUMBERS}
    shared = of_design(
        design,
        {**numbered, **{name: COLUMNS[name] for name in known}},
        worse | dict.fromkeys(known, "less"),
        {},
        PERIODS,
    )
    pairs = tuple(_pair(*cell) for cell in PAIRED)
    titles = {**shared.titles, **COLUMNS}
    return shared.model_copy(update={"before": None, "pairs": pairs, "titles": titles})


def _pair(file: str, path: str, interface: str) -> Pair:
    return Pair(
        title=title(file, path, interface),
        own=column(file, path, interface, "own"),
        other=column(file, path, interface, "tcp"),
        available=AVAILABLE[path, interface],
    )


class Mixed(Runs):
    """Finished runs of an experiment in which some sources have TCP."""

    @cached_property
    def designed(self) -> Designed:
        """The runs of the design."""
        own = {key: one for key, one in self._of_variant().items() if key[1] != CONTROL}
        return Designed(self.setup, own)

    @cached_property
    def experiment(self) -> Experiment:
        """The same with their table and analyses; how congested a condition is says the control."""
        table, control = self.designed.tidy(columns), self._control_resends()
        return Experiment(self.designed, roles(self.setup.design, table), columns, control)

    def _control_resends(self) -> dict[str, float]:
        """Return the control's retransmission rate in the congested period."""
        own = {c: [self[c, CONTROL, seed] for seed in self.setup.seeds] for c in self.conditions}
        return {
            name: float(np.mean([run.responses["y10"][CONGESTED] for run in runs]))
            for name, runs in own.items()
        }

    @property
    def ccas(self) -> Sequence[str]:
        """The replacements."""
        return self.setup.ccas

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
    def resent(self) -> Numbers:
        """Retransmissions of TCP's flows over their deliveries: (condition, CCA beside them)."""
        return self._measure_resent(self.designed.results, self.conditions)

    def measure_resent(self, variant: str) -> Numbers:
        """Return the same in the corners of a variant; raises NotRunError if it was not run."""
        return self._measure_resent(self._runs_of(variant), self._corners(variant))

    def _measure_resent(self, results: Mapping[Key, Result], conditions: Sequence[str]) -> Numbers:
        return np.array(
            [[measure_resent(results, c, cca) for cca in self.ccas] for c in conditions]
        )

    @cached_property
    def rates(self) -> Rates:
        """Throughputs in the design."""
        return Rates.of(self._of_variant(), self.conditions, self.ccas)

    def variant(self, name: str) -> Rates:
        """Throughputs in the corners of a variant; raises NotRunError if it was not run."""
        return Rates.of(self._runs_of(name), self._corners(name), self.ccas)

    def _corners(self, variant: str) -> list[str]:
        return VARIANTS[variant].conditions(self.setup.design)

    def _runs_of(self, variant: str) -> dict[Key, Result]:
        """Return the runs of a variant; raises NotRunError if it was not run."""
        own = self._of_variant(variant)
        if not own:
            raise NotRunError(f"the variant {variant!r} is not part of this study")
        return own

    def _of_variant(self, *name: str) -> dict[Key, Result]:
        """Return the runs of a variant, or of the design itself, the control's among them."""
        return {key: one for key, one in self.results.items() if key[DESIGNED:] == name}
