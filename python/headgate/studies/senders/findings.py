"""What the study found, claim by claim."""

from __future__ import annotations

from headgate.claims import Estimate
from headgate.experiment.estimates import make_estimates
from headgate.experiment.runs import Runs
from headgate.studies.senders.findings_alone import ALONE
from headgate.studies.senders.findings_lossy import LOSSY
from headgate.studies.senders.findings_start import START
from headgate.studies.senders.findings_together import TOGETHER


def findings(runs: Runs) -> dict[str, Estimate]:
    """Return the finding of every claim that this scale can judge."""
    return make_estimates(ALONE | LOSSY | TOGETHER | START, runs)
