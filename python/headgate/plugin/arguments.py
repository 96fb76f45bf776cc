"""Arguments of own code in Python: their units, and the bounds that a class sets to them.

An argument has the unit that its name ends with. `bounds = {"target_s": (0.0, 1.0)}` on the class
says what is allowed; what is beyond is refused before an object is made.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping

from headgate.base.errors import LawError
from headgate.plugin.own_code import Params

#: How a name ends, and the unit that it then has.
_UNITS = {"_bytes_s": "bytes/s", "_bytes": "bytes", "_packets": "packets", "_s": "s"}


def unit_of(name: str) -> str:
    """Return the unit of an argument by its name; the empty word for a pure number, or a word."""
    return next((unit for end, unit in _UNITS.items() if name.endswith(end)), "")


def check_bounds(cls: type, label: str) -> None:
    """Check the form of the bounds themselves. Raises LawError if it is wrong."""
    bounds = getattr(cls, "bounds", {})
    if not isinstance(bounds, Mapping) or not all(map(_is_range, bounds.values())):
        form = '{"argument": (least, most)}'
        raise LawError(label, f"bounds = {bounds!r} is not allowed; write bounds = {form}")
    known = _defaults(cls)
    for name in bounds:
        if name not in known:
            says = f"bounds name {name!r}, which is not an argument"
            raise LawError(label, f"{says}; arguments: {', '.join(known) or 'none'}")


def check_arguments(cls: type, label: str, params: Params) -> None:
    """Raise LawError for an argument, given or by default, that is beyond its bounds."""
    given = _defaults(cls) | dict(params)
    for name, (low, high) in getattr(cls, "bounds", {}).items():
        value = given[name]
        if value is inspect.Parameter.empty:
            continue  # making the object says that it is missing
        if not _is_number(value) or not low <= value <= high:
            allowed = f"{low:g} to {high:g} {unit_of(name)}".rstrip()
            raise LawError(label, f"{name} = {value!r} is not allowed; it must be from {allowed}")


def _defaults(cls: type) -> dict[str, object]:
    parameters = inspect.signature(cls).parameters.values()
    return {one.name: one.default for one in parameters}


def _is_range(pair: object) -> bool:
    if not isinstance(pair, tuple | list) or len(pair) != 2:
        return False
    low, high = pair
    return _is_number(low) and _is_number(high) and low <= high


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
