"""The description of a report: `report.toml`, written by a study or a person."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from headgate.base.errors import HeadgateError, StoreError
from headgate.base.marks import Mark
from headgate.base.strict import Strict, read_toml
from headgate.claims.verdicts import JudgedClaim
from headgate.figures.analysis.frame import Frame
from headgate.figures.analysis.read import PLAIN, TextForm
from headgate.figures.analysis.roles import Roles

FILE, CLAIMS = "report.toml", "claims.json"
#: Folders beside the page.
FIGURES, TABLES = "figures", "tables"


class Shown(Strict):
    """A picture in the folder `figures`, with its title and caption."""

    name: str = Field(pattern=r"^[^/\\]+$", description="Its file there, without the ending.")
    title: str
    caption: str = ""


class Listed(Strict):
    """A table of the page, with its title and caption."""

    title: str
    caption: str = ""
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]


class Parameter(Strict):
    """A parameter of the runs: its value, or its levels, and its source."""

    name: str
    title: str = ""
    value: str
    mark: Mark | None = Field(None, description="How well its source is known.")
    source: str = ""


class About(Strict):
    """`report.toml`: title and question; a table with the roles of its columns; the results."""

    title: str
    question: str = ""
    table: str | None = Field(None, description="CSV or Parquet file, as seen from the folder.")
    decimal: str = Field(PLAIN.decimal, description="Decimal mark of a text file.")
    missing: tuple[str, ...] = Field((), description="Words of a text file for a missing value.")
    encoding: str = Field("", description="Encoding of a text file; UTF-8 unless given.")
    roles: Roles | None = Field(None, description="What the table's columns are.")
    design: tuple[str, ...] = Field((), description="The design in sentences.")
    findings: tuple[str, ...] = Field((), description="What was found beside the analyses.")
    pictures: tuple[Shown, ...] = ()
    tables: tuple[Listed, ...] = ()
    parameters: tuple[Parameter, ...] = ()
    versions: Mapping[str, str] = Field({}, description="Program, scale, seeds, cost.")

    def read_table(self, folder: Path) -> Frame:
        """Read the table in a folder. Raises HeadgateError if none is named, or it is wrong."""
        if self.table is None:
            raise HeadgateError(f"{folder / FILE}: table: roles are those of a table; name it")
        form = TextForm(self.decimal, self.missing, self.encoding)
        return Frame.of(folder / self.table, form)


def read(folder: Path) -> About:
    """Read a folder's `report.toml`. Raises StoreError or HeadgateError in a sentence."""
    path = folder / FILE
    if not path.is_file():
        raise StoreError(
            f"{folder}: contains no {FILE}; a study writes one, or write one with title, question,"
            " table and roles"
        )
    return read_toml(About, path)


def write(about: About, folder: Path) -> Path:
    """Write `report.toml` without unset keys."""
    from headgate.scenario.toml import write_toml

    path = folder / FILE
    write_toml(_set(about.model_dump(mode="json", exclude_defaults=True)), path)
    return path


def _set(value: Any) -> Any:
    """Drop keys with None, which TOML cannot express; in a list it becomes empty text."""
    if isinstance(value, dict):
        return {key: _set(one) for key, one in value.items() if one is not None}
    if isinstance(value, list | tuple):
        return ["" if one is None else _set(one) for one in value]
    return value


def read_claims(folder: Path) -> list[JudgedClaim]:
    """Return the judged claims of a study, if there are any."""
    path = folder / CLAIMS
    if not path.is_file():
        return []
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["claims"]
        return [JudgedClaim(**row) for row in rows]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise StoreError(f"{path}: cannot be read ({error})") from None
