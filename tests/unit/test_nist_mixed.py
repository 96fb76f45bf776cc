"""Experiments 2a to 2c: throughputs by hand, planted truths, a tiny campaign."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from headgate import Result, Scenario
from headgate.claims.verdicts import Estimate, Sample, judge
from headgate.data.tables import Table, Words
from headgate.experiment.runs import Analysis, Key, NotRunError, Setup
from headgate.experiment.study.study import load
from headgate.figures.analysis.whole import analyse_table
from headgate.stats.intervals import compute_mean_interval, compute_share_interval
from headgate_studies.nist.competing import (
    COLUMNS,
    FILES,
    PATHS,
    SHAPE,
    Rates,
    available,
    columns,
    group_same,
    measure_resent,
    tally,
)
from headgate_studies.nist.estimates import find_worst, merge_pair, ratio, ratio_in_corner
from headgate_studies.nist.findings_fairness import FAIR as FAIR_CCAS
from headgate_studies.nist.findings_mixed import sst_when_heavy
from headgate_studies.nist.mixed import (
    compare_usefulness,
    find_costs,
    find_gains,
    say_usefulness,
    sentences,
)
from headgate_studies.nist.mixed_runs import PAIRED, Mixed
from headgate_studies.nist.variants import (
    CONTROL,
    INFINITE,
    UNCONGESTED,
    UNCONGESTED_INFINITE,
    WINDOW,
    label,
    scenario,
)

from .made_runs import assert_stored_suffices
from .study_findings import findings_of

CCAS = ("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "scalable")


# By hand -------------------------------------------------------------------------------------


def classes(*rows: tuple[int, str, str, str, str, float, float]) -> Result:
    """Make a run of two periods of these rows: labels, packets delivered, seconds under way."""
    period, file, pair, interface, cca, delivered, active_s = zip(*rows, strict=True)
    table = {
        "period": np.array(period),
        "file": Words.of(file),
        "class": Words.of(pair),
        "interface": Words.of(interface),
        "cca": Words.of(cca),
        "delivered_packets": np.array(delivered),
        "active_s": np.array(active_s),
        "retransmissions": np.array(delivered) / 100,
    }
    responses = Table("responses", {"start_s": np.array([0.0, 1.0])})
    return Result({"classes": Table("classes", table), "responses": responses}, {})


def test_a_throughput_is_packets_over_the_time_under_way() -> None:
    result = classes(
        (1, "movie", "DF", "fast", "ctcp", 300.0, 2.0),
        (1, "movie", "FF", "fast", "ctcp", 100.0, 2.0),  # the same path
        (1, "file", "FF", "fast", "ctcp", 200.0, 1.0),  # a single file is a movie
        (2, "movie", "DF", "fast", "reno", 90.0, 3.0),
        (2, "jumbo", "DF", "fast", "reno", 999.0, 1.0),  # no kind of file that is compared
        (2, "movie", "", "fast", "reno", 999.0, 1.0),  # on no path
    )
    delivered, active_s = tally(result, "ctcp")
    assert delivered.shape == (2, *SHAPE)
    place = (FILES.index("movie"), PATHS.index("fast"), 0)
    assert (delivered[(0, *place, 0)], active_s[(0, *place, 0)]) == (600.0, 5.0)
    assert (delivered[(1, *place, 1)], active_s[(1, *place, 1)]) == (90.0, 3.0)
    assert (delivered.sum(), active_s.sum()) == (690.0, 8.0)


def test_what_tcp_sends_again_is_of_what_it_delivers() -> None:
    one = classes(
        (1, "movie", "DD", "fast", "fast", 500.0, 1.0), (1, "", "DD", "fast", "reno", 20.0, 1.0)
    )
    other = classes((2, "movie", "FF", "fast", "reno", 80.0, 1.0))
    other.tables["classes"]["retransmissions"][0] = 3.0
    results = {("a", "fast", 1): one, ("a", "fast", 2): other, ("b", "fast", 1): one}
    assert measure_resent(results, "a", "fast") == (0.2 + 3.0) / (20.0 + 80.0)
    assert measure_resent(results, "b", "fast") == 0.01


def test_periods_and_replicates_are_added_before_they_are_divided() -> None:
    row = ("movie", "DD", "normal")
    one = classes((1, *row, "ctcp", 10.0, 1.0), (2, *row, "ctcp", 50.0, 1.0))
    other = classes((1, *row, "ctcp", 40.0, 3.0), (1, *row, "reno", 7.0, 1.0))
    control = classes((1, *row, "hstcp", 6.0, 1.0), (1, *row, "reno", 4.0, 1.0))
    runs = {("a", "ctcp", 1): one, ("a", "ctcp", 2): other, ("a", CONTROL, 1): control}
    rates = Rates.of(runs, ["a"], ["ctcp"])
    place = (0, 0, FILES.index("movie"), PATHS.index("very fast"), 1)
    assert np.exp(rates.logs[place]) == pytest.approx([20.0, 7.0])  # (10 + 50 + 40) / 5, 7 / 1
    assert np.isfinite(rates.logs).sum() == 2
    # the effect of the requests alone, 6 / 4, is divided out
    assert np.exp(rates.ahead()) == pytest.approx(np.array([[20 / 7 / 1.5]]))
    without = Rates.of({key: runs[key] for key in list(runs)[:2]}, ["a"], ["ctcp"])
    assert np.isnan(without.ahead()).all()


def test_the_control_is_tcp_in_a_algorithms_place() -> None:
    settings = {"experiment": "2b", "size": 0.01, "duration": "8 s", "downloaders": 2}
    control = scenario(settings, CONTROL)
    alone = control.to_dict()
    for group in alone["traffic"]:
        group.pop("ccas", None)
        group["cca"] = "reno"
    # packet by packet what it is with TCP under its own name
    assert control.run().digest == Scenario.from_dict(alone).run().digest
    _, active_s = tally(control.run(), CONTROL)
    assert (active_s.sum(axis=(0, 1, 2, 3)) > 0).all()  # both sides have flows


def test_a_gain_that_the_control_has_too_is_none() -> None:
    found = ours(planted({**dict.fromkeys(CCAS, 2.0), CONTROL: 2.0}, EVEN))
    assert found["equal-when-light-each"] == pytest.approx(1.0)
    assert found["threshold-equals-tcp-by-control"] == 1.0
    assert found["bic-behind-tcp-by-control"] == pytest.approx(1.0)


def test_what_is_available_is_the_interface_or_the_access_link() -> None:
    # 3.84 Gbit/s at the backbone: 480 at D, 96 at F, 48 at N (80 : 10 : 2 : 1); 12 kbit a packet
    found = available(scenario({"experiment": "2b", "size": 0.1}, "ctcp"))
    assert found["very fast", "fast"] == 40_000
    assert found["very fast", "normal"] == 8_000
    assert found["fast", "fast"] == found["fast", "normal"] == 8_000
    assert found["typical", "fast"] == found["typical", "normal"] == 4_000
    assert available(scenario({"experiment": "2b"}, "ctcp"))["very fast", "fast"] == 80_000


# Planted truths ------------------------------------------------------------------------------


#: A very fast path, a fast one and a typical one.
PAIRS = ("DD", "DF", "NN")


@cache
def every_key() -> tuple[Setup, tuple[Key, ...]]:
    """Return the setup of nist-2b, and the key of each of its runs."""
    study = load("nist-2b")
    setup = study.setup(study.scale("quick"))
    return setup, tuple(study.jobs(setup))


def planted(
    own: Mapping[str, float],
    tcp: Mapping[str, float],
    only: Sequence[str] = FILES,
    variants: Mapping[str, Mapping[str, float]] | None = None,
    pairs: Sequence[str] = PAIRS,
) -> Mixed:
    """Make a study in which CCAs and TCP beside them have these throughputs in every condition.

    The throughput of files that are not in `only` is the same everywhere. So is that of an
    algorithm between routers that are not in `pairs`. `variants` replaces the throughputs of
    algorithms.
    """

    def gained(key: Key) -> float:
        """Return what an algorithm gets in a run."""
        return (variants or {}).get(str(key[-1]), own).get(str(key[1]), 1.0)

    setup, keys = every_key()
    results = {
        key: classes(
            *(
                (1, file, pair, interface, cca, 100.0 * (gain if counts else 1.0), 1.0)
                for file, pair, interface in product(FILES, PAIRS, ("fast", "normal"))
                for counts in [file in only and pair in pairs]
                for cca, gain in (
                    (label(str(key[1])), gained(key)),
                    ("reno", tcp.get(str(key[1]), 1.0)),
                )
            )
        )
        for key in keys
    }
    mixed = Mixed(setup, results)
    names = mixed.conditions
    object.__setattr__(mixed, "light", names[:8])
    object.__setattr__(mixed, "heavy", names[-8:])
    return mixed


EVEN = dict.fromkeys(CCAS, 1.0)
UNFAIR = ("scalable", "bic", "fast")
FAIR = {**dict.fromkeys(FAIR_CCAS, 1.2), "hstcp": 1.0, **dict.fromkeys(UNFAIR, 0.8)}


def ours(mixed: Mixed) -> dict[str, float]:
    found = findings_of("nist-2a", mixed) | findings_of("nist-2b", mixed)
    return {claim: one.ours for claim, one in found.items()}


def test_equal_algorithms_are_found_equal() -> None:
    found = ours(planted(EVEN, EVEN))
    assert found["threshold-equals-tcp-by-control"] == 1.0
    assert found["equal-when-light-each"] == pytest.approx(1.0)
    assert found["sooner-when-light-each"] == pytest.approx(1.0)
    assert found["fair-before-unfair-each"] == 0.0
    assert found["bic-behind-tcp-by-control"] == pytest.approx(1.0)
    assert found["ctcp-leads-ranks"] == pytest.approx(0.0)


def test_a_fair_algorithm_is_found_fair() -> None:
    found = ours(planted(EVEN, FAIR))
    assert found["fair-before-unfair-each"] == 1.0
    assert found["fairest-are-these"] == found["unfairest-are-these"] == 3
    found = ours(planted(EVEN, {cca: 1 / share for cca, share in FAIR.items()}))
    assert found["fair-before-unfair-each"] == 0.0
    assert found["fairest-are-these"] == found["unfairest-are-these"] == 0


def test_one_algorithm_does_not_carry_a_sentence_about_three() -> None:
    # beside BIC alone TCP gets much less, so that the mean of the three is below the fair
    # algorithms'
    carried = {**dict.fromkeys(CCAS, 1.2), "bic": 0.1}
    found = findings_of("nist-2b", planted(EVEN, carried))
    assert found["unfair-to-newcomers-each"].ours == found["fair-before-unfair-each"].ours == 0.0
    assert found["unfair-to-newcomers-each"].note.startswith(
        "decided by scalable; scalable 0, bic 1"
    )
    assert found["unfair-induce-losses-each"].ours == pytest.approx(1.0)


def test_what_decides_is_the_worst_algorithm_with_the_worst_ends() -> None:
    ccas = {
        "a": Estimate(ours=2.0, ci=(1.5, 2.5)),
        "b": Estimate(ours=1.2, ci=(1.1, 1.3)),
        "c": Estimate(ours=1.4, ci=(0.9, 1.9)),
    }
    least, most = find_worst(ccas), find_worst(ccas, most=True)
    assert (least.ours, least.ci) == (1.2, (0.9, 1.3))
    assert (most.ours, most.ci) == (2.0, (1.5, 2.5))
    lone = find_worst({**ccas, "d": Estimate(ours=3.0, decided=False)})
    assert (lone.ci, lone.decided) == (None, False)  # a CCA without an interval leaves it open


def rates(*rows: float) -> Rates:
    """Make throughputs of one cell by condition, the same for every algorithm and for TCP."""
    logs = np.log(np.array(rows)).reshape(-1, 1, 1, 1, 1, 1)
    ones = np.ones((1, len(CCAS), len(FILES), len(PATHS), 2, 2))
    names = [f"c{place}" for place in range(len(rows))]
    return Rates(names, CCAS, logs * ones, (logs * ones)[:, :1])


def test_conditions_in_which_nothing_differs_count_once() -> None:
    made = rates(100.0, 100.05, 200.0, 199.95, 300.0)
    assert group_same([made]) == [[0, 1], [2, 3], [4]]
    assert made.distinct().conditions == ["c0", "c2", "c4"]
    assert len(merge_pair(made, rates(1.0, 2.0, 3.0, 3.0, 4.0))[0].conditions) == 4
    # the interval over a corner is of the runs of each distinct condition
    logs = np.log([1.10, 1.1002, 1.50, 1.5002, 1.3])
    found = ratio_in_corner(made, logs)
    assert found.ours == pytest.approx((1.1001 * 1.5001 * 1.3) ** (1 / 3))
    assert found.sample == Sample(count=5, unit="runs of 3 distinct conditions")
    assert found.ci is not None
    assert found.ci[1] - found.ci[0] < 0.001
    assert ratio_in_corner(rates(1.0, 2.0), np.log([1.1, 1.5])).sample == Sample(
        count=2, unit="conditions"
    )


def test_only_small_files_show_unfairness_to_newcomers() -> None:
    small = {**FAIR, "hstcp": 0.7, "fast": 9.0}  # FAST is not among the three, HSTCP is
    claim = "unfair-to-newcomers-each"
    assert ours(planted(EVEN, small))[claim] == 1.0
    assert ours(planted(EVEN, small, FILES[:2]))[claim] == 1.0
    assert ours(planted(EVEN, small, FILES[2:]))[claim] == 0.0
    reverse = {cca: 1 / gain for cca, gain in small.items()}
    assert ours(planted(EVEN, reverse))[claim] == 0.0


FAST = {**EVEN, "fast": 4.0, "fast-at": 3.0, "ctcp": 2.0, "htcp": 0.5}


def test_a_fast_algorithm_is_found_first() -> None:
    found = ours(planted(FAST, EVEN))
    assert found["fast-leads-for-free-movies"] == pytest.approx(1.5)  # FAST-AT's 3 over CTCP's 2
    assert found["ctcp-next-for-free-movies"] == pytest.approx(2.0)  # over 1
    assert found["htcp-below-others"] == pytest.approx(0.5 / (4 * 3 * 2) ** (1 / 6))
    assert found["ctcp-leads-ranks"] == pytest.approx(-2.0)  # FAST is seventh, CTCP fifth
    assert found["sooner-when-light-each"] == pytest.approx(0.5)  # HTCP's
    found = ours(planted({**EVEN, "ctcp": 2.0}, EVEN))
    assert found["ctcp-leads-ranks"] == pytest.approx(3.5)  # 7 and the mean of 1 to 6
    assert found["fast-leads-for-free-movies"] == pytest.approx(0.5)


def test_fast_alone_does_not_make_both_the_best() -> None:
    found = findings_of("nist-2b", planted({**FAST, "fast-at": 1.0}, EVEN))
    assert found["fast-leads-for-free-movies"].ours == pytest.approx(0.5)  # FAST-AT's 1 over 2


def test_only_congested_paths_show_effects_of_congestion() -> None:
    """Very fast paths lose almost nothing: gains there say nothing about congestion."""
    gain = {**EVEN, "bic": 3.0, "ctcp": 3.0, "hstcp": 3.0}
    found = ours(planted(gain, EVEN, pairs=("DD",)))
    assert found["bic-behind-tcp-by-control"] == pytest.approx(1.0)
    assert found["threshold-equals-tcp-by-control"] == 1.0
    found = ours(planted(gain, EVEN, pairs=("DF", "NN")))
    assert found["bic-behind-tcp-by-control"] == pytest.approx(3.0)
    assert found["threshold-equals-tcp-by-control"] == 0.25  # Scalable's


def test_a_gain_under_congestion_is_allowed_at_the_price_of_unfairness() -> None:
    twice, claim = dict.fromkeys(CCAS, 2.0), "utility-when-light-or-unfair-by-control"
    assert ours(planted(twice, EVEN))[claim] == 0.0  # as much gained with congestion as without
    assert ours(planted(twice, dict.fromkeys(CCAS, 0.7)))[claim] == 1.0
    assert ours(planted(twice, dict.fromkeys(CCAS, 0.8)))[claim] == 0.0  # less than a quarter lost
    of = planted(twice, {**EVEN, "bic": 0.7})
    assert ours(of)[claim] == pytest.approx(1 / 7)


def test_small_cuts_are_judged_by_all_files_and_hstcp_under_congestion() -> None:
    beside = {**EVEN, **dict.fromkeys(FAIR_CCAS, 1.2), "scalable": 0.9, "bic": 0.9, "hstcp": 0.9}
    found = findings_of("nist-2b", planted(EVEN, beside, FILES[2:]))
    assert found["less-cut-unfair-each"].ours == found["hstcp-unfair-when-heavy"].ours == 1.0
    assert found["unfair-to-newcomers-each"].ours == 0.0  # large files are no newcomers
    of = planted(EVEN, {**beside, "hstcp": 1.3})
    found = findings_of("nist-2b", of)
    assert found["less-cut-unfair-each"].ours == found["hstcp-unfair-when-heavy"].ours == 0.0
    object.__setattr__(of, "heavy", of.conditions[:1])
    assert findings_of("nist-2b", of)["hstcp-unfair-when-heavy"].sample == Sample(
        count=1, unit="conditions"
    )


def test_intervals_of_several_algorithms_hold_together() -> None:
    found = findings_of("nist-2b", planted(EVEN, FAIR))
    shares = {"fair-before-unfair-each": 9, "unfair-to-newcomers-each": 3}
    for claim, ccas in shares.items():
        hits, trials = round(found[claim].ours * 1), 1  # conditions that are alike are one
        _, low, high = compute_share_interval(hits, trials, 1 - 0.05 / ccas)
        assert found[claim].ci == pytest.approx((low, high))
    logs = np.log([1.1, 1.3, 1.2])
    _, low, high = compute_mean_interval(logs, 1 - 0.05 / 3)
    assert ratio(logs, ccas=3).ci == pytest.approx((np.exp(low), np.exp(high)))


def test_an_infinite_ratio_decides_nothing() -> None:
    """TCP resends nothing beside the fair algorithms, and something beside another."""
    found = ratio(np.array([0.1, 0.2, np.inf, np.nan]))
    assert (found.decided, found.ci) == (False, None)
    assert "1 of 3 conditions have no number" in found.note


def test_gains_and_their_costs_are_reported() -> None:
    of = planted(FAST, FAIR)
    for cca, found in find_gains(of, of.light).items():
        assert found.ours == pytest.approx(FAST[cca] / FAIR[cca])
    mean = np.exp(np.mean(np.log(list(FAIR.values()))))
    assert find_costs(of)["ctcp"].ours == pytest.approx(1.2 / mean)
    assert {row[0]: row[4] for row in compare_usefulness(of).rows}["bic"] == "most unfair"
    assert "without congestion bic, ctcp, fast, fast-at, scalable;" in say_usefulness(of)
    object.__setattr__(of, "light", of.light[:1])
    assert "without congestion undecided with one condition;" in say_usefulness(of)
    assert compare_usefulness(of).rows[0][1].endswith("(one condition)")


def test_what_the_source_says_of_uncongested_paths_is_judged_in_the_corner() -> None:
    found = ours(planted(EVEN, EVEN, variants={UNCONGESTED: FAST}))
    assert found["fast-leads-for-free-movies"] == pytest.approx(1.5)
    assert found["ctcp-next-for-free-movies"] == pytest.approx(2.0)
    assert found["utility-at-low-sst-by-control"] == pytest.approx(3 / 7)
    assert found["sooner-when-light-each"] == pytest.approx(0.5)
    assert found["equal-when-light-each"] == pytest.approx(1.0)  # at the high setting all are
    high = ours(planted(EVEN, EVEN, variants={UNCONGESTED_INFINITE: FAST}))
    assert high["equal-when-light-each"] == pytest.approx(4.0)  # FAST's
    found = ours(planted(FAST, EVEN, variants={UNCONGESTED: EVEN, UNCONGESTED_INFINITE: EVEN}))
    assert found["equal-when-light-each"] == pytest.approx(1.0)
    assert found["sooner-when-light-each"] == pytest.approx(1.0)
    assert found["utility-at-low-sst-by-control"] == 0.0


def test_both_settings_are_set_side_by_side_with_and_without_congestion() -> None:
    twice = dict.fromkeys(CCAS, 2.0)
    made = planted(EVEN, EVEN, variants={INFINITE: twice, UNCONGESTED: twice})
    found = sst_when_heavy(made)
    assert found.ours == pytest.approx(0.5)
    assert "low over high: bic 0.5," in found.note
    assert "without congestion: bic 2," in found.note
    claim = "sst-matters-little-when-heavy-each"
    assert ours(planted(EVEN, EVEN))[claim] == pytest.approx(0.0)
    # an algorithm that gains and one that loses as much do not make up for each other
    opposite = {**EVEN, "fast": 2.0, "bic": 0.5}
    found = sst_when_heavy(planted(EVEN, EVEN, variants={INFINITE: opposite}))
    assert found.ours == pytest.approx(1.0)  # BIC's
    # TCP counts if it takes the algorithm's place
    tcp = planted(EVEN, EVEN, variants={INFINITE: {CONTROL: 4.0}})
    assert sst_when_heavy(tcp).ours == pytest.approx(0.5)  # 4 on its own side, 1 on the other
    # very fast paths are not congested
    assert sst_when_heavy(
        planted(EVEN, EVEN, variants={INFINITE: twice}, pairs=("DD",))
    ).ours == pytest.approx(0.0)


def test_a_window_that_binds_leaves_less_to_gain() -> None:
    twice = dict.fromkeys(CCAS, 2.0)
    found = ours(planted({**twice, "bic": 0.5}, EVEN, variants={WINDOW: {**EVEN, "fast": 3.0}}))
    assert (
        found["utility-without-rwnd-by-control"] == 6.0
    )  # all but FAST: a loss that is less counts too
    assert (
        ours(planted(EVEN, EVEN, variants={WINDOW: twice}))["utility-without-rwnd-by-control"]
        == 0.0
    )


# A tiny campaign -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def tiny() -> Mixed:
    study = load("nist-2b")
    changes = {
        "factors": ("X1", "X7", "X12"),
        "generators": {},
        "seeds": 1,
        "size": 0.004,
        "fixed": {"duration": "4 s", "downloaders": 1},
    }
    setup = study.setup(study.spec.scales["quick"].model_copy(update=changes))
    setup = replace(setup, ccas=("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "scalable"))
    return Mixed(setup, {key: job.scenario.run() for key, job in study.jobs(setup).items()})


@pytest.fixture(scope="module")
def analysis(tiny: Mixed) -> Analysis:
    return load("nist-2b").analyse(tiny)


def test_the_table_has_both_sides_of_every_cell(tiny: Mixed, analysis: Analysis) -> None:
    (table,) = analysis.data
    assert len(table) == 8 * 7 * 3
    assert len(COLUMNS) == 48
    assert set(COLUMNS) <= set(table)
    result = tiny["X1\N{MINUS SIGN} X7\N{MINUS SIGN} X12\N{MINUS SIGN}", "ctcp", 1]
    rows = result.tables["classes"]
    web = columns(result, "ctcp")["own_WTn"]
    mine = [
        place
        for place in range(len(rows))
        if (rows["file"][place], rows["cca"][place]) == ("web object", "ctcp")
        and (rows["class"][place][1], rows["interface"][place]) == ("N", "normal")
        and rows["period"][place] == 2
    ]
    delivered, active_s = (
        sum(float(rows[name][place]) for place in mine)
        for name in ("delivered_packets", "active_s")
    )
    assert web[1] == pytest.approx(delivered / active_s)
    total = sum(float(rows["delivered_packets"][place]) for place in range(len(rows)))
    assert tally(result, "ctcp")[0].sum() == pytest.approx(total)


def test_stored_columns_suffice_for_the_claims(tiny: Mixed, tmp_path: Path) -> None:
    assert_stored_suffices(load("nist-2b"), tiny, tmp_path)


def test_every_claim_is_judged(analysis: Analysis) -> None:
    for claim in load("nist-2b").claims:
        verdict = judge(claim, analysis.findings, "standard").verdict
        assert (verdict == "not checkable") == (claim.missing is not None)
        assert verdict != "not run", claim.id


def test_the_design_alone_judges_nothing_about_variants(tiny: Mixed) -> None:
    alone = Mixed(tiny.setup, {key: one for key, one in tiny.results.items() if len(key) == 3})
    with pytest.raises(NotRunError, match="the variant 'infinite ssthresh' is not part"):
        alone.variant(INFINITE)
    found = findings_of("nist-2b", alone)
    assert np.isnan(found["utility-at-low-sst-by-control"].ours)
    assert np.isfinite(found["fair-before-unfair-each"].ours)


def test_parts_that_were_not_run_are_not_mentioned(tiny: Mixed, analysis: Analysis) -> None:
    (corner,) = (said for said in analysis.sentences if "uncongested corner" in said)
    assert all(cca in corner for cca in CCAS)
    alone = Mixed(tiny.setup, {key: one for key, one in tiny.results.items() if len(key) == 3})
    said = sentences(alone)
    assert len(said) == len(analysis.sentences) - 2
    assert not any("uncongested corner" in one for one in said)
    assert f"in all {len(tiny.results)} runs" in analysis.sentences[-2]
    assert "of the published ones" in analysis.sentences[-1]


def test_the_report_sets_pairs_side_by_side(analysis: Analysis) -> None:
    assert analysis.roles is not None
    found = analyse_table(analysis.data[0], analysis.roles)
    for kind in ("biplots", "bars", "ranks", "questions"):
        assert all(not made.reason for made in found.of(kind)), kind
    assert len(found.of("biplots")[0].result) == len(PAIRED)
    assert len(found.of("bars")[0].result) == len(PAIRED)
    words = {answer.asked: answer for answer in found.of("questions")[1].result}
    assert set(words["fairness"].words) == set(CCAS)
    assert set(words["utility"].words) == set(CCAS)
