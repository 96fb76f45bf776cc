"""Conditions are read in words: the study's, else what a factor's title gives."""

import numpy as np
import pytest

from headgate.base.errors import AnalysisError
from headgate.data.tables import Table
from headgate.design import Factor
from headgate.experiment.reporting import (
    describe_condition,
    describe_shared_levels,
    name_levels,
    words_of,
)
from headgate.experiment.study.study import load
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.phrases import (
    ConditionNames,
    level_phrase,
    level_words,
    levels_by_condition,
    phrases,
    shared,
)
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import analyse_table
from headgate.figures.report.html import Codes

FACTORS = ("X1", "X2", "N")
FRAME = Frame(
    "t",
    {
        "X1": ["-1", "1", "1", "-1"],
        "X2": ["20 ms", "20 ms", "80 ms", "80 ms"],
        "N": ["5", "5", "5", "5"],
        "y": ["1", "2", "3", "4"],
    },  # type: ignore[arg-type]
)
ROLES = Roles(responses=("y",), factors=FACTORS, titles={"X1": "network speed", "X2": "net.rtt_s"})


@pytest.mark.parametrize(
    ("title", "low", "high"),
    [
        ("network speed", "slow network", "fast network"),
        ("propagation delay", "short delays", "long delays"),
        ("buffer provisioning", "small buffers", "large buffers"),
        ("think time", "short think time", "long think time"),
        ("number of sources", "few sources", "many sources"),
        ("Web object size", "small Web object size", "large Web object size"),
    ],
)
def test_titles_give_words_for_low_and_high(title: str, low: str, high: str) -> None:
    assert level_words(title) == (low, high)


def test_a_level_without_a_title_is_low_or_high() -> None:
    assert level_words("patience") is None
    roles = Roles(responses=("y",), factors=("A",), titles={"A": "patience (s)"})
    coded = ("-1", "1")
    assert level_phrase(roles, "A", "-1", coded) == "low patience"
    assert level_phrase(roles, "A", "1", coded) == "high patience"


def test_one_is_a_number_unless_the_other_level_is_minus_one() -> None:
    """Of one flow or four, one is not the high level."""
    roles = Roles(responses=("y",), factors=("count",))
    assert level_phrase(roles, "count", "1", ("1", "4")) == "count 1"
    frame = Frame.of({"count": [1, 4], "cca": ["reno", "reno"], "y": [1.0, 2.0]})
    named = roles.model_copy(update={"cca": "cca"})
    assert phrases(frame, named) == {"1": "count 1", "4": "count 4"}
    assert shared({"c": {"count": "1"}, "d": {"count": "4"}}, roles, ["c"]) == "count 1"


def test_a_condition_is_its_levels_that_differ_in_words() -> None:
    assert phrases(FRAME, ROLES) == {
        "-1 20 ms 5": "slow network, rtt s 20 ms",
        "1 20 ms 5": "fast network, rtt s 20 ms",
        "1 80 ms 5": "fast network, rtt s 80 ms",
        "-1 80 ms 5": "slow network, rtt s 80 ms",
    }  # N is the same everywhere, and distinguishes nothing


def test_words_too_long_for_an_axis_give_way_to_marks_a_row_for_two_levels() -> None:
    long = {"X1": {"-1": "a network of modems that all share one line", "1": "fibre"}}
    names = ConditionNames.of(FRAME, ROLES.model_copy(update={"levels": long}))
    conditions = ["-1 20 ms 5", "1 20 ms 5", "1 80 ms 5"]
    axis = names.make_axis(conditions)
    assert axis.names == ["○\n○", "●\n○", "●\n●"]
    assert axis.rows == ["● fibre   ○ " + long["X1"]["-1"], "● rtt s 80 ms   ○ rtt s 20 ms"]
    assert names.make_axis(conditions[1:]).names == ["fibre, rtt s 20 ms", "fibre, rtt s 80 ms"]


def test_each_of_three_levels_has_a_row_of_marks_in_their_order() -> None:
    rates = ["100", "9", "1000"]
    columns = {"rate": np.array(rates), "y": np.array(["1", "2", "3"])}
    roles = Roles(responses=("y",), factors=("rate",), titles={"rate": "r" * 50})
    frame = Frame("t", columns)
    axis = ConditionNames.of(frame, roles).make_axis(rates)
    assert [row.split()[-1] for row in axis.rows] == ["9", "100", "1000"]
    assert axis.names == ["○\n●\n○", "●\n○\n○", "○\n○\n●"]


def test_more_rows_of_marks_than_have_room_leave_the_names() -> None:
    factors = [f"F{i:02}" for i in range(25)]
    columns = {name: np.array(["-1", "1"]) for name in [*factors, "y"]}
    roles = Roles(responses=("y",), factors=tuple(factors))
    names = ConditionNames.of(Frame("t", columns), roles)
    labels = list(names.phrases)
    assert names.make_axis(labels).names == labels
    assert names.make_axis(labels).rows == ()


def test_levels_common_to_conditions_are_named() -> None:
    levels = levels_by_condition(FRAME, ROLES)
    assert shared(levels, ROLES, ["1 20 ms 5", "1 80 ms 5"]) == "fast network"
    assert shared(levels, ROLES, list(levels)) == ""


def test_a_condition_without_factors_keeps_its_name() -> None:
    frame = Frame("t", {"condition": ["a", "b"], "y": ["1", "2"]})  # type: ignore[dict-item]
    roles = Roles(responses=("y",), condition=("condition",))
    assert phrases(frame, roles) == {"a": "a", "b": "b"}


def test_words_of_a_level_are_those_that_the_roles_give() -> None:
    given = ROLES.model_copy(update={"levels": {"X1": {"-1": "modem", "1": "fibre"}}})
    assert set(phrases(FRAME, given).values()) >= {"modem, rtt s 20 ms", "fibre, rtt s 80 ms"}


def test_levels_of_an_unknown_factor_are_refused_with_the_factors() -> None:
    roles = ROLES.model_copy(update={"levels": {"X9": {"1": "fast"}}})
    with pytest.raises(AnalysisError, match="levels: 'X9' is no factor; they are X1, X2, N"):
        analyse_table(FRAME, roles)


def test_the_title_of_an_unknown_column_is_refused_with_the_columns() -> None:
    roles = ROLES.model_copy(update={"titles": {"X9": "speed"}})
    with pytest.raises(AnalysisError, match=r"there is no column 'X9'; .*X1"):
        analyse_table(FRAME, roles)


def test_a_factor_has_its_own_words_its_titles_or_its_levels() -> None:
    own = Factor("X12", "number of sources", "n", 1, 2, words=("few users", "many users"))
    assert words_of(own) == ("few users", "many users")
    assert words_of(Factor("X1", "network speed", "s", 1, 2)) == ("slow network", "fast network")
    text = Factor("X13", "distribution of sources", "d", "peer-to-peer", "web-centric")
    assert words_of(text) == ("peer-to-peer", "web-centric")
    assert words_of(Factor("A", "", "a", 1, 2)) == ("low A", "high A")


def test_a_study_names_its_conditions() -> None:
    study = load("tcp-replacements")
    design = study.setup(study.scale("quick")).design
    assert describe_condition(design, 0) == "slow network, short delays, few users"
    assert describe_condition(design, len(design) - 1) == "fast network, long delays, many users"
    assert describe_shared_levels(design, [0, 1]) == "short delays, few users"


def test_only_levels_that_are_coded_in_the_table_get_words() -> None:
    factors = [Factor("X1", "network speed", "s", 1, 2), Factor("X2", "rtt", "r", "1 s", "2 s")]
    table = Table("t", {"X1": FRAME.columns["X1"], "X2": FRAME.columns["X2"]})  # type: ignore[dict-item]
    named = name_levels(ROLES, factors, table)
    assert named.levels == {"X1": {"-1": "slow network", "1": "fast network"}}


def test_a_code_beside_its_own_words_is_not_said_twice() -> None:
    codes = Codes({"y5": "loss rate", "X1": "network speed"})
    said = codes.explain("y5 loss rate grows with X1; y5 falls")
    assert said == (
        '<span title="y5">loss rate</span> grows with <span title="X1">network speed</span>;'
        ' <span title="y5">loss rate</span> falls'
    )


def test_a_code_in_brackets_behind_its_words_stays() -> None:
    codes = Codes({"X3": "buffer size"})
    said = "Loss rate is moved most by buffer size (X3)."
    assert codes.explain(said) == said


def test_a_hyphen_before_a_number_is_a_minus_sign_on_a_page() -> None:
    said = str(Codes({}).explain("from 1-2 to x-y it changes by -3 (-4 to -2.5)"))
    minus = "\N{MINUS SIGN}"
    assert said == f"from 1-2 to x-y it changes by {minus}3 ({minus}4 to {minus}2.5)"
