"""Pictures of a design's analysis: surfaces, sensitivity, residuals and power."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.optional import find_missing
from headgate.base.terminal import safe_file_name
from headgate.base.units import readable
from headgate.experiment.designed import FittedSurface
from headgate.experiment.effect_sentences import spoken, unit_of, within
from headgate.experiment.responses import Response
from headgate.experiment.runs import Picture
from headgate.experiment.tables import MeasuredRuns
from headgate.stats.effects import WEAK_P
from headgate.stats.intervals import LEVEL, compute_student_quantile
from headgate.stats.power import POWER, find_detectable
from headgate.stats.sensitivity import MorrisResult

if TYPE_CHECKING:
    from headgate.figures.plots.residuals import PowerPanel, ResidualPanel

#: Factors whose pairs are drawn, points of a contour along an axis, and responses of one sheet.
DRAWN_FACTORS, GRID, MOST_PANELS = 3, 161, 6
CHANCES = (POWER, 0.95)
#: The largest number of replicates of the power curves, unless there are more.
MOST_REPLICATES = 30


def draw_design(found: MeasuredRuns, response: Response) -> Iterator[Picture]:
    """Yield the picture of a response that the kind of design adds."""
    title = spoken(response)
    fitted = found.surfaces.get(response.name)
    if fitted is not None and sum(factor.numeric for factor in found.factors) > 1:
        yield Picture(
            f"surface-{safe_file_name(response.name)}", f"Response surface: {title}",
            "The polynomial that fits the means of conditions. Factors that are not on the axes are"
            " at the optimum; outside the dashed line the surface is extrapolated.",
            _draw_surface(found, response, fitted),
        )  # fmt: skip
    result = found.indices.get(response.name)
    if result is not None and result.largest:
        plane = isinstance(result, MorrisResult)
        yield Picture(
            f"sensitivity-{safe_file_name(response.name)}", f"Sensitivity: {title}",
            "Elementary effects of each factor over its range (Morris 1991), with Student's"
            " intervals over the trajectories, which hold together in 95 % of cases. Above the"
            " dotted line effects depend on the other factors or are curved."
            if plane
            else "Sobol indices (Saltelli et al. 2010) with bootstrap 95 % intervals.",
            _draw_sensitivity(found, response),
        )  # fmt: skip


def draw_checks(found: MeasuredRuns) -> Iterator[Picture]:
    """Yield the residuals of all responses and the power of the experiment."""
    known = [one for one in found.responses if np.isfinite(found.distinct[one.name]).any()]
    panels = [panel for one in known if (panel := _find_residuals(found, one)) is not None]
    if panels:
        from headgate.figures.plots.residuals import draw_residuals

        model = "the fitted surface and" if found.surfaces else "the mean of their condition and"
        yield Picture(
            "residuals-runs", "Residuals",
            f"Runs minus {model} the mean of their replicate. Without trend and bend the model is"
            " adequate; on the line residuals are normal.",
            draw_residuals(panels[:MOST_PANELS]),
        )  # fmt: skip
    if find_missing("analysis"):
        return
    powers = [power for one in known if (power := _find_power(found, one)) is not None]
    if powers:
        from headgate.figures.plots.residuals import draw_power

        yield Picture(
            "power", "Effects that more runs would show",
            "The smallest main effect whose 95 % interval excludes zero with a chance of 80 % and"
            " of 95 %, from the spread of this experiment (non-central t).",
            draw_power(powers[:MOST_PANELS], CHANCES, f"number of {_name_unit(found)}"),
        )  # fmt: skip


def _draw_sensitivity(found: MeasuredRuns, response: Response) -> Any:
    from headgate.figures.plots.sensitivity import MorrisPoint, SobolBar, draw_morris, draw_sobol

    result = found.indices[response.name]
    names = [factor.name for factor in found.factors]
    if not isinstance(result, MorrisResult):
        return draw_sobol([
            SobolBar(
                names[one.factor],
                (one.first, one.first_low, one.first_high),
                (one.total, one.total_low, one.total_high),
            )
            for one in result.indices
        ])  # fmt: skip
    known = [one for one in result.effects if math.isfinite(one.mu_star)]
    factor, unit = readable(response.unit, max(one.high for one in known))
    points = [
        MorrisPoint(
            names[one.factor],
            (factor * one.mu_star, factor * one.low, factor * one.high),
            factor * one.sigma,
            found.morris_p[response.name, one.factor] < WEAK_P or found.same,
        )
        for one in known
    ]
    return draw_morris(points, unit_of(unit), factor * result.floor)


def _draw_surface(found: MeasuredRuns, response: Response, fitted: FittedSurface) -> Any:
    from headgate.figures.plots.surfaces import draw_surfaces

    factor, unit = readable(response.unit, float(np.abs(fitted.surface.values).max()))
    numbers = [i for i, one in enumerate(found.factors) if one.numeric]
    moves = {i: _measure_range(fitted, i) for i in numbers}
    chosen = sorted(sorted(numbers, key=lambda i: -moves[i])[:DRAWN_FACTORS])
    panels = [_make_panel(found, fitted, (i, j), factor) for i, j in combinations(chosen, 2)]
    label = within(response)
    return draw_surfaces(panels, f"{label} ({unit})" if unit_of(unit) else label)


def _measure_range(fitted: FittedSurface, place: int) -> float:
    """Return how much the surface varies along a factor through the optimum."""
    coded = fitted.surface.coded[:, place]
    line = np.repeat(fitted.optimum.point[None], GRID, axis=0)
    line[:, place] = np.linspace(coded.min(), coded.max(), GRID)
    return float(np.ptp(fitted.surface.predict(line)))


def _make_panel(
    found: MeasuredRuns, fitted: FittedSurface, pair: tuple[int, int], scale: float
) -> Any:
    from headgate.figures.plots.surfaces import SurfaceAxis, SurfacePanel

    best, surface = fitted.optimum, fitted.surface
    lines = [np.linspace(surface.coded[:, i].min(), surface.coded[:, i].max(), GRID) for i in pair]
    mesh = np.meshgrid(*lines)
    points = np.repeat(best.point[None], GRID * GRID, axis=0)
    for place, grid in zip(pair, mesh, strict=True):
        points[:, place] = grid.ravel()
    values = scale * surface.predict(points)
    numbers = [i for i, one in enumerate(found.factors) if one.numeric]
    radius = np.sqrt((surface.coded[:, numbers] ** 2).sum(axis=1)).max()
    rest = [i for i in numbers if i not in pair]
    within_pair = np.sqrt((points[:, list(pair)] ** 2).sum(axis=1))
    far = within_pair > max(radius, float(np.linalg.norm(best.point[rest]))) * (1 + 1e-9)
    values[far] = np.nan
    axes = []
    for i in pair:
        one = found.factors[i]
        places = one.numbers_at(np.array([best.point[i], best.low[i], best.high[i]]))
        unit = one.describe(0.0).partition(" ")[2]
        title = f"{one.name} ({unit})" if unit else one.name
        axes.append(SurfaceAxis(title, one.scale == "log", *places.tolist()))
    x, y = (found.factors[i].numbers_at(line) for i, line in zip(pair, lines, strict=True))
    reach = math.sqrt(max(float(radius**2 - (best.point[rest] ** 2).sum()), 0.0))
    turns = np.linspace(0, 2 * np.pi, 2 * GRID)
    circle = reach * np.array([np.cos(turns), np.sin(turns)])
    edge = np.column_stack([
        found.factors[i].numbers_at(np.clip(of, line[0], line[-1]))
        for i, of, line in zip(pair, circle, lines, strict=True)
    ])  # fmt: skip
    runs = np.column_stack([found.factors[i].numbers_at(surface.coded[:, i]) for i in pair])
    fixed = ", ".join(
        f"{one.name} {one.describe(float(best.point[i]))}"
        for i, one in enumerate(found.factors)
        if i not in pair
    )
    return SurfacePanel(
        axes[0], axes[1], x, y, values.reshape(GRID, GRID), np.unique(runs, axis=0), fixed, edge
    )


def _find_residuals(found: MeasuredRuns, response: Response) -> ResidualPanel | None:
    """Return the residuals of the runs, replicate by replicate, as they are run."""
    from headgate.figures.plots.residuals import ResidualPanel

    values = found.distinct[response.name]
    means = np.full((len(values), 1), np.nan)
    there = np.isfinite(values).any(axis=1)
    means[there] = np.nanmean(values[there], axis=1, keepdims=True)
    fitted = np.repeat(means, values.shape[1], axis=1)
    surface = found.surfaces.get(response.name)
    if surface is not None:
        fitted[:] = surface.surface.predict(found.coded)[:, None]
    left = values - fitted
    left -= np.nanmean(left, axis=0)
    known = np.isfinite(left.T)
    if known.sum() <= len(values) and surface is None:
        return None
    factor, unit = readable(response.unit, float(np.nanmax(np.abs(values))))
    title = f"{spoken(response)} ({unit})" if unit_of(unit) else spoken(response)
    return ResidualPanel(title, factor * fitted.T[known], factor * left.T[known])


def _find_power(found: MeasuredRuns, response: Response) -> PowerPanel | None:
    """Return the smallest effects that other numbers of replicates or conditions would show.

    The error is the largest of the main effects. It shrinks with the number of replicates, or with
    that of conditions if it is the residual of a model.
    """
    from headgate.figures.plots.residuals import PowerPanel

    main = [e for e in found.effects_by_response[response.name] if len(e.factors) == 1]
    known = [e for e in main if e.has_interval and math.isfinite(e.high - e.low)]
    if not known:
        return None
    lost = len(found.coded) - known[0].freedom if known[0].freedom else 1
    count = len(found.coded) if known[0].freedom else found.distinct[response.name].shape[1]
    wide = compute_student_quantile(0.5 + LEVEL / 2, count - lost)
    deviation = max((e.high - e.low) / 2 / wide for e in known) * math.sqrt(count)
    if not deviation > 0:
        return None
    mean = float(np.nanmean(np.abs(found.distinct[response.name])))
    factor, unit = readable(response.unit, max(mean, deviation))
    counts = range(lost + 1, max(MOST_REPLICATES, 2 * count) + 1)
    curves = [
        [find_detectable(factor * deviation / math.sqrt(n), n - lost, chance) for n in counts]
        for chance in CHANCES
    ]
    return PowerPanel(spoken(response), unit_of(unit), counts, curves, count, factor * mean / 10)


def _name_unit(found: MeasuredRuns) -> str:
    effects = [effect for of in found.effects_by_response.values() for effect in of]
    return "conditions" if any(effect.freedom for effect in effects) else "replicates"
