"""Main effects: how far each factor moves each response, and which of it is no chance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING, Any, get_args

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.coded import Coded, Labels, code_factors
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.model import Factorials, ResponseModel
from headgate.figures.analysis.roles import Method
from headgate.figures.notebook import InNotebook
from headgate.stats.effects import (
    WEAK_P,
    AliasedInteractions,
    Effect,
    FactorEffect,
    Interaction,
    LevelMean,
    compute_coded_effect,
    compute_psi_of_stars,
)
from headgate.stats.intervals import correct_by_false_discovery, correct_by_holm

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: The ends of an effect that has none: of levels without an order.
NO_LEVEL = LevelMean("", 0, nan, nan, nan)
#: A test: a group, the names of one factor, of two, or of aliased interactions, and a response.
Tested = tuple[Labels, tuple[str, ...], str]


@dataclass(frozen=True)
class MainEffects(InNotebook):
    """Effects of `factors` on `responses`, for each group of rows.

    `groups` are the values of the labels `by` (a period, an algorithm), one group without labels.
    `effects` are Dataplot's one-way analyses. Sentences on a factor use `method`.
    """

    factors: tuple[str, ...]
    responses: tuple[str, ...]
    by: Labels
    effects: Mapping[tuple[Labels, str, str], Effect]
    table: Coded
    method: Method = "interactions"

    def __getstate__(self) -> dict[str, Any]:
        """Drop the matrices of the models: their results are small and suffice for pictures."""
        _ = self._tested, self.p_corrected
        return {k: value for k, value in self.__dict__.items() if k not in ("models", "_alone")}

    def one(self, factor: str, response: str, group: Labels = ()) -> Effect:
        """Return one effect of Dataplot's one-way analysis."""
        return self.effects[group, factor, response]

    def tested(self, factor: str, response: str, group: Labels = ()) -> FactorEffect:
        """Return the effect of a factor: its test, the means at its levels, their intervals."""
        return self._tested[group, response][factor]

    def of_response(self, response: str, group: Labels = ()) -> list[FactorEffect]:
        """Return the effects of every factor on one response."""
        return [self.tested(factor, response, group) for factor in self.factors]

    @cached_property
    def models(self) -> Mapping[tuple[Labels, str], ResponseModel]:
        """The model of each group and response."""
        return {
            (group, response): factorials.fit(values)
            for group, rows in self.table.groups.items()
            for factorials in [self._factorials(rows)]
            for response, values in self.table.responses.items()
        }

    def _factorials(self, rows: NDArray[np.intp]) -> Factorials:
        additive = self.method == "main-effects"
        return Factorials(self.table.levels, rows, self.table.blocks, additive)

    @cached_property
    def _alone(self) -> Mapping[tuple[Labels, str, str], ResponseModel]:
        """The model of each group, response and factor without the other factors."""
        return {
            (group, response, factor): alone.fit(values)
            for group, rows in self.table.groups.items()
            for factor, levels in self.table.levels.items()
            for alone in [Factorials({factor: levels}, rows, straight=False)]
            for response, values in self.table.responses.items()
        }

    def model_of(self, factor: str, response: str, group: Labels = ()) -> ResponseModel:
        """Return the model that tests a factor: of all factors, or of this one alone."""
        if self.method == "one-way":
            return self._alone[group, response, factor]
        return self.models[group, response]

    @property
    def full(self) -> Mapping[tuple[Labels, str], Any]:
        """The fit with interactions, of each group and response."""
        return {key: model.fitted for key, model in self.models.items()}

    @cached_property
    def _tested(self) -> Mapping[tuple[Labels, str], Mapping[str, FactorEffect]]:
        if self.method != "one-way":
            return {key: model.effects for key, model in self.models.items()}
        return {
            (group, response): {
                factor: self._one_way(factor, response, group) for factor in self.factors
            }
            for group in self.table.groups
            for response in self.responses
        }

    def _one_way(self, factor: str, response: str, group: Labels) -> FactorEffect:
        """Return the effect of one factor; the other factors stay in the error."""
        model = self.model_of(factor, response, group)
        found, printed = model.effects[factor], self.one(factor, response, group)
        return replace(found, f_ratio=printed.f_ratio, p=printed.p)

    @cached_property
    def p(self) -> Mapping[Tested, float]:
        """The p of everything that is tested: factors, and interactions if the model has them.

        A pair of a factor with itself is the test of its levels beside that of its straight line.
        """
        found: dict[Tested, float] = {}
        for (group, response), effects in self._tested.items():
            found |= {(group, (f,), response): one.judged_p for f, one in effects.items()}
            found |= {(group, i.factors, response): i.p for i in self.interactions(response, group)}
            found |= {(group, a.names, response): a.p for a in self.aliased(response, group)}
            found |= {
                (group, (one.factor,), response): one.judged_p
                for one in self.joint(response, group).values()
            }
            found |= {
                (group, (f, f), response): self.models[group, response].compute_levels_p(f)
                for f, one in effects.items()
                if one.is_line
            }
        return found

    def joint(self, response: str, group: Labels = ()) -> Mapping[tuple[str, ...], FactorEffect]:
        """Return the effects of factors that always change together; none by the one-way test."""
        return {} if self.method == "one-way" else self.models[group, response].joint

    def interactions(self, response: str, group: Labels = ()) -> tuple[Interaction, ...]:
        """Return the interactions that are tested; none by the one-way test."""
        return () if self.method == "one-way" else self.models[group, response].interactions

    def aliased(self, response: str, group: Labels = ()) -> tuple[AliasedInteractions, ...]:
        """Return the joint tests of interactions that the design cannot separate."""
        return () if self.method == "one-way" else self.models[group, response].aliased

    @cached_property
    def p_corrected(self) -> Mapping[Tested, float]:
        """Every p corrected for the number of all tests, of all groups (Holm 1979)."""
        return correct_by_holm(self.p)

    @cached_property
    def q(self) -> Mapping[tuple[Labels, str, str], float]:
        """The p of every factor, corrected for their number (Benjamini, Hochberg 1995)."""
        p = {key: one.judged_p for key, one in self._each()}
        return correct_by_false_discovery(p)

    def _each(self) -> Iterator[tuple[tuple[Labels, str, str], FactorEffect]]:
        return ((key, self.tested(key[1], key[2], key[0])) for key in self.effects)

    def is_named(self, factors: tuple[str, ...], response: str, group: Labels = ()) -> bool:
        """Return whether an answer names this effect: at 5 % after the correction."""
        return self.p_corrected.get((group, factors, response), nan) < WEAK_P

    def levels(self) -> list[str]:
        """Return a sentence on the order of each factor's levels."""
        return [levels.describe() for levels in self.table.levels.values()]

    def psi(self, group: Labels = ()) -> dict[str, float]:
        """Return Psi of each factor over all responses of a group."""
        # The one-way test is that of Dataplot's effect, without the model's means and intervals.
        find = self.one if self.method == "one-way" else self.tested
        return {
            factor: compute_psi_of_stars(
                [find(factor, name, group).stars for name in self.responses]
            )
            for factor in self.factors
        }

    def figures(
        self,
        titles: Mapping[str, str] | None = None,
        factor_titles: Mapping[str, str] | None = None,
        shown: Sequence[str] | None = None,
    ) -> dict[str, Figure]:
        """Draw, for each group, means at all levels of every factor, and the table of stars.

        Means are those of the responses `shown`, all unless given.
        """
        from headgate.figures.plots.effects import main_effects, significance

        drawn = {}
        for group in self.table.groups:
            effects = {name: self.of_response(name, group) for name in self.responses}
            suffix = "".join(f"-{label}" for label in group)
            means = {name: effects[name] for name in shown or self.responses}
            drawn[f"main-effects{suffix}"] = main_effects(means, titles, factor_titles)
            drawn[f"significance{suffix}"] = significance(effects, titles, factor_titles)
        return drawn

    def rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record for each group, factor and response."""
        for (group, factor, response), effect in self._each():
            yield dict(zip(self.by, group, strict=True)) | self._row(
                group, factor, response, effect
            )

    def _row(
        self, group: Labels, factor: str, response: str, effect: FactorEffect
    ) -> dict[str, Any]:
        one_way, model = self.one(factor, response, group), self.models[group, response]
        in_model = model.effects[factor]
        size = effect.effect.value
        known = effect.ordered or len(effect.levels) == 2
        ends = [effect.levels[0], effect.levels[-1]] if known and effect.levels else [NO_LEVEL] * 2
        return {
            "factor": factor,
            "response": response,
            "low": ends[0].level,
            "high": ends[1].level,
            "mean_low": ends[0].mean,
            "mean_high": ends[1].mean,
            "effect": size,
            "effect_low": effect.effect.low,
            "effect_high": effect.effect.high,
            "relative_effect": _relative_percent(size, model),
            "sign": effect.sign if effect.stars else "",
            "stars": effect.stars,
            "df": effect.freedom,
            "error_df": effect.error_freedom,
            "f": effect.f_ratio,
            "p": effect.p,
            "p_equal_weights": effect.equal_weights_p if effect.may_interact else nan,
            "p_corrected": self.p_corrected[group, (factor,), response],
            "q": self.q[group, factor, response],
            "highest": "; ".join(effect.extremes(1)),
            "lowest": "; ".join(effect.extremes(-1)),
            "depends_on": "; ".join(effect.interacts),
            "confounded_with": effect.confounded,
            "straight_line": effect.is_line,
            "runs": model.runs,
            "left_out": model.rows - model.runs,
            "f_full": in_model.f_ratio,
            "p_full": in_model.p,
            "f_one_way": one_way.f_ratio,
            "p_one_way": one_way.p,
            "stars_one_way": one_way.stars,
            "eta_squared": one_way.eta_squared,
        }

    def records(self, said: Mapping[Labels, Mapping[str, str]]) -> Iterator[dict[str, Any]]:
        """Yield the rows with the means at the levels, the interactions, and the sentences."""
        for row in self.rows():
            group = tuple(row[name] for name in self.by)
            factor, response = row["factor"], row["response"]
            yield row | {
                "named": self.is_named((factor,), response, group),
                "levels": [
                    vars(one) for one in self.tested(factor, response, group).levels
                ],
                "interactions": [
                    {
                        "with": next(name for name in one.factors if name != factor),
                        "df": one.freedom, "f": one.f_ratio, "p": one.p, "stars": one.stars,
                        "named": self.is_named(one.factors, response, group),
                    }
                    for one in self.interactions(response, group)
                    if factor in one.factors
                ],
                "aliased_interactions": [
                    {
                        "terms": list(one.names), "df": one.freedom, "f": one.f_ratio, "p": one.p,
                        "stars": one.stars, "named": self.is_named(one.names, response, group),
                    }
                    for one in self.aliased(response, group)
                    if factor in one.factors
                ],
                "model": self._describe_model(response, group),
                "answer": said[group][response],
            }  # fmt: skip

    def _describe_model(self, response: str, group: Labels) -> str:
        model = self.models[group, response]
        if self.method == "one-way":
            return "one-way"
        if not model.has_error or model.chosen.design is None:
            return "no error"
        return "interactions" if model.chosen.design.interactions else "main effects"

    def level_rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record for each group, factor, response and level: the mean there."""
        for (group, factor, response), effect in self._each():
            for one in effect.levels:
                yield dict(zip(self.by, group, strict=True)) | {
                    "factor": factor, "response": response, "level": one.level, "runs": one.runs,
                    "mean": one.mean, "mean_low": one.low, "mean_high": one.high,
                }  # fmt: skip

    def interaction_rows(self) -> Iterator[dict[str, Any]]:
        """Yield one flat record for each group, response and interaction."""
        for group in self.table.groups:
            for response in self.responses:
                for one in self.interactions(response, group):
                    yield dict(zip(self.by, group, strict=True)) | {
                        "factor": one.factors[0], "with": one.factors[1], "response": response,
                        "df": one.freedom, "error_df": one.error_freedom,
                        "f": one.f_ratio, "p": one.p, "stars": one.stars,
                        "p_corrected": self.p_corrected[group, one.factors, response],
                    }  # fmt: skip


def _relative_percent(effect: float, model: ResponseModel) -> float:
    """Return the effect in per cent of the mean of all runs; NaN if only that mean is zero."""
    if effect == 0:
        return 0.0
    grand = float(model.values.mean()) if model.runs else 0.0
    return 100 * abs(effect) / abs(grand) if grand else nan


def compute_main_effects(  # noqa: PLR0913, PLR0917 - each is a choice of the caller
    table: object,
    factors: Sequence[str],
    responses: Sequence[str],
    by: Sequence[str] = (),
    replicate: str | None = None,
    method: Method = "interactions",
) -> MainEffects:
    """Return the main effects of every factor on every response, one analysis per group of `by`.

    `table` is a file (CSV, Parquet), a data frame, a table or a mapping, with one row a run. Stars
    come from a model of all factors and their interactions; with `method="main-effects"` it omits
    interactions, and with `"one-way"` the analyses of variance are those of NIST's Dataplot, which
    leave the other factors in the error.
    `replicate` is a column of labels, such as seeds: runs with the same label met the same chance.
    Raises AnalysisError.
    """
    if method not in (allowed := get_args(Method)):
        raise AnalysisError(f"method: {method!r} is none of {', '.join(allowed)}")
    frame = Frame.of(table)
    coded = code_factors(frame, factors, responses, by, replicate)
    effects = {
        (group, factor, response): compute_coded_effect(factor, signs, values[rows])
        for group, rows in coded.groups.items()
        for factor, signs in coded.factors(rows).items()
        for response, values in coded.responses.items()
    }
    return MainEffects(tuple(factors), tuple(responses), tuple(by), effects, coded, method)
