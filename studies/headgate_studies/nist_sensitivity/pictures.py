"""Pictures of the sensitivity analysis, our results beside those of the source."""

from collections.abc import Callable
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from numpy.typing import NDArray

from headgate.figures import (
    ORDER,
    Dots,
    Heat,
    draw_dots,
    draw_heat,
    draw_tiles,
    format_power_of_ten,
    make_axes,
    use_style,
)
from headgate.lab import Picture, make_possible
from headgate.stats import Effect
from headgate_studies.nist.responses import NUMBERED
from headgate_studies.nist_sensitivity.design import steps
from headgate_studies.nist_sensitivity.findings import same_sign
from headgate_studies.nist_sensitivity.published import (
    AVERAGE,
    FACTORS,
    LIKELY,
    PSI,
    STARS,
    TRANSMITTING,
)
from headgate_studies.nist_sensitivity.runs import TITLES
from headgate_studies.nist_sensitivity.summary import CONGESTED, Sensitivity

SAME, WEAKER, OTHER, NEW, NONE = "#0072B2", "#9CCBE8", "#E69F00", "#BBBBBB", "#F8F8F8"
KINDS = {
    SAME: "printed, and as strong here",
    WEAKER: "printed, same sign, fewer stars here",
    OTHER: "printed, other sign here",
    NEW: "only here",
}
#: The source's classes of |r| times 100, from the strongest on: least value, colour, words.
CLASSES = (
    (80, "#C0392B", "80 to 100"),
    (30, "#3B6FA0", "30 to 79"),
    (0, "#CBE5BE", "below 30"),
)
DARK_FROM = 30


def pictures(of: Sensitivity) -> tuple[Picture, ...]:
    """Draw every picture; one that needs factors that are not varied is left out."""
    makers: list[Callable[[Sensitivity], Picture]] = [
        _reduction, _ranking, draw_transmitting, _psi, _stars, draw_classes, _groups,
    ]  # fmt: skip
    return make_possible(makers, of)


def _reduction(of: Sensitivity) -> Picture:
    return Picture(
        "reduction",
        "From every combination to 32 conditions",
        "Number of conditions after each step. A parameter may take 2^32 values, after the source,"
        " until two levels are chosen. The text beside our bars names the things counted.",
        _draw_reduction(of),
    )


def _draw_reduction(of: Sensitivity) -> Figure:
    found = steps(of)
    places = np.arange(len(found))
    with use_style():
        figure, axes = make_axes(1, 1, (8.6, 0.62 * len(found) + 1.2))
        ax = axes[0]
        _bars(ax, places - 0.19, [s.theirs for s in found], "NIST 2011", ORDER[1])
        _bars(ax, places + 0.19, [s.ours for s in found], "here", ORDER[0])
        for place, step in zip(places, found, strict=True):
            _tell(ax, place - 0.19, step.theirs, _count(step.theirs))
            _tell(ax, place + 0.19, step.ours, f"{_count(step.ours)}: {step.what}")
        ax.set_xscale("log")
        ax.set_xlim(1, 4e7)
        ax.set_xticks([1, 10, 100, 1000, 10000], ["1", "10", "100", "1,000", "10,000"])
        ax.minorticks_off()
        ax.set_yticks(places, [step.title for step in found])
        ax.invert_yaxis()
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("digits of the number of conditions (log10)")
        figure.legend(loc="outside upper right", ncols=2)
        return figure


def _bars(ax: Axes, places: NDArray[Any], powers: list[float], label: str, colour: str) -> None:
    ax.barh(places, powers, height=0.36, color=colour, label=label)


def _tell(ax: Axes, place: float, power: float, text: str) -> None:
    ax.text(power * 1.1, place, text, va="center", fontsize=8.5)


def _count(power: float) -> str:
    """Write a count: whole if it is short, else as a power of ten."""
    if power < 5:
        return f"{10**power:,.0f}"
    return format_power_of_ten(int(power))


def _ranking(of: Sensitivity) -> Picture:
    ranked = of.influence.ranked
    ours = {_title_of(of, name): (of.average[name], *_interval(of, name)) for name in ranked}
    printed = {_title_of(of, name): Dots.point(PSI[AVERAGE][name]) for name in ranked}
    panel = Dots("", "weighted average of Psi", {"here": ours, "NIST 2011": printed})
    return Picture(
        "ranking",
        "Influence of the factors, ours and the source's",
        "Weighted average of Psi, 95 % interval over resampled responses; from the most influential"
        " on. The first six make the design of the experiments.",
        draw_dots(list(ours), [panel], width_in=6.0),
    )


def _interval(of: Sensitivity, name: str) -> tuple[float, float]:
    place = list(of.factors).index(name)
    return of.resample(lambda rows: float(rows[AVERAGE][place]))


def _title_of(of: Sensitivity, name: str) -> str:
    return f"{name} {of.factors[name].title}"


def _psi(of: Sensitivity) -> Picture:
    ours = np.array(list(of.psi.values()))
    printed = np.array([[PSI[row][name] for name in of.factors] for row in of.psi])
    columns = list(of.factors)
    panels = [
        Heat("here", ours, columns, 0, 1, scale=100, label="Psi x 100"),
        Heat("NIST 2011, as printed", printed, columns, 0, 1, scale=100, label="Psi x 100"),
    ]
    return Picture(
        "psi",
        "Psi by period and by algorithm",
        "Share of responses that a factor moves. The rows of an algorithm are of the runs under it,"
        " each response the mean over the periods.",
        draw_heat(list(of.psi), panels),
    )


def _stars(of: Sensitivity) -> Picture:
    of.require(*FACTORS)
    return Picture(
        "stars",
        "Which level raises which response, against the printed table",
        "Second period, thirteen rows whose meaning is likely. In a cell are the sign and stars"
        " found here; the colour says how they compare with those printed.",
        _draw_stars(of),
    )


def _draw_stars(of: Sensitivity) -> Figure:
    cells = [
        [(of.by_period.one(f, r, CONGESTED), STARS[row].get(f, "")) for f in FACTORS]
        for row, r in LIKELY.items()
    ]
    with use_style():
        figure, axes = make_axes(1, 1, (12.5, 5.6))
        ax = axes[0]
        draw_tiles(ax, [[to_rgba(_face(*cell)) for cell in row] for row in cells])
        for (y, x), _ in np.ndenumerate(np.empty((len(cells), len(FACTORS)))):
            _write(ax, x, y, cells[y][x])
        ax.set_xticks(
            np.arange(len(FACTORS)) + 0.5,
            [_title_of(of, name) for name in FACTORS],
            rotation=35,
            ha="left",
        )
        named = [f"{row}: {TITLES[r]}" for row, r in LIKELY.items()]
        ax.set_yticks(np.arange(len(cells)) + 0.5, named)
        ax.xaxis.tick_top()
        handles = [Patch(color=colour, label=label) for colour, label in KINDS.items()]
        figure.legend(handles=handles, loc="outside lower center", ncols=4)
        return figure


def _face(effect: Effect, printed: str) -> str:
    if not printed:
        return NEW if effect.stars else NONE
    if not same_sign(effect, printed):
        return OTHER
    return SAME if effect.stars >= printed.lstrip("+-") else WEAKER


def _write(ax: Axes, x: int, y: int, cell: tuple[Effect, str]) -> None:
    effect, printed = cell
    if effect.stars or printed:
        ink = "white" if _face(effect, printed) == SAME else "black"
        text = f"{effect.sign}{effect.stars}"
        ax.text(x + 0.5, y + 0.54, text, ha="center", va="center", color=ink, fontsize=9)


def _groups(of: Sensitivity) -> Picture:
    return Picture(
        "groups",
        "Which of the 22 responses say the same",
        "Second period, all runs. A mark means |r| above 0.65. Responses that all correlate so with"
        " each other are one behaviour.",
        of.groups.index_index(TITLES),
    )


def draw_transmitting(of: Sensitivity) -> Picture:
    """Draw what each of the twenty parameters does to the sources transmitting: slide 1(a)."""
    of.require(*FACTORS)
    return Picture(
        "transmitting",
        "Main effects on the number of sources transmitting",
        "Mean of y1 at the minus and the plus level of each parameter, second period; the line is"
        " the mean of all runs. ** p < 0.01, * p < 0.05, one-way. Filled: the six that the source"
        " finds significant.",
        _draw_effects(of),
    )


def _draw_effects(of: Sensitivity) -> Figure:
    effects = [of.by_period.one(name, "y1", CONGESTED) for name in FACTORS]
    with use_style():
        figure, axes = make_axes(1, 1, (11.5, 4.4))
        ax = axes[0]
        for place, effect in enumerate(effects):
            _draw_effect(ax, place, effect)
        ax.axhline((effects[0].mean_low + effects[0].mean_high) / 2, color="#777777", lw=0.8)
        ax.set_xticks(range(len(FACTORS)), FACTORS)
        ax.set_xlim(-0.6, len(FACTORS) - 0.4)
        ax.margins(y=0.12)
        ax.grid(axis="x", visible=False)
        ax.set_ylabel("sources transmitting (y1)")
        ax.set_xlabel("parameter, minus level at the left and plus level at the right of each pair")
        return figure


def _draw_effect(ax: Axes, place: int, effect: Effect) -> None:
    own = effect.factor in TRANSMITTING
    ax.plot(
        [place - 0.22, place + 0.22], [effect.mean_low, effect.mean_high], marker="o", markersize=6,
        color=ORDER[0], markerfacecolor=ORDER[0] if own else "white",
    )  # fmt: skip
    top = max(effect.mean_low, effect.mean_high)
    ax.annotate(effect.stars, (place, top), (0, 5), textcoords="offset points", ha="center")


def draw_classes(of: Sensitivity) -> Picture:
    """Draw the correlations of the 22 responses in the source's three classes."""
    return Picture(
        "correlation-classes",
        "Correlations of the responses in three classes",
        "100 |r| of each pair of responses over all runs, second period; the colour is the class"
        " that the source draws it in.",
        _draw_matrix(of),
    )


def _draw_matrix(of: Sensitivity) -> Figure:
    names = [name for name in NUMBERED if name in of.groups.responses]
    rows = [of.groups.responses.index(name) for name in names]
    percent = np.round(100 * np.abs(of.groups.r[np.ix_(rows, rows)]))
    with use_style():
        figure, axes = make_axes(1, 1, (8.8, 7.6))
        ax = axes[0]
        draw_tiles(ax, [[to_rgba(_colour(value)) for value in row] for row in percent])
        for (y, x), value in np.ndenumerate(percent):
            if np.isfinite(value):
                ink = "black" if value < DARK_FROM else "white"
                place = (x + 0.5, y + 0.53)
                ax.text(*place, f"{value:.0f}", ha="center", va="center", color=ink, fontsize=7.5)
        places = np.arange(len(names)) + 0.5
        ax.set_xticks(places, names, fontsize=8)
        ax.set_yticks(places, [TITLES[name] for name in names], fontsize=8)
        ax.xaxis.tick_top()
        handles = [Patch(color=colour, label=f"100 |r| {words}") for _, colour, words in CLASSES]
        figure.legend(handles=handles, loc="outside lower center", ncols=3)
        return figure


def _colour(percent: float) -> str:
    """Return the colour of a class; a response that does not vary has none."""
    if not np.isfinite(percent):
        return "#FFFFFF"
    return next(colour for least, colour, _ in CLASSES if percent >= least)
