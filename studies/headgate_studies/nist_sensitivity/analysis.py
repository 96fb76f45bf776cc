"""The analysis of the sensitivity campaign: claims, pictures, and the design that it ends with."""

from headgate.lab import Analysis, NotRunError, Runs
from headgate_studies.nist.keep import keep
from headgate_studies.nist_sensitivity.campaign import jobs
from headgate_studies.nist_sensitivity.design import FILE, design_file
from headgate_studies.nist_sensitivity.pictures import pictures
from headgate_studies.nist_sensitivity.responses import roles
from headgate_studies.nist_sensitivity.sentences import sentences, tables
from headgate_studies.nist_sensitivity.summary import Sensitivity

__all__ = ["analyse", "jobs", "keep", "prepare"]


def prepare(runs: Runs) -> Sensitivity:
    """Find the effects in finished runs."""
    return Sensitivity(runs.setup, runs.results)


def analyse(of: Sensitivity) -> Analysis:
    """Give the table that the report analyses, what is said of it, and the design that follows."""
    return Analysis(
        sentences=sentences(of),
        pictures=pictures(of),
        tables=tables(of),
        data=(of.table,),
        roles=roles(of.factors),
        files=_files(of),
    )


def _files(of: Sensitivity) -> dict[str, str]:
    try:
        return {FILE: design_file(of).text()}
    except NotRunError:
        return {}
