"""Experiments 2a to 2c: throughputs by hand, planted truths, a tiny campaign."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from headgate.analysis.whole import whole
from headgate.result import Result
from headgate.scenario import MesoNet
from headgate.scenario.traffic import Flows
from headgate.studies.claims import judge
from headgate.studies.nist import fairness
from headgate.studies.nist.competing import (
    COLUMNS,
    FILES,
    PATHS,
    SHAPE,
    Rates,
    available,
    columns,
    tally,
)
from headgate.studies.nist.downloads import HEAVY_CORNER, LIGHT_CORNER, corner, scenario
from headgate.studies.nist.mixed_roles import PAIRED
from headgate.studies.nist.mixed_runs import Mixed
from headgate.studies.runs import Key, NotRunError, Setup
from headgate.studies.study import Analysis, load
from headgate.tables import Table, Words

STUDIES = ("nist-2a", "nist-2b", "nist-2c")
LAWS = ("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "scalable")


def setting(**changes: object) -> dict[str, object]:
    given: dict[str, object] = {
        "experiment": "2b",
        "size": 0.01,
        "duration": "12 s",
        "downloaders": 2,
    }
    given["long_lived_flows"] = 0
    return {**given, **changes}


# By hand -------------------------------------------------------------------------------------


def classes(*rows: tuple[int, str, str, str, str, float, float]) -> Result:
    """Make a run of two periods of these rows: labels, packets delivered, seconds under way."""
    period, file, pair, interface, law, delivered, active_s = zip(*rows, strict=True)
    table = {
        "period": np.array(period),
        "file": Words.of(file),
        "class": Words.of(pair),
        "interface": Words.of(interface),
        "law": Words.of(law),
        "delivered_packets": np.array(delivered),
        "active_s": np.array(active_s),
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


def test_periods_and_replicates_are_added_before_they_are_divided() -> None:
    row = ("movie", "DD", "normal")
    one = classes((1, *row, "ctcp", 10.0, 1.0), (2, *row, "ctcp", 50.0, 1.0))
    other = classes((1, *row, "ctcp", 40.0, 3.0), (1, *row, "reno", 7.0, 1.0))
    rates = Rates.of({("a", "ctcp", 1): one, ("a", "ctcp", 2): other}, ["a"], ["ctcp"])
    place = (0, 0, FILES.index("movie"), PATHS.index("very fast"), 1)
    assert np.exp(rates.logs[place]) == pytest.approx([20.0, 7.0])  # (10 + 50 + 40) / 5, 7 / 1
    assert np.isfinite(rates.logs).sum() == 2
    assert np.exp(rates.ahead()) == pytest.approx(np.array([[20 / 7]]))


def test_what_is_available_is_the_interface_or_the_access_link() -> None:
    # 3.84 Gbit/s at the backbone: 480 at D, 96 at F, 48 at N (80 : 10 : 2 : 1); 12 kbit a packet
    found = available(scenario(setting(size=0.1), "ctcp"))
    assert found["very fast", "fast"] == 40_000
    assert found["very fast", "normal"] == 8_000
    assert found["fast", "fast"] == found["fast", "normal"] == 8_000
    assert found["typical", "fast"] == found["typical", "normal"] == 4_000
    assert available(scenario(setting(size=1.0), "ctcp"))["very fast", "fast"] == 80_000


# Runs ----------------------------------------------------------------------------------------


def test_without_downloads_it_is_mesonet() -> None:
    made = scenario(setting(downloaders=0, compared_ssthresh="infinite"), "fast")
    settings = {key: value for key, value in setting().items() if key != "downloaders"}
    assert made == MesoNet.from_dict({**settings, "law": "fast"}).scenario()


def test_movies_of_both_sides_begin_together_in_the_same_places() -> None:
    movies = [one for one in scenario(setting(), "fast").traffic if isinstance(one, Flows)]
    own = [one for one in movies if one.law and one.law.name == "fast"]
    tcp = [one for one in movies if one.law and one.law.name == "reno"]
    assert len(own) == len(tcp) == 3
    for one, other in zip(own, tcp, strict=True):
        left_out = {"law", "name"}
        assert one.model_dump(exclude=left_out) == other.model_dump(exclude=left_out)
    result = scenario(setting(duration="6 s"), "fast").run()
    _, active_s = tally(result, "fast")
    of_movies = active_s[:, FILES.index("movie")].sum(axis=0)
    assert (of_movies > 0).all()  # every path, interface and side has one
    assert of_movies[..., 0] == pytest.approx(of_movies[..., 1], rel=0.01)


def test_both_corners_run_at_the_other_ssthresh_too() -> None:
    study = load("nist-2b")
    made = study.jobs(study.setup(study.scale("quick")))
    own = {key for key in made if len(key) == 3}
    other = {key: job for key, job in made.items() if len(key) == 4}
    assert (len(own), len(other)) == (32 * 7, 8 * 7)
    for (condition, law, seed, ssthresh), job in other.items():
        beside = made[condition, law, seed].scenario
        assert ssthresh == "infinite"
        assert job.scenario.transport.initial_ssthresh != beside.transport.initial_ssthresh
        assert job.scenario.traffic == beside.traffic
    design = study.setup(study.scale("quick")).design
    corners = [corner(design, levels) for levels in (LIGHT_CORNER, HEAVY_CORNER)]
    assert [len(names) for names in corners] == [4, 4]
    assert all("X1+" in name and "X7+" in name for name in corners[0])


@pytest.mark.parametrize("name", STUDIES)
def test_every_setting_has_a_source_and_every_claim_a_finding(name: str) -> None:
    study = load(name)
    setup = study.setup(study.scale("quick"))
    settings = {*setup.settings, *setup.design.settings(0)}
    assert settings == set(study.plan.sources)
    assert len(study.jobs(setup)) == (280 if name == "nist-2b" else 224)
    for claim in study.claims:
        assert claim.missing or claim.id in fairness.MAKERS


# Planted truths ------------------------------------------------------------------------------


@cache
def every_key() -> tuple[Setup, tuple[Key, ...]]:
    """Return the setup of nist-2b, and the key of each of its runs."""
    study = load("nist-2b")
    setup = study.setup(study.scale("quick"))
    return setup, tuple(study.jobs(setup))


def planted(own: Mapping[str, float], tcp: Mapping[str, float]) -> Mixed:
    """Make a study in which laws and TCP beside them have these throughputs in every condition."""
    setup, keys = every_key()
    results = {
        key: classes(
            *(
                (1, file, pair, interface, law, 100.0 * gain, 1.0)
                for file, pair, interface in product(FILES, ("DD", "DF", "NN"), ("fast", "normal"))
                for law, gain in ((str(key[1]), own[str(key[1])]), ("reno", tcp[str(key[1])]))
            )
        )
        for key in keys
    }
    mixed = Mixed(setup, results)
    names = mixed.conditions
    object.__setattr__(mixed, "light", names[:8])
    object.__setattr__(mixed, "heavy", names[-8:])
    return mixed


EVEN = dict.fromkeys(LAWS, 1.0)
FAIR = {**dict.fromkeys(fairness.FAIR, 1.2), "hstcp": 1.0, **dict.fromkeys(fairness.UNFAIR, 0.8)}


def ours(mixed: Mixed) -> dict[str, float]:
    return {claim: found.ours for claim, found in fairness.findings(mixed).items()}


def test_equal_laws_are_found_equal() -> None:
    found = ours(planted(EVEN, EVEN))
    assert found["equal-when-light"] == found["threshold-equals-tcp"] == 1.0
    assert found["sooner-when-light"] == found["fair-before-unfair"] == 0.0
    assert found["bic-behind-tcp"] == pytest.approx(1.0)
    assert found["ctcp-leads-ranks"] == pytest.approx(0.0)


def test_who_is_fair_is_found_fair() -> None:
    found = ours(planted(EVEN, FAIR))
    assert found["fair-before-unfair"] == 1.0
    assert found["fairest-three"] == found["unfairest-three"] == 3
    found = ours(planted(EVEN, {law: 1 / share for law, share in FAIR.items()}))
    assert found["fair-before-unfair"] == 0.0
    assert found["fairest-three"] == found["unfairest-three"] == 0


def test_who_is_fast_is_found_first() -> None:
    found = ours(planted({**EVEN, "fast": 4.0, "fast-at": 3.0, "ctcp": 2.0, "htcp": 0.5}, EVEN))
    assert found["fast-best-for-movies"] == found["ctcp-second-for-movies"] == 1.0
    assert found["htcp-lower"] == 1.0
    assert found["ctcp-leads-ranks"] == pytest.approx(-2.0)  # FAST is seventh, CTCP fifth
    assert found["sooner-when-light"] == pytest.approx(3 / 7)
    found = ours(planted({**EVEN, "ctcp": 2.0}, EVEN))
    assert found["ctcp-leads-ranks"] == pytest.approx(3.5)  # 7 and the mean of 1 to 6
    assert found["fast-best-for-movies"] == 0.0


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
    setup = study.setup(study.plan.scales["quick"].model_copy(update=changes))
    setup = replace(setup, laws=("bic", "ctcp", "fast", "fast-at", "hstcp", "htcp", "scalable"))
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
        if (rows["file"][place], rows["law"][place]) == ("web object", "ctcp")
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


def test_every_claim_is_judged(analysis: Analysis) -> None:
    for claim in load("nist-2b").claims:
        verdict = judge(claim, analysis.findings, "quick").verdict
        assert (verdict == "not checkable") == (claim.missing is not None)
        assert verdict in {"holds", "differs", "not checkable"}, claim.id


def test_one_setting_alone_judges_nothing_about_both(tiny: Mixed) -> None:
    alone = Mixed(tiny.setup, {key: one for key, one in tiny.results.items() if len(key) == 3})
    with pytest.raises(NotRunError, match="other initial ssthresh"):
        alone.high  # noqa: B018 - raises
    found = fairness.findings(alone)
    assert np.isnan(found["utility-at-low-sst"].ours)
    assert np.isfinite(found["fair-before-unfair"].ours)


def test_the_report_sets_pairs_side_by_side(analysis: Analysis) -> None:
    assert analysis.roles is not None
    found = whole(analysis.data[0], analysis.roles)
    for kind in ("biplots", "bars", "ranks", "questions"):
        assert all(not made.reason for made in found.of(kind)), kind
    assert len(found.of("biplots")[0].result) == len(PAIRED)
    assert len(found.of("bars")[0].result) == len(PAIRED)
    words = {answer.asked: answer for answer in found.of("questions")[1].result}
    assert set(words["fairness"].words) == set(LAWS)
    assert set(words["utility"].words) == set(LAWS)
