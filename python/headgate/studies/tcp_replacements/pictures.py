"""The report of the first study: its sentences and its pictures."""

import numpy as np

from headgate.plots import conditions, effects, network
from headgate.scenario.networks.abilene import CITIES
from headgate.studies.study import Picture
from headgate.studies.tcp_replacements.analysis import FAST, RESPONSES, Summary

SHOWN_EFFECTS = (
    "y1", "y10", "y11",
    "y15", "y6", "y22",
)  # fmt: skip
RESIDUAL = "residual about the condition's mean"
SHOWN_RESIDUALS = ("y10", "y5", "y11", "y6")


def pictures(summary: Summary) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    return (
        _residuals(summary),
        _roll_up(summary),
        _main_effects(summary),
        _significance(summary),
        _maps(summary),
    )


def sentences(summary: Summary) -> tuple[str, ...]:
    """Say what was found, each sentence with its numbers."""
    return (
        _said_of_change(summary), _said_of_fast(summary), _said_of_speed(summary),
        _said_of_congestion(summary),
    )  # fmt: skip


def _said_of_change(summary: Summary) -> str:
    cells = [cell for row in summary.grid.values() for cell in row]
    apart = [cell for cell in cells if cell and cell.passes_filter]
    by_law = ", ".join(
        f"{law} {sum(cell.law == law for cell in apart)}" for law in summary.runs.laws
    )
    return (
        f"Of {len(cells)} cells (condition, response), a law stands apart by 10 % or more in"
        f" {len(apart)} ({by_law})."
    )


def _said_of_fast(summary: Summary) -> str:
    means = summary.cubes["y10"].mean(axis=2)[summary.heavy]
    fast = means[:, summary.fast].mean()
    others = np.delete(means, summary.fast, axis=1).mean()
    return (
        f"In the heavily congested conditions {FAST} retransmits {100 * fast:.2f} % of its packets,"
        f" the other laws {100 * others:.2f} %."
    )


def _said_of_speed(summary: Summary) -> str:
    titles = {factor.name: factor.title for factor in summary.runs.design.factors}
    order = sorted(titles, key=summary.psi_of, reverse=True)
    said = ", ".join(f"{titles[name]} {100 * summary.psi_of(name):.0f} %" for name in order)
    return f"Influence of the factors over the 22 responses (Psi): {said}."


def _said_of_congestion(summary: Summary) -> str:
    light, heavy = (
        100 * summary.congestion[list(c)].mean() for c in (summary.light, summary.heavy)
    )
    return (
        f"The conditions reach from {light:.3f} % to {heavy:.1f} % of packets retransmitted by the"
        f" laws other than {FAST} (mean of the least and most congested quarter)."
    )


def _residuals(summary: Summary) -> Picture:
    panels = {
        RESPONSES[name]: (
            RESIDUAL,
            summary.residuals(name),
        )
        for name in SHOWN_RESIDUALS
    }
    return Picture(
        "condition-response",
        "Condition-response summary",
        "Residual of each law's mean about the mean of its condition; conditions ordered by the"
        " range of the residuals. Signs are factor levels.",
        conditions.residuals(panels, summary.runs.conditions),
    )


def _roll_up(summary: Summary) -> Picture:
    order = [int(c) for c in np.argsort(summary.congestion, kind="stable")]
    labels = [summary.runs.conditions[c] for c in order]
    rows = {RESPONSES[name]: [row[c] for c in order] for name, row in summary.grid.items()}
    return Picture(
        "roll-up",
        "Who stands apart, where",
        "The significant outlier of each response under each condition (t test against the spread"
        " of replicates, 5 %, Bonferroni over the laws); conditions from least to most congested.",
        conditions.roll_up(summary.runs.laws, labels, rows),
    )


def _main_effects(summary: Summary) -> Picture:
    chosen = {name: summary.effects[name] for name in SHOWN_EFFECTS}
    legend = ", ".join(f"{f.name} {f.title}" for f in summary.runs.design.factors)
    return Picture(
        "main-effects",
        "Main effects",
        f"Mean response at the low and the high level of each factor ({legend}) with the relative"
        " effect; second period, runs of reno and ctcp.",
        effects.main_effects(chosen, RESPONSES),
    )


def _significance(summary: Summary) -> Picture:
    titles = {factor.name: factor.title for factor in summary.runs.design.factors}
    return Picture(
        "significance",
        "Which factor moves which response",
        "Per-factor one-way analysis of variance, second period, runs of reno and ctcp. The sign is"
        " that of the level which raises the response.",
        effects.significance(summary.effects, RESPONSES, titles),
    )


def _maps(summary: Summary) -> Picture:
    panels = {
        f"{law}, {summary.runs.conditions[c]}": _stretches(summary, c, law)
        for c in (summary.light[0], summary.heavy[-1])
        for law in ("reno", FAST)
    }
    return Picture(
        "utilisation-map",
        "Utilisation of the network",
        "The least and the most congested condition under reno and under FAST. Thick lines:"
        " backbone, each half in the colour of the direction that leaves the near city; fans:"
        " points of presence and access routers, the busier direction.",
        network.utilisation_maps(panels, CITIES),
    )


def _stretches(summary: Summary, condition: int, law: str) -> list[network.Stretch]:
    busy = summary.runs.ports(condition, law, "utilisation")
    ends = summary.runs.links()
    return [network.Stretch(*pair, float(u)) for pair, u in zip(ends, busy, strict=True)]
