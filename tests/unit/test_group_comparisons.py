"""Tukey's and Dunnett's comparisons, and power, against SciPy and published tables."""

import numpy as np
import pytest
from scipy import stats

from headgate.base.errors import AnalysisError
from headgate.figures.analysis.roles import Roles
from headgate.figures.analysis.whole import analyse_table
from headgate.stats.comparisons import _find_critical, compare_groups
from headgate.stats.power import compute_power, find_detectable, find_replicates

#: Breaks of yarn at three tensions (Tippett 1950), R's data set warpbreaks, by wool and tension.
BREAKS = {
    "L": [26, 30, 54, 25, 70, 52, 51, 26, 67, 27, 14, 29, 19, 29, 31, 41, 20, 44],
    "M": [18, 21, 29, 17, 12, 18, 35, 30, 36, 42, 26, 19, 16, 39, 28, 21, 39, 29],
    "H": [36, 21, 24, 18, 10, 43, 28, 15, 26, 20, 21, 24, 17, 13, 15, 15, 16, 28],
}


def test_tukey_is_that_of_r() -> None:
    """TukeyHSD(aov(breaks ~ wool + tension), "tension"): help page of R's stats."""
    columns = {
        "tension": [level for level, of in BREAKS.items() for _ in of],
        "wool": ["A"] * 9 + ["B"] * 9 + ["A"] * 9 + ["B"] * 9 + ["A"] * 9 + ["B"] * 9,
        "breaks": [float(value) for of in BREAKS.values() for value in of],
    }
    roles = Roles(responses=("breaks",), factors=("wool", "tension"), method="main-effects")
    (made,) = analyse_table(columns, roles).of("comparisons")
    rows = {(row["first"], row["last"]): row for row in made.rows()}
    for pair, difference, low, high, p in (
        (("L", "M"), -10.0, -19.35342, -0.6465793, 0.0336262),
        (("L", "H"), -14.722222, -24.07564, -5.3688015, 0.0011218),
        (("M", "H"), -4.722222, -14.07564, 4.6311985, 0.4474210),
    ):
        row = rows.get(pair) or rows[pair[::-1]]
        sign = 1 if pair in rows else -1
        ends = sorted((sign * row["low"], sign * row["high"]))
        assert sign * row["difference"] == pytest.approx(difference)
        assert ends == pytest.approx([low, high], abs=1e-4)
        assert row["p"] == pytest.approx(p, abs=1e-5)
    (said,) = [found.sentence for found in made.findings()]
    assert said == (
        "Breaks differs by tension in 2 of 3 comparisons (Tukey, 95 % together): L above H by 14.72"
        " (5.369 to 24.08); L above M by 10 (0.6466 to 19.35)."
    )


def test_tukey_is_that_of_scipy_for_unequal_groups() -> None:
    rng = np.random.default_rng(1)
    sizes = {"a": 6, "b": 8, "c": 5, "d": 9}
    groups = {name: rng.normal(i, 1, size) for i, (name, size) in enumerate(sizes.items())}
    found = compare_groups(groups)
    other = stats.tukey_hsd(*groups.values())
    ends = other.confidence_interval()
    for place, one in enumerate(found.values()):
        assert one.p == pytest.approx(other.pvalue[one.first, one.last], abs=1e-9), place
        assert one.low == pytest.approx(ends.low[one.last, one.first])
        assert one.high == pytest.approx(ends.high[one.last, one.first])


@pytest.mark.parametrize(
    ("count", "freedom", "critical"),
    [(1, 10, 2.23), (2, 5, 3.03), (2, 10, 2.57), (3, 20, 2.54), (4, 20, 2.65), (9, 20, 2.95),
     (2, 60, 2.27), (9, 60, 2.77)],
)  # fmt: skip
def test_critical_values_are_those_of_dunnetts_table(
    count: int, freedom: int, critical: float
) -> None:
    """Dunnett 1964, table II: two-sided, 5 %, equal groups, so that the correlation is 1/2."""
    assert _find_critical((0.5**0.5,) * count, freedom) == pytest.approx(critical, abs=6e-3)


def test_dunnett_is_that_of_scipy() -> None:
    """Blood counts of Dunnett 1955; SciPy's quadrature is random."""
    groups = {
        "control": [7.40, 8.50, 7.20, 8.24, 9.84, 8.32],
        "A": [9.76, 8.80, 7.68, 9.36],
        "B": [12.80, 9.68, 12.16, 9.20, 10.55],
    }
    found = compare_groups(groups, "control")
    other = stats.dunnett(groups["A"], groups["B"], control=groups["control"], rng=1)
    ends = other.confidence_interval()
    for place, name in enumerate("AB"):
        one = found["control", name]
        assert one.p == pytest.approx(other.pvalue[place], abs=2e-3)
        assert one.low == pytest.approx(ends.low[place], abs=0.02)
        assert one.high == pytest.approx(ends.high[place], abs=0.02)


@pytest.mark.parametrize("control", [None, "g0"])
def test_all_intervals_together_hold_in_95_percent(control: str | None) -> None:
    rng = np.random.default_rng(2)
    hits = 0
    for _ in range(300):
        noise = rng.normal(size=(4, 5)) + 10 * rng.normal(size=5)
        true = rng.normal(size=4)
        groups = {f"g{i}": noise[i] + true[i] for i in range(4)}
        found = compare_groups(groups, control, paired=True).values()
        hits += all(one.low <= true[one.last] - true[one.first] <= one.high for one in found)
    assert hits / 300 == pytest.approx(0.95, abs=0.04)


def test_groups_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(AnalysisError, match="at least two groups"):
        compare_groups({"a": [1.0, 2.0]})
    with pytest.raises(AnalysisError, match="control 'c' is not a group; they are a, b"):
        compare_groups({"a": [1.0, 2.0], "b": [1.0, 2.0]}, "c")
    with pytest.raises(AnalysisError, match="at least two replicates"):
        compare_groups({"a": [1.0], "b": [2.0]})


def test_algorithms_are_compared_with_the_one_before() -> None:
    rng = np.random.default_rng(3)
    ccas, rates = ["reno", "cubic", "bbr"], ["1", "2"]
    rows = [(c, r, s) for c in ccas for r in rates for s in range(4)]
    columns = {
        "cca": [c for c, _, _ in rows], "rate": [r for _, r, _ in rows],
        "seed": [str(s) for _, _, s in rows],
        "y": [5.0 * (c == "bbr") + float(r) + s + 0.1 * rng.normal() for c, r, s in rows],
    }  # fmt: skip
    roles = Roles(responses=("y",), factors=("rate",), cca="cca", before="reno", replicate="seed")
    (made,) = analyse_table(columns, roles).of("comparisons")
    found = {(row["first"], row["last"]): row for row in made.rows()}
    assert set(found) == {("reno", "cubic"), ("reno", "bbr")}
    assert {row["method"] for row in found.values()} == {"Dunnett"}
    assert found["reno", "bbr"]["difference"] == pytest.approx(5, abs=0.2)
    assert found["reno", "bbr"]["shown"]
    assert not found["reno", "cubic"]["shown"] or abs(found["reno", "cubic"]["difference"]) < 0.2


@pytest.mark.parametrize(
    ("effect", "runs", "power"), [(0.2, 394, 0.8006), (0.5, 64, 0.8015), (0.8, 26, 0.8075)]
)
def test_power_is_that_of_g_power(effect: float, runs: int, power: float) -> None:
    """Two means, two-sided 5 %, small, medium and large effects (Faul et al. 2007, G*Power 3)."""
    found = compute_power(effect, (2 / runs) ** 0.5, 2 * runs - 2)
    assert found == pytest.approx(power, abs=6e-5)


def test_replicates_and_effects_follow_from_power() -> None:
    """Cohen 1988, table 2.4.1: 64 runs of each group for a medium effect at 80 %."""

    def spread(count: int) -> tuple[float, float]:
        return (2 / count) ** 0.5, 2 * count - 2

    assert find_replicates(0.5, spread) == 64
    assert find_replicates(0.2, spread) == 394
    least = find_detectable(*spread(64))
    assert compute_power(least, *spread(64)) == pytest.approx(0.8)
    assert least == pytest.approx(0.499, abs=1e-3)
    for freedom, shift in ((2, 5.0), (10, 2.5), (126, 2.83)):
        critical = stats.t.ppf(0.975, freedom)
        exact = stats.nct.sf(critical, freedom, shift) + stats.nct.cdf(-critical, freedom, shift)
        assert compute_power(shift, 1.0, freedom) == pytest.approx(exact, abs=1e-6)
