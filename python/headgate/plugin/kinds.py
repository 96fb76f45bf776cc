"""Which kind of own code a file holds: a law, or a queue discipline."""

from __future__ import annotations

from pathlib import Path

from headgate.base.errors import LawError
from headgate.plugin import library
from headgate.plugin.disciplines import DISCIPLINE
from headgate.plugin.interface import Interface
from headgate.plugin.laws import LAW
from headgate.plugin.paths import read, split
from headgate.plugin.source import find, tells_itself


def kind_of(source: str) -> Interface:
    """Say what `FILE` or `FILE:NAME` is; a law unless it says otherwise. Raises LawError.

    Of a Python file it runs nothing; of a C or Rust file it loads what it exports.
    """
    file, name = split(source)
    if Path(file).suffix == ".py":
        text = read(file)
        is_law, is_discipline = (tells_itself(text, file, name, of) for of in (LAW, DISCIPLINE))
        return DISCIPLINE if is_discipline and not is_law else LAW
    return DISCIPLINE if _exports(source, DISCIPLINE) else LAW


def _exports(source: str, interface: Interface) -> bool:
    try:
        version = library.version_in(find(source, interface))
    except LawError:
        return False
    return version >> 16 == interface.version >> 16
