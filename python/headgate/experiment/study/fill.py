"""What a study's file says by name: `"$duration"`, `"$lossy.losses"` stand for settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headgate.base.errors import HeadgateError


def fill(given: Any, settings: Mapping[str, Any], where: str) -> Any:
    """Put settings in the place of their names. Raises HeadgateError."""
    if isinstance(given, Mapping):
        return {key: fill(value, settings, f"{where}.{key}") for key, value in given.items()}
    if isinstance(given, list):
        return [fill(value, settings, where) for value in given]
    if not (isinstance(given, str) and given.startswith("$")):
        return given
    found: Any = settings
    for step in given[1:].split("."):
        if not isinstance(found, Mapping) or step not in found:
            known = ", ".join(sorted(found)) if isinstance(found, Mapping) else "none of its own"
            raise HeadgateError(
                f"{where}: there is no setting {given[1:]!r}; the settings are {known}"
            )
        found = found[step]
    return found
