"""Conditions in words: `slow network, short delays, many users` for `X1- X2- X12+`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from headgate.analysis.frame import Frame
from headgate.analysis.grid import join_labels
from headgate.analysis.names import short_title
from headgate.analysis.roles import Roles

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
#: Phrases this long at most stand along an axis; longer ones are numbered there.
FITS = 48


def level_words(title: str) -> tuple[str, str] | None:
    """Return words for the low and the high level of a factor, if its title tells them."""
    for pattern, low, high in PATTERNS:
        if found := re.fullmatch(pattern, title, re.IGNORECASE):
            of = found[1] if found.groups() else ""
            return low.format(of), high.format(of)
    return None


def short(roles: Roles, column: str) -> str:
    """Return what a column is called within a sentence."""
    return short_title(column, roles.title(column))


def level_phrase(roles: Roles, factor: str, level: str) -> str:
    """Return a level of a factor in words: the study's, else what its title gives."""
    given = roles.levels.get(factor, {})
    if level in given:
        return given[level]
    title = short(roles, factor)
    if level not in CODES:
        return f"{title} {level}"
    words = level_words(title) or (f"low {title}", f"high {title}")
    return words[CODES.index(level)]


def phrases(frame: Frame, roles: Roles) -> dict[str, str]:
    """Return each condition in words, by its label; its label where no factor is named.

    A factor that has one level only in all rows tells no condition from another, and is left out.
    """
    levels = levels_by_condition(frame, roles)
    told = {
        label: ", ".join(level_phrase(roles, factor, level) for factor, level in of.items())
        for label, of in levels.items()
    }
    unique = len(set(told.values())) == len(told)
    return {label: text if text and unique else label for label, text in told.items()}


def levels_by_condition(frame: Frame, roles: Roles) -> dict[str, dict[str, str]]:
    """Return the levels of the factors that vary, by condition."""
    names = [*roles.conditions, *roles.factors]
    if not roles.conditions:
        return {}
    found: dict[str, dict[str, str]] = {}
    for key in frame.groups(names):
        label = join_labels(key[: len(roles.conditions)])
        found.setdefault(label, dict(zip(roles.factors, key[len(roles.conditions) :], strict=True)))
    vary = [f for f in roles.factors if len({of[f] for of in found.values()}) > 1]
    return {label: {factor: of[factor] for factor in vary} for label, of in found.items()}


def shared(levels: Mapping[str, Mapping[str, str]], roles: Roles, chosen: Sequence[str]) -> str:
    """Return in words the levels that all the chosen conditions have in common."""
    of = [levels[label] for label in chosen]
    common = [
        level_phrase(roles, factor, level)
        for factor, level in (of[0].items() if of else ())
        if all(one[factor] == level for one in of)
    ]
    return ", ".join(common)


def word_axis(conditions: Sequence[str], phrases: Mapping[str, str] | None) -> list[str]:
    """Return conditions in words where these fit along an axis, else as they are."""
    told = [(phrases or {}).get(condition, condition) for condition in conditions]
    return told if all(len(text) <= FITS for text in told) else list(conditions)
