"""Words and figures of the sentences on one response."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headgate.base.units import format_figure, readable
from headgate.figures.analysis.coded import Labels
from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.analysis.model import ResponseModel
from headgate.figures.analysis.phrases import short_title
from headgate.figures.analysis.title_units import split_unit
from headgate.stats.effects import Estimate, FactorEffect

#: Levels, responses and factors that a sentence names before it says how many more there are.
NAMED = 6
#: The form that is tested of a factor with too many levels for a mean at each.
LINE = " along a straight line"


@dataclass(frozen=True)
class Speaker:
    """Writes the sentences of one model; `titles` are the titles of columns."""

    found: MainEffects
    titles: Mapping[str, str]
    response: str
    group: Labels
    before: tuple[str, str] | None = None

    @property
    def model(self) -> ResponseModel:
        """The model of all factors."""
        return self.found.models[self.group, self.response]

    @property
    def joint(self) -> Mapping[tuple[str, ...], FactorEffect]:
        """The effects of factors that always change together."""
        return self.found.joint(self.response, self.group)

    def model_of(self, factor: str) -> ResponseModel:
        """Return the model that tests a factor."""
        return self.found.model_of(factor, self.response, self.group)

    @property
    def name(self) -> str:
        """The name of the response in a sentence."""
        return self.short(self.response)

    def short(self, column: str) -> str:
        """Return the name of a column in a sentence."""
        return short_title(column, self.titles.get(column, column))

    def joint_name(self, column: str) -> str:
        """Return the name of a factor, with those that always change together with it."""
        names = next((names for names in self.joint if column in names), (column,))
        return join_names(list(map(self.short, names)), "or")

    def is_named(self, *factors: str) -> bool:
        """Return whether a sentence names an effect: of one factor, or of two on each other."""
        return self.found.is_named(factors, self.response, self.group)

    def write(self, *figures: float, sign: bool = False) -> list[str]:
        """Write figures of the response in the unit that people read it in."""
        _, unit = split_unit(self.titles.get(self.response, self.response))
        largest = float(np.nanmax(np.abs(self.model.values), initial=0.0))
        factor, name = readable(unit, largest) if unit else (1.0, "")
        shown = "" if name == "1" else name
        written = [format_figure(one * factor, "+" if sign else "") for one in figures]
        return [f"{one} {shown}".strip().replace("-", "\N{MINUS SIGN}") for one in written]

    def interval(self, of: Estimate, *, sign: bool = False) -> str:
        """Write an estimate with its interval, if that is known."""
        value, low, high = self.write(of.value, of.low, of.high, sign=sign)
        return f"{value} ({low.split()[0]} to {high.split()[0]})" if np.isfinite(of.low) else value

    def begin(self, sentence: str) -> str:
        """Begin a sentence with a capital, unless it begins with the name of a column."""
        if self.name == self.response and sentence.startswith(self.name):
            return sentence
        return sentence[:1].upper() + sentence[1:]


def join_names(names: Sequence[str], word: str = "and") -> str:
    """Join names by commas, and the last by a word."""
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last


def count_more(names: Sequence[str]) -> list[str]:
    """Return the number of names that a sentence omits, in words; [] if it omits none."""
    return [f"{len(names) - NAMED} more"] if len(names) > NAMED else []


def write_p(p: float) -> str:
    """Write a p value; digits of a very small one would be false precision."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"
