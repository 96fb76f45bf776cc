"""Sentences on the effects of factors on many responses: one for each factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headgate.figures.analysis.speaker import LINE, NAMED, Speaker, count_more, join_names
from headgate.stats.effects import FactorEffect

#: A factor, or those that always change together.
Factors = tuple[str, ...]
#: The responses with their effects of one factor.
Effects = Sequence[tuple[Speaker, FactorEffect]]


def write_summaries(speakers: Sequence[Speaker]) -> Iterator[str]:
    """Yield one sentence per factor, ordered by the number of affected responses."""
    of, effects = len(speakers), _collect_effects(speakers)
    acting = {names: _keep_named(found) for names, found in effects.items()}
    for names, on in sorted(acting.items(), key=lambda item: -len(item[1])):
        if on:
            ways = "; ".join(_say_ways(on))
            yield f"{_say_names(speakers[0], names)} on {len(on)} of {of} responses: {ways}."
    idle = {names: effects[names] for names, on in acting.items() if not on}
    yield from _deny(speakers[0], idle, of)
    yield from _say_pairs(speakers)
    if speakers[0].found.method != "one-way":
        yield from _qualify(speakers)


def _collect_effects(speakers: Sequence[Speaker]) -> dict[Factors, Effects]:
    """Return the effects of each factor; those that always change together share one."""
    found: dict[Factors, list[tuple[Speaker, FactorEffect]]] = {}
    for one in speakers:
        twins = {name for names in one.joint for name in names}
        for name in one.found.factors:
            effect = one.found.tested(name, one.response, one.group)
            found.setdefault((name,), [])
            if name not in twins:
                found[name,].append((one, effect))
        for names, effect in one.joint.items():
            found.setdefault(names, []).append((one, effect))
    return {names: effects for names, effects in found.items() if effects}


def _keep_named(effects: Effects) -> Effects:
    return [(one, effect) for one, effect in effects if one.is_named(effect.factor)]


def _say_names(one: Speaker, names: Factors) -> str:
    said = join_names(list(map(one.short, names)), "or")
    return f"{said}, which always change together, acts" if len(names) > 1 else f"{said} acts"


def _say_ways(on: Effects) -> Iterator[str]:
    signs: dict[str, list[str]] = {}
    for one, effect in on:
        signs.setdefault(effect.sign, []).append(one.name)
    words = {"+": "it raises", "\N{MINUS SIGN}": "it lowers", "": "it changes"}
    for sign, word in words.items():
        if of := signs.get(sign):
            yield f"{word} {join_names([*of[:NAMED], *count_more(of)])}"


def _deny(one: Speaker, idle: dict[Factors, Effects], of: int) -> Iterator[str]:
    """Name the factors without a shown effect, and those that no test can separate."""
    denied: dict[str, list[str]] = {}
    for names, effects in idle.items():
        tested = [effect for _, effect in effects if np.isfinite(effect.p)]
        said = join_names(list(map(one.short, names)), "or")
        if others := {e.confounded: None for _, e in effects if e.confounded and not tested}:
            yield (
                f"The effects of {said} cannot be separated from those of"
                f" {join_names(list(others))} in this table."
            )
        if tested:
            line = LINE if any(effect.is_line for effect in tested) else ""
            together = ", which always change together in this table" if len(names) > 1 else ""
            denied.setdefault(line + together, []).append(said)
    for end, names_said in denied.items():
        said = join_names(names_said, "or")
        yield f"No effect on any of {of} responses is shown of {said}{end}."


def _say_pairs(speakers: Sequence[Speaker]) -> Iterator[str]:
    pairs = {
        f"{one.short(a)} x {one.short(b)}": None
        for one in speakers
        for a, b in (i.factors for i in one.found.interactions(one.response, one.group))
        if one.is_named(a, b)
    }
    if pairs:
        shown = join_names([*list(pairs)[:NAMED], *count_more(list(pairs))])
        yield f"Effects of these factors depend on each other on some responses: {shown}."


def _qualify(speakers: Sequence[Speaker]) -> Iterator[str]:
    """State the limits of the models."""
    of, with_error = len(speakers), [one for one in speakers if one.model.has_error]
    if lacking := of - len(with_error):
        yield f"For {lacking} of {of} responses the runs are too few to estimate an error."
    doubtful = [one.model.chosen for one in with_error if one.model.chosen.assumes_additive]
    large = sum(chosen.columns_omitted > 0 for chosen in doubtful)
    reasons = {
        "the runs are too few to separate interactions from the error": len(doubtful) - large,
        "a model with interactions is too large to compute": large,
    }
    for reason, count in reasons.items():
        if count:
            yield (
                f"For {count} of {of} responses {reason}: the tests assume that no factors"
                " interact, and give no intervals."
            )
