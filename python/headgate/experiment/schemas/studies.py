"""JSON Schema of the forms of TOML that studies are made of."""

from __future__ import annotations

from headgate.experiment.schemas import TEXT, Forms, Schema
from headgate.experiment.schemas.plain import make_plain
from headgate.experiment.study.claims import ClaimsFile, StudyClaim
from headgate.experiment.study.documents import Document
from headgate.experiment.study.study import StudySpec

_EXTENDS: Schema = {"type": "string", "description": "A file that this one is laid over."}


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
    value = {"anyOf": [TEXT, {"$ref": "#/$defs/Call"}]}
    claim["properties"] |= {"value": claim["properties"]["value"] | value, "kind": TEXT}
    del claim["properties"]["value"]["type"]
    claim["required"] = ["id"]
    kind = dict(claim)
    properties = made["properties"] | {
        "claim": {"type": "array", "items": {"$ref": "#/$defs/StudyClaim"}},
        "kinds": {"type": "object", "additionalProperties": {"$ref": "#/$defs/Kind"}},
    }
    extended = _extend({**made, "$defs": {**defs, "Kind": kind}, "properties": properties})
    return {**extended, "$defs": {**extended["$defs"], "StudyClaim": claim}}


#: Each form by its name: what it is, and what makes it.
FORMS: Forms = {
    "study": ("study.toml of a study", lambda: _extend(make_plain(StudySpec))),
    "claims": ("claims.toml of a study", _claims),
    "document": ("the statements of a reproduced document", lambda: make_plain(Document)),
}
