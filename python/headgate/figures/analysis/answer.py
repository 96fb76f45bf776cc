"""The answer: one sentence per algorithm on what gets worse and better if everyone uses it.

A response counts if its geometric mean ratio over a group of conditions changes by 10 % or more and
the 95 % interval over replicates with the same traffic excludes zero. If the interval lies within
10 %, the response does not change; otherwise the change is not known. With one replicate, 10 %
decides. A response that rises under some conditions and falls under others is not averaged: the
sentence gives both directions and the factor that separates them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headgate.base import catalog
from headgate.base.level_order import LevelOrder
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import level_phrase, short
from headgate.figures.analysis.questions import select_heavy, select_light
from headgate.figures.analysis.roles import Roles
from headgate.stats.changes import Change
from headgate.stats.reversals import (
    Direction,
    find_separating_factor,
    find_shown_signs,
    is_reversed_by_a_factor,
)


@dataclass(frozen=True)
class ReversalSide:
    """The conditions in which a measure changes one way: the size, and the conditions."""

    least: Change
    most: Change
    way: Direction

    def write(self) -> str:
        """Write the size of the change, and its conditions."""
        ends = dict.fromkeys([self.least.write(), self.most.write()])
        levels = f" with {' or '.join(self.way.levels)}" if self.way.levels else ""
        rest = f" and in {self.way.others} others" if self.way.others else ""
        counted = f"in {self.way.count} of {self.way.among} conditions"
        return f"{' to '.join(ends)} {counted}{levels}{rest}"


@dataclass(frozen=True)
class Reversal:
    """A measure that grows under some conditions and falls under others.

    `factor` is the one that separates them best, "" if none does.
    """

    factor: str
    sides: tuple[ReversalSide, ...]

    def write(self) -> str:
        """Write both ways."""
        return ", ".join(side.write() for side in self.sides)


def find_reversal(
    part: PeriodAnalysis, cca: str, rows: Sequence[int], response: str
) -> Reversal | None:
    """Return the changes of a measure in both directions; None if it changes in one."""
    labels = [part.cells.conditions[row] for row in rows]
    cells = [part.changes.cells[cca, label, response] for label in labels]
    by_condition = part.levels_by_condition
    levels = [by_condition.get(label, {}) for label in labels]
    signs = _find_signs(cells, levels, replicated=part.changes.replicated)
    if not {1, -1} <= set(signs):
        return None
    order = {f: part.level_orders[f] for f in by_condition.get(labels[0], ())}
    factor, ways = find_separating_factor(levels, signs, LevelOrder(order))
    sides = []
    for sign, way in zip((1, -1), ways, strict=True):
        own = [one for one, known in zip(cells, signs, strict=True) if known == sign]
        own.sort(key=lambda one: abs(one.share))
        known_levels = order.get(factor, ())
        words = tuple(level_phrase(part.roles, factor, one, known_levels) for one in way.levels)
        sides.append(
            ReversalSide(own[0], own[-1], Direction(words, way.count, way.among, way.others))
        )
    return Reversal(factor, tuple(sides))


def _find_signs(
    cells: Sequence[Change], levels: Sequence[Mapping[str, str]], *, replicated: bool
) -> list[int]:
    """Return the sign of each change that matters, and 0 for the others.

    With replicates, a change counts if it is shown, however many conditions there are. With one
    run per condition, changes count by size if rises and falls are shown at levels of a factor.
    """
    shares = [one.share for one in cells]
    if replicated:
        signs = find_shown_signs([one.p for one in cells], [share > 0 for share in shares])
    elif is_reversed_by_a_factor(shares, levels):
        signs = [1 if share > 0 else -1 for share in shares]
    else:
        return [0] * len(cells)
    return [sign if one.matters else 0 for sign, one in zip(signs, cells, strict=True)]


#: Changes that a sentence names before it says how many more there are.
NAMED = 3
#: All conditions together, if nothing says how congested they are.
ON_AVERAGE = "on average"


@dataclass(frozen=True)
class CcaAnswer:
    """The sentence of one algorithm; `worse` counts its bad changes and orders the sentences.

    `changes` are the mean changes that matter, by group of conditions and response;
    `reversals` are the responses that change both ways within a group, which are not averaged.
    """

    cca: str
    sentence: str
    worse: int
    changes: Mapping[str, Mapping[str, Change]]
    reversals: Mapping[str, Mapping[str, Reversal]]


@dataclass(frozen=True)
class _Group:
    """The change of every measure under a group of conditions: a mean, or both directions."""

    place: str
    changes: Mapping[str, Change]
    reversals: Mapping[str, Reversal]

    @property
    def moving(self) -> dict[str, Change]:
        """The changes that matter, the largest first."""
        kept = {name: one for name, one in self.changes.items() if one.matters}
        return dict(sorted(kept.items(), key=lambda item: -abs(item[1].share)))

    @property
    def unknown(self) -> int:
        """How many measures neither change by 10 % nor are shown not to."""
        return sum(one.state in {"not known", "nothing"} for one in self.changes.values())

    def write_unknown(self, form: str) -> str:
        """Write the number of undecided measures, if there are any."""
        return form.format(f"{self.unknown} of {self.size} not known") if self.unknown else ""

    @property
    def size(self) -> int:
        """How many measures there are."""
        return len(self.changes) + len(self.reversals)


def answer_each_cca(part: PeriodAnalysis) -> tuple[CcaAnswer, ...]:
    """Write a sentence for every algorithm that replaces the one before; () if none is named.

    Raises AnalysisError if the table lacks algorithms or conditions.
    """
    roles = part.roles
    if roles.before is None or not roles.worse:
        return ()
    groups = _groups(part)
    ccas = [cca for cca in part.cells.ccas if cca != roles.before]
    said = [_answer(part, cca, groups) for cca in ccas]
    return tuple(sorted(said, key=lambda one: -one.worse))


#: A part of a mix of algorithms in a label, such as `50 % bbr3`.
_PART = re.compile(r"([\d.]+) % (.+)")


def read_mix(cca: str) -> list[tuple[str, str]]:
    """Return the shares and names of a mix, such as `50 % bbr3 + 50 % cubic`; [] if it is none."""
    found = [_PART.fullmatch(part) for part in cca.split(" + ")]
    return [(part[1], part[2]) for part in found if part] if all(found) else []


def cca_title(cca: str) -> str:
    """Return the title of an algorithm; for a user-defined one, its name in its file."""
    if parts := read_mix(cca):
        return " + ".join(f"{share} % {cca_title(name)}" for share, name in parts)
    known = next((one.title for one in catalog.ccas() if one.name == cca), "")
    return known or cca.rpartition(":")[2]


def _groups(part: PeriodAnalysis) -> dict[str, Sequence[int]]:
    """Group the conditions by congestion if a response measures it."""
    if len(part.order) < 2:
        return {"": part.order}
    if part.roles.congestion is None or not part.ranked:
        return {ON_AVERAGE: part.order}
    return {
        "under heavy congestion": select_heavy(part.ranked),
        "under light congestion": select_light(part.ranked),
    }


def _answer(part: PeriodAnalysis, cca: str, groups: Mapping[str, Sequence[int]]) -> CcaAnswer:
    roles = part.roles
    found = [_compare(part, cca, place, rows, roles.worse) for place, rows in groups.items()]
    worse = sum(
        sum(roles.is_worse(name, one.share) for name, one in of.moving.items()) + len(of.reversals)
        for of in found
    )
    begin = f"If {_say_who(cca, roles.before or '')} instead of {cca_title(roles.before or '')}, "
    if any(of.moving or of.reversals for of in found):
        said = "; ".join(_clause(roles, of) for of in found)
    else:
        said = _deny(found)
    return CcaAnswer(
        cca,
        f"{begin}{said}{_name_undirected(part, cca)}.",
        worse,
        {of.place: of.moving for of in found},
        {of.place: of.reversals for of in found},
    )


def _say_who(cca: str, before: str) -> str:
    """Say who uses which algorithm: everyone, or shares of the users in a mix."""
    new = [(share, name) for share, name in read_mix(cca) if name != before]
    if not new:
        return f"everyone used {cca_title(cca)}"
    (share, name), *rest = new
    others = "".join(f" and {share} % {cca_title(name)}" for share, name in rest)
    return f"{share} % of the users used {cca_title(name)}{others}"


def _compare(
    part: PeriodAnalysis, cca: str, place: str, rows: Sequence[int], names: Iterable[str]
) -> _Group:
    both = {name: find_reversal(part, cca, rows, name) for name in names}
    return _Group(
        place,
        {n: part.changes.compare_mean(cca, rows, n) for n, found in both.items() if found is None},
        {name: found for name, found in both.items() if found is not None},
    )


def _deny(groups: Sequence[_Group]) -> str:
    measures = groups[0].size
    if not any(of.unknown for of in groups):
        said = f"hardly anything would change: none of {measures} measures"
        return f"{said} by 10 % or more {' or '.join(of.place for of in groups)}".strip()
    if all(of.unknown == measures for of in groups):
        return f"it is not known whether any of {measures} measures would change by 10 % or more"
    places = [f"{of.place} {of.write_unknown('({})')}".strip() for of in groups]
    said = f"none of {measures} measures is shown to change by 10 % or more"
    return f"{said} {' or '.join(places)}"


def _clause(roles: Roles, of: _Group) -> str:
    found, unknown = of.moving, of.write_unknown(", {}")
    worse = {name: one for name, one in found.items() if roles.is_worse(name, one.share)}
    better = {name: one for name, one in found.items() if name not in worse}
    sides = [
        f"{len(some)} of {of.size} measures would be {word} ({_name(roles, some)})"
        for word, some in (
            ("worse", worse),
            ("better", better),
            ("worse in some conditions and better in others", of.reversals),
        )
        if some
    ]
    none = "nothing is shown to change" if unknown else "nothing would change"
    said = _join(sides) if sides else f"{none} by 10 % or more"
    place = of.place if found or of.place != ON_AVERAGE or not sides else ""
    return f"{place} {said}{unknown}".strip()


def _join(sides: Sequence[str]) -> str:
    *others, last = sides
    return f"{', '.join(others)} and {last}" if others else last


def _name(roles: Roles, found: Mapping[str, Change | Reversal]) -> str:
    said = [f"{short(roles, name).replace(',', '')} {one.write()}" for name, one in found.items()]
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    between = "; " if any("," in text for text in said) else ", "
    return between.join(said[:NAMED]) + more


def _name_undirected(part: PeriodAnalysis, cca: str) -> str:
    """Count the changes of measures without a better direction; the counts above omit them."""
    names = [name for name in part.cells.responses if name not in part.roles.worse]
    if not names:
        return ""
    found = _compare(part, cca, "", part.order, names)
    changed = [*found.moving, *found.reversals]
    said = f" ({_name(part.roles, {**found.moving, **found.reversals})})" if changed else ""
    return (
        f"; {len(changed)} of {len(names)} measures without a better way change by 10 % or"
        f" more{said}"
    )
