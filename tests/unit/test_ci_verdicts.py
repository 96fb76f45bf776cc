"""`--fail-on` and `--junit`: the verdicts of claims for continuous integration."""

import os
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from typer.testing import CliRunner

from headgate.cli.main import app

ROOT = Path(__file__).parents[2]
WORKFLOW = ROOT / ".github" / "workflows" / "experiment.yml"
EXPERIMENT = """
replicates = 3
responses = ["goodput_bps"]
[factors]
"network.rate" = ["1 Mbit/s", "2 Mbit/s"]
[scenario]
duration = "5 s"
network = { kind = "dumbbell", rate = "1 Mbit/s", rtt = "20 ms" }
traffic = [
    { kind = "flows", cca = "reno" },
    { kind = "poisson", cca = "reno", load = 0.1, size = "5 packets" },
]
"""
#: The first holds, the second differs, and the interval of the third contains its bound.
CLAIMS = {"faster": ">= 1e6", "slow": "<= 1e6", "doubtful": ">= {mean}"}


def write_claim(name: str, tolerance: str, column: str = "goodput_bps") -> str:
    value = f"max({column})"
    return (
        f'[[claims]]\nid = "{name}"\nstatement = "A <claim>."\n'
        f'value = "{value}"\ntolerance = "{tolerance}"\n'
    )


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with a claim of each verdict; its runs are there."""
    made = tmp_path_factory.mktemp("ci") / "mine.toml"
    made.write_text(EXPERIMENT + write_claim("mean", ">= 0"))
    done = run(made, "--json")
    found = re.search(r'"id": "mean".*?"ours": ([\d.]+)', done[1])
    assert found is not None
    claims = (write_claim(name, bound.format(mean=found[1])) for name, bound in CLAIMS.items())
    made.write_text(EXPERIMENT + "".join(claims))
    return made


def run(file: Path, *options: str) -> tuple[int, str]:
    """Return the exit code, and what was printed on both streams."""
    out = str(file.with_suffix(""))
    words = ["experiment", "run", str(file), "--workers", "1", "--out", out, *options]
    done = CliRunner().invoke(app, words)
    error = str(done.exception) if done.exception and done.exit_code == 1 else ""
    return done.exit_code, done.output + error


def test_without_the_option_a_claim_fails_no_job(file: Path) -> None:
    assert run(file)[0] == 0


@pytest.mark.parametrize("verdict", ["differs", "undecided"])
def test_a_verdict_fails_the_job(file: Path, verdict: str) -> None:
    assert run(file, "--fail-on", verdict)[0] == 1


def test_claims_that_hold_fail_no_job(file: Path) -> None:
    alone = file.with_name("holds.toml")
    alone.write_text(EXPERIMENT + write_claim("faster", CLAIMS["faster"]))
    assert run(alone, "--fail-on", "differs", "--fail-on", "undecided")[0] == 0


def read_cases(file: Path) -> dict[str, tuple[str, str]]:
    """Return the outcome of each test case of a JUnit file, and its message."""
    suite = ElementTree.parse(file).getroot()[0]
    cases = {}
    for case in suite:
        outcome = next(iter(case), None)
        cases[case.attrib["name"]] = (
            ("passed", "") if outcome is None else (outcome.tag, outcome.attrib["message"])
        )
    kinds = [kind for kind, _ in cases.values()]
    assert suite.attrib["tests"] == str(len(cases))
    assert suite.attrib["failures"] == str(kinds.count("failure"))
    assert suite.attrib["skipped"] == str(kinds.count("skipped"))
    return cases


def test_claims_are_test_cases(file: Path, tmp_path: Path) -> None:
    made = tmp_path / "new" / "junit.xml"
    assert run(file, "--junit", str(made))[0] == 0
    cases = read_cases(made)
    assert {name: kind for name, (kind, _) in cases.items()} == {
        "faster": "passed",
        "slow": "failure",
        "doubtful": "skipped",
    }
    assert re.fullmatch(
        r"differs; found [\d.e+]+ \(95 % interval [\d.e+]+ to [\d.e+]+\); tolerance <= 1e6",
        cases["slow"][1],
    )
    assert run(file, "--junit", str(made), "--fail-on", "undecided")[0] == 1
    assert read_cases(made)["doubtful"][0] == "failure"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--fail-on", "bad"], "--fail-on bad: write differs or undecided"),
        (["--junit", "a.xml", "--dry-run"], "--junit: --dry-run and --shard judge no claim"),
        (["--fail-on", "differs", "--shard", "1/2"], "--fail-on: --dry-run and --shard judge"),
        (["--junit", "/proc/none/a.xml"], "--junit /proc/none/a.xml: "),
    ],
)
def test_errors_name_the_option(file: Path, options: list[str], sentence: str) -> None:
    code, said = run(file, *options)
    assert code != 0
    assert sentence in said
    assert not Path("a.xml").exists()


def test_an_experiment_without_claims_is_refused_before_it_runs(tmp_path: Path) -> None:
    made = tmp_path / "none.toml"
    made.write_text(EXPERIMENT)
    code, said = run(made, "--fail-on", "differs")
    assert code != 0
    assert "--fail-on: no claim is judged; write [[claims]] with a tolerance each" in said
    assert not (tmp_path / "none" / "runs").exists()


def test_the_workflow_runs_an_experiment(file: Path) -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text())
    inputs = workflow[True]["workflow_call"]["inputs"]  # YAML 1.1 reads `on` as true
    (step,) = [one for one in workflow["jobs"]["experiment"]["steps"] if "env" in one]
    given = {"FILE": str(file), "FAIL_ON": inputs["fail-on"]["default"], "OPTIONS": "--workers 1"}
    assert set(step["env"]) == set(given)
    folder = file.parent / "called"
    folder.mkdir()
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, **given, "PATH": path}
    command = ["bash", "-e", "-c", step["run"]]
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr  # a claim differs
    assert read_cases(folder / "out" / "junit.xml")["slow"][0] == "failure"
