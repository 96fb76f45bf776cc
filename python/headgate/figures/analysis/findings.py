"""Findings in sentences, each with its picture and table, and the words for counts of changes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from headgate.base.messages import count_others
from headgate.figures.analysis.clusters import Clusters
from headgate.figures.analysis.conditions import FILTERS, ConditionResponses
from headgate.figures.analysis.correlations import Correlations
from headgate.figures.analysis.influence import Influence
from headgate.figures.analysis.pairs import Biplots, Ranks, format_ratio
from headgate.figures.analysis.phrases import short_title
from headgate.figures.analysis.speaker import write_p
from headgate.stats.changes import BEYOND_CHANCE, MATTERS_SHARE
from headgate.stats.effects import WEAK_P

#: The share of cells from which on a word is "often" or "mostly".
OFTEN = 0.5
#: Some cells move, but no more than by chance.
BY_CHANCE = "within chance"
#: Undecided: there are no numbers, or intervals include changes of 10 % and more.
NOT_KNOWN = "not known"
#: No decided cell moves, and some cells are undecided.
NO_CHANGE_SHOWN, NONE_SHOWN_WORSE = "no change shown", "none shown worse"
#: Words that are good for an algorithm (1) and bad (-1); the others are neither.
TONES: Mapping[str, int] = {
    "mostly better": 1, "sometimes better": 1, "fairer than most": 1, "often useful": 1,
    "sometimes useful": 1, "nothing worse": 1, "mostly worse": -1, "sometimes worse": -1,
    "often worse": -1, "less fair than most": -1, "not useful": -1,
}  # fmt: skip
#: The meaning of words on changes.
MEANINGS: Mapping[tuple[str, ...], str] = {
    ("mostly better", "mostly worse"): "mostly: in at least half of the cases",
    (
        "sometimes better",
        "sometimes worse",
    ): "sometimes: in fewer cases, but in more than by chance",
    ("better in most", "worse in most"): "in most: in at least half of the cases",
    ("better in some", "worse in some"): "in some: in fewer cases",
    ("better in most", "worse in most", "better in some", "worse in some"): (
        "the runs are too few to exclude chance"
    ),
    (BY_CHANCE,): f"{BY_CHANCE}: in no more cases than by chance",
    ("as before",): "as before: in no case",
    (
        NO_CHANGE_SHOWN,
        NONE_SHOWN_WORSE,
    ): '"no change shown" does not mean no change: some cases are undecided',
    (NOT_KNOWN,): f"{NOT_KNOWN}: half of the cases or more, or their mean, are undecided",
}


@dataclass(frozen=True)
class Tally:
    """Numbers of cells in which an algorithm is better and worse than the one before.

    In `unknown` neither a change of 10 % nor its absence is shown; in `risky` it may be worse.
    """

    better: int
    worse: int
    cells: int
    unknown: int = 0
    risky: int = 0
    chances: tuple[float, float] | None = None
    """How likely as many are better, and worse, by chance; None if the runs are too few."""
    replicated: bool = True

    def __str__(self) -> str:
        unknown = f", {NOT_KNOWN} in {self.unknown}" if self.unknown else ""
        return f"better in {self.better}, worse in {self.worse}{unknown} of {self.cells}"


def name_tone(found: Tally) -> str:
    """Return whether an algorithm is better or worse than the one before it."""
    if not found.better and not found.worse:
        return _deny("as before", NO_CHANGE_SHOWN, found.unknown, found)
    chances = found.chances or (0.0, 0.0)
    counts = (found.better, found.worse)
    better, worse = (n > 0 and p < BEYOND_CHANCE for n, p in zip(counts, chances, strict=True))
    if not better and not worse:
        return _by_chance(found.unknown, found)
    if better and worse:
        return "mixed"
    often, side = max(counts) >= OFTEN * found.cells, "better" if better else "worse"
    if found.chances is None:
        return f"{side} in {'most' if often else 'some'}"
    return f"{'mostly' if often else 'sometimes'} {side}"


def judge_fairness(low: float, high: float) -> str:
    """Return the word for TCP's throughput beside an algorithm relative to the others."""
    words = {"more": "fairer than most", "less": "less fair than most", "alike": "as most"}
    return words.get(compare_with_one(low, high), NOT_KNOWN)


def compare_with_one(low: float, high: float) -> str:
    """Return whether an interval is `more` or `less` than 1, or `alike` within 10 %."""
    if low > 1:
        return "more"
    if high < 1:
        return "less"
    return "alike" if low > 1 / (1 + MATTERS_SHARE) and high < 1 + MATTERS_SHARE else NOT_KNOWN


def judge_usefulness(more: int, count: int) -> str:
    """Return the word for the share of cases in which flows get more than competing TCP flows."""
    if not count:
        return NOT_KNOWN
    if not more:
        return "not useful"
    return "often useful" if more >= OFTEN * count else "sometimes useful"


def judge_safety(found: Tally) -> str:
    """Return whether an algorithm makes anything worse."""
    if not found.worse:
        return _deny("nothing worse", NONE_SHOWN_WORSE, found.risky, found)
    often = found.worse >= OFTEN * found.cells
    if found.chances is None:
        return "worse in most" if often else "worse in some"
    if not found.chances[1] < BEYOND_CHANCE:
        return _by_chance(found.risky, found)
    return "often worse" if often else "sometimes worse"


def is_worse_by_chance(found: Tally) -> bool:
    """Return whether cells are worse, but no more of them than by chance."""
    return bool(found.worse and found.chances and not found.chances[1] < BEYOND_CHANCE)


def _by_chance(unknown: int, found: Tally) -> str:
    """Return the word for as many changes as by chance, unless half of the cells are undecided."""
    return NOT_KNOWN if unknown >= OFTEN * found.cells else BY_CHANCE


def _deny(word: str, shown: str, unknown: int, found: Tally) -> str:
    """Return the word for no change, or a weaker word if some cells are undecided."""
    if not found.cells or unknown >= OFTEN * found.cells:
        return NOT_KNOWN
    return shown if unknown or not found.replicated else word


#: Factors and algorithms that a sentence names before it says how many more there are.
NAMED = 4
#: Groups of one behaviour that a sentence names, and responses of each.
TOGETHER = 3
#: The names of the outlier tests.
TESTS = {"grubbs": "Grubbs' test", "runs": "the spread of replicates"}


@dataclass(frozen=True)
class Finding:
    """A sentence, and the names of the picture and the table that show it."""

    sentence: str
    picture: str
    table: str


def _find(sentence: str, picture: str, table: str = "") -> Finding:
    return Finding(sentence, picture, table or picture)


def of_influence(found: Influence, titles: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Name the factors that act on most responses, and those without a shown effect."""
    moving = [name for name in found.ranked if found.average[name] > 0]
    idle = [name for name in found.ranked if found.average[name] == 0]
    if moving:
        kinds = "; ".join(_some(kind) for kind in found.kinds)
        said = [f"{_short(n, titles)} {100 * found.average[n]:.0f} %" for n in moving]
        yield _find(
            f"The factors with effects on most responses are {_some(said, NAMED + 2)} (Psi, the"
            f" share of responses with a shown effect, averaged over {kinds}).",
            "influence",
        )
    if idle:
        names = [_short(name, titles) for name in idle]
        yield _find(f"No response shows an effect of {_some(names, len(names))}.", "influence")


def of_correlations(
    found: Correlations, titles: Mapping[str, str] | None = None
) -> Iterator[Finding]:
    """Count the behaviours of the responses."""
    large = [group for group in found.dimensions if len(group) > 1]
    count, of = len(found.dimensions), len(found.responses)
    groups = [_some([_short(n, titles) for n in group], TOGETHER) for group in large[:TOGETHER]]
    rest = len(large) - len(groups)
    together = "; ".join([*groups, *([count_others(rest, "group")] if rest else [])])
    text = (
        f"{of} responses show {count} behaviour{'s' * (count != 1)} (|r| above {found.threshold:g})"
    )
    yield _find(
        f"{text}{f'; these groups change together: {together}' if large else ''}.",
        "correlations-clusters",
        "correlations",
    )


def of_clusters(found: Clusters) -> Iterator[Finding]:
    """Count the conditions under which an algorithm is linked last and alone."""
    trees = list(found.trees.values())
    same = sum(tree.greatest == 0.0 for tree in trees)
    if same:
        yield _find(
            f"Under {same} of {len(trees)} conditions all algorithms give the same numbers.",
            "clusters",
        )
    apart = Counter(tree.apart for tree in trees if tree.apart is not None)
    if apart:
        said = [f"{cca} in {count}" for cca, count in apart.most_common()]
        yield _find(
            f"The algorithm that differs most from the others: {_some(said)} of {len(trees)}"
            " conditions.",
            "clusters",
        )


def of_outliers(found: ConditionResponses) -> Iterator[Finding]:
    """Count the outliers, those expected by chance, and those of at least 10 %."""
    cells, chance = len(found.tests), found.level * len(found.tests)
    everyone, test = len(found.outliers(by=found.best)), _name_test(found)
    yield _find(
        f"One algorithm is an outlier in {everyone} of {cells} cells (a response under a condition)"
        f" by {test}; chance alone gives {chance:.{0 if chance >= 10 else 1}f}.",
        "outliers",
    )
    far = {cca: n for cca, n in found.count(FILTERS[0], found.best).items() if n}
    if far:
        said = [f"{cca} in {n}" for cca, n in sorted(far.items(), key=lambda item: -item[1])]
        yield _find(
            f"{(count := sum(far.values()))} of these outliers {'is' if count == 1 else 'are'} at"
            f" least {100 * FILTERS[0]:.0f} % of the mean away: {_some(said)}.",
            "outliers-filtered",
            "outliers",
        )
    else:
        yield _find(
            f"None of these outliers is {100 * FILTERS[0]:.0f} % of the mean or more away.",
            "outliers-filtered",
            "outliers",
        )


def _name_test(found: ConditionResponses) -> str:
    lacking = sum(math.isnan(test.runs_p) for test in found.tests.values())
    if found.best == "grubbs" or not lacking:
        return TESTS[found.best]
    return f"{TESTS['runs']} ({TESTS['grubbs']} in {lacking} cells without replicates)"


def of_ranks(found: Ranks, titles: Mapping[str, str] | None = None) -> Iterator[Finding]:
    """Name the highest rank in each class of flows, and test it against chance."""
    classes = list(dict.fromkeys(name for name, _ in found.ranks))
    if len(classes) > NAMED:
        yield _of_many_ranks(found, classes)
        return
    for response in classes:
        said = _of_one_class(found, response)
        yield _find(f"In {_short(response, titles)}, {said}.", "ranks")


def _of_one_class(found: Ranks, response: str) -> str:
    best = found.best(response)
    rank, p = found.ranks[response, best[0]], found.p[response]
    if not rank.conditions:
        return "no algorithm is ranked, because no condition has a number of every algorithm"
    if len(best) == len(found.ccas):
        return "all algorithms have the same rank"
    chance = "too few to test" if math.isnan(p) else f"Friedman's test: {write_p(p)}"
    spread = "" if math.isnan(rank.deviation) else f", with a deviation of {rank.deviation:.1f}"
    verb = "ranks" if len(best) == 1 else "rank"
    return (
        f"{' and '.join(best)} {verb} highest: {rank.mean:.1f} of {len(found.ccas)} on"
        f" average{spread} ({chance})"
    )


def _of_many_ranks(found: Ranks, classes: Sequence[str]) -> Finding:
    differing = [response for response in classes if found.p[response] < WEAK_P]
    best = Counter(cca for response in differing for cca in found.best(response))
    said = [f"{cca} in {count}" for cca, count in best.most_common()]
    return _find(
        f"The ranks of algorithms differ beyond chance (p < {WEAK_P:g}) in {len(differing)} of"
        f" {len(classes)} throughputs; ranked highest: {_some(said) or 'no algorithm'}.",
        "ranks",
    )


def of_biplots(found: Biplots) -> Iterator[Finding]:
    """Name the algorithms whose flows get more than competing TCP flows, or less."""
    ahead = {cca: p.ratio for cca, p in found.panels.items() if p.ratio[1] > 1}
    behind = {cca: p.ratio for cca, p in found.panels.items() if p.ratio[2] < 1}
    for ccas, word in ((ahead, "more"), (behind, "less")):
        if ccas:
            said = [f"{cca} {ratio[0]:.2f} times" for cca, ratio in ccas.items()]
            yield _find(
                f"Flows get {word} than competing TCP flows (95 %): {_some(said, len(said))}.",
                "biplots",
            )
    unknown = [
        cca for cca, p in found.panels.items() if compare_with_one(*p.ratio[1:]) == NOT_KNOWN
    ]
    if unknown:
        said = [f"{cca} {format_ratio(found.panels[cca])}" for cca in unknown]
        yield _find(
            "It is not known whether flows get more or less than competing TCP flows:"
            f" {_some(said)}.",
            "biplots",
        )
    elif not ahead and not behind:
        yield _find(
            "No algorithm's flows get 10 % more or less than competing TCP flows.", "biplots"
        )


def _some(said: Sequence[str], most: int = NAMED) -> str:
    """Name the first items and count the rest."""
    more = len(said) - most
    return ", ".join(said[:most]) + (f" and {more} more" if more > 0 else "")


def _short(name: str, titles: Mapping[str, str] | None) -> str:
    return short_title(name, (titles or {}).get(name, name))
