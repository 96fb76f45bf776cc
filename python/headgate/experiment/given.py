"""What an experiment is given in Python, in the words of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from headgate.base.errors import HeadgateError
from headgate.experiment.responses import Response
from headgate.plugin import user_code


def put_functions(
    responses: tuple[Response, ...], functions: Mapping[str, Callable[..., float]]
) -> tuple[Response, ...]:
    """Put a function given as such in the place of what stands for it in the file."""
    return tuple(
        replace(one, sql="", function=functions[one.name]) if one.name in functions else one
        for one in responses
    )


def write_scenario(base: str | Path | Mapping[str, Any]) -> Any:
    """Return a base as a table, or as an absolute path."""
    return dict(base) if isinstance(base, Mapping) else str(Path(base).absolute())


def write_levels(table: Any) -> Any:
    """Put the words of a scenario in the place of classes that are laws."""
    if isinstance(table, Mapping):
        return {key: write_levels(value) for key, value in table.items()}
    if isinstance(table, list | tuple):
        return [write_levels(level) for level in table]
    return _register(table) if isinstance(table, type) else table


def _register(law: type) -> str:
    """Name a class by its file, which other processes run to have it: so not the program's own."""
    if law.__module__ == "__main__":
        raise HeadgateError(
            f"{law.__qualname__}: runs are made in other processes, which cannot have a class of a"
            f" program; put it in a file of its own and write './file.py:{law.__qualname__}'"
        )
    return user_code.register_class(law)


def name_functions(responses: Sequence[Any]) -> dict[str, Callable[..., float]]:
    """Return the functions among responses by their names."""
    return {one.__name__: one for one in responses if callable(one)}


def write_responses(responses: Sequence[Any] | Mapping[str, Any]) -> Any:
    """Put a name in the place of each function; what it does is known beside it."""
    if isinstance(responses, Mapping):
        return dict(responses)
    return [
        {"name": one.__name__, "title": _title(one), "sql": "SELECT 0"} if callable(one) else one
        for one in responses
    ]


def _title(function: Callable[..., float]) -> str:
    return (function.__doc__ or "").strip().partition("\n")[0].rstrip(".")
