"""`experiment.toml` as a value: a design file with responses and claims."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np
from pydantic import ConfigDict, Field, field_validator, model_validator

from headgate.base.errors import HeadgateError, ScenarioError
from headgate.base.files import read_toml_file
from headgate.base.level_order import LevelOrder
from headgate.base.messages import also, as_toml
from headgate.base.terminal import check_name
from headgate.claims.claim import Claim
from headgate.data.columns import OF_ANY_RUN
from headgate.data.folder import EXPERIMENT
from headgate.design.file import INTERPOLATED, Kind, anchor_factor, join_paths
from headgate.experiment import extensions, measures
from headgate.experiment.claims import Until
from headgate.experiment.comparison import ComparisonFile
from headgate.experiment.conditions import label_levels, order_levels
from headgate.experiment.extensions import BASES
from headgate.experiment.measures import Better
from headgate.experiment.part_measures import Kind as PartKind
from headgate.experiment.responses import Response
from headgate.plugin.user_code import register_class, split
from headgate.scenario.base import Model, also_text, at
from headgate.scenario.keys import EVERY_CCA

_NAME = re.compile(r"[A-Za-z]\w*")
#: Columns of a table of runs that are neither factors nor responses.
RESERVED = ("run", "replicate", "seed", "period")
#: Keys that select another design than a grid.
DESIGNED = ("design", "generators", "runs", "array", "foldover", "blocks", "centre_points")


class ResponseTable(Model):
    """A response: a named figure of a run, SQL, or a user-defined function."""

    model_config = ConfigDict(json_schema_extra=also_text)

    written: ClassVar[str] = "a figure such as 'goodput_bps', or a table with sql or function"

    sql: str = Field("", description="One SELECT over the tables of a run that gives one number.")
    function: str = Field("", description="A Python function of the result, './mine.py:name'.")
    measure: str = Field("", description="A figure that has a name, or avg(table.column).")
    unit: str = Field("", description="Unit of the number.")
    title: str = Field("", description="What axes and tables call it.")
    better: Better = Field("", description="Which way it is better.")

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, given: Any) -> Any:
        return {"measure": given} if isinstance(given, str) else given

    @model_validator(mode="after")
    def _is_one(self) -> ResponseTable:
        if bool(self.sql) + bool(self.function) + bool(self.measure) > 1:
            raise at("sql" if self.sql else "function", "give one of measure, sql and function")
        if self.function and split(self.function)[1] is None:
            raise at("function", f"{self.function!r} is not a function; write './mine.py:name'")
        return self

    def response(self, name: str, *, by_period: bool = False) -> Response:
        """Return the response, of a run or of a period. Raises HeadgateError if it is wrong."""
        if self.sql or self.function:
            return Response(name, self.sql, self.function, self.unit, self.title, self.better)
        found = extensions.find_measure(self.measure or name)
        sql = found.of_period if by_period and found.of_period else found.sql
        return Response(
            name, sql, "", self.unit or found.unit, self.title or found.title,
            self.better or found.better,
        )  # fmt: skip


class ExperimentFile(ComparisonFile):
    """Everything that decides an experiment: base, factors, design, responses, claims."""

    repeats_centre: ClassVar[bool] = False

    name: str = Field("", description="Name of its folder in out/; that of the file unless given.")
    question: str = Field("", description="What it is to answer; the report begins with it.")
    kind: Kind = Field(
        "grid", description="How runs are chosen; a grid, unless a key asks for a two-level design."
    )
    where: str = Field(
        "", description="SQL condition on the factors; combinations that it refuses are left out."
    )
    derived: dict[str, str] = Field(
        default_factory=dict,
        description="Keys of the scenario that follow from the factors, by path: SQL on these.",
    )
    responses: dict[str, ResponseTable] = Field(
        description="What is measured: a list of names, or [responses.NAME] with sql or function,"
        " or a text, which is its `measure`."
    )
    tables: tuple[str, ...] | Literal["all", "large"] = Field(
        "large",
        description="Tables that are kept of runs: all, those named, or all of large runs and none"
        " of small ones, of which only what was measured is kept.",
    )
    parts: tuple[PartKind, ...] = Field(
        (),
        description="Parts of the network whose changes the report lists: 'links' (utilisation,"
        " drops, waits), 'pairs' of routers (goodput and completion time of their flows), or both.",
    )
    claims: tuple[Claim, ...] = Field((), description="Statements that the runs are to judge.")

    until: Until | None = Field(
        None, description="How replicates are added until every claim is decided."
    )

    @model_validator(mode="before")
    @classmethod
    def _names_bases_by_key(cls, given: Any) -> Any:
        """Refuse a registered base that is named as the kind of a scenario or a network."""
        scenario = given.get("scenario") if isinstance(given, Mapping) else None
        network = scenario.get("network") if isinstance(scenario, Mapping) else None
        for place, table in (("scenario", scenario), ("scenario.network", network)):
            kind = table.get("kind") if isinstance(table, Mapping) else None
            if isinstance(kind, str) and kind.lower() in extensions.list_registered(BASES):
                says = f"{kind!r} is a base; write [scenario] with base = {kind.lower()!r}"
                raise at(f"{place}.kind", says)
        return given

    @model_validator(mode="before")
    @classmethod
    def _design_asked_for(cls, given: Any) -> Any:
        if isinstance(given, Mapping) and "kind" not in given and given.keys() & {*DESIGNED}:
            return {"kind": "two-level", **given}
        return given

    @field_validator("name")
    @classmethod
    def _names_a_folder(cls, given: str) -> str:
        return check_name(given) if given else given

    @field_validator("tables")
    @classmethod
    def _are_tables(cls, given: Any) -> Any:
        for name in given if isinstance(given, tuple) else ():
            if name not in OF_ANY_RUN:
                known = f"the tables are {', '.join(OF_ANY_RUN)}{also(name, OF_ANY_RUN)}"
                raise ValueError(f"{name!r} is not a table; {known}")
        return given

    @field_validator("responses")
    @classmethod
    def _are_named(cls, given: dict[str, ResponseTable]) -> dict[str, ResponseTable]:
        if not given:
            raise ValueError("there are no responses; name at least one, such as goodput_bps")
        for name in given:
            if not _NAME.fullmatch(name):
                raise ValueError(
                    f"{name!r} is not a name of a response; write letters, digits and _ only"
                    f"{also(name, measures.NAMED)}"
                )
        return given

    @model_validator(mode="after")
    def _names_are_apart(self) -> ExperimentFile:
        factors = [factor.name for factor in (*self.make_factors(), *self.make_crossed())]
        for name in (*RESERVED, *factors):
            if name in self.responses:
                what = "a column of every table" if name in RESERVED else "a factor"
                raise at("responses", f"{name!r} is {what}; give the response another name")
        for name in factors:
            if name in RESERVED:
                raise at("factors", f"{name!r} is a column of every table; choose another name")
        tables = {**self.factors, **self.crossed}
        settings = [table.setting or name for name, table in tables.items()]
        others = [s for s in settings if re.fullmatch(r"traffic\.\d+\.(cca|share)(\..*)?", s)]
        if EVERY_CCA in settings and others:
            raise at(
                "factors", f"'cca' is the algorithm of all traffic, and {others[0]} is one of these"
            )
        for claim in self.claims:
            if not claim.value and claim.missing is None:
                raise at("claims", f"{claim.id}: this claim needs `value`, SQL over the runs")
        if len({claim.id for claim in self.claims}) < len(self.claims):
            raise at("claims", "two claims have the same id")
        return self

    @classmethod
    def from_dict(cls, given: Mapping[str, Any], place: str = "") -> Self:
        """Make an experiment's file from nested dicts. Raises ScenarioError."""
        try:
            listed = given.get("responses")
            if isinstance(listed, list | tuple):
                given = {**given, **_expand_sets(given, listed)}
            made = super().from_dict(given, place)
            made.check_roles({one.name: one.better for one in made.make_responses()}, place)
        except ScenarioError:
            raise
        except HeadgateError as error:
            raise ScenarioError(place, f"responses: {error}") from None
        return made

    def make_responses(self) -> tuple[Response, ...]:
        """Return the responses. Raises HeadgateError if one of them is wrong."""
        by_period = bool(self.periods)
        return tuple(
            table.response(name, by_period=by_period) for name, table in self.responses.items()
        )

    @classmethod
    def anchor(cls, data: dict[str, Any], folder: Path) -> None:
        """Make paths of code absolute, relative to the folder of the file."""
        super().anchor(data, folder)
        crossed = data.get("crossed")
        if isinstance(crossed, dict):
            data["crossed"] = {n: anchor_factor(n, t, folder) for n, t in join_paths(crossed)}
        tables = data.get("responses")
        for table in tables.values() if isinstance(tables, dict) else tables or ():
            if isinstance(table, dict) and isinstance(table.get("function"), str):
                table["function"] = str(folder / table["function"])

    def functions(self) -> Iterator[str]:
        """Return the user-defined functions of the file."""
        return (table.function for table in self.responses.values() if table.function)


def _expand_sets(given: Mapping[str, Any], listed: Sequence[Any]) -> dict[str, Any]:
    """Return responses by name; a set of a package adds its roles unless the file names others."""
    sets = [extensions.find_response_set(one) for one in listed if isinstance(one, str)]
    names: list[Any] = []
    roles: dict[str, Any] = {}
    for one in listed:
        found = extensions.find_response_set(one) if isinstance(one, str) else None
        names += [one] if found is None else found.measures
    responses = _by_name(names)
    for found in filter(None, sets):
        roles |= found.roles(responses)
    return {**{key: of for key, of in roles.items() if key not in given}, "responses": responses}


def _by_name(given: Sequence[Any]) -> dict[str, Any]:
    """Return a list of responses as tables by name."""
    found: dict[str, Any] = {}
    for one in given:
        if isinstance(one, str):
            name, table = measures.name_of(one), {"measure": one}
        elif isinstance(one, Mapping) and isinstance(one.get("name"), str):
            name, table = one["name"], {key: value for key, value in one.items() if key != "name"}
        else:
            raise HeadgateError(
                f"{as_toml(one)} is not a response; write a name, or a table with name and sql"
            )
        if name in found:
            raise HeadgateError(f"{name!r} is listed twice")
        found[name] = table
    return found


def read_order(folder: Path) -> LevelOrder:
    """Return the order of levels in the file next to finished runs; without a file, none.

    Studies, and files of other versions, sort levels by size.
    """
    try:
        file = ExperimentFile.from_dict(read_toml_file(folder / EXPERIMENT))
    except HeadgateError:
        return LevelOrder()
    return order_levels(
        {
            factor.name: label_levels(factor, np.linspace(-1, 1, len(factor.levels) or 2))
            for factor in (*file.make_factors(), *file.make_crossed())
            if not (file.kind in INTERPOLATED and factor.numeric)
        }
    )


def write_factors(factors: Any) -> dict[str, Any]:
    """Return factors as the file writes them. Raises ScenarioError."""
    if not isinstance(factors, Mapping):
        says = f"{factors!r} is not a dict; write one, such as {{'cca': ['reno', 'cubic']}}"
        raise ScenarioError("factors", says)
    return {name: _write_levels(name, table) for name, table in factors.items()}


def _write_levels(name: str, table: Any) -> Any:
    """Write sequences and arrays as lists, and replace classes among levels by their file.

    Raises HeadgateError for a class of the running program, which other processes cannot import.
    """
    if isinstance(table, Mapping):
        return {key: _write_levels(name, value) for key, value in table.items()}
    if isinstance(table, str):
        return table
    if isinstance(table, np.ndarray | np.generic):
        return table.tolist()
    if isinstance(table, Sequence):
        return [_write_levels(name, level) for level in table]
    if isinstance(table, type):
        return _write_class(table)
    if isinstance(table, Iterable):
        says = f"{type(table).__name__} is not a list of levels; write list(...) of it"
        raise ScenarioError(f"factors.{name}", says)
    return table


def _write_class(level: type) -> str:
    name = level.__qualname__
    if level.__module__ == "__main__" or "." in name:
        of = "within a function or a class" if "." in name else "of a program"
        raise HeadgateError(
            f"{name}: runs are made in other processes, which cannot import a class {of}; put it in"
            f" a separate file and write './file.py:{level.__name__}'"
        )
    return register_class(level)


def split_functions(responses: Any) -> tuple[Any, dict[str, Callable[..., float]]]:
    """Return responses as the file writes them, and the functions among them by name.

    The name is that of the function, or its key in a dict. Raises ScenarioError.
    """
    if isinstance(responses, Mapping):
        functions = {name: one for name, one in responses.items() if callable(one)}
        tables = {name: _write_function(one) for name, one in functions.items()}
        return {**responses, **tables}, functions
    if isinstance(responses, str) or not isinstance(responses, Sequence):
        says = f"{responses!r} is not a list; write one, such as ['goodput_bps']"
        raise ScenarioError("responses", says)
    functions = {_name_function(one): one for one in responses if callable(one)}
    listed = [
        {"name": _name_function(one), **_write_function(one)} if callable(one) else one
        for one in responses
    ]
    return listed, functions


def _name_function(function: Callable[..., float]) -> str:
    name = getattr(function, "__name__", "")
    if not name.isidentifier():
        says = f"{function!r} is without a name; write a dict, such as {{'flows': function}}"
        raise ScenarioError("responses", says)
    return str(name)


def _write_function(function: Callable[..., float]) -> dict[str, str]:
    """Return the table of a function, with the first line of its documentation as title."""
    said = (function.__doc__ or "") if hasattr(function, "__name__") else ""
    return {"title": said.strip().partition("\n")[0].rstrip("."), "sql": "SELECT 0"}


def put_functions(
    responses: tuple[Response, ...], functions: Mapping[str, Callable[..., float]]
) -> tuple[Response, ...]:
    """Return responses with the functions that `split_functions` replaced."""
    return tuple(
        replace(one, sql="", function=functions[one.name]) if one.name in functions else one
        for one in responses
    )
