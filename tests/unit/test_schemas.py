"""JSON Schema of every form of TOML: as the code has it, and true of every file there is."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from tests.arch.test_docs import PAGES, blocks
from tests.errors.command import headgate
from tests.errors.test_wrong_scenarios import GOOD, WRONG

from headgate.engine.fluid import network
from headgate.experiment.schemas import FOLDER
from headgate.experiment.schemas.studies import (
    FORMS,
    every_form,
    file_name,
    make_schema,
    schema_text,
)
from headgate.experiment.templates import write_experiment

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python" / "headgate"
STUDIES = ROOT / "studies" / "headgate_studies"
#: Which files of the project have which form.
FILES = {
    "scenario": [
        *(ROOT / "examples").glob("*.toml"),
        *(PACKAGE / "experiment" / "templates").glob("*.toml"),
    ],
    "experiment": [*(ROOT / "examples" / "experiments").glob("*.toml")],
    "design": [*(ROOT / "examples" / "designs").glob("*.toml")],
    "study": [
        *(STUDIES).glob("*/study.toml"),
        *(STUDIES / "nist").glob("*ed.toml"),
    ],
    "claims": [*(STUDIES).glob("*/*claims.toml")],
    "document": [*(STUDIES / "documents").glob("*.toml")],
    "preserved": [STUDIES / "nist" / "preserved.toml"],
}


def errors(form: str, data: Any) -> list[str]:
    found = Draft202012Validator(make_schema(form)).iter_errors(data)
    return [f"{error.json_path}: {error.message}" for error in found]


@pytest.mark.parametrize("form", FORMS)
def test_the_committed_file_matches_the_code(form: str) -> None:
    assert (FOLDER / file_name(form)).read_text() == schema_text(form), "run `make schemas`"
    Draft202012Validator.check_schema(make_schema(form))


def test_the_committed_file_of_the_studies_matches_the_code() -> None:
    assert (STUDIES / "nist" / file_name("preserved")).read_text() == schema_text("preserved")


def test_no_file_is_left_of_a_form_that_is_gone() -> None:
    assert {path.name for path in FOLDER.glob("*.json")} == set(map(file_name, FORMS))


def files() -> Iterator[Any]:
    for form, paths in FILES.items():
        assert paths
        for path in paths:
            shared = {"mixed.toml", "replaced.toml", "preserved.toml"} & {path.name}
            if not (form == "study" and shared):
                yield pytest.param(form, path, id=f"{path.parent.name}/{path.name}")


@pytest.mark.parametrize(("form", "path"), [*files()])
def test_every_file_of_the_project_has_its_form(form: str, path: Path) -> None:
    assert errors(form, tomllib.loads(path.read_text())) == []


def test_every_block_of_the_documentation_has_its_form() -> None:
    for page in PAGES:
        for text in blocks(page, "toml"):
            data = tomllib.loads(text)
            form = form_of(data)
            if form:
                assert errors(form, data) == [], (page, text)


def form_of(data: dict[str, Any]) -> str:
    if "sweeps" in data:
        return "study" if "name" in data else ""
    keys = {"roles": "report", "claim": "claims", "responses": "experiment", "factors": "design"}
    return next((form for key, form in keys.items() if key in data), "scenario")


def test_a_template_has_the_form_of_an_experiment(tmp_path: Path) -> None:
    write_experiment(tmp_path / "e.toml")
    assert errors("experiment", tomllib.loads((tmp_path / "e.toml").read_text())) == []


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("scenario", GOOD.replace("rate =", "rat =")),
        ("scenario", GOOD.replace('"10 Mbit/s"', "10")),
        ("scenario", GOOD.replace('cca = "reno"', "cca = 3")),
        ("scenario", GOOD.replace('"dumbbell"', '"dumbell"')),
        ("scenario", f"warmup = '1 s'\n{GOOD}"),
        ("experiment", "responses = ['goodput_bps']\n[factors.a]\nlow = 1\nhgh = 2"),
        ("experiment", "responses = []\n[factors]\ncca = ['reno', 'cubic']"),
        ("experiment", "[factors]\ncca = ['reno', 'cubic']"),
        ("design", "kind = 'half'\n[factors]\ncca = ['reno', 'cubic']"),
        ("study", "name = 'x'"),
        ("study", "extends = 'y.toml'\nnam = 'x'"),
        ("claims", "[[claim]]\nstatement = 'no id'"),
        ("cluster", "engine = 'torque'"),
        ("fluid-network", "[links.a]\nrate = '1 Mbit/s'"),
        ("report", "title = 'x'\ntabel = 'runs.csv'"),
    ],
)
def test_mistakes_are_found(form: str, text: str) -> None:
    assert errors(form, tomllib.loads(text))


def test_most_misspelt_keys_of_the_list_of_mistakes_are_seen() -> None:
    values = ("cca", "queue", "queue.kind", "feedback", "feedback.kind", "duration.x", "source")
    wrong = [
        setting
        for setting, place, says in WRONG
        if ("a key" in says or "did you mean" in says) and not place.endswith(values)
    ]
    assert len(wrong) > 5
    for setting in wrong:
        path, _, value = setting.partition("=")
        data = tomllib.loads(GOOD)
        here: Any = data
        *steps, last = path.split(".")
        for step in steps:
            here = here[int(step)] if step.isdigit() else here.setdefault(step, {})
        here[last] = value
        assert errors("scenario", data), setting


def test_the_network_of_a_fluid_model_has_the_keys_that_are_read() -> None:
    made = make_schema("fluid-network")["properties"]
    assert set(made) == set(network._NETWORK)
    assert set(made["classes"]["additionalProperties"]["properties"]) == set(network._CLASS)
    assert set(made["links"]["additionalProperties"]["properties"]) == set(network._LINK)


def test_the_command_lists_prints_and_writes_them(tmp_path: Path) -> None:
    assert list(json.loads(headgate("schema", "--json").output)) == list(every_form())
    assert [line.split()[0] for line in headgate("schema").output.splitlines()] == list(
        every_form()
    )
    assert headgate("schema", "design").output == schema_text("design")
    assert headgate("schema", "--out", tmp_path).exit_code == 0
    assert (tmp_path / "claims.schema.json").read_text() == schema_text("claims")
    written = headgate("schema", "design", "--out", tmp_path, "--json")
    assert json.loads(written.output) == [str(tmp_path / "design.schema.json")]
    done = headgate("schema", "Scenarios")
    assert done.exit_code == 2
    assert "is not a form of TOML; did you mean 'scenario'?" in done.sentence
