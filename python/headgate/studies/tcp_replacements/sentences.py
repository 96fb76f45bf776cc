"""The answer of the first study in plain sentences, each with its numbers.

What the analyses of its table say (outliers, which factors matter) is left to them.
"""

from headgate.figures.analysis.whole import whole
from headgate.studies.tcp_replacements.roles import roles
from headgate.studies.tcp_replacements.summary import Summary


def sentences(summary: Summary) -> tuple[str, ...]:
    """Say of each law what would get worse and what better if everyone used it."""
    return tuple(one.sentence for one in whole(summary.runs.tidy(), roles(summary)).answers)
