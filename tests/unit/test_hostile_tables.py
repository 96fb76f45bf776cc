"""Tables that nobody means well: each analysis gives numbers, or refuses in one sentence."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from headgate.figures.analysis import (
    AnalysisError,
    compute_bars,
    compute_biplots,
    compute_clusters,
    compute_components,
    compute_condition_responses,
    compute_correlations,
    compute_main_effects,
    compute_ranks,
    compute_ten_steps,
)

Table = dict[str, Any]

RESPONSES = ["y0", "y1", "y2"]
CCAS = np.array(["bic", "fast", "reno", "htcp"])


def table(conditions: int = 4, ccas: int = 3, replicates: int = 2) -> Table:
    condition, cca, seed = (i.ravel() for i in np.indices((conditions, ccas, replicates)))
    noise = np.random.default_rng(1).normal(10, 1, (len(RESPONSES), len(cca)))
    return {
        "condition": np.char.add("c", condition.astype(str)),
        "cca": CCAS[cca],
        "seed": seed,
        "x1": condition % 2,
        "x2": condition // 2 % 2,
    } | dict(zip(RESPONSES, noise, strict=True))


def changed(name: str, change: Callable[[np.ndarray], Any]) -> Table:
    made = table()
    return made | {name: change(made[name].copy())}


def all_responses(value: float) -> Table:
    return table() | {name: np.full(24, value) for name in RESPONSES}


def put(value: object, *places: int) -> Callable[[np.ndarray], np.ndarray]:
    def change(column: np.ndarray) -> np.ndarray:
        mixed = column.astype(object)
        mixed[list(places)] = value
        return mixed

    return change


def main(made: Table) -> object:
    found = compute_main_effects(made, ["x1", "x2"], RESPONSES)
    return list(found.rows()), found.psi()


def by_cca(made: Table) -> object:
    return list(compute_main_effects(made, ["x1", "x2"], RESPONSES, by=["cca"]).rows())


def ten(made: Table) -> object:
    steps = compute_ten_steps(made, ["x1", "x2"], "y0")
    at = steps.fit_surface(np.zeros(1), np.zeros(1))
    return steps.margin, steps.half_normal, steps.residual_sd, steps.block("x1").p, at


def outlying(made: Table) -> object:
    found = compute_condition_responses(made, RESPONSES, order_by="y0")
    return found.outliers(), found.outliers(by="runs"), found.find_masked(), list(found.rows())


def correlated(made: Table) -> object:
    found = compute_correlations(made, RESPONSES)
    return found.order, found.components


ANALYSES: dict[str, Callable[[Table], object]] = {
    "main effects": main,
    "main effects by algorithm": by_cca,
    "ten steps": ten,
    "outliers": outlying,
    "correlations": correlated,
    "clusters": lambda made: compute_clusters(made, RESPONSES, order_by="y0"),
    "components": lambda made: compute_components(made, RESPONSES),
    "biplots": lambda made: compute_biplots(made, "y0", "y1"),
    "bars": lambda made: compute_bars(made, "y0", "y1", 10.0).mean(),
    "bars of a column": lambda made: compute_bars(made, "y1", "y2", "y0").mean(),
    "ranks": lambda made: compute_ranks(made, RESPONSES).best("y0"),
}

TABLES: dict[str, Callable[[], Table]] = {
    "whole": table,
    "some missing": lambda: changed("y0", put(None, 0, 3, 4, 9)),
    "a response missing": lambda: changed("y0", lambda y: y * np.nan),
    "all responses missing": lambda: all_responses(np.nan),
    "a constant response": lambda: changed("y0", lambda y: y * 0 + 3.3),
    "constant responses": lambda: all_responses(3.3),
    "responses of zero": lambda: all_responses(0.0),
    "about zero": lambda: changed("y0", lambda y: y - y.mean()),
    "below zero": lambda: changed("y0", np.negative),
    "far from zero": lambda: changed("y0", lambda y: y + 1e15),
    "large": lambda: changed("y0", lambda y: y * 1e140),
    "too large": lambda: changed("y0", lambda y: y * 1e200),
    "infinite": lambda: changed("y0", put(np.inf, 2, 7)),
    "single replicates": lambda: table(replicates=1),
    "unbalanced": lambda: {name: column[:-7] for name, column in table().items()},
    "one condition": lambda: table(conditions=1),
    "two algorithms": lambda: table(ccas=2),
    "one algorithm": lambda: table(ccas=1),
    "an algorithm without a response": lambda: changed("y0", put(np.nan, *range(0, 24, 6))),
    "a condition without a response": lambda: changed("y0", put(np.nan, *range(6))),
    "one row": lambda: table(1, 1, 1),
    "no rows": lambda: {name: column[:0] for name, column in table().items()},
    "no columns": dict,
    "no algorithm": lambda: {name: of for name, of in table().items() if name != "cca"},
    "no response": lambda: {name: of for name, of in table().items() if name != "y0"},
    "a row without an algorithm": lambda: changed("cca", put("", 3)),
    "rows without a condition": lambda: changed("condition", put(None, *range(24))),
    "a row without a level": lambda: changed("x1", put(np.nan, 3)),
    "one level": lambda: changed("x1", np.zeros_like),
    "three levels": lambda: changed("x1", lambda x: np.arange(len(x)) % 3),
    "factors alike": lambda: table() | {"x2": table()["x1"]},
    "text": lambda: changed("y0", put("fast", 5)),
    "truth": lambda: changed("y0", lambda y: y > 10),
    "complex": lambda: changed("y0", lambda y: y + 1j),
    "dates": lambda: changed("y0", lambda y: np.full(len(y), "2020-01-01", "datetime64[D]")),
    "two dimensions": lambda: changed("y0", lambda y: np.column_stack([y, y])),
    "a number for a column": lambda: table() | {"y0": 3.0},
    "columns of different length": lambda: changed("y0", lambda y: y[1:]),
}


@pytest.mark.parametrize("kind", TABLES)
@pytest.mark.parametrize("analysis", ANALYSES)
def test_every_analysis_gives_numbers_or_one_sentence(analysis: str, kind: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            assert ANALYSES[analysis](TABLES[kind]()) is not None
        except AnalysisError as error:
            said = str(error)
            assert kind not in ("whole", "some missing", "unbalanced", "infinite", "large")
            assert said.startswith("table: ")
            assert "\n" not in said


REFUSED = [
    ("no rows", "ranks", "table: has no rows"),
    ("no columns", "correlations", "table: has no rows"),
    ("one level", "main effects", "the factor x1 has '0' only; it takes two levels"),
    ("three levels", "ten steps", "x1 has 3 levels; the ten steps take two"),
    ("factors alike", "ten steps", "x2 is confounded with the other factors"),
    ("text", "clusters", "y0 is a response, but 'fast' is no number"),
    ("complex", "components", r"y0 is a response, but '\(.*j\)' is no number"),
    ("dates", "biplots", "y0 is a response, but '2020-01-01' is no number"),
    ("too large", "outliers", "y0 has numbers beyond 1e\\+150"),
    ("two dimensions", "bars", "y0 is no list with one value a row"),
    ("a number for a column", "main effects", "y0 is no list with one value a row"),
    ("a row without an algorithm", "clusters", "row 4 has nothing in cca"),
    ("rows without a condition", "ranks", "row 1 has nothing in condition"),
    ("constant responses", "components", "components need two points and two varying responses"),
    ("a response missing", "bars of a column", "is above zero; got no number"),
    ("a response missing", "main effects", "y0 has no number in any row"),
    ("one row", "outliers", "outliers need three algorithms; it has 1"),
    ("no algorithm", "components", "there is no column 'cca'"),
]


@pytest.mark.parametrize(("kind", "analysis", "says"), REFUSED)
def test_refusals_state_their_reason(kind: str, analysis: str, says: str) -> None:
    with pytest.raises(AnalysisError, match=says):
        ANALYSES[analysis](TABLES[kind]())


def test_names_given_twice_are_refused() -> None:
    import pandas as pd

    frame = pd.DataFrame([[1, 2, 3]] * 4, columns=["a", "y", "y"])
    with pytest.raises(AnalysisError, match="two columns are named 'y'"):
        compute_main_effects(frame, ["a"], ["y"])
    for twice in (
        lambda: compute_clusters(table(), ["y0", "y0"]),
        lambda: compute_correlations(table(), ["y1", "y1"]),
        lambda: compute_ten_steps(table(), ["x1", "x2"], "x1"),
        lambda: compute_biplots(table(), "y0", "y0"),
    ):
        with pytest.raises(AnalysisError, match="named twice"):
            twice()


# --- what is handled comes out right --------------------------------------------------------------


def test_infinite_values_are_as_good_as_missing() -> None:
    one = compute_main_effects(changed("y0", put(np.inf, 2, 7)), ["x1"], ["y0"]).one("x1", "y0")
    assert one == compute_main_effects(changed("y0", put(None, 2, 7)), ["x1"], ["y0"]).one(
        "x1", "y0"
    )


@pytest.mark.parametrize("hole", ["", "NA", "nan", "null", ".", "n/a", None, "<NA>"])
def test_missing_values_are_written_in_many_ways(hole: str | None) -> None:
    made = {"a": ["1", "2", "1", "2", hole], "y": ["1", "4", "2", "5", "99"]}
    assert compute_main_effects(made, ["a"], ["y"]).one("a", "y").effect == 3.0
    made = {"a": ["1", "2", "1", "2", "1"], "y": ["1", "4", "2", "5", hole]}
    assert compute_main_effects(made, ["a"], ["y"]).one("a", "y").effect == 3.0


def test_effects_do_not_depend_on_where_zero_or_one_is() -> None:
    """F and p stay when a response is shifted or scaled; two digits are left at 1e13."""
    plain = compute_main_effects(table(), ["x1"], ["y0"]).one("x1", "y0")
    scaled = compute_main_effects(changed("y0", lambda y: y * 1e140), ["x1"], ["y0"]).one(
        "x1", "y0"
    )
    shifted = compute_main_effects(changed("y0", lambda y: y + 1e13), ["x1"], ["y0"]).one(
        "x1", "y0"
    )
    assert scaled.f_ratio == pytest.approx(plain.f_ratio, rel=1e-9)
    assert shifted.f_ratio == pytest.approx(plain.f_ratio, rel=0.05)
