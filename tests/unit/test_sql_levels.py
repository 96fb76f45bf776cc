"""Levels in the SQL of an experiment: an unknown one is refused, and nothing else is."""

import pytest

from headgate.base.errors import HeadgateError
from headgate.experiment.sql_levels import require_levels

LEVELS = {"cca": ("reno", "it's"), "n": (1, 2.5, 10), "rtt": ("10 ms", "20 ms")}


@pytest.mark.parametrize(
    "text",
    [
        "cca = 'reno' AND n = 2.50 AND rtt_s = 0.01",
        "'reno' = cca OR \"cca\" <> 'it''s'",
        "cca IN ('reno', 'it''s') AND n NOT IN (1, 10)",
        "n = '1'",
        "lower(cca) = 'RENO'",
        "cca || 'x' = 'renox'",
        "cca = 're' || 'no'",
        "2 * n = 4",
        "n = 5 * 2",
        "1 + 1 = n",
        "n > 3 AND n <= 4",
        "cca LIKE 'r%'",
        "note = 'cubic' AND mycca = 'cubic' AND t.cca = 'cubic'",
        "n = n AND cca = rtt",
    ],
)
def test_sql_on_levels_that_exist_or_on_other_values_is_accepted(text: str) -> None:
    require_levels("claims.a", text, LEVELS)


@pytest.mark.parametrize(
    ("text", "literal"),
    [
        ("cca = 'cubic'", "'cubic'"),
        ("avg(y) FILTER (cca='Reno') - avg(y) FILTER (cca = 'reno')", "'Reno'"),
        ("CCA != 'cubic'", "'cubic'"),
        ("runs.cca IS NOT DISTINCT FROM 'cubic'", "'cubic'"),
        ("'cubic' == cca", "'cubic'"),
        ("cca in ('reno', 'cubic')", "'cubic'"),
        ("n = 3", "3"),
        ("n = -1.0e1 OR n = 1", "-1.0e1"),
        ("rtt = '10ms'", "'10ms'"),
        ("rtt_s = 10", "10"),
        ("rtt = '10 ms' and 'x' = cca", "'x'"),
    ],
)
def test_a_level_that_does_not_exist_is_refused_with_those_that_do(text: str, literal: str) -> None:
    with pytest.raises(HeadgateError) as error:
        require_levels("claims.a", text, LEVELS)
    assert str(error.value).startswith("claims.a: ")
    assert f"is compared with {literal}, which is none of its levels; they are " in str(error.value)
