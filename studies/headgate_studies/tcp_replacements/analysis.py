"""The analysis of the first study: effects, condition-response summaries, maps, claims."""

from headgate.lab import Analysis, Job, Key, Listing, Runs, Setup, describe_shared_levels
from headgate_studies.designed import Designed, jobs_of
from headgate_studies.tcp_replacements.network import scenario
from headgate_studies.tcp_replacements.summary import RESPONSES, Summary


def jobs(setup: Setup) -> dict[Key, Job]:
    """Make every run: each law under each condition, with each seed."""
    return jobs_of(setup, scenario)


def prepare(runs: Runs) -> Summary:
    """Sum the runs up."""
    return Summary(Designed(runs.setup, runs.results))


def analyse(summary: Summary) -> Analysis:
    """Turn the summary into sentences, pictures and tables."""
    from headgate_studies.tcp_replacements.pictures import pictures
    from headgate_studies.tcp_replacements.roles import roles

    return Analysis(
        sentences=sentences(summary),
        pictures=pictures(summary),
        tables=tables(summary),
        data=(summary.runs.tidy(),),
        roles=roles(summary),
    )


def tables(summary: Summary) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_means(summary),)


def _means(summary: Summary) -> Listing:
    """Mean of each response by law over the heavily congested conditions."""
    heavy = {n: summary.cubes[n][summary.heavy].mean(axis=(0, 2)) for n in RESPONSES}
    rows = [(RESPONSES[name], *map(float, means)) for name, means in heavy.items()]
    where = describe_shared_levels(summary.runs.design, summary.heavy)
    caption = (
        "Means over replicates, periods and the most congested quarter of the conditions"
        f"{f': {where}' if where else ''}."
    )
    return Listing(
        "Responses under heavy congestion", caption, ("response", *summary.runs.laws), rows
    )


def sentences(summary: Summary) -> tuple[str, ...]:
    """Say of each law what would get worse and what better if everyone used it."""
    from headgate.figures import analyse_table
    from headgate_studies.tcp_replacements.roles import roles

    return tuple(one.sentence for one in analyse_table(summary.runs.tidy(), roles(summary)).answers)
