"""The whole analysis of a table with a known truth, and its five questions."""

import re
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.findings import (
    TONES,
    Tally,
    judge_fairness,
    judge_safety,
    judge_usefulness,
    name_tone,
)
from headgate.figures.analysis.kinds import KINDS
from headgate.figures.analysis.part import make_slugs
from headgate.figures.analysis.questions import QUESTIONS, Answer
from headgate.figures.analysis.whole import TableAnalysis, analyse_table
from headgate.figures.vega import CHARTS
from headgate.figures.vega.data import SOURCES, collect_data

from .made_reports import CCAS, RESPONSES, roles, table

#: Words that are neither praise nor blame.
NEITHER = (
    "as before", "as most", "mixed", "within chance", "not known", "no change shown",
    "none shown worse", "better in most", "better in some", "worse in most", "worse in some",
)  # fmt: skip


def columns() -> dict[str, list[object]]:
    rows = table()
    return {name: [row[name] for row in rows] for name in rows[0]}


@pytest.fixture(scope="module")
def found() -> TableAnalysis:
    return analyse_table(columns(), roles())


@pytest.fixture(scope="module")
def answers(found: TableAnalysis) -> dict[str, Answer]:
    return {one.asked: one for one in found.of("questions")[0].result}


def test_every_kind_is_made_of_a_table_that_has_everything(found: TableAnalysis) -> None:
    assert not [(one.kind.name, one.reason) for one in found.made if one.reason]
    assert [kind.name for kind in KINDS] == list(dict.fromkeys(one.kind.name for one in found.made))


def test_losses_under_heavy_congestion_are_worse_with_fast_alone(
    answers: dict[str, Answer],
) -> None:
    words = answers["recovery"].words
    assert words == {"ctcp": "as before", "fast": "mostly worse", "scalable": "as before"}
    assert "fast better in 0, worse in 4 of 4 cells" in answers["recovery"].findings[0].sentence


def test_more_throughput_without_congestion_is_ctcps(answers: dict[str, Answer]) -> None:
    """Of two uncongested conditions CTCP is better in both: 30 % against noise of 1 %."""
    assert answers["increase"].words["ctcp"] == "mostly better"
    assert answers["increase"].words["fast"] == "as before"


def test_flows_are_useful_where_they_get_more_than_tcp(answers: dict[str, Answer]) -> None:
    assert answers["utility"].words["ctcp"] == "often useful"
    assert answers["utility"].words["scalable"] == "not useful"


def test_worse_measures_are_reported_for_the_algorithm_that_causes_them(
    answers: dict[str, Answer],
) -> None:
    words = answers["safety"].words
    assert words == {
        "ctcp": "nothing worse",
        "fast": "sometimes worse",
        "scalable": "nothing worse",
    }
    assert "fast 4 of 24" in answers["safety"].findings[0].sentence


def test_a_question_without_responses_names_the_missing_ones() -> None:
    one = {"safety": roles().questions["safety"]}
    plain = roles().model_copy(update={"questions": one, "pairs": ()})
    given = analyse_table(columns(), plain).of("questions")[0].result
    assert [one.asked for one in given] == list(QUESTIONS)
    assert [one.asked for one in given if one.missing and not one.words] == list(QUESTIONS)[:-1]


def test_a_table_that_speaks_of_no_question_has_no_answers() -> None:
    plain = roles().model_copy(update={"questions": {}, "pairs": ()})
    assert "no responses are named" in analyse_table(columns(), plain).of("questions")[0].reason


def test_every_word_that_is_said_has_a_tone_or_none(answers: dict[str, Answer]) -> None:
    said = {word for answer in answers.values() for word in answer.words.values()}
    assert len(said) > 4
    assert said <= {*TONES, *NEITHER}


def test_every_word_of_praise_or_blame_can_be_said() -> None:
    """And no other than these and the three that are neither."""
    counts = range(21)
    every = (None, (0.001, 0.001), (0.001, 0.5), (0.5, 0.001), (0.5, 0.5))
    tallies = [
        Tally(better, worse, 20, chances=chances)
        for better in counts
        for worse in counts
        for chances in every
    ]
    tallies += [Tally(0, 0, 20, unknown, unknown) for unknown in counts]
    said = {word(tally) for word in (name_tone, judge_safety) for tally in tallies}
    said |= {judge_usefulness(more, 20) for more in counts}
    said |= {
        judge_fairness(low, high)
        for low, high in ((0.3, 0.8), (0.95, 1.05), (0.8, 1.3), (1.1, 1.6))
    }
    assert said == {*TONES, *NEITHER}


def test_nothing_is_said_where_there_is_nothing_to_count() -> None:
    assert judge_usefulness(0, 0) == "not known"
    assert name_tone(Tally(0, 0, 0)) == judge_safety(Tally(0, 0, 0)) == "not known"


def test_none_is_said_of_all_cells_only_if_all_are_decided() -> None:
    assert (name_tone(Tally(0, 0, 20)), judge_safety(Tally(0, 0, 20))) == (
        "as before",
        "nothing worse",
    )
    few, many = Tally(0, 0, 20, unknown=2, risky=1), Tally(0, 0, 20, unknown=10, risky=10)
    assert (name_tone(few), judge_safety(few)) == ("no change shown", "none shown worse")
    assert (name_tone(many), judge_safety(many)) == ("not known", "not known")
    one_sided = Tally(0, 0, 20, unknown=2)  # they may only be better
    assert judge_safety(one_sided) == "nothing worse"


def answer_of(asked: str, change: Callable[[list[dict[str, object]]], object]) -> Answer:
    """Return an answer after a change to the rows of the second period."""
    rows = table()
    change([row for row in rows if row["period"] == 2])
    made = analyse_table({name: [row[name] for row in rows] for name in rows[0]}, roles())
    given: tuple[Answer, ...] = made.of("questions")[1].result
    return next(one for one in given if one.asked == asked)


def test_one_run_of_each_says_nothing_of_chance() -> None:
    rows = [row for row in table() if row["seed"] == 1]
    made = analyse_table({name: [row[name] for row in rows] for name in rows[0]}, roles())
    words = {one.asked: one.words for one in made.of("questions")[1].result}
    assert words["recovery"]["fast"] == "worse in most"
    assert words["increase"]["ctcp"] == "better in most"
    assert words["safety"] == {
        "ctcp": "none shown worse", "fast": "worse in some", "scalable": "none shown worse"
    }  # fmt: skip


@pytest.mark.parametrize("replicate", [None, "seed"])
def test_cells_that_move_together_are_not_taken_for_many(replicate: str | None) -> None:
    """Fifteen responses that are one, and nothing in them: false words in 5 % of tables at most."""
    names = tuple(f"y{place}" for place in range(15))
    asked = roles().model_copy(update={
        "responses": names, "factors": (), "pairs": (), "period": None, "titles": {},
        "congestion": None, "worse": {}, "replicate": replicate, "questions": {"safety": names},
    })  # fmt: skip
    rng = np.random.default_rng(3)
    labels = list(product("abcd", ("reno", "ctcp"), range(3)))
    words = []
    for _ in range(200):
        y = rng.normal(10, 3, len(labels))
        columns: dict[str, object] = dict(
            zip(("condition", "cca", "seed"), zip(*labels, strict=True), strict=True)
        )
        made = analyse_table(columns | dict.fromkeys(names, y), asked)
        words.append(made.of("questions")[0].result[4].words["ctcp"])
    assert sum("sometimes" in word or "often" in word for word in words) <= 12
    assert "not known" in words


def test_a_condition_of_unknown_congestion_is_not_the_most_congested() -> None:
    def forget(rows: list[dict[str, object]]) -> None:
        for row in rows:
            if str(row["condition"]).startswith("X1+ X2+"):
                row["loss"] = float("nan")

    answer = answer_of("recovery", forget)
    assert answer.words["fast"] == "mostly worse"
    assert "fast better in 0, worse in 4 of 4 cells" in answer.findings[0].sentence


def test_nothing_beside_nothing_is_not_useful() -> None:
    def starve(rows: list[dict[str, object]]) -> None:
        for row in rows:
            row |= {"rate": 0.0, "rate_tcp": 0.0}

    answer = answer_of("utility", starve)
    assert set(answer.words.values()) == {"not useful"}
    assert "fast in 0 of 8" in answer.findings[0].sentence


def test_an_algorithm_beside_which_tcp_gets_nothing_is_not_as_fair_as_most() -> None:
    def starve(rows: list[dict[str, object]]) -> None:
        for row in rows:
            if row["cca"] == "fast" and str(row["condition"]).startswith("X1- X2-"):
                row["rate_tcp"] = 0.0

    answer = answer_of("fairness", starve)
    assert answer.words["fast"] == "not known"
    assert answer.words["ctcp"] == "as most"
    assert "fast nothing in 2 conditions" in answer.findings[0].sentence


def test_fairness_cannot_be_judged_from_one_condition() -> None:
    rows = [row for row in table() if row["condition"] == "X1- X2- X3-"]
    one = roles().model_copy(update={"factors": ()})
    made = analyse_table({name: [row[name] for row in rows] for name in rows[0]}, one)
    by_question = {one.asked: one for one in made.of("questions")[0].result}
    assert set(by_question["fairness"].words.values()) == {"not known"}


def test_losses_that_come_from_zero_are_worse() -> None:
    def start_from_zero(rows: list[dict[str, object]]) -> None:
        for row in rows:
            row["loss"] = 0.05 + 0.001 * int(str(row["seed"])) if row["cca"] == "ctcp" else 0.0

    assert answer_of("safety", start_from_zero).words["ctcp"] == "sometimes worse"


def test_an_algorithm_whose_runs_are_all_lost_is_not_called_safe() -> None:
    def lose(rows: list[dict[str, object]]) -> None:
        for row in rows:
            if row["cca"] == "ctcp":
                row.update(dict.fromkeys(RESPONSES, float("nan")))

    safety, increase = answer_of("safety", lose), answer_of("increase", lose)
    assert (safety.words["ctcp"], increase.words["ctcp"]) == ("not known", "not known")
    assert "not known in 24" in safety.findings[0].sentence


def test_wide_intervals_leave_open_whether_anything_is_worse() -> None:
    def scatter(rows: list[dict[str, object]]) -> None:
        for row in rows:
            if row["cca"] == "ctcp":
                row["loss"] = (1.0, 2.0, 30.0)[int(str(row["seed"])) - 1]

    safety = answer_of("safety", scatter)
    assert safety.words["ctcp"] == "none shown worse"
    assert "ctcp 0 of 24 (0 of 6 under heavy congestion), not known in 8" in (
        safety.findings[0].sentence
    )
    assert safety.words["scalable"] == "nothing worse"


def test_an_answer_takes_the_changes_that_are_drawn(found: TableAnalysis) -> None:
    """They are computed once for each period."""
    for one, part in zip(found.of("changes"), found.parts, strict=True):
        assert one.result is part.changes
    assert found.of("clusters")[0].result is found.parts[0].clusters


def test_periods_are_analysed_apart_and_the_middle_one_first(found: TableAnalysis) -> None:
    assert [part.period for part in found.parts] == ["1", "2"]
    assert found.focus.period == "2"
    assert len(found.parts[0].frame) * 2 == len(found.frame)
    names = [name for one in found.of("clusters") for name, _ in one.figures()]
    assert names == ["clusters-period-1", "clusters-period-2"]


def test_charts_have_all_data_that_they_name(found: TableAnalysis) -> None:
    made = collect_data(found)
    assert set(made) == set(SOURCES)
    for charts in CHARTS.values():
        for draw in charts.values():
            spec = draw(found)
            assert made[spec["usermeta"]["data"]]
            assert spec["description"]
            assert {param["name"] for param in spec["params"]} >= {"condition", "period"}


def test_words_are_kept_once(found: TableAnalysis) -> None:
    ccas = collect_data(found)["cells"]["cca"]
    assert isinstance(ccas, dict)
    assert ccas["words"] == list(CCAS)
    assert len(ccas["at"]) == 8 * 4 * 2 * len(RESPONSES)


def test_an_empty_table_is_refused() -> None:
    with pytest.raises(AnalysisError, match="no rows"):
        analyse_table({name: [] for name in columns()}, roles())


def test_results_show_themselves_in_a_notebook(found: TableAnalysis) -> None:
    assert found._repr_html_().startswith("<ul><li>")
    for kind in ("clusters", "ranks", "correlations", "ten-steps", "main-effects"):
        shown = found.of(kind)[0].result._repr_html_()
        assert shown.count("<svg") >= 1
        assert "<table>" in shown
    assert "more rows" in found.of("main-effects")[0].result._repr_html_()


def test_no_word_denies_a_count() -> None:
    """Seven cells of 110 that are worse are not "nothing", though chance would give as many."""
    assert judge_safety(Tally(0, 0, 110)) == "nothing worse"
    assert judge_safety(Tally(0, 7, 110, chances=(1.0, 0.2))) == "within chance"
    assert judge_safety(Tally(0, 20, 110, chances=(1.0, 0.01))) == "sometimes worse"
    assert name_tone(Tally(3, 2, 110, chances=(0.3, 0.4))) == "within chance"


def test_too_many_undecided_cells_are_not_known_whatever_the_others_do() -> None:
    """Three of 24 cells that are better, with 20 undecided, show neither a change nor none."""
    assert name_tone(Tally(3, 0, 24, unknown=20, chances=(0.2, 1.0))) == "not known"
    assert name_tone(Tally(3, 0, 24, unknown=11, chances=(0.2, 1.0))) == "within chance"
    assert name_tone(Tally(9, 0, 24, unknown=15, chances=(0.01, 1.0))) == "sometimes better"
    assert judge_safety(Tally(0, 6, 160, risky=130, chances=(1.0, 0.2))) == "not known"


def test_no_answer_denies_a_count(found: TableAnalysis) -> None:
    for one in found.of("questions"):
        for answer in one.result:
            for cca, word in answer.words.items():
                if word in {"nothing worse", "as before"}:
                    counts = rf"{cca} (better in \d+, worse in )?[1-9]\d* of"
                    assert not re.search(counts, answer.findings[0].sentence)


def test_averages_name_the_averaged_dimensions(found: TableAnalysis) -> None:
    (said, *_) = [one.sentence for one in found.of("influence")[0].findings()]
    assert "averaged over period 1, period 2; reno, ctcp, fast, scalable)" in said


def test_periods_with_similar_names_get_separate_files() -> None:
    called = {1: "mid day", 2: "Mid-day"}
    named = columns() | {"period": [called[int(str(at))] for at in columns()["period"]]}
    found = analyse_table(named, roles())
    made = [one for one in found.made if not one.reason]
    tables = [one.name for one in made]
    assert len({name.casefold() for name in tables}) == len(tables)
    assert {finding.table for finding in found.findings()} <= set(tables)
    drawn = [name for one in made if one.kind.name == "changes" for name, _ in one.figures()]
    assert len({name.casefold() for name in drawn}) == len(drawn) == 6


@pytest.mark.parametrize(
    ("titles", "expected"),
    [
        (["period 1", "period 2"], ["period-1", "period-2"]),
        (["period +", "period -"], ["period-[0-9a-f]{8}", "period-[0-9a-f]{8}"]),
        (["\u671f \u524d"], ["[0-9a-f]{8}"]),
    ],
)
def test_a_title_becomes_a_part_of_a_name(titles: list[str], expected: list[str]) -> None:
    found = make_slugs(titles)
    assert len(set(found)) == len(titles)
    assert all(map(re.fullmatch, expected, found))
