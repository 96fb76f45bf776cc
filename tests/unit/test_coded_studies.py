"""Studies with Python: sweeps and claims are data, functions are named and held to arguments."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import headgate_studies
from headgate.base.errors import HeadgateError, ScenarioError
from headgate.experiment.runner import StudyRun, basis_of
from headgate.experiment.runs import Analysis, Runs
from headgate.experiment.study.study import Study, load
from headgate.lab.jobs import Job
from headgate.stats.intervals import compute_mean_interval

from .made_runs import results_of

STUDY = """
name = "made-up"
title = "t"
question = "q"
ccas = ["reno"]
[fixed]
rates = [1, 2]
link = { rtts = { short = 10, long = 50 } }
[scales]
quick = { seeds = 2, size = 1.0 }
standard = { seeds = 2, size = 1.0 }
full = { seeds = 2, size = 1.0 }
[sweeps]
"""
SWEEPS = """
one = { base = "send", levels = { mbps = "$rates", rtt = "$link.rtts", seed = "$seeds" } }
"""
JOBS = '''
from __future__ import annotations
from collections.abc import Iterator
from headgate.engine.api import Scenario
from headgate.engine.build import dumbbell
from headgate.experiment.runs import Setup
from headgate.experiment.study.sweeps import Labels

def send(setup: Setup, *, mbps: float, seed: int, rtt: str = "short") -> Scenario:
    """One flow."""
    return dumbbell(
        rate=f"{mbps} Mbit/s", rtt=f"{setup.settings['link']['rtts'][rtt]} ms", flows=["reno"],
        duration="1 s", seed=seed, buffer="10 packets",
    )

def choose(setup: Setup) -> Iterator[Labels]:
    """Rates that are as large as their number."""
    return ({"mbps": one, "rtt": "long"} for one in setup.settings["rates"])

def _hidden(setup: Setup) -> Scenario:
    """None of a file's."""
    return send(setup, mbps=1, seed=1)
'''
FINDINGS = '''
from __future__ import annotations
from headgate.claims.verdicts import Estimate
from headgate.experiment.runs import Runs

def goodput(runs: Runs, *, mbps: float, rtt: str = "short") -> Estimate:
    """Give the mean over replicates."""
    done = runs.replicates("one", mbps, rtt)
    return Estimate(ours=sum(float(run.flows["goodput_bps"][0]) for run in done) / len(done))
'''
MORE_FINDINGS = '''
from __future__ import annotations
from headgate.claims.verdicts import Estimate
from headgate.experiment.runs import Runs

def seed(runs: Runs) -> Estimate:
    """Give the mean of the seeds."""
    return Estimate(ours=sum(runs.setup.seeds) / len(runs.setup.seeds))
'''
ANALYSIS = '''
from headgate.experiment.runs import Analysis
from headgate_studies.designed import tidy

def analyse(runs):
    """Give a table."""
    rate = {"goodput": lambda run: float(run.flows["goodput_bps"][0])}
    return Analysis(sentences=("s",), data=tidy(runs, rate))
'''
CLAIM = """
[[claim]]
id = "a"
statement = "s"
source = "p"
published = 1
measure = "m"
tolerance = ">= 1"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of a study that counts as one of the package."""
    place = tmp_path / "made_up"
    place.mkdir()
    texts = {
        "__init__": "", "jobs": JOBS, "findings": FINDINGS, "findings_more": MORE_FINDINGS,
        "analysis": ANALYSIS,
    }  # fmt: skip
    for name, text in texts.items():
        (place / f"{name}.py").write_text(text)
    monkeypatch.setattr(headgate_studies, "__path__", [*headgate_studies.__path__, str(tmp_path)])
    yield place
    for name in [name for name in sys.modules if name.startswith("headgate_studies.made_up")]:
        del sys.modules[name]


def study_of(folder: Path, claims: str, sweeps: str = SWEEPS) -> Study:
    (folder / "study.toml").write_text(STUDY + sweeps)
    (folder / "claims.toml").write_text(claims)
    return Study(folder, "headgate_studies")


def jobs_of(study: Study) -> dict[Any, Job]:
    return dict(study.jobs(study.setup(study.scale("quick"))))


def analysed(study: Study) -> Analysis:
    setup = study.setup(study.scale("quick"))
    return study.analyse(Runs(setup, results_of(study.jobs(setup))))


def claimed(value: str) -> str:
    return f"{CLAIM}value = {value}\n"


# Sweeps ------------------------------------------------------------------------------------------


def test_every_combination_is_a_run_in_the_order_of_the_table(folder: Path) -> None:
    keys = list(jobs_of(study_of(folder, CLAIM)))
    rtts = ("short", "long")
    assert keys == [("one", mbps, rtt, seed) for mbps in (1, 2) for rtt in rtts for seed in (1, 2)]


def test_a_part_may_be_called_otherwise_and_conditions_leave_runs_out(folder: Path) -> None:
    sweeps = """
one = { base = "send", levels = { mbps = [1, 2], seed = "$seeds" }, where = "mbps = 2 OR seed = 1" }
two = { base = "send", part = "other", levels = { mbps = [3], seed = [1] } }
"""
    made = jobs_of(study_of(folder, CLAIM, sweeps))
    assert list(made) == [("one", 1, 1), ("one", 2, 1), ("one", 2, 2), ("other", 3, 1)]
    assert made["other", 3, 1].labels == {"part": "other", "mbps": 3, "seed": 1}


def test_labels_that_hang_together_are_given_by_a_function(folder: Path) -> None:
    sweeps = 'one = { base = "send", each = "choose", levels = { seed = "$seeds" } }'
    made = jobs_of(study_of(folder, CLAIM, sweeps))
    assert list(made) == [("one", mbps, "long", seed) for mbps in (1, 2) for seed in (1, 2)]


def test_a_sweep_may_set_its_replicates(folder: Path) -> None:
    own = 'replicates = "$link.rtts.short"'
    sweeps = f'one = {{ base = "send", levels = {{ mbps = [1], seed = "$seeds" }}, {own} }}'
    assert list(jobs_of(study_of(folder, CLAIM, sweeps))) == [("one", 1, s) for s in range(1, 11)]


@pytest.mark.parametrize(
    ("sweep", "says"),
    [
        (
            'base = "nothing"',
            "there is no function 'nothing' -> Scenario in made_up/jobs.*; there are send",
        ),
        ('base = "_hidden"', "there is no function '_hidden'"),
        (
            'base = "send", each = "send"',
            "there is no function 'send' -> Iterator.*; there are choose",
        ),
        ('base = "send"', "send needs mbps; its arguments are mbps, seed, rtt"),
        ('base = "send", levels = { rate = [1] }', "send has no argument rate"),
        ('base = "send", levels = { mbps = ["fast"], seed = [1] }', "send: mbps: 'fast': .*number"),
        ('base = "send", levels = { mbps = "$speed" }', "there is no setting 'speed'; .*rates"),
        ('base = "send", levels = { mbps = "$link.rtts.one" }', "the settings are long, short"),
        ('base = "send", levels = { mbps = "$rates.one" }', "the settings are none"),
        ('base = "send", levels = { mbps = 1 }', "levels.mbps: 1 is not a list"),
        (
            'base = "send", levels = { mbps = [[1]] }',
            r"levels.mbps: \[\[1\]\] is not a list of",
        ),
        ('base = "send", levels = { mbps = [1] }, where = "mbps > 1"', "leaves no combination"),
        ('base = "send", levels = { mbps = [1] }, where = "rate"', "where: .*its names are mbps"),
        ('base = "send", levels = { mbps = [1] }, where = "mbps"', "neither true nor false"),
        ('base = "send", level = { mbps = [1] }', ": level: .*did you mean 'levels'"),
        (
            'base = "send", replicates = "$rates"',
            r"replicates: \[1, 2\] is not a number",
        ),
        ('base = "send", replicates = 0', "replicates: 0 is not a number of replicates, such as 3"),
    ],
)
def test_a_wrong_sweep_is_one_sentence(folder: Path, sweep: str, says: str) -> None:
    with pytest.raises(HeadgateError, match=f"^sweeps.one.*{says}") as raised:
        jobs_of(study_of(folder, CLAIM, f"one = {{ {sweep} }}"))
    assert "\n" not in str(raised.value)


def test_a_run_that_cannot_be_planned_is_named(folder: Path) -> None:
    sweep = 'one = { base = "send", levels = { mbps = [1, -1], seed = [7] } }'
    with pytest.raises(
        ScenarioError, match=r"^part one, the run with mbps = -1, seed = 7: network\.rate: .*"
    ):
        jobs_of(study_of(folder, CLAIM, sweep))


def test_a_study_outside_the_package_names_no_function(folder: Path) -> None:
    study_of(folder, CLAIM)
    (folder / "analysis.py").unlink()
    with pytest.raises(HeadgateError, match="a study outside of packages is declared"):
        load(str(folder))


# Claims ------------------------------------------------------------------------------------------


def test_a_value_is_the_result_of_a_function_of_the_runs(folder: Path) -> None:
    found = analysed(study_of(folder, claimed('{ function = "goodput", mbps = 1 }')))
    assert 0.5e6 < found.findings["a"].ours < 1e6
    assert found.findings["a"].ci is None
    assert found.sentences == ("s",)


def test_sentences_and_pictures_come_from_modules_of_those_names(folder: Path) -> None:
    (folder / "analysis.py").unlink()
    for name in ("sentences", "pictures"):
        source = f"def {name}(runs):\n    return (runs.setup.ccas[0], {name!r})\n"
        (folder / f"{name}.py").write_text(source)
    tables = ANALYSIS.replace("def analyse(runs)", "def data(runs)").replace(
        'Analysis(sentences=("s",), data=tidy(runs, rate))', "tidy(runs, rate)"
    )
    (folder / "tables.py").write_text(tables + "\ndef tables(runs):\n    return ()\n")
    found = analysed(study_of(folder, claimed('"SELECT avg(mbps) FROM one"')))
    assert found.sentences == ("reno", "sentences")
    assert tuple(found.pictures) == ("reno", "pictures")
    assert (found.tables, found.findings["a"].ours) == ((), 1.5)


def test_a_run_that_a_scale_lacks_makes_no_value(folder: Path) -> None:
    found = analysed(study_of(folder, claimed('{ function = "goodput", mbps = 9 }'))).findings["a"]
    assert found.ours != found.ours
    assert found.note == "the run one 9 short 1 is not part of this scale"


@pytest.mark.parametrize("place", ["claim", "file"])
def test_an_interval_is_that_of_the_seeds_if_it_is_asked_for(folder: Path, place: str) -> None:
    value, asked = claimed('{ function = "seed" }'), 'interval = "seeds"\n'
    study = study_of(folder, asked + value if place == "file" else value + asked)
    found = analysed(study).findings["a"]
    assert (found.ours, found.ci) == (1.5, pytest.approx(compute_mean_interval([1.0, 2.0])[1:]))


@pytest.mark.parametrize(
    ("over", "sql", "ours", "note"),
    [
        ("replicates", "SELECT avg(seed * mbps) FROM one", 2.25, ""),
        ("all", "SELECT sum(seed) FROM one", 12.0, ""),
        ("all", "SELECT 0.25e0 * (1 - 0.8e0) / 0.8e0", 0.25 * (1 - 0.8) / 0.8, ""),
        (
            "largest",
            "SELECT rtt || ' ' || seed, max(mbps / seed) FROM one GROUP BY ALL ORDER BY ALL",
            2.0,
            "largest for long 1; long 1 2, long 2 1, short 1 2, short 2 1",
        ),
        (
            "least",
            "SELECT seed, seed / 3.0 FROM one WHERE mbps = 1 AND rtt = 'long' ORDER BY ALL",
            1 / 3,
            "least for 1; 1 0.333, 2 0.667",
        ),
    ],
)
def test_a_value_is_the_result_of_sql_on_the_tables(
    folder: Path, over: str, sql: str, ours: float, note: str
) -> None:
    study = study_of(folder, claimed(f'"""{sql}"""') + f'over = "{over}"\n')
    found = analysed(study).findings["a"]
    assert (found.ours, found.note) == (pytest.approx(ours, rel=1e-15), note)
    assert (found.ci is not None) == (over == "replicates")


@pytest.mark.parametrize(
    ("sql", "note"),
    [
        ("SELECT rtt, mbps FROM one WHERE mbps > 9", "no row of the tables is part of this scale"),
        ("SELECT rtt, mbps FROM two", "there is no table two; the tables are one"),
    ],
)
def test_a_value_that_no_table_holds_is_not_run(folder: Path, sql: str, note: str) -> None:
    found = analysed(study_of(folder, claimed(f'"{sql}"') + 'over = "least"\n')).findings["a"]
    assert found.ours != found.ours
    assert found.note == note


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ('{ function = "nothing" }', "there is no function 'nothing' .*there are goodput, seed"),
        ('{ function = "goodput", rate = 1 }', "goodput has no argument rate; .* mbps, rtt"),
        ('{ function = "goodput" }', "goodput needs mbps"),
        ('{ function = "goodput", mbps = "fast" }', "goodput: mbps: 'fast': .*number"),
        ('{ function = "seed", mbps = 1 }', "seed has no argument mbps; its arguments are none"),
    ],
)
def test_a_wrong_function_is_said_before_anything_runs(folder: Path, value: str, says: str) -> None:
    with pytest.raises(HeadgateError, match=rf"^claims\.a: .*{says}") as raised:
        jobs_of(study_of(folder, claimed(value)))
    assert "\n" not in str(raised.value)


def test_sql_with_an_extreme_gives_names_and_numbers(folder: Path) -> None:
    study = study_of(folder, claimed('"SELECT mbps FROM one"') + 'over = "least"\n')
    with pytest.raises(HeadgateError, match=r"^claims\.a: gives 1 columns; over = 'least'"):
        analysed(study)


def test_claims_that_are_extended_name_functions_beside_them(folder: Path) -> None:
    shared = folder.parent / "made_up_shared"
    shared.mkdir()
    (shared / "findings_all.py").write_text(MORE_FINDINGS.replace("def seed", "def same_seed"))
    (shared / "claims.toml").write_text(claimed('{ function = "same_seed" }'))
    own = f'extends = "../made_up_shared/claims.toml"\n{CLAIM}'.replace('id = "a"', 'id = "b"')
    study = study_of(folder, f'{own}value = {{ function = "seed" }}\n')
    assert {name: found.ours for name, found in analysed(study).findings.items()} == {
        "a": 1.5, "b": 1.5,
    }  # fmt: skip
    wrong = study_of(folder, f'{own}value = {{ function = "no_seed" }}\n')
    with pytest.raises(HeadgateError, match=r"in made_up_shared/findings\*.py and made_up/find"):
        jobs_of(wrong)


def test_two_functions_of_one_name_are_refused(folder: Path) -> None:
    (folder / "findings_more.py").write_text(FINDINGS)
    with pytest.raises(HeadgateError, match="there are two functions goodput"):
        jobs_of(study_of(folder, claimed('{ function = "goodput", mbps = 1 }')))


def test_findings_are_stale_once_a_claim_asks_something_else(folder: Path) -> None:
    def basis(claims: str) -> str:
        study = study_of(folder, claims)
        return basis_of(StudyRun(study, study.setup(study.scale("quick")), folder)).code_hash

    first = claimed('{ function = "goodput", mbps = 1 }')
    assert basis(first) == basis(first.replace('">= 1"', '">= 2"'))
    assert basis(first) != basis(first.replace("mbps = 1", "mbps = 2"))
    assert basis(first) != basis(first + 'interval = "seeds"\n')
