"""Users' own laws and disciplines: Python classes, compiled or not, and libraries of C or Rust.

A file with a law or a discipline imports its records and constants, and `jit`, from here. The
callbacks of a law are described in `headgate.plugin.law_records`, those of a discipline in
`headgate.plugin.discipline_records`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from headgate.plugin.disciplines import DISCIPLINE
from headgate.plugin.interface import Interface
from headgate.plugin.laws import LAW
from headgate.plugin.load import allow, identify, is_source, is_trusted, load, register_class
from headgate.plugin.own_code import OwnCode
from headgate.plugin.paths import is_code, split

if TYPE_CHECKING:
    from headgate.plugin.discipline_records import DROP, KEEP, MARK, Backlog, Decision, Packet
    from headgate.plugin.law_records import (
        ECN_MARK,
        LOSS,
        TIMEOUT,
        Ack,
        Builtin,
        Congestion,
        Path,
        Rate,
        Window,
        builtin,
        jit,
    )

__all__ = [
    "DISCIPLINE",
    "DROP",
    "ECN_MARK",
    "KEEP",
    "LAW",
    "LOSS",
    "MARK",
    "TIMEOUT",
    "Ack",
    "Backlog",
    "Builtin",
    "Congestion",
    "Decision",
    "Interface",
    "OwnCode",
    "Packet",
    "Path",
    "Rate",
    "Window",
    "allow",
    "builtin",
    "identify",
    "is_code",
    "is_source",
    "is_trusted",
    "jit",
    "load",
    "register_class",
    "split",
]

#: What needs the engine, which `headgate doctor` starts without.
_RECORDS = {
    "headgate.plugin.discipline_records": ("DROP", "KEEP", "MARK", "Backlog", "Decision", "Packet"),
    "headgate.plugin.law_records": (
        *("ECN_MARK", "LOSS", "TIMEOUT", "Ack", "Builtin", "Congestion", "Path", "Rate", "Window"),
        *("builtin", "jit"),
    ),
}
_HOME = {name: module for module, names in _RECORDS.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import on first use."""
    if name not in _HOME:
        raise AttributeError(f"module 'headgate.plugin' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
