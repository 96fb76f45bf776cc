"""Sentences on the effects of factors on many responses: one for each factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headgate.figures.analysis.effect_limits import say_limits_of_many
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
        yield from say_limits_of_many(speakers)


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
        said = join_names(list(map(one.short, names)), "or")
        yield from _say_untested(one, names, effects)
        tested = [(of, effect) for of, effect in effects if np.isfinite(effect.p)]
        if tested:
            line = LINE if any(effect.is_line for _, effect in tested) else ""
            together = ", which always change together in this table" if len(names) > 1 else ""
            denied.setdefault(line + _say_bent(tested) + together, []).append(said)
    for end, names_said in denied.items():
        said = join_names(names_said, "or")
        yield f"No effect on any of {of} responses is shown of {said}{end}."


def _say_bent(tested: Effects) -> str:
    """Name the responses whose means at the levels differ although no line is shown."""
    bent = [one.name for one, e in tested if e.is_line and one.is_named(e.factor, e.factor)]
    if not bent:
        return ""
    return (
        f", but the means of {join_names([*bent[:NAMED], *count_more(bent)])} at its levels differ"
    )


def _say_untested(one: Speaker, names: Factors, effects: Effects) -> Iterator[str]:
    """Name the responses on which a factor is confounded, or does not vary."""
    said = join_names(list(map(one.short, names)), "or")
    hidden = [(of, effect) for of, effect in effects if effect.confounded]
    if hidden:
        others = join_names(list({effect.confounded: None for _, effect in hidden}))
        on = _say_share([of for of, _ in hidden], len(effects))
        yield f"The effects of {said}{on} cannot be separated from those of {others} in this table."
    fixed = [of for of, e in effects if not e.confounded and e.factor in of.model.chosen.fixed]
    if fixed:
        on = _say_share(fixed, len(effects))
        yield f"The effect of {said}{on} is unknown: it does not vary in these rows."


def _say_share(speakers: Sequence[Speaker], of: int) -> str:
    """Name the responses, unless they are all."""
    names = [one.name for one in speakers]
    return "" if len(names) == of else f" on {join_names([*names[:NAMED], *count_more(names)])}"


def _say_pairs(speakers: Sequence[Speaker]) -> Iterator[str]:
    pairs = {
        f"{one.joint_name(a)} x {one.joint_name(b)}": None
        for one in speakers
        for a, b in (i.factors for i in one.found.interactions(one.response, one.group))
        if one.is_named(a, b)
    }
    if pairs:
        shown = join_names([*list(pairs)[:NAMED], *count_more(list(pairs))])
        yield f"Effects of these factors depend on each other on some responses: {shown}."
    aliased = {
        of.terms: None
        for one in speakers
        for of in one.found.aliased(one.response, one.group)
        if one.is_named(*of.names)
    }
    for terms in aliased:
        said = [" x ".join(map(speakers[0].joint_name, term)) for term in terms]
        shown = join_names([*said[:NAMED], *count_more(said)], "or")
        yield f"Some responses depend on the interaction {shown}, which this table cannot separate."
