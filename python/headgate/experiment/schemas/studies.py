"""JSON Schema of the TOML files of studies and of installed packages."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import partial
from importlib.metadata import EntryPoint, entry_points

from headgate.base.errors import HeadgateError
from headgate.base.messages import hint
from headgate.experiment import schemas
from headgate.experiment.schemas import TEXT, Forms, Schema, make_plain
from headgate.experiment.study.claims import ClaimsFile, StudyClaim
from headgate.experiment.study.documents import Document
from headgate.experiment.study.study import StudySpec

#: Installed packages register their forms in this group: a name, and a pydantic model.
GROUP = "headgate.forms"
_EXTENDS: Schema = {"type": "string", "description": "A file that this one is laid over."}


def _extend(made: Schema) -> Schema:
    """Allow a form to extend another file, which may contain the required keys, also of tables."""
    required = made.pop("required")
    whole = {"if": {"required": ["extends"]}, "else": {"required": required}}
    for part in made["$defs"].values():
        part.pop("required", None)
    return {**made, **whole, "properties": {"extends": _EXTENDS, **made["properties"]}}


def _claims() -> Schema:
    """Make the schema of a study's claims, which need not repeat the keys of their kind."""
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


#: Each form by its name: its description, and the function that makes it.
FORMS: Forms = {
    **schemas.FORMS,
    "study": ("study.toml of a study", lambda: _extend(make_plain(StudySpec))),
    "claims": ("claims.toml of a study", _claims),
    "document": ("the statements of a reproduced document", lambda: make_plain(Document)),
}


def every_form() -> Forms:
    """Return Headgate's forms, then those of installed packages."""
    return {**FORMS, **dict(_registered())}


def _registered() -> Iterator[tuple[str, schemas.Form]]:
    for entry in sorted(entry_points(group=GROUP)):
        about = f"a form of {entry.value.partition('.')[0]}"
        yield entry.name, (about, partial(_make_registered, entry))


def _make_registered(entry: EntryPoint) -> Schema:
    return make_plain(entry.load())


def make_schema(name: str) -> Schema:
    """Make the schema of a form from the code. Raises HeadgateError for an unknown name."""
    forms = every_form()
    if name not in forms:
        says = hint(name, forms, f"forms: {', '.join(forms)}")
        raise HeadgateError(f"{name!r} is not a form of TOML; {says}")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **forms[name][1]()}


def schema_text(name: str) -> str:
    """Return the text of the schema file of a form. Raises HeadgateError."""
    return json.dumps(make_schema(name), indent=1) + "\n"


def file_name(name: str) -> str:
    """Return the name of the schema file of a form."""
    return f"{name}.schema.json"
