"""What the columns of the study's table are, and which responses speak of which question."""

from headgate.figures import Roles
from headgate_studies.nist.roles import LOSSES, of_design
from headgate_studies.tcp_replacements.summary import RESPONSES, Summary

THROUGHPUTS = ("y17", "y18", "y19", "y20", "y21", "y22")
#: What happens in each period.
PERIODS = dict.fromkeys(("1", "2", "3"), "equal parts of the measured time, with the same traffic")
#: What a network suffers from, and which way.
WORSE = {
    **dict.fromkeys((*LOSSES, "y8", "y9", "y15", "y16"), "more"),
    **dict.fromkeys(("y6", "y7", *THROUGHPUTS), "less"),
}


def roles(summary: Summary) -> Roles:
    """Return the roles of the study's table."""
    questions = {
        "increase": THROUGHPUTS,
        "recovery": LOSSES,
        "utility": THROUGHPUTS,
        "safety": tuple(WORSE),
    }
    return of_design(summary.runs.design, RESPONSES, WORSE, questions, PERIODS)
