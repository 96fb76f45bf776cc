"""What the study found, claim by claim."""

from __future__ import annotations

from headgate.claims import Estimate
from headgate.experiment.estimates import add_intervals_by_seed, make_estimates
from headgate.experiment.runs import Runs
from headgate.studies.fct.findings_order import ORDER
from headgate.studies.fct.findings_rcp import RCP
from headgate.studies.fct.findings_theory import THEORY


def findings(runs: Runs) -> dict[str, Estimate]:
    """Return the finding of every claim that this scale can judge."""
    return make_estimates(add_intervals_by_seed(RCP | ORDER) | THEORY, runs)
