"""JSON Schema of every form of TOML, for editors: `headgate schema`. Studies add their own forms.

The files beside this one are made by `make schemas`, and a test holds them to the models. They say
what a form looks like; what is right beyond that says `headgate check`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from headgate.design.file import DesignFile
from headgate.engine.api import Scenario
from headgate.experiment.form import ExperimentFile
from headgate.experiment.schemas.plain import make_plain
from headgate.figures.report.about import About
from headgate.lab.cluster import Profile

FOLDER = Path(__file__).parent
Schema = dict[str, Any]
Forms = Mapping[str, tuple[str, Callable[[], Schema]]]

TEXT: Schema = {"type": "string"}


def _vary(model: type[BaseModel]) -> Schema:
    """Make the schema of a form that varies a scenario, which may stand in it."""
    made, scenario = make_plain(model), make_plain(Scenario)
    defs = {**scenario.pop("$defs"), "Scenario": scenario, **made["$defs"]}
    about = made["properties"]["scenario"]["description"]
    either = {"description": about, "anyOf": [TEXT, {"$ref": "#/$defs/Scenario"}]}
    properties = {**made["properties"], "scenario": either, "factors": _factors(made, defs)}
    return {**made, "$defs": defs, "properties": properties}


def _factors(made: Schema, defs: Schema) -> Schema:
    """Let names of factors have dots without quotes, which makes tables within tables."""
    inner = {"anyOf": [{"$ref": "#/$defs/FactorTable"}, {"$ref": "#/$defs/Factors"}]}
    defs["Factors"] = {"type": "object", "minProperties": 1, "additionalProperties": inner}
    about = made["properties"]["factors"]["description"]
    return {"description": about, "$ref": "#/$defs/Factors"}


def _experiment() -> Schema:
    """Make the schema of an experiment, whose responses may be a list too."""
    made = _vary(ExperimentFile)
    responses = made["properties"]["responses"]
    table = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
    listed = {"type": "array", "minItems": 1, "items": {"anyOf": [TEXT, table]}}
    by_name = {key: responses.pop(key) for key in ("type", "additionalProperties")}
    responses["anyOf"] = [listed, by_name]
    return made


def _fluid_network() -> Schema:
    """Make the schema of what `headgate fluid --network` reads."""
    params, path = _by_name({"type": ["number", "string"]}), {"type": "array", "items": TEXT}
    flows, time = {"type": "number"}, {**TEXT, "examples": ["60 ms"]}
    rate, buffer = ({**TEXT, "examples": [text]} for text in ("100 Mbit/s", "1 BDP"))
    one = {"flows": flows, "rtt": time, "path": path, "params": params}
    link = {"rate": rate, "buffer": buffer, "delay": time, "params": params}
    whole = {
        "packet": {**TEXT, "examples": ["1500 B"]},
        "classes": _by_name(_table(one, ("rtt", "path"))),
        "links": _by_name(_table(link, ("rate",))),
    }
    about = {"title": "FluidNetwork", "description": "Classes of equal flows over links."}
    return {**about, **_table(whole, ("classes", "links"))}


def _table(properties: Schema, required: Sequence[str]) -> Schema:
    about = {"type": "object", "additionalProperties": False}
    return {**about, "properties": properties, "required": [*required]}


def _by_name(part: Schema) -> Schema:
    return {"type": "object", "additionalProperties": part}


#: Each form by its name, in the order in which they are listed: what it is, and what makes it.
FORMS: Forms = {
    "scenario": ("what `headgate run` runs", lambda: make_plain(Scenario)),
    "experiment": ("what `headgate experiment` runs", _experiment),
    "design": ("what `headgate design` makes and shows", lambda: _vary(DesignFile)),
    "report": ("report.toml of `headgate report`", lambda: make_plain(About)),
    "cluster": ("a profile for `--cluster`", lambda: make_plain(Profile)),
    "fluid-network": ("a network for `headgate fluid --network`", _fluid_network),
}
