"""The pictures of the first study's report."""

from headgate.experiment.runnable import Picture
from headgate.plots import changes, network
from headgate.studies.tcp_replacements.sentences import in_words
from headgate.studies.tcp_replacements.summary import BEFORE, FAST, RESPONSES, Summary
from headgate.topologies.abilene import CITIES


def pictures(summary: Summary) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    return (_changes(summary), _maps(summary))


def _changes(summary: Summary) -> Picture:
    order = summary.by_congestion
    panels = {
        f"{BEFORE} to {law}": {
            title: [summary.change(law, name, [c]) for c in order]
            for name, title in RESPONSES.items()
        }
        for law in summary.runs.laws
        if law != BEFORE
    }
    return Picture(
        "changes",
        f"What changes if everyone leaves {BEFORE}",
        "Change of each response in %, conditions from the least congested (left) to the most"
        " congested (right); empty where the 95 % interval over replicates leaves no change"
        f" possible, grey below 10 %. {_legend(summary)}",
        changes.changes(panels, [summary.runs.conditions[c] for c in order]),
    )


def _legend(summary: Summary) -> str:
    named = ", ".join(f"{f.name} {f.title}" for f in summary.runs.design.factors)
    return f"{named}; \N{MINUS SIGN} low level, + high level."


def _maps(summary: Summary) -> Picture:
    ends = {"least congested": summary.light[0], "most congested": summary.heavy[-1]}
    panels = {
        f"{law}, {said}": _stretches(summary, c, law)
        for said, c in ends.items()
        for law in (BEFORE, FAST)
    }
    where = "; ".join(f"{said}: {', '.join(in_words(summary, [c]))}" for said, c in ends.items())
    return Picture(
        "utilisation-map",
        "Utilisation of the network",
        f"Under {BEFORE} and under {FAST} ({where}). Thick lines: backbone, each half in the colour"
        " of the direction that leaves the near city; fans: points of presence and access routers,"
        " the busier direction.",
        network.utilisation_maps(panels, CITIES),
    )


def _stretches(summary: Summary, condition: int, law: str) -> list[network.Stretch]:
    busy = summary.runs.ports(condition, law, "utilisation")
    ends = summary.runs.links()
    return [network.Stretch(*pair, float(u)) for pair, u in zip(ends, busy, strict=True)]
