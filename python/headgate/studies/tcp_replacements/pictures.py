"""The pictures of the first study's report."""

from headgate.data.topologies.abilene import CITIES
from headgate.experiment.runnable import Picture
from headgate.experiment.wording import describe_run, describe_shared
from headgate.figures.analysis.phrases import FITS
from headgate.figures.plots import changes, network
from headgate.figures.plots.condition_axis import ConditionAxis
from headgate.studies.tcp_replacements.roles import WORSE
from headgate.studies.tcp_replacements.summary import BEFORE, FAST, RESPONSES, Summary


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
    worse = {RESPONSES[name]: 1 if way == "more" else -1 for name, way in WORSE.items()}
    axis = ConditionAxis([_name(summary, c) for c in order])
    return Picture(
        "changes",
        f"What changes if everyone leaves {BEFORE}",
        "Change of each response in %, conditions from the least congested (left) to the most"
        " congested (right); empty where the 95 % interval over replicates leaves no change"
        " possible, grey below 10 %. Means over the periods.",
        changes.changes(panels, axis, worse, by_congestion=True),
    )


def _name(summary: Summary, condition: int) -> str:
    """Return a condition in words, or by its code where there are too many words for an axis."""
    words = describe_run(summary.runs.design, condition)
    return words if len(words) <= FITS else summary.runs.conditions[condition]


def _maps(summary: Summary) -> Picture:
    ends = {"least congested": summary.light[0], "most congested": summary.heavy[-1]}
    panels = {
        f"{law}, {said}": _stretches(summary, c, law)
        for said, c in ends.items()
        for law in (BEFORE, FAST)
    }
    design = summary.runs.design
    where = "; ".join(f"{said}: {describe_shared(design, [c])}" for said, c in ends.items())
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
