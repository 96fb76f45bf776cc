"""The analysis of the sensitivity campaign."""

from headgate.studies.nist_sensitivity.campaign import jobs

__all__ = ["jobs"]
