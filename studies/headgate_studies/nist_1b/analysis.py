"""The analysis of experiment 1b: seven replacements and TCP, one at a time."""

from headgate_studies.nist.campaign import SETTINGS, jobs, keep
from headgate_studies.nist.replaced import analyse, prepare

__all__ = ["SETTINGS", "analyse", "jobs", "keep", "prepare"]
