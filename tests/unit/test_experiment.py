"""A user's experiment: its file and its Python form agree, and its findings are right."""

import json
import os
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from distributed import LocalCluster
from scipy import stats

import headgate
from headgate import Experiment, Scenario
from headgate.base.errors import HeadgateError
from headgate.claims.verdicts import Verdict
from headgate.data.columns import OF_A_RUN
from headgate.experiment import measures, responses
from headgate.experiment.result import ExperimentResult
from headgate.lab.jobs import Job, SharedPlan
from headgate.scenario.plan import identity_of
from headgate_studies.mesonet import MesoNet

from ..arch.repository import ROOT
from ..errors.command import headgate as command
from .small_experiment import BASE, FILE, RESPONSES, lists, small  # noqa: F401 - a fixture
from .small_study import digests


def ids(experiment: Experiment) -> dict[tuple[object, ...], str]:
    jobs = experiment.jobs(experiment.definition.setup)
    return {key: job.id for key, job in jobs.items()}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    Scenario.from_dict(BASE).save(tmp_path / "base.toml")
    (tmp_path / "small.toml").write_text(FILE)
    return tmp_path / "small.toml"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("small")


@pytest.fixture(scope="module")
def result(out: Path) -> ExperimentResult:
    claims = [
        {"id": "fills", "statement": "fills", "value": "min(goodput_bps) / 5e6",
         "where": "buffer_bdp = 2", "tolerance": ">= 0.5"},
        {"id": "longer", "statement": "longer", "tolerance": "<= 0",
         "value": "SELECT corr(rtt_s, avg_mean_rtt_s) FROM runs"},
    ]  # fmt: skip
    return small(claims=claims).run(out, workers=2)


def test_the_file_and_python_say_the_same(file: Path) -> None:
    read = Experiment.load(file)
    assert ids(read) == ids(small())
    assert len(ids(read)) == 3 * 2 * 2 * 3
    assert read.definition.responses == small().definition.responses


def test_what_is_kept_beside_the_runs_is_the_experiment(out: Path, result: object) -> None:
    assert ids(Experiment.load(out / "experiment.toml")) == ids(small())


def test_a_condition_is_the_base_with_its_levels(file: Path) -> None:
    found = {
        tuple(c.labels.values()): c.scenario for c in Experiment.load(file).definition.conditions
    }
    base = Scenario.from_dict(BASE)
    levels = {"network.rtt": "40 ms", "network.buffer": "2 BDP"}
    ccas = {"traffic.0.cca": "cubic", "traffic.1.cca": "cubic"}
    assert found["40 ms", "2 BDP", "cubic"] == base.replaced(levels | ccas)


def test_replicates_are_seeds_and_one_more_changes_none_before_it() -> None:
    three, four = ids(small()), ids(small(replicates=4))
    assert three.items() <= four.items()
    assert {key[-1] for key in four} == {1, 2, 3, 4}


def test_means_are_those_of_the_runs_with_students_interval(
    result: ExperimentResult,
) -> None:
    scenario = Scenario.from_dict(BASE).replaced({"network.rtt": "40 ms", "cca": "cubic"})
    scenario = scenario.replaced({"network.buffer": "2 BDP"})
    runs = [scenario.run(seed=seed) for seed in (1, 2, 3)]
    goodput = [np.nansum(run.flows["goodput_bps"] * run.flows["active_s"]) / 2.0 for run in runs]
    table = result.table.to_pandas()
    row = table[
        (table.rtt == "40 ms") & (table.buffer == "2 BDP") & (table.cca == "cubic")
        & (table.response == "goodput_bps")
    ].iloc[0]  # fmt: skip
    low, high = stats.t.interval(0.95, 2, np.mean(goodput), stats.sem(goodput))
    assert (row["mean"], row["low"], row["high"]) == pytest.approx((np.mean(goodput), low, high))
    assert (row["replicates"], row["unit"]) == (3, "bit/s")
    assert len(result.table) == 12 * 2
    assert len(result.runs) == 36


def test_effects_are_paired_by_the_seed(
    result: ExperimentResult,
) -> None:
    runs = result.runs.to_pandas()
    of = runs.pivot_table(index="replicate", columns="cca", values="goodput_bps")
    by_seed = (of["cubic"] - of["reno"]).to_numpy()
    effects = result.effects.to_pandas()
    row = effects[(effects.factors == "cca") & (effects.response == "goodput_bps")].iloc[0]
    low, high = stats.t.interval(0.95, 2, by_seed.mean(), stats.sem(by_seed))
    assert (row["from"], row["to"]) == ("reno", "cubic")
    assert (row["effect"], row["low"], row["high"]) == pytest.approx((by_seed.mean(), low, high))
    # rtt 2, buffer 1, algorithm 1; rtt x buffer 2, rtt x cca 2, buffer x cca 1
    assert len(effects) == 2 * (4 + 5)


def test_claims_are_judged_replicate_by_replicate(
    result: ExperimentResult,
) -> None:
    fills, longer = result.claims
    runs = result.runs.to_pandas()
    mine = runs[runs.buffer == "2 BDP"].groupby("replicate").goodput_bps.min() / 5e6
    assert fills.ours == pytest.approx(mine.mean())
    assert fills.ci == pytest.approx(stats.t.interval(0.95, 2, mine.mean(), stats.sem(mine)))
    assert (fills.verdict, longer.verdict) == (Verdict.HOLDS, Verdict.DIFFERS)


@pytest.mark.parametrize(
    ("word", "title", "better"),
    [
        ("avg(flows.mean_rtt_s)", "Mean RTT from the start of flows", "lower"),
        ("max(flows.mean_rtt_s)", "Greatest of mean RTT over flows from their start", "lower"),
        ("avg(flows.goodput_bps)", "Mean of goodput over flows", "higher"),
        ("stddev(flows.goodput_bps)", "Standard deviation of goodput over flows", ""),
        ("sum(ports.marks)", "Sum of marks over ports", ""),
    ],
)
def test_a_column_is_called_in_words_and_knows_which_way_is_better(
    word: str, title: str, better: str
) -> None:
    found = measures.find(word)
    assert (found.title, found.better) == (title, better)


def test_only_columns_that_there_are_have_words() -> None:
    there = {column.name for table in OF_A_RUN.values() for column in table}
    assert set(measures.SPOKEN) <= there


def test_the_answer_counts_every_measure_that_has_a_direction(result: ExperimentResult) -> None:
    roles = result.outcome.analysis.roles
    assert roles is not None
    assert roles.worse == {"goodput_bps": "less", "avg_mean_rtt_s": "more"}


def test_the_report_answers_first_and_has_its_pictures(out: Path, result: ExperimentResult) -> None:
    page = result.report.read_text()
    titles = ["Answer", "What gets worse, and what better", "Claims", "More findings"]
    places = [page.index(f"<h2>{title}</h2>") for title in titles]
    assert places == sorted(places)
    assert "of all flows is highest with" in page
    for name in ("means-goodput_bps", "effects-goodput_bps"):
        assert (out / "figures" / f"{name}.svg").stat().st_size > 1000
        assert name in result.figures()
    for name in ("runs", "means", "effects"):
        assert (out / f"{name}.parquet").is_file()
    assert "goodput_bps" in result._repr_html_()


def times(folder: Path) -> dict[Path, int]:
    """When each run was made."""
    return {path: path.stat().st_mtime_ns for path in folder.glob("runs/*/run.json")}


def test_a_finished_experiment_runs_nothing_again(out: Path, result: ExperimentResult) -> None:
    before = times(out)
    again = small(responses=RESPONSES[:1]).run(out, workers=1)
    assert times(out) == before
    assert again.runs["goodput_bps"].tolist() == result.runs["goodput_bps"].tolist()


def test_page_and_tables_are_written_again_only_if_they_have_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tiny = Experiment(BASE, {"cca": ["reno", "cubic"]})
    tiny.run(tmp_path, workers=1)
    written = {path: path.stat().st_mtime_ns for path in tmp_path.glob("[!.]*.[hp]*")}
    assert {path.name for path in written} >= {"report.html", "means.parquet", "runs.parquet"}
    with monkeypatch.context() as patch:
        patch.setattr("headgate.experiment.runner.write_table", None)
        tiny.run(tmp_path, workers=1)
    assert {path: path.stat().st_mtime_ns for path in written} == written
    means = tmp_path / "means.parquet"
    whole = means.read_bytes()
    means.write_bytes(b"")
    tiny.run(tmp_path, workers=1)
    assert means.read_bytes() == whole


def test_what_is_asked_later_is_found_in_the_tables(tmp_path: Path) -> None:
    levels = {"cca": ["reno", "cubic"]}
    Experiment(BASE, levels, tables="all").run(tmp_path, workers=1)
    before = times(tmp_path)
    later = Experiment(BASE, levels, tables="all", responses=["jain"]).run(tmp_path, workers=1)
    assert times(tmp_path) == before
    assert np.isfinite(later.runs["jain"]).all()


def test_small_runs_keep_no_tables_and_are_made_again_for_another_question(tmp_path: Path) -> None:
    levels = {"cca": ["reno", "cubic"]}
    first = Experiment(BASE, levels).run(tmp_path, workers=1)
    assert not list(tmp_path.glob("runs/*/*.parquet"))
    before, made = times(tmp_path), digests(tmp_path)
    later = Experiment(BASE, levels, responses=["jain", "goodput_bps"]).run(tmp_path, workers=1)
    assert times(tmp_path).keys() == before.keys()
    assert digests(tmp_path) == made
    assert later.runs["goodput_bps"].tolist() == first.runs["goodput_bps"].tolist()
    assert np.isfinite(later.runs["jain"]).all()


def test_large_runs_keep_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(responses, "LARGE", 1000)
    measuring = small().keep
    run = Scenario.from_dict(BASE).run()
    assert set(measuring(run).tables) == set(OF_A_RUN)
    monkeypatch.setattr(responses, "LARGE", 10**9)
    assert not measuring(run).tables


def test_where_leaves_combinations_out() -> None:
    kept = small(where="NOT (rtt_s > 0.03 AND buffer = '0.5 BDP') AND buffer_bdp <= 2")
    levels = [tuple(c.labels.values())[:2] for c in kept.definition.conditions]
    assert len(levels) == 10
    assert ("40 ms", "0.5 BDP") not in levels
    assert ids(kept).items() <= ids(small()).items()


def test_names_of_factors_are_the_last_words_of_their_paths() -> None:
    ccas = {"traffic.0.cca": ["reno", "cubic"], "traffic.1.cca": ["reno", "cubic"]}
    made = Experiment(BASE, {**ccas, "network.rtt": ["10 ms", "20 ms"]}).definition.made
    assert [f.name for f in made.design.factors] == ["traffic_0_cca", "traffic_1_cca", "rtt"]


def test_an_algorithm_with_parameters_is_a_level() -> None:
    made = Experiment(BASE, {"cca": ["reno", {"name": "fast", "alpha": 20}]})
    labels = [condition.labels["cca"] for condition in made.definition.conditions]
    assert labels == ["reno", "fast(alpha=20)"]


@pytest.mark.parametrize(
    ("keys", "runs"),
    [
        ({"runs": 4}, 4),
        ({"kind": "two-level", "centre_points": 2}, 8 + 2),
        ({"kind": "plackett-burman"}, 4),
        ({"kind": "latin-hypercube", "runs": 7}, 7),
        ({"kind": "random", "runs": 5}, 5),
    ],
)
def test_other_designs(keys: dict[str, object], runs: int) -> None:
    factors = {
        "network.rtt": {"low": "10 ms", "high": "40 ms"},
        "network.rate": {"low": "2 Mbit/s", "high": "9 Mbit/s", "scale": "log"},
        "network.buffer": {"low": "0.5 BDP", "high": "2 BDP"},
    }
    assert len(ids(Experiment(BASE, factors, **keys))) == runs  # type: ignore[arg-type]


def test_a_sample_has_effects_of_a_model(tmp_path: Path) -> None:
    factors = {
        "network.rtt": {"low": "10 ms", "high": "40 ms"},
        "cca": ["reno", "cubic"],
    }
    found = Experiment(BASE, factors, kind="random", runs=8).run(tmp_path, workers=1)
    assert found.effects["factors"].tolist() == ["rtt", "cca", "rtt x cca"]
    assert np.isfinite(found.effects["low"]).all()


def test_replicates_without_chance_are_one_run(tmp_path: Path) -> None:
    base = {**BASE, "traffic": [{"kind": "flows", "cca": "reno"}]}
    found = Experiment(base, {"cca": ["reno", "cubic"]}, replicates=3).run(tmp_path, workers=1)
    assert "are one and the same run" in found.findings[0]
    assert np.isnan(found.table["low"]).all()
    assert set(found.table["replicates"]) == {1}


def networks() -> Iterator[tuple[str, Scenario]]:
    """The same traffic on a dumbbell, a graph from GraphML, the four tiers, and MesoNet."""
    keys = {"duration": "2 s", "measure": {"series": "none"}}
    flows = [{"kind": "flows", "cca": "reno"}]
    yield "dumbbell", headgate.dumbbell(rate="5 Mbit/s", rtt="20 ms", flows=flows, **keys)
    ring = Scenario.load(ROOT / "examples" / "ring.toml")
    yield "graph", ring.replaced({"duration": "2 s", "measure": {"series": "none"}})
    web = {"kind": "web", "cca": "reno", "users": 20, "think": "1 s", "size": "20 packets"}
    yield "abilene", headgate.abilene(rate="50 Mbit/s", flows=[web], **keys)
    yield "mesonet", MesoNet.from_dict({"size": 0.002, "duration": "5 s"}).scenario()


@pytest.mark.parametrize("name", ["dumbbell", "graph", "abilene", "mesonet"])
def test_user_defined_algorithms_are_listed_beside_built_in_ones(name: str, tmp_path: Path) -> None:
    base = dict(networks())[name]
    ccas = ROOT / "examples" / "ccas"
    levels = ["reno", "cubic", "bbr3", f"{ccas}/gentle.py:Gentle", f"{ccas}/patient.c:patient"]
    found = Experiment(base, {"cca": levels}, name=name, responses=["utilisation"]).run(
        tmp_path, workers=1
    )
    assert found.runs["cca"].tolist() == ["reno", "cubic", "bbr3", "Gentle", "patient"]
    assert (found.runs["utilisation"] > 0).all()


def test_killed_at_random_it_goes_on_and_ends_the_same(
    file: Path, out: Path, result: ExperimentResult, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", "from headgate.cli.main import main; main()"]
    command += ["experiment", "run", str(file), "--workers", "2", "--out", str(tmp_path / "killed")]
    chance, there = random.Random(7), 0
    for _ in range(3):
        wanted = there + chance.randint(1, 10)
        with subprocess.Popen(
            command, stderr=subprocess.DEVNULL, start_new_session=True
        ) as process:
            while len(list(tmp_path.glob("killed/runs/[!.]*"))) < wanted:
                assert process.poll() is None
                time.sleep(0.005)
            os.killpg(process.pid, signal.SIGKILL)
        kept = {run: run.stat().st_mtime_ns for run in tmp_path.glob("killed/runs/[!.]*")}
        there = len(kept)
    assert there < 36
    found = Experiment.load(file).run(tmp_path / "killed", workers=1)
    assert {run: run.stat().st_mtime_ns for run in kept} == kept
    assert digests(tmp_path / "killed") == digests(out)
    for name in ("mean", "low", "high"):
        assert found.table[name].tolist() == result.table[name].tolist()


def test_two_workers_of_dask_give_the_same(out: Path, result: object, tmp_path: Path) -> None:
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster:
        found = small().run(tmp_path, cluster=cluster.scheduler_address)
    assert digests(tmp_path) == digests(out)
    assert len(found.runs) == 36


def test_watch_and_report_know_its_folder(out: Path, result: object) -> None:
    watched = command("watch", out, "--json")
    assert json.loads(watched.output)["done"] == 36
    assert [row["cca"] for row in json.loads(watched.output)["figures"]] == ["cubic", "reno"]
    assert command("report", out).exit_code == 0
    asked = command(
        "analyse", out / "runs.parquet", "--factors", "rtt,buffer,cca", "--responses", "goodput_bps"
    )
    assert "goodput_bps" in asked.output


def test_shards_make_the_whole(file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    for shard in ("1/2", "2/2"):
        assert command("experiment", "run", file, "--out", out, "--shard", shard).exit_code == 0
    assert len(list(out.glob("runs/*/run.json"))) == 36
    planned = command("experiment", "run", file, "--out", out, "--dry-run", "--json")
    assert json.loads(planned.output)["found"] == 36


def test_a_class_of_the_program_itself_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Mine:
        """An algorithm that other processes could load only by running the whole program."""

    monkeypatch.setattr(Mine, "__module__", "__main__")
    with pytest.raises(HeadgateError, match="put it in a separate file"):
        Experiment(BASE, {"cca": ["reno", Mine]})


def test_an_experiment_without_changes_draws_nothing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = small(replicates=1).run(tmp_path, workers=1)
    assert first.report is not None

    def refuse(*_: object) -> None:
        raise HeadgateError("drawn again")

    monkeypatch.setattr("headgate.figures.report.make.make", refuse)
    assert small(replicates=1).run(tmp_path, workers=1).report == first.report
    with pytest.raises(HeadgateError, match="drawn again"):
        small(replicates=1, title="another").run(tmp_path, workers=1)
    first.report.write_text("somebody changed the page")
    with pytest.raises(HeadgateError, match="drawn again"):
        small(replicates=1).run(tmp_path, workers=1)


@pytest.mark.parametrize(
    "file", sorted((ROOT / "examples").glob("*.toml")), ids=lambda file: file.stem
)
def test_replicates_share_a_plan_but_for_its_seed(file: Path) -> None:
    try:
        scenario = Scenario.load(file)
    except HeadgateError:  # another kind of file
        return
    other = scenario.model_copy(update={"seed": scenario.seed + 7})
    plan = SharedPlan(scenario)
    assert identity_of(*plan.with_seed(other.seed)) == other.identity()
    job, another = (pickle.loads(pickle.dumps(Job(one, {}, plan))) for one in (other, scenario))
    assert job.identity == other.identity()
    assert job.plan is another.plan
    assert (job.plan is None) != plan.is_small
    assert pickle.loads(pickle.dumps(job)).identity == job.identity
