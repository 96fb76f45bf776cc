"""The forms of TOML that `headgate schema` knows: those of experiments, and those of studies."""

from __future__ import annotations

import json

from headgate.base.errors import HeadgateError
from headgate.base.suggest import hint
from headgate.experiment import schemas
from headgate.experiment.schemas import Schema
from headgate.studies.schemas import FORMS as OF_STUDIES

FORMS: schemas.Forms = {**schemas.FORMS, **OF_STUDIES}


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
