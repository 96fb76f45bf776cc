"""The analysis of experiment 2a: seven replacements, each beside TCP."""

from headgate_studies.nist.campaign import SETTINGS, keep
from headgate_studies.nist.mixed import analyse, prepare
from headgate_studies.nist.variants import jobs

__all__ = ["SETTINGS", "analyse", "jobs", "keep", "prepare"]
