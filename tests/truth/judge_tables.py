"""The analysis of a planted table, as JSON and in sentences, beside the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from headgate.cli import analyse as command
from headgate.figures.analysis import Frame
from headgate.figures.analysis.effect_sentences import write_sentences
from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.analysis.part import PeriodAnalysis

from .rates import Promise, Rates
from .table_sentences import Change, Extreme, Statement, read
from .tables import CENTRE, Planted, plant

PROMISED: dict[str, Promise] = {
    "starred without an effect": (0.04, 0.06),
    "two stars without an effect": (0, 0.01),
    "interaction starred without one": (0.04, 0.06),
    "named and false": (0, 0.05),
    "starred at three standard errors": (0.8, 1),
    "sign is right": (0.999, 1),
    "direction in a sentence is right": (0.999, 1),
    "highest level is among those listed": (0.95, 1),
    "highest level is among those in a sentence": (0.95, 1),
    "lowest level is among those in a sentence": (0.95, 1),
    "highest level beside an interacting factor is among those in a sentence": (0.95, 1),
    "lowest level beside an interacting factor is among those in a sentence": (0.95, 1),
    "effect within its interval": (0.93, 0.97),
    "mean within its interval": (0.93, 0.97),
    "change in a sentence within its interval": (0.93, 0.97),
    "change at a level of an interacting factor within its interval": (0.93, 0.97),
}
#: The promises for tables whose runs vary unequally.
UNEQUAL: dict[str, Promise] = {
    "starred without an effect": (0.04, 0.06),
    "two stars without an effect": (0, 0.015),
    "interaction starred without one": (0.04, 0.06),
    "named and false": (0, 0.05),
    "highest level is among those listed": (0.95, 1),
    "effect within its interval": (0.93, 0.97),
    "mean within its interval": (0.93, 0.97),
    "change in a sentence within its interval": (0.92, 0.97),
    "change at a level of an interacting factor within its interval": (0.88, 0.97),
}
_SUFFIX = ", runs vary unequally"
PROMISED |= {name + _SUFFIX: promise for name, promise in UNEQUAL.items()}


@dataclass
class Said:
    """One table, its analysis as JSON and as text, and the fit behind both."""

    made: Planted
    found: MainEffects
    records: dict[str, dict[str, Any]]
    answer: str

    @cached_property
    def statements(self) -> list[Statement]:
        return read(self.answer)


def look(seed: int) -> Said:
    made = plant(seed)
    roles = made.roles
    found = PeriodAnalysis(Frame.of(made.columns()), roles).main_effects
    records = {one["factor"]: one for one in command._records(found, roles)}
    return Said(made, found, records, " ".join(write_sentences(found, {}, (), roles.before_level)))


def judge(said: Said, rates: Rates) -> None:
    """Add the counts of a table, with other names if its runs vary unequally."""
    found = Rates()
    _judge(said, found)
    if said.made.spreads:
        found.counts = {f"{name}{_SUFFIX}": found.counts.get(name, [0, 0]) for name in UNEQUAL}
    rates.merge(found.counts)


def _judge(said: Said, found: Rates) -> None:
    made = said.made
    for name, one in said.records.items():
        twins = name in made.copies or name in made.copies.values()
        if not twins and not one["confounded_with"]:
            true = dict(zip(made.labels[name], made.main(name).tolist(), strict=True))
            _judge_test(said, name, one, true, found)
            _judge_size(said, one, true, found)
    for pair in said.found.interactions("y"):
        planted = tuple(sorted(pair.factors)) in made.pairs
        if not planted:
            found.add("interaction starred without one", bool(pair.stars))
        if said.found.is_named(pair.factors, "y"):
            found.add("named and false", not planted)
    for statement in said.statements:
        _judge_statement(made, statement, found)


def _judge_test(
    said: Said, name: str, one: dict[str, Any], true: dict[str, float], found: Rates
) -> None:
    """Count stars, names and the highest level."""
    zero = not any(true.values())
    if zero and one["p"] is not None:
        found.add("starred without an effect", one["stars"])
        found.add("two stars without an effect", one["stars"] == "**")
    if one["named"]:
        found.add("named and false", zero)
    if name in said.made.at_three and _is_plain(said, one):
        found.add("starred at three standard errors", one["stars"])
    if one["stars"] and not zero:
        best = max(true, key=true.__getitem__)
        found.add("highest level is among those listed", best in one["highest"].split("; "))


def _judge_size(said: Said, one: dict[str, Any], true: dict[str, float], found: Rates) -> None:
    """Count intervals that hold the truth, and signs that have it."""
    for level in one["levels"]:
        if level["low"] is not None and not said.made.seeds:
            low, high = level["low"] - CENTRE, level["high"] - CENTRE
            found.add("mean within its interval", low <= true[level["level"]] <= high)
    if one["effect_low"] is None:
        return
    change = true[one["high"]] - true[one["low"]]
    found.add("effect within its interval", one["effect_low"] <= change <= one["effect_high"])
    if one["sign"] and change:
        found.add("sign is right", (one["sign"] == "+") == (change > 0))


def _is_plain(said: Said, one: dict[str, Any]) -> bool:
    """Say whether the planted size is as many standard errors as it was planted with."""
    whole = said.made.shape in {"balanced", "fraction", "one run each"} and not one["left_out"]
    return whole and one["model"] == "interactions" and one["error_df"] >= 10


def _judge_statement(made: Planted, said: Statement, found: Rates) -> None:
    """Hold what a sentence says of an effect to the planted one."""
    factor = said.factors[0] if said.factors else ""
    if said.kind not in {"effect", "dependence"} or _is_doubled(made, said):
        return
    other = said.factors[1] if said.kind == "dependence" else ""
    if other and tuple(sorted(said.factors)) not in made.pairs:
        return  # counted as named and false
    for change in said.changes:
        true = made.at(factor, change.last, other, change.at)
        true -= made.at(factor, change.first, other, change.at)
        _judge_change(change, true, found)
    for extreme in said.extremes:
        _judge_extreme(made, factor, other, extreme, found)


def _is_doubled(made: Planted, said: Statement) -> bool:
    """Return whether a factor of the sentence was copied: its effect is that of both."""
    return any(name in made.copies or name in made.copies.values() for name in said.factors)


def _judge_change(said: Change, true: float, found: Rates) -> None:
    if said.interval is None:
        return
    low, high = said.interval
    place = " at a level of an interacting factor" if said.at else " in a sentence"
    found.add(f"change{place} within its interval", low <= true <= high)
    if not low <= 0 <= high and true:
        found.add("direction in a sentence is right", (low > 0) == (true > 0))


def _judge_extreme(made: Planted, factor: str, other: str, said: Extreme, found: Rates) -> None:
    true = {
        level: said.way * made.at(factor, level, other, said.at)
        for level in made.labels[factor]
        if level not in said.unknown
    }
    if len(set(true.values())) == 1 or said.more:
        return
    best = max(true, key=true.__getitem__)
    word = "highest" if said.way > 0 else "lowest"
    place = " beside an interacting factor" if other else ""
    found.add(f"{word} level{place} is among those in a sentence", best in said.levels)
