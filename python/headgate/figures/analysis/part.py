"""One period of a table (or all of it): its cells, and the analyses that others build on."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from headgate.base.errors import AnalysisError
from headgate.base.terminal import fingerprint
from headgate.figures.analysis.changes import Changes, compute_changes
from headgate.figures.analysis.clusters import Clusters, compute_clusters
from headgate.figures.analysis.conditions import ConditionResponses, compute_condition_responses
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.grid import Grid, compute_grid
from headgate.figures.analysis.main_effects import MainEffects, compute_main_effects
from headgate.figures.analysis.pairs import Bars, Biplots, compute_bars, compute_biplots
from headgate.figures.analysis.phrases import levels_by_condition
from headgate.figures.analysis.roles import Roles


def make_slugs(titles: Sequence[str]) -> list[str]:
    """Return each title as a part of a file's name, which no other of them has."""
    plain = [re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles]
    shared = Counter(plain)
    return [
        one if one and shared[one] == 1 else f"{one}-{fingerprint(title)}".strip("-")
        for one, title in zip(plain, titles, strict=True)
    ]


@dataclass(frozen=True)
class PeriodAnalysis:
    """Rows of one period, with their roles; `period` is "" if there are none.

    `slug` is the period as a part of a file's name.
    """

    frame: Frame
    roles: Roles
    period: str = ""
    slug: str = ""

    @property
    def title(self) -> str:
        """The name of the period."""
        return f"{self.roles.period} {self.period}" if self.period else ""

    @property
    def heading(self) -> str:
        """The name of the period with a capital first letter; the label stays as it is."""
        return self.title[:1].upper() + self.title[1:]

    @cached_property
    def cells(self) -> Grid:
        """Algorithms under conditions, all responses."""
        return self.grid(self.roles.responses)

    @property
    def has_cells(self) -> bool:
        """Whether the rows make algorithms under conditions: none lacks a label."""
        try:
            return bool(self.cells.conditions)
        except AnalysisError:
            return False

    def grid(self, responses: tuple[str, ...]) -> Grid:
        """Return CCAs under conditions for these columns; raise AnalysisError without either."""
        if self.roles.cca is None:
            raise AnalysisError("no column of algorithms is named (cca = ...)")
        if not self.roles.conditions:
            raise AnalysisError("no conditions are named (condition = [...] or factors = [...])")
        again = self.roles.replicate
        # All periods together contain a row of each replicate in every period.
        names = [name for name in (again, self.roles.period) if name and again]
        return compute_grid(self.frame, responses, self.roles.conditions, self.roles.cca, names)

    @cached_property
    def levels_by_condition(self) -> dict[str, dict[str, str]]:
        """The levels of the factors that vary, by condition."""
        return levels_by_condition(self.frame, self.roles)

    @cached_property
    def level_orders(self) -> dict[str, tuple[str, ...]]:
        """The levels of these factors, in order."""
        factors = next(iter(self.levels_by_condition.values()), {})
        return {factor: self.frame.levels(factor).names for factor in factors}

    @cached_property
    def order(self) -> list[int]:
        """Conditions from the least to the most congested; in the order of the table if unknown."""
        return self.cells.order_conditions(self.roles.congestion)

    @cached_property
    def ranked(self) -> list[int]:
        """The conditions with known congestion, in order."""
        if self.roles.congestion is None:
            return self.order
        known = np.asarray(np.isfinite(self.cells.of(self.roles.congestion)).any(axis=1))
        return [place for place in self.order if known[place]]

    @cached_property
    def changes(self) -> Changes:
        """The change of each response under every other algorithm."""
        return compute_changes(self.cells, self.roles.before, self.order)

    @cached_property
    def clusters(self) -> Clusters:
        """Which algorithms behave alike, condition by condition."""
        return compute_clusters(self.cells, order_by=self.roles.congestion)

    @cached_property
    def outliers(self) -> ConditionResponses:
        """The outlying algorithm of every condition and response."""
        return compute_condition_responses(self.cells, order_by=self.roles.congestion)

    @cached_property
    def beside(self) -> dict[str, Biplots]:
        """Flows of the algorithms against TCP flows beside them, by the pair's title.

        The algorithm before is left out if no new flows run beside it.
        """
        return {
            pair.title: self._without_before(compute_biplots(self.grid((pair.own, pair.other))))
            for pair in self.roles.pairs
        }

    def _without_before(self, found: Biplots) -> Biplots:
        before = found.panels.get(self.roles.before or "")
        if before is None or before.conditions:
            return found
        panels = {cca: of for cca, of in found.panels.items() if cca != self.roles.before}
        return replace(found, panels=panels)

    @cached_property
    def shares(self) -> dict[str, Bars]:
        """Shares of the available rate, by the title of each pair that gives it."""
        assert self.roles.cca is not None
        return {
            pair.title: compute_bars(
                self.frame, pair.own, pair.other, pair.available,
                self.roles.conditions, self.roles.cca,
            )
            for pair in self.roles.pairs
            if pair.available is not None
        }  # fmt: skip

    @cached_property
    def main_effects(self) -> MainEffects:
        """Main effects of all factors, the CCA among them; AnalysisError if none are named."""
        return self.effects()

    def effects(self, by: tuple[str, ...] = ()) -> MainEffects:
        """Return main effects in groups of labels; raise AnalysisError if no factor is named."""
        roles = self.roles
        if not roles.factors:
            raise AnalysisError("no factors are named; name one factor at least")
        names = roles.factors_beside_cca if roles.cca in by else roles.factors
        if roles.cca and roles.method != "one-way" and roles.cca not in (*by, *names):
            varies = len(set(self.frame.labels(roles.cca))) > 1
            names = (*names, roles.cca) if varies else names
        return compute_main_effects(
            self.frame, names, roles.responses, by, roles.replicate, roles.method
        )
