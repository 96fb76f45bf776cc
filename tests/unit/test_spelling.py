"""Names are accepted in every usual spelling and stored as in the catalogue."""

import re
from importlib.resources import files
from typing import Any

import click
import pytest
import typer

from headgate import Scenario
from headgate.base import catalog
from headgate.base.messages import same_name
from headgate.cli.main import app
from headgate.design.file import DesignFile
from headgate.experiment.templates import __name__ as templates
from headgate.plugin.user_code import CCA

NETWORK = {"kind": "dumbbell", "rate": "10 Mbit/s", "rtt": "40 ms"}


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("CUBIC", "cubic"), ("Cubic", "cubic"), ("BBR", "bbr"), ("BBRv3", "bbr3"),
        ("HS-TCP", "hstcp"), ("fast_at", "fast-at"), ("FAST AT", "fast-at"), ("Compound", "ctcp"),
        ("Vegas", "vegas"), ("Westwood+", "westwood"), ("DCTCP", "dctcp"),
    ],
)  # fmt: skip
def test_ccas(word: str, name: str) -> None:
    traffic = {"kind": "flows", "cca": word}
    made = Scenario.from_dict({"network": NETWORK, "traffic": [traffic]})
    assert made.plan()[0]["laws"][0]["name"] == name
    assert made.to_dict()["traffic"][0]["cca"] == name


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("RED", "red"),
        ("FQ_CoDel", "fq-codel"),
        ("fq_codel", "fq-codel"),
        ("ack_priority", "ack-priority"),
    ],
)
def test_disciplines(word: str, name: str) -> None:
    network = NETWORK | {"queue": word}
    made = Scenario.from_dict({"network": network, "traffic": [{"kind": "flows", "cca": "reno"}]})
    assert made.plan()[0]["links"][0]["queue"]["name"] == name
    assert made.to_dict()["network"]["queue"] == name


@pytest.mark.parametrize("word", ["drop-tail", "droptail", "DropTail", "Drop Tail", "drop_tail"])
def test_drop_tail(word: str) -> None:
    network: dict[str, Any] = NETWORK | {"queue": word}
    made = Scenario.from_dict({"network": network, "traffic": [{"kind": "flows", "cca": "reno"}]})
    assert "queue" not in made.plan()[0]["links"][0]
    assert "queue" not in made.to_dict()["network"]


def test_impairments_and_schemes() -> None:
    network = NETWORK | {"impairments": ["gilbert-elliott", "Jitter"], "feedback": "XCP"}
    made = Scenario.from_dict({"network": network, "traffic": [{"kind": "flows", "cca": "xcp"}]})
    link = made.plan()[0]["links"][0]
    assert [one["name"] for one in link["impairments"]] == ["gilbert_elliott", "jitter"]
    assert link["feedback"]["name"] == "xcp"


@pytest.mark.parametrize(
    ("word", "kind"),
    [("lhs", "latin-hypercube"), ("LHS", "latin-hypercube"), ("Latin_Hypercube", "latin-hypercube"),
     ("Sobol", "sobol"), ("plackett burman", "plackett-burman"), ("twolevel", "two-level")],
)  # fmt: skip
def test_kinds_of_design(word: str, kind: str) -> None:
    read = DesignFile.model_validate(
        {"kind": word, "factors": {"a": {"low": 0.0, "high": 1.0}, "b": {"low": 0.0, "high": 1.0}}}
        | ({"runs": 8} if kind in ("latin-hypercube", "sobol") else {})
    )
    assert read.kind == kind


def test_no_two_names_have_the_same_letters() -> None:
    for card in catalog.list_everything():
        of_kind = [one for one in catalog.list_everything() if one.kind == card.kind]
        names = {name: one.name for one in of_kind for name in one.names}
        for name in card.names:
            assert names[same_name(name, names) or ""] == card.name


def test_every_callback_of_the_template_exists() -> None:
    text = (files(templates) / "own_cca.py").read_text()
    named = set(re.findall(r"\bon_\w+", text))
    assert {"on_ack", "on_congestion"} < named <= set(CCA.callbacks)


def commands(command: Any, path: str) -> Any:
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{path} {name}")


def test_help_has_no_brackets_which_would_be_lost() -> None:
    """The terminal's markup takes what is in brackets for a style, and leaves it out."""
    for path, command in commands(typer.main.get_command(app), "headgate"):
        texts = [command.help or ""]
        texts += [one.help or "" for one in command.params if isinstance(one, click.Option)]
        for text in texts:
            assert "[" not in text, (path, text)
