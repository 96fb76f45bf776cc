"""Public modules whose names are imported on first use, so that `import headgate` stays cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any


def lazy_attributes(module: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """Return the `__getattr__` of a public module.

    `homes` lists the names by the modules that define them. "load_design=load" is public under
    another name than its module calls it; "fluid=" is a module.
    """
    places: dict[str, tuple[str, str]] = {}
    for home, names in homes.items():
        for name in names:
            public, sign, own = name.partition("=")
            places[public] = (home, own if sign else public)

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        home, own = places[name]
        found = import_module(home)
        return getattr(found, own) if own else found

    return find
