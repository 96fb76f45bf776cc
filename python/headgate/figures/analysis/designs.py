"""The choice of a model: which factors, interactions and blocks the rows of a table allow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import AnalysisError
from headgate.base.units import sizes
from headgate.figures.analysis.frame import Levels
from headgate.stats.design_columns import MOST_WORK, Design
from headgate.stats.intervals import Numbers

Places = NDArray[np.int64]

#: The least degrees of freedom of the error if the model contains interactions.
LEAST_FREEDOM = 3
#: Rows per level that are too few for a mean at each. More are left of pairs that lost some rows.
FEW_ROWS = 1.5


@dataclass(frozen=True, eq=False)
class ChosenDesign:
    """The model that some rows allow: which factors, interactions and blocks.

    `names` are the levels that occur, in the order of the design's codes, `same_as` the factors
    that always change together with an earlier one, `fixed` the factors with one level in these
    rows. `additive` is what the user knows: no factors interact. `with_levels` are designs with a
    mean at each level of one factor that is otherwise on a straight line.
    """

    design: Design | None
    names: Mapping[str, tuple[str, ...]]
    same_as: Mapping[str, str]
    fixed: tuple[str, ...]
    additive: bool = False
    with_levels: Mapping[str, Design] = field(default_factory=dict)

    @property
    def assumes_additive(self) -> bool:
        """Whether the model omits interactions that may exist."""
        return (
            not self.additive
            and self.design is not None
            and not self.design.interactions
            and len(self.design.places) > 1
        )

    @property
    def columns_omitted(self) -> int:
        """The columns of the model with interactions if it is too large to compute, otherwise 0."""
        if self.design is None or not self.assumes_additive:
            return 0
        whole = replace(self.design, interactions=True)
        return whole.width if whole.width < whole.runs and not whole.is_feasible else 0

    @cached_property
    def confounders(self) -> dict[str, str]:
        """The terms that each factor of the design is confounded with; "" if with none."""
        if self.design is None:
            return {}
        known = self.design.interactions or self.additive
        return {
            name: self.design.find_confounder(name, omitted=not known)
            for name in self.design.places
        }


def choose_design(
    levels: Mapping[str, Levels],
    rows: NDArray[np.intp],
    blocks: Places | None = None,
    *,
    additive: bool = False,
    straight: bool = True,
) -> ChosenDesign:
    """Return the model for some rows, each with a level of every factor.

    Unless `straight`, no factor is on a straight line. Raises AnalysisError for too many levels.
    """
    places: dict[str, Places] = {}
    names: dict[str, tuple[str, ...]] = {}
    same_as: dict[str, str] = {}
    fixed: list[str] = []
    codes: dict[str, Places] = {}
    lines = _find_straight_lines(levels, rows) if straight else {}
    for name, of in levels.items():
        found, inverse = np.unique(of.places[rows], return_inverse=True)
        codes[name] = inverse.astype(np.int64)
        if len(found) < 2:
            fixed.append(name)
            continue
        if (line := lines.get(name)) is not None:
            places[name] = (line > 0).astype(np.int64)
            ends = (int(line.argmin()), int(line.argmax()))
            names[name] = tuple(of.names[of.places[rows[end]]] for end in ends)
            continue
        twin = next(
            (n for n in places if n not in lines and _is_same_partition(places[n], codes[name])),
            None,
        )
        if twin is not None:
            same_as[name] = twin
            first = [codes[name][places[twin] == place][0] for place in range(len(found))]
            names[name] = tuple(of.names[found[code]] for code in first)
            continue
        places[name] = codes[name]
        names[name] = tuple(of.names[place] for place in found)
    if not places:
        return ChosenDesign(None, names, same_as, tuple(fixed), additive)
    own = None if blocks is None else np.unique(blocks[rows], return_inverse=True)[1]
    design = _choose_terms(places, lines, own, additive=additive)
    with_levels = {
        name: _give_levels(design, name, codes[name])
        for name in lines
        if not _names_conditions(name, codes)
    }
    return ChosenDesign(design, names, same_as, tuple(fixed), additive, with_levels)


def _choose_terms(
    places: Mapping[str, Places],
    lines: Mapping[str, Numbers],
    blocks: NDArray[np.intp] | None,
    *,
    additive: bool,
) -> Design:
    """Return the largest model that leaves an error: with interactions, then without blocks."""
    counts = {name: _count(of) for name, of in places.items()}
    plain = Design(places, counts, None, interactions=False, lines=lines)
    possible = [plain]
    if blocks is not None and 1 < _count(blocks) < plain.runs:
        possible.insert(0, replace(plain, blocks=blocks.astype(np.int64)))
    for one in possible:
        _require_feasible(one)
    for interactions in (False,) if additive else (True, False):
        for one in possible:
            design = replace(one, interactions=interactions)
            least = LEAST_FREEDOM if interactions else 1
            if (
                design.is_feasible
                and design.error_freedom >= least
                and (one.blocks is None or all(design.is_testable((name,)) for name in places))
            ):
                return design
    return plain


def _require_feasible(design: Design) -> None:
    if design.is_feasible:
        return
    counts = dict(design.counts) | (
        {} if design.blocks is None else {"the replicate": _count(design.blocks)}
    )
    name = max(counts, key=lambda one: counts[one])
    raise AnalysisError(
        f"{name} has {counts[name]} levels in {design.runs} rows, too many for a model with a mean"
        f" at each: rows times the square of all levels must be {MOST_WORK:.0e} at most"
    )


def _count(places: NDArray[np.int64]) -> int:
    return int(places.max()) + 1


def _find_straight_lines(
    levels: Mapping[str, Levels], rows: NDArray[np.intp]
) -> dict[str, Numbers]:
    """Return the numbers of the factors whose effect is a straight line.

    These factors have too many levels for a mean at each: at most 1.5 rows per level on average,
    or a distinct level in every condition, as in a replicated sample.
    """
    every = {name: of.places[rows] for name, of in levels.items()}
    counts = {name: len(np.unique(places)) for name, places in every.items()}
    conditions = _count_conditions(list(every.values()))
    lines = {name: _straight_line(of, rows) for name, of in levels.items()}
    sampled = [n for n, line in lines.items() if line is not None and counts[n] == conditions]
    is_sample = len(sampled) > 1 and conditions >= len(sampled) + 1 + LEAST_FREEDOM
    return {
        name: line
        for name, line in lines.items()
        if line is not None
        and (FEW_ROWS * counts[name] >= len(rows) or (is_sample and name in sampled))
    }


def _count_conditions(places: Sequence[NDArray[np.int64]]) -> int:
    return len(np.unique(np.column_stack(places), axis=0))


def _names_conditions(name: str, codes: Mapping[str, Places]) -> bool:
    """Return whether the level of a factor determines the levels of all others."""
    return len(codes) > 1 and _count(codes[name]) == _count_conditions(list(codes.values()))


def _give_levels(design: Design, name: str, codes: Places) -> Design:
    """Return the model without interactions, with a mean at each level of a factor."""
    return replace(
        design,
        places={**design.places, name: codes},
        counts={**design.counts, name: _count(codes)},
        interactions=False,
        lines={other: line for other, line in design.lines.items() if other != name},
    )


def _straight_line(levels: Levels, rows: NDArray[np.intp]) -> Numbers | None:
    """Return a number from -1 to +1 for each row; None for two levels and for names."""
    places = levels.places[rows]
    known = sizes(levels.names) if levels.ordered else None
    if known is None or len(np.unique(places)) <= 2:
        return None
    values = np.array([float(size) for size in known])[places]
    if not np.isfinite(values).all():
        return None
    low, high = values.min(), values.max()
    return np.asarray((2 * values - low - high) / (high - low))


def _is_same_partition(one: NDArray[np.int64], other: NDArray[np.int64]) -> bool:
    """Return whether two factors change in the same rows, even if their level names differ."""
    pairs = len(np.unique(np.column_stack([one, other]), axis=0))
    return bool(pairs == one.max() + 1 == other.max() + 1)
