"""What distinguishes the kinds of own code: a law of congestion control, a queue discipline."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from headgate import _native

Traits = Mapping[str, Any]
Record = dict[str, Any]


@dataclass
class Event:
    """One call: the callback, what it is given (a record, or the time), and what lies around."""

    callback: str
    given: Record | float
    around: Record
    number: int


Tell = Callable[[Event, Any], None]
"""Have own code handle an event: it may change what is handed over last."""


class RandomEvents(Protocol):
    """Random events of one flow or port; equal seeds and equal answers give equal events."""

    def run(self, events: int) -> None:
        """Begin, and meet this number of events."""


@dataclass(frozen=True)
class Callback:
    """What a method takes beside `self`, and the record that the first is; None for a time."""

    takes: tuple[str, str, str]
    record: str | None


@dataclass(frozen=True, eq=False)
class Interface:
    """A kind of own code: how it is written, called, and tried."""

    noun: str
    table: str
    """The C table that it fills."""
    version: int
    """Of that table: its kind in the upper half."""
    symbol: str
    """Its symbol in a library, unless one is given."""
    callbacks: Mapping[str, Callback]
    """In the order of the table."""
    required: tuple[tuple[str, ...], ...]
    """Of each of these groups it has one callback at least."""
    traits: Mapping[str, tuple[Any, ...]]
    """What it may say of itself, what it is if it says nothing, and what else is allowed."""
    numbers: Mapping[str, float]
    """Numbers that it may say of itself, and what they are if it says nothing."""
    flags: Callable[[Traits], Mapping[str, bool]]
    """The flags of the table, by their names in `headgate.h`."""
    said_by: Callable[[Collection[str]], Traits]
    """The traits that flags mean, the other way round."""
    flag_bits: Mapping[str, int]
    around: str
    """The record that each call may read besides."""
    out: str
    """The record that each call may change."""
    out_fields: tuple[str, ...]
    """Those fields of it that own code sets."""
    methods: Mapping[str, Callable[..., Any]]
    """Its methods, as functions that numba can compile."""
    in_engine: Callable[..., _native.OwnCode]
    """Have the engine take a class that the interpreter runs."""
    trial: Trial

    @cached_property
    def tells_it(self) -> tuple[str, ...]:
        """Return the callbacks by which a class is known for one of this kind."""
        return self.required[0]

    def form(self, callback: str) -> str:
        """Write how a callback is called."""
        return f"{callback}({', '.join(self.callbacks[callback].takes)})"

    def flag_word(self, traits: Traits) -> int:
        """Return the flags of the table as one number."""
        return sum(self.flag_bits[name] for name, holds in self.flags(traits).items() if holds)

    def traits_of(self, struct: Any) -> Traits:
        """Return what a table says of itself."""
        set_ = {name for name, bit in self.flag_bits.items() if struct.flags & bit}
        return {**self.said_by(set_), **{name: getattr(struct, name) for name in self.numbers}}


@dataclass(frozen=True)
class Trial:
    """How own code of a kind is tried with random events."""

    of: str
    """What each state belongs to: a flow, a port."""
    begin: Callable[[int, Tell, Traits, Collection[str]], RandomEvents]
    """Events by a seed, for code of these traits that has these callbacks."""
    fault: Callable[[Event, Any, Any, Traits], str]
    """Say what is wrong with what a call set; nothing if it may be so."""
    is_sound: Callable[[Event, Any], bool]
    """Whether what it set so far may be so, to find the line after which it may not."""
    repair: Callable[[Any, Any], None]
    """Put right what was wrong, given how it was before."""
    skips: Callable[[str, Traits], bool]
    """Whether the engine leaves a call out for code of these traits."""
    native: Callable[[Any], Any]
    """Give the engine's own record of what may be changed."""
    outcome_fields: tuple[str, ...]
    """The fields that tell what a call came to."""
    sum_up: Callable[[list[tuple[float, ...]]], Mapping[str, float]]
    """What all calls came to."""
    tell: Callable[[Mapping[str, float]], str]
    """That, for people."""
