"""Findings in plain words, each computed from the numbers and tied to its picture and table."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from headgate.figures.analysis.biplots import Biplots, format_ratio
from headgate.figures.analysis.clusters import Clusters
from headgate.figures.analysis.conditions import FILTERS, ConditionResponses
from headgate.figures.analysis.correlations import Correlations
from headgate.figures.analysis.influence import Influence
from headgate.figures.analysis.names import short_title
from headgate.figures.analysis.ranks import Ranks
from headgate.figures.analysis.words import NOT_KNOWN, alike
from headgate.stats.effects import WEAK_P

#: Factors and laws that a sentence names before it says how many more there are.
NAMED = 4
#: Groups of one behaviour that a sentence names, and responses of each.
TOGETHER = 3
#: What the tests of outliers are called.
TESTS = {"grubbs": "Grubbs' test", "runs": "the spread of replicates"}


@dataclass(frozen=True)
class Finding:
    """A sentence, and the names of the picture and the table that show it."""

    sentence: str
    picture: str
    table: str


def of_influence(found: Influence, titles: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Say which factors act on most responses, and of which no effect is shown."""
    moving = [name for name in found.ranked if found.average[name] > 0]
    idle = [name for name in found.ranked if found.average[name] == 0]
    if moving:
        said = [f"{_short(n, titles)} {100 * found.average[n]:.0f} %" for n in moving]
        yield Finding(
            "Psi, the share of responses on which an effect of a factor is shown, averaged over"
            f" {'; '.join(_some(kind) for kind in found.kinds)}: {_some(said, NAMED + 2)}.",
            "influence",
            "influence",
        )
    if idle:
        names = [_short(name, titles) for name in idle]
        yield Finding(
            f"No effect on any response is shown of {_some(names, len(names))}.",
            "influence",
            "influence",
        )


def of_correlations(
    found: Correlations, titles: Mapping[str, str] | None = None
) -> Iterator[Finding]:
    """Say how many behaviours the responses have."""
    large = [group for group in found.dimensions if len(group) > 1]
    count, of = len(found.dimensions), len(found.responses)
    groups = [_some([_short(n, titles) for n in group], TOGETHER) for group in large[:TOGETHER]]
    rest = len(large) - len(groups)
    together = "; ".join([*groups, *([f"{rest} more group{'s' * (rest > 1)}"] if rest else [])])
    text = f"{of} responses show {count} behaviours (|r| above {found.threshold:g})"
    yield Finding(
        f"{text}{f'; these go together: {together}' if large else ''}.",
        "correlations-clusters",
        "correlations",
    )


def of_clusters(found: Clusters) -> Iterator[Finding]:
    """Say under how many conditions a law is linked last and alone."""
    trees = list(found.trees.values())
    same = sum(tree.greatest == 0.0 for tree in trees)
    if same:
        yield Finding(
            f"Under {same} of {len(trees)} conditions nothing tells the laws apart.",
            "clusters",
            "clusters",
        )
    apart = Counter(tree.apart for tree in trees if tree.apart is not None)
    if apart:
        said = [f"{law} in {count}" for law, count in apart.most_common()]
        yield Finding(
            f"Least like the other laws: {_some(said)} of {len(trees)} conditions.",
            "clusters",
            "clusters",
        )


def of_outliers(found: ConditionResponses) -> Iterator[Finding]:
    """Say which law is an outlier, how often by chance, and how often by at least 10 %."""
    cells, chance = len(found.tests), found.level * len(found.tests)
    everyone, test = len(found.outliers(by=found.best)), _name_test(found)
    yield Finding(
        f"In {everyone} of {cells} cells (a response under a condition) one law is an outlier by"
        f" {test}; {chance:.0f} would be by chance.",
        "outliers",
        "outliers",
    )
    far = {law: n for law, n in found.count(FILTERS[0], found.best).items() if n}
    if far:
        said = [f"{law} in {n}" for law, n in sorted(far.items(), key=lambda item: -item[1])]
        yield Finding(
            f"Of these, {sum(far.values())} are {100 * FILTERS[0]:.0f} % of the mean or more away:"
            f" {_some(said)}.",
            "outliers-filtered",
            "outliers",
        )
    else:
        yield Finding(
            f"None of these is {100 * FILTERS[0]:.0f} % of the mean or more away.",
            "outliers-filtered",
            "outliers",
        )


def _name_test(found: ConditionResponses) -> str:
    """Name the test, and in how many cells another stood in for it."""
    lacking = sum(math.isnan(test.runs_p) for test in found.tests.values())
    if found.best == "grubbs" or not lacking:
        return TESTS[found.best]
    return f"{TESTS['runs']} ({TESTS['grubbs']} in {lacking}, which lack replicates)"


def of_ranks(found: Ranks, titles: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Say who ranks highest in each class of flows, and whether that may be chance."""
    classes = list(dict.fromkeys(name for name, _ in found.ranks))
    if len(classes) > NAMED:
        yield _of_many_ranks(found, classes)
        return
    for response in classes:
        said = _of_one_class(found, response)
        yield Finding(f"In {_short(response, titles)}, {said}.", "ranks", "ranks")


def _of_one_class(found: Ranks, response: str) -> str:
    best = found.best(response)
    rank, p = found.ranks[response, best[0]], found.p[response]
    if not rank.conditions:
        return "no law is ranked, as no condition has a number of every law"
    if len(best) == len(found.laws):
        return "all laws rank alike"
    chance = "too few to test" if math.isnan(p) else f"Friedman's test: {_say_p(p)}"
    spread = "" if math.isnan(rank.deviation) else f", with a deviation of {rank.deviation:.1f}"
    verb = "ranks" if len(best) == 1 else "rank"
    return (
        f"{' and '.join(best)} {verb} highest: {rank.mean:.1f} of {len(found.laws)} on"
        f" average{spread} ({chance})"
    )


def _of_many_ranks(found: Ranks, classes: Sequence[str]) -> Finding:
    """Count in how many classes of flows each law ranks highest."""
    told = [response for response in classes if found.p[response] < WEAK_P]
    best = Counter(law for response in told for law in found.best(response))
    said = [f"{law} in {count}" for law, count in best.most_common()]
    return Finding(
        f"In {len(told)} of {len(classes)} throughputs laws differ in rank beyond chance (p <"
        f" {WEAK_P:g}); ranked highest: {_some(said) or 'no law'}.",
        "ranks",
        "ranks",
    )


def of_biplots(found: Biplots) -> Iterator[Finding]:
    """Say which laws' flows get more than the TCP flows beside them, and which less."""
    ahead = {law: p.ratio for law, p in found.panels.items() if p.ratio[1] > 1}
    behind = {law: p.ratio for law, p in found.panels.items() if p.ratio[2] < 1}
    for laws, word in ((ahead, "more"), (behind, "less")):
        if laws:
            said = [f"{law} {ratio[0]:.2f} times" for law, ratio in laws.items()]
            yield Finding(
                f"Flows get {word} than TCP flows beside them (95 %): {_some(said, len(said))}.",
                "biplots",
                "biplots",
            )
    unknown = [law for law, p in found.panels.items() if alike(*p.ratio[1:]) == NOT_KNOWN]
    if unknown:
        said = [f"{law} {format_ratio(found.panels[law])}" for law in unknown]
        yield Finding(
            "It cannot be told whether flows get more or less than TCP flows beside them:"
            f" {_some(said)}.",
            "biplots",
            "biplots",
        )
    elif not ahead and not behind:
        yield Finding(
            "No law's flows get 10 % more or less than the TCP flows beside them.",
            "biplots",
            "biplots",
        )


def _say_p(p: float) -> str:
    """Write a p; how small it is below 0.001 says nothing more."""
    return "p < 0.001" if p < 0.001 else f"p = {p:.2g}"


def _some(said: Sequence[str], most: int = NAMED) -> str:
    """Name the first few, and say how many more there are."""
    more = len(said) - most
    return ", ".join(said[:most]) + (f" and {more} more" if more > 0 else "")


def _short(name: str, titles: Mapping[str, str] | None) -> str:
    """Return what a column is called within a sentence: without its code and its unit."""
    return short_title(name, (titles or {}).get(name, name))
