"""The sensitivity analysis at a size that takes seconds: design, runs, claims, and what follows."""

import csv
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from headgate.base.errors import HeadgateError
from headgate.data.parquet import write_table
from headgate.data.tables import Table
from headgate.design import load_design
from headgate.design.named import make_named_design
from headgate.experiment.study.study import Study, load
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.influence import AVERAGE
from headgate.stats.effects import Effect
from headgate_studies.mesonet import MesoNet
from headgate_studies.mesonet.parameters import BY_LABEL
from headgate_studies.nist_sensitivity import published
from headgate_studies.nist_sensitivity.analysis import analyse
from headgate_studies.nist_sensitivity.design import design_file, every, steps
from headgate_studies.nist_sensitivity.findings import moving_named, strong_cells
from headgate_studies.nist_sensitivity.findings import place as place_of
from headgate_studies.nist_sensitivity.runs import NAMES, scenario
from headgate_studies.nist_sensitivity.summary import Sensitivity

from .made_runs import assert_stored_suffices
from .study_findings import findings_of

STUDY = load("nist-sensitivity")
PRINTED = Path(__file__).parents[1] / "oracles" / "data" / "nist"
FIRST = ("X1", "X2", "X3", "X4", "X5")


def in_32_runs() -> dict[str, str]:
    """Return generators of the other fifteen factors: products of two and three of the first."""
    words = [" ".join(each) for size in (2, 3) for each in combinations(FIRST, size)]
    others = [name for name in published.FACTORS if name not in FIRST]
    return dict(zip(others, words, strict=False))


def tiny(
    study: Study, factors: tuple[str, ...], generators: dict[str, str], size: float
) -> Sensitivity:
    scale = study.spec.scales["quick"].model_copy(
        update={
            "factors": factors,
            "generators": generators,
            "size": size,
            "fixed": {"time": 1 / 250},
        }
    )
    setup = study.setup(scale)
    made = study.jobs(setup)
    return Sensitivity(setup, {key: job.scenario.run() for key, job in made.items()})


@pytest.fixture(scope="module")
def whole() -> Sensitivity:
    return tiny(STUDY, published.FACTORS, in_32_runs(), 0.004)


@pytest.fixture(scope="module")
def by_both_ccas() -> Sensitivity:
    return tiny(STUDY, ("X1", "X12"), {}, 0.02)


def test_the_plan_is_the_published_one_at_mesonets_levels() -> None:
    design = STUDY.design(STUDY.scale("standard"))
    assert design.resolution == 4
    assert np.array_equal(design.matrix, make_named_design("2^(20-12)")[0].matrix)
    for factor in design.factors:
        parameter = BY_LABEL[factor.name]
        given = (factor.setting, factor.title, factor.low, factor.high)
        assert given == (parameter.key, parameter.name, parameter.minus, parameter.plus)


def test_where_the_algorithm_is_no_factor_both_algorithms_run_the_rest_of_the_plan() -> None:
    design, quick = (STUDY.design(STUDY.scale(name)) for name in ("full", "quick"))
    for factor in design.factors:
        assert np.array_equal(design.column(factor.name), quick.column(factor.name))
    assert len(STUDY.jobs(STUDY.setup(STUDY.scale("full")))) == 512


def test_a_condition_has_the_algorithm_of_its_level_and_a_shorter_duration(
    whole: Sensitivity,
) -> None:
    assert len(whole.results) == 32
    for place in range(len(whole.design)):
        settings = {**whole.settings, **whole.design.settings(place)}
        result = whole.result(place, settings["cca"], 1)
        cca = MesoNet.from_dict({"cca": settings["cca"]}).cca.name
        assert {str(name) for name in result.tables["ccas"]["cca"]} == {cca}
        assert result.meta["scenario"]["duration"] in {"6 s", "12 s"}
    assert scenario(settings, "ctcp").duration == 12_000_000_000_000


def test_the_table_has_every_factor_once(whole: Sensitivity, by_both_ccas: Sensitivity) -> None:
    assert tuple(whole.factors) == published.FACTORS
    assert tuple(by_both_ccas.factors) == ("X1", "X12", "X15")
    for of, rows in ((whole, 32), (by_both_ccas, 8)):
        assert len(of.table) == 3 * rows
        is_ctcp = np.asarray(of.table["cca"]) == "ctcp"
        assert np.array_equal(np.asarray(of.table["X15"]) == 1, is_ctcp)


def test_a_factor_that_moves_either_way_counts(
    whole: Sensitivity, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The slide's six move the sources transmitting; directions are another claim's."""

    def planted(_: object, factor: str, response: str, groups: tuple[str, ...]) -> Effect:
        assert (response, groups) == ("y1", ("2",))
        signs = {name: -1.0 if name == "X13" else 1.0 for name in published.TRANSMITTING}
        return Effect(factor, 2.0, 2.0 + signs[factor], 50.0, 9.0, 0.001, 0.3)

    monkeypatch.setattr(type(whole.by_period), "one", planted)
    assert moving_named(whole).ours == 6


def test_a_long_lived_flow_counts_alone(whole: Sensitivity) -> None:
    for (condition, _, _), result in whole.results.items():
        table = result.tables["classes"]
        rows = [
            i
            for i in range(len(table))
            if (table["file"][i], table["class"][i], table["period"][i]) == ("long-lived", "DD", 2)
        ]
        together = sum(float(table["delivered_packets_s"][i]) for i in rows)
        flows = 3 if "X10+" in str(condition).split() else 1
        row = np.flatnonzero(
            (np.asarray(whole.table["condition"]) == condition)
            & (np.asarray(whole.table["period"]) == 2)
        )
        assert float(whole.table["long_DD"][row[0]]) == pytest.approx(together / flows)


def test_counts_are_per_second_for_every_interval(whole: Sensitivity) -> None:
    for (condition, _, _), result in whole.results.items():
        interval_s = 1.0 if "X18+" in str(condition).split() else 0.2
        rows = np.asarray(whole.table["condition"]) == condition
        own = {name: np.asarray(result.responses[name], float) for name in ("y1", "y6", "y15")}
        flows = own["y6"] / interval_s
        assert np.asarray(whole.table["y6"])[rows] == pytest.approx(flows)
        assert np.asarray(whole.table["y7"])[rows] == pytest.approx(flows / (flows + own["y1"]))
        assert np.asarray(whole.table["y15"])[rows] == pytest.approx(own["y15"])


def test_psi_of_all_responses_is_the_influence_and_the_interval_is_around_it(
    whole: Sensitivity,
) -> None:
    for place, name in enumerate(whole.factors):
        assert whole.psi["weighted average"][place] == pytest.approx(whole.average[name])
    low, high = whole.resample(lambda rows: float(rows["period 2"][0]))
    assert low <= whole.psi["period 2"][0] <= high
    assert low < high
    steps_of_psi = whole.psi["period 2"] * 2 * len(NAMES)
    assert steps_of_psi == pytest.approx(np.round(steps_of_psi))


def test_the_effects_of_all_factors_are_taken_out_of_the_error(whole: Sensitivity) -> None:
    """A small effect beside large ones is found, which a one-way analysis hides in the error."""
    rows = np.flatnonzero(np.asarray(whole.table["period"]) == 2)
    level = {name: np.asarray(whole.table[name], dtype=float)[rows] for name in whole.factors}
    noise = np.random.default_rng(3).normal(size=len(rows))
    values = np.zeros(len(whole.table))
    values[rows] = 100 * level["X1"] + 50 * level["X7"] + 4 * level["X9"] + noise
    planted = replace(whole)
    planted.__dict__["table"] = Table("responses", {**whole.table, "y1": values})
    p_values = planted.all_factors_p("y1")
    fit = stats.linregress(level["X9"], values[rows] - 100 * level["X1"] - 50 * level["X7"])
    assert fit.pvalue < 1e-3
    assert planted.by_period.one("X9", "y1", ("2",)).p > 0.05
    assert p_values["X9"] < 0.01 / 14
    assert sum(p < 0.01 for p in p_values.values()) <= 4
    # places: the largest is the first
    first = place_of(whole, factor=max(whole.factors, key=whole.average.__getitem__), row=AVERAGE)
    assert first.ours < 2


def test_rows_of_algorithms_are_means_over_the_periods(by_both_ccas: Sensitivity) -> None:
    of = by_both_ccas
    mean = {
        condition: np.mean(of.result(place, "ctcp", 1).responses["y1"])
        for place, condition in enumerate(of.conditions)
    }
    high = np.mean([value for condition, value in mean.items() if condition.startswith("X1+")])
    assert of.by_cca.one("X1", "y1", ("ctcp",)).mean_high == pytest.approx(high)


def test_printed_values_match_those_of_the_source() -> None:
    with (PRINTED / "psi.csv").open() as file:
        rows = list(csv.reader(file))
    for ours, printed in zip(published.PSI.values(), rows[1:], strict=True):
        assert [f"{100 * psi:.0f}" for psi in ours.values()] == printed[1:]
    with (PRINTED / "stars_period_2.csv").open() as file:
        table = {row.pop("response"): row for row in csv.DictReader(file)}
    assert {
        name: {factor: cell for factor, cell in row.items() if cell} for name, row in table.items()
    } == published.STARS
    assert set(published.LIKELY) <= set(table)
    assert set(published.LIKELY.values()) <= set(NAMES)
    assert [len(set(names)) for names in (published.LARGEST, published.TRANSMITTING)] == [7, 6]


def test_stored_columns_suffice_for_the_claims(whole: Sensitivity, tmp_path: Path) -> None:
    assert_stored_suffices(STUDY, whole, tmp_path)


def test_every_claim_has_a_finding(whole: Sensitivity, by_both_ccas: Sensitivity) -> None:
    found = findings_of("nist-sensitivity", whole)
    assert set(found) == {claim.id for claim in STUDY.claims}
    assert all(np.isfinite(one.ours) for one in found.values())
    cells = strong_cells(whole)
    hits = round(found["signs-agree"].ours * len(cells))
    assert found["signs-agree"].note.startswith(f"{hits} of {len(cells)}")
    few = findings_of("nist-sensitivity", by_both_ccas)
    assert np.isnan(few["psi-order"].ours)
    assert "X2 is not varied" in few["psi-order"].note
    assert np.isfinite(few["x15-near-bottom"].ours)


def test_the_six_most_significant_make_the_plan(whole: Sensitivity, tmp_path: Path) -> None:
    design_file(whole).save(tmp_path / "design.toml")
    made = load_design(tmp_path / "design.toml")
    assert (len(made.design), made.design.resolution) == (32, 6)
    names = [factor.name for factor in made.design.factors]
    assert set(names) == set(whole.influence.ranked[:6])
    assert names == sorted(names, key=lambda name: int(name[1:]))
    own = {factor.name: factor for factor in STUDY.design(STUDY.scale("quick")).factors}
    for factor in made.design.factors:
        one = own[factor.name]
        assert (factor.setting, factor.low, factor.high) == (one.setting, one.low, one.high)


def test_another_study_takes_the_plan(whole: Sensitivity, tmp_path: Path) -> None:
    file = design_file(whole)
    file.save(tmp_path / "design.toml")
    study = load("nist-1b")
    setup = study.setup(study.scale("quick"), design=str(tmp_path / "design.toml"))
    assert [f.name for f in setup.design.factors] == list(file.factors)
    assert set(study.settings(study.scale("quick"))) <= {
        *setup.settings, *(factor.setting for factor in setup.design.factors)
    }  # fmt: skip
    jobs = study.jobs(setup)
    assert len(jobs) == 32 * 8 * 2
    settings = {**setup.settings, **setup.design.settings(31), "cca": "fast"}
    made = jobs[setup.design.label(31), "fast", 1].scenario
    assert made.identity() == MesoNet.from_dict(settings).scenario().identity()


@pytest.mark.parametrize(
    ("study", "setting", "said"),
    [
        ("nist-1b", "cca", "'cca' cannot be varied in nist-1b; the settings are buffer_prov"),
        ("tcp-replacements", "patience", "'patience' cannot be varied in tcp-replacements"),
        ("fast", "alpha", "fast: has no factors, so that it takes no design"),
    ],
)
def test_a_plan_that_does_not_fit_is_one_sentence(
    study: str, setting: str, said: str, tmp_path: Path
) -> None:
    (tmp_path / "p.toml").write_text(f'[factors.A]\nsetting = "{setting}"\nlow = 1\nhigh = 2\n')
    taken = load(study)
    with pytest.raises(HeadgateError, match=said):
        taken.setup(taken.scale("quick"), design=str(tmp_path / "p.toml"))


def test_the_reduction_has_the_counts_of_the_source(whole: Sensitivity) -> None:
    found = steps(whole)
    assert [step.theirs for step in found[:4]] == [9633, 539, 192, 6]
    assert [every(1000), every(56), every(20)] == pytest.approx([9633, 539, 192], abs=0.7)
    assert [round(10**step.theirs) for step in found[4:]] == [256, 32]
    ours = [step.ours for step in found]
    assert ours == sorted(ours, reverse=True)
    assert ours[2] == every(20)
    assert [round(10**power) for power in ours[3:]] == [2**20, 32, 32]


def test_the_study_ends_with_pictures_tables_and_a_plan(
    whole: Sensitivity, by_both_ccas: Sensitivity, tmp_path: Path
) -> None:
    made = analyse(whole)
    assert [picture.name for picture in made.pictures] == [
        "reduction", "ranking", "transmitting", "psi", "stars", "correlation-classes", "groups",
    ]  # fmt: skip
    assert set(made.files) == {"design.toml"}
    write_table(tmp_path / "responses.parquet", made.data[0])
    read = Frame.of(tmp_path / "responses.parquet")
    assert len(read) == 3 * 32
    assert set(read.column("cca").tolist()) == {"reno", "ctcp"}
    assert made.roles is not None
    assert set(made.roles.factors) == set(published.FACTORS)
    assert len(made.sentences) == 3
    few = analyse(by_both_ccas)
    assert not few.files
    assert len(few.pictures) == 5
