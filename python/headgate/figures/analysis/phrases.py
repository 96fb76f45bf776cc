"""Conditions in words: `slow network, short delays, many users` for `X1- X2- X12+`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.grid import join_labels
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.title_units import split_unit

if TYPE_CHECKING:
    from headgate.figures.plots.conditions import ConditionAxis


def short_title(column: str, title: str) -> str:
    """Return a column's title without its code, its unit, or a path before it."""
    plain = title.removeprefix(f"{column} ") if re.search(r"\d", column) else title
    plain = split_unit(plain)[0].removesuffix(" / interval")
    return (
        plain.rpartition(".")[2].replace("_", " ") if re.fullmatch(r"\w+(\.\w+)+", plain) else plain
    )


def distinguish_titles(columns: Sequence[str], titles: Mapping[str, str]) -> dict[str, str]:
    """Return titles with which `short_title` gives each column another name.

    Of `client.buffer` and `server.buffer`, both short names would be `buffer`.
    """
    shown = {column: titles.get(column, column) for column in columns}
    short_names = [short_title(column, title) for column, title in shown.items()]
    alike = {
        column
        for column, name in zip(shown, short_names, strict=True)
        if short_names.count(name) > 1
    }
    plain = {column: _spell_out(column, titles) for column in alike}
    return {**titles, **plain}


def _spell_out(column: str, titles: Mapping[str, str]) -> str:
    """Return a title that is not shortened: path and code are words."""
    title = titles.get(column, column)
    name, unit = split_unit(title.removeprefix(f"{column} "))
    words = name.replace(".", " ").replace("_", " ")
    code = f" ({column})" if name != column and column not in name else ""
    return f"{words}{code} ({unit})" if unit else f"{words}{code}"


#: Words of the low and the high level, by what a factor's title says; `{}` is what it is of.
PATTERNS: tuple[tuple[str, str, str], ...] = (
    (r"(.*) (?:speed|rate|bandwidth)", "slow {}", "fast {}"),
    (r"(?:propagation )?delay", "short delays", "long delays"),
    (r"buffer(?:s| provisioning| size)?", "small buffers", "large buffers"),
    (r"number of (.*)", "few {}", "many {}"),
    (r"(.* (?:time|delay|interval))", "short {}", "long {}"),
    (r"(.* size)", "small {}", "large {}"),
)
#: How a two-level design codes its levels.
CODES = ("-1", "1")
#: The longest phrase along an axis; longer phrases give way to rows of marks.
FITS = 48
#: Marks of a level that a condition has, and of one that it has not.
FILLED, HOLLOW = "\N{BLACK CIRCLE}", "\N{WHITE CIRCLE}"
#: Rows of marks that have room along an axis.
MOST_ROWS = 24


def level_words(title: str) -> tuple[str, str] | None:
    """Return words for the low and the high level of a factor, if its title implies them."""
    for pattern, low, high in PATTERNS:
        if found := re.fullmatch(pattern, title, re.IGNORECASE):
            of = found[1] if found.groups() else ""
            return low.format(of), high.format(of)
    return None


def short(roles: Roles, column: str) -> str:
    """Return the name of a column within a sentence."""
    return short_title(column, roles.title(column))


def level_phrase(roles: Roles, factor: str, level: str, among: Collection[str]) -> str:
    """Return a level of a factor in words: the study's, else those that its title implies.

    `among` are all levels of the factor: 1 is the high level if the other is -1, not beside 4.
    """
    given = roles.levels.get(factor, {})
    if level in given:
        return given[level]
    title = short(roles, factor)
    if not {level, *among} <= {*CODES}:
        return f"{title} {level}"
    words = level_words(title) or (f"low {title}", f"high {title}")
    return words[CODES.index(level)]


def phrases(frame: Frame, roles: Roles) -> dict[str, str]:
    """Return each condition in words, by its label; its label if no factor is named.

    A factor with a single level in all rows is left out.
    """
    levels = levels_by_condition(frame, roles)
    every = _every_level(levels)
    texts = {
        label: ", ".join(level_phrase(roles, f, level, every[f]) for f, level in of.items())
        for label, of in levels.items()
    }
    unique = len(set(texts.values())) == len(texts)
    return {label: text if text and unique else label for label, text in texts.items()}


def levels_by_condition(frame: Frame, roles: Roles) -> dict[str, dict[str, str]]:
    """Return the levels of the factors that vary, by condition.

    Rows that lack one of these labels are ignored.
    """
    factors = roles.factors_beside_cca
    names = [*roles.conditions, *factors]
    if not roles.conditions:
        return {}
    found: dict[str, dict[str, str]] = {}
    for key in dict.fromkeys(zip(*map(frame.labels, names), strict=True)):
        if "" in key:
            continue
        label = join_labels(key[: len(roles.conditions)])
        found.setdefault(label, dict(zip(factors, key[len(roles.conditions) :], strict=True)))
    vary = [f for f in factors if len({of[f] for of in found.values()}) > 1]
    return {label: {factor: of[factor] for factor in vary} for label, of in found.items()}


def _every_level(levels: Mapping[str, Mapping[str, str]]) -> dict[str, set[str]]:
    factors = next(iter(levels.values()), {})
    return {factor: {of[factor] for of in levels.values()} for factor in factors}


def shared(levels: Mapping[str, Mapping[str, str]], roles: Roles, chosen: Sequence[str]) -> str:
    """Return in words the levels that all the chosen conditions have in common."""
    of, every = [levels[label] for label in chosen], _every_level(levels)
    common = [
        level_phrase(roles, factor, level, every[factor])
        for factor, level in (of[0].items() if of else ())
        if all(one[factor] == level for one in of)
    ]
    return ", ".join(common)


@dataclass(frozen=True)
class ConditionNames:
    """The names of conditions along an axis: words, else marks for their levels."""

    phrases: Mapping[str, str]
    marks: Mapping[str, Mapping[str, bool]] = field(default_factory=dict)
    """By the text of a row of marks: whether each condition has its level."""

    @classmethod
    def of(cls, frame: Frame, roles: Roles) -> ConditionNames:
        """Name the conditions of a table."""
        return cls(phrases(frame, roles), dict(_mark_levels(frame, roles)))

    def make_axis(self, conditions: Sequence[str]) -> ConditionAxis:
        """Return conditions in words if they fit along an axis, else by marks, else by name."""
        from headgate.figures.plots.conditions import ConditionAxis

        texts = [self.phrases.get(condition, condition) for condition in conditions]
        if all(len(text) <= FITS for text in texts):
            return ConditionAxis(texts)
        if not self.marks or len(self.marks) > MOST_ROWS:
            return ConditionAxis(list(conditions))
        columns = [
            [FILLED if of[one] else HOLLOW for of in self.marks.values()] for one in conditions
        ]
        return ConditionAxis(["\n".join(column) for column in columns], list(self.marks))


#: Conditions by the names that they have in their table.
AS_IN_TABLE = ConditionNames({})


def _mark_levels(frame: Frame, roles: Roles) -> Iterator[tuple[str, dict[str, bool]]]:
    """Yield the text of each row of marks and its conditions; two levels share a row."""
    conditions = levels_by_condition(frame, roles)
    for factor in next(iter(conditions.values()), {}):
        levels = frame.levels(factor).names
        texts = [level_phrase(roles, factor, level, levels) for level in levels]
        rows = [f"{FILLED} {text}" for text in texts]
        if len(levels) == 2:
            rows, levels = [f"{rows[1]}   {HOLLOW} {texts[0]}"], levels[1:]
        for row, level in zip(rows, levels, strict=True):
            yield row, {label: of[factor] == level for label, of in conditions.items()}
