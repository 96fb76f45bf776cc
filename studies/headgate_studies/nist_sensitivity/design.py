"""The reduction chain: from every value a run takes to the 32 conditions of the experiments."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log10
from typing import Any

from headgate.design import DesignFile, FactorTable
from headgate_studies.nist_sensitivity.runs import scenario
from headgate_studies.nist_sensitivity.summary import MOST_SIGNIFICANT, Sensitivity

FILE = "design.toml"
#: The design of the experiments: 32 conditions of six factors.
NAME = f"2^({MOST_SIGNIFICANT}-1)"
#: As many values may a parameter have, after the source.
VALUES = 2.0**32
#: Powers of ten that the source prints: of 1000, 56 and 20 parameters, and of two levels of 20.
PRINTED = (9633, 539, 192, 6)


@dataclass(frozen=True)
class Step:
    """A step of the reduction: conditions before and after, as powers of ten; theirs and ours."""

    title: str
    theirs: float
    ours: float
    what: str
    """The things counted here."""


def design_file(of: Sensitivity) -> DesignFile:
    """Return the design of 32 conditions of the six most significant factors."""
    tables = {
        factor.name: FactorTable(
            title=factor.title, setting=factor.setting, low=factor.low, high=factor.high,
            source=f"Psi {100 * of.average[factor.name]:.0f} %",
        )
        for factor in of.selected
    }  # fmt: skip
    title = "The six most significant of MesoNet's parameters"
    return DesignFile(title=title, design=NAME, in_order=True, factors=tables)


def steps(of: Sensitivity) -> Sequence[Step]:
    """Return the steps of the reduction, each with the number of conditions that are left."""
    settings = {**of.settings, **of.design.settings(0)}
    made = scenario(settings, of.ccas[0])
    values, keys, factors = leaves(made.plan()[0]), leaves(made.to_dict()), len(of.factors)
    levels, cca_apart = factors * log10(2), len(of.factors) > len(of.design.factors)
    conditions = log10(len(of.design) * (len(of.ccas) if cca_apart else 1))
    return (
        Step("every parameter", PRINTED[0], every(values), f"{values} values of a run's plan"),
        Step("those germane", PRINTED[1], every(keys), f"{keys} keys of its scenario"),
        Step("grouped", PRINTED[2], every(factors), f"{factors} parameters of MesoNet"),
        Step("two levels each", PRINTED[3], levels, f"2^{factors}"),
        Step("orthogonal fraction", log10(256), conditions, f"{10**conditions:.0f} conditions run"),
        Step("six most significant", log10(32), log10(32), f"32 conditions, {NAME}"),
    )


def every(parameters: int) -> float:
    """Return the power of ten of all combinations of `count` parameters of 2^32 values each."""
    return parameters * log10(VALUES)


def leaves(value: Any) -> int:
    """Count the single values of nested dicts and lists."""
    if isinstance(value, Mapping):
        return sum(leaves(each) for each in value.values())
    if isinstance(value, list | tuple):
        return sum(leaves(each) for each in value)
    return 1
