"""The analysis of the sensitivity campaign: claims, pictures, and the design that it ends with."""

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import NotRunError, Runs
from headgate.studies.nist_sensitivity.campaign import jobs
from headgate.studies.nist_sensitivity.design import FILE, design_file
from headgate.studies.nist_sensitivity.findings import findings
from headgate.studies.nist_sensitivity.pictures import pictures
from headgate.studies.nist_sensitivity.responses import roles
from headgate.studies.nist_sensitivity.sentences import sentences, tables
from headgate.studies.nist_sensitivity.summary import Sensitivity

__all__ = ["analyse", "jobs"]


def analyse(runs: Runs) -> Analysis:
    """Turn finished runs into findings, the table that the report analyses, and the design."""
    of = Sensitivity(runs.setup, runs.results)
    return Analysis(
        findings(of),
        sentences(of),
        pictures(of),
        tables(of),
        data=(of.table,),
        roles=roles(of.factors),
        files=_files(of),
    )


def _files(of: Sensitivity) -> dict[str, str]:
    try:
        return {FILE: design_file(of).text()}
    except NotRunError:
        return {}
