"""What the study found, claim by claim."""

from __future__ import annotations

from headgate.claims import Finding
from headgate.studies.fast.equation import EQUATION
from headgate.studies.fast.experiments import EXPERIMENTS
from headgate.studies.found import found
from headgate.studies.runs import Runs


def findings(runs: Runs) -> dict[str, Finding]:
    """Return the finding of every claim that this scale can judge."""
    return found(EQUATION | EXPERIMENTS, runs)
