"""The algorithm of traffic: one of the catalogue, a user-defined one, or a mix with shares."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    Tag,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import CoreSchema

from headgate.base import catalog
from headgate.base.errors import CatalogError
from headgate.base.messages import also
from headgate.base.parameters import Value, count_packets
from headgate.plugin import user_code
from headgate.scenario.base import Model, Named, also_text_and_params, at
from headgate.scenario.mixes import is_algorithm, is_mix, list_parts
from headgate.scenario.slow_start import ABOUT as ABOUT_SLOW_START
from headgate.scenario.slow_start import (
    CLASSIC,
    KEY,
    SlowStart,
    check_family,
    is_parameter,
    own_words,
)

ABOUT = (
    "The congestion control algorithm: a name of the catalogue, or a user-defined algorithm as a"
    " file and a name, such as './my_cca.py:MyCca'."
)
ABOUT_MIX = (
    f"{ABOUT} A mix gives several algorithms a share each, such as {{cubic = 0.5, bbr3 = 0.5}}, or"
    " is a list of parts."
)


class CcaChoice(Named):
    """`"fast"`, or `{name = "fast", alpha = 20}`."""

    written: ClassVar[str] = (
        "one algorithm, such as 'reno' or {name = 'fast', alpha = 20}, or a mix of several, such as"
        " {cubic = 0.5, bbr3 = 0.5}"
    )

    name: str = Field(description="A name or alias of `headgate catalog`.")
    params: dict[str, bool | float | str] = Field(
        default_factory=dict, description="Parameters that differ from the algorithm's defaults."
    )
    slow_start: SlowStart | None = Field(None, description=ABOUT_SLOW_START)

    @classmethod
    def _own_keys(cls, given: Mapping[str, Any]) -> tuple[str, ...]:
        try:
            is_param = is_parameter(catalog.cca(str(given.get("name"))), given.get(KEY))
        except CatalogError:
            is_param = False
        return ("name",) if is_param else ("name", KEY)

    @model_serializer
    def _short_form(self) -> Any:
        start = {} if self.slow_start is None else {KEY: self._write_slow_start()}
        return {"name": self.name, **start, **self.params} if start or self.params else self.name

    def _write_slow_start(self) -> SlowStart | Mapping[str, str] | None:
        """Return a form that is read as the same slow start: a word may be the algorithm's own."""
        chosen = self.slow_start
        if chosen and not chosen.params and is_parameter(catalog.cca(self.name), chosen.name):
            return {"name": chosen.name}
        return chosen

    @model_validator(mode="after")
    def _is_in_the_catalogue(self) -> CcaChoice:
        cca = catalog.cca(self.name)
        names = {param.name for param in cca.params}
        for key in self.params:
            if key not in names and (near := also(key, (KEY,))):
                raise at(key, f"'{self.name}' has no parameter '{key}'{near}")
            if key not in names and is_algorithm(key):
                shares = f"{{ {self.name} = 0.5, {key} = 0.5 }}"
                says = f"this is an algorithm, not a parameter of '{self.name}'; for a mix, write"
                raise at(key, f"{says} a share for each algorithm, such as {shares}")
        if self.slow_start is not None:
            check_family(cca)
            if KEY in self.params:
                raise at(KEY, "this key is given twice, once under params; leave one out")
        self.read_params(cca, count_packets)
        object.__setattr__(self, "name", cca.name)  # an alias becomes the name
        return self

    def resolve(self) -> dict[str, Value]:
        """Return the parameters of the plan. A chosen slow start replaces that of the algorithm."""
        card = catalog.cca(self.name)
        replaced = {KEY: CLASSIC} if self.slow_start is not None and own_words(card) else {}
        return self.read_params(card, count_packets) | replaced

    def plan(self) -> dict[str, Any]:
        """Return the algorithm of the plan."""
        return {"name": self.name, "params": self.resolve(), **_plan_slow_start(self.slow_start)}


def _plan_slow_start(chosen: SlowStart | None) -> dict[str, Any]:
    """Return the slow start of the plan; the algorithm's own growth needs none."""
    return {} if chosen is None or chosen.is_classic else {KEY: chosen.as_plan()}


class OwnCca(Model):
    """`"./my_cca.py:MyCca"`, or `{source = "./my_cca.py:MyCca", alpha = 20}`; in Python, the class.

    The other keys are passed to the class when a flow's object is made.
    """

    model_config = ConfigDict(json_schema_extra=also_text_and_params)

    written: ClassVar[str] = (
        "a file and a name, such as './my_cca.py:MyCca', or a table with source"
    )

    source: str = Field(description="A file, and the name of the algorithm in it behind a colon.")
    params: dict[str, bool | int | float | str] = Field(
        default_factory=dict, description="Arguments of the class."
    )
    slow_start: SlowStart | None = Field(None, description=ABOUT_SLOW_START)

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, data: Any) -> Any:
        if isinstance(data, str | type):
            data = {"source": data}
        if not isinstance(data, Mapping):
            return data
        if "source" not in data and "name" in data:
            data = {"source" if key == "name" else key: value for key, value in data.items()}
        data = {
            key: user_code.register_class(v) if isinstance(v, type) else v
            for key, v in data.items()
        }
        if "params" not in data:
            own = ("source", KEY)
            params = {key: value for key, value in data.items() if key not in own}
            return {key: data[key] for key in own if key in data} | {"params": params}
        return data

    @field_validator("params", mode="before")
    @classmethod
    def _check_params(cls, params: Any) -> Any:
        for name, value in params.items() if isinstance(params, Mapping) else ():
            is_number = isinstance(value, int) or (
                isinstance(value, float) and math.isfinite(value)
            )
            if not (is_number or isinstance(value, str)):
                raise at(name, f"give a number, a word, true or false; got {value!r}")
        return params

    @model_serializer
    def _short_form(self) -> Any:
        start = {} if self.slow_start is None else {KEY: self.slow_start}
        is_short = not (start or self.params)
        return self.source if is_short else {"source": self.source, **start, **self.params}

    @property
    def name(self) -> str:
        """The name in titles: that in the file, or that of the file."""
        file, name = user_code.split(self.source)
        return name or Path(file).stem

    def cca(self) -> user_code.OwnCode:
        """Load the code. Raises CcaError, also if it may not run."""
        return user_code.load(self.source, user_code.CCA)

    def plan(self) -> dict[str, Any]:
        """Return the algorithm of the plan without running its code. Raises CcaError."""
        name, sha256 = user_code.identify(self.source, user_code.CCA)
        own = {"name": name, "params": dict(self.params), "own": sha256}
        return own | _plan_slow_start(self.slow_start)


#: Tags of pydantic, which no key may be.
_NAMED, _USER_DEFINED, _MIX = "of the catalogue", "user-defined", "mix of several"


def _is_code(given: Any) -> bool:
    return isinstance(given, type) or (isinstance(given, str) and user_code.is_source(given))


def _tag_one(given: Any) -> str:
    if isinstance(given, Mapping):
        return _USER_DEFINED if "source" in given or _is_code(given.get("name")) else _NAMED
    return _USER_DEFINED if isinstance(given, OwnCca) or _is_code(given) else _NAMED


def _tag(given: Any) -> str:
    is_list = isinstance(given, list | tuple)
    is_mix = is_list and all(isinstance(part, Mapping | CcaShare) for part in given)
    return _MIX if is_mix else _tag_one(given)


def _list_shares(given: Any) -> Any:
    """Return the table of shares `{reno = 0.5, bbr = 0.5}` as a list of parts."""
    return list_parts(given) if isinstance(given, Mapping) and is_mix(given) else given


class _AnyOf:
    """A mark for JSON Schema: a name may be either kind of algorithm, and a mix may be a table."""

    def __init__(self, *also: dict[str, Any]) -> None:
        self.also = also

    def __get_pydantic_json_schema__(
        self, core: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        schema = dict(handler(core))
        either = schema.pop("oneOf")
        return {**schema, "anyOf": [*either, *self.also]}


_SHARES = {"type": "object", "additionalProperties": {"type": "number"}}
OneCca = Annotated[
    Annotated[CcaChoice, Tag(_NAMED)] | Annotated[OwnCca, Tag(_USER_DEFINED)],
    Discriminator(_tag_one),
    _AnyOf(),
]
"""One algorithm, of the catalogue or user-defined."""


class CcaShare(Model):
    """A part of the users or flows, and their algorithm."""

    cca: OneCca = Field(description=ABOUT)
    share: float = Field(
        ge=0, le=1, description="Part of the users or flows; the shares of a class add up to 1."
    )
    source: str | None = Field(
        None,
        description="Class of routers at which these senders are; absent = all classes without a"
        " part.",
    )


Cca = Annotated[
    Annotated[CcaChoice, Tag(_NAMED)]
    | Annotated[OwnCca, Tag(_USER_DEFINED)]
    | Annotated[tuple[CcaShare, ...], Tag(_MIX)],
    Discriminator(_tag),
    BeforeValidator(_list_shares),
    _AnyOf(_SHARES),
]
"""The value of the key `cca`."""
