"""The kinds of analysis, in the order in which they are reported; a new one is a `Kind` here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from headgate.base.errors import AnalysisError
from headgate.figures.analysis import findings
from headgate.figures.analysis.changes import Changes
from headgate.figures.analysis.clusters import compute_components
from headgate.figures.analysis.comparisons import Compared, compare_levels
from headgate.figures.analysis.conditions import FILTERS, ConditionResponses
from headgate.figures.analysis.correlations import compute_correlations
from headgate.figures.analysis.effect_sentences import write_sentences
from headgate.figures.analysis.findings import TONES, Finding
from headgate.figures.analysis.influence import (
    Influence,
    TenSteps,
    compute_influence,
    compute_ten_steps,
)
from headgate.figures.analysis.main_effects import MainEffects
from headgate.figures.analysis.pairs import Bars, Biplots, Ranks, compute_ranks
from headgate.figures.analysis.part import PeriodAnalysis
from headgate.figures.analysis.phrases import ConditionNames
from headgate.figures.analysis.questions import Answer, answer_questions

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = Iterable[Mapping[str, Any]]
Figures = Iterable[tuple[str, "Figure"]]


#: Responses whose means are drawn: those that the factors explain best.
SHOWN_EFFECTS = 12


@dataclass(frozen=True)
class Kind:
    """An analysis: its function, and the pictures, rows and findings of its result.

    `method` describes the computation, with its source. `make` raises AnalysisError if the
    table lacks what it needs.
    """

    name: str
    title: str
    method: str
    make: Callable[[PeriodAnalysis], Any]
    figures: Callable[[Any, PeriodAnalysis], Figures]
    rows: Callable[[Any], Rows] = lambda result: result.rows()
    findings: Callable[[Any, PeriodAnalysis], Iterator[Finding]] = lambda _result, _part: iter(())
    by_period: bool = True


def _draw_changes(found: Changes, part: PeriodAnalysis) -> Figures:
    names = ConditionNames.of(part.frame, part.roles)
    ordered = part.roles.congestion is not None
    return found.figures(part.roles.titles, names, part.roles.worse, by_congestion=ordered).items()


def _answers(part: PeriodAnalysis) -> tuple[Answer, ...]:
    found = answer_questions(part)
    if all(answer.missing for answer in found):
        raise AnalysisError("no responses are named that speak of any (questions = {...})")
    return found


def _answer_rows(found: tuple[Answer, ...]) -> Rows:
    for answer in found:
        for cca, word in answer.words.items():
            yield {"question": answer.question, "cca": cca, "answer": word}


def _draw_answers(found: tuple[Answer, ...], part: PeriodAnalysis) -> Figures:
    from headgate.figures.plots.conditions import draw_answers as draw

    words = {answer.question: answer.words for answer in found if answer.words}
    if words:  # the page names what the others lack
        yield "questions", draw(part.cells.ccas, words, TONES)


def _answer_findings(found: tuple[Answer, ...], _part: PeriodAnalysis) -> Iterator[Finding]:
    for answer in found:
        yield from answer.findings


def _effect_findings(found: MainEffects, part: PeriodAnalysis) -> Iterator[Finding]:
    """Describe the effects; one-way studies of algorithms use their own sentences."""
    if found.method == "one-way" and part.roles.cca:
        return
    for said in write_sentences(found, part.roles.titles, before=part.roles.before_level):
        yield Finding(said, "main-effects", "main-effects")


def _draw_effects(found: MainEffects, part: PeriodAnalysis) -> Figures:
    strongest = sorted(found.responses, key=lambda name: -_strength(found, name))[:SHOWN_EFFECTS]
    shown = [name for name in found.responses if name in strongest]
    return found.figures(part.roles.titles, part.roles.titles, shown).items()


def _strength(found: MainEffects, response: str) -> float:
    shares = [found.one(factor, response).eta_squared for factor in found.factors]
    return float(np.nan_to_num(shares).sum())


def _influence(part: PeriodAnalysis) -> Influence:
    labels = [name for name in (part.roles.period, part.roles.cca) if name]
    return compute_influence(*[part.effects((label,)) for label in labels] or [part.main_effects])


def _interactions(part: PeriodAnalysis) -> MainEffects:
    found = part.main_effects
    if not any(found.interactions(name) for name in found.responses):
        raise AnalysisError("the model of main effects separates no interaction from other terms")
    return found


def _compare_levels(part: PeriodAnalysis) -> Compared:
    return compare_levels(part.main_effects, part.roles)


def _draw_comparisons(found: Compared, part: PeriodAnalysis) -> Figures:
    drawn = found.figures(part.roles.titles)
    return ((f"comparisons-{response}", figure) for response, figure in drawn.items())


def _comparison_findings(found: Compared, part: PeriodAnalysis) -> Iterator[Finding]:
    for response, said in found.sentences(part.roles.titles):
        yield Finding(said, f"comparisons-{response}", "comparisons")


def _ten_steps(part: PeriodAnalysis) -> TenSteps:
    """Analyse the response that measures congestion, or the first response."""
    response = part.roles.congestion or part.roles.responses[0]
    if not part.roles.factors:
        raise AnalysisError("no factors are named; name one factor at least")
    return compute_ten_steps(part.frame, part.roles.factors_beside_cca, response)


def _draw_ten_steps(found: TenSteps, part: PeriodAnalysis) -> Figures:
    drawn = found.figures(part.roles.title(found.response), part.roles.titles)
    return ((f"ten-steps-{name}", figure) for name, figure in drawn.items())


def _draw_outliers(found: ConditionResponses, part: PeriodAnalysis) -> Figures:
    said = ConditionNames.of(part.frame, part.roles)
    for name, share in (("", 0.0), ("-filtered", FILTERS[0]), ("-far", FILTERS[1])):
        yield f"outliers{name}", found.figure(share, part.roles.titles, said)
    shown = part.roles.congestion or part.roles.responses[0]
    yield "residuals", found.detail(shown, part.roles.title(shown), said)


def _beside(part: PeriodAnalysis) -> dict[str, Biplots]:
    if not part.roles.pairs:
        raise AnalysisError("no pairs of flows are named ([[pairs]])")
    return part.beside


def _shares(part: PeriodAnalysis) -> dict[str, Bars]:
    _beside(part)
    if not part.shares:
        raise AnalysisError("no pair says what is available (available = ...)")
    return part.shares


def _name_picture(kind: str, title: str) -> str:
    return f"{kind}-{title.lower().replace(' ', '-')}"


def _pair_rows(found: Mapping[str, Biplots | Bars]) -> Rows:
    for title, one in found.items():
        for row in one.rows():
            yield {"flows": title, **row}


def _beside_findings(found: Mapping[str, Biplots], _part: PeriodAnalysis) -> Iterator[Finding]:
    for title, one in found.items():
        for said in findings.of_biplots(one):
            yield Finding(f"{title}: {said.sentence}", _name_picture("biplots", title), "biplots")


def _ranks(part: PeriodAnalysis) -> Ranks:
    sides = tuple(side for pair in part.roles.pairs for side in (pair.own, pair.other))
    names = sides or part.roles.questions.get("utility", ())
    if not names:
        raise AnalysisError("no throughputs are named ([[pairs]] or questions.utility)")
    return compute_ranks(part.grid(names))


KINDS: tuple[Kind, ...] = (
    Kind(
        "questions", "Five questions",
        "The five questions of Mills, Filliben, Cho and Schwartz (2011). The counting rule is ours:"
        " a response moves if the mean difference between replicates with the same traffic is 10 %"
        " or more and its 95 % interval excludes zero; an algorithm is better or worse if more"
        " cells move that way than by chance (an exact test in which whole runs change sides,"
        " one-sided p < 0.025), and in some or most if runs are too few for that. \"No\" means that"
        " every interval lies within 10 %.",
        _answers, _draw_answers, _answer_rows, _answer_findings,
    ),
    Kind(
        "changes", "What changes",
        "Change of each response from the algorithm before to each other algorithm, as a share of"
        " the mean before; replicates with the same traffic are pairs; 95 % interval of Student's"
        " t, without pairs Welch's.",
        lambda part: part.changes, _draw_changes,
    ),
    Kind(
        "main-effects", "Main effects",
        "Mean at each level of each factor, the levels of the others weighed equally, with 95 %"
        " intervals. ** p < 0.01, * p < 0.05: one F test of all levels in a model with the"
        " interactions of two factors (type II sums of squares). If the runs are too few for these,"
        " the model has main effects only, and no intervals. By method one-way the other factors"
        " are left in the error, as NIST's Dataplot does it (macro dexmp; p_one_way in the table)."
        " An answer names what is below 5 % after a correction for all tests of its period (Holm"
        " 1979); q is the false-discovery rate (Benjamini, Hochberg 1995). + and a minus sign mark"
        " ordered levels whose means follow the order.",
        lambda part: part.main_effects, _draw_effects, findings=_effect_findings,
    ),
    Kind(
        "level-means", "Means at each level",
        "The means of the main effects, with 95 % intervals if an error is known.",
        lambda part: part.main_effects, lambda _found, _part: (),
        lambda found: found.level_rows(),
    ),
    Kind(
        "interactions", "Interactions of two factors",
        "Whether the effect of one factor depends on the level of another: the F test of their"
        " interaction in the model of the main effects, corrected for all tests of its period (Holm"
        " 1979).",
        _interactions, lambda _found, _part: (),
        lambda found: found.interaction_rows(),
    ),
    Kind(
        "comparisons", "Comparisons of levels",
        "All differences between algorithms, or between names that are levels of a factor, with"
        " intervals that hold together in 95 % of cases: Tukey's, or Dunnett's if there is an"
        " algorithm before. Means and errors are those of the main effects.",
        _compare_levels, _draw_comparisons, findings=_comparison_findings,
    ),
    Kind(
        "influence", "Influence of the factors",
        "Psi: the share of responses on which an effect of a factor is shown, by the test of the"
        " main effects, p < 0.01 counted whole, p < 0.05 half;"
        " the average gives periods and algorithms the same weight.",
        _influence, lambda found, part: [("influence", found.figure(part.roles.titles))],
        findings=lambda found, part: findings.of_influence(found, part.roles.titles),
        by_period=False,
    ),
    Kind(
        "ten-steps", "Ten steps of one response",
        "Filliben's ten-step graphical analysis (NIST/SEMATECH e-Handbook 5.5.9) of the response"
        " that measures congestion; effects beyond Lenth's margin are marked (Lenth 1989).",
        _ten_steps, _draw_ten_steps,
    ),
    Kind(
        "correlations", "Which responses say the same",
        "Pearson's r of all pairs over all runs; pairs with |r| > 0.65 are kept, and responses that"
        " are all kept with each other are one behaviour.",
        lambda part: compute_correlations(part.frame, part.roles.responses),
        lambda found, part: found.figures(part.roles.titles).items(),
        findings=lambda found, part: findings.of_correlations(found, part.roles.titles),
        by_period=False,
    ),
    Kind(
        "clusters", "Which algorithms behave alike",
        "Euclidean distance over all responses, each divided by its standard deviation over the"
        " algorithms of the condition; average linkage; algorithms linked below 70 % of the"
        " greatest linkage are a group.",
        lambda part: part.clusters,
        lambda found, part: [
            ("clusters", found.figure(ConditionNames.of(part.frame, part.roles)))
        ],
        findings=lambda found, _part: findings.of_clusters(found),
    ),
    Kind(
        "components", "Algorithms under conditions in two dimensions",
        "Principal components of the responses, each divided by its standard deviation; groups by"
        " average linkage, as many as make the silhouette greatest (Rousseeuw 1987).",
        lambda part: compute_components(part.cells),
        lambda found, part: [("components", found.figure(part.roles.titles))],
    ),
    Kind(
        "outliers", "Outliers, and where",
        "The algorithm farthest from the mean in each condition and response, at 5 %: by Student's"
        " t against the spread of replicates (Bonferroni over the algorithms) if there are any,"
        " else by Grubbs' test. In the table both, a test of pairs that mask each other, and the"
        " false-discovery rate q of Grubbs'. A filter keeps what is 10 % (30 %) of the mean away.",
        lambda part: part.outliers, _draw_outliers,
        findings=lambda found, _part: findings.of_outliers(found),
    ),
    Kind(
        "biplots", "Flows beside TCP",
        "Throughput of each algorithm's flows against that of the TCP flows on the same paths, one"
        " point per condition; the ratio is a geometric mean with Student's 95 % interval.",
        _beside,
        lambda found, part: [
            (_name_picture("biplots", title), one.figure(part.roles.titles))
            for title, one in found.items()
        ],
        _pair_rows, _beside_findings,
    ),
    Kind(
        "bars", "Share of what is available",
        "Throughput over what the path has to give: the algorithm's flows left, TCP's beside them"
        " right.",
        _shares,
        lambda found, _: [(_name_picture("bars", t), one.figure()) for t, one in found.items()],
        _pair_rows,
    ),
    Kind(
        "ranks", "Ranks",
        "Algorithms ranked by throughput in every condition (the most is the highest rank): mean"
        " rank against its standard deviation; Friedman's test that all are equal.",
        _ranks, lambda found, part: [("ranks", found.figure(part.roles.titles))],
        findings=lambda found, part: findings.of_ranks(found, part.roles.titles),
    ),
)  # fmt: skip
