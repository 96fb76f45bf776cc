"""The study `nist-unknowns`: its runs, and what each finding depends on."""

from headgate.experiment.runnable import Analysis
from headgate.experiment.runs import Runs
from headgate.studies.nist import replaced
from headgate.studies.nist.keep import keep
from headgate.studies.nist_unknowns.combinations import Combinations
from headgate.studies.nist_unknowns.pictures import draw_effects
from headgate.studies.nist_unknowns.runs import jobs
from headgate.studies.nist_unknowns.sentences import sentences

__all__ = ["analyse", "jobs", "keep", "prepare"]


def prepare(runs: Runs) -> Combinations:
    """Measure the responses of finished runs."""
    return Combinations(replaced.prepare(runs))


def analyse(of: Combinations) -> Analysis:
    """Say of each finding where it holds, and draw what each setting does to it."""
    return Analysis(
        sentences=sentences(of),
        pictures=(draw_effects(of),),
        data=(of.experiment.table,),
        roles=of.experiment.roles,
    )
