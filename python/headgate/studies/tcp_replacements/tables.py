"""The tables of the first study's report."""

from headgate.experiment.runnable import Listing
from headgate.studies.tcp_replacements.summary import RESPONSES, Summary


def tables(summary: Summary) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_means(summary), _conditions(summary))


def _means(summary: Summary) -> Listing:
    """Mean of each response by law over the heavily congested conditions."""
    heavy = {n: summary.cubes[n][summary.heavy].mean(axis=(0, 2)) for n in RESPONSES}
    rows = [(RESPONSES[name], *map(float, means)) for name, means in heavy.items()]
    labels = ", ".join(summary.runs.conditions[c] for c in summary.heavy)
    caption = f"Means over replicates, periods and these conditions: {labels}."
    return Listing(
        "Responses under heavy congestion", caption, ("response", *summary.runs.laws), rows
    )


def _conditions(summary: Summary) -> Listing:
    design = summary.runs.design
    settings = [design.settings(run) for run in range(len(design))]
    rows = [
        (label, *map(str, chosen.values()), f"{100 * float(share):.3f} %")
        for label, chosen, share in zip(
            summary.runs.conditions, settings, summary.congestion, strict=True
        )
    ]
    titles = (factor.title for factor in design.factors)
    caption = "The design, and how congested each condition is."
    columns = ("condition", *titles, "retransmission rate without FAST")
    return Listing("Conditions", caption, columns, rows)
