"""From pydantic's list of errors to one sentence with a place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from headgate.base.as_toml import as_toml
from headgate.base.errors import ScenarioError
from headgate.base.suggest import also

_NOT_A_NUMBER = ("float_parsing", "int_parsing")
#: Sentences in which the value has no place.
_OF_KEYS = {
    "extra_forbidden": "this is not a key here",
    "missing": "this key is required",
    "union_tag_not_found": "the key 'kind' is required",
}
#: What may stand there, by what pydantic calls an error.
_ALLOWED = {
    "bool_parsing": "it must be true or false",
    "bool_type": "it must be true or false",
    "dict_attributes_type": "it must be a table of keys and values",
    "dict_type": "it must be a table of keys and values",
    "float_type": "it must be a number",
    "int_from_float": "it must be a whole number",
    "int_type": "it must be a whole number",
    "list_type": "it must be a list, [...]",
    "model_attributes_type": "it must be a table of keys and values",
    "model_type": "it must be a table of keys and values",
    "string_type": "it must be a text in quotes",
    "tuple_type": "it must be a list, [...]",
}
#: Errors of what may stand in place of a table: no mistake of one who wrote a table.
_NO_TABLES = ("literal_error", "string_type")
#: Places of further mistakes that are listed.
_MOST_OTHERS = 3
#: Keys of lists whose tables have heads of their own.
_LISTS = ("traffic", "claims")
_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")


def make_error(error: ValidationError, given: object) -> ScenarioError:
    """Say the first thing that is wrong with `given`, where, and what would be right."""
    found = error.errors(include_url=False)
    problems = [*filter(_is_meant, found)] or found
    first = next(filter(_is_of_words, problems), problems[0])
    if first["input"] != problems[0]["input"]:
        first = problems[0]
    or_table = any(problem["type"] == "not_a_table" for problem in problems)
    place = _place(first, given)
    others = [other for other in dict.fromkeys(_place(one, given) for one in problems)
              if other != place]  # fmt: skip
    listed = ", ".join(others[:_MOST_OTHERS]) + (", ..." if len(others) > _MOST_OTHERS else "")
    also_wrong = f" (also wrong: {listed})" if others else ""
    return ScenarioError(place, _sentence(first, or_table) + also_wrong)


def _is_meant(problem: Any) -> bool:
    return not (problem["type"] in _NO_TABLES and isinstance(problem["input"], Mapping))


def _is_of_words(problem: Any) -> bool:
    """Say whether a word would be right there, though a table would be, too."""
    return bool(problem["type"] == "literal_error")


def _place(problem: Any, given: object) -> str:
    path = _within(problem["loc"], given, problem["type"] == "missing")
    context = problem.get("ctx", {})
    if problem["type"] in ("unknown_key", "at") and context.get("key"):
        path = [*path, context["key"]]
    return join(path)


def join(path: Sequence[str | int]) -> str:
    """Write a path as users do: `traffic[0].law`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _within(loc: Sequence[str | int], given: object, missing: bool) -> list[str | int]:
    """Keep the steps that are keys of what was given: pydantic adds the tags of unions."""
    path: list[str | int] = []
    was_tag = False
    for step in loc:
        is_tag = not was_tag and isinstance(given, Mapping) and given.get("kind") == step
        was_tag = is_tag
        if not is_tag and _has(given, step):
            given = given[step]  # type: ignore[index]
            path.append(step)
        elif missing and step == loc[-1]:
            path.append(step)
    return path


def _has(given: object, step: str | int) -> bool:
    if isinstance(given, Mapping):
        return step in given
    return isinstance(given, list | tuple) and isinstance(step, int) and step < len(given)


def _sentence(problem: Any, or_table: bool) -> str:
    kind, context, value = problem["type"], problem.get("ctx", {}), problem["input"]
    if kind in _OF_KEYS:
        return _OF_KEYS[kind]
    if kind in ("unknown_key", "at", "not_a_table", "value_error"):
        return str(context.get("error", problem["msg"]))
    if kind == "union_tag_invalid":
        tag, expected = str(context["tag"]), str(context["expected_tags"])
        return f"kind '{tag}' is not known; it must be one of {expected}{_near(tag, expected)}"
    if kind in _NOT_A_NUMBER and isinstance(value, str):
        return f"{value!r} is text; {_as_number(value)}"
    if kind == "tuple_type" and isinstance(value, Mapping) and problem["loc"][-1] in _LISTS:
        return f"this is one table, and there may be several; write [[{problem['loc'][-1]}]]"
    near = ""
    if kind == "literal_error":
        near = " or a table" * or_table + _near(str(value), str(context["expected"]))
    allowed = _ALLOWED.get(kind) or _lower(problem["msg"])
    return f"{as_toml(value)} is not allowed; {allowed}{near}"


def _near(word: str, expected: str) -> str:
    """Return the near ones of words that pydantic lists in quotes."""
    return also(word, re.findall(r"'([^']*)'", expected))


def _as_number(text: str) -> str:
    """Return how to write a number that was given as text."""
    if (percent := _PERCENT.fullmatch(text)) is not None:
        return f"write the share as a number without quotes, {float(percent[1]) / 100:g}"
    return "write a number without quotes"


def _lower(message: str) -> str:
    return message.replace("Input should", "it must")
