"""The tables of the first study's report."""

from headgate.experiment.runnable import Listing
from headgate.experiment.wording import describe_shared
from headgate.studies.tcp_replacements.summary import RESPONSES, Summary


def tables(summary: Summary) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_means(summary),)


def _means(summary: Summary) -> Listing:
    """Mean of each response by law over the heavily congested conditions."""
    heavy = {n: summary.cubes[n][summary.heavy].mean(axis=(0, 2)) for n in RESPONSES}
    rows = [(RESPONSES[name], *map(float, means)) for name, means in heavy.items()]
    where = describe_shared(summary.runs.design, summary.heavy)
    caption = (
        "Means over replicates, periods and the most congested quarter of the conditions"
        f"{f': {where}' if where else ''}."
    )
    return Listing(
        "Responses under heavy congestion", caption, ("response", *summary.runs.laws), rows
    )
