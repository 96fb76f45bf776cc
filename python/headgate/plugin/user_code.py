"""User-defined code as the other wings use it: found, identified, permitted and loaded."""

from __future__ import annotations

from headgate.plugin.ccas import CCA
from headgate.plugin.code_files import is_code, split
from headgate.plugin.disciplines import DISCIPLINE
from headgate.plugin.given import register as register_class
from headgate.plugin.given import require_importable
from headgate.plugin.interface import Interface, OwnCode
from headgate.plugin.load import allow, identify, is_source, is_trusted, load

__all__ = [
    "CCA",
    "DISCIPLINE",
    "Interface",
    "OwnCode",
    "allow",
    "identify",
    "is_code",
    "is_source",
    "is_trusted",
    "load",
    "register_class",
    "require_importable",
    "split",
]
