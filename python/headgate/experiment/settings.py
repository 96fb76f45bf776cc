"""Settings of a study that a user changes: `base.load=0.7`, `rtts=["10 ms", "50 ms"]`."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from headgate.base.errors import HeadgateError
from headgate.base.messages import also, as_toml
from headgate.scenario.toml import parse_setting


def change_settings(settings: Mapping[str, Any], texts: Sequence[str]) -> dict[str, Any]:
    """Return settings with some changed; a wrong one is one sentence."""
    made: dict[str, Any] = copy.deepcopy(dict(settings))
    for text in texts:
        key, value = parse_setting(text)
        *path, last = key.split(".")
        here: Any = made
        for step in path:
            here = _below(here, step, text)
        _require_like(_below(here, last, text), value, text)
        here[last] = value
    return made


def _below(here: Any, key: str, text: str) -> Any:
    if not isinstance(here, dict) or key not in here:
        known = ", ".join(sorted(here)) if isinstance(here, dict) else "no keys of its own"
        near = also(key, here) if isinstance(here, dict) else ""
        raise HeadgateError(f"--set {text}: there is no setting {key!r} here; it has {known}{near}")
    return here[key]


def _require_like(before: Any, value: Any, text: str) -> None:
    """Refuse another kind of value than the one that stands there."""
    if _kind(before) != _kind(value):
        raise HeadgateError(
            f"--set {text}: {as_toml(value)} is not allowed; write {_kind(before)}, such as"
            f" {as_toml(before)}"
        )
    if isinstance(before, list) and before:
        for each in value:
            _require_like(before[0], each, text)
    if isinstance(before, dict) and set(before) != set(value):
        raise HeadgateError(f"--set {text}: a table with the keys {', '.join(before)} goes there")


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "true or false"
    for kind, name in ((int | float, "a number"), (str, "a text"), (list, "a list")):
        if isinstance(value, kind):
            return name
    return "a table"
