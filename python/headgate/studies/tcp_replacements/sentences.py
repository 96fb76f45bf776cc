"""The answer of the first study in plain sentences, each with its numbers.

What the analyses of its table say (outliers, which factors matter) is left to them: over
other periods and laws the numbers would be others, beside theirs in one list.
"""

from collections.abc import Sequence

from headgate.studies.tcp_replacements.summary import BEFORE, RESPONSES, Summary

MOST_NAMED = 8


def sentences(summary: Summary) -> tuple[str, ...]:
    """Say which responses change, under which conditions, by how much."""
    groups = {
        "Without congestion": summary.light,
        "In between": summary.middle,
        "Under heavy congestion": summary.heavy,
    }
    said = (_describe_group(summary, name, chosen) for name, chosen in groups.items())
    lead = (
        f"If everyone leaves {BEFORE} for another law, so many of the {len(RESPONSES)} responses"
        " change by 10 % or more, on average over the periods and the conditions named:"
    )
    return (lead, *said)


def _describe_group(summary: Summary, name: str, conditions: Sequence[int]) -> str:
    resent = 100 * summary.congestion[list(conditions)].mean()
    where = ", ".join((*in_words(summary, conditions), f"{resent:.2g} % of packets sent again"))
    laws = [law for law in summary.runs.laws if law != BEFORE]
    told = "; ".join(_describe_law(summary, law, conditions) for law in laws)
    return f"{name} ({where}): {told}."


def _describe_law(summary: Summary, law: str, conditions: Sequence[int]) -> str:
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
