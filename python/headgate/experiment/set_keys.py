"""Keys of an experiment changed by texts: `replicates=3`, `scenario.duration="5 s"`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from headgate.base.errors import ScenarioError
from headgate.base.files import parse_toml
from headgate.scenario.toml import parse_setting, read_toml, set_key

SCENARIO = "scenario"


def set_keys(data: dict[str, Any], texts: Sequence[str], folder: Path) -> dict[str, Any]:
    """Return an experiment's file with keys changed; `scenario.KEY` is one of its base."""
    for text in texts:
        key, value = parse_setting(text)
        path = _path(key, text)
        if path[0] == SCENARIO and len(path) > 1:
            _set_in_scenario(data, path[1:], value, folder)
        else:
            _set(data, path, value, text)
    return data


def _set_in_scenario(data: dict[str, Any], path: Sequence[str], value: Any, folder: Path) -> None:
    """Change the base; one that is a file of its own is taken into the experiment for that."""
    base = data.get(SCENARIO)
    if isinstance(base, str):
        base = data[SCENARIO] = read_toml((folder / base).resolve())
    set_key(data.setdefault(SCENARIO, {}), ".".join(path), value)


def _set(data: dict[str, Any], path: Sequence[str], value: Any, text: str) -> None:
    here: Any = data
    for step in path[:-1]:
        here = here.setdefault(step, {})
        if not isinstance(here, dict):
            raise ScenarioError(f"--set {text}", f"{step!r} has no keys of its own")
    here[path[-1]] = value


def _path(key: str, text: str) -> list[str]:
    """Part a key as TOML does: what stands in quotes is one word."""
    try:
        here: Any = parse_toml(f"{key} = 0")
    except ValueError:
        raise ScenarioError(f"--set {text}", f"{key!r} is not a key") from None
    path = []
    while isinstance(here, Mapping):
        ((step, here),) = here.items()
        path.append(step)
    return path
