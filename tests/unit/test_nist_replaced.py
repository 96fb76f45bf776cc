"""Experiments 1a and 1b at a size that takes seconds: their runs, responses, analyses, claims."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from headgate import Result, Scenario
from headgate.data.measures.periods import FLOWS, PACKETS, WAITS, WORST_WAIT
from headgate.data.tables import Table, Words
from headgate.experiment.runs import NotRunError, Runs
from headgate.experiment.study.study import Study, load
from headgate_studies.designed import Designed
from headgate_studies.mesonet import MesoNet
from headgate_studies.nist.campaign import keep, scenario
from headgate_studies.nist.cuts import cuts, cuts_as_published
from headgate_studies.nist.findings_replaced import (
    fast_distinct,
    grubbs_outlier,
    lightly_congested_similar,
    most_change_little,
    over_others,
    uncongested_identical,
    windows_fall,
)
from headgate_studies.nist.replaced import analyse, compare_safety, find_worse, say_safety
from headgate_studies.nist.responses import SAFETY, TITLES, WORSE, responses, roles
from headgate_studies.nist.summary import Experiment, balance

from .made_runs import assert_stored_suffices
from .study_findings import findings_of

CCAS = ("reno", "ctcp", "fast", "scalable")


def tiny(study: Study) -> Runs:
    """Run four conditions and four algorithms, ten simulated seconds each."""
    scale = study.spec.scales["quick"].model_copy(
        update={
            "factors": ("X1", "X3"),
            "generators": {},
            "seeds": 1,
            "size": 0.004,
            "fixed": {"duration": "10 s"},
        }
    )
    setup = replace(study.setup(scale), ccas=CCAS)
    made = study.jobs(setup)
    return Runs(setup, {key: job.scenario.run() for key, job in made.items()})


@pytest.fixture(scope="module")
def runs() -> Runs:
    return tiny(load("nist-1b"))


@pytest.fixture(scope="module")
def experiment(runs: Runs) -> Experiment:
    return Experiment(Designed(runs.setup, runs.results), roles(runs.setup.design), responses)


def test_stored_columns_suffice_for_the_claims(runs: Runs, tmp_path: Path) -> None:
    assert_stored_suffices(load("nist-1b"), runs, tmp_path)


def test_settings_are_mesonets_own(experiment: Experiment) -> None:
    settings = {**experiment.runs.settings, **experiment.runs.design.settings(3)}
    made = scenario(settings, "fast").to_dict()
    assert made == MesoNet.from_dict({**settings, "cca": "fast"}).scenario().to_dict()
    assert "100 packets" in str(made["transport"])


def same_but_for_the_cca(value: object) -> object:
    """Return the content of a scenario without its title and the algorithms."""
    if isinstance(value, dict):
        kept = {key: one for key, one in value.items() if key not in ("cca", "title")}
        return {key: same_but_for_the_cca(one) for key, one in kept.items()}
    return [same_but_for_the_cca(one) for one in value] if isinstance(value, list) else value


def test_nothing_but_the_algorithm_differs_between_the_runs_of_a_condition() -> None:
    study = load("nist-1b")
    setup = study.setup(study.spec.scales["quick"])
    written = [scenario({**setup.settings, **setup.design.settings(3)}, cca) for cca in CCAS]
    first, *others = map(Scenario.to_dict, written)
    assert all(other != first for other in others)
    assert all(same_but_for_the_cca(o) == same_but_for_the_cca(first) for o in others)


def test_every_algorithm_meets_the_same_first_requests(experiment: Experiment) -> None:
    """Until the first file is complete: later requests depend on the time it took."""
    runs = experiment.runs
    settings = {**runs.settings, **runs.design.settings(0), "duration": "3 s"}
    flows = {}
    for cca in ("reno", "fast"):
        made = scenario(settings, cca)
        kept = made.measure.model_copy(update={"flows": "all"})
        flows[cca] = made.model_copy(update={"measure": kept}).run().flows
    over = min(np.nanmin(each["start_s"] + each["fct_receiver_s"]) for each in flows.values())
    names = ("start_s", "source", "receiver", "size_packets")
    first, other = (
        sorted(row for row in zip(*(each[name] for name in names), strict=True) if row[0] < over)
        for each in flows.values()
    )
    assert len(first) > 20
    assert first == other


def table_of_checks(**right: float) -> Result:
    """A run of which 1000 packets, flows and packet-seconds of waiting were counted, or others."""
    counts = {PACKETS: right.get("packets", 1e3), FLOWS: right.get("flows", 1e3)}
    rows = {WORST_WAIT: 300.0, **counts, WAITS: right.get("waits", 1e3)}
    left, found = np.full(len(rows), 1e3), np.array(list(rows.values()))
    left[-1] = right.get("sampled", 1e3)
    columns = {"check": Words.of(list(rows)), "left": left, "right": found}
    error = (left - found) / 1e3
    return Result({"checks": Table("checks", {**columns, "relative_error": error})}, {})


def test_what_adds_up_is_said_to() -> None:
    said = balance([table_of_checks(), table_of_checks(waits=980.0), table_of_checks(waits=np.nan)])
    assert said == (
        "Packets and flows add up exactly in all 3 runs; waiting by Little's law differs from"
        " samples by 2.0 % at most over a whole network."
    )


def test_what_does_not_add_up_is_said_too() -> None:
    """A packet too few in two runs, one flow in one."""
    said = balance([table_of_checks(packets=999), table_of_checks(packets=997, flows=1001)])
    assert said.startswith(
        "Of 2 runs, packets do not add up in 2 (by 3 at most) and flows do not add up in 1 (by 1"
    )


def test_a_network_without_queueing_says_nothing_about_waiting() -> None:
    quiet = table_of_checks(sampled=0.0, waits=0.3)
    said = balance([table_of_checks(waits=980.0), quiet])
    assert "by 2.0 % at most over a whole network (runs in which next to nothing waits" in said
    assert said.endswith("are left out: 1).")
    missed = table_of_checks(sampled=0.0)  # a queue that no sample saw is a difference
    assert "by 100.0 % at most" in balance([missed])


def test_responses_match_their_names(experiment: Experiment) -> None:
    result = experiment.runs.result(0, "ctcp", 1)
    found = responses(result, "ctcp")
    assert set(found) == set(TITLES)
    assert {len(values) for values in found.values()} == {3}
    table = result.tables["classes"]
    rows = [
        i
        for i in range(len(table))
        if (table["period"][i], table["file"][i]) == (2, "web object")
        and (table["class"][i], table["interface"][i]) == ("FN", "normal")
    ]
    packets = sum(float(table["timed_packets"][i]) for i in rows)
    time_s = sum(float(table["fct_sum_s"][i]) for i in rows)
    assert found["web_FN_normal"][1] == pytest.approx(packets / time_s)
    own = [i for i in range(len(table)) if table["period"][i] == 2]
    assert found["falls"][1] == sum(float(table["decreases"][i]) for i in own)


def test_the_busiest_links_of_each_period_are_kept(experiment: Experiment) -> None:
    whole = experiment.runs.result(0, "ctcp", 1)
    links = keep(whole).tables["links"]
    for period in (1, 2, 3):
        every = whole.tables["links"]["utilisation"][whole.tables["links"]["period"] == period]
        mine = links["utilisation"][links["period"] == period]
        assert mine.tolist() == sorted(every.tolist(), reverse=True)[:10]
    assert keep(whole).digest == whole.digest


def test_conditions_are_ordered_by_what_tcp_resends(experiment: Experiment) -> None:
    shares = [experiment.mean("y10", "reno", name) for name in experiment.order]
    assert shares == sorted(shares)
    assert len(experiment.light) == len(experiment.heavy) == 1
    # no other algorithm moves the order, and runs that are none of the algorithms compared can give
    # it
    backwards = {name: float(place) for place, name in enumerate(reversed(experiment.order))}
    assert replace(experiment, control=backwards).order == list(reversed(experiment.order))


def test_shares_are_of_all_cells(experiment: Experiment) -> None:
    light = experiment.outliers(experiment.light)
    quiet = sum(test is None for _, test in light)
    found = uncongested_identical(experiment)
    assert found.ours == quiet / len(light)
    assert not found.decided  # one condition says nothing about others


def values_of(experiment: Experiment, condition: str, response: str) -> list[float]:
    """Each algorithm's response in the second period, without the code under test."""
    table = experiment.table
    conditions, periods = (np.asarray(table[name]) for name in ("condition", "period"))
    rows = table.where(np.flatnonzero((conditions == condition) & (periods == 2)))
    ccas = np.asarray(rows["cca"]).tolist()
    values = dict(zip(ccas, rows[response].tolist(), strict=True))
    return [values[cca] for cca in CCAS]


def plant(experiment: Experiment, found: Mapping[str, Mapping[str, float]]) -> Experiment:
    """Return an experiment whose CCAs have these responses in all conditions, by response and CCA.

    All conditions are heavily congested; a value may be by condition too.
    """

    class Planted(Experiment):
        heavy = property(lambda self: self.runs.conditions)

        def mean(self, response: str, cca: str, condition: str) -> float:
            by_condition = found.get(condition, found)
            return float(by_condition[response][cca])

    return Planted(experiment.runs, experiment.roles, experiment.measure)


def test_an_algorithm_is_set_against_the_median_of_the_others(experiment: Experiment) -> None:
    """Scalable alone has seven times Reno's: a mean of the others would be 3."""
    of = plant(experiment, {"y10": {"reno": 1.0, "ctcp": 1.0, "scalable": 7.0, "fast": 2.0}})
    assert over_others(of, response="y10").ours == pytest.approx(2.0)


def test_packets_by_which_windows_fall_are_added_up_algorithm_by_algorithm(
    experiment: Experiment,
) -> None:
    """Reno falls often by little, Scalable seldom by much: a hundred packets each."""
    often = {"reno": 100.0, "ctcp": 10.0, "scalable": 1.0, "fast": 20.0}
    far = {"reno": 1.0, "ctcp": 10.0, "scalable": 100.0, "fast": 10.0}
    found = windows_fall(plant(experiment, {"falls": often, "fall": far}))
    assert found.ours == pytest.approx(2.0)
    # FAST's product lies apart from three equal ones, though neither factor does
    assert found.note.startswith("the outlier by Grubbs in 2 of 2")


def test_cautions_on_fast_are_of_conditions_with_the_smaller_buffers(
    experiment: Experiment,
) -> None:
    """Twice as much there, a tenth if buffers are large: these do not count."""
    ccas = dict.fromkeys(("reno", "ctcp", "scalable"), 1.0)
    small = {"y5": {**ccas, "fast": 2.0}}
    large = {name: {"y5": {**ccas, "fast": 0.1}} for name in experiment.order if "X3+" in name}
    of = plant(experiment, {**large, **small})
    assert len(large) == 2
    assert over_others(of, response="y5").ours == pytest.approx(2.0)
    assert all("X3\N{MINUS SIGN}" in name for name in of.short_of_buffers)


def test_without_a_factor_of_buffers_no_caution_is_judged(experiment: Experiment) -> None:
    names = [name for name in experiment.order if "X3+" in name]
    of = plant(experiment, {"y5": dict.fromkeys(CCAS, 1.0)})
    type(of).heavy = property(lambda _: names)  # type: ignore[assignment,method-assign]
    with pytest.raises(NotRunError, match="uses the smaller of two buffers"):
        over_others(of, response="y5")


def test_an_algorithm_a_tenth_above_the_mean_need_not_be_an_outlier(experiment: Experiment) -> None:
    """Scalable is far above FAST: no test names FAST."""
    planted = {"reno": 1.0, "ctcp": 1.0, "scalable": 9.0, "fast": 5.0}
    found = grubbs_outlier(plant(experiment, {"y10": planted}), response="y10")
    assert found.ours < 1
    assert found.note.startswith("the outlier by Grubbs in 0 of 4")
    alone = {"reno": 1.0, "ctcp": 1.01, "scalable": 0.99, "fast": 5.0}
    found = grubbs_outlier(plant(experiment, {"y10": alone}), response="y10")
    # of four algorithms G is 1.5 at most, and the critical one is 1.4812
    assert found.ours == pytest.approx(1.5 / 1.4812, abs=1e-3)
    assert found.note.startswith("the outlier by Grubbs in 4 of 4")


def test_all_algorithms_are_alike_within_a_tenth_of_their_median(experiment: Experiment) -> None:
    (lightly,) = experiment.lightly
    near = []
    for response in TITLES:
        values = values_of(experiment, lightly, response)
        if np.isfinite(values).all():
            middle = np.median(values)
            near += [abs(value - middle) <= 0.1 * abs(middle) for value in values]
    found = lightly_congested_similar(experiment)
    assert found.ours == pytest.approx(np.mean(near))
    assert all(cca in found.note for cca in CCAS)  # FAST is one of the algorithms
    assert all(cca in most_change_little(experiment).note for cca in CCAS)


def test_an_algorithm_that_is_like_the_others_is_not_distinct(experiment: Experiment) -> None:
    assert fast_distinct(experiment).ours > 0


@pytest.mark.parametrize("name", ["nist-1a", "nist-1b"])
def test_claims_are_judged_by_functions_of_their_name(name: str, experiment: Experiment) -> None:
    study = load(name)
    judged = {claim.id for claim in study.claims if claim.missing is None}
    own = replace(experiment.runs, setup=replace(experiment.runs.setup, ccas=study.ccas))
    ccas = {*study.ccas} - {"fast-at"} if name == "nist-1a" else {*study.ccas}
    assert set(own.ccas) == ccas
    found = findings_of(name, experiment)
    assert set(found) == judged
    unknown = {claim for claim, one in found.items() if np.isnan(one.ours)}
    assert all("fast-at" in claim for claim in unknown)
    # all algorithms that a sentence names are given losses, FAST-AT in 1a too
    assert {"fast-at", "htcp"} <= set(found["cuts-by-half"].note.replace(",", "").split())


def test_an_algorithm_is_unsafe_where_all_of_its_interval_is_a_tenth_worse(
    experiment: Experiment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Experiment, "heavy", property(lambda self: self.order))
    for cca in ("ctcp", "fast", "scalable"):
        worse = dict(find_worse(experiment, cca))
        for name in SAFETY:
            pairs = [
                [experiment.mean(name, each, c) for each in (cca, "reno")] for c in experiment.order
            ]
            logs = np.array([np.log(own / tcp) for own, tcp in pairs if own > 0 and tcp > 0])
            if len(logs) < 2:
                continue
            low, high = scipy.stats.t.interval(
                0.95, len(logs) - 1, logs.mean(), logs.std(ddof=1) / np.sqrt(len(logs))
            )
            far = np.log(1.1)
            assert (name in worse) == (low > far if WORSE[name] == "more" else high < -far)
    assert "Safe under heavy congestion" in say_safety(experiment)
    assert [row[0] for row in compare_safety(experiment).rows] == ["ctcp", "fast", "scalable"]


def test_one_condition_does_not_show_safety(experiment: Experiment) -> None:
    assert len(experiment.heavy) == 1
    assert "undecided with one condition. The source:" in say_safety(experiment)
    assert {row[2] for row in compare_safety(experiment).rows} == {"undecided with one condition"}


def test_the_study_ends_with_a_table_and_its_roles(experiment: Experiment) -> None:
    found = analyse(experiment)
    table = found.data[0]
    assert len(table) == 4 * len(CCAS) * 3
    assert found.roles is not None
    assert set(found.roles.responses) | {"condition", "cca", "seed", "period", "X1", "X3"} == set(
        table
    )
    assert set(WORSE) <= set(TITLES)
    assert np.isfinite(np.asarray(table["y1"], dtype=float)).all()
    assert len(found.sentences) == 4
    assert "add up exactly in all 16 runs" in found.sentences[2]
    assert "Speeds and sources are 0.004 of the published ones" in found.sentences[3]


def test_cuts_at_a_loss_by_hand() -> None:
    """Reno halves; Scalable takes an eighth; HTCP between 0.2 and half as the queue grows."""
    assert cuts("reno") == [0.5] * len(cuts("reno"))
    assert cuts("scalable") == pytest.approx([0.125] * len(cuts("scalable")))
    assert min(cuts("htcp")) == pytest.approx(0.2)
    assert max(cuts("htcp")) == pytest.approx(0.5)
    assert cuts_as_published(("scalable", "htcp")).ours == 1.0


def test_an_algorithm_that_cuts_otherwise_is_not_as_published(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("headgate_studies.nist.cuts.cuts", lambda _: [0.5])
    found = cuts_as_published(("scalable", "bic", "ctcp", "htcp"))
    assert found.ours == 0.5  # ctcp, and htcp, whose range allows it
    monkeypatch.setattr("headgate_studies.nist.cuts.cuts", lambda _: [0.0])
    assert cuts_as_published(("scalable", "bic", "hstcp")).ours == 0.0  # to cut nothing is no cut
