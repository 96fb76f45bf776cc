"""The documentation is true: its scenarios are valid, its commands and names exist."""

import re
import tomllib
from itertools import groupby
from pathlib import Path

import pytest

from .repository import ROOT

PAGES = sorted(
    path
    for path in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]
    if "generated" not in path.parts
    and "decisions" not in path.parts
    and "_build" not in path.parts
)


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)


def scenarios() -> list[str]:
    return [text for page in PAGES for text in blocks(page, "toml")]


@pytest.mark.parametrize("text", scenarios())
def test_scenarios_designs_and_reports_in_the_documentation_are_valid(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from headgate import Scenario
    from headgate.design.file import DesignFile
    from headgate.design.generate import make_design
    from headgate.experiment.form import ExperimentFile
    from headgate.experiment.study.claims import ClaimsFile
    from headgate.experiment.study.study import StudySpec
    from headgate.experiment.study.sweeps import Sweep
    from headgate.figures.report.about import About
    from headgate.scenario.plan_warnings import scenario_warnings

    monkeypatch.chdir(ROOT / "examples" / "designs")  # files that the texts name are there
    data = tomllib.loads(text)
    if "roles" in data:
        About(**data)
    elif "sweeps" in data and "name" in data:
        StudySpec(**data)
    elif "sweeps" in data:
        assert [Sweep(**sweep) for sweep in data["sweeps"].values()]
    elif "claim" in data:
        file = ClaimsFile(**data)
        assert [file.make(claim, "claims.toml") for claim in file.claim]
    elif "responses" in data:
        make_design(ExperimentFile.from_dict(data))
    elif "factors" in data:
        make_design(DesignFile.from_dict(data))
    else:
        scenario = Scenario.from_dict(data)
        assert not scenario_warnings(scenario, *scenario.plan())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_tables_have_a_head_and_rows_of_as_many_cells(page: Path) -> None:
    text = re.sub(r"^( *)```.*?^\1```|`[^`\n]*`", "", page.read_text(), flags=re.DOTALL | re.M)
    for is_table, lines in groupby(text.splitlines(), lambda line: line.startswith("|")):
        if is_table:
            head, rule, *rows = [*lines, ""]
            assert re.fullmatch(r"(\| *:?-+:? *)+\|", rule), f"a table without a head: {head}"
            assert {row.count("|") for row in rows[:-1]} <= {head.count("|")}, head


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.toml")), ids=lambda p: p.name)
def test_examples_are_valid_scenarios(path: Path) -> None:
    from headgate import Scenario
    from headgate.scenario.plan_warnings import scenario_warnings

    scenario = Scenario.load(path)
    assert not scenario_warnings(scenario, *scenario.plan())


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "designs").glob("*.toml")))
def test_example_designs_fit_their_scenarios(path: Path) -> None:
    from headgate.design.generate import load_design

    assert load_design(path).scenarios()


@pytest.mark.parametrize("path", sorted((ROOT / "examples" / "experiments").glob("*.toml")))
def test_example_experiments_are_right(path: Path) -> None:
    from headgate import Experiment

    assert not Experiment.load(path).check()
