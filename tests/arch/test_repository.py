"""The repository keeps its promises: clean files, true commands, examples that are listed."""

import re
import tomllib

import pytest

import headgate_studies

from .repository import ROOT, files_not_ignored, tracked_files

#: Paths of one machine, and hosts of package registries. The lock file must name its registry.
MACHINE = re.compile(
    r"(?<![\w.$}~-])/(?:work|tmp|root|home|opt|Users)/\w|(?:files\.pythonhosted|pypi|static\.crates)\.(?:org|io)"
)
EXEMPT = {"Cargo.lock"}
TEXT = {".cff", ".csv", ".json", ".md", ".py", ".pyi", ".rs", ".sh", ".tcl", ".toml", ".txt", ""}


def test_without_git_the_same_files_are_found() -> None:
    assert set(tracked_files()) <= set(files_not_ignored())


def test_both_distributions_have_one_version() -> None:
    first, second = (
        tomllib.loads((folder / "pyproject.toml").read_text())["project"]
        for folder in (ROOT, ROOT / "studies")
    )
    assert first["version"] == second["version"] == headgate_studies.__version__
    assert first["optional-dependencies"]["studies"] == [f"headgate-studies=={second['version']}"]
    assert f"headgate[report]=={first['version']}" in second["dependencies"]


def test_no_file_names_a_machine() -> None:
    offences = [
        f"{path.relative_to(ROOT)}: {found[0]}"
        for path in tracked_files()
        if path.suffix in TEXT and path.name not in EXEMPT
        if (found := MACHINE.search(path.read_text(errors="replace")))
    ]
    assert not offences


def test_no_tracked_file_is_large() -> None:
    results, others = [], []
    for path in tracked_files():
        (results if path.is_relative_to(ROOT / "studies" / "results") else others).append(path)
    assert not [path for path in others if path.stat().st_size > 1_000_000]
    # runs of hours of CPU time, which `headgate reproduce` reads
    assert sum(path.stat().st_size for path in results) < 40_000_000


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md"])
def test_make_commands_exist(name: str) -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", (ROOT / name).read_text()))
    assert named
    assert named <= targets


@pytest.mark.parametrize("name", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_to_files_lead_somewhere(name: str) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text())
    assert not [link for link in links if not (ROOT / link).exists()]


def test_every_example_is_listed_and_short() -> None:
    listed = (ROOT / "examples" / "README.md").read_text()
    examples = [p for p in (ROOT / "examples").iterdir() if p.suffix in {".py", ".toml"}]
    assert examples
    assert not [path.name for path in examples if path.name not in listed]
    assert not [path.name for path in examples if len(path.read_text().splitlines()) > 60]


def test_ci_runs_exactly_make_test() -> None:
    commands = (ROOT / ".ci" / "run").read_text().strip().splitlines()
    assert commands[-1] == "exec make test"
