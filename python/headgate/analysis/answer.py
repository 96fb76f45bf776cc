"""The answer in one sentence a law: what would get worse, and what better, if everyone used it.

A response counts where its mean over a group of conditions changes by 10 % or more and the 95 %
interval over replicates with the same traffic excludes zero; with one replicate 10 % decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from headgate import catalog
from headgate.analysis.part import Part
from headgate.analysis.phrases import short
from headgate.analysis.questions import heavy, light
from headgate.analysis.roles import Roles
from headgate.stats.changes import Change

#: Changes that a sentence names before it says how many more there are.
NAMED = 3


@dataclass(frozen=True)
class Answered:
    """What is said of one law, and how much of it is bad: the more, the earlier it is read.

    `changes` are those that matter of the mean over a group of conditions, by group and response.
    """

    law: str
    sentence: str
    worse: int
    changes: Mapping[str, Mapping[str, Change]]


def answered(part: Part) -> tuple[Answered, ...]:
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


def _groups(part: Part) -> dict[str, Sequence[int]]:
    """Return the conditions by how congested they are, where anything tells it."""
    if len(part.order) < 2:
        return {"": part.order}
    if part.roles.congestion is None:
        return {"on average": part.order}
    return {
        "under heavy congestion": heavy(part.order),
        "under light congestion": light(part.order),
    }


def _answer(part: Part, law: str, groups: Mapping[str, Sequence[int]]) -> Answered:
    found = {where: _changes(part, law, rows) for where, rows in groups.items()}
    worse = sum(
        part.roles.is_worse(name, one.share) for of in found.values() for name, one in of.items()
    )
    before = law_title(part.roles.before or "")
    begin = f"If everyone used {law_title(law)} instead of {before}, "
    if not any(found.values()):
        said = f"hardly anything would change: none of {len(part.roles.worse)} measures"
        where = f"by 10 % or more {' or '.join(groups)}".strip()
        return Answered(law, f"{begin}{said} {where}.", worse, found)
    clauses = [_clause(part.roles, of, where) for where, of in found.items()]
    return Answered(law, f"{begin}{'; '.join(clauses)}.", worse, found)


def _changes(part: Part, law: str, rows: Sequence[int]) -> dict[str, Change]:
    """Return the changes that matter of the mean over these conditions, the largest first."""
    found = {name: part.changes.compare_mean(law, rows, name) for name in part.roles.worse}
    kept = {name: one for name, one in found.items() if one.matters}
    return dict(sorted(kept.items(), key=lambda item: -abs(item[1].share)))


def _clause(roles: Roles, found: Mapping[str, Change], where: str) -> str:
    worse = {name: one for name, one in found.items() if roles.is_worse(name, one.share)}
    better = {name: one for name, one in found.items() if name not in worse}
    sides = [
        f"{len(of)} of {len(roles.worse)} measures would be {word} ({_name(roles, of)})"
        for word, of in (("worse", worse), ("better", better))
        if of
    ]
    said = " and ".join(sides) if sides else "nothing would change by 10 % or more"
    return f"{where} {said}".strip()


def _name(roles: Roles, found: Mapping[str, Change]) -> str:
    names = {name: short(roles, name).replace(",", "") for name in found}
    said = [f"{names[name]} {one.write()}" for name, one in found.items()]
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    return ", ".join(said[:NAMED]) + more
