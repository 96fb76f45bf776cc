"""Which congestion control algorithm a flow uses: one of the catalogue, or user-defined code."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from pydantic import ConfigDict, Field, model_serializer, model_validator

from headgate.base import catalog
from headgate.base.parameters import Value, count_packets
from headgate.plugin import user_code
from headgate.scenario.base import Model, Named, also_text_and_params, at


class LawChoice(Named):
    """`"fast"`, or `{name = "fast", alpha = 20}`."""

    written: ClassVar[str] = (
        "one law, such as 'reno' or {name = 'fast', alpha = 20}; more laws need a [[traffic]] each"
    )

    name: str = Field(description="A name or alias of `headgate catalog`.")
    params: dict[str, bool | float | str] = Field(
        default_factory=dict, description="Parameters that differ from the law's defaults."
    )

    @model_validator(mode="after")
    def _is_in_the_catalogue(self) -> LawChoice:
        law = catalog.law(self.name)
        self.read_params(law, count_packets)
        object.__setattr__(self, "name", law.name)  # an alias becomes the name
        return self

    def resolve(self) -> dict[str, Value]:
        """Return the parameters of the plan."""
        return self.read_params(catalog.law(self.name), count_packets)

    def plan(self) -> dict[str, Any]:
        """Return the algorithm of the plan."""
        return {"name": self.name, "params": self.resolve()}


def make_law_keys(law: Any) -> dict[str, Any]:
    """Return the key of traffic for an algorithm: `control` for user-defined code, else `law`."""
    return {"control" if isinstance(law, str) and user_code.is_source(law) else "law": law}


def move_code(given: Any) -> Any:
    """Move user-defined code from the key `law` to `control`. Raises an error if both are set."""
    law = given.get("law") if isinstance(given, Mapping) else None
    table = dict(law) if isinstance(law, Mapping) else {"source": law}
    name = table.pop("name", None)
    source = table.pop("source", name)
    is_code = isinstance(source, type) or (isinstance(source, str) and user_code.is_source(source))
    if not is_code:
        return given
    if given.get("control") is not None:
        raise at("control", "a flow has one law; give either 'law' or 'control'")
    rest = {key: value for key, value in given.items() if key != "law"}
    return {**rest, "control": {"source": source, **table}}


class Control(Model):
    """`"./mylaw.py:MyLaw"`, or `{source = "./mylaw.py:MyLaw", alpha = 20}`; in Python, the class.

    What stands beside `source` is handed to the class when a flow's object is made.
    """

    model_config = ConfigDict(json_schema_extra=also_text_and_params)

    written: ClassVar[str] = "a file and a name, such as './mylaw.py:MyLaw', or a table with source"

    source: str = Field(description="A file, and the name of the law in it behind a colon.")
    params: dict[str, bool | int | float | str] = Field(
        default_factory=dict, description="Arguments of the class."
    )

    @model_validator(mode="before")
    @classmethod
    def _from_short_form(cls, data: Any) -> Any:
        if isinstance(data, str | type):
            data = {"source": data}
        if not isinstance(data, Mapping):
            return data
        data = {
            key: user_code.register_class(v) if isinstance(v, type) else v
            for key, v in data.items()
        }
        if "params" not in data:
            params = {key: value for key, value in data.items() if key != "source"}
            return {key: data[key] for key in ("source",) if key in data} | {"params": params}
        return data

    @model_serializer
    def _short_form(self) -> Any:
        return {"source": self.source, **self.params} if self.params else self.source

    @property
    def name(self) -> str:
        """The name in titles: that in the file, or that of the file."""
        file, name = user_code.split(self.source)
        return name or Path(file).stem

    def law(self) -> user_code.OwnCode:
        """Load the code. Raises LawError, also if it may not run."""
        return user_code.load(self.source, user_code.LAW)

    def plan(self) -> dict[str, Any]:
        """Return the algorithm of the plan without running its code. Raises LawError."""
        name, sha256 = user_code.identify(self.source, user_code.LAW)
        return {"name": name, "params": dict(self.params), "own": sha256}
