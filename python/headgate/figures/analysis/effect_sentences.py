"""Sentences on the effects of factors: the answer of a table without algorithms to replace.

A sentence names an effect that is significant at 5 % after Holm's correction for all tests of the
table, those of all groups included, so at most one table in twenty names a false effect. "No effect
shown" does not mean no effect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from headgate.base.messages import count_others
from headgate.figures.analysis.coded import Labels
from headgate.figures.analysis.effect_limits import say_limits
from headgate.figures.analysis.effect_summaries import write_summaries
from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.analysis.phrases import distinguish_titles
from headgate.figures.analysis.speaker import LINE, NAMED, Speaker, count_more, join_names, write_p
from headgate.stats.effects import AliasedInteractions, Estimate, FactorEffect

#: The most responses with separate sentences; tables with more get one sentence per factor.
EACH = 4


def write_sentences(
    found: MainEffects,
    titles: Mapping[str, str] | None = None,
    group: Labels = (),
    before: tuple[str, str] | None = None,
) -> Iterator[str]:
    """Yield the sentences of one group: by response, or by factor if there are many responses.

    `before` is a factor and the level with which its other levels are compared.
    """
    called = distinguish_titles([*found.factors, *found.responses], titles or {})
    speakers = [Speaker(found, called, name, group, before) for name in found.responses]
    if len(speakers) <= EACH:
        yield from (_join_sentences(one) for one in speakers)
    else:
        yield from write_summaries(speakers)


def write_by_response(
    found: MainEffects, group: Labels = (), before: tuple[str, str] | None = None
) -> dict[str, str]:
    """Return the sentences of each response."""
    called = distinguish_titles([*found.factors, *found.responses], {})
    return {
        name: _join_sentences(Speaker(found, called, name, group, before))
        for name in found.responses
    }


def _join_sentences(one: Speaker) -> str:
    return " ".join(map(one.begin, _say_response(one)))


# --- one response ---------------------------------------------------------------------------------


def _say_response(one: Speaker) -> Iterator[str]:
    values = one.model.values
    if len(values) and np.ptp(values) == 0:
        runs = f"all {len(values)} runs" if len(values) > 1 else "the only run"
        yield f"{one.name} is {one.write(float(values[0]))[0]} in {runs}."
        return
    effects = {name: one.found.tested(name, one.response, one.group) for name in one.found.factors}
    ranked = sorted(effects.values(), key=lambda effect: effect.judged_p)
    named = [effect for effect in ranked if one.is_named(effect.factor)]
    yield from (f"{_say_effect(one, effect)}." for effect in named)
    yield from (f"{_say_joint(one, effect)}." for effect in one.joint.values()
                if one.is_named(effect.factor))  # fmt: skip
    pairs = [pair.factors for pair in one.found.interactions(one.response, one.group)]
    dependent = [pair for pair in pairs if one.is_named(*pair)]
    yield from (f"{_say_dependence(one, *pair)}." for pair in dependent)
    hidden = [of for of in one.found.aliased(one.response, one.group) if one.is_named(*of.names)]
    yield from (f"{say_aliased(one, of)}." for of in hidden)
    said = {effect.factor for effect in named} | {name for pair in dependent for name in pair}
    said |= {name for of in hidden for name in of.factors}
    left = [e for name, e in effects.items() if name not in said or e.confounded]
    yield from _deny(one, left)
    yield from say_limits(one)


def _say_effect(one: Speaker, effect: FactorEffect) -> str:
    factor = one.short(effect.factor)
    first, last = effect.levels[0].level, effect.levels[-1].level
    over = _average_over(one, effect)
    if effect.ordered and effect.sign:
        verb = "rises" if effect.sign == "+" else "falls"
        size = one.interval(_absolute(effect.effect))
        line = LINE if effect.is_line else ""
        return f"{one.name} {verb} with {factor}, by {size} from {first} to {last}{line}{over}"
    if len(effect.levels) == 2:
        size, word = one.interval(_absolute(effect.effect)), "higher"
        high, low = (last, first) if effect.effect.value > 0 else (first, last)
        return f"{one.name} is {size} {word} with {factor} {high} than with {factor} {low}{over}"
    beside = _say_beside(one, effect)
    return f"{one.name} depends on {factor}: {_say_extremes(one, effect)}{over}{beside}"


def _say_beside(one: Speaker, effect: FactorEffect) -> str:
    """Compare each level with the level that the others replace."""
    model = one.model_of(effect.factor)
    names = model.chosen.names[effect.factor]
    if one.before is None or one.before[0] != effect.factor or one.before[1] not in names:
        return ""
    first = names.index(one.before[1])
    changes = {
        name: model.change(effect, first, place)
        for place, name in enumerate(names)
        if place != first
    }
    said = [f"{name} {one.interval(change, sign=True)}" for name, change in changes.items()]
    each = " (95 % each)" if len(said) > 1 and effect.has_interval else ""
    return f"; compared with {one.before[1]}{each}: {', '.join([*said[:NAMED], *count_more(said)])}"


def _average_over(one: Speaker, effect: FactorEffect) -> str:
    others = [one.joint_name(name) for name in effect.interacts]
    return f", on average over the levels of {join_names(others)}" if others else ""


def _absolute(found: Estimate) -> Estimate:
    if found.value >= 0:
        return found
    return replace(found, value=-found.value, low=-found.high, high=-found.low)


def _say_extremes(one: Speaker, effect: FactorEffect) -> str:
    means = {of.level: of.mean for of in effect.levels if np.isfinite(of.mean)}
    if not means:
        return "the means at its levels are unknown in this table"
    unknown = _say_unknown([of.level for of in effect.levels if of.level not in means])
    high, low = effect.extremes(1), effect.extremes(-1)
    if set(high) & set(low):
        ends = one.write(min(means.values()), max(means.values()))
        return f"its mean runs from {' to '.join(ends)}{unknown}"
    said = [f"{word} with {_say_levels(one, levels, means)}"
            for word, levels in (("highest", high), ("lowest", low))]  # fmt: skip
    return f"{' and '.join(said)}{unknown}"


def _say_levels(one: Speaker, levels: Sequence[str], means: Mapping[str, float]) -> str:
    shown = [f"{level} ({one.write(means[level])[0]})" for level in levels[:NAMED]]
    return join_names([*shown, *count_more(levels)], "or")


def _say_joint(one: Speaker, effect: FactorEffect) -> str:
    return (
        f"{one.name} depends on {effect.factor}, which always change together in this table, so"
        " their effects cannot be separated"
    )


def say_aliased(one: Speaker, found: AliasedInteractions) -> str:
    """State that some of these interactions are there, and that the table does not show which."""
    terms = [" x ".join(map(one.joint_name, term)) for term in found.terms]
    shown = join_names([*terms[:NAMED], *count_more(terms)], "or")
    return f"{one.name} depends on the interaction {shown}, which this table cannot separate"


def _say_dependence(one: Speaker, first: str, second: str) -> str:
    """Write the effect of a factor at each level of another factor."""
    begin = (
        f"The effect of {one.joint_name(first)} on {one.name} depends on {one.joint_name(second)}"
    )
    clauses = [text for place in range(len(one.model.chosen.names[second]))
               if (text := _say_within(one, first, second, place))]  # fmt: skip
    shown = [*clauses[:NAMED], *([f"and so on for {count_others(len(clauses) - NAMED, 'level')}"]
                                 if len(clauses) > NAMED else [])]  # fmt: skip
    return f"{begin}{': ' if shown else ''}{'; '.join(shown)}"


def _say_within(one: Speaker, first: str, second: str, place: int) -> str:
    """Write the effect at one level of another factor, by the means known there."""
    means = one.model.means_within(first, second, place)
    known = means.known_places
    if not means.sure or len(known) < 2:
        return ""
    names = one.model.chosen.names
    at = f"with {one.short(second)} {names[second][place]}"
    if len(known) == 2:
        change = one.interval(means.change(*known), sign=True)
        return f"{at}, {change} from {names[first][known[0]]} to {names[first][known[1]]}"
    at += _say_unknown([name for level, name in enumerate(names[first]) if level not in known])
    values = {names[first][level]: means.estimates[level].value for level in known}
    high, low = ([names[first][level] for level in means.extreme(way)] for way in (1, -1))
    shown = f"highest with {_say_levels(one, high, values)}"
    if not set(high) & set(low):
        return f"{at}, {shown} and lowest with {_say_levels(one, low, values)}"
    return f"{at}, {shown}" if len(high) < len(known) else ""


def _say_unknown(levels: Sequence[str]) -> str:
    """Name the levels whose mean the runs do not give: the highest may be one of them."""
    if not levels:
        return ""
    shown = join_names([*levels[:NAMED], *count_more(levels)])
    return f" (the mean with {shown} is unknown)"


def _deny(one: Speaker, effects: Sequence[FactorEffect]) -> Iterator[str]:
    """Name the factors without a shown effect, and those that no test can separate."""
    twins = {name for names in one.joint for name in names}
    effects = [effect for effect in effects if effect.factor not in twins]
    tested = [e for e in effects if np.isfinite(e.p)]
    if means := [e.factor for e in tested if not e.is_line]:
        yield f"{_deny_effect(one, means)}."
    yield from _deny_lines(one, [e.factor for e in tested if e.is_line])
    for names, effect in one.joint.items():
        if np.isfinite(effect.p) and not one.is_named(effect.factor):
            yield f"{_deny_effect(one, names)}, which always change together in this table."
    hidden: dict[Labels, str] = {(e.factor,): e.confounded for e in effects if e.confounded}
    hidden |= {names: e.confounded for names, e in one.joint.items() if e.confounded}
    for names, other in hidden.items():
        together = ", which always change together," if len(names) > 1 else ""
        yield (
            f"The effect of {join_names(list(map(one.short, names)), 'or')}{together} on {one.name}"
            f" cannot be separated from that of {other} in this table."
        )
    yield from _say_untested(one, [e.factor for e in effects if np.isnan(e.p) and not e.confounded])


def _deny_effect(one: Speaker, names: Sequence[str]) -> str:
    return f"No effect on {one.name} is shown of {join_names(list(map(one.short, names)), 'or')}"


def _deny_lines(one: Speaker, names: Sequence[str]) -> Iterator[str]:
    """Deny straight lines; the means at the levels may differ although no line is shown."""
    bent = [name for name in names if one.is_named(name, name)]
    if straight := [name for name in names if name not in bent]:
        yield f"{_deny_effect(one, straight)}{LINE}."
    for name in bent:
        p = one.found.p[one.group, (name, name), one.response]
        beside = ", which the tests of other factors count as error" * (len(one.found.factors) > 1)
        yield (
            f"{_deny_effect(one, [name])}{LINE}, but the means at its levels differ ({write_p(p)})"
            f"{beside}."
        )


def _say_untested(one: Speaker, names: Sequence[str]) -> Iterator[str]:
    for name in names:
        if name in one.model_of(name).chosen.fixed:
            yield (
                f"The effect of {one.short(name)} is unknown: it has one level in the rows with"
                f" {one.name}."
            )
        elif one.found.method == "one-way":
            yield (
                f"The effect of {one.short(name)} on {one.name} cannot be tested: each run is at"
                " another level."
            )
