"""The power of the tests of an analysis; `python -m tests.unit.power` prints it.

Each row is planted at two, three and five sigma, alone, many times over. A sigma is the deviation
of one run.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy import stats
from scipy.cluster import hierarchy

from headgate.figures.analysis import (
    compute_clusters,
    compute_components,
    compute_condition_responses,
    compute_correlations,
    compute_main_effects,
)
from headgate.figures.analysis.clusters import ClusterTree
from headgate.figures.analysis.conditions import OutlierTest
from headgate.stats.outliers import ALPHA

from .planted import CCAS, FACTORS, Planted

SIZES = (2.0, 3.0, 5.0)
#: With 4000 trials a share is known to 0.016 at worst (two deviations).
TRIALS = 4000

ALIKE = (100.0, 100.0)
RUNS = 32
#: The standard error of an effect over 32 runs, in sigmas of a run.
ERROR = 2 / np.sqrt(RUNS)

Power = Callable[[float, int, int], float]


# --- main effects ---------------------------------------------------------------------------------


def moved(size: float, count: int = 1, seed: int = 1, responses: int = 45) -> Planted:
    """Plant a main effect of each of the first `count` factors in all responses."""
    made = Planted(responses=responses, replicates=1, level=ALIKE, seed=seed)
    for factor in range(count):
        for response in range(responses):
            made.move(factor, response, size)
    return made


def one_way(size: float, trials: int, seed: int, count: int = 1) -> float:
    made = moved(size, count, seed, trials // len(CCAS))
    found = compute_main_effects(made.table(), ["X1"], made.names, by=["cca"])
    return float(np.mean([e.p < ALPHA and e.effect > 0 for e in found.effects.values()]))


def in_model(size: float, trials: int, seed: int, count: int = 1) -> float:
    made = moved(size, count, seed, trials // len(CCAS))
    found = compute_main_effects(made.table(), FACTORS, made.names, by=["cca"]).full.values()
    terms = [model.terms["X1",] for model in found]
    return float(np.mean([term.p < ALPHA and term.effect > 0 for term in terms]))


def in_errors(size: float, trials: int, seed: int) -> float:
    return one_way(size * ERROR, trials, seed)


def exact(size_in_errors: float, freedom: int = RUNS - 2) -> float:
    """Power of F for an effect in standard errors: F with this non-centrality, squared."""
    critical = stats.f.isf(ALPHA, 1, freedom)
    return float(stats.ncf.sf(critical, 1, freedom, size_in_errors**2))


# --- outliers -------------------------------------------------------------------------------------


def _cells(
    ccas: list[int], size: float, trials: int, seed: int, replicates: int
) -> list[OutlierTest]:
    made = Planted(trials, 1, replicates, seed=seed)
    made.shifts[..., ccas, 0] = size
    return list(
        compute_condition_responses(made.table(), made.names, replicate="seed").tests.values()
    )


def alone(size: float, trials: int, seed: int, replicates: int, by: str) -> float:
    found = _cells([2], size, trials, seed, replicates)
    return float(np.mean([test.cca == CCAS[2] and test.p_by(by) < ALPHA for test in found]))


def one_of_two(size: float, trials: int, seed: int, replicates: int, by: str) -> float:
    both = {CCAS[0], CCAS[2]}
    found = _cells([0, 2], size, trials, seed, replicates)
    return float(np.mean([test.cca in both and test.p_by(by) < ALPHA for test in found]))


def pair(size: float, trials: int, seed: int, replicates: int) -> float:
    both = {CCAS[0], CCAS[2]}
    found = _cells([0, 2], size, trials, seed, replicates)
    return float(np.mean([set(test.pair) == both and test.pair_p < ALPHA for test in found]))


# --- clusters -------------------------------------------------------------------------------------


def sides(tree: ClusterTree) -> set[frozenset[str]]:
    """Return what the last link joins."""
    labels = hierarchy.fcluster(tree.linkage, 2, "maxclust")
    return {
        frozenset(cca for cca, own in zip(tree.ccas, labels, strict=True) if own == label)
        for label in (1, 2)
    }


def of_ccas(size: float, trials: int, seed: int) -> float:
    """Two algorithms apart from the other five in fifteen of 45 responses."""
    made = Planted(trials, replicates=1, seed=seed)
    made.shifts[:, :, [0, 2], :15] = size
    two = frozenset({CCAS[0], CCAS[2]})
    trees = compute_clusters(made.table(), made.names).trees.values()
    return float(np.mean([sides(tree) == {two, frozenset(CCAS) - two} for tree in trees]))


def of_points(size: float, trials: int, seed: int) -> float:
    """Half of 32 conditions apart in fifteen of 45 responses: points in the greater parts."""
    right = []
    for repeat in range(trials // (RUNS * len(CCAS))):
        made = Planted(replicates=1, level=ALIKE, seed=1000 * seed + repeat)
        made.shifts[:, RUNS // 2 :, :, :15] = size
        found = compute_components(made.table(), made.names)
        right.append(_agreeing(found.groups, np.arange(RUNS * len(CCAS)) // (len(CCAS) * 16)))
    return float(np.mean(right))


def _agreeing(groups: np.ndarray, truth: np.ndarray) -> float:
    """Return the share of points whose group is that of most of their kind, a group a kind."""
    table = np.zeros((truth.max() + 1, groups.max() + 1))
    np.add.at(table, (truth, groups), 1)
    if len(set(table.argmax(axis=1))) < len(table):
        return 0.0
    return float(table.max(axis=1).sum() / len(truth))


def of_responses(size: float, trials: int, seed: int) -> float:
    """Fifteen hidden behaviours of `size` sigma, in three responses each, found whole and alone."""
    hits = []
    for repeat in range(trials // 15):
        made = Planted(replicates=1, level=ALIKE, seed=1000 * seed + repeat)
        hidden = np.random.default_rng(made.seed).normal(size=(*made.shifts.shape[:3], 15))
        made.shifts += size * np.repeat(hidden, 3, axis=-1)
        found = set(compute_correlations(made.table(), made.names).dimensions)
        hits += [tuple(made.names[i : i + 3]) in found for i in range(0, 45, 3)]
    return float(np.mean(hits))


# --- the table ------------------------------------------------------------------------------------

#: Rows by what is planted and what looks for it, and over how many trials.
ROWS: dict[str, tuple[Power, int]] = {
    "main effect, one-way analysis": (one_way, TRIALS),
    "main effect, sizes in its standard errors": (in_errors, TRIALS),
    "one of six main effects, one-way analysis": (partial(one_way, count=6), TRIALS),
    "one of six main effects, full model": (partial(in_model, count=6), TRIALS // 4),
    "outlier, Grubbs, one run": (partial(alone, replicates=1, by="grubbs"), TRIALS),
    "outlier, Grubbs, means of three": (partial(alone, replicates=3, by="grubbs"), TRIALS),
    "outlier, spread of three": (partial(alone, replicates=3, by="runs"), TRIALS),
    "pair, Grubbs, means of three": (partial(one_of_two, replicates=3, by="grubbs"), TRIALS),
    "pair, test of pairs, one run": (partial(pair, replicates=1), TRIALS),
    "pair, test of pairs, means of three": (partial(pair, replicates=3), TRIALS),
    "pair, spread of three": (partial(one_of_two, replicates=3, by="runs"), TRIALS),
    "two algorithms of seven, clusters": (of_ccas, TRIALS),
    "conditions, components": (of_points, TRIALS),
    "responses, correlations": (of_responses, TRIALS // 4),
}


def table(seed: int = 1) -> str:
    """Return the rows as a table of the documentation."""
    lines = [
        f"| {name} | " + " | ".join(f"{power(size, trials, seed):.3f}" for size in SIZES) + " |"
        for name, (power, trials) in ROWS.items()
    ]
    head = ["| planted, and looked for by | 2 sigma | 3 sigma | 5 sigma |", "| --- " * 4 + "|"]
    return "\n".join([*head, *lines])


if __name__ == "__main__":
    print(table())
