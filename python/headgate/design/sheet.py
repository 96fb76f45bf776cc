"""The sheet of runs of a design: replicates, centre points, blocks, and a random order.

A random choice uses a separate stream, keyed by a seed and a name. Adding centre points therefore
does not change other draws.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import HeadgateError
from headgate.design.factor import make_scenarios, write_settings
from headgate.design.factorial import Design

if TYPE_CHECKING:
    from headgate.engine.api import Scenario

CENTRE = 0


@dataclass(frozen=True)
class Row:
    """One run: its place in the design (from 1; 0 for a centre point), block, replicate, levels."""

    standard: int
    block: int
    replicate: int
    coded: tuple[float, ...]


@dataclass(frozen=True)
class Sheet:
    """The runs of a design in the order of execution."""

    design: Design
    rows: tuple[Row, ...]
    blocks: Mapping[str, list[str]] = field(default_factory=dict)
    """The effects of up to two factors that are confounded with differences between blocks."""

    def settings(self, row: Row) -> dict[str, Any]:
        """Return the settings of a run by their paths in the scenario."""
        return write_settings(self.design.factors, row.coded)

    def scenarios(self, base: Scenario) -> list[Scenario]:
        """Return a scenario for each run; the seed increases by 1 from replicate to replicate."""
        made = make_scenarios(self.design.factors, [self.settings(row) for row in self.rows], base)
        return [
            one.model_copy(update={"seed": base.seed + row.replicate - 1})
            for one, row in zip(made, self.rows, strict=True)
        ]

    def __len__(self) -> int:
        return len(self.rows)


def lay_out_sheet(  # noqa: PLR0913 - each sets one property of the sheet
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

    `blocks` are effects, such as `ABC` or `X1 X2 X3`, whose signs divide the runs into blocks. Each
    block contains `centre_points` centre points, and `seed` and `name` decide its random order.
    """
    number, lost = _assign_blocks(design, blocks)
    if replicates < 1:
        raise HeadgateError(f"replicates = {replicates}: the least is 1")
    if centre_points < 0:
        raise HeadgateError(f"centre_points = {centre_points}: the least is 0")
    has_centre = bool((design.matrix == 0).all(axis=1).any())
    rows: list[Row] = []
    for block in sorted(set(number)):
        own = [
            Row(run + 1, block, replicate, tuple(coded))
            for replicate in range(1, replicates + 1)
            for run, coded in enumerate(design.matrix.tolist())
            if number[run] == block
        ]
        centres = _list_centres(design) if centre_points else []
        first = 1 + replicates * has_centre
        own += [Row(CENTRE, block, first + i, one) for i in range(centre_points) for one in centres]
        order: Sequence[int] = range(len(own))
        if not in_order:
            rng = make_stream(seed, "run order", name, str(block))
            order = rng.permutation(len(own)).tolist()
        rows += [own[i] for i in order]
    return Sheet(design, tuple(rows), lost)


def make_stream(seed: int, *names: str) -> np.random.Generator:
    """Return the random stream of a seed and a name, the same on every machine."""
    key = hashlib.sha256("\0".join((str(seed), *names)).encode()).digest()
    return np.random.default_rng(int.from_bytes(key[:16], "little"))


def _list_centres(design: Design) -> list[tuple[float, ...]]:
    """Return the centre with every combination of crossed levels.

    Raises HeadgateError if a factor lacks a centre. The middle of a list is not a centre: `cubic`
    is not halfway from `reno` to `vegas`.
    """
    for factor in design.own_factors:
        if factor.levels:
            raise HeadgateError(
                f"factor {factor.name}: a list of levels has no centre; give it low and high as"
                " numbers, or omit centre_points"
            )
        factor.level(0.0)
    count = len(design.own_factors)
    crossed = dict.fromkeys(map(tuple, design.matrix[:, count:].tolist()))
    return [(*(0.0,) * count, *levels) for levels in crossed]


def _assign_blocks(design: Design, texts: Sequence[str]) -> tuple[list[int], dict[str, list[str]]]:
    effects = [_parse_effect(design, text) for text in texts]
    numbers = [0] * len(design)
    for place, effect in enumerate(effects):
        high = design.matrix[:, effect].prod(axis=1) > 0
        if high.all() or not high.any():
            raise HeadgateError(f"blocks: {texts[place]!r} is the same in every run of the design")
        numbers = [n | int(h) << place for n, h in zip(numbers, high, strict=True)]
    places = {n: i for i, n in enumerate(sorted(set(numbers)), 1)}
    return [places[n] for n in numbers], _find_confounded(design, effects)


def _find_confounded(design: Design, effects: Sequence[tuple[int, ...]]) -> dict[str, list[str]]:
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
            listed = points[point]
            odd = [i for i in sorted(set(listed)) if listed.count(i) % 2]
            blocks = " ".join(fraction.names[i] for i in odd)
            found.setdefault(blocks, []).append(fraction.text(effect))
    return found


def _parse_effect(design: Design, text: str) -> tuple[int, ...]:
    names = [f.name for f in design.own_factors]
    words = text.split()
    if len(words) == 1 and text not in names and set(text) <= set(names):
        words = list(text)
    unknown = [word for word in words if word not in names]
    if unknown or not words or design.fraction is None:
        why = f"{unknown[0]!r} is not a factor" if unknown else "this needs a two-level fraction"
        raise HeadgateError(f"blocks: {text!r}: {why}; the factors are {', '.join(names)}")
    return tuple(names.index(word) for word in words)
