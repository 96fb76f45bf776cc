"""The pictures of the first study's report."""

from headgate.plots import changes, conditions, effects, network
from headgate.scenario.networks.abilene import CITIES
from headgate.studies.study import Picture
from headgate.studies.tcp_replacements.analysis import BEFORE, FAST, RESPONSES, Summary
from headgate.studies.tcp_replacements.sentences import in_words

SHOWN_EFFECTS = (
    "y1", "y10", "y11",
    "y15", "y6", "y22",
)  # fmt: skip
RESIDUAL = "residual about the condition's mean"
SHOWN_RESIDUALS = ("y10", "y5", "y11", "y6")


def pictures(summary: Summary) -> tuple[Picture, ...]:
    """Draw every figure of the report."""
    return (
        _changes(summary),
        _roll_up(summary),
        _residuals(summary),
        _main_effects(summary),
        _significance(summary),
        _maps(summary),
    )


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
        f" range of the residuals. {_legend(summary)}",
        conditions.residuals(panels, summary.runs.conditions),
    )


def _roll_up(summary: Summary) -> Picture:
    order = summary.by_congestion
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
    titles = {factor.name: factor.title for factor in summary.runs.design.factors}
    return Picture(
        "main-effects",
        "Main effects",
        "Mean response at the low and the high level of each factor with the relative effect"
        " (** p < 0.01, * p < 0.05; dashed: grand mean); second period, runs of reno and ctcp.",
        effects.main_effects(chosen, RESPONSES, titles),
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
