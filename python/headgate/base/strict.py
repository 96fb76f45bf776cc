"""Values from files: unknown keys are rejected, and the first mistake becomes one sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, BeforeValidator, ConfigDict, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from headgate.base.errors import ScenarioError
from headgate.base.files import read_toml_file
from headgate.base.messages import also, as_toml, hint, new_name

_NOT_A_NUMBER = ("float_parsing", "int_parsing")
#: Messages without the value.
_OF_KEYS = {
    "extra_forbidden": "this is not a key here",
    "missing": "this key is required",
    "union_tag_not_found": "the key 'kind' is required",
}
#: Allowed values, by the type of a pydantic error.
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
#: Errors of the short form of a table; irrelevant if the user wrote a table.
_NO_TABLES = ("literal_error", "string_type")
#: Bounds of the length of a list, by the type of a pydantic error.
_LENGTHS = {"too_long": ("max_length", "at most"), "too_short": ("min_length", "at least")}
#: Number of further mistakes that are listed.
_MOST_OTHERS = 3
#: Keys of lists of tables, [[key]].
_LISTS = ("traffic", "claims")
_PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")


def make_error(error: ValidationError, given: object) -> ScenarioError:
    """Return the first mistake in `given`: its place, and the allowed values."""
    found = error.errors(include_url=False)
    is_table = [isinstance(one["input"], Mapping) and one["type"] in _NO_TABLES for one in found]
    problems = [one for one, ignored in zip(found, is_table, strict=True) if not ignored] or found
    words = (one for one in problems if one["type"] == "literal_error")  # rather than a table
    first = next(words, problems[0])
    if first["input"] != problems[0]["input"]:
        first = problems[0]
    or_table = any(problem["type"] == "not_a_table" for problem in problems)
    sentence = (
        _describe_word(first, problems) or _describe_length(first) or _sentence(first, or_table)
    )
    place = _place(first, given)
    others = [*dict.fromkeys(other for p in problems if (other := _place(p, given)) != place)]
    listed = ", ".join(others[:_MOST_OTHERS]) + (", ..." if len(others) > _MOST_OTHERS else "")
    also_wrong = f" (also wrong: {listed})" if others else ""
    return ScenarioError(place, sentence + also_wrong)


def _describe_word(first: Any, problems: Sequence[Any]) -> str:
    """Describe a value that may be a quantity or a word, and is neither; empty for others."""
    same = (one for one in problems if one["input"] == first["input"])
    quantity = next((one for one in same if one["type"] == "value_error"), None)
    if first["type"] != "literal_error" or quantity is None:
        return ""
    given, expected = str(first["input"]), str(first["ctx"]["expected"])
    near = "" if any(map(str.isdigit, given)) else _near(given, expected)
    return f"{_sentence(quantity, or_table=False)}, or {expected}{near}"


def _describe_length(problem: Any) -> str:
    """Describe a list with too many or too few items; empty for other mistakes."""
    kind, context = problem["type"], problem.get("ctx", {})
    if kind == "missing" and isinstance(problem["loc"][-1], int):
        return "the list is too short; this item is required"
    if kind not in _LENGTHS:
        return ""
    key, words = _LENGTHS[kind]
    count, value = context["actual_length"], problem["input"]
    says = f"{words} {context[key]} items are, and these are {count}"
    return f"{as_toml(value)} is not allowed; {says}"


def _place(problem: Any, given: object) -> str:
    path = _within(problem["loc"], given, problem["type"] == "missing")
    context = problem.get("ctx", {})
    if problem["type"] in ("unknown_key", "at") and context.get("key"):
        path = [*path, context["key"]]
    return join(path)


def join(path: Sequence[str | int]) -> str:
    """Return a path in the form `traffic[0].cca`."""
    text = ""
    for step in path:
        text += f"[{step}]" if isinstance(step, int) else f".{step}" if text else step
    return text


def _within(loc: Sequence[str | int], given: object, missing: bool) -> list[str | int]:
    """Return the steps that are keys of `given`; pydantic also lists tags of unions."""
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
        return str(context.get("error") or problem["msg"])
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
    allowed = _ALLOWED.get(kind) or problem["msg"].replace("Input should", "it must")
    return f"{as_toml(value)} is not allowed; {allowed}{near}"


def _near(word: str, expected: str) -> str:
    """Suggest one of the words that pydantic lists in quotes."""
    return also(word, re.findall(r"'([^']*)'", expected))


def _as_number(text: str) -> str:
    """Say how to write a number that was given as text."""
    if (percent := _PERCENT.fullmatch(text)) is not None:
        return f"write the share as a number without quotes, {float(percent[1]) / 100:g}"
    return "write a number without quotes"


class Strict(BaseModel):
    """A frozen value that rejects unknown keys."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _knows_every_key(cls, given: Any) -> Any:
        check_keys(given, cls)
        return given


#: Words that users write instead of a key.
_SYNONYMS = {
    "seeds": "replicates",
    "repetitions": "replicates",
    "bandwidth": "rate",
    "capacity": "rate",
    "latency": "delay",
}

Read = TypeVar("Read", bound=BaseModel)


def check_keys(given: Any, model: type[BaseModel]) -> None:
    """Raise the error of the first unknown key, or of a boolean that pydantic reads as a number."""
    for key, value in given.items() if isinstance(given, Mapping) else ():
        if key not in model.model_fields:
            raise _unknown_key(str(key), tuple(model.model_fields))
        if isinstance(value, bool) and key in _find_numbers(model):
            says = f"{as_toml(value)} is not allowed; it must be a number"
            raise PydanticCustomError("at", "{sentence}", {"key": key, "sentence": says})


def _unknown_key(key: str, names: tuple[str, ...]) -> PydanticCustomError:
    """Return the error of an unknown key, with similar names or all of them."""
    now = new_name(key, names)
    if now:
        return PydanticCustomError(
            "unknown_key", "this key is now '{now}'", {"key": key, "now": now}
        )
    meant = _SYNONYMS.get(key)
    says = f"did you mean '{meant}'?" if meant in names else ""
    says = says or hint(key, names, f"the keys here are {', '.join(names)}")
    return PydanticCustomError(
        "unknown_key", "this is not a key here; {hint}", {"key": key, "hint": says}
    )


@cache
def _find_numbers(model: type[BaseModel]) -> frozenset[str]:
    """Return the fields that are numbers without a separate validator."""
    return frozenset(
        name
        for name, field in model.model_fields.items()
        if _is_number([*field.metadata, *_list_members(field.annotation)])
    )


def _list_members(annotation: Any) -> Iterator[Any]:
    """Yield the members of a union or an annotated type."""
    if get_origin(annotation) in (Annotated, Union, UnionType):
        for member in get_args(annotation):
            yield from _list_members(member)
    else:
        yield annotation


def _is_number(members: list[Any]) -> bool:
    own = any(isinstance(member, BeforeValidator) for member in members)
    return not own and bool not in members and (int in members or float in members)


def read_toml(model: type[Read], path: Path) -> Read:
    """Read a value from TOML. Raises ScenarioError with the file and the place in it."""
    return fit_model(model, read_toml_file(path), str(path))


def fit_model(model: type[Read], data: Mapping[str, Any], where: str) -> Read:
    """Make a value of nested dicts. Raises ScenarioError with the place of the mistake."""
    try:
        return model.model_validate(data)
    except ValidationError as error:
        wrong = make_error(error, data)
        place = ": ".join(part for part in (where, wrong.place) if part)
        raise ScenarioError(place, wrong.sentence) from None
