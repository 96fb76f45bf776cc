"""The pictures of the first study's report."""

from collections.abc import Mapping

import numpy as np

from headgate import catalog
from headgate.figures import (
    ConditionAxis,
    Dots,
    Stretch,
    draw_changes,
    draw_dots,
    draw_utilisation_maps,
)
from headgate.lab import Picture, describe_condition, describe_shared_levels
from headgate.stats import compute_mean_ratio_change
from headgate_studies.tcp_replacements.summary import BEFORE, FAST, RESPONSES, WORSE, Summary

#: A condition that takes more characters is named by its code.
FITS = 48
#: Mean, lower and upper end.
Interval = tuple[float, float, float]

#: The responses that answer the study's question at a glance.
ANSWER = {"y10": "packets retransmitted", "y22": "throughput of a normal user's flow"}


def pictures(summary: Summary) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    return (*_answer(summary), _changes(summary), _maps(summary))


def _answer(summary: Summary) -> tuple[Picture, ...]:
    """Draw two ratios for each algorithm; nothing if no ratio exists."""
    before, titles = _title(BEFORE), {cca: _title(cca) for cca in summary.runs.ccas}
    del titles[BEFORE]
    found = {title: _ratios(summary, name, titles) for name, title in ANSWER.items()}
    axis = f"ratio to everyone on {before}"
    panels = [Dots(title, axis, {"": ratios}, 1.0) for title, ratios in found.items() if ratios]
    if not panels:
        return ()
    picture = Picture(
        "answer",
        f"A congested network if everyone leaves {before}",
        f"Ratio of two responses to their values if everyone uses {before}, with 95 % intervals"
        " over replicates: geometric mean over the more congested half of the conditions.",
        draw_dots(list(titles.values()), panels),
    )
    return (picture,)


def _title(cca: str) -> str:
    """Return the title of an algorithm in the catalogue, or the name of a user-defined one."""
    known = {one.name: one.title for one in catalog.ccas()}
    return known.get(cca, cca.rpartition(":")[2])


def _ratios(summary: Summary, name: str, titles: Mapping[str, str]) -> dict[str, Interval]:
    """Divide a response by that of the algorithm before; none if one alone has zero."""
    congested = summary.by_congestion[len(summary.by_congestion) // 2 :]
    values = dict(
        zip(summary.runs.ccas, np.moveaxis(summary.cubes[name][congested], 1, 0), strict=True)
    )
    found = {cca: compute_mean_ratio_change(values[BEFORE], values[cca]) for cca in titles}
    return {
        titles[cca]: (1 + one.share, 1 + one.low, 1 + one.high) for cca, one in found.items() if one
    }


def _changes(summary: Summary) -> Picture:
    order = summary.by_congestion
    panels = {
        f"{BEFORE} to {cca}": {
            title: [summary.change(cca, name, [c]) for c in order]
            for name, title in RESPONSES.items()
        }
        for cca in summary.runs.ccas
        if cca != BEFORE
    }
    worse = {RESPONSES[name]: 1 if way == "more" else -1 for name, way in WORSE.items()}
    axis = ConditionAxis([_name(summary, c) for c in order])
    return Picture(
        "changes",
        f"What changes if everyone leaves {BEFORE}",
        "Change of each response in %, conditions from the least congested (left) to the most"
        " congested (right). Empty: the 95 % interval over replicates includes no change; grey:"
        " below 10 %. Means over the periods.",
        draw_changes(panels, axis, worse, by_congestion=True),
    )


def _name(summary: Summary, condition: int) -> str:
    """Return a condition in words, or its code if the words are too long for an axis."""
    words = describe_condition(summary.runs.design, condition)
    return words if len(words) <= FITS else summary.runs.conditions[condition]


def _maps(summary: Summary) -> Picture:
    ends = {"least congested": summary.light[0], "most congested": summary.heavy[-1]}
    panels = {
        f"{cca}, {said}": _stretches(summary, c, cca)
        for said, c in ends.items()
        for cca in (BEFORE, FAST)
    }
    design = summary.runs.design
    levels = "; ".join(f"{said}: {describe_shared_levels(design, [c])}" for said, c in ends.items())
    return Picture(
        "utilisation-map",
        "Utilisation of the network",
        f"Under {BEFORE} and under {FAST} ({levels}). Thick lines: backbone, each half"
        " in the colour of the direction that leaves the near city; fans: points of presence and"
        " access routers, the busier direction.",
        draw_utilisation_maps(panels),
    )


def _stretches(summary: Summary, condition: int, cca: str) -> list[Stretch]:
    busy = summary.runs.ports(condition, cca, "utilisation")
    ends = summary.runs.links()
    return [Stretch(*pair, float(u)) for pair, u in zip(ends, busy, strict=True)]
