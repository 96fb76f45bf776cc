"""`headgate_law_v1` as Python fills it: the same table that a C or Rust file exports."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

VERSION = 1

FLAGS = {
    "per_round": 1,
    "keeps_window": 2,
    "wants_rate": 4,
    "echo_latched": 8,
    "echo_accurate": 16,
}

CALLBACKS = (
    "on_start",
    "on_ack",
    "on_recovery_ack",
    "on_segment_lost",
    "on_congestion",
    "on_recovered",
)


class Struct(ctypes.Structure):
    """The fields of `headgate_law_v1`."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("state_bytes", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("initial", ctypes.c_void_p),
        *((name, ctypes.c_void_p) for name in CALLBACKS),
    )


def capsule(struct: Struct) -> object:
    """Give a table as the engine takes it: a capsule, which knows what it points to by its name.

    The capsule does not keep the table in memory.
    """
    return _new_capsule(ctypes.addressof(struct), _CAPSULE, None)


_CAPSULE = b"headgate_law_v1"
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new_capsule.restype = ctypes.py_object


@dataclass(frozen=True)
class FunctionTable:
    """A filled table, and what it points to: that must outlive it."""

    struct: Struct
    keeps: tuple[Any, ...]

    @classmethod
    def of(cls, entries: Mapping[str, Any], initial: bytes, flags: int) -> FunctionTable:
        """Fill a table with numba's C functions, and the state that a flow begins with."""
        words = ctypes.create_string_buffer(initial, len(initial))
        addresses = {name: entry.address for name, entry in entries.items()}
        struct = Struct(
            VERSION,
            ctypes.sizeof(Struct),
            len(initial),
            flags,
            ctypes.addressof(words),
            **addresses,
        )
        return cls(struct, (words, entries))
