"""The sheet of runs of a design: replicates, centre points, blocks, and a random order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from headgate.base.errors import HeadgateError
from headgate.design.chance import stream
from headgate.design.factorial import Design

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

CENTRE = 0


@dataclass(frozen=True)
class Row:
    """One run: its place in the design (from 1; 0 is a centre point), block, replicate, levels."""

    standard: int
    block: int
    replicate: int
    coded: tuple[float, ...]


@dataclass(frozen=True)
class Sheet:
    """The runs of a design in the order in which to make them."""

    design: Design
    rows: tuple[Row, ...]
    blocks: Mapping[str, list[str]] = field(default_factory=dict)
    """The effects of up to two factors that are confounded with a difference between blocks."""

    def settings(self, row: Row) -> dict[str, Any]:
        """Return the settings of a run, by the scenario's own names."""
        levels = zip(self.design.factors, row.coded, strict=True)
        return {factor.setting: factor.level(coded) for factor, coded in levels}

    def scenarios(self, base: Scenario) -> list[Scenario]:
        """Return one scenario a run; a replicate has the seed after that of the one before."""
        from headgate.design.scenarios import scenarios

        made = scenarios(self.design.factors, [self.settings(row) for row in self.rows], base)
        return [
            one.model_copy(update={"seed": base.seed + row.replicate - 1})
            for one, row in zip(made, self.rows, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.rows)


def sheet(  # noqa: PLR0913 - each says one thing of the sheet
    design: Design,
    *,
    seed: int = 1,
    name: str = "",
    replicates: int = 1,
    centre_points: int = 0,
    blocks: Sequence[str] = (),
    in_order: bool = False,
) -> Sheet:
    """Lay out the runs of a design.

    `blocks` are effects, such as `ABC` or `X1 X2 X3`, whose signs part the runs; each block has
    `centre_points` of its own, and its runs are in a random order that `seed` and `name` decide.
    """
    number, lost = _blocks(design, blocks)
    if min(replicates - 1, centre_points) < 0:
        wrong = (
            f"replicates = {replicates}" if replicates < 1 else f"centre_points = {centre_points}"
        )
        raise HeadgateError(f"{wrong}: the least is {int(replicates < 1)}")
    rows: list[Row] = []
    for block in sorted(set(number)):
        own = _rows_of(design, number, block, replicates)
        own += [_centre(design, block, i + 1) for i in range(centre_points)]
        order = np.arange(len(own)) if in_order else _order(len(own), seed, name, block)
        rows += [own[i] for i in order]
    return Sheet(design, tuple(rows), lost)


def _order(count: int, seed: int, name: str, block: int) -> NDArray[np.int64]:
    return stream(seed, "run order", name, str(block)).permutation(count)


def _rows_of(design: Design, number: Sequence[int], block: int, replicates: int) -> list[Row]:
    coded = design.matrix.tolist()
    return [
        Row(run + 1, block, replicate, tuple(coded[run]))
        for replicate in range(1, replicates + 1)
        for run in range(len(design))
        if number[run] == block
    ]


def _centre(design: Design, block: int, replicate: int) -> Row:
    """Make a centre point; a factor without numbers has none, which `level` says.

    The middle of a list is no centre: `cubic` is not halfway from `reno` to `vegas`.
    """
    for factor in design.factors:
        if factor.levels:
            raise HeadgateError(
                f"factor {factor.name}: a list of levels has no centre; give it low and high, which"
                " are numbers, or leave out centre_points"
            )
        factor.level(0.0)
    return Row(CENTRE, block, replicate, (0.0,) * len(design.factors))


def _blocks(design: Design, texts: Sequence[str]) -> tuple[list[int], dict[str, list[str]]]:
    """Return each run its block, by the signs of effects, and what is lost in blocks."""
    effects = [_effect(design, text) for text in texts]
    numbers = [0] * len(design)
    for place, effect in enumerate(effects):
        high = design.matrix[:, effect].prod(axis=1) > 0
        if high.all() or not high.any():
            raise HeadgateError(f"blocks: {texts[place]!r} is the same in every run of the design")
        numbers = [n | int(h) << place for n, h in zip(numbers, high, strict=True)]
    places = {n: i for i, n in enumerate(sorted(set(numbers)), 1)}
    return [places[n] for n in numbers], _find_lost(design, effects)


def _find_lost(design: Design, effects: Sequence[tuple[int, ...]]) -> dict[str, list[str]]:
    fraction = design.fraction
    if fraction is None:
        return {}
    points: dict[int, tuple[int, ...]] = {0: ()}
    for effect in effects:
        points |= {p ^ fraction.point(effect)[0]: (*e, *effect) for p, e in points.items()}
    found: dict[str, list[str]] = {}
    for effect in fraction.effects(2):
        point, _ = fraction.point(effect)
        if point and point in points:
            found.setdefault(_format_effect(fraction.names, points[point]), []).append(
                fraction.text(effect)
            )
    return found


def _format_effect(names: Sequence[str], factors: Iterable[int]) -> str:
    listed = list(factors)
    return " ".join(names[i] for i in sorted(set(listed)) if listed.count(i) % 2)


def _effect(design: Design, text: str) -> tuple[int, ...]:
    names = [f.name for f in design.factors]
    words = text.split()
    if len(words) == 1 and text not in names and set(text) <= set(names):
        words = list(text)
    unknown = [word for word in words if word not in names]
    if unknown or not words or design.fraction is None:
        why = f"{unknown[0]!r} is not a factor" if unknown else "needs a two-level fraction"
        raise HeadgateError(f"blocks: {text!r}: {why}; the factors are {', '.join(names)}")
    return tuple(names.index(word) for word in words)
