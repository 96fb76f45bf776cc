"""Sentences on the effects of factors: the answer of a table without algorithms to replace.

A sentence names an effect that is significant at 5 % after Holm's correction for all tests of the
table, so at most one table in twenty names a false effect. "No effect shown" does not mean no
effect.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from headgate.base.units import format_figure, readable
from headgate.figures.analysis.main_effects import Labels, MainEffects
from headgate.figures.analysis.model import ResponseModel
from headgate.figures.analysis.phrases import short_title
from headgate.stats.effects import Estimate, FactorEffect
from headgate.stats.factorial import Factorial
from headgate.stats.outlying import find_outlying_run

#: The most responses with separate sentences; tables with more get one sentence per factor.
EACH = 4
#: Levels, responses and factors that a sentence names before it says how many more there are.
NAMED = 6
_UNIT = re.compile(r"\(([^()]+)\)$")


@dataclass(frozen=True)
class _Speaker:
    """Writes the sentences of one model; `titles` are the titles of columns."""

    found: MainEffects
    titles: Mapping[str, str]
    response: str
    group: Labels
    before: tuple[str, str] | None = None

    @property
    def model(self) -> ResponseModel:
        return self.found.models[self.group, self.response]

    @property
    def name(self) -> str:
        return self.short(self.response)

    def short(self, column: str) -> str:
        return short_title(column, self.titles.get(column, column))

    def is_named(self, *factors: str) -> bool:
        return self.found.is_named(factors, self.response, self.group)

    def write(self, *figures: float, sign: bool = False) -> list[str]:
        """Write figures of the response in the unit that people read it in."""
        unit = _UNIT.search(self.titles.get(self.response, self.response))
        largest = float(np.nanmax(np.abs(self.model.values), initial=0.0))
        factor, name = readable(unit[1], largest) if unit else (1.0, "")
        shown = "" if name == "1" else name
        written = [format_figure(one * factor, "+" if sign else "") for one in figures]
        return [f"{one} {shown}".strip().replace("-", "\N{MINUS SIGN}") for one in written]

    def interval(self, of: Estimate, *, sign: bool = False) -> str:
        """Write an estimate with its interval, if that is known."""
        value, low, high = self.write(of.value, of.low, of.high, sign=sign)
        return f"{value} ({low.split()[0]} to {high.split()[0]})" if np.isfinite(of.low) else value

    def begin(self, sentence: str) -> str:
        """Begin a sentence with a capital, unless it begins with the name of a column."""
        if self.name == self.response and sentence.startswith(self.name):
            return sentence
        return sentence[:1].upper() + sentence[1:]


def write_sentences(
    found: MainEffects,
    titles: Mapping[str, str] | None = None,
    group: Labels = (),
    before: tuple[str, str] | None = None,
) -> Iterator[str]:
    """Yield the sentences of one group: by response, or by factor if there are many responses.

    `before` is a factor and the level with which its other levels are compared.
    """
    speakers = [_Speaker(found, titles or {}, name, group, before) for name in found.responses]
    if len(speakers) <= EACH:
        yield from (_join_sentences(one) for one in speakers)
    else:
        yield from _say_factors(speakers)


def write_by_response(
    found: MainEffects, group: Labels = (), before: tuple[str, str] | None = None
) -> dict[str, str]:
    """Return the sentences of each response."""
    return {
        name: _join_sentences(_Speaker(found, {}, name, group, before)) for name in found.responses
    }


def _join_sentences(one: _Speaker) -> str:
    return " ".join(map(one.begin, _say_response(one)))


# --- one response ---------------------------------------------------------------------------------


def _say_response(one: _Speaker) -> Iterator[str]:
    effects = {name: one.found.tested(name, one.response, one.group) for name in one.found.factors}
    ranked = sorted(effects.values(), key=lambda effect: effect.judged_p)
    named = [effect for effect in ranked if one.is_named(effect.factor)]
    yield from (f"{_say_effect(one, effect)}." for effect in named)
    yield from (f"{_say_joint(one, effect)}." for effect in one.model.joint.values()
                if one.is_named(effect.factor))  # fmt: skip
    pairs = [pair.factors for pair in one.found.interactions(one.response, one.group)]
    dependent = [pair for pair in pairs if one.is_named(*pair)]
    yield from (f"{_say_dependence(one, *pair)}." for pair in dependent)
    said = {effect.factor for effect in named} | {name for pair in dependent for name in pair}
    left = [e for name, e in effects.items() if name not in said or e.confounded]
    yield from _deny(one, left)
    yield from _qualify(one)


def _say_effect(one: _Speaker, effect: FactorEffect) -> str:
    factor = one.short(effect.factor)
    first, last = effect.levels[0].level, effect.levels[-1].level
    over = _average_over(one, effect)
    if effect.ordered and effect.sign:
        verb = "rises" if effect.sign == "+" else "falls"
        size = one.interval(_absolute(effect.effect))
        line = " along a straight line" if effect.is_line else ""
        return f"{one.name} {verb} with {factor}, by {size} from {first} to {last}{line}{over}"
    if len(effect.levels) == 2:
        size, word = one.interval(_absolute(effect.effect)), "higher"
        high, low = (last, first) if effect.effect.value > 0 else (first, last)
        return f"{one.name} is {size} {word} with {factor} {high} than with {factor} {low}{over}"
    beside = _say_beside(one, effect)
    return f"{one.name} depends on {factor}: {_say_extremes(one, effect)}{over}{beside}"


def _say_beside(one: _Speaker, effect: FactorEffect) -> str:
    """Compare each level with the level that the others replace."""
    names = one.model.chosen.names[effect.factor]
    if one.before is None or one.before[0] != effect.factor or one.before[1] not in names:
        return ""
    first = names.index(one.before[1])
    changes = {
        name: one.model.change(effect, first, place)
        for place, name in enumerate(names)
        if place != first
    }
    said = [f"{name} {one.interval(change, sign=True)}" for name, change in changes.items()]
    each = " (95 % each)" if len(said) > 1 and effect.has_interval else ""
    return f"; compared with {one.before[1]}{each}: {', '.join([*said[:NAMED], *_more(said)])}"


def _average_over(one: _Speaker, effect: FactorEffect) -> str:
    others = [one.short(name) for name in effect.interacts]
    return f", on average over the levels of {_join(others)}" if others else ""


def _absolute(found: Estimate) -> Estimate:
    if found.value >= 0:
        return found
    return Estimate(-found.value, -found.high, -found.low, found.error)


def _say_extremes(one: _Speaker, effect: FactorEffect) -> str:
    means = {of.level: of.mean for of in effect.levels}
    high, low = effect.extremes(1), effect.extremes(-1)
    if set(high) & set(low):
        return (
            f"its mean runs from {' to '.join(one.write(min(means.values()), max(means.values())))}"
        )
    said = [f"{word} with {_say_levels(one, levels, means)}"
            for word, levels in (("highest", high), ("lowest", low))]  # fmt: skip
    return " and ".join(said)


def _say_levels(one: _Speaker, levels: Sequence[str], means: Mapping[str, float]) -> str:
    shown = [f"{level} ({one.write(means[level])[0]})" for level in levels[:NAMED]]
    return _join([*shown, *_more(levels)], "or")


def _more(names: Sequence[str]) -> list[str]:
    return [f"{len(names) - NAMED} more"] if len(names) > NAMED else []


def _say_joint(one: _Speaker, effect: FactorEffect) -> str:
    return (
        f"{one.name} depends on {effect.factor}, which always change together in this table, so"
        " their effects cannot be separated"
    )


def _say_dependence(one: _Speaker, first: str, second: str) -> str:
    """Write the effect of a factor at each level of another factor."""
    begin = f"The effect of {one.short(first)} on {one.name} depends on {one.short(second)}"
    clauses = [text for place in range(len(one.model.chosen.names[second]))
               if (text := _say_within(one, first, second, place))]  # fmt: skip
    shown = [*clauses[:NAMED], *([f"and so on for {len(clauses) - NAMED} more levels"]
                                 if len(clauses) > NAMED else [])]  # fmt: skip
    return f"{begin}{': ' if shown else ''}{'; '.join(shown)}"


def _say_within(one: _Speaker, first: str, second: str, place: int) -> str:
    means = one.model.means(first, fixed={second: place})
    if not means.sure:
        return ""
    names = one.model.chosen.names
    at = f"with {one.short(second)} {names[second][place]}"
    if len(names[first]) == 2:
        change = one.interval(means.change(0, 1), sign=True)
        return f"{at}, {change} from {names[first][0]} to {names[first][1]}"
    high = [names[first][level] for level in means.extreme(1)]
    shown = _join([*high[:NAMED], *_more(high)], "or")
    return f"{at}, highest with {shown}" if len(high) < len(names[first]) else ""


def _deny(one: _Speaker, effects: Sequence[FactorEffect]) -> Iterator[str]:
    """Name the factors without a shown effect, and those that no test can separate."""
    twins = {name for names in one.model.joint for name in names}
    fixed = [e.factor for e in effects if e.factor in one.model.chosen.fixed]
    hidden = {e.factor: e.confounded for e in effects if e.confounded and e.factor not in twins}
    others = [e.factor for e in effects
              if e.factor not in {*twins, *fixed, *hidden}]  # fmt: skip
    if others and one.model.has_error:
        yield f"No effect on {one.name} is shown of {_join([one.short(n) for n in others], 'or')}."
    for names, effect in one.model.joint.items():
        if not one.is_named(effect.factor) and one.model.has_error:
            yield (
                f"No effect on {one.name} is shown of {_join([one.short(n) for n in names], 'or')},"
                " which always change together in this table."
            )
    for name, other in hidden.items():
        yield (
            f"The effect of {one.short(name)} on {one.name} cannot be separated from that of"
            f" {other} in this table."
        )
    for name in fixed:
        yield (
            f"The effect of {one.short(name)} is unknown: it has one level in the rows with"
            f" {one.name}."
        )


def _qualify(one: _Speaker) -> Iterator[str]:
    """State the limits of the model."""
    model = one.model
    if one.found.method == "one-way" or model.fitted is None:
        return
    if not model.has_error:
        yield (
            f"The {model.runs} runs are too few to estimate an error of {one.name}: no effect"
            " can be shown, and there are no intervals."
        )
    elif model.fitted.deviation == 0 and np.ptp(model.values) > 0:
        beside = " but for what a replicate has in common" * (
            model.fitted.design.blocks is not None
        )
        yield (
            f"Runs with the same levels have the same {one.name}{beside}: nothing in it is random,"
            " so intervals have no width."
        )
    elif model.chosen.assumes_additive:
        yield (
            f"The {model.runs} runs are too few to separate interactions from the error of"
            f" {one.name}: the tests assume that no factors interact, and give no intervals."
        )
    else:
        yield from _say_outlying(one, model.fitted)


def _say_outlying(one: _Speaker, fit: Factorial) -> Iterator[str]:
    """Name the run that lies far from a model with means at all levels and interactions."""
    found = None if fit.design.lines else find_outlying_run(fit)
    if found is None:
        return
    names, places = one.model.chosen.names, fit.design.places
    at = [f"{one.short(name)} {names[name][of[found.place]]}" for name, of in places.items()]
    value, predicted = one.write(found.value, found.predicted)
    yield (
        f"One run is an outlier: {one.name} is {value} with {', '.join(at)}, and the model of the"
        f" other runs gives {predicted} ({found.distance:.3g} standard errors away); tests and"
        " intervals include this run."
    )


# --- many responses -------------------------------------------------------------------------------


def _say_factors(speakers: Sequence[_Speaker]) -> Iterator[str]:
    """Yield one sentence per factor, ordered by the number of affected responses."""
    found, of = speakers[0].found, len(speakers)
    acting = {name: [one for one in speakers if one.is_named(name)] for name in found.factors}
    for name, on in sorted(acting.items(), key=lambda item: -len(item[1])):
        if on:
            ways = "; ".join(_say_ways(name, on))
            yield f"{on[0].short(name)} acts on {len(on)} of {of} responses: {ways}."
    idle = [speakers[0].short(name) for name, on in acting.items() if not on]
    if idle:
        yield f"No effect on any of {of} responses is shown of {_join(idle, 'or')}."
    pairs = {
        f"{one.short(a)} x {one.short(b)}": None
        for one in speakers
        for a, b in (i.factors for i in found.interactions(one.response, one.group))
        if one.is_named(a, b)
    }
    if pairs:
        shown = _join([*list(pairs)[:NAMED], *_more(list(pairs))])
        yield f"Effects of these factors depend on each other on some responses: {shown}."
    lacking = [one for one in speakers if not one.model.has_error]
    doubtful = [
        one for one in speakers if one.model.chosen.assumes_additive and one.model.has_error
    ]
    if found.method != "one-way" and lacking:
        yield f"For {len(lacking)} of {of} responses the runs are too few to estimate an error."
    if found.method != "one-way" and doubtful:
        yield (
            f"For {len(doubtful)} of {of} responses the runs are too few to separate interactions"
            " from the error: the tests assume that no factors interact, and give no intervals."
        )


def _say_ways(name: str, on: Sequence[_Speaker]) -> Iterator[str]:
    signs: dict[str, list[str]] = {}
    for one in on:
        sign = one.found.tested(name, one.response, one.group).sign
        signs.setdefault(sign, []).append(one.name)
    words = {"+": "it raises", "\N{MINUS SIGN}": "it lowers", "": "it changes"}
    for sign, word in words.items():
        if of := signs.get(sign):
            yield f"{word} {_join([*of[:NAMED], *_more(of)])}"


def _join(names: Sequence[str], word: str = "and") -> str:
    *others, last = names
    return f"{', '.join(others)} {word} {last}" if others else last
