"""The C tables as Python fills them: the same that a C or Rust file exports."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from headgate.plugin.interface import Interface


class Head(ctypes.Structure):
    """What every table begins with."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("state_bytes", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("initial", ctypes.c_void_p),
    )


@cache
def struct_of(interface: Interface) -> type[Head]:
    """Return the table of an interface: the head, its numbers, its callbacks."""
    fields = [
        *((name, ctypes.c_double) for name in interface.numbers),
        *((name, ctypes.c_void_p) for name in interface.callbacks),
    ]
    return type(interface.table, (Head,), {"_fields_": fields})


def capsule(struct: Head) -> object:
    """Return a table as the engine takes it: a capsule, which knows what it points to by its name.

    The capsule does not keep the table in memory.
    """
    return _new_capsule(ctypes.addressof(struct), _names[type(struct).__name__], None)


#: A capsule keeps the pointer to its name: these stay.
_names = {name: name.encode() for name in ("headgate_law_v1", "headgate_queue_v1")}
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new_capsule.restype = ctypes.py_object


@dataclass(frozen=True)
class FunctionTable:
    """A filled table, and what it points to: that must outlive it."""

    struct: Head
    keeps: tuple[Any, ...]

    @classmethod
    def of(
        cls,
        interface: Interface,
        entries: Mapping[str, Any],
        initial: bytes,
        said: Mapping[str, Any],
    ) -> FunctionTable:
        """Fill a table with numba's C functions, and the first state; `said` are the traits."""
        words = ctypes.create_string_buffer(initial, len(initial))
        kind = struct_of(interface)
        struct = kind(
            version=interface.version,
            size=ctypes.sizeof(kind),
            state_bytes=len(initial),
            flags=interface.flag_word(said),
            initial=ctypes.addressof(words),
            **{name: said[name] for name in interface.numbers},
            **{name: entry.address for name, entry in entries.items()},
        )
        return cls(struct, (words, entries))
