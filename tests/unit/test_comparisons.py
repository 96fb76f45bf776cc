"""An experiment that compares algorithms: crossed designs, deployments, periods, roles, bases."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from headgate import Experiment, Scenario
from headgate.base.errors import HeadgateError
from headgate.cli.main import app
from headgate.engine.api import Result, simulate
from headgate.experiment import extensions, runner
from headgate.experiment.measures import find as find_built_in
from headgate.experiment.result import ExperimentResult
from headgate.experiment.study.study import plan_study
from headgate.figures.analysis.answer import cca_title, read_mix
from headgate.lab.workers import WorkerPool
from headgate_studies.experiments.responses import RESPONSES
from headgate_studies.mesonet import MesoNet
from headgate_studies.nist.responses import TITLES, WORSE
from headgate_studies.nist.responses import responses as of_study

from ..arch.repository import ROOT
from .small_experiment import lists  # noqa: F401 - a fixture

USERS = {"kind": "web", "cca": "cubic", "users": 12, "think": "0.5 s", "size": "20 packets"}
BASE: dict[str, Any] = {
    "duration": "3 s",
    "network": {"kind": "dumbbell", "rate": "4 Mbit/s", "rtt": "20 ms", "buffer": "1 BDP"},
    "traffic": [USERS],
    "measure": {"warmup": "0.6 s", "periods": 3, "flows": "none", "series": "none"},
}
FACTORS = {
    "network.rate": ["4 Mbit/s", "8 Mbit/s"],
    "network.rtt": ["20 ms", "60 ms"],
    "network.buffer": ["0.5 BDP", "2 BDP"],
}
PERIODS = ["early", "middle", "late"]
DELIVERED = {
    "name": "delivered", "sql": "SELECT sum(delivered_packets_s) FROM classes", "unit": "packets/s",
    "better": "higher",
}  # fmt: skip


def compare(**keys: Any) -> Experiment:
    given: dict[str, Any] = {
        "design": "2^(3-1)", "replicates": 2, "responses": ["loss_rate", "y10", DELIVERED],
        "crossed": {"cca": ["reno", "cubic", "vegas"]}, "periods": PERIODS, "congestion": "y10",
        "questions": {"safety": ["loss_rate", "delivered"]}, **keys,
    }  # fmt: skip
    return Experiment(BASE, FACTORS, **given)


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> ExperimentResult:
    return compare().run(tmp_path_factory.mktemp("compared"), workers=1)


def test_every_run_of_the_design_meets_every_algorithm() -> None:
    definition = compare().definition
    labels = [dict(one.labels) for one in definition.conditions]
    assert len(labels) == 4 * 3
    by_cca: dict[Any, set[Any]] = {}
    for row in labels:
        by_cca.setdefault(row.pop("cca"), set()).add(tuple(row.values()))
    assert len(set(map(frozenset, by_cca.values()))) == 1
    assert definition.made.design.resolution == 3
    assert all(
        one.scenario.traffic[0].cca.name == one.labels["cca"] for one in definition.conditions
    )


def test_a_screening_design_is_crossed_too() -> None:
    screened = Experiment(
        BASE, FACTORS, kind="plackett-burman", responses=["y10"],
        crossed={"cca": ["reno", "cubic", "vegas"], "traffic.0.users": [6, 12]},
    )  # fmt: skip
    assert len(screened.definition.conditions) == 4 * 3 * 2
    assert "crossed with 3 levels of cca and 2 levels of users" in screened.definition.made.source


def test_centre_points_and_blocks_are_of_the_design_only() -> None:
    made = compare(centre_points=1, blocks=["rate"]).definition
    centres = [row for row in made.made.sheet.rows if row.standard == 0]
    assert len(centres) == 2 * 3  # one a block and algorithm
    assert {row.coded[-1] for row in centres} == {-1.0, 0.0, 1.0}
    with pytest.raises(HeadgateError, match="'cca' is not a factor; the factors are rate"):
        _ = compare(blocks=["cca"]).definition.conditions


def test_where_removes_combinations_of_crossed_levels_too() -> None:
    kept = compare(where="NOT (cca = 'vegas' AND rtt_s > 0.05)").definition.conditions
    assert len(kept) == 4 * 3 - 2


def test_a_deployment_is_a_mix_of_two_algorithms_and_before_is_run_once() -> None:
    made = compare(switched=[0.25, 1.0], before="cubic").definition
    assert made.levels["cca"] == (
        "cubic", "25 % reno + 75 % cubic", "reno", "25 % vegas + 75 % cubic", "vegas",
    )  # fmt: skip
    one = next(c for c in made.conditions if c.labels["cca"] == "25 % vegas + 75 % cubic")
    parts = [(part.cca.name, part.share) for part in one.scenario.traffic[0].cca]
    assert parts == [("vegas", 0.25), ("cubic", 0.75)]


def test_a_mix_is_read_from_its_label() -> None:
    assert read_mix("25 % vegas + 75 % cubic") == [("25", "vegas"), ("75", "cubic")]
    assert read_mix("cubic") == read_mix("mine 2") == []
    assert cca_title("25 % hstcp + 75 % reno") == "25 % HighSpeed TCP + 75 % TCP Reno"


def test_the_sentence_of_a_deployment_says_who_switches(tmp_path: Path) -> None:
    keys = {"switched": [0.5], "before": "cubic", "crossed": {"cca": ["cubic", "vegas"]}}
    found = compare(**keys).run(tmp_path, workers=1)
    (said,) = [one for one in found.findings if one.startswith("If ")]
    assert said.startswith("If 50 % of the users used TCP Vegas instead of CUBIC, ")


def test_responses_are_measured_in_each_period(result: ExperimentResult) -> None:
    """A response in a period is that of the rows of the period, in a run made by hand."""
    wanted = {"rate": "4 Mbit/s", "rtt": "60 ms", "cca": "vegas", "seed": 2, "period": 3}
    kept = [np.asarray(result.runs[name]) == level for name, level in wanted.items()]
    (row,) = np.flatnonzero(np.all(kept, axis=0))
    levels = {"network.rate": "4 Mbit/s", "network.rtt": "60 ms", "cca": "vegas", "seed": 2}
    buffer = {"network.buffer": str(result.runs["buffer"][row])}
    run = Scenario.from_dict(BASE).replaced(levels | buffer).run()
    classes, links = run.tables["classes"], run.tables["links"]
    third = np.flatnonzero(links["period"] == 3)
    busiest = third[np.argmax(links["utilisation"][third])]
    delivered = classes["delivered_packets_s"][classes["period"] == 3].sum()
    assert result.runs["delivered"][row] == pytest.approx(delivered, rel=1e-12)
    assert result.runs["y10"][row] == run.responses["y10"][2]
    assert result.runs["loss_rate"][row] == links["loss_rate"][busiest]


def test_tables_have_a_row_for_each_period(result: ExperimentResult) -> None:
    assert len(result.runs) == 4 * 3 * 2 * 3
    assert sorted(set(result.runs["period"].tolist())) == [1, 2, 3]
    assert len(result.table) == 4 * 3 * 3 * 3
    assert sorted(set(result.effects["period"].tolist())) == [1, 2, 3]


def test_the_kept_file_is_the_same_experiment(result: ExperimentResult) -> None:
    again = Experiment.load(result.outcome.folder / "experiment.toml")
    first = compare()
    own, other = (one.jobs(one.definition.setup) for one in (first, again))
    assert {key: job.id for key, job in own.items()} == {key: job.id for key, job in other.items()}
    assert again.definition.file.questions == first.definition.file.questions


def test_the_report_has_the_roles_of_the_file(result: ExperimentResult) -> None:
    roles = result.outcome.analysis.roles
    assert roles is not None
    assert (roles.before, roles.congestion, roles.period) == ("reno", "y10", "period")
    assert roles.periods == {"1": "early", "2": "middle", "3": "late"}
    assert roles.questions == {"safety": ("loss_rate", "delivered")}
    assert roles.worse == {"loss_rate": "more", "y10": "more", "delivered": "less"}


def test_findings_begin_with_the_headline_and_each_algorithm(result: ExperimentResult) -> None:
    headline, *answers = result.findings[:3]
    assert headline.startswith("In period 2 of 3, of 3 measures, compared with TCP Reno, ")
    assert all(one.startswith("If everyone used ") for one in answers)
    page = result.report
    assert page is not None
    text = page.read_text(encoding="utf-8")
    assert text.index(headline) < text.index("Five questions")


def test_a_claim_may_ask_for_a_period() -> None:
    claim = {
        "id": "few-losses", "statement": "few losses late", "tolerance": "<= 1",
        "value": "max(loss_rate) FILTER (period = 3)",
    }  # fmt: skip
    assert compare(claims=[claim]).check() == []


# Bases, sets of responses and templates of packages


MESONET = {"base": "mesonet", "experiment": "1b", "size": 0.1, "duration": "30 s"}


def test_nists_experiment_as_a_file_makes_the_runs_of_the_study() -> None:
    """The same 32 conditions of MesoNet, bit for bit: identities of plans and seeds agree."""
    asked = plan_study("nist-1b", "quick")
    design = asked.setup.design
    factors = {
        one.name: {"setting": one.setting, "low": one.low, "high": one.high}
        for one in design.factors
    }
    keys = {key: of for key, of in asked.setup.settings.items() if key not in {"size", "duration"}}
    held = {one.setting for one in design.factors}
    base = {**MESONET, **{key: of for key, of in keys.items() if key not in held}}
    own = Experiment(
        base, factors, design="2^(6-1)", replicates=2, responses=["y10"],
        crossed={"cca": ["reno", "bic"]},
    )  # fmt: skip
    made = {job.identity for job in own.jobs(own.definition.setup).values()}
    wanted = {job.identity for key, job in asked.jobs.items() if key[1] in {"reno", "bic"}}
    assert len(made) == 32 * 2 * 2
    assert made == wanted


def test_a_parameter_of_a_base_is_named_by_its_number_or_its_key() -> None:
    by_number, by_key = (
        Experiment(MESONET, {name: ["2 s", "5 s"], "X12": [0.5, 1.0]}, responses=["y10"])
        for name in ("X7", "think_time")
    )
    scenarios = [[c.scenario for c in one.definition.conditions] for one in (by_number, by_key)]
    assert scenarios[0] == scenarios[1]
    assert {one.traffic[0].think for one in scenarios[0]} == {2 * 10**12, 5 * 10**12}


def test_a_path_of_the_scenario_that_a_base_makes_is_a_factor_too() -> None:
    made = Experiment(
        MESONET, {"measure.warmup": ["1 s", "2 s"], "X7": ["2 s", "5 s"]}, responses=["y10"]
    )
    assert {one.scenario.measure.warmup for one in made.definition.conditions} == {
        10**12,
        2 * 10**12,
    }


def test_a_deployment_in_mesonet_leaves_the_others_on_standard_tcp() -> None:
    made = Experiment(
        MESONET, {"X7": ["2 s", "5 s"]}, kind="two-level", responses=["y10"],
        crossed={"cca": ["reno", "cubic"]}, switched=[0.25],
    )  # fmt: skip
    keys = {**{k: v for k, v in MESONET.items() if k != "base"}, "think_time": "5 s"}
    wanted = MesoNet.from_dict({**keys, "cca": "cubic", "standard_share": 0.75}).scenario()
    assert wanted in [one.scenario for one in made.definition.conditions]


@pytest.fixture(scope="module")
def mesonet_run() -> Result:
    keys = {"experiment": "1b", "size": 0.01, "duration": "25 s", "cca": "cubic"}
    return simulate(MesoNet.from_dict(keys).scenario())


def test_the_set_of_responses_gives_the_values_of_the_studies(mesonet_run: Result) -> None:
    made = Experiment(MESONET, {"X7": ["2 s", "5 s"]}, responses=["nist"], periods=PERIODS)
    wanted = of_study(mesonet_run, "cubic")
    assert set(wanted) == set(TITLES) == {one.name for one in made.definition.responses}
    for one in made.definition.asked:
        value, expected = one.measure(mesonet_run), wanted[one.name][one.period - 1]
        zero = np.isnan(value) and expected == 0
        assert zero or value == pytest.approx(expected, rel=1e-9, nan_ok=True), one.figure


def test_the_set_of_responses_has_the_directions_of_the_studies() -> None:
    for name, way in WORSE.items():
        assert RESPONSES.measures[name].better == ("lower" if way == "more" else "higher")
    for name in (name for name in WORSE if name.startswith("y")):
        assert find_built_in(name).better == RESPONSES.measures[name].better


def test_a_set_of_responses_brings_its_questions_unless_the_file_has_its_own() -> None:
    whole = Experiment(MESONET, {"X7": ["2 s", "5 s"]}, responses=["nist"]).definition.file
    assert set(whole.questions) == {"increase", "recovery", "utility", "safety"}
    assert whole.congestion == "y10"
    own = Experiment(
        MESONET, {"X7": ["2 s", "5 s"]}, responses=["nist"], questions={"safety": ["y5"]}
    )
    assert own.definition.file.questions == {"safety": ("y5",)}


def new(*words: str) -> str:
    done = CliRunner().invoke(app, ["experiment", "new", *words])
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.mark.parametrize("base", ["", "isp", "abilene", "dumbbell", "mesonet"])
def test_the_template_of_every_base_is_right(base: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    new("--like", "nist", str(file), *(["--base", base] if base else []))
    made = Experiment.load(file)
    assert made.check() == []
    assert len(made.definition.conditions) == 32 * 3
    assert len(made.definition.file.periods) == 3


@pytest.mark.parametrize("name", ["web.toml", "first.toml", "short_flows.toml", "parking_lot.toml"])
def test_the_template_varies_any_scenario(name: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    new("--like", "nist", str(file), "--scenario", str(ROOT / "examples" / name))
    made = Experiment.load(file)
    made.check()
    design = made.definition.made.design
    assert len(design.own_factors) >= 2
    assert made.definition.levels["cca"] == ("cubic", "bbr3", "vegas")


def test_the_example_is_the_template(tmp_path: Path) -> None:
    file = tmp_path / "isp.toml"
    new("--like", "nist", str(file))
    example = ROOT / "examples" / "experiments" / "isp.toml"
    assert tomllib.loads(example.read_text()) == tomllib.loads(file.read_text())


def test_the_example_answers_in_one_sentence(tmp_path: Path) -> None:
    """The example in a quarter of its conditions, once each: a few seconds."""
    settings = ["replicates=1", 'design="2^(6-3)"']
    small = Experiment.load(ROOT / "examples" / "experiments" / "isp.toml", settings)
    runs, _ = runner.make_runs(small.plan_runs(tmp_path), WorkerPool(1, None, None))
    assert len(runs.results) == 8 * 3
    headline, *answers = small.analyse(runs).sentences[:3]
    assert headline.startswith("In period 2 of 3, of 11 measures, compared with CUBIC, ")
    assert headline.endswith("with one run of each condition, so that changes may be chance.")
    assert all(" instead of CUBIC, " in one for one in answers)


def test_without_the_package_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extensions, "list_registered", lambda _: {})
    done = CliRunner().invoke(
        app, ["experiment", "new", "--like", "nist", str(tmp_path / "a.toml")]
    )
    assert isinstance(done.exception, HeadgateError)
    assert str(done.exception) == (
        "--like nist needs headgate-studies, which is not installed;"
        " pip install 'headgate[studies]'"
    )


# One form for both commands


FILE = """
title = "small"
replicates = 2
responses = ["loss_rate", "y10"]
design = "2^(2-0)"
before = "reno"

[factors]
"network.rtt" = ["20 ms", "60 ms"]
"network.buffer" = ["0.5 BDP", "2 BDP"]

[crossed]
cca = ["reno", "vegas", "cubic"]
"""


def write_folder(folder: Path) -> Path:
    folder.mkdir()
    Scenario.from_dict(BASE).save(folder / "base.toml")
    (folder / "experiment.toml").write_text('scenario = "base.toml"\n' + FILE)
    return folder


def digests(out: Path) -> Mapping[str, str]:
    runs = sorted((out / "runs").glob("*/run.json"))
    return {path.parent.name: json.loads(path.read_text())["digest"] for path in runs}


@pytest.mark.parametrize("words", [("experiment", "run"), ("study",)])
def test_both_commands_run_a_folder_with_an_experiment(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "mine")
    done = CliRunner().invoke(
        app, [*words, str(folder), "--json", "--out", str(tmp_path / "out"), "--workers", "1"]
    )
    assert done.exit_code == 0, done.output
    assert len(json.loads(done.stdout)["means"]) == 4 * 3 * 2


@pytest.mark.parametrize("option", [("--scale", "full"), ("--cca", "a.py:A"), ("--design", "d")])
def test_options_of_studies_are_refused_for_an_experiment(
    option: tuple[str, str], tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "mine")
    done = CliRunner().invoke(app, ["study", str(folder), *option])
    assert isinstance(done.exception, HeadgateError)
    assert str(done.exception).startswith(option[0])


def test_a_sweep_of_a_study_has_the_same_keys(tmp_path: Path) -> None:
    folder = tmp_path / "one"
    folder.mkdir()
    Scenario.from_dict(BASE).save(folder / "base.toml")
    sweep = FILE.partition("responses")[0].replace('title = "small"\nreplicates = 2\n', "")
    rest = FILE.partition('["loss_rate", "y10"]')[2]
    for table in ("factors", "crossed"):
        rest = rest.replace(f"[{table}]", f"[sweeps.all.{table}]")
    (folder / "study.toml").write_text(
        'name = "one"\ntitle = "One"\nquestion = "Which?"\nccas = ["reno"]\n'
        "[responses.loss_rate]\n[responses.y10]\n[scales.quick]\nseeds = 2\nsize = 1.0\n"
        '[scales.full]\nseeds = 2\nsize = 1.0\n[sweeps.all]\nscenario = "base.toml"\n'
        f'periods = ["early", "middle", "late"]\n{sweep}{rest}'
    )
    (folder / "claims.toml").write_text(
        '[[claim]]\nid = "a"\nstatement = "s"\nsource = "p"\nmeasure = "m"\n'
        'tolerance = "<= 1"\nvalue = "SELECT max(loss_rate) FROM \'all\' WHERE period = 2"\n'
    )
    done = CliRunner().invoke(
        app, ["study", str(folder), "--json", "--out", str(tmp_path / "out"), "--workers", "1"]
    )
    assert done.exit_code == 0, done.output
    (claim,) = json.loads(done.stdout)["claims"]
    assert claim["verdict"] == "holds"
    page = (tmp_path / "out" / "report.html").read_text()
    assert "If everyone used CUBIC instead of TCP Reno" in page.replace("<strong>", "").replace(
        "</strong>", ""
    )
