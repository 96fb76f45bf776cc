"""The planted truth: 7 algorithms, 45 responses, 32 conditions of a 2^(6-1), 3 periods.

The matching test finds effects of 5 sigma of a run or more in 99 % of places. False alarms occur
at the nominal rate. Bounds are four standard errors wide.
"""

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from headgate.figures.analysis import (
    ConditionResponses,
    MainEffects,
    compute_clusters,
    compute_components,
    compute_condition_responses,
    compute_correlations,
    compute_main_effects,
)

from . import power
from .planted import CCAS, FACTORS, Planted

PERIODS = 3
ALIKE = (100.0, 100.0)
CELL = ["period", "condition"]
POWER = Path(__file__).parents[2] / "docs" / "reference" / "power.md"


def rate(hits: Any, nominal: float) -> tuple[float, float]:
    """Return a share and four standard errors of it, were it the nominal one."""
    hits = np.asarray(hits, dtype=float)
    return float(hits.mean()), 4 * float(np.sqrt(nominal * (1 - nominal) / hits.size))


# --- main effects ---------------------------------------------------------------------------------

#: Response i below this gets one main effect of 5 sigma, of factor i mod 6; the rest get none.
MOVED = 15


@cache
def effects() -> MainEffects:
    made = Planted(replicates=1, periods=PERIODS, level=ALIKE, seed=21)
    for response in range(MOVED):
        made.move(response % 6, response, 5.0 if response % 2 else -5.0)
    return compute_main_effects(made.table(), FACTORS, made.names, by=["period", "cca"])


def test_planted_main_effects_are_found() -> None:
    """In 315 places, with two stars and the right sign."""
    found = [
        (effects().one(FACTORS[i % 6], f"y{i + 1}", group), i % 2)
        for group in effects().table.groups
        for i in range(MOVED)
    ]
    right = [effect.stars == "**" and (effect.effect > 0) == bool(up) for effect, up in found]
    assert len(right) == 315
    assert np.mean(right) >= 0.99
    sizes = np.array([abs(effect.effect) for effect, _ in found])
    assert sizes.mean() == pytest.approx(5, abs=4 * power.ERROR / np.sqrt(315))


@pytest.mark.parametrize(("stars", "nominal"), [(("*", "**"), 0.05), (("**",), 0.01)])
def test_stars_without_an_effect_come_at_the_nominal_rate(
    stars: tuple[str, ...], nominal: float
) -> None:
    none = [f"y{i + 1}" for i in range(MOVED, 45)]
    given = [e.stars in stars for (_, _, name), e in effects().effects.items() if name in none]
    found, wide = rate(given, nominal)
    assert len(given) == 3780
    assert found == pytest.approx(nominal, abs=wide)


def test_the_full_model_keeps_its_rate_beside_large_effects() -> None:
    """Five effects in one response hide a sixth from one-way analyses; the model sees them all."""
    made = power.moved(5.0, count=5, responses=45)
    found = compute_main_effects(made.table(), FACTORS, made.names, by=["cca"])
    terms = [model.terms for model in found.full.values()]
    planted = [term[name,].p < 0.01 for term in terms for name in FACTORS[:5]]
    assert np.mean(planted) >= 0.99
    others = [t.p < 0.05 for term in terms for key, t in term.items() if key not in _single(5)]
    share, wide = rate(others, 0.05)
    assert share == pytest.approx(0.05, abs=wide)
    one_way = [effect.stars for effect in found.effects.values() if effect.factor == "X6"]
    assert np.mean([star != "" for star in one_way]) < 0.01  # far below 5 %: all five are its error


def _single(count: int) -> set[tuple[str, ...]]:
    return {(name,) for name in FACTORS[:count]}


def test_corrected_for_their_number_hardly_any_false_star_is_left() -> None:
    """Benjamini and Hochberg: of what is called, one in twenty is false on average."""
    moved = {(FACTORS[i % 6], f"y{i + 1}") for i in range(MOVED)}
    called = [key for key, q in effects().q.items() if q < 0.05]
    false = [key for key in called if key[1:] not in moved]
    share, wide = rate(np.arange(len(called)) < len(false), 0.05)
    assert share <= 0.05 + wide


# --- outliers -------------------------------------------------------------------------------------


@cache
def outlying() -> tuple[ConditionResponses, dict[tuple[str, str], str], set[tuple[str, str]]]:
    """One CCA 5 sigma of a run away in 200 cells, two together in 200 others; 3920 are empty."""
    rng = np.random.default_rng(31)
    made = Planted(periods=PERIODS, seed=32)
    cells = rng.choice(PERIODS * 32 * 45, 400, replace=False)
    one: dict[tuple[str, str], str] = {}
    two = set()
    for place, cell in enumerate(cells.tolist()):
        period, condition, response = np.unravel_index(cell, (PERIODS, 32, 45))
        key = f"{period + 1} c{condition + 1}", f"y{response + 1}"
        ccas = rng.choice(len(CCAS), 1 + place % 2, replace=False)
        made.shifts[period, condition, ccas, response] = rng.choice([-5.0, 5.0])
        if len(ccas) == 1:
            one[key] = CCAS[ccas[0]]
        else:
            two.add(key)
    return compute_condition_responses(made.table(), made.names, CELL, replicate="seed"), one, two


def test_planted_outliers_are_found_by_the_spread_of_replicates() -> None:
    found, one, _ = outlying()
    hits = [found.tests[key] for key in one]
    significant = [test.cca for test in hits if test.p_by("runs") < 0.05]
    assert len(significant) >= 0.99 * len(hits)
    assert all(test.cca == cca for test, cca in zip(hits, one.values(), strict=True))


def test_grubbs_on_seven_means_finds_fewer() -> None:
    """5 sigma of a run are 8.7 of a mean of three; how many, the table of power says."""
    found, one, _ = outlying()
    share = np.mean([found.tests[key].p < 0.05 and found.tests[key].cca == one[key] for key in one])
    wanted = printed()["outlier, Grubbs, means of three"][2]
    assert 0.95 < wanted < 0.99
    assert share == pytest.approx(wanted, abs=4 * np.sqrt(wanted * (1 - wanted) / 200))


def test_pairs_mask_each_other_but_not_from_the_spread() -> None:
    found, _, two = outlying()
    tests = [found.tests[key] for key in two]
    assert np.mean([test.p < 0.05 for test in tests]) < 0.05
    assert np.mean([test.runs_p < 0.05 for test in tests]) >= 0.99


@pytest.mark.parametrize("by", ["grubbs", "runs", "pairs"])
def test_cells_without_an_outlier_alarm_at_the_nominal_rate(by: str) -> None:
    """Pairs are looked up in a simulated table, and Bonferroni's bound is not sharp for runs."""
    found, one, two = outlying()
    empty = [test for key, test in found.tests.items() if key not in one and key not in two]
    assert len(empty) == 3920
    p = [test.pair_p if by == "pairs" else test.p_by(by) for test in empty]
    share, wide = rate(np.array(p) < 0.05, 0.05)
    assert share == pytest.approx(0.05, abs=wide)


# --- clusters -------------------------------------------------------------------------------------


def test_planted_clusters_of_algorithms_are_found() -> None:
    """Two algorithms 5 sigma apart in fifteen responses, in 96 conditions of three periods."""
    made = Planted(periods=PERIODS, replicates=1, seed=41)
    made.shifts[:, :, [0, 2], :15] = 5.0
    trees = compute_clusters(made.table(), made.names, CELL).trees
    two = frozenset({CCAS[0], CCAS[2]})
    wanted = {two, frozenset(CCAS) - two}
    assert np.mean([power.sides(tree) == wanted for tree in trees.values()]) >= 0.99


def test_planted_clusters_of_points_are_found() -> None:
    """Of 672 points the last sixteen conditions lie 5 sigma away in fifteen responses."""
    made = Planted(periods=PERIODS, replicates=1, level=ALIKE, seed=42)
    made.shifts[:, 16:, :, :15] = 5.0
    found = compute_components(made.table(), made.names, CELL)
    late = np.array([int(condition.split(" c")[1]) > 16 for condition, _ in found.points])
    assert len(late) == 672
    assert set(found.groups[late]).isdisjoint(found.groups[~late])
    assert found.groups.max() == 1


def test_planted_clusters_of_responses_are_found() -> None:
    """Fifteen behaviours of 5 sigma, each in three responses."""
    made = Planted(periods=PERIODS, replicates=1, level=ALIKE, seed=43)
    hidden = np.random.default_rng(43).normal(size=(*made.shifts.shape[:3], 15))
    made.shifts += 5.0 * np.repeat(hidden, 3, axis=-1)
    found = compute_correlations(made.table(), made.names)
    wanted = {tuple(made.names[i : i + 3]) for i in range(0, 45, 3)}
    assert set(found.dimensions) == wanted


def test_no_group_is_found_where_there_is_none() -> None:
    made = Planted(periods=PERIODS, replicates=1, level=ALIKE, seed=44)
    assert compute_components(made.table(), made.names, CELL).groups.max() == 0
    assert all(
        len(group) == 1 for group in compute_correlations(made.table(), made.names).dimensions
    )


# --- power ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("errors", power.SIZES)
def test_the_power_of_the_one_way_analysis_is_its_closed_form(errors: float) -> None:
    """The non-central F with 1 and 30 degrees of freedom; 700 trials."""
    wanted = power.exact(errors)
    wide = 4 * np.sqrt(wanted * (1 - wanted) / 700)
    assert power.in_errors(errors, 700, seed=5) == pytest.approx(wanted, abs=wide + 1e-3)


def printed() -> dict[str, list[float]]:
    rows = [line.strip("| \n").split(" | ") for line in POWER.read_text().splitlines()]
    return {row[0]: [float(cell) for cell in row[1:4]] for row in rows if row[0] in power.ROWS}


def test_the_table_of_power_has_every_row() -> None:
    assert list(printed()) == list(power.ROWS)


@pytest.mark.parametrize("name", [
    "outlier, Grubbs, one run", "outlier, spread of three", "two algorithms of seven, clusters",
])  # fmt: skip
def test_the_table_of_power_is_what_is_found(name: str) -> None:
    against_printed(name, 400)


@pytest.mark.slow
@pytest.mark.parametrize("name", power.ROWS)
def test_the_whole_table_of_power_is_what_is_found(name: str) -> None:
    against_printed(name, power.ROWS[name][1])


def against_printed(name: str, trials: int) -> None:
    """Both are estimates, printed to three decimals."""
    find, printed_from = power.ROWS[name]
    for size, share in zip(power.SIZES, printed()[name], strict=True):
        spread = np.sqrt(max(share * (1 - share), 1 / trials) * (1 / trials + 1 / printed_from))
        assert find(size, trials, 77) == pytest.approx(share, abs=4 * spread + 5e-4)


# --- a thousand repeats ---------------------------------------------------------------------------


def alarms(seed: int) -> dict[str, float]:
    """Return rates of a table of full size; of effects one algorithm and period are judged."""
    made = Planted(periods=PERIODS, level=ALIKE, seed=seed)
    whole = made.table()
    rng = np.random.default_rng(seed)
    cca, period, condition = rng.integers(7), rng.integers(1, 4), rng.integers(1, 33)
    own = (whole["cca"] == CCAS[cca]) & (whole["period"] == period) & (whole["seed"] == 0)
    at = whole["condition"] == f"c{condition}"
    one = {name: column[own] for name, column in whole.items()}
    other = {name: column[at] for name, column in whole.items()}
    effect = list(compute_main_effects(one, FACTORS, made.names).effects.values())
    cells = list(
        compute_condition_responses(other, made.names, CELL, replicate="seed").tests.values()
    )
    return {
        "one star": float(np.mean([e.p < 0.05 for e in effect])),
        "two stars": float(np.mean([e.p < 0.01 for e in effect])),
        "grubbs": float(np.mean([cell.p < 0.05 for cell in cells])),
        "runs": float(np.mean([cell.runs_p < 0.05 for cell in cells])),
        "pairs": float(np.mean([cell.pair_p < 0.05 for cell in cells])),
    }


def two_at_once() -> float:
    """Sum over pairs of algorithms of the chance that both are beyond the critical t.

    Of seven algorithms with three runs: 12 degrees of freedom, and distances from the mean of the
    others that are correlated by -1/6.
    """
    critical = stats.t.isf(0.05 / 14, 12)
    both = [
        stats.multivariate_t(shape=[[1, r], [r, 1]], df=12, seed=1).cdf([-critical] * 2)
        for r in (-1 / 6, 1 / 6)
    ]
    return 21 * 2 * float(sum(both))


@pytest.mark.slow
def test_a_thousand_tables_alarm_at_the_nominal_rate() -> None:
    """Rates of tables are independent, so their spread gives the error of their mean.

    Bonferroni's p of the spread is a bound from above; how far below the rate may be, his second
    inequality says. The table of pairs is simulated and knows its own 5 % to
    4 sqrt(0.05 0.95/200,000) = 0.002.
    """
    nominal = {"one star": 0.05, "two stars": 0.01, "grubbs": 0.05, "runs": 0.05, "pairs": 0.05}
    above, below = {"pairs": 0.002}, {"runs": two_at_once(), "pairs": 0.002}
    found = [alarms(seed) for seed in range(1000)]
    for name, level in nominal.items():
        rates = np.array([one[name] for one in found])
        error = float(rates.std(ddof=1) / np.sqrt(len(rates)))
        print(f"{name}: {rates.mean():.5f} +- {error:.5f}")
        assert rates.mean() <= level + 4 * error + above.get(name, 0.0), name
        assert rates.mean() >= level - 4 * error - below.get(name, 0.0), name
