"""Ten steps of a graphical analysis of one response of a two-level design, from a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.frame import Frame
from headgate.figures.notebook import InNotebook
from headgate.stats.ten_steps import Steps

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class TenSteps(Steps, InNotebook):
    """The steps with their rows and pictures."""

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record a term, the largest effect first."""
        beyond = set(self.standing_out)
        for term, effect in self.effects.items():
            yield {"term": " x ".join(term), "effect": effect, "beyond_margin": term in beyond}

    def figures(
        self, title: str = "", titles: Mapping[str, str] | None = None
    ) -> dict[str, Figure]:
        """Draw the ten steps; a title says what the response is, `titles` what the factors are."""
        from headgate.figures.plots.ten_steps import ten_steps

        return ten_steps(self, title, titles or {})


def compute_ten_steps(table: object, factors: Sequence[str], response: str) -> TenSteps:
    """Prepare the ten steps for one response; runs with something missing are left out.

    Raises AnalysisError: there are two factors at least, each with two levels.
    """
    frame = Frame.of(table)
    if len(factors) < 2:
        raise AnalysisError(f"{frame.name}: name two factors at least")
    frame.require(*factors, response)
    levels = {name: frame.levels(name) for name in factors}
    for name, found in levels.items():
        if len(found.names) != 2:
            raise AnalysisError(
                f"{frame.name}: {name} has {len(found.names)} levels; the ten steps take two"
            )
    values = frame.numbers(response)
    kept = np.isfinite(values)
    for found in levels.values():
        kept &= found.places >= 0
    coded = {name: found.coded[kept] for name, found in levels.items()}
    for name, column in coded.items():
        if len(set(column.tolist())) < 2:
            raise AnalysisError(f"{frame.name}: {name} does not vary where {response} is known")
    steps = TenSteps(response, tuple(factors), coded, values[kept])
    for name in factors:
        if (name,) not in steps.model.terms:
            raise AnalysisError(f"{frame.name}: {name} is confounded with the other factors")
    return steps
