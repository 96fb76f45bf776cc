"""Functions that the files of a study name: looked up, and held to their arguments, before a run.

They stand in one module of the study, or in several whose names begin alike: `findings`, or
`findings_order` and `findings_theory`. The first parameter is what the framework gives; all others
are by name, and what files say of them.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from headgate.base.errors import HeadgateError

_EMPTY = inspect.Parameter.empty


@dataclass(frozen=True)
class Functions:
    """The functions of a study that return one kind of thing."""

    package: str
    folders: Sequence[Path]
    """That of the study, and of the file of claims that its own extends, if it does."""
    module: str
    returns: str
    """The annotation of what they return, as it is written."""

    @cached_property
    def there(self) -> dict[str, Callable[..., Any]]:
        """Every such function by its name. Raises HeadgateError."""
        found: dict[str, Callable[..., Any]] = {}
        for name, function in self._public():
            if name in found:
                raise HeadgateError(f"{self._place}: there are two functions {name}")
            found[name] = function
        return found

    def _public(self) -> Iterator[tuple[str, Callable[..., Any]]]:
        for path in (file for folder in self.folders for file in _files(folder, self.module)):
            module = import_module(f"{self.package}.{path.parent.name}.{path.stem}")
            for name, one in inspect.getmembers(module, inspect.isfunction):
                own = one.__module__ == module.__name__ and not name.startswith("_")
                if own and one.__annotations__.get("return") == self.returns:
                    yield name, one

    @property
    def _place(self) -> str:
        return " and ".join(f"{folder.name}/{self.module}*.py" for folder in self.folders)

    def find(self, name: str, where: str) -> Callable[..., Any]:
        """Return a function by its name. Raises HeadgateError."""
        if name not in self.there:
            known = ", ".join(sorted(self.there)) or "none"
            raise HeadgateError(
                f"{where}: there is no function {name!r} -> {self.returns} in {self._place};"
                f" there are {known}"
            )
        return self.there[name]

    def check(self, name: str, arguments: Mapping[str, Any], where: str) -> Callable[..., Any]:
        """Return a function that takes these arguments. Raises HeadgateError."""
        function = self.find(name, where)
        _, *named = inspect.signature(function, eval_str=True).parameters.values()
        known = {parameter.name: parameter for parameter in named}
        missing = [one.name for one in named if one.default is _EMPTY and one.name not in arguments]
        for argument in (*arguments, *missing):
            if argument in missing or argument not in known:
                what = "needs" if argument in missing else "has no argument"
                raise HeadgateError(
                    f"{where}: {name} {what} {argument}; its arguments are"
                    f" {', '.join(known) or 'none'}"
                )
            _check_value(known[argument], arguments[argument], f"{where}: {name}: {argument}")
        return function


def _files(folder: Path, module: str) -> list[Path]:
    return sorted(folder.glob(f"{module}*.py"))


def _check_value(parameter: inspect.Parameter, value: Any, where: str) -> None:
    try:
        TypeAdapter(parameter.annotation).validate_python(value, strict=True)
    except ValidationError as error:
        raise HeadgateError(f"{where}: {value!r}: {error.errors()[0]['msg']}") from None
