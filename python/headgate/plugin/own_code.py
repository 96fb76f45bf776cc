"""A user's own law or discipline once it was found, and as a run takes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headgate.base.errors import LawError
from headgate.plugin.paths import shorten_path

if TYPE_CHECKING:
    from headgate import _native
    from headgate.plugin.interface import Interface
    from headgate.plugin.table import Head

Params = Mapping[str, Any]

#: A table of functions, and what keeps them in memory.
Compiled = tuple["Head", object]


@dataclass(frozen=True)
class OwnCode:
    """What was found: its kind and name, the hash of its source, and what it is made of."""

    interface: Interface
    name: str
    file: str
    sha256: str
    cls: type | None = None
    """The class, if it is one."""
    compiled: Callable[[Params], Compiled] | None = None
    """Give its table of functions, if it has one; raises LawError."""
    source: str | None = None
    """What another process finds it by; None for a class that was given as such."""

    @property
    def label(self) -> str:
        """How sentences call it."""
        return f"{shorten_path(self.file)}:{self.name}"

    def hand_over(self, table: Compiled) -> _native.OwnCode:
        """Have the engine take a table. Raises LawError if it is not one."""
        from headgate import _native
        from headgate.plugin.table import capsule

        struct, keeps = table
        try:
            return _native.OwnCode.compiled(self.label, capsule(struct), (struct, keeps))
        except ValueError as error:
            raise LawError(self.label, str(error)) from None


@dataclass(frozen=True)
class Ready:
    """A law or a discipline with its parameters, as a run takes it."""

    code: OwnCode
    params: Params
    native: _native.OwnCode
