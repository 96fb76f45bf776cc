"""The forms of TOML that `headgate schema` knows: of experiments, of studies, of other packages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from importlib.metadata import EntryPoint, entry_points

from headgate.base.errors import HeadgateError
from headgate.base.messages import hint
from headgate.experiment import schemas
from headgate.experiment.schemas import Schema
from headgate.experiment.schemas.plain import make_plain
from headgate.experiment.schemas.studies import FORMS as OF_STUDIES

#: Installed packages register their forms here: a name, and a pydantic model.
GROUP = "headgate.forms"
FORMS: schemas.Forms = {**schemas.FORMS, **OF_STUDIES}


def every_form() -> schemas.Forms:
    """Return Headgate's forms, then those of installed packages."""
    return {**FORMS, **dict(_registered())}


def _registered() -> Iterator[tuple[str, tuple[str, Callable[[], Schema]]]]:
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
    """Write the schema of a form as its file has it. Raises HeadgateError."""
    return json.dumps(make_schema(name), indent=1) + "\n"


def file_name(name: str) -> str:
    """Return what the file of a form is called."""
    return f"{name}.schema.json"
