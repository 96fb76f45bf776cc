"""The package without its extras: some parts run, and the others name the extra they need."""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from headgate.base.optional import EXTRAS

ROOT = Path(__file__).parents[2]
#: Hides the libraries of all extras from a process.
HIDES = f"""
from importlib.machinery import PathFinder

find = PathFinder.find_spec
hidden = {sorted({library for libraries in EXTRAS.values() for library in libraries})}
PathFinder.find_spec = staticmethod(
    lambda name, *given: None if name.partition(".")[0] in hidden else find(name, *given)
)
"""
EXPERIMENT = ROOT / "examples" / "experiments" / "buffers.toml"


def headgate(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    (folder / "sitecustomize.py").write_text(HIDES)
    return subprocess.run(
        [sys.executable, "-c", "from headgate.cli.main import main; main()", *words],
        env=os.environ | {"PYTHONPATH": str(folder)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


#: Modules that are not called as the package that has them.
MODULES = {"dask": "distributed", "vl-convert-python": "vl_convert"}


def find_modules(extras: Mapping[str, list[str]], name: str) -> set[str]:
    """Give the modules that an extra of pyproject.toml brings, with those of extras in it."""
    found: set[str] = set()
    for one in map(Requirement, extras[name]):
        if one.name == "headgate":
            found |= set().union(*(find_modules(extras, inner) for inner in one.extras))
        else:
            found.add(MODULES.get(one.name, one.name.replace("-", "_")))
    return found


def test_extras_are_those_of_the_package() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]
    for_users = set(extras) - {"test", "docs", "lint"}
    assert set(EXTRAS) == for_users - {"all"}
    for name, modules in EXTRAS.items():
        assert set(modules) == find_modules(extras, name)
    assert find_modules(extras, "all") == set().union(*EXTRAS.values())


#: Packages with another name on conda-forge.
CONDA = {
    "duckdb": "python-duckdb",
    "matplotlib": "matplotlib-base",
    "nanoarrow": "python-nanoarrow",
}


def test_the_conda_recipe_requires_the_same_packages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    asked = [*project["dependencies"], *extras["analysis"], *extras["report"][1:]]
    needs = {
        f"{CONDA.get(one.name, one.name)} {one.specifier}" for one in map(Requirement, asked)
    } | {f"python {project['requires-python']}"}
    recipe = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text()
    listed = recipe.partition("  run:\n")[2].partition("  run_constraints:")[0]
    assert set(re.findall(r"^    - (.+)$", listed, re.MULTILINE)) == needs


def test_an_experiment_runs_without_them_and_has_no_report(tmp_path: Path) -> None:
    small = EXPERIMENT.read_text().replace('"40 ms", "80 ms"', '"40 ms"')
    small = small.replace("replicates = 5", "replicates = 2").replace('"20 s"', '"7 s"')
    (tmp_path / "small.toml").write_text(small)
    done = headgate(tmp_path, "experiment", "run", "small.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "For a report: pip install 'headgate[report]'" in done.stdout
    assert "cubic-fills" in done.stdout
    assert (tmp_path / "out" / "effects.parquet").exists()
    refused = headgate(tmp_path, "report", "out")
    assert refused.returncode == 2
    assert "a report needs altair, which is not installed" in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_run_and_its_pictures_need_none(tmp_path: Path) -> None:
    scenario = ROOT / "examples" / "first.toml"
    done = headgate(tmp_path, "run", scenario, "--set", "duration=20 s", "--out", "run")
    assert done.returncode == 0, done.stderr
    assert headgate(tmp_path, "plot", "run").returncode == 0
    refused = headgate(tmp_path, "plot", "run", "--format", "html")
    assert "a page of pictures in HTML needs altair, which is not installed" in refused.stderr


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("study", "tcp-red"), "a study needs altair, which is not installed; pip install 'head"),
        (("analyse", "runs.csv", "--factors", "a", "--responses", "y"), "an analysis needs"),
        (
            ("design", "new", "d.toml", "--kind", "morris", "--factors", "3"),
            "a morris design needs",
        ),
        (("run", "own.toml", "--set", "duration=5 s"), "@jit needs numba"),
    ],
)
def test_a_feature_that_needs_an_extra_names_it(
    tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    (tmp_path / "runs.csv").write_text("a,y\n1,2\n2,3\n")
    calls = ("on_ack(self, ack, path, window)", "on_congestion(self, event, path, window)")
    body = "".join(f"    def {call}:\n        pass\n" for call in calls)
    (tmp_path / "own.py").write_text(f"from headgate import jit\n\n@jit\nclass Own:\n{body}")
    (tmp_path / "own.toml").write_text(
        'duration = "5 s"\n[network]\nkind = "dumbbell"\nrate = "10 Mbit/s"\nrtt = "40 ms"\n'
        '[[traffic]]\nkind = "flows"\ncca = "./own.py:Own"\n'
    )
    trust = ("--trust",) if words[0] == "run" else ()
    done = headgate(tmp_path, *words, *trust)
    assert done.returncode == 2
    assert sentence in done.stderr
    assert "Traceback" not in done.stderr
