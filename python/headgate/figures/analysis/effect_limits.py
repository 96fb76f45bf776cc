"""Sentences on the limits of a model of a response, and of its table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from headgate.figures.analysis.speaker import NAMED, Speaker, count_more, join_names, write_p
from headgate.stats.effects import ROUNDING
from headgate.stats.factorial import Factorial
from headgate.stats.fit_checks import LEAST_P, compute_lack_of_fit_p
from headgate.stats.intervals import are_alike
from headgate.stats.outlying import find_outlying_run

#: A kind of limit, and the sentence for one response.
Limit = tuple[str, str]
#: The sentence on each kind of limit of several responses, after "For 3 of 5 responses".
OF_MANY = {
    "no error": "the runs are too few to estimate an error",
    "no interactions": "the runs are too few to separate interactions from the error: the tests"
    " assume that no factors interact, and give no intervals",
    "too large": "a model with interactions is too large to compute: the tests assume that no"
    " factors interact, and give no intervals",
    "alike": "the values differ by rounding only, so they count as equal",
    "not random": "runs with equal levels give equal values: nothing in them is random, so"
    " intervals are points",
    "exact": "the values differ from the model by rounding only",
    "outlier": "one run is an outlier, which tests and intervals include",
    "lack of fit": "combinations of levels differ from the model, as if three factors act together",
    "spread": "runs of some levels vary more than others, so that tests and intervals use the"
    " variation of each level's runs",
}


def say_limits(one: Speaker) -> Iterator[str]:
    """Yield a sentence for each limit of the model of one response."""
    yield from (sentence for _, sentence in find_limits(one))
    yield from say_incomplete(one)


def say_limits_of_many(speakers: Sequence[Speaker]) -> Iterator[str]:
    """Yield one sentence for each kind of limit, with the responses it concerns."""
    of: dict[str, list[str]] = {}
    for one in speakers:
        for kind, _ in find_limits(one):
            of.setdefault(kind, []).append(one.name)
    for kind, names in of.items():
        on = f"For {len(names)} of {len(speakers)} responses"
        which = ""
        if len(names) < len(speakers):
            which = f" ({join_names([*names[:NAMED], *count_more(names)])})"
        yield f"{on}{which} {OF_MANY[kind]}."
    yield from dict.fromkeys(text for one in speakers for text in say_incomplete(one))


def find_limits(one: Speaker) -> Iterator[Limit]:
    """Yield the limits of the model of a response."""
    model = one.model
    if one.found.method == "one-way" or model.fitted is None:
        return
    if not model.has_error:
        yield (
            "no error",
            f"The {model.runs} runs are too few to estimate an error of {one.name}: no effect can"
            " be shown, and there are no intervals.",
        )
        return
    if model.fitted.deviation == 0 and np.ptp(model.values) > 0:
        yield _describe_no_error(one, model.fitted)
        return
    if model.chosen.assumes_additive:
        yield _describe_additive(one)
    else:
        yield from _find_outlier(one, model.fitted)
    yield from _find_lack_of_fit(one, model.fitted)
    yield from _find_unequal_spread(one, model.fitted)


def _describe_additive(one: Speaker) -> Limit:
    runs, columns = one.model.runs, one.model.chosen.columns_omitted
    kind, reason = (
        (
            "too large",
            f"A model of {one.name} with interactions has {columns} columns for {runs} runs, which"
            " is too large to compute",
        )
        if columns
        else (
            "no interactions",
            f"The {runs} runs are too few to separate interactions from the error of {one.name}",
        )
    )
    return kind, f"{reason}: the tests assume that no factors interact, and give no intervals."


def _describe_no_error(one: Speaker, fit: Factorial) -> Limit:
    """State why there is no error: equal runs, or runs that differ by rounding."""
    rounding = f"less than {ROUNDING:g} of its size, as by rounding"
    if are_alike(fit.values):
        return (
            "alike",
            f"The values of {one.name} differ by {rounding}, so they count as equal.",
        )
    beside = " but for what a replicate has in common" * (fit.design.blocks is not None)
    if fit.has_equal_replicates:
        return (
            "not random",
            f"Runs with the same levels have the same {one.name}{beside}: nothing in it is random,"
            " so intervals have no width.",
        )
    return (
        "exact",
        f"{one.name} differs from the model{beside} by {rounding}, which counts as no error.",
    )


def _find_outlier(one: Speaker, fit: Factorial) -> Iterator[Limit]:
    """Name the run that lies far from a model with means at all levels and interactions."""
    found = None if fit.design.lines or fit.spread else find_outlying_run(fit)
    if found is None:
        return
    names, places = one.model.chosen.names, fit.design.places
    at = [f"{one.short(name)} {names[name][of[found.place]]}" for name, of in places.items()]
    value, predicted = one.write(found.value, found.predicted)
    yield (
        "outlier",
        f"One run is an outlier: {one.name} is {value} with {', '.join(at)}, and the model of the"
        f" other runs gives {predicted} ({found.distance:.3g} standard errors away); tests and"
        " intervals include this run.",
    )


def _find_lack_of_fit(one: Speaker, fit: Factorial) -> Iterator[Limit]:
    p = compute_lack_of_fit_p(fit)
    if p < LEAST_P:
        many = "three factors act together" if fit.design.interactions else "factors interact"
        yield (
            "lack of fit",
            f"Combinations of levels differ from the model of {one.name} ({write_p(p)}), as if"
            f" {many}: test each level of one factor separately, with --by.",
        )


def _find_unequal_spread(one: Speaker, fit: Factorial) -> Iterator[Limit]:
    found = fit.spread
    if found is None:
        return
    names = one.model.chosen.names[found.factor]
    factor = one.short(found.factor)
    wide, narrow = (f"{factor} {names[place]}" for place in (found.wide, found.narrow))
    ratio = f"vary {found.ratio:.2g} times as much as those with {narrow}"
    if not np.isfinite(found.ratio):
        ratio = f"vary, and those with {narrow} do not"
    yield (
        "spread",
        f"Runs with {wide} {ratio}: the tests and intervals of {one.name} use the variation of each"
        " level's runs.",
    )


def say_incomplete(one: Speaker) -> Iterator[str]:
    """Name the pairs of factors of which some combinations of levels were not run."""
    if one.found.method == "one-way" or not one.model.has_error:
        return
    untested = list(one.model.untested_pairs)
    partly = [pair for pair in one.model.incomplete_pairs if pair not in untested]
    if untested:
        yield (
            f"{_say_empty(one, untested)}, so no test shows whether their effects depend on each"
            " other; the means presume that they do not, and get no intervals."
        )
    if partly:
        yield (
            f"{_say_empty(one, partly)}, so whether their effects depend on each other is tested"
            " only in part."
        )


def _say_empty(one: Speaker, pairs: Sequence[tuple[str, str]]) -> str:
    design, names = one.model.chosen.design, one.model.chosen.names
    assert design is not None
    if len(pairs) > 1:
        said = [" and ".join(map(one.joint_name, pair)) for pair in pairs]
        listed = "; ".join([*said[:NAMED], *count_more(said)])
        return f"Some combinations of levels of these factors were not run: {listed}"
    first, second = pairs[0]
    cells = np.zeros((design.counts[first], design.counts[second]), dtype=bool)
    cells[design.places[first], design.places[second]] = True
    if design.count_empty(first, second) > 1:
        which = f"{one.joint_name(first)} and {one.joint_name(second)}"
        return f"{int((~cells).sum())} of {cells.size} combinations of {which} were not run"
    at, beside = (int(place[0]) for place in np.nonzero(~cells))
    return (
        f"{one.short(first)} {names[first][at]} was not run with"
        f" {one.short(second)} {names[second][beside]}"
    )
