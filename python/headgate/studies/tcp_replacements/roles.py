"""What the columns of the study's table are, and which responses speak of which question."""

from headgate.analysis.roles import Roles
from headgate.studies.tcp_replacements.analysis import BEFORE, RESPONSES, Summary

THROUGHPUTS = ("y17", "y18", "y19", "y20", "y21", "y22")
LOSSES = ("y5", "y10", "y13", "y14")
#: What a network suffers from, and which way.
WORSE = {
    **dict.fromkeys(("y5", "y8", "y9", "y10", "y13", "y14", "y15", "y16"), "more"),
    **dict.fromkeys(("y6", "y7", *THROUGHPUTS), "less"),
}


def roles(summary: Summary) -> Roles:
    """Return the roles of the study's table."""
    factors = {factor.name: factor.title for factor in summary.runs.design.factors}
    return Roles.model_validate(
        {
            "responses": tuple(RESPONSES),
            "factors": tuple(factors),
            "condition": ("condition",),
            "law": "law",
            "period": "period",
            "before": BEFORE,
            "congestion": "y10",
            "titles": RESPONSES | factors,
            "worse": WORSE,
            "questions": {
                "increase": THROUGHPUTS,
                "recovery": LOSSES,
                "utility": THROUGHPUTS,
                "safety": tuple(WORSE),
            },
        }
    )
