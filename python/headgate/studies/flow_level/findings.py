"""What the study found, claim by claim."""

from __future__ import annotations

from headgate.claims import Estimate
from headgate.experiment.estimates import make_estimates
from headgate.studies.flow_level.findings_comes import COMES
from headgate.studies.flow_level.findings_rests import RESTS
from headgate.studies.flow_level.findings_shares import SHARES
from headgate.studies.flow_level.solutions import Solutions


def findings(made: Solutions) -> dict[str, Estimate]:
    """Return the finding of every claim; one whose runs are missing says so."""
    return make_estimates(RESTS | SHARES | COMES, made)
