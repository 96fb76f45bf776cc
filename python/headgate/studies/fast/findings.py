"""What the study found, claim by claim."""

from __future__ import annotations

from headgate.claims import Estimate
from headgate.experiment.estimates import make_estimates
from headgate.experiment.runs import Runs
from headgate.studies.fast.equation import EQUATION
from headgate.studies.fast.experiments import EXPERIMENTS


def findings(runs: Runs) -> dict[str, Estimate]:
    """Return the finding of every claim that this scale can judge."""
    return make_estimates(EQUATION | EXPERIMENTS, runs)
