"""JSON Schema of every form of TOML that the package reads, for editors: `headgate schema`.

The files beside this one are made by `make schemas`, and a test holds them to the models. They say
what a form looks like; what is right beyond that says `headgate check`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from headgate.api import Scenario
from headgate.campaign.cluster import Profile
from headgate.design.file import DesignFile
from headgate.errors import HeadgateError
from headgate.experiment.form import ExperimentFile
from headgate.report.about import About
from headgate.schemas.plain import make_plain
from headgate.studies.claims import ClaimsFile, StudyClaim
from headgate.studies.documents import Document
from headgate.studies.nist.size import Preserved
from headgate.studies.study import StudySpec
from headgate.suggest import hint

FOLDER = Path(__file__).parent
Schema = dict[str, Any]

_TEXT: Schema = {"type": "string"}
_EXTENDS: Schema = {"type": "string", "description": "A file that this one is laid over."}


def _vary(model: type[BaseModel]) -> Schema:
    """Make the schema of a form that varies a scenario, which may stand in it."""
    made, scenario = make_plain(model), make_plain(Scenario)
    defs = {**scenario.pop("$defs"), "Scenario": scenario, **made["$defs"]}
    about = made["properties"]["scenario"]["description"]
    either = {"description": about, "anyOf": [_TEXT, {"$ref": "#/$defs/Scenario"}]}
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
    table = {"type": "object", "required": ["name"], "properties": {"name": _TEXT}}
    listed = {"type": "array", "minItems": 1, "items": {"anyOf": [_TEXT, table]}}
    by_name = {key: responses.pop(key) for key in ("type", "additionalProperties")}
    responses["anyOf"] = [listed, by_name]
    return made


def _extend(made: Schema) -> Schema:
    """Let a form lay itself over another file, which may have what is required, in tables too."""
    required = made.pop("required")
    whole = {"if": {"required": ["extends"]}, "else": {"required": required}}
    for part in made["$defs"].values():
        part.pop("required", None)
    return {**made, **whole, "properties": {"extends": _EXTENDS, **made["properties"]}}


def _claims() -> Schema:
    """Make the schema of a study's claims: what a kind has need not stand in each."""
    made, claim = make_plain(ClaimsFile), make_plain(StudyClaim, by_alias=False)
    defs = claim.pop("$defs")
    del claim["properties"]["call"]
    value = {"anyOf": [_TEXT, {"$ref": "#/$defs/Call"}]}
    claim["properties"] |= {"value": claim["properties"]["value"] | value, "kind": _TEXT}
    del claim["properties"]["value"]["type"]
    claim["required"] = ["id"]
    kind = dict(claim)
    properties = made["properties"] | {
        "claim": {"type": "array", "items": {"$ref": "#/$defs/StudyClaim"}},
        "kinds": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Kind"}},
    }
    extended = _extend({**made, "$defs": {**defs, "Kind": kind}, "properties": properties})
    return {**extended, "$defs": {**extended["$defs"], "StudyClaim": claim}}


def _fluid_network() -> Schema:
    """Make the schema of what `headgate fluid --network` reads (`headgate.fluid.network`)."""
    params, path = _by_name({"type": ["number", "string"]}), {"type": "array", "items": _TEXT}
    flows, time = {"type": "number"}, {**_TEXT, "examples": ["60 ms"]}
    rate, buffer = ({**_TEXT, "examples": [text]} for text in ("100 Mbit/s", "1 BDP"))
    one = {"flows": flows, "rtt": time, "path": path, "params": params}
    link = {"rate": rate, "buffer": buffer, "delay": time, "params": params}
    whole = {
        "packet": {**_TEXT, "examples": ["1500 B"]},
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


#: Every form by its name, in the order in which they are listed: what it is, and what makes it.
FORMS: Mapping[str, tuple[str, Callable[[], Schema]]] = {
    "scenario": ("what `headgate run` runs", lambda: make_plain(Scenario)),
    "experiment": ("what `headgate experiment` runs", _experiment),
    "design": ("what `headgate design` makes and shows", lambda: _vary(DesignFile)),
    "report": ("report.toml of `headgate report`", lambda: make_plain(About)),
    "study": ("study.toml of a study", lambda: _extend(make_plain(StudySpec))),
    "claims": ("claims.toml of a study", _claims),
    "cluster": ("a profile for `--cluster`", lambda: make_plain(Profile)),
    "fluid-network": ("a network for `headgate fluid --network`", _fluid_network),
    "document": ("the statements of a reproduced document", lambda: make_plain(Document)),
    "preserved": ("what a small network preserves of a large one", lambda: make_plain(Preserved)),
}


def make_schema(name: str) -> Schema:
    """Make the schema of a form from the code. Raises HeadgateError for an unknown name."""
    if name not in FORMS:
        says = hint(name, FORMS, f"forms: {', '.join(FORMS)}")
        raise HeadgateError(f"{name!r} is not a form of TOML; {says}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **FORMS[name][1]()}


def schema_text(name: str) -> str:
    """Write the schema of a form as its file has it. Raises HeadgateError."""
    return json.dumps(make_schema(name), indent=1) + "\n"


def file_name(name: str) -> str:
    """Return what the file of a form is called."""
    return f"{name}.schema.json"
