"""The answer in one sentence a law: what would get worse, and what better, if everyone used it.

A response counts where its mean ratio over a group of conditions (geometric, so that each condition
has the same weight) changes by 10 % or more and the 95 % interval over replicates with the same
traffic excludes zero; it is shown not to where the interval lies within 10 %, and is not known in
between. With one replicate 10 % decides. A response that counts one way under some conditions and
the other way under others has no mean: both ways are said, with the factor that separates them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from headgate.base import catalog
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import short
from headgate.figures.analysis.questions import heavy, light
from headgate.figures.analysis.reversals import Reversal, find_reversal
from headgate.figures.analysis.roles import Roles
from headgate.stats.changes import Change

#: Changes that a sentence names before it says how many more there are.
NAMED = 3
#: All conditions together, if nothing says how congested they are.
ON_AVERAGE = "on average"


@dataclass(frozen=True)
class Answered:
    """What is said of one law, and how much of it is bad: the more, the earlier it is read.

    `changes` are those that matter of the mean over a group of conditions, by group and response;
    `reversals` are the responses that change both ways within a group, which have no mean.
    """

    law: str
    sentence: str
    worse: int
    changes: Mapping[str, Mapping[str, Change]]
    reversals: Mapping[str, Mapping[str, Reversal]]


@dataclass(frozen=True)
class _Group:
    """What becomes of every measure under a group of conditions: its mean change, or both ways."""

    where: str
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
        """Write how many measures are not known; nothing if none is."""
        return form.format(f"{self.unknown} of {self.size} not known") if self.unknown else ""

    @property
    def size(self) -> int:
        """How many measures there are."""
        return len(self.changes) + len(self.reversals)


def answered(part: PeriodAnalysis) -> tuple[Answered, ...]:
    """Say of every law what changes if it takes the place of the one before; () if none is named.

    Raises AnalysisError where the table has no laws or conditions.
    """
    roles = part.roles
    if roles.before is None or not roles.worse:
        return ()
    groups = _groups(part)
    laws = [law for law in part.cells.laws if law != roles.before]
    said = [_answer(part, law, groups) for law in laws]
    return tuple(sorted(said, key=lambda one: -one.worse))


def law_title(law: str) -> str:
    """Return what people call a law; one of the user's own by its name in its file."""
    known = next((one.title for one in catalog.laws() if one.name == law), "")
    return known or law.rpartition(":")[2]


def _groups(part: PeriodAnalysis) -> dict[str, Sequence[int]]:
    """Return the conditions by how congested they are, where anything tells it."""
    if len(part.order) < 2:
        return {"": part.order}
    if part.roles.congestion is None or not part.ranked:
        return {ON_AVERAGE: part.order}
    return {
        "under heavy congestion": heavy(part.ranked),
        "under light congestion": light(part.ranked),
    }


def _answer(part: PeriodAnalysis, law: str, groups: Mapping[str, Sequence[int]]) -> Answered:
    roles = part.roles
    found = [_compare(part, law, where, rows, roles.worse) for where, rows in groups.items()]
    worse = sum(
        sum(roles.is_worse(name, one.share) for name, one in of.moving.items()) + len(of.reversals)
        for of in found
    )
    before = law_title(roles.before or "")
    begin = f"If everyone used {law_title(law)} instead of {before}, "
    if any(of.moving or of.reversals for of in found):
        said = "; ".join(_clause(roles, of) for of in found)
    else:
        said = _deny(found)
    return Answered(
        law,
        f"{begin}{said}{_name_undirected(part, law)}.",
        worse,
        {of.where: of.moving for of in found},
        {of.where: of.reversals for of in found},
    )


def _compare(
    part: PeriodAnalysis, law: str, where: str, rows: Sequence[int], names: Iterable[str]
) -> _Group:
    """Return the mean change of these measures over these conditions, or both ways."""
    both = {name: find_reversal(part, law, rows, name) for name in names}
    return _Group(
        where,
        {n: part.changes.compare_mean(law, rows, n) for n, found in both.items() if found is None},
        {name: found for name, found in both.items() if found is not None},
    )


def _deny(groups: Sequence[_Group]) -> str:
    """Say that no measure changes, as far as that is known."""
    measures = groups[0].size
    if not any(of.unknown for of in groups):
        said = f"hardly anything would change: none of {measures} measures"
        return f"{said} by 10 % or more {' or '.join(of.where for of in groups)}".strip()
    if all(of.unknown == measures for of in groups):
        return f"it is not known whether any of {measures} measures would change by 10 % or more"
    where = [f"{of.where} {of.write_unknown('({})')}".strip() for of in groups]
    said = f"none of {measures} measures is shown to change by 10 % or more"
    return f"{said} {' or '.join(where)}"


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
    where = of.where if found or of.where != ON_AVERAGE or not sides else ""
    return f"{where} {said}{unknown}".strip()


def _join(sides: Sequence[str]) -> str:
    *others, last = sides
    return f"{', '.join(others)} and {last}" if others else last


def _name(roles: Roles, found: Mapping[str, Change | Reversal]) -> str:
    said = [f"{_call(roles, name)} {one.write()}" for name, one in found.items()]
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    between = "; " if any("," in text for text in said) else ", "
    return between.join(said[:NAMED]) + more


def _call(roles: Roles, name: str) -> str:
    return short(roles, name).replace(",", "")


def _name_undirected(part: PeriodAnalysis, law: str) -> str:
    """Say how many measures change of which neither way is better: the counts leave them out."""
    names = [name for name in part.cells.responses if name not in part.roles.worse]
    if not names:
        return ""
    found = _compare(part, law, "", part.order, names)
    changed = [*found.moving, *found.reversals]
    said = f" ({_name(part.roles, {**found.moving, **found.reversals})})" if changed else ""
    return (
        f"; {len(changed)} of {len(names)} measures without a better way change by 10 % or"
        f" more{said}"
    )
