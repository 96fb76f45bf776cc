"""The analysis of experiment 2c: seven replacements, each beside TCP."""

from headgate.studies.nist.campaign import SETTINGS
from headgate.studies.nist.keep import keep
from headgate.studies.nist.mixed import analyse, prepare
from headgate.studies.nist.variants import jobs

__all__ = ["SETTINGS", "analyse", "jobs", "keep", "prepare"]
