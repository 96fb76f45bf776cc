"""The answer in one sentence a law: what would get worse, and what better, if everyone used it.

A response counts where its mean over a group of conditions changes by 10 % or more and the 95 %
interval over replicates with the same traffic excludes zero; it is shown not to where the interval
lies within 10 %, and is not known in between. With one replicate 10 % decides.
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
    if part.roles.congestion is None or not part.ranked:
        return {"on average": part.order}
    return {
        "under heavy congestion": heavy(part.ranked),
        "under light congestion": light(part.ranked),
    }


def _answer(part: Part, law: str, groups: Mapping[str, Sequence[int]]) -> Answered:
    compared = {where: _compare(part, law, rows) for where, rows in groups.items()}
    found = {where: _moving(of) for where, of in compared.items()}
    worse = sum(
        part.roles.is_worse(name, one.share) for of in found.values() for name, one in of.items()
    )
    before = law_title(part.roles.before or "")
    begin = f"If everyone used {law_title(law)} instead of {before}, "
    if not any(found.values()):
        return Answered(law, f"{begin}{_deny(compared)}.", worse, found)
    clauses = [_clause(part.roles, of, where) for where, of in compared.items()]
    return Answered(law, f"{begin}{'; '.join(clauses)}.", worse, found)


def _compare(part: Part, law: str, rows: Sequence[int]) -> dict[str, Change]:
    """Return the change of every measure's mean over these conditions."""
    return {name: part.changes.compare_mean(law, rows, name) for name in part.roles.worse}


def _moving(compared: Mapping[str, Change]) -> dict[str, Change]:
    """Return the changes that matter, the largest first."""
    kept = {name: one for name, one in compared.items() if one.matters}
    return dict(sorted(kept.items(), key=lambda item: -abs(item[1].share)))


def _deny(compared: Mapping[str, Mapping[str, Change]]) -> str:
    """Say that no measure changes, as far as that is known."""
    measures = max(map(len, compared.values()))
    if not any(map(_count_unknown, compared.values())):
        said = f"hardly anything would change: none of {measures} measures"
        return f"{said} by 10 % or more {' or '.join(compared)}".strip()
    if all(_count_unknown(of) == measures for of in compared.values()):
        return f"it is not known whether any of {measures} measures would change by 10 % or more"
    where = [f"{where} {_say_unknown(of, '({})')}".strip() for where, of in compared.items()]
    said = f"none of {measures} measures is shown to change by 10 % or more"
    return f"{said} {' or '.join(where)}"


def _count_unknown(compared: Mapping[str, Change]) -> int:
    """Count the measures that neither change by 10 % nor are shown not to."""
    return sum(one.state in {"not known", "nothing"} for one in compared.values())


def _say_unknown(compared: Mapping[str, Change], form: str) -> str:
    count = _count_unknown(compared)
    return form.format(f"{count} of {len(compared)} not known") if count else ""


def _clause(roles: Roles, compared: Mapping[str, Change], where: str) -> str:
    found, unknown = _moving(compared), _say_unknown(compared, ", {}")
    worse = {name: one for name, one in found.items() if roles.is_worse(name, one.share)}
    better = {name: one for name, one in found.items() if name not in worse}
    sides = [
        f"{len(of)} of {len(roles.worse)} measures would be {word} ({_name(roles, of)})"
        for word, of in (("worse", worse), ("better", better))
        if of
    ]
    none = "nothing is shown to change" if unknown else "nothing would change"
    said = " and ".join(sides) if sides else f"{none} by 10 % or more"
    return f"{where} {said}{unknown}".strip()


def _name(roles: Roles, found: Mapping[str, Change]) -> str:
    names = {name: short(roles, name).replace(",", "") for name in found}
    said = [f"{names[name]} {one.write()}" for name, one in found.items()]
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    return ", ".join(said[:NAMED]) + more
