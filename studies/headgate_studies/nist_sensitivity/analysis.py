"""The analysis of the sensitivity campaign: sentences, tables, and the resulting design."""

from collections.abc import Callable
from functools import partial

from headgate.lab import Analysis, Listing, NotRunError, PicturesLater, Runs, make_possible
from headgate_studies.nist.campaign import keep
from headgate_studies.nist_sensitivity.design import FILE, NAME, design_file, steps
from headgate_studies.nist_sensitivity.pictures import pictures
from headgate_studies.nist_sensitivity.published import AVERAGE, LARGEST, PSI
from headgate_studies.nist_sensitivity.runs import jobs, roles
from headgate_studies.nist_sensitivity.summary import Sensitivity

__all__ = ["analyse", "jobs", "keep", "prepare"]


def prepare(runs: Runs) -> Sensitivity:
    """Find the effects in finished runs."""
    return Sensitivity(runs.setup, runs.results)


def analyse(of: Sensitivity) -> Analysis:
    """Return the table that the report analyses, the sentences, and the resulting design."""
    return Analysis(
        sentences=sentences(of),
        pictures=PicturesLater(partial(pictures, of)),
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


def sentences(of: Sensitivity) -> tuple[str, ...]:
    """Say which factors the experiments take over, and how many behaviours there are."""
    makers: list[Callable[[Sensitivity], str]] = [_six, _groups, _least]
    return make_possible(makers, of)


def _six(of: Sensitivity) -> str:
    named = ", ".join(f"{factor.title} ({factor.name})" for factor in of.selected)
    return (
        f"The six most significant parameters are {named}; the source's order begins with"
        f" {', '.join(LARGEST)}. {FILE} lists the 32 conditions {NAME} of ours, for"
        f" `headgate study nist-1b --design {FILE}`."
    )


def _groups(of: Sensitivity) -> str:
    found = of.groups
    return (
        f"{len(found.responses)} of the source's 22 responses vary in the second period, and show"
        f" {len(found.dimensions)} behaviours."
    )


def _least(of: Sensitivity) -> str:
    idle = [name for name, psi in of.average.items() if psi == 0]
    named = ", ".join(f"{name} {of.factors[name].title}" for name in idle)
    if not named:
        return "An effect of every parameter is shown on some response."
    return f"No effect on any response is shown of {named}."


def tables(of: Sensitivity) -> tuple[Listing, ...]:
    """Return Psi of every factor, and the steps of the reduction."""
    rows = [
        (
            name,
            of.factors[name].title,
            *(round(100 * row[place]) for row in of.psi.values()),
            printed,
        )
        for place, name in enumerate(of.factors)
        for printed in [round(100 * PSI[AVERAGE][name])]
    ]
    return Listing(
        "Influence of every parameter",
        "Psi x 100, by period, by algorithm, the weighted average, and that which was published.",
        ("factor", "parameter", *of.psi, "published"),
        rows,
    ), _reduction(of)


def _reduction(of: Sensitivity) -> Listing:
    rows = [(s.title, f"10^{s.theirs:.1f}", f"10^{s.ours:.1f}", s.what) for s in steps(of)]
    return Listing(
        "The reduction",
        "Numbers of conditions that are left after each step, a parameter having 2^32 values until"
        " two levels are chosen.",
        ("step", "source", "here", "what is counted here"),
        rows,
    )
