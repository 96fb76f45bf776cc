"""The answer of the first study in plain sentences, each with its numbers."""

from collections.abc import Sequence

from headgate.studies.tcp_replacements.analysis import BEFORE, RESPONSES, Summary

MOST_NAMED = 8


def sentences(summary: Summary) -> tuple[str, ...]:
    """Say which responses change, under which conditions, by how much."""
    groups = {
        "Without congestion": summary.light,
        "In between": summary.middle,
        "Under heavy congestion": summary.heavy,
    }
    said = (_said_of_group(summary, name, chosen) for name, chosen in groups.items())
    lead = (
        f"If everyone leaves {BEFORE} for another law, so many of the {len(RESPONSES)} responses"
        " change by 10 % or more:"
    )
    return (lead, *said, _said_of_outliers(summary), _said_of_influence(summary))


def _said_of_group(summary: Summary, name: str, conditions: Sequence[int]) -> str:
    resent = 100 * summary.congestion[list(conditions)].mean()
    where = ", ".join((*in_words(summary, conditions), f"{resent:.2g} % of packets sent again"))
    laws = [law for law in summary.runs.laws if law != BEFORE]
    told = "; ".join(_said_of_law(summary, law, conditions) for law in laws)
    return f"{name} ({where}): {told}."


def _said_of_law(summary: Summary, law: str, conditions: Sequence[int]) -> str:
    found = {title(name): summary.change(law, name, conditions) for name in RESPONSES}
    strong = sorted(
        (name for name, change in found.items() if change.matters),
        key=lambda name: -abs(found[name].share),
    )
    if not strong:
        return f"{law} none"
    named = ", ".join(f"{name} {found[name]}" for name in strong[:MOST_NAMED])
    rest = f" and {len(strong) - MOST_NAMED} more" if len(strong) > MOST_NAMED else ""
    return f"{law} {len(strong)} ({named}{rest})"


def in_words(summary: Summary, conditions: Sequence[int]) -> list[str]:
    """Name the levels that all these conditions share, such as `high network speed`."""
    design = summary.runs.design
    levels = {f.title: set(design.column(f.name)[list(conditions)]) for f in design.factors}
    return [
        f"{'high' if 1 in signs else 'low'} {factor}"
        for factor, signs in levels.items()
        if len(signs) == 1
    ]


def title(response: str) -> str:
    """Return what a response is called within a sentence: no number, no unit."""
    return RESPONSES[response].partition(" ")[2].partition(" (")[0].removesuffix(" / interval")


def _said_of_outliers(summary: Summary) -> str:
    cells = [cell for row in summary.grid.values() for cell in row]
    apart = [cell for cell in cells if cell and cell.passes_filter]
    by_law = ", ".join(
        f"{law} {sum(cell.law == law for cell in apart)}" for law in summary.runs.laws
    )
    return (
        f"One law stands apart from the other three by 10 % or more in {len(apart)} of the"
        f" {len(cells)} pairs of condition and response: {by_law}."
    )


def _said_of_influence(summary: Summary) -> str:
    titles = {factor.name: factor.title for factor in summary.runs.design.factors}
    order = sorted(titles, key=summary.psi_of, reverse=True)
    said = ", ".join(f"{titles[name]} {100 * summary.psi_of(name):.0f} %" for name in order)
    return f"Share of the {len(RESPONSES)} responses that a condition moves (Psi): {said}."
