"""JSON Schema of every form of TOML, for editors: `headgate schema`. Studies add their own forms.

`make schemas` writes the files in this folder, and a test compares them with the models. A schema
describes the structure of a form only; `headgate check` checks everything else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema

from headgate.design.file import DesignFile
from headgate.engine.api import Scenario
from headgate.experiment.extensions import BASE
from headgate.experiment.form import ExperimentFile
from headgate.figures.report.about import About
from headgate.lab.cluster import Profile

FOLDER = Path(__file__).parent
Schema = dict[str, Any]
Form = tuple[str, Callable[[], Schema]]
Forms = Mapping[str, Form]

TEXT: Schema = {"type": "string"}
#: The types of defaults that are as in TOML; other defaults are internal, such as picoseconds.
_WRITTEN: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int,),
    "number": (int, float),
}
#: Bounds of internal numbers, which do not apply to texts.
_BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")


class _Plain(GenerateJsonSchema):
    """The generator of pydantic without titles of keys: `Rtt` adds nothing to `rtt`."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        """Return False."""
        del schema
        return False


def make_plain(model: type[BaseModel], *, by_alias: bool = True) -> Schema:
    """Make the schema of a model, without titles of keys and with defaults as in TOML."""
    made = model.model_json_schema(by_alias=by_alias, schema_generator=_Plain)
    found: Schema = _clean(made)
    return {**found, "$defs": found.get("$defs", {})}


def _clean(part: Any) -> Any:
    """Remove defaults that differ from TOML, and bounds of numbers for texts."""
    if isinstance(part, list):
        return [_clean(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {key: _clean(value) for key, value in part.items() if not _is_internal(key, part)}


def _is_internal(key: str, part: Schema) -> bool:
    kind = part.get("type")
    if key == "default":
        return not isinstance(part[key], _WRITTEN.get(str(kind), ())) or part[key] == ""
    return kind == "string" and key in _BOUNDS


def _vary(model: type[BaseModel]) -> Schema:
    """Make the schema of a form that varies a scenario, which it may contain."""
    made, scenario = make_plain(model), make_plain(Scenario)
    defs = {**scenario.pop("$defs"), "Scenario": scenario, **made["$defs"]}
    about = made["properties"]["scenario"]["description"]
    either = {"description": about, "anyOf": [TEXT, {"$ref": "#/$defs/Scenario"}]}
    properties = {**made["properties"], "scenario": either, "factors": _factors(made, defs)}
    return {**made, "$defs": defs, "properties": properties}


def _factors(made: Schema, defs: Schema) -> Schema:
    """Allow names of factors with dots without quotes, which are tables within tables."""
    inner = {"anyOf": [{"$ref": "#/$defs/FactorTable"}, {"$ref": "#/$defs/Factors"}]}
    defs["Factors"] = {"type": "object", "minProperties": 1, "additionalProperties": inner}
    about = made["properties"]["factors"]["description"]
    return {"description": about, "$ref": "#/$defs/Factors"}


def _experiment() -> Schema:
    """Make the schema of an experiment: responses may be a list, and the base a registered one."""
    made = _vary(ExperimentFile)
    responses = made["properties"]["responses"]
    table = {"type": "object", "required": ["name"], "properties": {"name": TEXT}}
    listed = {"type": "array", "minItems": 1, "items": {"anyOf": [TEXT, table]}}
    by_name = {key: responses.pop(key) for key in ("type", "additionalProperties")}
    responses["anyOf"] = [listed, by_name]
    registered = {"type": "object", "required": [BASE], "properties": {BASE: TEXT}}
    made["properties"]["scenario"]["anyOf"].append(registered)
    about = made["properties"]["crossed"]["description"]
    made["properties"]["crossed"] = {"description": about, "$ref": "#/$defs/Factors"}
    return made


def _fluid_network() -> Schema:
    """Make the schema of the files of `headgate fluid --network`."""
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


#: Each form by its name, in the order of lists: its description, and the function that makes it.
FORMS: Forms = {
    "scenario": ("what `headgate run` runs", lambda: make_plain(Scenario)),
    "experiment": ("what `headgate experiment` runs", _experiment),
    "design": ("what `headgate design` makes and shows", lambda: _vary(DesignFile)),
    "report": ("report.toml of `headgate report`", lambda: make_plain(About)),
    "cluster": ("a profile for `--cluster`", lambda: make_plain(Profile)),
    "fluid-network": ("a network for `headgate fluid --network`", _fluid_network),
}
