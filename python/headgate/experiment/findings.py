"""The findings of an experiment in sentences, pictures and tables: the answer first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.level_order import level_text
from headgate.base.terminal import safe_file_name
from headgate.base.titles import begin_small
from headgate.base.units import format_figure, readable, sizes
from headgate.data.tables import Table
from headgate.experiment.design_pictures import draw_checks, draw_design
from headgate.experiment.design_sentences import (
    say_second_order,
    say_sensitivity,
    say_surface,
)
from headgate.experiment.designed import SCREENING, SENSITIVITY, SURFACES
from headgate.experiment.effect_sentences import CCA, say_effects, spoken, unit_of, within
from headgate.experiment.effects import Effect
from headgate.experiment.parts import PartChanges
from headgate.experiment.responses import Response
from headgate.experiment.run_sentences import say_busiest, say_drifts, say_missing, say_unfinished
from headgate.experiment.runs import Analysis, Listing, Picture
from headgate.experiment.same_runs import say_same_runs
from headgate.experiment.tables import MeasuredRuns, rows_of
from headgate.figures.analysis.roles import Roles
from headgate.stats.changes import find_ties_with_best
from headgate.stats.intervals import compute_mean_interval

if TYPE_CHECKING:
    from headgate.figures.plots.effects import FactorAxis

#: The largest number of panels and lines; the means average all other factors.
MOST_PANELS, MOST_LINES = 12, 8
#: The largest number of effects in a picture.
MOST_EFFECTS = 24
SAME = (
    "of every condition are one and the same run: nothing in the scenario is random, so that the"
    " seed changes nothing and there are no intervals; add random traffic, or jitter to a link."
)
RANK_TITLE = "Comparison of your algorithm"
RANK_COLUMNS = (
    "response", "cca", "mean", "place", "best cca", "best mean", "worst cca", "worst mean",
)  # fmt: skip
RANK_CAPTION = (
    "Means over all conditions, periods and replicates. Places count from the best of all"
    " algorithms; a response without a better direction gives no place."
)
#: The largest number of conditions on the page; means.parquet contains all.
MOST_ROWS = 100


def sentences(found: MeasuredRuns, parts: PartChanges | None = None) -> tuple[str, ...]:
    """Count changed parts; name the best condition and the largest effect of each response.

    If responses are measured by period, the sentences on them are about the period in the middle.
    In a comparison of algorithms, which has many conditions, the best one is not named.
    """
    period = f"Period {found.period} of {len(found.periods)}: " if found.periods else ""
    return (
        *([f"The {found.repeats} replicates {SAME}"] if found.same else []),
        *(parts.sentences() if parts else ()),
        *(f"{period}{said}" for one in found.responses for said in _say_response(found, one)),
        *say_same_runs(found),
        *say_busiest(found),
        *say_drifts(found),
        *say_unfinished(found),
    )


def _say_response(found: MeasuredRuns, response: Response) -> Iterator[str]:
    """Yield the sentences on a response; the kind of design decides which answer comes first."""
    if not np.isfinite(found.distinct[response.name]).any():
        yield f"{spoken(response)}: no run has a value."
        return
    yield from say_missing(found, response)
    if constant := _say_constant(found, response):
        yield constant
        return
    if found.kind in SENSITIVITY:
        yield from say_sensitivity(found, response)
        return
    if found.kind in SURFACES:
        yield from say_surface(found, response)
    yield from _say(found, response)
    if found.kind == SCREENING:
        yield from say_second_order(found, response)


def _say(found: MeasuredRuns, response: Response) -> Iterator[str]:
    means = [found.mean(response.name, c)[0] for c in range(len(found.coded))]
    if found.roles is None or not found.roles.is_comparison:
        yield _say_best(found, response, means)
    yield from say_effects(found, response)


def _say_constant(found: MeasuredRuns, response: Response) -> str:
    """State the value of a response that is the same in every run; "" if it is not."""
    every = found.distinct[response.name]
    values = every[np.isfinite(every)]
    if np.ptp(values) > 0:
        return ""
    runs = "every run" if values.size == every.size else "every run with a value"
    factor, unit = readable(response.unit, abs(float(values[0])))
    text = f"{format_figure(float(values[0]) * factor)} {unit_of(unit)}".strip()
    return f"{spoken(response)} is {text} in {runs}."


def _say_best(found: MeasuredRuns, response: Response, means: Sequence[float]) -> str:
    repeats = _find_repeats(found, response.name)
    means = [float(np.mean(repeats[c])) if c in repeats else mean for c, mean in enumerate(means)]
    best = np.nanargmin(means) if response.better == "lower" else np.nanargmax(means)
    worst = np.nanargmax(means) if response.better == "lower" else np.nanargmin(means)
    word = {"lower": "lowest", "higher": "highest", "": "highest"}[response.better]
    signs = (-1, 1) if response.better == "lower" else (1, -1)
    scale = readable(response.unit, max(abs(means[best]), abs(means[worst])))
    first, last = (
        _say_repeats(repeats[int(end)], scale)
        if int(end) in repeats
        else _say_end(found, response, int(end), sign, scale)
        for end, sign in zip((best, worst), signs, strict=True)
    )
    return (
        f"{spoken(response)} is {word} with {found.describe(int(best))}: {first}; at the other end,"
        f" with {found.describe(int(worst))}, it is {last}."
    )


def _find_repeats(found: MeasuredRuns, response: str) -> dict[int, list[float]]:
    """Return the values of all runs at the same point, by each of these runs.

    In a table of another program's runs, each row is a condition, also a repeated centre point.
    """
    values = found.distinct[response]
    if values.shape[1] > 1:
        return {}
    points: dict[tuple[float, ...], list[int]] = {}
    for run in np.flatnonzero(np.isfinite(values[:, 0])).tolist():
        points.setdefault(tuple(found.coded[run]), []).append(run)
    return {
        run: values[runs, 0].tolist() for runs in points.values() if len(runs) > 1 for run in runs
    }


def _say_repeats(values: Sequence[float], scale: tuple[float, str]) -> str:
    factor, unit = scale
    mean = f"{float(np.mean(values)) * factor:.4g} {unit_of(unit)}".strip()
    return f"{mean}, the mean of {len(values)} runs"


def _say_end(
    found: MeasuredRuns, response: Response, end: int, sign: int, scale: tuple[float, str]
) -> str:
    """Write the best or worst mean, with its interval or the number of similar conditions.

    If other conditions may be the best, the best mean is biased by chance: its interval is wrong.
    """
    alike = _say_alike(found, response.name, end, sign)
    mean, low, high = found.mean(response.name, end)
    factor, unit = scale
    text = f"{format_figure(mean * factor)} {unit_of(unit)}".strip()
    if low == high or alike:
        return f"{text}{alike}"
    return f"{text} (95 % interval {format_figure(low * factor)} to {format_figure(high * factor)})"


def _say_alike(found: MeasuredRuns, response: str, end: int, sign: int) -> str:
    """Count the conditions that do not differ from the best or worst, and name common levels."""
    values = sign * found.distinct[response]
    if values.shape[1] == 1 and not found.same:
        return ", of one run each" if end == int(np.nanargmax(values[:, 0])) else ""
    alike = [c for c in find_ties_with_best(values, end) if c != end]
    if not alike:
        return ""
    shared = [
        f"{name} {level_text(labels[end])}"
        for name, labels in found.labels.items()
        if all(labels[c] == labels[end] for c in alike)
    ]
    common = f" (all with {', '.join(shared)})" if shared else ""
    others = int(np.isfinite(values).any(axis=1).sum()) - 1
    count = "any" if len(alike) == others else f"{len(alike)}"
    return f", which cannot be told apart from {count} of the {others} others{common}"


def pictures(found: MeasuredRuns, parts: PartChanges | None = None) -> tuple[Picture, ...]:
    """Draw the changes of parts, each response's design, means and effects, and checks of all.

    A comparison of algorithms needs no means and effects: the analyses of its report contain them.
    """
    changes = tuple(parts.pictures()) if parts else ()
    if found.roles is not None and found.roles.is_comparison:
        return changes
    own = (picture for one in found.responses for picture in _draw(found, one))
    return (*changes, *own, *draw_checks(found))


def _draw(found: MeasuredRuns, response: Response) -> Iterator[Picture]:
    if not np.isfinite(found.distinct[response.name]).any():
        return
    yield from draw_design(found, response)
    title = spoken(response)
    repeats = 1 if found.same else found.repeats
    over = (
        f"Means over {repeats} replicates with Student's 95 % intervals"
        if repeats > 1
        else "One run each"
    )
    cloud = any(found.sampled)
    axis, line, panels = _choose_places(found)
    left = [name for name in found.levels if name not in (axis, line, *panels)]
    averaged = f", over {', '.join(left)} too" if left else ""
    draw = _draw_cloud if cloud else _draw_means
    yield Picture(
        f"means-{safe_file_name(response.name)}", title,
        f"{over}."
        if cloud
        else f"{over}{averaged}; lines that are not parallel show an interaction.",
        draw(found, response),
    )  # fmt: skip
    effects = [e for e in found.effects_by_response[response.name] if np.isfinite(e.effect)]
    held = "in the model with two-factor interactions that fits the means of conditions"
    if found.has_pairs:
        held = "the other factors held equal"
    if effects:
        yield Picture(
            f"effects-{safe_file_name(response.name)}",
            f"Effects on {begin_small(title)}",
            f"Change from one level to another, {held}, and 95 % intervals; an"
            " interaction is half the difference of two such changes.",
            _draw_effects(found, response, effects),
        )  # fmt: skip


def _draw_effects(found: MeasuredRuns, response: Response, effects: Sequence[Effect]) -> Any:
    from headgate.figures.plots.effects import EffectInterval, effect_intervals

    shown = sorted(effects, key=lambda effect: -abs(effect.effect))[:MOST_EFFECTS]
    factor, unit = readable(response.unit, max(abs(effect.effect) for effect in shown))
    bars = [
        EffectInterval(name, effect.effect * factor, low * factor, high * factor, low * high > 0)
        for effect in shown
        for low, high in [effect.interval]
        for name in [_name_effect(found, effect)]
    ]
    return effect_intervals(bars, f"change of {label_axis(response, unit)}")


def _name_effect(found: MeasuredRuns, effect: Effect) -> str:
    first, last = found.ends(effect)
    return f"{' x '.join(effect.factors)}: {first} \N{RIGHTWARDS ARROW} {last}"


def label_axis(response: Response, unit: str) -> str:
    """Return the label of an axis: the title of the response and its unit."""
    said = within(response)
    return f"{said} ({unit})" if unit_of(unit) else said


def _draw_means(found: MeasuredRuns, response: Response) -> Any:
    from headgate.figures.plots.effects import InteractionPanel, draw_interaction

    axis, line, panels = _choose_places(found)
    values = found.distinct[response.name]
    factor, unit = readable(response.unit, float(np.nanmax(np.abs(values))))
    levels = found.levels

    def interval(chosen: dict[str, Any]) -> tuple[float, float, float]:
        rows = [
            c for c in range(len(values)) if all(found.labels[n][c] == v for n, v in chosen.items())
        ]
        mean, low, high = compute_mean_interval(np.mean(values[rows], axis=0) if rows else [])
        return mean * factor, low * factor, high * factor

    drawn = []
    for combination in product(*(levels[name] for name in reversed(panels))):
        fixed = dict(zip(panels, reversed(combination), strict=True))
        lines = {
            str(name): [
                interval({**fixed, **({line: name} if line else {}), axis: x}) for x in levels[axis]
            ]
            for name in (levels[line] if line else [""])
        }
        drawn.append(InteractionPanel(", ".join(f"{n} {v}" for n, v in fixed.items()), lines))
    return draw_interaction(
        drawn, _axis(found, axis, levels[axis]), label_axis(response, unit), line or "",
        [len(levels[name]) for name in panels],
    )  # fmt: skip


def _axis(found: MeasuredRuns, name: str, levels: Sequence[Any]) -> FactorAxis:
    from headgate.figures.plots.effects import FactorAxis

    known = sizes([str(level) for level in levels])
    places = (
        [float(size) for size in known]
        if known and np.isfinite([*map(float, known)]).all()
        else None
    )
    factor = next(factor for factor in found.factors if factor.name == name)
    return FactorAxis(factor.title or name, [str(level) for level in levels], places)


def _choose_places(found: MeasuredRuns) -> tuple[str, str, list[str]]:
    """Choose the factor of the axis, the factor of the lines, and the factors of panels.

    The axis shows the factor with most levels, quantities before words; algorithms are lines.
    """
    levels = found.levels
    known = {name: sizes([str(one) for one in of]) is not None for name, of in levels.items()}
    order = sorted(levels, key=lambda name: (name == CCA, not known[name], -len(levels[name])))
    axis, *others = order
    if not others:
        return axis, "", []
    fitting = [name for name in others if len(levels[name]) <= MOST_LINES]
    line = CCA if CCA in fitting else max(fitting, key=lambda n: len(levels[n]), default="")
    panels: list[str] = []
    for name in (name for name in others if name != line):
        if np.prod([len(levels[one]) for one in (*panels, name)]) <= MOST_PANELS:
            panels.append(name)
    return axis, line, panels


def _draw_cloud(found: MeasuredRuns, response: Response) -> Any:
    from headgate.figures.plots.effects import SamplePanel, draw_samples

    means = np.array([found.mean(response.name, c)[0] for c in range(len(found.coded))])
    factor, unit = readable(response.unit, float(np.nanmax(np.abs(means))))
    groups = found.labels.get(CCA, [""] * len(means))
    panels = []
    for name, labels in found.labels.items():
        known = sizes([str(label) for label in labels])
        if name == CCA or known is None:
            continue
        x = np.array([float(size) for size in known])
        points = {
            str(group): (
                [x[c] for c in range(len(x)) if groups[c] == group],
                [factor * means[c] for c in range(len(x)) if groups[c] == group],
            )
            for group in found.levels.get(CCA, ("",))
        }
        panels.append(SamplePanel(name, points))
    return draw_samples(panels, label_axis(response, unit), CCA if CCA in found.labels else "")


def listings(found: MeasuredRuns, parts: PartChanges | None = None) -> tuple[Listing, ...]:
    """Return the table of means with intervals for the page, and those of parts that change."""
    rows = [tuple("" if v is None else v for v in row.values()) for row in rows_of(found.means)]
    more = ""
    if len(rows) > MOST_ROWS:
        more = f"; the first {MOST_ROWS} of {len(rows)}, all are in means.parquet"
    caption = f"Mean over replicates, 95 % interval of Student's t, standard deviation{more}."
    means = Listing("Means", caption, found.means.columns, rows[:MOST_ROWS])
    return (*(parts.listings() if parts else ()), means)


def compare_own(whole: Analysis, own: Sequence[str]) -> tuple[list[str], list[Listing]]:
    """Compare user-defined algorithms with those of the study: a sentence for each, and a table."""
    names = ", ".join(own)
    shown = "shown in tables and pictures beside the study's algorithms; no claim is about it"
    sentences = [f"{names}: {shown}."]
    if whole.roles is None or whole.roles.cca is None or not whole.data:
        return sentences, []
    rows = list(_rank(whole.data[0], whole.roles, own))
    for cca in own:
        best, worst, of = ([row[place] for row in rows if row[1] == cca] for place in (4, 6, 1))
        sentences.append(
            f"{cca}: the best mean of all algorithms in {best.count(cca)} of {len(of)} responses,"
            f" the worst in {worst.count(cca)}."
        )
    return sentences, [Listing(RANK_TITLE, RANK_CAPTION, RANK_COLUMNS, rows)]


def _rank(table: Table, roles: Roles, own: Sequence[str]) -> Iterator[tuple[object, ...]]:
    """Yield a row for each response and user-defined algorithm with values."""
    ccas = table[roles.cca or "cca"]
    for response in (name for name in roles.responses if name in roles.worse):
        values = table[response]
        found = {str(cca): values[(ccas == cca) & np.isfinite(values)] for cca in np.unique(ccas)}
        means = {cca: float(of.mean()) for cca, of in found.items() if len(of)}
        order = sorted(means, key=means.__getitem__, reverse=roles.worse[response] == "less")
        for cca in (cca for cca in own if cca in means):
            best, worst = order[0], order[-1]
            place = f"{order.index(cca) + 1} of {len(order)}"
            title = roles.title(response)
            yield title, cca, means[cca], place, best, means[best], worst, means[worst]
