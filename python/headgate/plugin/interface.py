"""The two kinds of user-defined code, their C tables, and code that was found."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Protocol

from headgate.base.errors import CcaError
from headgate.plugin.code_files import shorten_path

if TYPE_CHECKING:
    from headgate import _native

Traits = Mapping[str, Any]
Record = dict[str, Any]
Params = Mapping[str, Any]


@dataclass
class Event:
    """One call of a callback."""

    callback: str
    argument: Record | float  # a record, or the time
    context: Record
    number: int


#: Makes user-defined code handle an event. The code may change the second argument.
EventHandler = Callable[[Event, Any], None]


class RandomEvents(Protocol):
    """Random events of one flow or port; equal seeds and equal answers give equal events."""

    def run(self, events: int) -> None:
        """Produce this number of events."""


@dataclass(frozen=True)
class Callback:
    """The arguments of a method after `self`, and the record type of the first; None for a time."""

    takes: tuple[str, str, str]
    record: str | None


@dataclass(frozen=True, eq=False)
class Interface:
    """A kind of user-defined code: how it is written, called and tried."""

    noun: str
    table: str  # the name of its C table
    version: int  # of that table; the upper half is the kind
    symbol: str  # the symbol in a library, unless the user names one
    callbacks: Mapping[str, Callback]  # in the order of the table
    required: tuple[tuple[str, ...], ...]  # code needs one callback of each group
    traits: Mapping[str, tuple[Any, ...]]  # allowed values of attributes, the default first
    numbers: Mapping[str, float]  # attributes that are numbers, and their defaults
    flags: Callable[[Traits], Mapping[str, bool]]  # by their names in `headgate.h`
    traits_from_flags: Callable[[Collection[str]], Traits]
    flag_bits: Mapping[str, int]
    context: str  # the record that every call may read
    out: str  # the record that every call may change
    sets: str  # the value that a callback sets, for messages
    out_fields: tuple[str, ...]  # the fields of `out` that user-defined code sets
    methods: Mapping[str, Callable[..., Any]]  # methods of `out`, in a form that numba can compile
    make_native: Callable[..., _native.OwnCode]  # registers an interpreted class with the engine
    trial: Trial

    @property
    def identifying_callbacks(self) -> tuple[str, ...]:
        """The callbacks by which a class is recognised as one of this kind."""
        return self.required[0]

    def signature(self, callback: str) -> str:
        """Return a callback with its arguments, for messages."""
        return f"{callback}({', '.join(self.callbacks[callback].takes)})"

    def flag_word(self, traits: Traits) -> int:
        """Return the flags of the table as one number."""
        return sum(self.flag_bits[name] for name, is_set in self.flags(traits).items() if is_set)

    def traits_of(self, struct: Any) -> Traits:
        """Return the traits that a table declares."""
        names = {name for name, bit in self.flag_bits.items() if struct.flags & bit}
        numbers = {name: getattr(struct, name) for name in self.numbers}
        return {**self.traits_from_flags(names), **numbers}


@dataclass(frozen=True)
class Trial:
    """How user-defined code of a kind is tried with random events."""

    of: str  # the owner of a state: a flow, a port
    begin: Callable[[int, EventHandler, Traits, Collection[str]], RandomEvents]
    fault: Callable[[Event, Any, Any, Traits], str]  # the fault of a change; empty if none
    is_sound: Callable[[Event, Any], bool]  # after a line of the callback, to find the wrong line
    repair: Callable[[Any, Any], None]  # replaces wrong values, given those before the call
    skips: Callable[[str, Traits], bool]  # whether the engine omits a call for these traits
    keeps_growth: Callable[[Any], bool | None]  # of slow start in a record; None if there was none
    native: Callable[[Any], Any]  # makes the engine's own record of `out`
    outcome_fields: tuple[str, ...]
    sum_up: Callable[[list[tuple[float, ...]]], Mapping[str, float]]
    describe: Callable[[Mapping[str, float]], str]  # the sums as text


class TableHead(ctypes.Structure):
    """The first fields of every table."""

    _fields_ = (
        ("version", ctypes.c_uint32),
        ("size", ctypes.c_uint32),
        ("state_bytes", ctypes.c_uint32),
        ("flags", ctypes.c_uint32),
        ("initial", ctypes.c_void_p),
    )


#: A table of functions, and the object that keeps them in memory.
LoadedTable = tuple[TableHead, object]


@cache
def struct_of(interface: Interface) -> type[TableHead]:
    """Return the table type of an interface: the head, its numbers, its callbacks."""
    fields = [
        *((name, ctypes.c_double) for name in interface.numbers),
        *((name, ctypes.c_void_p) for name in interface.callbacks),
    ]
    return type(interface.table, (TableHead,), {"_fields_": fields})


def fill_table(
    interface: Interface, entries: Mapping[str, Any], initial: bytes, traits: Traits
) -> LoadedTable:
    """Fill a table with numba's C functions and the first state."""
    state = ctypes.create_string_buffer(initial, len(initial))
    kind = struct_of(interface)
    struct = kind(
        version=interface.version,
        size=ctypes.sizeof(kind),
        state_bytes=len(initial),
        flags=interface.flag_word(traits),
        initial=ctypes.addressof(state),
        **{name: traits[name] for name in interface.numbers},
        **{name: entry.address for name, entry in entries.items()},
    )
    return struct, (struct, state, entries)


#: A capsule stores a pointer to its name, so these bytes must stay in memory.
_names = {name: name.encode() for name in ("headgate_cca_v1", "headgate_queue_v1")}
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_new_capsule.restype = ctypes.py_object


@dataclass(frozen=True)
class OwnCode:
    """User-defined code that was found: its kind, its name and the hash of its source."""

    interface: Interface
    name: str
    file: str
    sha256: str
    cls: type | None = None
    compiled: Callable[[Params], LoadedTable] | None = None  # raises CcaError
    source: str | None = None
    """How another process finds the code; None for a class that Python code passed."""

    @property
    def label(self) -> str:
        """The name in messages."""
        return f"{shorten_path(self.file)}:{self.name}"

    def hand_over(self, table: LoadedTable) -> _native.OwnCode:
        """Pass a table to the engine. Raises CcaError if the table is invalid."""
        from headgate import _native

        struct = table[0]
        capsule = _new_capsule(ctypes.addressof(struct), _names[type(struct).__name__], None)
        try:
            return _native.OwnCode.compiled(self.label, capsule, table)
        except ValueError as error:
            raise CcaError(self.label, str(error)) from None


@dataclass(frozen=True)
class PreparedCode:
    """User-defined code with its parameters, registered with the engine for a run."""

    code: OwnCode
    params: Params
    native: _native.OwnCode
