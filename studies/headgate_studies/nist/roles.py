"""What the columns of an experiment's table are, and which responses speak of which question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from headgate.design import Design
from headgate.figures import Roles
from headgate_studies.nist.responses import LONG_RATES, TITLES, WEB_RATES

BEFORE = "reno"
#: What happens in each period.
PERIODS = {"1": "no jumbo files", "2": "jumbo files add congestion", "3": "that congestion lingers"}
LOSSES = ("y5", "y10", "y13", "y14")
#: What a network or its users suffer from, and which way.
WORSE = {
    **dict.fromkeys((*LOSSES, "y8", "y9", "y15", "y16", "connecting", "swing"), "more"),
    **dict.fromkeys(("y6", "y7", *WEB_RATES, *LONG_RATES), "less"),
}
SAFETY = (*LOSSES, "y6", "y7", "y8", "y9", "y15", "y16", "connecting", "swing")


def roles(design: Design) -> Roles:
    """Return the roles of the table of an experiment whose sources all have one law."""
    questions = {
        "increase": tuple(WEB_RATES),
        "recovery": (*LOSSES, "fall"),
        "utility": (*WEB_RATES, *LONG_RATES),
        "safety": SAFETY,
    }
    return of_design(design, TITLES, WORSE, questions, PERIODS)


def of_design(
    design: Design,
    titles: Mapping[str, str],
    worse: Mapping[str, str],
    questions: Mapping[str, Sequence[str]],
    periods: Mapping[str, str] = MappingProxyType({}),
) -> Roles:
    """Return the roles of a table of laws under the conditions of a design, period by period."""
    factors = {factor.name: factor.title for factor in design.factors}
    return Roles.model_validate(
        {
            "responses": tuple(titles),
            "factors": tuple(factors),
            "condition": ("condition",),
            "law": "law",
            "replicate": "seed",
            "period": "period",
            "periods": periods,
            "before": BEFORE,
            "method": "one-way",  # as the source has it
            "congestion": "y10",
            "titles": {**titles, **factors},
            "worse": worse,
            "questions": questions,
        }
    )
