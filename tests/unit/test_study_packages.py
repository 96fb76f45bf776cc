"""Packages with studies: the example is installed and run, and names that clash are refused."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from headgate.base.errors import HeadgateError
from headgate.experiment import packages
from headgate.experiment.study.study import load

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "study-package"
HEADGATE = Path(sys.executable).with_name("headgate")


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the example package, as pip installs it."""
    place = tmp_path_factory.mktemp("site")
    source = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("source") / "package")
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--target", place)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", *options, source]
    subprocess.run(list(map(str, pip)), check=True, capture_output=True)
    return place


def run(installed: Path, folder: Path, *words: str) -> str:
    paths = filter(None, (str(installed), os.environ.get("PYTHONPATH", "")))
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    command = [HEADGATE, *words]
    done = subprocess.run(
        command, check=True, capture_output=True, text=True, cwd=folder, env=environment
    )
    return done.stdout


def test_the_example_package_is_found_and_its_claims_hold(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(run(installed, tmp_path, "study", "list", "--json"))
    assert {"one-buffer", "tcp-replacements"} <= {study["name"] for study in listed}
    outcome = json.loads(run(installed, tmp_path, "study", "one-buffer", "--json"))
    verdicts = {claim["id"]: claim["verdict"] for claim in outcome["claims"]}
    assert verdicts == {"sawtooth": "holds", "queue-grows": "holds"}


def test_two_packages_with_a_study_of_one_name_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("first", "second"):
        folder = tmp_path / package / "one_buffer"
        folder.mkdir(parents=True)
        (folder / "study.toml").write_text("")
    folders = {package: tmp_path / package for package in ("first", "second")}
    monkeypatch.setattr(packages, "list_packages", lambda: folders)
    with pytest.raises(HeadgateError, match="two packages contain a study 'one-buffer': first and"):
        packages.find_studies()


def test_without_a_package_it_is_said_how_to_install_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "list_packages", dict)
    says = r"no package with studies is installed; pip install 'headgate\[studies\]'"
    with pytest.raises(HeadgateError, match=says):
        load("tcp-replacements")
