"""The tables of the first study's report."""

import numpy as np

from headgate.stats.effects import main_effect, psi
from headgate.studies.study import Listing
from headgate.studies.tcp_replacements.analysis import RESPONSES, Summary


def tables(summary: Summary) -> tuple[Listing, ...]:
    """Return every table of the report."""
    return (_influence(summary), _means(summary), _conditions(summary), _fixed(summary))


def _influence(summary: Summary) -> Listing:
    """Psi by period and by law, as the source's table 1(c)."""
    periods = {f"period {p + 1}": (..., [p]) for p in range(summary.runs.periods)}
    laws = {law: (slice(None), [i], ...) for i, law in enumerate(summary.runs.laws)}
    rows = [
        (name, *(f"{100 * _psi(summary, factor, chosen):.0f}" for factor in summary.factors()))
        for name, chosen in (periods | laws).items()
    ]
    titles = (f"{f.name} {f.title}" for f in summary.runs.design.factors)
    caption = (
        "Psi x 100: the share of the 22 responses that a factor moves (p < 0.01 counts 1, p < 0.05"
        " counts 1/2), by period over all laws, and by law over all periods."
    )
    return Listing("Influence of the factors", caption, ("runs of", *titles), rows)


def _psi(summary: Summary, factor: str, chosen: tuple[object, ...]) -> float:
    column = summary.runs.design.column(factor)
    effects = []
    for name in RESPONSES:
        values = summary.runs.response(name)[chosen].reshape(len(column), -1)  # type: ignore[index]
        coded = np.repeat(column, values.shape[1])
        effects.append(main_effect(factor, coded, values.ravel()))
    return psi(effects)


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


def _fixed(summary: Summary) -> Listing:
    runs = summary.runs
    rows = [(name.replace("_", " "), str(value)) for name, value in runs.settings.items()]
    rows += [("laws", ", ".join(runs.laws)), ("seeds", ", ".join(map(str, runs.seeds)))]
    caption = (
        "Size 1 is the source's largest experiment: 192 Gbit/s in the backbone and 278,000 users."
        " Speed and number of sources multiply it. Every law meets the same traffic (same seeds)."
    )
    return Listing("Held fixed unless a factor says otherwise", caption, ("setting", "value"), rows)
