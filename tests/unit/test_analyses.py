"""The analyses against planted truths, textbooks and other programs."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.cluster import hierarchy
from scipy.spatial import distance

from headgate.figures.analysis import (
    AnalysisError,
    compute_bars,
    compute_biplots,
    compute_clusters,
    compute_components,
    compute_condition_responses,
    compute_correlations,
    compute_grid,
    compute_ranks,
)
from headgate.figures.analysis.changes import compute_changes as changes_of
from headgate.figures.analysis.clusters import ClusterTree, silhouette
from headgate.figures.analysis.findings import of_biplots, of_outliers, of_ranks
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.phrases import ConditionNames
from headgate.figures.plots.style import save_figure
from headgate.stats.outliers import compute_critical_value, compute_grubbs_p, compute_grubbs_pair_p

from .planted import CCAS, Planted

#: NIST/SEMATECH e-Handbook 1.3.5.17.1: the uranium data of Tietjen and Moore, G = 2.4687.
URANIUM = np.array([199.31, 199.53, 200.19, 200.82, 201.92, 201.95, 202.18, 245.57])


# --- Grubbs ---------------------------------------------------------------------------------------


def test_grubbs_is_that_of_the_handbook() -> None:
    place, g, p = compute_grubbs_p(URANIUM)
    assert (place, round(g, 4)) == (7, 2.4688)
    assert p < 1e-6


@pytest.mark.parametrize(
    ("count", "level", "critical"),
    [(7, 0.05, 2.0200), (7, 0.01, 2.1391), (8, 0.05, 2.1266), (8, 0.01, 2.2744)],
)
def test_critical_values_are_those_of_the_tables(count: int, level: float, critical: float) -> None:
    assert compute_critical_value(count, level) == pytest.approx(critical, abs=5e-5)


def test_p_is_the_level_at_the_critical_value() -> None:
    """Six values +-e and one far: the distance is set so that G is just critical."""
    wanted = compute_critical_value(7, 0.05)
    base = np.array([-1.0, 1.0, -1.0, 1.0, -1.0, 1.0, 0.0])
    low, high = 1.0, 100.0
    for _ in range(100):
        middle = (low + high) / 2
        g = compute_grubbs_p(np.append(base[:6], middle))[1]
        low, high = (middle, high) if g < wanted else (low, middle)
    assert compute_grubbs_p(np.append(base[:6], low))[2] == pytest.approx(0.05, rel=1e-6)


def test_two_outliers_mask_each_other_and_are_found_as_a_pair() -> None:
    values = np.array([1.0, 1.1, 0.9, 1.05, 0.95, 3.0, 3.1])
    assert compute_grubbs_p(values)[2] > 0.5
    pair, p = compute_grubbs_pair_p(values)
    assert set(pair) == {5, 6}
    assert p < 0.001


def test_values_that_do_not_vary_or_are_too_few_have_no_outlier() -> None:
    assert compute_grubbs_p(np.full(7, 3.3))[2] == 1.0
    assert compute_grubbs_pair_p(np.full(7, 3.3))[1] == 1.0
    assert np.isnan(compute_grubbs_p(np.array([1.0, 2.0]))[2])


# --- planted truths -------------------------------------------------------------------------------


def test_planted_outliers_are_found() -> None:
    """At 5 to 10 sigma of a run in 200 of 1440 cells, three replicates: 99 % by their spread."""
    rng = np.random.default_rng(7)
    made = Planted()
    cells = rng.choice(made.conditions * made.responses, 200, replace=False)
    truth = {}
    for cell in cells:
        c, r = divmod(int(cell), made.responses)
        cca = int(rng.integers(len(CCAS)))
        made.shifts[..., c, cca, r] = rng.choice([-1, 1]) * rng.uniform(5, 10)
        truth[f"c{c + 1}", f"y{r + 1}"] = CCAS[cca]
    found = compute_condition_responses(made.table(), made.names)
    by_runs = found.outliers(by="runs")
    hits = sum(cell in by_runs and by_runs[cell].cca == cca for cell, cca in truth.items())
    assert hits >= 0.99 * len(truth)
    # With the means alone: 5 sigma of a run are 8.7 of a mean of three, which Grubbs finds in 98 %.
    alone = found.outliers()
    assert (
        sum(cell in alone and alone[cell].cca == cca for cell, cca in truth.items()) >= 0.95 * 200
    )


@pytest.mark.parametrize("by", ["grubbs", "runs"])
def test_false_alarms_come_at_the_nominal_rate(by: str) -> None:
    """1,000 tables without anything in them: alarms at the level, within four of its deviations."""
    trials = 1000
    made = Planted(conditions=trials, responses=2, seed=11)
    found = compute_condition_responses(made.table(), made.names)
    rate = len(found.outliers(by=by)) / len(found.tests)
    assert rate == pytest.approx(0.05, abs=4 * np.sqrt(0.05 * 0.95 / len(found.tests)))


def test_after_correction_hardly_any_alarm_is_left() -> None:
    made = Planted(seed=12)
    found = compute_condition_responses(made.table(), made.names)
    assert min(found.q.values()) > 0.01


def test_planted_clusters_are_found() -> None:
    """FAST and BIC 5 sigma above the others in a third of the responses, in conditions 9 to 32."""
    made = Planted(replicates=1)
    made.shifts[:, 8:, [0, 2], :15] = 5.0
    found = compute_clusters(made.table(), made.names, order_by="y1")
    apart = [
        {frozenset(group) for group in _two(tree)}
        for name, tree in found.trees.items()
        if int(name[1:]) > 8
    ]
    wanted = {frozenset({"bic", "fast"}), frozenset(CCAS) - {"bic", "fast"}}
    assert sum(groups == wanted for groups in apart) >= 0.99 * len(apart)


def _two(tree: ClusterTree) -> list[list[str]]:
    labels = hierarchy.fcluster(tree.linkage, 2, "maxclust")
    return [[cca for cca, own in zip(tree.ccas, labels, strict=True) if own == k] for k in (1, 2)]


# --- clusters -------------------------------------------------------------------------------------


def test_average_linkage_by_hand() -> None:
    """Points 0, 1 and 5 on a line of deviation sqrt 7: links at 1 and (5 + 4)/2 of it."""
    table = {"condition": ["a"] * 3, "cca": ["p", "q", "r"], "y": [0.0, 1.0, 5.0]}
    tree = compute_clusters(table, ["y"]).trees["a"]
    assert tree.linkage[:, 2] == pytest.approx(np.array([1.0, 4.5]) / np.sqrt(7))
    assert tree.groups() == (("p", "q"), ("r",))
    assert tree.apart == "r"


def test_a_response_that_does_not_vary_is_left_out() -> None:
    table = {"condition": ["a"] * 3, "cca": ["p", "q", "r"], "y": [0.0, 1.0, 5.0], "z": [7.0] * 3}
    tree = compute_clusters(table, ["y", "z"]).trees["a"]
    assert tree.used == ("y",)
    same = compute_clusters(table, ["z"]).trees["a"]
    assert (same.greatest, same.groups(), same.apart) == (0.0, (("p", "q", "r"),), None)


# --- components -----------------------------------------------------------------------------------


def test_components_are_those_of_scikit_learn() -> None:
    from sklearn.decomposition import PCA

    made = Planted(conditions=6, responses=8, replicates=1)
    made.shifts[..., 2, :4] = 6.0
    found = compute_components(made.table(), made.names)
    cells = compute_grid(made.table(), made.names).values.reshape(-1, 8)
    scaled = (cells - cells.mean(axis=0)) / cells.std(axis=0, ddof=1)
    other = PCA().fit(scaled)
    assert found.shares == pytest.approx(other.explained_variance_ratio_)
    assert np.abs(found.loadings) == pytest.approx(np.abs(other.components_), abs=1e-9)
    assert np.abs(found.scores) == pytest.approx(np.abs(other.transform(scaled)), abs=1e-9)


def test_the_silhouette_is_that_of_scikit_learn() -> None:
    from sklearn.metrics import silhouette_score

    rng = np.random.default_rng(2)
    points, labels = rng.normal(size=(30, 2)), rng.integers(0, 4, 30)
    labels[0] = 9  # a group of one
    ours = silhouette(distance.squareform(distance.pdist(points)), labels)
    assert ours == pytest.approx(silhouette_score(points, labels))


def test_groups_of_points_are_found() -> None:
    rng = np.random.default_rng(3)
    places = [(condition, cca) for condition in range(12) for cca in CCAS]
    first = np.array([condition < 6 for condition, _ in places])
    noise = rng.normal(size=(3, len(places)))
    table = {
        "condition": np.array([f"c{condition}" for condition, _ in places]),
        "cca": np.array([cca for _, cca in places]),
        "a": 10.0 * first + noise[0],
        "b": 10.0 * first + noise[1],
        "n": noise[2],
    }
    found = compute_components(table, ["a", "b", "n"])
    sides = {name: {int(c[1:]) < 6 for c, _ in points} for name, points in found.members().items()}
    assert sorted(map(len, found.members().values())) == [42, 42]
    assert all(len(side) == 1 for side in sides.values())


# --- correlations ---------------------------------------------------------------------------------


def test_dimensions_are_mutual_clusters() -> None:
    """Two hidden behaviours with three and two responses, and one independent response."""
    rng = np.random.default_rng(5)
    one, two = rng.normal(size=(2, 400))
    noise = 0.3 * rng.normal(size=(5, 400))
    table = {f"a{i}": one + noise[i] for i in range(3)} | {
        f"b{i}": -two + noise[3 + i] for i in range(2)
    }
    table["c"] = rng.normal(size=400)
    found = compute_correlations(table, list(table))
    assert found.dimensions == (("a0", "a1", "a2"), ("b0", "b1"), ("c",))
    assert found.partners == {"a0": 2, "a1": 2, "a2": 2, "b0": 1, "b1": 1, "c": 0}
    assert found.order[0] == "c"
    assert found.order[-3:] == ("a0", "a1", "a2")
    assert found.r[0, 1] == pytest.approx(stats.pearsonr(table["a0"], table["a1"]).statistic)


def test_two_small_spreads_are_correlated_all_the_same() -> None:
    """Each differs by a millionth of its value or less: far more than rounding."""
    z = np.random.default_rng(5).normal(size=50)
    table = {"y": 1 + 1e-7 * z, "z": 1 + 1e-7 * z, "flat": 1 + 1e-16 * z}
    r = compute_correlations(table, ["y", "z", "flat"]).r
    assert r[0, 1] == pytest.approx(1)
    assert np.isnan(r[0, 2])


@pytest.mark.parametrize("count", [2, 3, 50])
def test_levels_reach_from_minus_one_to_one_exactly(count: int) -> None:
    twice = np.tile(np.arange(count), 2)  # once each would be the numbers of the rows
    coded = Frame("t", {"x": twice}).levels("x").coded
    assert (coded.min(), coded.max()) == (-1.0, 1.0)


def test_correlations_use_the_runs_in_which_both_are_known() -> None:
    a, b = np.array([1.0, 2.0, np.nan, 4.0, 6.0]), np.array([2.0, np.nan, 5.0, 4.0, 8.0])
    r = compute_correlations({"a": a, "b": b, "c": np.ones(5)}, ["a", "b", "c"]).r
    known = [0, 3, 4]
    assert r[0, 1] == pytest.approx(stats.pearsonr(a[known], b[known]).statistic)
    assert np.isnan(r[0, 2])


# --- ranks, biplots, bars -------------------------------------------------------------------------


def test_ranks_by_hand() -> None:
    table = {
        "condition": ["a"] * 3 + ["b"] * 3,
        "cca": ["p", "q", "r"] * 2,
        "y": [1.0, 2.0, 3.0, 5.0, 5.0, 9.0],
    }
    found = compute_ranks(table, ["y"])
    assert found.ranks["y", "r"].mean == 3
    assert found.ranks["y", "p"].mean == pytest.approx((1 + 1.5) / 2)
    assert found.ranks["y", "q"].deviation == pytest.approx(np.std([2, 1.5], ddof=1))
    assert found.best("y") == ("r",)


def test_equal_ranks_and_none_are_called_so() -> None:
    def say(*y: float) -> str:
        table = {"condition": ["a"] * 3 + ["b"] * 3, "cca": ["p", "q", "r"] * 2, "y": y}
        return next(of_ranks(compute_ranks(table, ["y"]))).sentence

    assert say(1, 1, 1, 2, 2, 2) == "In y, all algorithms have the same rank."
    assert say(1, 2, 2, 1, 2, 2).startswith("In y, q and r rank highest: 2.5 of 3 on average")
    none = (np.nan, 1, 2, 1, np.nan, 2)
    assert (
        say(*none)
        == "In y, no algorithm is ranked, because no condition has a number of every algorithm."
    )
    assert (
        say(1, 2, 3, *none[:3]) == "In y, r ranks highest: 3.0 of 3 on average (too few to test)."
    )


def test_biplots_give_the_geometric_mean_of_ratios() -> None:
    table = {"condition": ["a", "b"], "cca": ["p", "p"], "own": [4.0, 9.0], "tcp": [1.0, 1.0]}
    panel = compute_biplots(table, "own", "tcp").panels["p"]
    assert panel.ratio[0] == pytest.approx(6)
    assert panel.ahead[0] == 1
    t = stats.ttest_1samp(np.log([4.0, 9.0]), 0).confidence_interval()
    assert panel.ratio[1:] == pytest.approx(np.exp(t))


def test_one_condition_gives_a_ratio_without_bounds() -> None:
    table = {"condition": ["a"], "cca": ["p"], "own": [4.0], "tcp": [1.0]}
    found = compute_biplots(table, "own", "tcp")
    assert found.panels["p"].ratio == pytest.approx((4, 0, np.inf))
    assert [one.sentence for one in of_biplots(found)] == [
        "It is not known whether flows get more or less than competing TCP flows:"
        " p 4.00 times (one condition)."
    ]


def test_nothing_beside_tcp_leaves_no_ratio() -> None:
    table = {
        "condition": ["a", "b", "c"],
        "cca": ["p"] * 3,
        "own": [0.0, 2.0, 2.0],
        "tcp": [1.0, 1.0, 1.0],
    }
    found = compute_biplots(table, "own", "tcp")
    assert np.isnan(found.panels["p"].ratio).all()
    assert found.panels["p"].zeros == 1
    assert next(of_biplots(found)).sentence.endswith("p no ratio, zero in 1 of 3.")


def test_equal_is_said_only_of_intervals_within_10_percent() -> None:
    def say(*own: float) -> list[str]:
        table = {"condition": list("abc"), "cca": ["p"] * 3, "own": own, "tcp": [1.0] * 3}
        return [one.sentence for one in of_biplots(compute_biplots(table, "own", "tcp"))]

    assert say(0.99, 1.0, 1.01) == [
        "No algorithm's flows get 10 % more or less than competing TCP flows."
    ]
    assert say(0.5, 1.0, 2.0)[0].startswith("It is not known whether flows get more or less")


def test_bars_are_shares_of_the_available_rate() -> None:
    table = {"condition": ["a"], "cca": ["p"], "own": [4.0], "tcp": [1.0], "rate": [8.0]}
    assert compute_bars(table, "own", "tcp", "rate").mean() == {"p": (0.5, 0.125)}
    with pytest.raises(AnalysisError, match="above zero; got 0"):
        compute_bars(table | {"rate": [0.0]}, "own", "tcp", "rate")


# --- tables as they come --------------------------------------------------------------------------


def test_missing_cells_and_unequal_replicates_are_dealt_with() -> None:
    made = Planted(conditions=4, responses=3).table()
    kept = np.ones(len(made["cca"]), dtype=bool)
    kept[[0, 5, 6, 7, 8]] = False  # a run of bic, one of ctcp, all of fast in c1
    table = {name: column[kept] for name, column in made.items()}
    table["y1"] = np.where(np.arange(kept.sum()) < 10, np.nan, table["y1"])
    found = compute_condition_responses(table, ["y1", "y2", "y3"])
    assert len(found.tests) == 11  # of y1 two algorithms only are left in c1
    assert np.isfinite(found.tests["c1", "y2"].runs_p)
    compute_components(table, ["y1", "y2", "y3"])
    compute_ranks(table, ["y1"])


def without(table: Mapping[str, Any], rows: np.ndarray) -> dict[str, Any]:
    return {name: np.asarray(column)[~rows] for name, column in table.items()}


def test_replicates_are_placed_by_their_label() -> None:
    table = Planted(conditions=2, responses=1).table()
    table["seed"] = table["seed"] + 7
    lost = (table["condition"] == "c1") & (table["cca"] == "fast") & (table["seed"] == 7)
    whole, part = (
        compute_grid(rows, ["y1"], replicate="seed") for rows in (table, without(table, lost))
    )
    at = whole.conditions.index("c1"), whole.ccas.index("fast"), 0, 0
    expected = whole.runs.copy()
    expected[at] = np.nan
    assert part.paired
    np.testing.assert_array_equal(part.runs, expected)
    assert np.isnan(compute_grid(without(table, lost), ["y1"]).runs[at[0], at[1], 2, 0])
    # A design that repeats its centre runs a seed several times: order distinguishes these runs.
    again = compute_grid({**table, "seed": np.zeros(len(lost))}, ["y1"], replicate="seed")
    np.testing.assert_array_equal(again.runs, whole.runs)


def test_conditions_may_have_separate_seeds() -> None:
    table = Planted(conditions=3, responses=1).table()
    own = np.char.add(table["condition"].astype(str), table["seed"].astype(str))
    one, other = (
        compute_grid({**table, "seed": s}, ["y1"], replicate="seed") for s in (table["seed"], own)
    )
    np.testing.assert_array_equal(one.runs, other.runs)


def test_a_change_is_over_the_seeds_that_both_algorithms_have() -> None:
    """The traffic of a seed moves both algorithms far more than the change of 20 % does."""
    traffic = np.array([10.0, 40.0, 160.0])
    table = {
        "condition": ["a"] * 6,
        "cca": ["old"] * 3 + ["new"] * 3,
        "seed": [1, 2, 3] * 2,
        "y": np.concatenate([traffic, 1.2 * traffic + [0.0, 0.1, 0.2]]),
    }
    lost = without(table, np.arange(6) == 3)
    found = changes_of(compute_grid(lost, ["y"], replicate="seed"), "old", [0]).cells[
        "new", "a", "y"
    ]
    assert found.share == pytest.approx(0.2 + 0.15 / 100)
    unpaired = changes_of(compute_grid(lost, ["y"]), "old", [0]).cells["new", "a", "y"]
    assert unpaired.state == "not known"
    assert unpaired.share == pytest.approx(120.15 / 70 - 1)


def test_a_lost_run_does_not_silence_its_cell() -> None:
    made = Planted(conditions=2, responses=2)
    made.shifts[..., 2, :] = 60.0
    table = made.table()
    first = (table["condition"] == "c1") & (table["cca"] == "bic")
    lost = without(table, first & (table["seed"] == 0))
    found = compute_condition_responses(lost, made.names, replicate="seed")
    assert len(found.outliers(by="runs")) == 4
    assert found.tests["c1", "y1"].runs_p < 0.05
    # Of bic one run is left: Grubbs' test takes its place there.
    found = compute_condition_responses(without(table, first & (table["seed"] > 0)), made.names)
    assert np.isnan(found.tests["c1", "y1"].runs_p)
    assert found.tests["c1", "y1"].p_by("runs") == found.tests["c1", "y1"].p
    assert found.best == "runs"
    assert len(found.outliers(by="runs")) == 4
    said = next(of_outliers(found)).sentence
    assert "(Grubbs' test in 2 cells without replicates)" in said


def test_an_algorithm_without_numbers_is_left_out_of_its_tree() -> None:
    made = Planted(conditions=3, responses=4)
    table = made.table()
    lost = (table["condition"] == "c1") & (table["cca"] == "fast")
    alone = (table["condition"] == "c2") & (table["cca"] != "fast")
    for name in made.names:
        table[name] = np.where(lost | alone, np.nan, table[name])
    found = compute_clusters(table, made.names)
    assert found.trees["c1"].ccas == tuple(cca for cca in CCAS if cca != "fast")
    assert found.trees["c1"].greatest > 0
    assert (found.order, list(found.trees)) == (("c1", "c3"), ["c1", "c3"])
    nobody = {"condition": ["a"] * 2, "cca": ["p", "q"], "y": [np.nan, 1.0]}
    with pytest.raises(AnalysisError, match="no condition has numbers of two algorithms"):
        compute_clusters(nobody, ["y"])


def test_two_algorithms_have_no_outlier() -> None:
    table = {"condition": ["a", "a"], "cca": ["p", "q"], "y": [1.0, 2.0]}
    with pytest.raises(AnalysisError, match="outliers need three algorithms; it has 2"):
        compute_condition_responses(table, ["y"])


def test_conditions_are_written_in_words_if_these_fit() -> None:
    made = Planted(conditions=5, responses=6)
    outlying = compute_condition_responses(made.table(), made.names)
    first = outlying.order[0]

    def axis(words: str) -> list[str]:
        drawn = outlying.figure(names=ConditionNames({first: words}))
        return [label.get_text() for label in drawn.axes[0].get_xticklabels()]

    assert axis("slow network, few users")[0] == "slow network, few users"
    assert axis("x" * 49) == list(outlying.order)


def test_pictures_mark_levels_where_words_do_not_fit() -> None:
    made = Planted(conditions=5, responses=6)
    table = made.table()
    found = compute_condition_responses(table, made.names)
    has = {name: place % 2 == 0 for place, name in enumerate(found.order)}
    names = ConditionNames(dict.fromkeys(found.order, "x" * 49), {"● fast   ○ slow": has})
    marks = ["●", "○", "●", "○", "●"]
    grid_axis = found.figure(names=names).axes[0]
    assert [label.get_text() for label in grid_axis.get_xticklabels()] == marks
    assert "● fast   ○ slow" in [text.get_text() for text in grid_axis.texts]
    trees = compute_clusters(table, made.names).figure(names)
    said = dict(zip(found.order, marks, strict=True))
    order = compute_clusters(table, made.names).order
    assert [ax.get_title("left") for ax in trees.axes] == [said[name] for name in order]
    assert trees.get_supxlabel().split()[-4:] == ["●", "fast", "○", "slow"]


def test_pictures_of_changes_name_the_conditions() -> None:
    made = Planted(conditions=5, responses=6)
    cells = compute_grid(made.table(), made.names)
    found = changes_of(cells, cells.ccas[0], range(5))
    drawn = found.figures(names=ConditionNames({cells.conditions[0]: "slow network"}))
    assert list(drawn) == [f"changes-{cca}" for cca in cells.ccas[1:]]
    axis = next(iter(drawn.values())).axes[0]
    ticks = [label.get_text() for label in axis.get_xticklabels()]
    assert ticks == ["slow network", *cells.conditions[1:]]


def test_every_picture_is_drawn(tmp_path: Path) -> None:
    made = Planted(conditions=5, responses=6)
    table, names = made.table(), made.names
    outlying = compute_condition_responses(table, names)
    drawn = {
        "clusters": compute_clusters(table, names).figure(),
        "components": compute_components(table, names).figure(),
        "roll-up": outlying.figure(),
        "detail": outlying.detail("y1"),
        "ranks": compute_ranks(table, ["y1", "y2"]).figure(),
        "biplots": compute_biplots(table, "y1", "y2").figure(),
        "bars": compute_bars(table, "y1", "y2", 200.0).figure(),
        **compute_correlations(table, names).figures(),
    }
    for name, figure in drawn.items():
        assert all(path.stat().st_size > 5000 for path in save_figure(figure, tmp_path, name)), name
