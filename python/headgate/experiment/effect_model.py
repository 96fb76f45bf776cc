"""The model of effects without pairs of conditions: least squares with interactions.

A factor with n listed levels adds n - 1 contrasts with the sum zero: the order of names does not
matter. A sampled quantity adds one contrast, from its low to its high end. An effect is the
difference between two levels, with the other factors at their mean.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from headgate.stats.two_level import ALIAS, project_out

Numbers = NDArray[np.float64]
Factors = tuple[str, ...]
Step = tuple[float, float]


@dataclass(frozen=True)
class Coding:
    """The contrasts of a factor: one row for each coded level."""

    levels: Numbers
    contrasts: Numbers

    @classmethod
    def of(cls, column: Numbers, *, sampled: bool) -> Coding:
        """Code a factor; a sampled factor is a straight line from -1 to 1."""
        levels = np.array([-1.0, 1.0]) if sampled else np.unique(column)
        count = len(levels)
        if count == 2:
            return cls(levels, np.array([[-1.0], [1.0]]))
        return cls(levels, np.vstack([np.eye(count - 1), -np.ones(count - 1)]))

    def columns(self, column: Numbers) -> Numbers:
        """Return the contrasts of each condition."""
        if len(self.levels) == 2:
            low, high = self.levels
            return np.asarray((2 * column - low - high) / (high - low))[:, None]
        return np.asarray(self.contrasts[np.searchsorted(self.levels, column)])

    @property
    def steps(self) -> list[Step]:
        """The steps from the first level to each other level."""
        first, *others = self.levels.tolist()
        return [(first, other) for other in others]

    def difference(self, step: Step) -> Numbers:
        """Return the contrasts at the end of a step minus those at its start."""
        first, last = (int(np.searchsorted(self.levels, level)) for level in step)
        return np.asarray(self.contrasts[last] - self.contrasts[first])


@dataclass(frozen=True)
class EffectModel:
    """The terms that the design can distinguish, each with its place among the parameters.

    `aliases` lists, for each kept term, the terms that the design cannot distinguish from it.
    """

    codings: Mapping[str, Coding]
    places: Mapping[Factors, slice]
    matrix: Numbers
    aliases: Mapping[Factors, tuple[Factors, ...]]

    @classmethod
    def of(
        cls,
        names: Sequence[str],
        coded: Numbers,
        sampled: Sequence[bool],
        terms: Sequence[Factors] | None = None,
    ) -> EffectModel:
        """Choose terms: main effects first, then interactions that are not aliases.

        `terms` lists others, such as the squares `("rtt", "rtt")` of a response surface.
        """
        codings = {
            name: Coding.of(column, sampled=of)
            for name, column, of in zip(names, coded.T, sampled, strict=True)
        }
        single = {n: codings[n].columns(c) for n, c in zip(names, coded.T, strict=True)}
        wanted = terms or [*((name,) for name in names), *combinations(names, 2)]
        columns = {term: _multiply(single, term) for term in wanted}
        return cls(codings, *_choose(columns, len(coded)))

    @property
    def freedom(self) -> int:
        """The degrees of freedom of the residual."""
        return len(self.matrix) - int(self.matrix.shape[1])

    def weights(self, term: Factors, steps: tuple[Step, ...]) -> Numbers:
        """Return the weight of each condition in the effect of a term over some steps."""
        parts = [
            self.codings[name].difference(step) for name, step in zip(term, steps, strict=True)
        ]
        # An interaction is half the difference of two effects.
        contrast = parts[0] if len(parts) == 1 else np.outer(*parts).ravel() / 2
        return self._weigh({term: contrast})

    def weights_at(self, name: str, step: Step, other: str, level: float) -> Numbers | None:
        """Return the weight of each condition in the effect of a factor at one level of another.

        None if the model does not contain their interaction.
        """
        term = (name, other) if (name, other) in self.places else (other, name)
        if term not in self.places:
            return None
        of_step, coding = self.codings[name].difference(step), self.codings[other]
        at = coding.contrasts[np.searchsorted(coding.levels, level)]
        outer = np.outer(of_step, at) if term[0] == name else np.outer(at, of_step)
        return self._weigh({(name,): of_step, term: outer.ravel()})

    def _weigh(self, contrasts: Mapping[Factors, Numbers]) -> Numbers:
        whole = np.zeros(self.matrix.shape[1])
        for term, contrast in contrasts.items():
            whole[self.places[term]] = contrast
        return np.asarray(whole @ self._solution)

    @cached_property
    def _solution(self) -> Numbers:
        """The least squares solution: the matrix from means of conditions to parameters."""
        return np.asarray(np.linalg.pinv(self.matrix))

    def residual_deviation(self, values: Numbers) -> float:
        """Return the standard deviation of the residual; NaN without degrees of freedom."""
        if not self.freedom:
            return math.nan
        left = values - self.matrix @ (self._solution @ values)
        return math.sqrt(float(left @ left) / self.freedom)


def _multiply(single: Mapping[str, Numbers], term: Factors) -> Numbers:
    product = single[term[0]]
    for name in term[1:]:
        product = (product[:, :, None] * single[name][:, None, :]).reshape(len(product), -1)
    return product


def _choose(
    terms: Mapping[Factors, Numbers], runs: int
) -> tuple[dict[Factors, slice], Numbers, dict[Factors, tuple[Factors, ...]]]:
    """Keep the terms that are independent of earlier ones and the mean, by Gram-Schmidt."""
    basis = np.full((1, runs), 1 / np.sqrt(runs))
    kept: dict[Factors, Numbers] = {}
    aliases: dict[Factors, tuple[Factors, ...]] = {}
    for term, columns in terms.items():
        grown = _extend(basis, columns)
        if grown is None:
            same = next((one for one, of in kept.items() if _is_same(columns, of)), None)
            if same is not None:
                aliases[same] = (*aliases.get(same, ()), term)
        else:
            basis, kept[term] = grown, columns
    places, at = {}, 1
    for term, columns in kept.items():
        places[term] = slice(at, at + columns.shape[1])
        at += columns.shape[1]
    return places, np.column_stack([np.ones(runs), *kept.values()]), aliases


def _extend(basis: Numbers, columns: Numbers) -> Numbers | None:
    """Return the basis with all columns of a term; None if one depends on the basis."""
    for column in columns.T:
        left = project_out(column, basis)
        if float(left @ left) <= ALIAS * float(column @ column):
            return None
        basis = np.vstack([basis, left / np.sqrt(left @ left)])
    return basis


def _is_same(columns: Numbers, others: Numbers) -> bool:
    return columns.shape == others.shape and (
        np.allclose(columns, others) or np.allclose(columns, -others)
    )
