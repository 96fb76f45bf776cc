"""The analysis of experiments 2a to 2c, in which some sources use TCP and the others one algorithm.

An algorithm is useful if its large files get more than those of TCP beside it, beyond what TCP gets
in its place, with the whole 95 % interval over conditions. Its cost is what TCP flows get beside
it, over the mean beside all algorithms.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from headgate.claims import Estimate, estimate_mean_ratio
from headgate.lab import Analysis, Listing, Runs, make_possible
from headgate_studies.nist.competing import COLUMNS, Numbers, Rates
from headgate_studies.nist.estimates import LARGE
from headgate_studies.nist.findings_mixed import movies
from headgate_studies.nist.mixed_runs import Mixed
from headgate_studies.nist.size import describe_preserved
from headgate_studies.nist.summary import CONDITIONS, balance

#: The source's statement on each algorithm's fairness to TCP.
FAIRNESS: Mapping[str, str] = {
    **dict.fromkeys(("ctcp", "htcp", "fast-at"), "most fair"),
    **dict.fromkeys(("scalable", "bic", "fast"), "most unfair"),
    "hstcp": "moderately fair, unfair under heavy congestion",
}


def prepare(runs: Runs) -> Mixed:
    """Measure throughputs in finished runs."""
    return Mixed(runs.setup, runs.results)


def analyse(mixed: Mixed) -> Analysis:
    """Give the table that the report analyses, and what is said of it."""
    return Analysis(
        sentences=(say_usefulness(mixed), *sentences(mixed)),
        tables=(compare_usefulness(mixed),),
        data=(mixed.experiment.table,),
        roles=mixed.experiment.roles,
    )


def compare_usefulness(of: Mixed) -> Listing:
    """Return a row for each algorithm: the gain of its large files, and the cost to TCP's flows."""
    light, heavy, cost = find_gains(of, of.light), find_gains(of, of.heavy), find_costs(of)
    rows: list[tuple[object, ...]] = [
        (cca, *map(_format, (light[cca], heavy[cca], cost[cca])), FAIRNESS.get(cca, ""))
        for cca in of.ccas
    ]
    return Listing(
        "Which algorithms are useful, and at whose cost",
        "Service packs and movies over those of TCP beside them, over the same with TCP in the"
        " algorithm's place; all files of TCP beside an algorithm over the mean beside all"
        " algorithms, all conditions. Geometric means, 95 % intervals over these.",
        ("cca", "gain, uncongested", "gain, heavily congested", "TCP beside it", "the source"),
        rows,
    )


def find_gains(of: Mixed, conditions: Sequence[str]) -> dict[str, Estimate]:
    """Return what large files of each algorithm get over those of TCP beside them."""
    return _by_cca(of, of.rates.only(conditions, LARGE).ahead())


def find_costs(of: Mixed) -> dict[str, Estimate]:
    """Return what TCP flows get beside each algorithm over the mean beside all."""
    return _by_cca(of, of.rates.beside("tcp"))


def say_usefulness(of: Mixed) -> str:
    """Say which algorithms help their users here, and in which the source found it so."""
    light, heavy = (_say_useful(find_gains(of, names)) for names in (of.light, of.heavy))
    return (
        "Useful, large files get more than TCP's beside them: without congestion"
        f" {light}; with much of it {heavy}. The source:"
        " all, but for large files only on paths with sporadic losses, or if unfair."
    )


def _say_useful(gains: Mapping[str, Estimate]) -> str:
    """Name the algorithms whose whole interval is above 1; one condition gives no interval."""
    known = {cca: found.ci for cca, found in gains.items() if found.ci}
    if not known:
        return "undecided with one condition"
    return ", ".join(cca for cca, (low, _) in known.items() if low > 1) or "none"


def _by_cca(of: Mixed, logs: Numbers) -> dict[str, Estimate]:
    return {
        cca: estimate_mean_ratio(np.exp(column[np.isfinite(column)]).tolist(), CONDITIONS)
        for cca, column in zip(of.ccas, logs.T, strict=True)
    }


def _format(found: Estimate) -> str:
    if found.ci is None:
        return f"{found.ours:.2f} (one condition)"
    low, high = found.ci
    return f"{found.ours:.2f} ({low:.2f} to {high:.2f})"


def sentences(of: Mixed) -> tuple[str, ...]:
    """Describe congestion, gains of large files, the known share of throughputs, and the checks."""
    said = make_possible((_congestion, _large_files, _uncongested, _known_answers, _balance), of)
    return (*said, *describe_preserved(of.setup.settings))


def _congestion(of: Mixed) -> str:
    light, heavy = map(of.experiment.sent_again, (of.light, of.heavy))
    return (
        f"With TCP in the algorithm's place, {light} of the packets are retransmitted in the"
        f" least congested quarter of the conditions and {heavy} in the most congested one."
    )


def _large_files(of: Mixed) -> str:
    light, heavy = (_gains(of.rates.only(names, LARGE)) for names in (of.light, of.heavy))
    return (
        "Service packs and movies get, over what TCP flows beside them get, and over the same with"
        f" TCP in the algorithm's place, in the least congested quarter: {light}; in the most"
        f" congested one: {heavy}."
    )


def _uncongested(of: Mixed) -> str:
    return (
        "Movies get, over what TCP's get that begin beside them, and over the same with TCP in the"
        " algorithm's place, over very fast paths in the uncongested corner:"
        f" {_gains(movies(of))}."
    )


def _known_answers(of: Mixed) -> str:
    table = of.experiment.table
    known = np.mean([np.isfinite(np.asarray(table[name], dtype=float)) for name in COLUMNS])
    return (
        f"Of all throughputs by kind of file, path, interface and side, {100 * known:.0f} % are"
        " known; the others lack flows."
    )


def _balance(of: Mixed) -> str:
    return balance(of.results.values())


def _gains(rates: Rates) -> str:
    logs = dict(zip(rates.ccas, np.nanmean(rates.ahead(), axis=0).tolist(), strict=True))
    ranked = sorted(logs, key=logs.__getitem__, reverse=True)
    return ", ".join(f"{cca} {np.exp(logs[cca]):.2f}" for cca in ranked)
