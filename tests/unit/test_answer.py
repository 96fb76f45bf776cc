"""The answer says of each algorithm what gets worse, on tables whose truth is known."""

from itertools import product
from types import SimpleNamespace
from typing import cast

import numpy as np

from headgate.figures.analysis.answer import answer_each_cca, cca_title
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.report.about import About
from headgate.figures.report.first import first_sentences

ROLES = Roles(
    responses=("loss", "delay", "rate"),
    factors=("X1", "X2"),
    cca="cca",
    before="reno",
    congestion="loss",
    titles={"loss": "loss rate", "delay": "queueing delay (s)", "rate": "goodput (bit/s)"},
    worse={"loss": "more", "delay": "more", "rate": "less"},
)


def made(roles: Roles = ROLES, seeds: int = 3) -> TableAnalysis:
    """FAST trebles loss and halves the rate if X1 is low; CTCP changes nothing."""
    columns: dict[str, list[object]] = {n: [] for n in ("X1", "X2", "cca", "loss", "delay", "rate")}
    for x1, x2, cca, seed in product((-1, 1), (-1, 1), ("reno", "ctcp", "fast"), range(seeds)):
        bad = cca == "fast" and x1 < 0
        noise = 1 + 0.001 * seed
        row = (x1, x2, cca, (2 - x1) * (3 if bad else 1), 1.0, 0.5 if bad else 1.0)
        for name, value in zip(columns, row, strict=True):
            columns[name].append(value * noise if isinstance(value, float) else value)
    return analyse_table(columns, roles)


def test_a_sentence_an_algorithm_says_what_gets_worse_where() -> None:
    fast, ctcp = answer_each_cca(made().focus)
    assert fast.cca == "fast"  # the worst algorithm is read first
    assert fast.sentence == (
        "If everyone used FAST TCP instead of TCP Reno, under heavy congestion 2 of 3 measures"
        " would be worse (loss rate \N{MULTIPLICATION SIGN}3, goodput \N{MINUS SIGN}50 %); under"
        " light congestion nothing would change by 10 % or more."
    )
    assert ctcp.sentence == (
        "If everyone used Compound TCP instead of TCP Reno, hardly anything would change: none of 3"
        " measures by 10 % or more under heavy congestion or under light congestion."
    )


def test_what_is_better_is_said_beside_what_is_worse() -> None:
    roles = ROLES.model_copy(update={"worse": {"loss": "more", "rate": "more"}})
    (fast, _) = answer_each_cca(made(roles).focus)
    assert "1 of 2 measures would be worse (loss rate" in fast.sentence
    assert "and 1 of 2 measures would be better (goodput" in fast.sentence


def test_without_congestion_all_conditions_are_one_group() -> None:
    roles = ROLES.model_copy(update={"congestion": None})
    (fast, ctcp) = answer_each_cca(made(roles).focus)
    assert "congestion" not in fast.sentence + ctcp.sentence
    assert ctcp.sentence.endswith("none of 3 measures by 10 % or more on average.")


def test_one_run_alone_is_judged_by_its_size() -> None:
    (fast, _) = answer_each_cca(made(seeds=1).focus)
    assert "2 of 3 measures would be worse" in fast.sentence


def scattered(cca: str, names: tuple[str, ...]) -> TableAnalysis:
    """An algorithm whose replicates differ so much that their intervals hold 10 % and more."""
    found = made()
    columns = {name: np.array(column) for name, column in found.frame.columns.items()}
    rows = np.flatnonzero(columns["cca"] == cca)
    for name in names:
        columns[name][rows] = np.tile([0.2, 1.0, 4.0], len(rows) // 3)
    return analyse_table(columns, ROLES)


def test_what_intervals_leave_open_is_not_called_unchanged() -> None:
    ctcp = next(o for o in answer_each_cca(scattered("ctcp", ("delay",)).focus) if o.cca == "ctcp")
    assert ctcp.sentence.endswith(
        "none of 3 measures is shown to change by 10 % or more under heavy congestion (1 of 3 not"
        " known) or under light congestion (1 of 3 not known)."
    )
    fast = next(o for o in answer_each_cca(scattered("fast", ("delay",)).focus) if o.cca == "fast")
    assert "goodput \N{MINUS SIGN}50 %), 1 of 3 not known; under light" in fast.sentence
    assert fast.sentence.endswith(
        "under light congestion nothing is shown to change by 10 % or more, 1 of 3 not known."
    )
    lost = answer_each_cca(scattered("ctcp", ("loss", "delay", "rate")).focus)
    ctcp = next(one for one in lost if one.cca == "ctcp")
    assert ctcp.sentence.endswith(
        "it is not known whether any of 3 measures would change by 10 % or more."
    )


def test_conditions_without_numbers_of_either_algorithm_are_left_out_of_means() -> None:
    columns = {name: np.array(column) for name, column in made().frame.columns.items()}
    columns["rate"] = np.where(columns["X2"] > 0, np.nan, columns["rate"].astype(float))
    (fast, _) = answer_each_cca(
        analyse_table(columns, ROLES.model_copy(update={"congestion": None})).focus
    )
    # half under one condition and all under the other: the geometric mean is 0.71
    assert "goodput \N{MINUS SIGN}29 %" in fast.sentence


def test_nothing_is_said_where_no_algorithm_takes_anothers_place() -> None:
    assert answer_each_cca(made(ROLES.model_copy(update={"before": None})).focus) == ()
    assert answer_each_cca(made(ROLES.model_copy(update={"worse": {}})).focus) == ()


def test_an_algorithm_is_called_by_its_usual_name() -> None:
    assert cca_title("hstcp") == "HighSpeed TCP"
    assert cca_title("./ccas/mine.py:Gentle") == "Gentle"


def test_other_findings_follow_the_answers_as_far_as_there_is_room() -> None:
    """Five sentences: the headline, an answer, and three of four findings; none is repeated."""
    answers = [SimpleNamespace(sentence="a")]
    found = cast("TableAnalysis", SimpleNamespace(answers=answers, headline="all"))
    about = About(title="t", findings=("all", "1", "2", "3", "4"))
    assert first_sentences(about, found) == ("all", "a", "1", "2", "3")
    many = [SimpleNamespace(sentence=str(n)) for n in "abcde"]
    found = cast("TableAnalysis", SimpleNamespace(answers=many, headline="all"))
    assert first_sentences(about, found) == ("all", *"abcde")
