"""Comparisons of levels whose order means nothing, such as algorithms, with simultaneous intervals.

Without a level to compare with, all pairs are compared (Tukey); otherwise each level with that one
(Dunnett). Differences and errors are those of the model of the main effects.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import AnalysisError
from headgate.base.units import readable
from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.analysis.model import ResponseModel
from headgate.figures.analysis.phrases import short_title
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.title_units import split_unit
from headgate.figures.notebook import InNotebook
from headgate.stats.comparisons import (
    Comparison,
    Difference,
    compare_all,
    compare_with_control,
)
from headgate.stats.effects import FactorEffect

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The most comparisons that one sentence names, and one picture shows; the most pictures.
NAMED, SHOWN, DRAWN = 6, 30, 12


@dataclass(frozen=True)
class Compared(InNotebook):
    """The comparisons of one factor for each response, by the names of its levels.

    `control` is the level that all others are compared with; "" if all pairs are compared.
    """

    factor: str
    control: str
    levels: Mapping[str, tuple[str, ...]]
    found: Mapping[str, Sequence[Comparison]]

    @property
    def method(self) -> str:
        """The method of the intervals."""
        return "Dunnett" if self.control else "Tukey"

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield a row for each comparison: `last` minus `first`."""
        for response, comparisons in self.found.items():
            names = self.levels[response]
            for one in comparisons:
                yield {
                    "response": response, "factor": self.factor, "first": names[one.first],
                    "last": names[one.last], "difference": one.difference, "low": one.low,
                    "high": one.high, "p": one.p, "shown": int(one.is_shown),
                    "method": self.method,
                }  # fmt: skip

    def sentences(self, titles: Mapping[str, str] | None = None) -> Iterator[tuple[str, str]]:
        """Yield each response with the sentence on the differences that are shown."""
        for response in self.found:
            yield response, self._say_response(response, (titles or {}).get(response, response))

    def _say_response(self, response: str, title: str) -> str:
        comparisons, levels = self.found[response], self.levels[response]
        name, (_, unit) = short_title(response, title), split_unit(title)
        shown = sorted(
            (one for one in comparisons if one.is_shown), key=lambda one: -abs(one.difference)
        )
        against = f" with {self.control}" if self.control else ""
        scope = f"of {len(comparisons)} comparisons{against} ({self.method}, 95 % together)"
        if not shown:
            return f"No difference of {name} is shown between levels of {self.factor}: 0 {scope}."
        said = [_say(one, levels, unit or "1") for one in shown[:NAMED]]
        more = f"; and {len(shown) - NAMED} more" if len(shown) > NAMED else ""
        text = f"{name} differs by {self.factor} in {len(shown)} {scope}: {'; '.join(said)}{more}."
        return text[:1].upper() + text[1:]

    def figures(self, titles: Mapping[str, str] | None = None) -> dict[str, Figure]:
        """Draw the differences of each response, by its name."""
        return {name: self._draw(name, titles or {}) for name in list(self.found)[:DRAWN]}

    def _draw(self, response: str, titles: Mapping[str, str]) -> Figure:
        from headgate.figures.plots.effects import EffectInterval, effect_intervals
        from headgate.figures.spec.selection import find_readable

        names = self.levels[response]
        ordered = sorted(self.found[response], key=lambda one: -abs(one.difference))[:SHOWN]
        ends = [end for one in ordered for end in (one.low, one.high)]
        scale, title = find_readable(titles.get(response, response), ends)
        bars = [
            EffectInterval(
                f"{names[one.last]} \N{MINUS SIGN} {names[one.first]}",
                scale * one.difference, scale * one.low, scale * one.high, one.is_shown,
            )
            for one in ordered
        ]  # fmt: skip
        return effect_intervals(bars, f"difference of {title}")


def _say(one: Comparison, names: Sequence[str], unit: str) -> str:
    """Write a difference as the higher level above the lower one."""
    factor, name = readable(unit, max(abs(one.low), abs(one.high)))
    last, first, sign = names[one.last], names[one.first], 1
    if one.difference < 0:
        last, first, sign = first, last, -1
    low, high = sorted((sign * factor * one.low, sign * factor * one.high))
    size = f"{factor * abs(one.difference):.4g} {'' if name == '1' else name}".strip()
    return f"{last} above {first} by {size} ({low:.4g} to {high:.4g})"


def compare_levels(found: MainEffects, roles: Roles) -> Compared:
    """Compare the algorithms, or else the levels of the first factor with three names or more.

    Raises AnalysisError if there is no such factor, or no error.
    """
    factor = _choose_factor(found, roles)
    control = roles.before or "" if factor == roles.cca else ""
    levels: dict[str, tuple[str, ...]] = {}
    compared: dict[str, Sequence[Comparison]] = {}
    for response in found.responses:
        model = found.models[(), response]
        effect = model.effects[factor]
        comparisons = _compare(model, effect, control)
        if comparisons:
            levels[response] = model.chosen.names[factor]
            compared[response] = comparisons
    if not compared:
        raise AnalysisError(f"the runs give no error for comparisons of {factor}")
    return Compared(factor, control, levels, compared)


def _choose_factor(found: MainEffects, roles: Roles) -> str:
    def count(name: str) -> int:
        return len(set(found.table.levels[name].names))

    if roles.cca in found.factors and roles.cca is not None and count(roles.cca) > 1:
        return roles.cca
    names = [n for n in found.factors if count(n) > 2 and not found.table.levels[n].ordered]
    if not names:
        raise AnalysisError("three or more levels without an order are needed, such as algorithms")
    return names[0]


def _compare(model: ResponseModel, effect: FactorEffect, control: str) -> list[Comparison]:
    """Return the comparisons of a response; none if an error is unknown."""
    if not effect.has_interval or not model.has_error or effect.factor in model.chosen.same_as:
        return []
    names = model.chosen.names[effect.factor]
    if control and control not in names:
        return []

    def differ(first: int, last: int) -> Difference:
        change = model.change(effect, first, last)
        return change.value, change.error, change.freedom

    count = len(names)
    errors = [differ(0, place)[1] for place in range(1, count)]
    if not np.isfinite(errors).all():
        return []
    if control:
        return compare_with_control(names.index(control), count, differ)
    return compare_all(count, differ)
